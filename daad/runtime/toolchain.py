"""The C++ compiler: which one, how it is called, what its failures mean to a user."""

from __future__ import annotations

import os
import platform
import re
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dace

from daad.errors import CompileError
from daad.runtime import compiler_wheel
from daad.runtime.build_folders import require_room
from daad.runtime.compiler_errors import explained
from daad.runtime.process_groups import run

# GCC makes one call of a sine and a cosine of the same argument, as adjoints have them, which it cannot vectorise. With
# these flags clang would call no function of vectors for them.
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
# GCC would compute a value on one side of a choice and take it from there, or read it one iteration before: what is
# chosen then is a jump, and the loop has no vectors. Loops without choices gain by it.
NO_JUMPS = ("-fno-tree-pre",)
# Where a short loop lies across lines of the caches it may take a third more time: that was left to what stands before.
ALIGNED = ("-falign-loops=32",)
# To know the range of a value GCC follows the conditions that it depends on, and both sides of each: in a long chain of
# masks that is twice the time for each of these.
FEW_CONDITIONS = ("--param=ranger-logical-depth=1",)
# GCC 12 takes some functions whose loops have become vectors for ones that write nothing, and leaves out their calls.
WRITING = ("-fno-ipa-pure-const", "-fno-ipa-modref")
ALWAYS = ("-fno-exceptions", "-fPIC", "-fopenmp-simd", "-pthread", "-w")
FLAGS = ("-std=c++20", "-O3", "-march=native", *EXACT, *ALWAYS)
# Only loops become vectors that do so as a whole: the others, with what is done before and after them, are a third of
# what GCC compiles. No vectors at all are half of it; in functions that are given many numbers to change, so is where
# pointers may point to.
FEW_VECTORS, PLAIN = ("-O2",), ("-O1", "-fno-tree-pta")
# Reading the library of C++, which generated code does not use, is most of what a linker does.
LEAN = ("-nodefaultlibs", "-lm", "-lpthread", "-lgcc", "-lc")
FUNCTION = "\t.cfi_startproc"  # in assembly, where a function begins
DEFAULT = "c++"
IS_X86 = platform.machine() in ("x86_64", "AMD64")


@dataclass(frozen=True)
class Hazard:
    """What GCC is known to compile wrong: a sign of it in a function's assembly, and flags with which it is right."""

    what: str
    sign: re.Pattern[str]
    flags: tuple[str, ...]

    def is_in(self, assembly: str) -> bool:
        """Whether one of the functions shows the sign; what lies in two functions is in no loop together."""
        return any(self.sign.search(function) for function in assembly.split(FUNCTION))


NO_STATEMENTS = ("-fno-tree-slp-vectorize",)  # no vectors of statements, only of loops
NARROW = ("-mprefer-vector-width=256",) if IS_X86 else ()
# GCC 11 and 12 take a double that is rounded to a float and becomes a double again for the one that it was, where
# such statements become a vector.
ROUNDED = "doubles that are floats for a while"
# A loop of few iterations in another one: GCC 12 turns all elements round, or exchanges them, but those
# that it reads only where a condition holds. The sign is a function that has both; constants (.LC) are no elements, and
# one element that is taken out of a vector, for a sum in order, is in all places.
MOVED = r"\bv(?:permp[sd]|permilp[sd]|perm[qd]|pshufd|shufp[sd])\s(?!\$(?:85|170|255), (%xmm\d+), \1, )"
MASKED = (
    r"\b(?:vmov[au]p[sd]|vmovdq[ua]\d+)\s+(?!\s|\.LC)[^\n]*\(.*?\), ?%[xyz]mm\d+\{%k"
    r"|\bv(?:blendmp[sd]|pblendm[bwdq]|maskmovp[sd]|pmaskmov[dq])\s+(?!\s|\.LC)[^%\n]*\("
)
# In assembly, where GCC writes what processors do not do:
HAZARDS = (
    # Up to 12, where the third or fourth of eight doubles comes from the other half: the instruction moves pairs only.
    Hazard("doubles from the other half of a vector", re.compile(r"\bvpermilpd\s+\$.*%zmm"), NARROW),
    # 12.1 and 12.2 contract products with differences and sums beside each other, in spite of -ffp-contract=off.
    Hazard(
        "products contracted with their neighbours",
        re.compile(r"\bvfm(?:addsub|subadd)\d"),
        ("-mno-fma", "-mno-avx512f"),
    ),
    Hazard(
        "elements read where a condition holds that change places",
        re.compile(rf"\A(?=[\s\S]*?(?:{MOVED}))(?=[\s\S]*?(?:{MASKED}))"),
        ("-fno-tree-loop-if-convert",),
    ),
)
# What would have the compiler write other files, or change the language of its messages.
ENVIRONMENT: dict[str, str | None] = {
    **dict.fromkeys(("DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES", "LANGUAGE")),
    "LC_ALL": "C",
}


def compile_library(
    sources: Sequence[Path], library: Path, environments: Sequence[Any], further: Sequence[str] = ()
) -> None:
    """Compiles files at the same time and links them.

    `environments` say what else they need, in DaCe's words; `further` are flags for these.
    """
    includes = [f"-I{folder}" for folder in _each(environments, "cmake_includes")]
    libraries = [*_each(environments, "cmake_link_flags"), *_each(environments, "cmake_libraries")]
    parts = sources
    lean: tuple[str, ...] = ()
    call = [*calling(), *flags(), *further, *includes]
    if is_gcc():
        parts, lean = _in_assembly(call, sources), LEAN
    elif len(sources) > 1 or is_wheel():
        lean = compiler_wheel.LEAN if is_wheel() else ()
        parts = [source.with_suffix(".o") for source in sources]
        _run([[*call, "-c", str(s), "-o", str(part)] for s, part in zip(sources, parts, strict=True)], sources, parts)
    link = [*call, "-shared", *map(str, parts), "-o", str(library), *libraries, *lean, *_vector_library()]
    _run([link], sources[:1], [library])


def compile_plainly(source: Path, program: Path) -> None:
    """Compiles as plainly as possible what is run on its own."""
    call, made = [*calling(), "-std=c++20", "-O0", "-ffp-contract=off", "-w"], source.with_suffix(".o")
    _run([[*call, "-c", str(source), "-o", str(made)]], [source], [made])
    lean = compiler_wheel.LEAN if is_wheel() else ()
    _run([[*call, str(made), "-o", str(program), "-lm", "-ldl", *lean]], [source], [program])


def flags() -> tuple[str, ...]:
    """What the compiler is called with for every program."""
    if is_gcc():
        return FLAGS + APART + FEW_COPIES + IN_ORDER + ALIGNED + FEW_CONDITIONS + WRITING
    return FLAGS + compiler_wheel.VECTOR_MATH if _vector_library() else FLAGS


def further_flags(*, with_floats: bool, with_choices: bool) -> tuple[str, ...]:
    """Those for a program, which may compute in single precision and take one of several values."""
    if not is_gcc():
        return ()
    return (*(NO_STATEMENTS if with_floats else ()), *(NO_JUMPS if with_choices else ()))


def avoided() -> dict[str, list[str]]:
    """The flags with which programs are compiled that show signs of a hazard, by what that is."""
    if not is_gcc():
        return {}
    return {ROUNDED: [*NO_STATEMENTS], **{hazard.what: [*hazard.flags] for hazard in HAZARDS}}


def _in_assembly(call: Sequence[str], sources: Sequence[Path]) -> list[Path]:
    """Files of assembly without hazards."""
    parts = [source.with_suffix(".s") for source in sources]
    _run([[*call, "-S", str(s), "-o", str(part)] for s, part in zip(sources, parts, strict=True)], sources, parts)
    safer = [(source, part, _safe(part.read_text())) for source, part in zip(sources, parts, strict=True)]
    again = [(source, part, safe) for source, part, safe in safer if safe]
    if again:
        calls = [[*call, *safe, "-S", str(source), "-o", str(part)] for source, part, safe in again]
        _run(calls, [source for source, _, _ in again], [part for _, part, _ in again])
    return parts


def _safe(assembly: str) -> list[str]:
    """The flags with which a file is right that shows signs of hazards."""
    return [flag for hazard in HAZARDS if hazard.is_in(assembly) for flag in hazard.flags]


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


def is_gcc() -> bool:
    """Whether the compiler is GCC by its name; others are called in the words that all understand."""
    found = shutil.which(compiler())
    return found is not None and "g++" in Path(found).resolve().name.replace("clang++", "")


def _vector_library() -> tuple[str, ...]:
    """What GCC finds by declarations in the program, clang has to be told: exponentials of vectors and their like."""
    found = compiler_wheel.vector_library() if is_wheel() and IS_X86 else None
    return () if found is None else (found,)


def is_wheel() -> bool:
    """Whether it is the one that pip brings."""
    return compiler() == compiler_wheel.wheel()


def compiler() -> str:
    """The C++ compiler's name: DaCe's setting, the variable CXX, c++, or the one that pip brings."""
    named = dace.Config.get("compiler", "cpu", "executable") or os.environ.get("CXX")
    if named:
        return str(named)
    return (None if shutil.which(DEFAULT) else compiler_wheel.wheel()) or DEFAULT


def calling() -> tuple[str, ...]:
    """The words that call it."""
    return (compiler(), compiler_wheel.MODE, *compiler_wheel.OWN) if is_wheel() else (compiler(),)


def require_compiler() -> None:
    """Raises before anything is generated if there is none."""
    name = compiler()
    if shutil.which(name) is None:
        raise CompileError(
            f"The C++ compiler '{name}' was not found.",
            hint="Install one (apt install g++, or pip install 'daad[compiler]'), or name another in the variable CXX.",
        )
