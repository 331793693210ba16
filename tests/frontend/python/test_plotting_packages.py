"""Programs that plot while they compute, as scripts do: pictures are left out."""

from __future__ import annotations

import numpy as np
import pytest

import daad
from tests.corpus.case import Case, normal
from tests.oracle import check_gradient
from tests.programs import interpreted

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")


def plots_as_it_goes(x):
    figure, axes = plt.subplots(2, ncols=2)
    plt.rcParams["font.size"] = 12
    (line,) = axes[0, 0].plot(x, np.sqrt(np.abs(x)), "o")
    for image, name in zip(axes[0], "ab", strict=True):
        image.set_title(name)
        x = x + 0.1 * np.sin(x)
    for number, image in enumerate(axes.ravel()):
        image.plot(x)
        x = x * (1.0 + 0.01 * number)
    for row in axes:
        x = x + 0.1 * np.cos(x) * len([image.get_figure() for image in row])
    for step in range(3):
        x = x * 1.1 + 0.1 * np.roll(x, 1)
        line.set_ydata(x)
        axes[0, 1].title = f"step {step}: {np.sum(x):.2f}"
        axes[0, 0].get_xaxis().set_visible(False)
    bar = plt.colorbar(axes[1][0].imshow(x[None], cmap=plt.cm.viridis))
    bar.set_label("u")
    plt.close(figure)
    return np.sum(x**2)


def changes_what_it_plots(x):
    shown = []
    plt.plot(shown.append(x * 2.0))
    plt.close("all")
    return np.sum(shown[0] ** 2)


def shows_masked_arrays(x):
    hidden = None
    for step in range(3):
        x = x * 1.1 + 0.1 * np.sin(x)
        hidden = np.ma.masked_where(x > 1.0, x)
        if step % 2 == 0:
            hidden = shown = np.ma.array(x, mask=x < 0.0)
            plt.plot(shown)
        plt.plot(hidden, color="red")
    return np.sum(x**2)


def computes_with_masked_arrays(x):
    hidden = np.ma.masked_where(x > 1.0, x)
    return np.sum(x) + hidden.mean()


def changes_what_it_masks(x):
    shown = []
    hidden = np.ma.array(shown.append(x * 2.0) or x)
    plt.plot(hidden)
    return np.sum(shown[0])


def asks_a_picture(x):
    return np.sum(x) * plt.gca().get_xlim()[1]


def goes_through_untold_pictures(x):
    for image in plt.gcf().axes:
        image.plot(x)
    return np.sum(x**2)


SHOWING = (plots_as_it_goes, shows_masked_arrays, changes_what_it_plots)
SHOWING += (computes_with_masked_arrays, changes_what_it_masks)


@pytest.mark.parametrize("function", SHOWING)
def test_pictures_are_left_out(function):  # type: ignore[no-untyped-def]
    case = Case(name=function.__name__, function=function, arguments=lambda: (normal(1, 2),), wrt=("x",))
    gradient = interpreted(case)
    found = gradient(*case.arguments())
    if function is not changes_what_it_plots:
        check_gradient(found, case)
    else:
        np.testing.assert_allclose(found[0], 8.0 * normal(1, 2))


def test_pictures_of_which_the_number_is_not_known_are_refused() -> None:
    with pytest.raises(daad.Unsupported, match=r"This cannot be iterated over: 'Picture' object is not iterable\."):
        daad.grad(goes_through_untold_pictures)(normal(1, 2))


def test_what_a_picture_says_is_refused() -> None:
    with pytest.raises(daad.Unsupported, match=r"A value of type 'Picture' stands where an array is expected\."):
        daad.grad(asks_a_picture)(normal(1, 2))
