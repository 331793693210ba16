"""Plans that differ in how many states they keep are one program with larger or smaller arrays: what passes made of the
one is what they would make of the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from daad.ir.affine import Affine
from daad.ir.nodes import Index, Load, Loop, Nest, Program
from daad.ir.walk import node_loads, variables, walk

Axes = Mapping[str, int]


def resized(before: Program, made: Program, after: Program) -> Program | None:
    """What comes of `after` if passes made `made` of `before`, from which it differs in the sizes of arrays alone.

    None where the passes may have used these sizes: each array of another size has to be as it was, and to be accessed
    along the axis that differs by numbers from tables only; no array that passes have made may be accessed by those.
    """
    axes = _axes(before, after)
    if axes is None or any(made.arrays.get(name) != before.arrays[name] for name in axes):
        return None
    same = {name for name, array in made.arrays.items() if before.arrays.get(name) == array} - axes.keys()
    counted = _counted(made)
    for node in walk(made.body):
        places = [(load.array, load.index) for load in node_loads(node)]
        places += [(a.target.array, a.target.index) for a in node.assigns] if isinstance(node, Nest) else []
        for name, index in places:
            if name in axes:
                if not _is_counted(index[axes[name]], counted):
                    return None
            elif name not in same and not counted.isdisjoint(n for i in index for n in variables(i)):
                return None
    return replace(made, arrays={name: after.arrays[name] if name in axes else a for name, a in made.arrays.items()})


def _axes(before: Program, after: Program) -> Axes | None:
    """The axis along which each array of another size is longer or shorter; None if anything else differs."""
    if replace(before, arrays={}) != replace(after, arrays={}) or [*before.arrays] != [*after.arrays]:
        return None
    axes: dict[str, int] = {}
    for name, array in before.arrays.items():
        other = after.arrays[name]
        if array == other:
            continue
        different = [axis for axis, (a, b) in enumerate(zip(array.shape, other.shape, strict=False)) if a != b]
        if len(different) != 1 or replace(array, shape=other.shape) != other or len(array.shape) != len(other.shape):
            return None
        axes[name] = different[0]
    return axes


def _counted(program: Program) -> frozenset[str]:
    """Variables of loops between numbers that tables hold."""
    loops = [node for node in walk(program.body) if isinstance(node, Loop)]
    return frozenset(loop.var for loop in loops if isinstance(loop.start, Load) or isinstance(loop.stop, Load))


def _is_counted(index: Index, counted: frozenset[str]) -> bool:
    return isinstance(index, Affine) and index.const == 0 and index.terms in [((name, 1),) for name in counted]
