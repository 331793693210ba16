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


@dataclass(frozen=True)
class Package:
    """Public modules by the names that programs use, folders of tests, and what is left out of both."""

    modules: Mapping[str, ModuleType]
    folders: tuple[Path, ...]
    left_out: tuple[str, ...]
    not_replayed: tuple[str, ...]


NUMPY = Package(
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
PACKAGES = {"numpy": NUMPY}
MODULES = {name: module for package in PACKAGES.values() for name, module in package.modules.items()}
NOT_REPLAYED = tuple(name for package in PACKAGES.values() for name in package.not_replayed)
