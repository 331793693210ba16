"""What tasklets need from outside, in DaCe's words: the sections of daad's header, and OpenBLAS from the package
scipy-openblas32, whose symbols start with `scipy_`: no system BLAS is needed."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, ClassVar

import dace.library
import scipy_openblas32

from daad.codegen.cpp.header_sections import SECTIONS, USES


class Environment:
    """Nothing of what DaCe asks for; `text` is C++ that stands before what needs it."""

    cmake_minimum_version = None
    cmake_packages: ClassVar[list[str]] = []
    cmake_variables: ClassVar[dict[str, str]] = {}
    cmake_includes: ClassVar[list[str]] = []
    cmake_libraries: ClassVar[list[str]] = []
    cmake_compile_flags: ClassVar[list[str]] = []
    cmake_link_flags: ClassVar[list[str]] = []
    cmake_files: ClassVar[list[str]] = []
    headers: ClassVar[dict[str, list[str]]] = {}
    state_fields: ClassVar[list[str]] = []
    init_code = ""
    finalize_code = ""
    dependencies: ClassVar[list[Any]] = []
    text = ""


@dace.library.environment
class OpenBLAS(Environment):
    """What cmake must know."""

    cmake_includes: ClassVar[list[str]] = [scipy_openblas32.get_include_dir()]
    cmake_libraries: ClassVar[list[str]] = [
        os.path.join(scipy_openblas32.get_lib_dir(), scipy_openblas32.get_library(fullname=True))
    ]
    cmake_link_flags: ClassVar[list[str]] = [f"-Wl,-rpath,{scipy_openblas32.get_lib_dir()}"]
    headers: ClassVar[dict[str, list[str]]] = {"frame": ["cblas.h"]}
    init_code = "scipy_openblas_set_num_threads(1);"  # daad's threads call it, and its own only stand in their way


def _section(name: str) -> Any:
    fields = {"text": SECTIONS[name], "dependencies": [_OF_SECTIONS[n] for n in USES.get(name, ())]}
    return dace.library.environment(type(f"Header_{name}", (Environment,), {**fields, "__module__": __name__}))


_OF_SECTIONS: dict[str, Any] = {}
for _name in SECTIONS:
    _OF_SECTIONS[_name] = _section(_name)

OPENBLAS = f"{OpenBLAS.__module__}.{OpenBLAS.__qualname__}"
SECTION_NAMES = {name: environment.full_class_path() for name, environment in _OF_SECTIONS.items()}
"""How tasklets name a section of the header."""


def with_dependencies(names: Iterable[str]) -> list[Any]:
    """Environments, each after those that it depends on."""
    found = {e.full_class_path(): e for e in dace.library.get_environments_and_dependencies(set(names))}
    sections = [found.pop(name) for name in SECTION_NAMES.values() if name in found]
    return [*found.values(), *sections]
