"""The C++ of a program for a library of its own, which needs neither Python nor daad."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from daad.codegen import Device
from daad.codegen.compiler_trust import trusted
from daad.codegen.cpp.special_calls import called
from daad.codegen.sdfg.environments import OPENBLAS, SECTION_NAMES, Environment
from daad.codegen.sdfg.whole_program import lowered
from daad.codegen.targets.frame import generate
from daad.errors import Unsupported
from daad.ir.nodes import Program
from daad.ir.operations.of_scipy import SPECIAL
from daad.ir.walk import has_choices, is_single
from daad.runtime.settings import settings
from daad.runtime.toolchain import compile_library, flags, further_flags, require_compiler

OWN_STATE = "-DDAAD_OUTSIDE=__thread"
"""What a run reports is its thread's own: libraries may be called by several threads at once."""


@dataclass(frozen=True, kw_only=True)
class Sources:
    """C++ files by name; the first one defines `__enter_<inner>`, which takes words, and `<inner>_state_t`.

    `nbytes` of scratch memory belong to a run. `blas`: the library of products that it calls, None if it calls none.
    """

    inner: str
    texts: tuple[str, ...]
    nbytes: int
    flags: tuple[str, ...]
    blas: Path | None
    blas_includes: Path | None

    def compile(self, folder: Path, files: Mapping[str, str], library: Path, symbols: Path, soname: str) -> None:
        """Compiles files that contain the texts, and links a library that shows these symbols alone."""
        require_compiler()
        paths = [folder / name for name in files]
        for path, text in zip(paths, files.values(), strict=True):
            path.write_text(text)
        own = (OWN_STATE, "-fvisibility=hidden", f"-Wl,--version-script={symbols},-soname,{soname},-z,noexecstack")
        compile_library(paths, library, [_Beside(self)], (*own, *trusted(), *self.flags))

    @property
    def headers(self) -> list[Path]:
        """What the files include."""
        return [self.blas_includes / name for name in ("cblas.h", "openblas_config.h")] if self.blas_includes else []

    @property
    def command(self) -> tuple[str, ...]:
        """The flags with which the library is compiled."""
        return (*flags(), OWN_STATE, "-fvisibility=hidden", *trusted(), *self.flags)


class _Beside(Environment):
    """The library of products in the folder of the one that needs it."""

    def __init__(self, sources: Sources) -> None:
        if sources.blas is not None:
            self.cmake_includes = [str(sources.blas_includes)]  # type: ignore[misc]
            self.cmake_libraries = [str(sources.blas)]  # type: ignore[misc]
            self.cmake_link_flags = ["-Wl,-rpath,$ORIGIN"]  # type: ignore[misc]


def sources_of(program: Program) -> Sources:
    """Generates code; refuses what only Python can compute."""
    with warnings.catch_warnings(), settings():
        warnings.simplefilter("ignore")
        made = lowered(program, Device.CPU)
        generated = generate(made)
    needs = {e.full_class_path(): e for e in generated.environments}
    if SECTION_NAMES["python"] in needs:
        raise Unsupported(
            "The program calls Python, which a library for C cannot.",
            hint="Write opaque functions in NumPy, and sort with kind='stable', so that daad compiles them.",
        )
    special = called(generated.texts)
    if special:
        name = SPECIAL[special[0]].function.ufunc.lstrip("_")
        raise Unsupported(
            f"The program calls 'scipy.special.{name}', of which SciPy alone has the code.",
            hint="Write it in NumPy, or use the gradient in Python, by 'as_jax' or 'as_torch'.",
        )
    blas: Any = needs.get(OPENBLAS)
    return Sources(
        inner=made.sdfg.name,
        texts=tuple(generated.texts),
        nbytes=made.nbytes,
        flags=further_flags(with_floats=is_single(made.program), with_choices=has_choices(made.program)),
        blas=Path(blas.cmake_libraries[0]) if blas else None,
        blas_includes=Path(blas.cmake_includes[0]) if blas else None,
    )


def copy_beside(library: Path, folder: Path) -> None:
    """Puts a file that another one needs into its folder."""
    shutil.copyfile(library, folder / library.name)
    (folder / library.name).chmod(0o755 if ".so" in library.name else 0o644)
