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
ALWAYS = ("-fno-exceptions", "-fPIC", "-fopenmp-simd", "-pthread", "-w")
FLAGS = ("-std=c++20", "-O3", "-march=native", *EXACT, *APART, *ALWAYS)
# Reading the library of C++, which generated code does not use, is most of what a linker does.
LEAN = ("-nodefaultlibs", "-lm", "-lpthread", "-lgcc", "-lc")
# What would have the compiler write other files, or change the language of its messages.
ENVIRONMENT: dict[str, str | None] = {
    **dict.fromkeys(("DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES", "LANGUAGE")),
    "LC_ALL": "C",
}


def compile_library(sources: Sequence[Path], library: Path, environments: Sequence[Any]) -> None:
    """Compiles files at the same time and links them; `environments` say what else they need, in DaCe's words."""
    includes = [f"-I{folder}" for folder in _each(environments, "cmake_includes")]
    libraries = [*_each(environments, "cmake_link_flags"), *_each(environments, "cmake_libraries")]
    flags, lean = (FLAGS + FEW_COPIES + IN_ORDER, LEAN) if _is_gcc(compiler()) else (FLAGS, ())
    call = [compiler(), *flags, *includes]
    parts = sources
    if len(sources) > 1:
        parts = [source.with_suffix(".o") for source in sources]
        pairs = zip(sources, parts, strict=True)
        _run([[*call, "-c", str(source), "-o", str(part)] for source, part in pairs], sources, parts)
    link = [*call, "-shared", *map(str, parts), "-o", str(library), *libraries, *lean]
    _run([link], sources[:1], [library])


def _run(commands: Sequence[Sequence[str]], sources: Sequence[Path], made: Sequence[Path]) -> None:
    """Raises what the first command says that has not made its file."""
    folder = sources[0].parent
    ended = run(commands, folder, {**ENVIRONMENT, "TMPDIR": str(folder)})
    for command, source, path, (status, output) in zip(commands, sources, made, ended, strict=True):
        if status or not path.exists():
            require_room(folder)
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
