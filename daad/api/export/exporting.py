"""`Gradient.export`: a folder with a library, and with all that other languages need to call it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import daad
from daad.api.call import marshalling
from daad.api.call.specialization import Specialised, specialise
from daad.api.export.c_code import c_functions, sentences
from daad.api.export.c_examples import example_files
from daad.api.export.c_header import c_header, fortran_module
from daad.api.export.c_signature import Signature, library_name, signature_of
from daad.api.export.package_files import major, package_files
from daad.api.export.python_module import python_module
from daad.api.subject import arguments as calls
from daad.api.subject import complex_views
from daad.api.subject.tangent_arguments import is_one
from daad.codegen.export_build import Sources, copy_beside, sources_of
from daad.errors import BadArgument, Unsupported
from daad.messages.progress import stage
from daad.runtime.processors import Device

if TYPE_CHECKING:
    from daad.api.gradient import Gradient
    from daad.ir.nodes import Program


@dataclass(frozen=True)
class Uncompiled:
    """Stands for what is compiled otherwise."""

    program: Program


def export(
    gradient: Gradient, directory: str | os.PathLike[str], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Path:
    """Writes the folder; what a library cannot do is refused before."""
    folder = _folder(directory)
    request, at = gradient._asked.request, gradient._subject.at
    if request.device is Device.GPU:
        raise Unsupported("Libraries are made for CPUs.", at=at, hint='Leave out device="gpu".')
    wanted = gradient._with(value=True, has_aux=False)
    bound = wanted._bound(tuple(args), kwargs)
    seed = wanted._seed(kwargs)
    found = specialise(wanted._subject, bound, wanted._request(seed), Uncompiled)  # type: ignore[arg-type]
    _require_plain(found, gradient)
    leaves = calls.leaves(bound)
    values = [value for _, value in leaves]
    values += [] if found.seeds is None else found.seeds(seed)
    program, version = gradient._subject.name, daad.__version__
    signature = signature_of(found, leaves, library_name(f"{program}_grad"))
    sources = sources_of(found.compiled.program)  # type: ignore[union-attr]
    texts = _cpp(signature, found, sources)
    files = {
        **package_files(signature.name, program, version),
        **example_files(signature),
        **{f"src/{name}": text for name, text in texts.items()},
        f"include/{signature.name}.h": c_header(signature, program, version, sentences(found)),
        f"include/{signature.name}.f90": fortran_module(signature, program),
        f"python/{signature.name}.py": python_module(signature, program, version, sources.command, is_one(request.wrt)),
    }
    try:
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
        (folder / "examples/arguments.bin").write_bytes(_arguments(signature, found, values))
        _build(folder, signature.name, sources, texts, version)
    except OSError as error:
        raise BadArgument(
            f"The folder '{directory}' cannot be written: {error.strerror}.", hint="Use another one."
        ) from None
    return folder


def _folder(directory: str | os.PathLike[str]) -> Path:
    folder = Path(directory).absolute()
    if folder.exists() and not folder.is_dir():
        raise BadArgument(f"'{directory}' is a file.", hint="Give the path of a folder.")
    if not folder.parent.is_dir():
        raise BadArgument(f"The folder of '{directory}' does not exist.", hint="Create it first.")
    return folder


def _require_plain(found: Specialised, gradient: Gradient) -> None:
    """Refuses what a call of the library could not do as a call in Python does it."""
    at = gradient._subject.at
    if found.planned.read.drawn:
        hint = "Draw them before, and make them an argument."
        raise Unsupported(
            "The program draws random numbers with NumPy, which a library for C cannot.", at=at, hint=hint
        )
    changed = next((slot.name for slot in found.slots if slot.fixed is not None and slot.written), None)
    if changed is not None:
        hint = "Make it an argument."
        raise Unsupported(f"The program changes the array '{changed}', which is no argument.", at=at, hint=hint)


def _cpp(signature: Signature, found: Specialised, sources: Sources) -> dict[str, str]:
    """The files of C++ by name; the functions stand in the first one."""
    first, *others = sources.texts
    texts = [first + c_functions(signature, found, sources), *others]
    blas = f" {sources.blas.name}" if sources.blas else ""
    call = (
        f"c++ {' '.join(sources.command)} {signature.name}_*.cpp{blas} -shared -o lib{signature.name}.so -lm -lpthread"
    )
    head = f"// {call}\n#ifndef DAAD_OUTSIDE\n#define DAAD_OUTSIDE __thread\n#endif\n"
    return {f"{signature.name}_{number}.cpp": head + text for number, text in enumerate(texts)}


def _build(folder: Path, name: str, sources: Sources, texts: Mapping[str, str], version: str) -> None:
    """Compiles in a folder of its own: nobody finds a library that is half written."""
    lib = folder / "lib"
    soname = f"lib{name}.so.{major(version)}"
    if sources.blas is not None:
        copy_beside(sources.blas, lib)
        for header in sources.headers:
            copy_beside(header, folder / "src")
    with stage("compiling the library"), tempfile.TemporaryDirectory() as work:
        made = Path(work) / soname
        sources.compile(Path(work), texts, made, folder / f"src/{name}.map", soname)
        content = made.read_bytes()
    new = lib / f"{soname}.new"
    new.write_bytes(content)
    new.chmod(0o755)
    new.replace(lib / soname)
    link = lib / f"lib{name}.so"
    link.unlink(missing_ok=True)
    link.symlink_to(soname)


def _arguments(signature: Signature, found: Specialised, values: Sequence[Any]) -> bytes:
    """The inputs of the examples, one behind the other."""
    leaf_of = {number: slot.leaf for number, slot in enumerate(found.slots)}
    parts = []
    for p in signature.inputs:
        if p.place is None:
            array = np.zeros(p.shape, p.dtype)
        elif p.is_integer:
            array = np.array(marshalling.integer(values[found.integers[p.place]]), np.int64)
        else:
            value = values[leaf_of[p.place]]
            value = complex_views.parts(value) if p.is_complex else value
            array = np.array(value, p.dtype, order="C")
        parts.append(array.tobytes())
    return b"".join(parts)
