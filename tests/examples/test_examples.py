"""The examples at reduced size: they reach what they promise, and their gradients are right."""

import importlib
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import daad

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(autouse=True)
def examples_on_the_path(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))


def terrain_point():
    terrain = importlib.import_module("terrain")
    z, dx, dy = terrain.load_terrain(stride=16)
    target = z.copy()
    terrain.erode(target, terrain.hidden_erodibility(z.shape), 8, 1e5, dx, dy)
    k = np.full(z.shape, terrain.ERODIBILITY)
    return terrain.misfit, ("k", "z"), (z, k, target, 8, 1e5, dx, dy)


def epidemic_point():
    epidemic = importlib.import_module("epidemic")
    return epidemic.misfit, ("theta",), (np.log([1.5, 0.4, 1.5]), epidemic.IN_BED.copy(), 4)


def deblur_point():
    deblur = importlib.import_module("deblur")
    truth, kernel = deblur.load_photograph(stride=24), deblur.gaussian(radius=2, width=1.0)
    return deblur.objective, ("image",), (truth, deblur.blur(truth, kernel) + 0.05, kernel, 0.01)


def tsunami_point():
    tsunami = importlib.import_module("tsunami")
    _, *others = tsunami.point(points=12, steps=12)
    surface = 0.3 * np.random.default_rng(3).standard_normal((12, 12))
    return tsunami.misfit, ("surface", "depth"), (surface, *others)


POINTS = {"tsunami": tsunami_point, "terrain": terrain_point, "epidemic": epidemic_point, "deblur": deblur_point}


@pytest.mark.parametrize("name", POINTS)
def test_gradient_matches_central_differences_along_directions(name):
    function, wrt, args = POINTS[name]()
    gradients = daad.grad(function, wrt=wrt, on_inputs="keep")(*args)
    names = function.__code__.co_varnames
    random = np.random.default_rng(7)
    for wanted, gradient in zip(wrt, gradients, strict=True):
        place = names.index(wanted)
        scale = np.maximum(np.abs(args[place]), 1e-3)
        direction = random.standard_normal(gradient.shape) * scale
        step = 1e-5

        def along(t, place=place, direction=direction):
            moved = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
            moved[place] += t * direction
            return function(*moved)

        slope = (8.0 * (along(step) - along(-step)) - (along(2.0 * step) - along(-2.0 * step))) / (12.0 * step)
        np.testing.assert_allclose(np.sum(gradient * direction), slope, rtol=1e-6)


def test_terrain_erodes_towards_its_target():
    terrain = importlib.import_module("terrain")
    few, many = (terrain.main(["--stride", "8", "--steps", steps]) for steps in ("5", "10"))
    assert 0.0 < few < many < 1.0


def test_terrain_has_no_daad_in_it():
    code = (EXAMPLES / "terrain.py").read_text().partition('"""')[2].partition('"""')[2]
    assert "daad" not in code


def test_calibration_finds_the_published_reproduction_number(tmp_path):
    epidemic = importlib.import_module("epidemic")
    result = epidemic.main(["--substeps", "6", "--picture", str(tmp_path / "epidemic.png")])
    assert 3.5 < result["beta"] / result["gamma"] < 4.2
    assert result["after"] < 0.02 * result["before"]
    assert (tmp_path / "epidemic.png").exists()


def test_deblurring_gains_decibels(tmp_path):
    deblur = importlib.import_module("deblur")
    result = deblur.main(["--stride", "6", "--iterations", "60", "--picture", str(tmp_path / "deblurred.png")])
    assert result["after"] > result["before"] + 2.0
    assert (tmp_path / "deblurred.png").exists()


def test_gradient_is_drawn_over_the_terrain(tmp_path):
    terrain = importlib.import_module("terrain")
    z, _, _ = terrain.load_terrain(stride=8)
    np.savez(tmp_path / "gradients.npz", k=np.sin(z))
    command = [EXAMPLES / "plot_gradient.py", tmp_path / "gradients.npz", "--name", "k", "--out", tmp_path / "k.png"]
    subprocess.run([sys.executable, *map(str, command)], check=True, capture_output=True)
    assert (tmp_path / "k.png").stat().st_size > 10_000
