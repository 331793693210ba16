"""From a Program to a folder with the compiled library: the only part of the runtime that needs DaCe."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import dace
from dace.codegen import codegen
from dace.codegen import compiler as dace_compiler

from daad.lower import Device, lower
from daad.lower.names import name_everything
from daad.lower.program import prepare
from daad.program.nodes import Program
from daad.runtime.library import LIBRARY, MANIFEST, SDFG, Manifest, checksum
from daad.runtime.memory import footprint
from daad.runtime.toolchain import compile_folder, toolchain


def build(program: Program, device: Device, folder: Path, build_cache: str, key: str) -> Any:
    """Fills `folder` with library, manifest and SDFG; returns the SDFG. Intermediate files go to `folder/work`."""
    with toolchain(build_cache):
        sdfg = lower(program, device)
        work = folder / "work"
        sdfg.build_folder = str(work)
        objects = codegen.generate_code(sdfg, validate=False)
        dace_compiler.generate_program_folder(sdfg, objects, str(work))
        library = compile_folder(work, sdfg.name)
    shutil.copyfile(library, folder / LIBRARY)
    shutil.copyfile(work / SDFG, folder / SDFG)
    shutil.rmtree(work)
    checksums = {name: checksum(folder / name) for name in (LIBRARY, SDFG)}
    (folder / MANIFEST).write_text(_manifest(prepare(program), sdfg, checksums).dump(key))
    return sdfg


def load_sdfg(folder: Path) -> Any:
    """The SDFG of a folder that `build` has filled."""
    return dace.SDFG.from_file(str(folder / SDFG))


def argument_names(program: Program) -> tuple[str, ...]:
    """The arrays that a call takes, in order: parameters, then results that are none."""
    return tuple(dict.fromkeys((*program.parameters, *program.results)))


def _manifest(program: Program, sdfg: Any, checksums: Mapping[str, str]) -> Manifest:
    names = name_everything(program)
    arrays = argument_names(program)
    positions = {names[name]: position for position, name in enumerate((*arrays, *program.integers))}
    return Manifest(
        name=sdfg.name,
        arrays=len(arrays),
        integers=len(program.integers),
        order=tuple(positions[name] for name in sdfg.arglist()),
        scratch_bytes=footprint(program).scratch,
        checksums=checksums,
    )
