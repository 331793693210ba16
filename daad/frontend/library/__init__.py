"""Functions of NumPy and SciPy that are written here as NumPy programs, and read in place like the user's own.

A row's program has the signature and the results of the function that it stands for; its derivative is that of the
program. What NumPy refuses because of values (a singular matrix) gives infinity or NaN.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from functools import lru_cache
from operator import attrgetter
from types import ModuleType
from typing import Any

from daad.frontend.library import (
    array_api,
    counting,
    covariances,
    digits,
    distances,
    factor_updates,
    fitting,
    image_kernels,
    image_regions,
    integrals,
    iterating,
    linear,
    order_sequences,
    polynomials,
    rotations,
    samples,
    special,
    special_functions,
    transforms,
)
from daad.frontend.library.flows import initial_values, stepping
from daad.frontend.library.ordering import assertions, heaps, quantiles, sorting
from daad.frontend.library.processing import filters, image_functions, peaks, signals, systems
from daad.frontend.library.running import pools, progress_bars
from daad.frontend.library.solvers import (
    factors,
    fitted_splines,
    harmonics,
    hulls,
    linear_programs,
    matrix_equations,
    minima,
    piecewise,
    quadrature,
    roots,
    sampling,
    scattered,
    sparse_construction,
    sparse_systems,
    sparse_values,
    spline_functions,
    squares,
    structured,
)
from daad.frontend.library.spectral import eigen, general_eigen, generalised, singular
from daad.frontend.library.statistics import binned, rank_statistics

HOME = os.path.dirname(os.path.abspath(__file__)) + os.sep
PROGRAMS: Mapping[str, Mapping[str, Callable[..., Any]]] = {
    "heapq": heaps.HEAPQ,
    "itertools": iterating.ITERTOOLS,
    "cmath": digits.CMATH,
    "math": digits.MATH,
    "operator": iterating.OPERATORS,
    "numpy": {
        **digits.NUMPY,
        **sorting.NUMPY,
        **quantiles.NUMPY,
        **fitting.NUMPY,
        **counting.NUMPY,
        **polynomials.NUMPY,
    },
    "numpy.linalg": {**linear.NUMPY, **fitting.LINALG, **eigen.LINALG, **general_eigen.LINALG, **singular.LINALG},
    "numpy.testing": assertions.TESTING,
    "numpy.linalg._umath_linalg": array_api.GUFUNCS,
    "numpy.polynomial.polyutils": polynomials.POLYUTILS,
    "scipy._lib._array_api": array_api.PROMOTED,
    "scipy._lib.array_api_compat.numpy": array_api.COMPAT,
    "scipy._lib.array_api_extra": {**array_api.EXTRA, **rank_statistics.EXTRA},
    "scipy._external.array_api_compat.numpy": array_api.COMPAT,
    "scipy._external.array_api_extra": {**array_api.EXTRA, **rank_statistics.EXTRA},
    "scipy.stats._distn_infrastructure": array_api.DISTRIBUTIONS,
    "scipy.stats._stats_py": rank_statistics.STATS,
    "scipy.stats._morestats": rank_statistics.MORE,
    "scipy.stats._stats_mstats_common": rank_statistics.LINES,
    "scipy.stats._correlation": rank_statistics.LINES,
    "scipy.stats._binned_statistic": binned.BINNED,
    "scipy.stats._ksstats": rank_statistics.KOLMOGOROV,
    "scipy.cluster._hierarchy": rank_statistics.CLUSTERS,
    "scipy.cluster.hierarchy._hierarchy": rank_statistics.CLUSTERS,
    "scipy.stats._multivariate": covariances.STATS,
    "scipy.stats._kde": covariances.KERNELS,
    "scipy.fft": transforms.SCIPY,
    "scipy.fftpack": transforms.FFTPACK,
    "scipy.integrate": {**integrals.SCIPY, **quadrature.QUADRATURE, **initial_values.TRAJECTORIES, **stepping.STEPPING},
    "scipy.interpolate": {
        **piecewise.INTERPOLATION,
        **spline_functions.SPLINES,
        **fitted_splines.FITTED,
        **scattered.SCATTERED,
    },
    "scipy.interpolate._rbfinterp_np": scattered.RADIAL,
    "scipy.spatial": {**scattered.TREES, "ConvexHull": hulls.convex_hull},
    "scipy.interpolate._dierckx": spline_functions.KERNELS,
    "scipy.interpolate._ppoly": piecewise.KERNELS,
    "scipy.linalg.lapack": factors.LAPACK,
    "scipy.linalg": {
        **linear.SCIPY,
        **fitting.SCIPY,
        **eigen.SCIPY,
        **generalised.SCIPY,
        **general_eigen.SCIPY,
        **singular.SCIPY,
        **structured.STRUCTURED,
        **matrix_equations.EQUATIONS,
        **factors.FACTORS,
        **factor_updates.SCIPY,
    },
    "scipy.ndimage": {**sampling.SAMPLING, **image_regions.REGIONS, **image_kernels.RANKS, **image_functions.FUNCTIONS},
    "scipy.ndimage._nd_image": image_kernels.KERNELS,
    "scipy.ndimage._rank_filter_1d": image_kernels.LINES,
    "scipy.optimize": {**roots.ROOTS, **minima.MINIMA, **squares.SQUARES, **linear_programs.PROGRAMS},
    "scipy.cluster.hierarchy": distances.HIERARCHY,
    "scipy.cluster.vq": distances.QUANTIZATION,
    "scipy.signal._peak_finding": peaks.ARGUMENTS,
    "scipy.signal._peak_finding_utils": peaks.PEAKS,
    "scipy.signal._ltisys": systems.SYSTEMS,
    "scipy.signal._spline": filters.SPLINES,
    "scipy.signal": {**filters.SIGNAL, **signals.SIGNAL, **systems.SYSTEMS},
    "scipy.spatial.distance": distances.DISTANCE,
    "scipy.spatial.transform._rotation_cy": rotations.ROTATIONS,
    "scipy.spatial.transform._rigid_transform_cy": rotations.RIGID_TRANSFORMS,
    "scipy.special._ufuncs": special_functions.UFUNCS,
    "scipy.sparse": sparse_construction.CONSTRUCTION,
    "scipy.sparse.linalg": {**sparse_systems.SYSTEMS, **sparse_values.VALUES},
    "scipy.special": {
        **special.SCIPY,
        **special_functions.FUNCTIONS,
        **harmonics.HARMONICS,
        **order_sequences.SPECIAL,
    },
    "statistics": samples.PYTHON,
    "concurrent.futures.thread": pools.THREADS,
    "concurrent.futures.process": pools.PROCESSES,
    "concurrent.futures._base": pools.WAITING,
    "multiprocessing": pools.POOLS,
    "multiprocessing.pool": pools.THREAD_POOLS,
    "joblib.parallel": pools.JOBLIB,
    "threading": pools.STARTED,
    **dict.fromkeys(
        ("tqdm.std", "tqdm.auto", "tqdm.autonotebook", "tqdm.notebook", "tqdm.asyncio"), progress_bars.TQDM
    ),
    "rich.progress": progress_bars.RICH,
}
"""The programs by the modules and names of what they stand for."""
_OF_COMPLEX: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("numpy.linalg", ("eig", "eigvals", "solve", "inv", "det", "slogdet", "norm", "matrix_norm", "cholesky", "qr")),
    ("numpy.linalg", ("pinv", "lstsq", "eigh", "eigvalsh", "svdvals", "svd", "cond", "matrix_rank", "matrix_power")),
    ("numpy.linalg._umath_linalg", ("solve", "solve1")),
    ("numpy.polynomial.polyutils", ("trimseq", "mapdomain")),
    ("operator", tuple(iterating.OPERATORS)),
    ("cmath", tuple(digits.CMATH)),
    ("numpy", ("trim_zeros", "sort", "argsort")),
    ("scipy._lib._array_api", ("xp_promote",)),
    ("scipy._lib.array_api_extra", ("at", "apply_where")),
    ("scipy.linalg", ("eig", "eigvals", "inv", "det", "norm", "solve", "cholesky", "cho_factor", "cho_solve", "expm")),
    ("scipy.linalg", ("solve_triangular", "lu", "lu_factor", "lu_solve", "qr", "pinv", "lstsq", "eigh", "eigvalsh")),
    ("scipy.linalg", ("svdvals", "svd", "toeplitz", "circulant", "block_diag", "logm", "fractional_matrix_power")),
    ("scipy.linalg", ("cosm", "sinm", "solve_sylvester", "solve_continuous_lyapunov", "solve_lyapunov")),
    ("scipy.linalg", ("qr_multiply", "solve_discrete_lyapunov", "hessenberg", "sqrtm", "rq", "polar")),
    ("scipy.integrate", ("trapezoid", "cumulative_trapezoid", "simpson", "solve_ivp")),
    ("scipy.sparse", tuple(sparse_construction.CONSTRUCTION)),
    ("scipy.sparse.linalg", ("spsolve", "splu", "factorized", "inv", "norm", "expm_multiply")),
    ("scipy.sparse.linalg", sparse_systems.SEARCHES),
    ("scipy.special._ufuncs", special_functions.COMPLEX),
    ("scipy.special", ("logsumexp",)),
    ("scipy.fft", transforms.COMPLEX),
    ("scipy.signal._spline", tuple(filters.SPLINES)),
    ("scipy.signal", ("convolve", "correlate", "convolve2d", "correlate2d", "fftconvolve")),
    ("scipy.signal", ("lfilter", "lfilter_zi", "sosfilt", "upfirdn")),
    ("scipy.ndimage", ("fourier_gaussian", "fourier_uniform", "fourier_shift", "fourier_ellipsoid")),
    ("scipy.ndimage", ("map_coordinates", "shift", "zoom", "affine_transform", "rotate")),
    ("scipy.fftpack", ("fft", "ifft", "fft2", "ifft2", "fftn", "ifftn")),
)
ALWAYS: Mapping[Any, type] = {**pools.MADE, **progress_bars.MADE}
"""Programs that stand for what they stand for with any arguments, and the classes of what they give."""
COMPLEX = frozenset(PROGRAMS[module][name] for module, names in _OF_COMPLEX for name in names).union(
    ALWAYS, (sorting.sort_in_place,)
)
"""The programs that are right for complex numbers, too."""
TRUSTING = (
    "_operator",
    *("scipy.ndimage._nd_image", "scipy.ndimage._rank_filter_1d", "scipy.signal._peak_finding_utils"),
    *("scipy.interpolate._dierckx", "scipy.interpolate._ppoly", "scipy.cluster._hierarchy"),
    "scipy.cluster.hierarchy._hierarchy",
    *("scipy.spatial.transform._rotation_cy", "scipy.spatial.transform._rigid_transform_cy"),
)
"""Modules in C that check no arguments: they are not asked what they say of these."""
METHODS = sorting.METHODS
"""Those of methods of arrays: the array is the first argument."""


def programs() -> Mapping[Any, Callable[..., Any]]:
    """The programs by the functions of NumPy and SciPy that they stand for; SciPy need not be there."""
    return _programs(len(sys.modules))


@lru_cache(maxsize=1)
def _programs(_: int) -> Mapping[Any, Callable[..., Any]]:
    """Those of the modules that are there; more of them when their number is another one."""
    return _rows(tuple(sys.modules.get(name) for name in PROGRAMS))


@lru_cache(maxsize=8)
def _rows(modules: tuple[ModuleType | None, ...]) -> dict[Any, Callable[..., Any]]:
    return {
        attrgetter(name)(module): program
        for module, rows in zip(modules, PROGRAMS.values(), strict=True)
        for name, program in rows.items()
        if hasattr(module, name.partition(".")[0])
    }


def is_own(file: str) -> bool:
    """Whether a source file holds programs of this package: what they do is shown where the user calls them."""
    return file.startswith(HOME)
