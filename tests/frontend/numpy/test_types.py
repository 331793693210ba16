"""Of what type numbers are: Python's, NumPy's, or arrays without axes, as `isinstance` says of NumPy's own results."""

from __future__ import annotations

import linecache
import math
import statistics
from typing import Any

import numpy as np
import pytest
from scipy import interpolate, linalg, optimize, spatial, stats

from tests.frontend.numpy.expressions import interpreted, rows
from tests.frontend.python.running import assert_same_as_numpy

X = np.array([0.3, 0.7, 0.2])
CLASSES = (bool, np.bool_, int, np.integer, float, np.floating, np.ndarray, complex, np.complexfloating)
FLOATS = """
    x[0]; +x[0]; x[0] ** 2; x[0] // 1; x[0] % 1; 2 * x[0]; abs(x[0]); pow(x[0], 2); divmod(x[0], 1)[0];
    x.mean(); x.max(); max(x); max(x[0], x[1]); min([x[0], x[1]]); sum(x);
    sum(x.tolist()); x.tolist()[0]; list(x)[0]; [*x][0]; x.flat[0];
    next(iter(x)); x.item(0); x @ x; float(x[0]); float(x[0]) // 1; float(x[0]) ** 0.5; np.pi * float(x[0]);
    round(x[0], 1); round(float(x[0])); sorted(x)[0]; sorted(x.tolist())[0]; math.sqrt(x[0]); math.fsum(x);
    math.hypot(*x); math.floor(x[0]); statistics.mean(list(x)); np.sum(x); np.max(x); np.round(x[0]); np.abs(x[0]);
    np.power(x[0], 2); np.dot(x, x); np.linalg.norm(x); np.sqrt(float(x[0])); np.sum([float(x[0])]); np.median(x);
    np.interp(0.1, x, x); np.trapezoid(x); np.percentile(x, 50); np.cumsum(x)[0]; np.average(x);
    np.average(x, weights=x); np.vdot(x, x); np.inner(x, x); np.trace(np.outer(x, x)); np.polyval([1, 2], x[0]);
    np.linalg.det(np.eye(3) * x[0]); np.linalg.slogdet(np.eye(3) * x[0])[1]; np.polyval([1, 2], float(x[0]));
    np.hypot(x[0], 1); np.sinc(x[0]); np.heaviside(x[0], 1); np.ptp(x); np.var(x); np.nansum(x); np.nanmax(x);
    np.quantile(x, 0.5); np.real(x[0]); np.angle(x[0]); np.clip(x[0], 0, 1); np.fix(x[0]); np.nan_to_num(x[0]);
    np.diff(x)[0]; np.sign(x[0]); np.einsum("i->", x); np.einsum("i,i", x, x); np.take(x, 0); np.sort(x)[0];
    np.choose(0, [x[0], x[1]]); np.flip(x[0]);
    np.flip(np.array(x[0])); np.nan_to_num(np.array(x[0]), copy=False); np.imag(float(x[0])); np.flip(float(x[0]));
    np.corrcoef(x, x * x)[0, 1]; np.min(x[:1]);
    """
ARRAYS = """
    np.where(x[0] > 0, x[0], 1.0); np.select([x[0] > 0], [x[0]]); np.squeeze(x[:1]); x[:1].reshape(()); x[..., 0];
    np.asarray(x[0]); np.tensordot(x, x, 1); np.zeros(()) + x[0]; np.full((), x[0]); np.copy(x[0]); np.roll(x[0], 1);
    np.ones_like(x[0]); np.array(x[0])[...]; np.array(x[0])[()]; np.real(np.array(x[0])); np.array(x[0]).astype(float);
    np.apply_along_axis(np.sum, 0, x);
    np.nanmedian(x, out=np.zeros(())); np.nanmedian(x); np.i0(x[0]); np.isin(x[0], x); x[0].__array__();
    np.add(x[0], 1.0, out=np.zeros(()));
    """
TRUTHS = """
    x[0] > 1; x[0] == x[1]; not x[0] > 1; x[0] < x[1] < x[2]; x[0] > 1 or x[1] > 2; x[0] in [1.0, 2.0]; x[0] is x[1];
    bool(x[0] > 1); float(x[0]) > 1; (x > 1).any(); any(x > 1); all(x > 0); any([x[0] > 1]); np.all(x > 0);
    np.array_equal(x, x * 2); np.allclose(x, x * 2); np.isnan(x[0]); math.isnan(x[0]); np.logical_and(x[0] > 1, True);
    (x[0] > 1) & (x[1] > 1); True and x[0] > 1; True if x[0] > 1 else False; [x[0], 2.0] == [x[0], 3.0];
    """
INTEGERS = """
    int(x[0]); int(x[0]) + 1; int(x[0]) * x[1]; int(x[0]) / 2; int(x[0]) ** 2; -int(x[0]); max(int(x[0]), 3); len(x);
    np.int64(x[0]); (x > 0.5).sum(); sum(x > 0.5); len(x[x > 0.5]); np.count_nonzero(x > 0.5); np.argmax(x); x.argmax();
    sum(x[:0]); x.argsort()[0]; np.searchsorted(x, 0.3); np.size(x); x.shape[0]; np.prod(x.shape);
    """
SCIPY = """
    optimize.root_scalar(lambda v: v**3 - x[0], x0=0.5, x1=0.6, method='secant').root;
    optimize.root_scalar(lambda v: v**3 - x[0], (), 'bisect', [0, 3]).root;
    optimize.toms748(lambda v: v**3 - x[0], 0.1, 3.0); optimize.brentq(lambda v: v**3 - x[0], 0.1, 3.0);
    optimize.root_scalar(lambda v: v**3 - x[0], (), 'toms748', [0, 3]).root;
    optimize.root_scalar(lambda v: v**3 - x[0], x0=0.5, fprime=lambda v: 3 * v**2).root;
    spatial.distance.directed_hausdorff(x[:, None], x[:, None] ** 2)[0];
    spatial.distance.directed_hausdorff(x[:, None], x[:, None] ** 2)[1];
    stats.kendalltau(x, x * x)[0]; stats.ks_2samp(x, x * x).pvalue; linalg.pinv(np.outer(x, x), return_rank=True)[1];
    linalg.bandwidth(np.outer(x, x))[0]; np.linalg.matrix_rank(x); np.linalg.matrix_rank(np.outer(x, x));
    interpolate.UnivariateSpline(np.arange(3.0), x, k=1, s=0.01).integral(0.0, 1.5);
    spatial.ConvexHull(np.stack((x, x * x), axis=1)).volume; spatial.ConvexHull(np.stack((x, x * x), axis=1)).area;
    """
COMPLEX = "x[0] + 1j; (x[0] + 1j).real; (float(x[0]) + 1j).real; abs(float(x[0]) + 1j); complex(x[0]).imag;"
COMPLEX += "np.tensordot(x * 1j, x, 1); np.asarray((x * 1j)[0]); np.where(x[0] > 0, x[0] * 1j, 1j);"


AT_BRANCHES = "spatial.transform.Rotation.align_vectors(np.eye(3) + np.outer(x, x), np.eye(3))[1]"
"""Where data decide how a value comes about."""


def types_of(row: str) -> Any:
    tests = " + ".join(f"{2.0**k} * isinstance(value, CLASSES[{k}])" for k in range(len(CLASSES)))
    source = f"def types(x):\n    value = {row}\n    return {tests}\n"
    file = f"<types of {row}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    modules = {"math": math, "statistics": statistics, "interpolate": interpolate, "linalg": linalg, "spatial": spatial}
    modules |= {"optimize": optimize, "stats": stats}
    scope: dict[str, Any] = {"np": np, **modules, "CLASSES": CLASSES}
    exec(compile(source, file, "exec"), scope)
    return scope["types"]


@pytest.mark.parametrize("row", rows(FLOATS + ARRAYS + TRUTHS + INTEGERS + COMPLEX + SCIPY))
def test_types_are_numpys(row: str) -> None:
    types = types_of(row)
    (found,) = interpreted(types, {"x": X.copy()})
    assert found == types(X.copy())


@pytest.mark.parametrize("row", rows(AT_BRANCHES))
def test_types_at_branches_are_numpys(row: str) -> None:
    assert_same_as_numpy(types_of(row), (X.copy(),))
