"""The C++ compiler, cmake and ninja: where they are, how they are called, what their failures mean to a user."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import cmake
import dace
import ninja
from dace.codegen.compiler import configure_and_compile
from dace.codegen.exceptions import CompilationError, CompilerConfigurationError

from daad.errors import CompileError
from daad.runtime.complaint import explained

# As DaCe's own, but -0.0 and division keep their meaning.
FLAGS = "-march=native -fno-math-errno -fno-trapping-math -Wno-unknown-pragmas"
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
NO_CONTRACTION = '#include <dace/dace.h>\n#pragma GCC optimize("fp-contract=off")'
_one_build = threading.RLock()  # DaCe's configuration and the environment belong to the whole process


@contextmanager
def toolchain(build_cache: str | None) -> Iterator[None]:
    """DaCe set up for one build; everything is as before afterwards."""
    with _one_build, dace.config.temporary_config(), _environment(build_cache):
        for path, value in SETTINGS.items():
            dace.Config.set(*path, value=value)
        _require_compiler()
        try:
            yield
        except (CompilationError, CompilerConfigurationError) as error:
            raise explained(str(error), compiler()) from None


@contextmanager
def _environment(build_cache: str | None) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in ("PATH", "DACE_BUILD_CACHE_DIR")}
    os.environ["PATH"] = os.pathsep.join([cmake.CMAKE_BIN_DIR, ninja.BIN_DIR, before["PATH"] or os.defpath])
    if build_cache and not before["DACE_BUILD_CACHE_DIR"]:
        os.environ["DACE_BUILD_CACHE_DIR"] = build_cache
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

    GCC 12 has an internal error on some masked products that it contracts to fused multiply-adds; it gets a second
    chance without contraction (the flag stands in the source, so that DaCe's precompiled header still fits).
    """
    try:
        return Path(configure_and_compile(str(work), name))
    except CompilationError as error:
        if "internal compiler error" not in str(error):
            raise
    source = work / "src" / "cpu" / f"{name}.cpp"
    source.write_text(f"{NO_CONTRACTION}\n{source.read_text()}")
    return Path(configure_and_compile(str(work), name))


def compiler() -> str:
    """The C++ compiler's name: DaCe's setting, the variable CXX, or c++."""
    return dace.Config.get("compiler", "cpu", "executable") or os.environ.get("CXX") or "c++"


def _require_compiler() -> None:
    name = compiler()
    if shutil.which(name) is None:
        raise CompileError(
            f"The C++ compiler '{name}' was not found.",
            hint="Install one (on Debian and Ubuntu: apt install g++), or name another in the variable CXX.",
        )
