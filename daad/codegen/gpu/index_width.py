"""How wide the variables of loops and points are: 32 bits where nothing that is computed from them needs more.

A GPU multiplies integers of 64 bits in several steps, and a point of a stencil has more such products than of floats.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from daad.analysis.context import Scope
from daad.codegen.schedule.nest_schedule import accesses
from daad.codegen.schedule.strides import offset
from daad.ir.affine import Affine
from daad.ir.nodes import Access, Array, Branch, Expr, Index, IndexValue, Load, Loop, Nest, Node, Program
from daad.ir.walk import node_loads, nodes

NARROW, WIDE = "int32_t", "int64_t"
LIMIT = 2**31


def index_type(program: Program) -> str:
    """The C++ type of all variables of a program."""
    is_narrow = not program.integers and all(_is_narrow(node, program.arrays, Scope()) for node in program.body)
    return NARROW if is_narrow else WIDE


def _is_narrow(node: Node, arrays: Mapping[str, Array], known: Scope) -> bool:
    if isinstance(node, Loop):
        inner = known.enter(node)
        forms = [*_values(node.header), *_places(node_loads(node), arrays), Affine.of(node.var)]
        return _are_short(forms, inner) and all(_is_narrow(n, arrays, inner) for n in node.body)
    if isinstance(node, Branch):
        forms = [*_values((node.condition,)), *_places(node_loads(node), arrays)]
        return _are_short(forms, known) and all(_is_narrow(n, arrays, known) for n in node.inside)
    return _are_short(_forms(node, arrays), known.with_domain(node.domain))


def _forms(nest: Nest, arrays: Mapping[str, Array]) -> Iterator[Affine]:
    """All that is computed of variables in a nest."""
    for r in nest.domain:
        yield from (r.start, r.stop, r.width, Affine.of(r.var))
    yield from _places(accesses(nest), arrays)
    yield from _values(value for a in nest.assigns for value in (a.value, *a.target.index))


def _places(found: Iterable[Access | Load], arrays: Mapping[str, Array]) -> Iterator[Affine]:
    """Positions in arrays, as far as data do not give them."""
    for access in found:
        own = (index if isinstance(index, Affine) else Affine(0) for index in access.index)
        yield offset(own, arrays[access.array].shape)


def _values(values: Iterable[Index]) -> Iterator[Affine]:
    for value in values:
        if isinstance(value, Affine):
            yield value
        elif isinstance(value, Expr):
            yield from (node.form for node in nodes(value) if isinstance(node, IndexValue))


def _are_short(forms: Iterable[Affine], known: Scope) -> bool:
    return all(_largest(form, known) < LIMIT for form in forms)


def _largest(form: Affine, known: Scope) -> float:
    """The largest number on the way to the value of a form, in whatever order its terms are added."""
    total: float = abs(form.const)
    for name, factor in form.terms:
        bounds = known.range(Affine.of(name))
        total += abs(factor) * max(map(abs, bounds)) if bounds else float("inf")
    return total
