"""Loops that data end before their bounds do: their iterations that were begun are reversed, and no others."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from daad.analysis.sites import ORELSE, THEN, Path, Site
from daad.ir.nodes import Branch, Loop, Node, Program
from daad.ir.walk import altered, loads, walk, writes


def has_endings(program: Program) -> bool:
    """Whether data end a loop: how long it takes is not known."""
    return any(isinstance(node, Loop) and node.ending is not None for node in walk(program.body))


def is_begun(branch: Branch, site: Site) -> bool:
    """Whether the branch is taken in all iterations that are reversed: those of its loop that were begun."""
    if not site.loops or branch.orelse:
        return False
    length, loop = site.loops[-1]
    if loop.ending is None or loop.ending.goes_on != branch.condition or len(site.path) != length + 1:
        return False
    flags = {load.array for load in loads(branch.condition)}
    return not flags & writes(loop.body[: site.path[-1]])


def without_endings(program: Program, paths: Collection[Path]) -> Program:
    """The loops at some paths run up to their bounds: a schedule keeps states of iterations that nobody begins, too."""
    if not paths:
        return program
    return replace(program, body=_without(program.body, (), paths))


def _without(body: tuple[Node, ...], path: Path, paths: Collection[Path]) -> tuple[Node, ...]:
    found: list[Node] = []
    for number, node in enumerate(body):
        here = (*path, number)
        if isinstance(node, Loop):
            ending = None if here in paths else node.ending
            node = altered(node, body=_without(node.body, here, paths), ending=ending)
        elif isinstance(node, Branch):
            then, orelse = (_without(s, (*here, n), paths) for s, n in ((node.then, THEN), (node.orelse, ORELSE)))
            node = altered(node, then=then, orelse=orelse)
        found.append(node)
    return tuple(found)
