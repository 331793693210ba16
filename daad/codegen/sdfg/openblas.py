"""OpenBLAS from the package scipy-openblas32, whose symbols start with `scipy_`: no system BLAS is needed."""

from __future__ import annotations

import os
from typing import Any, ClassVar

import dace.library
import scipy_openblas32


@dace.library.environment
class OpenBLAS:
    """What cmake must know."""

    cmake_minimum_version = None
    cmake_packages: ClassVar[list[str]] = []
    cmake_variables: ClassVar[dict[str, str]] = {}
    cmake_includes: ClassVar[list[str]] = [scipy_openblas32.get_include_dir()]
    cmake_libraries: ClassVar[list[str]] = [
        os.path.join(scipy_openblas32.get_lib_dir(), scipy_openblas32.get_library(fullname=True))
    ]
    cmake_compile_flags: ClassVar[list[str]] = []
    cmake_link_flags: ClassVar[list[str]] = [f"-Wl,-rpath,{scipy_openblas32.get_lib_dir()}"]
    cmake_files: ClassVar[list[str]] = []
    headers: ClassVar[dict[str, list[str]]] = {"frame": ["cblas.h"]}
    state_fields: ClassVar[list[str]] = []
    init_code = "scipy_openblas_set_num_threads(1);"  # daad's threads call it, and its own only stand in their way
    finalize_code = ""
    dependencies: ClassVar[list[Any]] = []


OPENBLAS_PATH = f"{OpenBLAS.__module__}.{OpenBLAS.__qualname__}"  # how tasklets name it
