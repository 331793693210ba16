"""Elements and slices of an axis as source text: those that stay inside the axis in every iteration."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tests.fuzz.forms import Form
from tests.fuzz.scope import Scope
from tests.fuzz.source import Source

OFFSETS = (0, 1, 2)


@dataclass(frozen=True)
class Slice:
    """The text between brackets, and how many elements it selects."""

    text: str
    length: Form


def indices(scope: Scope, extent: Form) -> list[str]:
    """Integers that index the axis in every iteration: constants, loop variables with offsets, from either end."""
    found = []
    for form in _index_forms(scope, extent):
        if all(-size <= i < size for i, size in _pairs(scope, form, extent)):
            found.append(str(form))
    found += _narrow(scope, extent)
    return list(dict.fromkeys(found))


def _narrow(scope: Scope, extent: Form) -> Iterator[str]:
    """Of few bits, which wrap around before they are brought back into the axis."""
    if extent.terms or not 0 < extent.const < 100:
        return
    for n, variable in enumerate(scope.atoms()[-1:], start=len(scope.loops)):
        kind, factor = NARROW[n % len(NARROW)], 37 + 50 * n
        yield f"(np.int64({variable} * {factor}).astype(np.{kind}) * np.{kind}({7 + n})) % {extent}"
        yield f"-1 - np.int64({variable} * {factor}).astype(np.{kind}) % {extent}" if "u" not in kind else "-1"


NARROW = ("int8", "uint8", "int16", "int32", "uint32")


SPELLINGS = (
    "np.int8({})",
    "np.int64({} + 256).astype(np.int8)",
    "np.int64({} - 65536).astype(np.int16)",
    "(np.int16({} + 300) - np.int16(300))",
    "np.int64({} + 512).astype(np.uint8)",
    "(np.uint8(200) + np.uint8({} + 56))",
    "np.uint32({})",
)
"""A small integer in few bits, most by way of one that does not fit."""
SIGNED = 4
"""So many of them may be negative."""


def narrowed(source: Source, text: str, percent: int = 4) -> str:
    """An index, or the bounds of a slice or range, now and then one of them in few bits."""
    parts = text.split(":")
    for k, part in enumerate(parts[:2]):
        if re.fullmatch(r"-?[\w +-]+", part) and not re.search("[a-z]{2}", part) and source.chance(percent):
            kinds = SPELLINGS[:SIGNED] if re.search("[-j]", part) else SPELLINGS
            parts[k] = source.choice(kinds).format(part)
    return ":".join(parts)


def _index_forms(scope: Scope, extent: Form) -> Iterator[Form]:
    yield from (Form(k) for k in (0, 1, -1, 2, -2, 3))
    for variable in scope.atoms():
        yield from (variable + k for k in (0, 1, -1, 2))
        yield from (extent - 1 - variable, -variable - 1)
    if len(scope.loops) > 1:
        first, second = scope.atoms()[-2:]
        yield from (first + second, first - second, second - first)


def slices(scope: Scope, extent: Form) -> list[Slice]:
    """Slices of the axis with any length, steps of both signs among them."""
    zero = Form(0)
    found = [Slice(":", extent)]
    for variable in (*map(Form, OFFSETS), *(v + k for v in scope.atoms() for k in (0, 1))):
        if not _within(scope, variable, extent):
            continue
        if not variable.is_const(0):
            found.append(Slice(f"{variable}:", extent - variable))
            found.append(Slice(f":{variable}", variable))
        if variable.terms == () and variable.const:
            found.append(Slice(f":-{variable.const}", extent - variable))
            found.append(Slice(f"-{variable.const}:", variable))
        if _within(scope, variable + 2, extent):
            found.append(Slice(f"{variable}:{variable + 2}", Form(2)))
        if variable.terms and scope.low(variable) >= 0:
            found.append(Slice(f"{variable}::-1", variable + 1) if _within(scope, variable + 1, extent) else found[0])
    if scope.low(extent) >= 2:
        found.append(Slice("1:-1", extent - 2))
    found.append(Slice("::-1", extent))
    if not extent.terms:
        size = extent.const
        found += [Slice(t, Form(len(range(size)[s]))) for t, s in STRIDED.items() if len(range(size)[s])]
    return [s for s in found if scope.low(s.length - zero) >= 0]


STRIDED = {
    "::2": slice(None, None, 2),
    "1::2": slice(1, None, 2),
    "::-2": slice(None, None, -2),
    "-2::-1": slice(-2, None, -1),
    ":0:-1": slice(None, 0, -1),
    "-1:0:-2": slice(-1, 0, -2),
    "::3": slice(None, None, 3),
    "::-3": slice(None, None, -3),
    "::-1": slice(None, None, -1),
}


def slices_of_length(scope: Scope, extent: Form, length: Form) -> list[str]:
    """Slices of the axis that select `length` elements in every iteration."""
    found = [":"] if scope.same(extent, length) else []
    starts = [*map(Form, OFFSETS), *(v + k for v in scope.atoms() for k in (0, 1))]
    for start in starts:
        if _within(scope, start, extent) and _within(scope, start + length, extent):
            found += _runs(scope, start, length, extent)
    found += [s.text for s in slices(scope, extent) if "::" in s.text and scope.same(s.length, length)]
    return list(dict.fromkeys(found))


def _runs(scope: Scope, start: Form, length: Form, extent: Form) -> Iterator[str]:
    """Spellings of the slice from `start` that has `length` elements."""
    stop = start + length
    if scope.same(stop, extent) and not start.is_const(0):
        yield f"{start}:"
    elif start.is_const(0) and not scope.same(stop, extent):
        yield f":{stop}"
    elif not scope.same(stop, extent):
        yield f"{start}:{stop}"
        rest = extent - stop
        if rest.terms == () and rest.const > 0:
            yield f"{start}:-{rest.const}"
    if scope.low(start) >= 1 and scope.low(length) >= 1:
        yield f"{stop - 1}:{start - 1}:-1"


def _within(scope: Scope, form: Form, extent: Form) -> bool:
    return all(0 <= i <= size for i, size in _pairs(scope, form, extent))


def _pairs(scope: Scope, form: Form, extent: Form) -> list[tuple[int, int]]:
    if not form.terms and not extent.terms:
        return [(form.const, extent.const)]
    return [(form.at(p), extent.at(p)) for p in scope.points]
