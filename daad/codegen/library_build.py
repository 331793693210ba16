"""From a Program to a folder with the compiled library: the only part of the runtime that needs DaCe."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import dace
import sympy.tensor.tensor  # noqa: F401  the first sum of symbols imports it
from dace.codegen import codegen
from dace.codegen.codeobject import CodeObject

from daad.analysis.footprint import footprint
from daad.codegen import Device, lower
from daad.codegen.compiler_trust import trusted
from daad.codegen.cpp.header import MEMORY, PREAMBLE, after_header, trimmed
from daad.codegen.cpp.shared_loops import with_threads
from daad.codegen.cpp.thread_team import with_team
from daad.codegen.outlining import initialised, outlined
from daad.codegen.safe_names import name_everything
from daad.codegen.sdfg.whole_program import prepare
from daad.codegen.translation_units import divided
from daad.ir.nodes import Program
from daad.messages.progress import stage
from daad.runtime.library import LIBRARY, MANIFEST, Manifest, checksum
from daad.runtime.settings import settings
from daad.runtime.toolchain import cautious, compile_library, compiler, require_compiler

# What DaCe's generated code begins with; its header takes a compiler a second to read.
INCLUDES = ("#include <dace/dace.h>", '#include "../../include/hash.h"')


def build(program: Program, device: Device, folder: Path, key: str) -> Any:
    """Fills `folder` with library and manifest; returns the SDFG."""
    require_compiler()
    with stage("generating code") as tell:
        with settings():
            sdfg = lower(program, device)
            code = generated(sdfg)
        prepared = prepare(program)
        texts = _texts(code, sdfg.name, prepared)
        tell(f"{sum(text.count(chr(10)) for text in texts)} lines of C++")
    sources = []
    for number, text in enumerate(texts):
        sources.append(folder / f"{sdfg.name}_{number}.cpp")
        sources[-1].write_text(text)
    environments = dace.library.get_environments_and_dependencies(code.environments)
    further = (*trusted(), *cautious(after_header(code.clean_code)))
    with stage(f"compiling with '{compiler()}'") as tell:
        compile_library(sources, folder / LIBRARY, environments, further)
        tell(f"{len(sources)} file{'' if len(sources) == 1 else 's'}")
    checksums = {LIBRARY: checksum(folder / LIBRARY)}
    (folder / MANIFEST).write_text(_manifest(prepared, code, checksums).dump(key))
    return sdfg


def generated(sdfg: Any) -> CodeObject:
    """DaCe's code for an SDFG."""
    [code] = (found for found in codegen.generate_code(sdfg, validate=False) if found.linkable)
    return code


def _texts(code: CodeObject, name: str, program: Program) -> list[str]:
    """The code as files, with daad's own header in the place of DaCe's; the state of the library is allocated by C.

    The function that does the work is compiled once, not again within the one that calls it, and in parts.
    """
    state, function = f"struct {name}_state_t", f"void __program_{name}_internal({name}_state_t*__state"
    own = f"__attribute__((noinline)) static {function}"
    replaced = {
        INCLUDES[0]: PREAMBLE,
        INCLUDES[1]: MEMORY,
        f"{state} {{": f"{state} : daad::Allocated {{",
        f"\n{function}": f"\n{own}",
    }
    text = str(code.clean_code)
    for old, new in replaced.items():
        assert text.count(old) == 1, f"DaCe's generated code has not one '{old}'"
        text = text.replace(old, new)
    whole = outlined(initialised(with_threads(text, program, f"{name}_state_t"), own), own)
    whole = (whole + _entry(code, program)).replace("dace::uint", "uint32_t")
    return [trimmed(with_team(part)) for part in divided(whole)]


def _entry(code: CodeObject, program: Program) -> str:
    """What Python calls, with words: how far behind its object an array's pointer is, the state, objects, integers."""
    names = name_everything(program)
    arrays = argument_names(program)
    words = {names[name]: f"words[{number}]" for number, name in enumerate((*arrays, *program.integers), start=2)}
    pointers = {names[name] for name in arrays}
    values = [f"({code.name}_state_t*)words[1]"]
    for kind, name in _parameters(code):
        values.append(f"*({kind}*)({words[name]} + words[0])" if name in pointers else words[name])
    call = f"__program_{code.name}({', '.join(values)});"
    return f"\nDACE_EXPORTED void __enter_{code.name}(const int64_t* words)\n{{\n    {call}\n}}\n"


def _parameters(code: CodeObject) -> list[tuple[str, str]]:
    """Types and names of the C function's parameters behind the state; the SDFG would take a while to list them."""
    found = re.search(rf"void __program_{code.name}\(([^)]*)\)", code.clean_code)
    assert found, "DaCe's generated code has no function of the program"
    parameters = [parameter.replace("__restrict__", "").split() for parameter in found.group(1).split(",")[1:]]
    return [(" ".join(kind), name) for *kind, name in parameters]


def load_sdfg(program: Program, device: Device) -> Any:
    """The SDFG from which `build` makes the library."""
    with settings():
        return lower(program, device)


def argument_names(program: Program) -> tuple[str, ...]:
    """The arrays that a call takes, in order: parameters, then results that are none."""
    return tuple(dict.fromkeys((*program.parameters, *program.results)))


def _manifest(program: Program, code: CodeObject, checksums: dict[str, str]) -> Manifest:
    return Manifest(
        name=code.name,
        arrays=len(argument_names(program)),
        integers=len(program.integers),
        scratch_bytes=footprint(program).scratch,
        checksums=checksums,
    )
