"""Programs made wrong on purpose: one accumulation, one clearing or one loop of an adjoint is changed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace

from daad.ir.affine import Affine
from daad.ir.nodes import Assign, Branch, Const, Loop, Nest, Node, Program


@dataclass(frozen=True)
class Mutant:
    """A program with one defect; `what` says which."""

    what: str
    program: Program


def mutants(program: Program, adjoints: Collection[str]) -> Iterator[Mutant]:
    """Every program that differs by one defect in a statement that writes one of `adjoints`, or in a loop of these."""
    for what, changed in MUTATIONS.items():
        for body, where in _changed(program.body, lambda node, change=changed: change(node, adjoints)):
            yield Mutant(f"{what} of {where}", replace(program, body=body))


Body = tuple[Node, ...]
Change = Callable[[Node], Iterator[tuple[Body, str]]]


def _changed(body: Body, change: Change) -> Iterator[tuple[Body, str]]:
    """Bodies in which one node, at any depth, is replaced by what `change` makes of it."""
    for place, node in enumerate(body):
        before, after = body[:place], body[place + 1 :]
        for made, where in (*change(node), *_inside(node, change)):
            yield (*before, *made, *after), where


def _inside(node: Node, change: Change) -> Iterator[tuple[Body, str]]:
    if isinstance(node, Loop):
        yield from (((replace(node, body=body),), where) for body, where in _changed(node.body, change))
    elif isinstance(node, Branch):
        yield from (((replace(node, then=body),), where) for body, where in _changed(node.then, change))
        yield from (((replace(node, orelse=body),), where) for body, where in _changed(node.orelse, change))


def _assigns(node: Node, adjoints: Collection[str]) -> Iterator[tuple[int, Assign]]:
    for place, assign in enumerate(node.assigns if isinstance(node, Nest) else ()):
        if assign.target.array in adjoints:
            yield place, assign


def _with(nest: Node, place: int, *assigns: Assign) -> Body:
    assert isinstance(nest, Nest), "only nests have assigns"
    made = (*nest.assigns[:place], *assigns, *nest.assigns[place + 1 :])
    return (replace(nest, assigns=made),) if made else ()


def _overwrite(node: Node, adjoints: Collection[str]) -> Iterator[tuple[Body, str]]:
    for place, assign in _assigns(node, adjoints):
        if assign.op == "+=" and not _is_reduction(node, assign):  # whose points must not overwrite each other
            yield _with(node, place, replace(assign, op="=")), assign.target.array


def _is_reduction(node: Node, assign: Assign) -> bool:
    assert isinstance(node, Nest), "only nests have assigns"
    names = {name for index in assign.target.index if isinstance(index, Affine) for name in index.names}
    return any(r.var not in names for r in node.domain)


def _drop(node: Node, adjoints: Collection[str]) -> Iterator[tuple[Body, str]]:
    for place, assign in _assigns(node, adjoints):
        if assign.op == "+=":
            yield _with(node, place), assign.target.array


def _keep(node: Node, adjoints: Collection[str]) -> Iterator[tuple[Body, str]]:
    for place, assign in _assigns(node, adjoints):
        if assign.op == "=" and isinstance(assign.value, Const) and assign.value.value == 0:
            yield _with(node, place), assign.target.array


def _turn(node: Node, adjoints: Collection[str]) -> Iterator[tuple[Body, str]]:
    if isinstance(node, Loop) and _writes(node, adjoints):
        if isinstance(node.start, Affine) and isinstance(node.stop, Affine):
            start, stop = node.stop - node.step, node.start - node.step
            yield (replace(node, start=start, stop=stop, step=-node.step),), node.var


def _writes(node: Node, adjoints: Collection[str]) -> bool:
    if isinstance(node, Loop):
        return any(_writes(inner, adjoints) for inner in node.body)
    if isinstance(node, Branch):
        return any(_writes(inner, adjoints) for inner in (*node.then, *node.orelse))
    return any(True for _ in _assigns(node, adjoints))


MUTATIONS: dict[str, Callable[[Node, Collection[str]], Iterator[tuple[Body, str]]]] = {
    "an accumulation that overwrites": _overwrite,
    "a dropped accumulation": _drop,
    "a missing zeroing": _keep,
    "a wrong direction": _turn,
}
