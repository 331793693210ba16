"""The C++ compiler, cmake and ninja: where they are, how they are called, what their failures mean to a user."""

from __future__ import annotations

import contextlib
import copy
import os
import platform
import shutil
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import dace
from dace.codegen import command_db, compiler_family
from dace.codegen import compiler as dace_compiler
from dace.codegen.exceptions import CompilationError, CompilerConfigurationError

from daad.errors import CompileError
from daad.runtime.children import children
from daad.runtime.complaint import explained
from daad.runtime.forks import fresh_rlock
from daad.runtime.places import require_room, user_name

# GCC makes one call of a sine and a cosine of the same argument, as adjoints have them, which it cannot vectorise.
APART = " ".join(f"-fno-builtin-{name}" for name in ("sin", "cos", "sinf", "cosf"))
# As DaCe's own, but -0.0 and division keep their meaning, and a value has the same bits wherever it is computed: a
# product that is stored is rounded, one that is contracted with a sum is not.
FLAGS = f"-march=native -ffp-contract=off -fno-math-errno -fno-trapping-math -Wno-unknown-pragmas {APART}"
SETTINGS = {
    ("compiler", "cpu", "args"): FLAGS,
    ("compiler", "cpu", "libs"): "",
    ("compiler", "build_type"): "Release",
    ("compiler", "build_folder_mode"): "development",
    ("compiler", "use_cache"): False,
    ("compiler", "format_code"): False,
    ("compiler", "codegen_lineinfo"): False,
    ("compiler", "build_jobs"): 2,
    ("testing", "serialization"): False,
    ("debugprint",): False,
}
DEFAULTS = {"default", f"default_{platform.system()}"}
# What would change the code behind daad's back, or the language of the compiler's messages.
ENVIRONMENT: dict[str, str | None] = {
    **dict.fromkeys(("CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "CMAKE_GENERATOR", "CMAKE_TOOLCHAIN_FILE")),
    **dict.fromkeys(("CMAKE_BUILD_TYPE", "DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES", "LANGUAGE")),
    "LC_ALL": "C",
}
FAILURES = (CompilationError, CompilerConfigurationError)
START_PROCESSES = (dace_compiler, command_db, compiler_family)
_one_build = fresh_rlock()  # DaCe's configuration and the environment belong to the whole process


@contextlib.contextmanager
def toolchain(build_cache: str) -> Iterator[None]:
    """DaCe set up for one build, whatever its configuration says; everything is as before afterwards."""
    with _one_build, dace.config.temporary_config(), _environment(build_cache):
        name = compiler()
        _set_defaults(dace.Config.get_metadata()["required"])
        for path, value in SETTINGS.items():
            dace.Config.set(*path, value=value)
        dace.Config.set("compiler", "cpu", "executable", value=name)
        _require_compiler(name)
        try:
            with children(START_PROCESSES, ENVIRONMENT):
                yield
        except FAILURES as error:
            raise explained(str(error), name) from None


def _set_defaults(schema: Mapping[str, Any], path: tuple[str, ...] = ()) -> None:
    for name, entry in schema.items():
        if entry["type"] == "dict":
            _set_defaults(entry["required"], (*path, name))
        else:
            default = dace.Config.get_default(*path, name) if set(entry) & DEFAULTS else []
            dace.Config.set(*path, name, value=copy.copy(default))


@contextlib.contextmanager
def _environment(build_cache: str) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in ("PATH", "DACE_BUILD_CACHE_DIR", "LOGNAME")}
    os.environ["PATH"] = os.pathsep.join([*_tool_folders(), before["PATH"] or os.defpath])
    os.environ["DACE_BUILD_CACHE_DIR"] = before["DACE_BUILD_CACHE_DIR"] or build_cache
    os.environ["LOGNAME"] = user_name()
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def compile_folder(work: Path, name: str) -> Path:
    """The library of a folder with generated code.

    The last chance is without what DaCe keeps between builds, which may be damaged.
    """
    try:
        return _compiled(work, name)
    except FAILURES as error:
        first = error
    require_room(work)
    if isinstance(first, CompilerConfigurationError):
        raise first  # DaCe has tried again without what it keeps
    try:
        return _without_build_cache(work, name)
    except FAILURES:
        raise first from None


def _compiled(work: Path, name: str) -> Path:
    return Path(dace_compiler.configure_and_compile(str(work), name))


def _without_build_cache(work: Path, name: str) -> Path:
    """What serves where the build cache does not is the proof that it is damaged: it goes."""
    kept, os.environ["DACE_BUILD_CACHE_DIR"] = dace_compiler.build_cache_root(), str(work / "cache")
    shutil.rmtree(work / "build", ignore_errors=True)
    library = _compiled(work, name)
    shutil.rmtree(kept, ignore_errors=True)
    return library


def compiler() -> str:
    """The C++ compiler's name: DaCe's setting, the variable CXX, or c++."""
    return dace.Config.get("compiler", "cpu", "executable") or os.environ.get("CXX") or "c++"


def _require_compiler(name: str) -> None:
    if shutil.which(name) is None:
        raise CompileError(
            f"The C++ compiler '{name}' was not found.",
            hint="Install one (on Debian and Ubuntu: apt install g++), or name another in the variable CXX.",
        )
    for tool, replacement in (("cmake", "cmake"), ("ninja", "make")):
        if shutil.which(tool) is None and shutil.which(replacement) is None:
            raise CompileError(f"The build tool '{tool}' was not found.", hint=f"Install it: pip install {tool}")


def _tool_folders() -> list[str]:
    """Where the packages from PyPI keep their programs; elsewhere, those in PATH serve."""
    places = (("cmake", "CMAKE_BIN_DIR"), ("ninja", "BIN_DIR"))
    return [getattr(import_module(package), name) for package, name in places if find_spec(package)]
