"""What comes of deriving: the interface, which is kept on disk, and the derivation, made where somebody looks at it.

Reading a program takes in all that Python knows; deriving is a function of the program that was read and of the
question. So a new process reads again, and then finds the compiled code by these.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from daad.api.call.calling_convention import Interface, dumped, interface_of, parsed
from daad.ccs.question import Product, Question
from daad.codegen.compilation import Executable, architectures_for, load_program
from daad.codegen.fingerprint import fingerprint
from daad.ir.nodes import Program
from daad.ir.pinning import NeedsConstant
from daad.runtime.at_work import at_work
from daad.runtime.cache import Cache
from daad.runtime.lazy_import import later
from daad.runtime.memory import machine_memory
from daad.runtime.package_versions import version
from daad.runtime.processors import Device, threads
from daad.runtime.sources import in_memory, on_disk

if TYPE_CHECKING:
    from daad import pipeline
    from daad.pipeline import Finished
    from daad.products import gauss_newton, separate_adjoint, tangent
else:
    pipeline = later("daad.pipeline")
    gauss_newton = later("daad.products.gauss_newton")
    separate_adjoint, tangent = later("daad.products.separate_adjoint"), later("daad.products.tangent")

SOLVERS = ("pulp", "highspy")
"""What else decides which of two plans is made."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """`make` derives; `library` is the key of the compiled code, if it is known, `key` that under which it will be;
    `device` is where it runs."""

    interface: Interface
    make: Callable[[], Finished]
    library: str | None = None
    key: str | None = None
    device: Device = Device.CPU

    @cached_property
    def derivation(self) -> Finished:
        """Every stage from the primal to the program that is compiled."""
        return self.make()

    def compiled(self, compiler: Callable[[Program], Executable]) -> Executable:
        """The compiled code: found, or made and then known."""
        found = self.library and load_program(self.library, lambda: self.derivation.joint, self.device)
        if found:
            return found
        joint = self.derivation.joint  # a report of a defect looks for it here
        made = compiler(joint)
        if self.key:
            _note(self.key, made.key, self.interface)
        return made


def outcome_of(derivation: Finished) -> Outcome:
    """Of what has been derived."""
    return Outcome(interface=interface_of(derivation), make=lambda: derivation, device=derivation.hints.device)


def outcome(
    program: Program, question: Question, limit: int | None, numbers: Mapping[str, int], *, is_kept: bool
) -> Outcome:
    """Derives, unless it `is_kept` and an earlier process has; see `derive`. Nor is a number that has to be a constant
    found again."""

    def make() -> Finished:
        return derived(program, question, limit, numbers)

    daads, device = on_disk(), question.device
    key = _key(program, question, limit, numbers) if is_kept else None
    known = _noted(key) if key else None
    if known:
        return Outcome(interface=known[1], library=known[0], make=make, device=device)
    if key and (name := _needed(key)) in program.integers:
        raise NeedsConstant(name)
    try:
        made = make()
    except NeedsConstant as needed:
        if key and on_disk() == daads:
            _note_needed(key, needed.name)
        raise
    is_still = on_disk() == daads  # not if another daad was installed before all of this one was imported
    return Outcome(interface=interface_of(made), make=lambda: made, key=key if is_still else None, device=device)


def derived(program: Program, question: Question, limit: int | None, numbers: Mapping[str, int]) -> Finished:
    """As the function that derives the product, which this imports."""
    with at_work():
        if question.product is Product.TANGENT:
            return tangent.derive_tangent(program, question, numbers)
        if question.product is Product.GAUSS_NEWTON:
            return gauss_newton.derive_gauss_newton(program, question, limit, numbers)
        derive = separate_adjoint.derive_pullback if question.product is Product.PULLBACK else pipeline.derive
        return derive(program, question, limit, numbers)


def _key(program: Program, question: Question, limit: int | None, numbers: Mapping[str, int]) -> str:
    """Of all that `derive` and the key of the library depend on."""
    machine = (
        *map(str, architectures_for(question.device)),
        str(threads()),
        str(machine_memory()),
        *map(version, SOLVERS),
    )
    about = (*_lines(question), *_lines(numbers), repr(limit), *machine)
    return fingerprint(program, (question.device.value, "derived", on_disk(), in_memory(), *about))


def _lines(value: Any) -> Iterator[str]:
    """The content of dataclasses, dicts, sets and tuples, always in the same order."""
    if is_dataclass(value):
        for each in fields(value):
            yield each.name
            yield from _lines(getattr(value, each.name))
    elif isinstance(value, Mapping):
        yield from _lines(sorted(value.items()))
    elif isinstance(value, frozenset):
        yield from _lines(sorted(value))
    elif isinstance(value, tuple | list):
        yield "("
        for item in value:
            yield from _lines(item)
        yield ")"
    else:
        yield repr(value)


def _note(key: str, library: str, interface: Interface) -> None:
    store = Cache.open()
    if store and (store.root / library).is_dir():
        content = dumped(interface)
        store.note(key, json.dumps([library, content, _seal(key, library, content)]))


def _noted(key: str) -> tuple[str, Interface] | None:
    store = Cache.open()
    text = store.noted(key) if store else None
    if text is None:
        return None
    try:
        library, content, seal = json.loads(text)
        return (library, parsed(content)) if seal == _seal(key, library, content) else None
    except (ValueError, KeyError, TypeError):
        return None


CONSTANT = "constant"
"""Stands for a library where a number has to be a constant."""


def _note_needed(key: str, name: str) -> None:
    store = Cache.open()
    if store:
        store.note(key, json.dumps([CONSTANT, name, _seal(key, CONSTANT, name)]))


def _needed(key: str) -> str:
    """The name of the number that has to be a constant; empty if none is known."""
    store = Cache.open()
    try:
        library, name, seal = json.loads((store and store.noted(key)) or "null")
    except (ValueError, TypeError):
        return ""
    return str(name) if library == CONSTANT and seal == _seal(key, library, name) else ""


def _seal(*parts: str) -> str:
    return sha256(" ".join(parts).encode()).hexdigest()
