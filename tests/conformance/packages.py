"""Whose tests are replayed, and what of their public functions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import numpy as np
import numpy.lib.array_utils
import numpy.lib.scimath
import numpy.lib.stride_tricks
import numpy.polynomial as polynomial
import scipy.cluster.hierarchy
import scipy.cluster.vq
import scipy.fft
import scipy.integrate
import scipy.interpolate
import scipy.linalg
import scipy.ndimage
import scipy.optimize
import scipy.signal
import scipy.sparse
import scipy.spatial.distance
import scipy.special
import scipy.stats


@dataclass(frozen=True)
class Package:
    """Public modules by the names that programs use, folders of tests, and what is left out of both; `page` is written
    by `command`, of the functions whose names start with `prefix`."""

    title: str
    command: str
    page: Path
    prefix: str
    modules: Mapping[str, ModuleType]
    folders: tuple[Path, ...]
    left_out: tuple[str, ...]
    not_replayed: tuple[str, ...]


NUMPY = Package(
    title="NumPy",
    command="make conformance",
    page=Path("docs/conformance.md"),
    prefix="",
    modules={
        "np": np,
        "np.linalg": np.linalg,
        "np.fft": np.fft,
        "np.lib.stride_tricks": np.lib.stride_tricks,
        "np.lib.scimath": np.lib.scimath,
        "np.lib.array_utils": np.lib.array_utils,
        "np.polynomial.polynomial": polynomial.polynomial,
        "np.polynomial.chebyshev": polynomial.chebyshev,
        "np.polynomial.legendre": polynomial.legendre,
        "np.polynomial.laguerre": polynomial.laguerre,
        "np.polynomial.hermite": polynomial.hermite,
        "np.polynomial.hermite_e": polynomial.hermite_e,
        "np.polynomial.polyutils": polynomial.polyutils,
    },
    folders=tuple(
        Path(np.__file__).parent / name / "tests" for name in ("lib", "_core", "linalg", "fft", "polynomial")
    ),
    left_out=(
        *("test_mem_overlap", "test_mem_policy", "test_memmap", "test_multithreading", "test_multiprocessing"),
        *("test_cython", "test_limited_api", "test_simd", "test_array_interface", "test_io", "test_format"),
        *("test_stringdtype", "test_strings", "test_unicode", "test_datetime", "test_records", "test_loadtxt"),
    ),
    not_replayed=(
        *("np.empty", "np.empty_like", "ndarray.resize", "ndarray.dump", "ndarray.dumps", "ndarray.tofile"),
        *(
            "ndarray.tobytes",
            "ndarray.view",
            "ndarray.setflags",
            "ndarray.byteswap",
            "np.save",
            "np.savez",
            "np.savetxt",
        ),
        *("np.array2string", "np.array_repr", "np.array_str", "np.may_share_memory", "np.shares_memory"),
        *("np.partition", "np.argpartition", "ndarray.partition", "ndarray.argpartition"),  # in an order that is open
        *("np.savez_compressed", "np.frombuffer", "np.fromfile", "np.from_dlpack", "ndarray.__dlpack__"),
    ),
)
SCIPY = Package(
    title="SciPy",
    command="python -m tests.conformance --package scipy",
    page=Path("docs/conformance_scipy.md"),
    prefix="scipy.",
    modules={
        "scipy.special": scipy.special,
        "scipy.linalg": scipy.linalg,
        "scipy.fft": scipy.fft,
        "scipy.integrate": scipy.integrate,
        "scipy.interpolate": scipy.interpolate,
        "scipy.ndimage": scipy.ndimage,
        "scipy.optimize": scipy.optimize,
        "scipy.signal": scipy.signal,
        "scipy.signal.windows": scipy.signal.windows,
        "scipy.stats": scipy.stats,
        "scipy.spatial.distance": scipy.spatial.distance,
        "scipy.cluster.hierarchy": scipy.cluster.hierarchy,
        "scipy.cluster.vq": scipy.cluster.vq,
    },
    folders=tuple(
        Path(scipy.__file__).parent / name / "tests"
        for name in (
            *("special", "linalg", "fft", "integrate", "interpolate", "ndimage", "optimize", "signal", "stats"),
            *("spatial", "cluster"),
        )
    ),
    left_out=(
        *(
            "test_blas",
            "test_lapack",
            "test_cython_blas",
            "test_cython_lapack",
            "test_extending",
            "test_multithreading",
        ),
        *("test_precompute_expn_asy", "test_precompute_gammainc", "test_precompute_utils", "test_mpmath", "test_data"),
        *("test_linprog", "test_milp", "test_cython_special", "test_qmc", "test_sampling", "test_datatypes"),
        *("test_kdtree", "test_qhull", "test_continuous", "test_axis_nan_policy", "test_fit"),
    ),
    not_replayed=("scipy.special.seterr", "scipy.special.geterr", "scipy.special.errstate"),
)
PACKAGES = {"numpy": NUMPY, "scipy": SCIPY}
MODULES = {name: module for package in PACKAGES.values() for name, module in package.modules.items()}
NOT_REPLAYED = tuple(name for package in PACKAGES.values() for name in package.not_replayed)
