"""Loops that data end before their bounds do: their iterations that were begun are reversed, and no others."""

from __future__ import annotations

from daad.analysis.sites import Site
from daad.ir.nodes import Branch, Loop, Program
from daad.ir.walk import loads, walk, writes


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
