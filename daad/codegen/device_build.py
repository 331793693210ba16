"""From a Program to a folder with the library that runs it on a GPU."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from daad.ir.nodes import Program
from daad.ir.walk import written_parameters
from daad.messages.progress import stage
from daad.runtime.gpu import nvcc
from daad.runtime.gpu.cards import Card
from daad.runtime.gpu.device_library import Argument, DeviceManifest
from daad.runtime.lazy_import import later
from daad.runtime.library import LIBRARY, MANIFEST, checksum

sources: Any = later("daad.codegen.gpu.device_source")
TEXT = "program.cu"


def build_for_gpu(program: Program, targets: Sequence[int], folder: Path, key: str, card: Card | None = None) -> None:
    """Fills `folder` with library and manifest for these architectures; raises DeviceError if the `card` is too
    small."""
    has_cublas = nvcc.nvcc().cublas() is not None
    with stage("generating code") as tell:
        source = sources.generate(program, has_cublas)
        tell(f"{source.text.count(chr(10))} lines of CUDA C++")
    if card is not None:
        outer = {*program.parameters, *program.results}
        card.require_memory(source.nbytes + sum(program.arrays[name].nbytes for name in outer))
    (folder / TEXT).write_text(source.text)
    with stage("compiling with 'nvcc'"):
        nvcc.compile_for_gpu(folder / TEXT, folder / LIBRARY, targets, needs_cublas="cublas" in source.uses)
    (folder / MANIFEST).write_text(_manifest(program, source, folder).dump(key))


def _manifest(program: Program, source: Any, folder: Path) -> DeviceManifest:
    arrays = tuple(dict.fromkeys((*program.parameters, *program.results)))
    written = {*written_parameters(program), *(set(program.results) - set(program.parameters))}
    arguments = [
        Argument(("integer", program.integers.index(name)), True, False)
        if name in program.integers
        else Argument(("array", arrays.index(name)), name in program.parameters, name in written)
        for name in source.arguments
    ]
    return DeviceManifest(
        scratch_bytes=source.nbytes,
        arguments=tuple(arguments),
        checksums={LIBRARY: checksum(folder / LIBRARY)},
    )
