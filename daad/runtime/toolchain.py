"""The C++ compiler: which one, how it is called, what its failures mean to a user."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import dace

from daad.errors import CompileError
from daad.runtime.children import run
from daad.runtime.complaint import explained
from daad.runtime.places import require_room

# GCC makes one call of a sine and a cosine of the same argument, as adjoints have them, which it cannot vectorise.
APART = tuple(f"-fno-builtin-{name}" for name in ("sin", "cos", "sinf", "cosf"))
# -0.0 and division keep their meaning, and a value has the same bits wherever it is computed: a product that is stored
# is rounded, one that is contracted with a sum is not.
EXACT = ("-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math")
# Copies of loops, for each side of a condition and for each iteration, are most of what GCC compiles in programs with
# borders, and bring nothing that could be measured.
FEW_COPIES = (
    "-fno-unswitch-loops",
    "--param=max-completely-peel-times=8",
    "--param=max-completely-peeled-insns=100",
)
# daad has chosen the order of loops: neighbours innermost. GCC would take an iteration over time innermost for each
# element of an array, or several such iterations at once, and leave what remains without vectors.
IN_ORDER = ("-fno-loop-interchange", "-fno-loop-unroll-and-jam")
ALWAYS = ("-fno-exceptions", "-fPIC", "-shared", "-fopenmp", "-w")
FLAGS = ("-std=c++20", "-O3", "-march=native", *EXACT, *APART, *ALWAYS)
# Reading the library of C++, which generated code does not use, is most of what a linker does.
LEAN = ("-nodefaultlibs", "-lm", "-lgcc", "-lc")
# What would have the compiler write other files, or change the language of its messages.
ENVIRONMENT: dict[str, str | None] = {
    **dict.fromkeys(("DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES", "LANGUAGE")),
    "LC_ALL": "C",
}


def compile_library(source: Path, library: Path, environments: Sequence[Any]) -> None:
    """Compiles and links a file; `environments` say what else it needs, in DaCe's words."""
    includes = [f"-I{folder}" for folder in _each(environments, "cmake_includes")]
    libraries = [*_each(environments, "cmake_link_flags"), *_each(environments, "cmake_libraries")]
    flags, lean = (FLAGS + FEW_COPIES + IN_ORDER, LEAN) if _is_gcc(compiler()) else (FLAGS, ())
    command = [compiler(), *flags, *includes, str(source), "-o", str(library), *libraries, *lean]
    status, output = run(command, source.parent, {**ENVIRONMENT, "TMPDIR": str(source.parent)})
    if status or not library.exists():
        require_room(source.parent)
        raise explained(output, command, source)


def _each(environments: Iterable[Any], attribute: str) -> list[str]:
    return [text for environment in environments for text in getattr(environment, attribute)]


def _is_gcc(name: str) -> bool:
    """Whether the compiler is GCC by its name; others are called in the words that all understand."""
    found = shutil.which(name)
    return found is not None and "g++" in Path(found).resolve().name.replace("clang++", "")


def compiler() -> str:
    """The C++ compiler's name: DaCe's setting, the variable CXX, or c++."""
    return dace.Config.get("compiler", "cpu", "executable") or os.environ.get("CXX") or "c++"


def require_compiler() -> None:
    """Raises before anything is generated if there is none."""
    name = compiler()
    if shutil.which(name) is None:
        raise CompileError(
            f"The C++ compiler '{name}' was not found.",
            hint="Install one (on Debian and Ubuntu: apt install g++), or name another in the variable CXX.",
        )
