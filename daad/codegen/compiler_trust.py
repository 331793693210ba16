"""Whether a compiler can be trusted: small programs are compiled and run once for each compiler, and remembered."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

from daad.codegen.compiler_probes import PROBES, library_text, main_text
from daad.codegen.fingerprint import processor
from daad.errors import CompileError
from daad.messages.progress import stage
from daad.runtime.build_folders import work_folder
from daad.runtime.cache import Cache
from daad.runtime.process_groups import run
from daad.runtime.toolchain import (
    NARROW,
    NO_STATEMENTS,
    avoided,
    compile_library,
    compile_plainly,
    compiler,
    flags,
    further_flags,
    is_gcc,
)

NO_VECTORS = ("-fno-tree-vectorize", *NO_STATEMENTS)
CAREFUL = ("-O1", *NO_VECTORS)


def remedies() -> tuple[tuple[str, ...], ...]:
    """Flags that are tried one after the other until all probes are right; the costly ones last."""
    gcc = ((*NARROW, *NO_STATEMENTS),) if is_gcc() else ()
    return ((), *gcc, NO_VECTORS, CAREFUL)


@dataclass(frozen=True)
class Examined:
    """`wrong`: the names of the probes that were wrong, with each of the remedies that were tried."""

    wrong: tuple[tuple[str, ...], ...]

    @property
    def is_usable(self) -> bool:
        return not self.wrong[-1]

    @property
    def remedy(self) -> tuple[str, ...]:
        """The flags that were tried last."""
        return remedies()[len(self.wrong) - 1]

    def dump(self) -> str:
        return json.dumps(self.wrong)

    @staticmethod
    def parse(text: str) -> Examined:
        """Raises ValueError or TypeError where the text is not one."""
        wrong = tuple(tuple(map(str, names)) for names in json.loads(text))
        if not 0 < len(wrong) <= len(remedies()):
            raise ValueError("no remedy was tried")
        return Examined(wrong)


def trusted(effort: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The flags with which the compiler is right that tries so hard; raises where there are none."""
    found = examined(effort)
    if found.is_usable:
        return found.remedy
    shown = ", ".join(f"'{name}'" for name in found.wrong[-1][:3])
    raise CompileError(
        f"The C++ compiler '{compiler()}' compiles {len(found.wrong[-1])} of {len(PROBES)} probe programs wrong, "
        f"whatever the flags: {shown}.",
        hint="Name another compiler in the variable CXX; 'daad doctor' tests it.",
    )


def examined(effort: tuple[str, ...] = ()) -> Examined:
    """What is known of the compiler, or found out."""
    return _examined(compiler(), effort, _identity(effort))


def _identity(effort: tuple[str, ...]) -> str:
    """What a result holds for: the compiler's file, flags, processor, probes."""
    path = os.path.realpath(shutil.which(compiler()) or "")
    status = os.stat(path)
    texts = (main_text(), *map(library_text, (False, True)))
    called = (flags(), *effort, avoided(), remedies())
    parts = (path, status.st_size, status.st_mtime_ns, *called, processor(), *texts)
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:40]


@lru_cache(maxsize=8)
def _examined(name: str, effort: tuple[str, ...], identity: str) -> Examined:
    store = Cache.open()
    try:
        return Examined.parse((store and store.noted(identity)) or "")
    except (ValueError, TypeError):
        found = _tried(store, effort)
    if store:
        store.note(identity, found.dump())
    return found


def _tried(store: Cache | None, effort: tuple[str, ...]) -> Examined:
    wrong: list[tuple[str, ...]] = []
    with stage(f"testing '{compiler()}'") as tell, _folder(store) as folder:
        (folder / "judge.cpp").write_text(main_text())
        compile_plainly(folder / "judge.cpp", folder / "judge")
        for remedy in remedies():
            wrong.append(_wrong(folder, (*effort, *remedy), bool(wrong)))
            tell(f"{len(PROBES) - len(wrong[-1])} of {len(PROBES)} probes right with {' '.join(remedy) or 'all flags'}")
            if not wrong[-1]:
                break
    return Examined(tuple(wrong))


def _wrong(folder: Path, remedy: tuple[str, ...], may_fail: bool) -> tuple[str, ...]:
    """`may_fail`: a compiler need not know the flags."""
    try:
        libraries = [_library(folder, remedy, with_floats) for with_floats in (False, True)]
    except CompileError:
        if may_fail:
            return tuple(PROBES)
        raise
    [(_, output)] = run([[str(folder / "judge"), *map(str, libraries)]], folder, {})
    right = output.split()
    return tuple(name for number, name in enumerate(PROBES) if f"probe_{number}" not in right)


def _library(folder: Path, remedy: tuple[str, ...], with_floats: bool) -> Path:
    """Probes compiled as programs are: those in doubles as ones without choices, whose loops GCC changes most."""
    library = folder / f"probes_{int(with_floats)}.so"
    library.with_suffix(".cpp").write_text(library_text(with_floats))
    further = further_flags(with_floats=with_floats, with_choices=with_floats)
    compile_library([library.with_suffix(".cpp")], library, (), (*remedy, *further))
    return library


@contextmanager
def _folder(store: Cache | None) -> Iterator[Path]:
    """Where files can be executed: on some machines not among temporary ones, but then in the cache."""
    with work_folder() as folder:
        if store is None or _is_for_programs(folder):
            yield folder
            return
    with TemporaryDirectory(prefix="new-", dir=store.root) as name:
        yield Path(name)


def _is_for_programs(folder: Path) -> bool:
    path = folder / "program"
    path.touch(mode=0o700)
    return os.access(path, os.X_OK)
