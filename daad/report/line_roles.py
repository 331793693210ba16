"""What each line is to the gradient, and which values derivatives are made from, by the rules alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum

from daad.ccs.graph import CCS, find_ccs
from daad.ccs.question import Question
from daad.errors import Location
from daad.ir.nodes import Assign, Load, Nest, Node, Program
from daad.ir.walk import loads, nests, node_loads
from daad.loops.linearization import linearised
from daad.report.user_names import Place, located, place_of, sides
from daad.rules.flatness import flat_arrays
from daad.rules.own_rules import for_reverse
from daad.rules.pullback import Facts, Guarded, pull_back
from daad.rules.undefined import undefined_arrays


class Role(Enum):
    """What a line is to the gradient."""

    CCS = "in the CCS"
    USED = "used"
    DEAD = "dead"
    NONE = ""


def roles(program: Program, question: Question, ccs: CCS, needed: Mapping[Place, tuple[str, ...]]) -> dict[Place, Role]:
    """By place; `needed` is what derivatives are made from there."""
    used_here = _used(program, question, needed)
    found: dict[Place, Role] = {}
    order = (Role.NONE, Role.DEAD, Role.USED, Role.CCS)
    number = -1
    for at, node in located(program.body):
        inner = number + 1
        count = sum(1 for _ in nests((node,)))
        number += isinstance(node, Nest)
        own = range(inner, inner + count)
        carries, used = any(n in ccs.statements for n in own), any(n in used_here for n in own)
        role = Role.CCS if carries else Role.USED if used else Role.DEAD
        if (place := place_of(at)) is not None:
            found[place] = max(found.get(place, Role.NONE), role, key=order.index)
    return found


def carried(program: Program, question: Question) -> CCS:
    """The statements of the program as it was read that carry derivatives."""
    return find_ccs(for_reverse(linearised(program)), question.inputs, question.outputs)


def _used(program: Program, question: Question, needed: Mapping[Place, tuple[str, ...]]) -> frozenset[int]:
    """Statements that make what is wanted, or what the adjoint needs: by number."""
    wanted = {*question.wanted, *(n for names in needed.values() for n in names)}
    leaves = list(nests(program.body))
    around = {id(nest): frozenset(reads) for nest, reads in _with_controls(program.body, ())}
    found: set[int] = set()
    while True:
        new = [n for n, nest in enumerate(leaves) if n not in found and nest.written & wanted]
        if not new:
            return frozenset(found)
        found.update(new)
        wanted |= {name for n in new for name in (*leaves[n].loaded, *around[id(leaves[n])])}


def _with_controls(body: tuple[Node, ...], around: tuple[str, ...]) -> Iterator[tuple[Nest, tuple[str, ...]]]:
    """Each statement with what the loops and branches around it read."""
    for node in body:
        if isinstance(node, Nest):
            yield node, around
            continue
        own = (*around, *(load.array for load in node_loads(node)))
        for side in sides(node):
            yield from _with_controls(side, own)


def needs(program: Program, ccs: CCS) -> dict[Place, tuple[str, ...]]:
    """By place the arrays that the derivative of what stands there is made from, by the rules alone."""
    facts = Facts(flat_arrays(program), undefined_arrays(program))
    found: dict[Place, dict[str, None]] = {}
    leaves = {id(nest): n for n, nest in enumerate(nests(program.body))}
    controls = {id(nest): reads for nest, reads in _with_controls(program.body, ())}
    for at, node in located(program.body):
        place = place_of(at)
        if place is None or not isinstance(node, Nest) or leaves[id(node)] not in ccs.statements:
            continue
        names = found.setdefault(place, {})
        for assign in node.assigns:
            names.update(dict.fromkeys(_needed(assign, ccs.active, at, facts)))
        names.update(dict.fromkeys(controls[id(node)]))
    return {place: tuple(names) for place, names in found.items()}


SEED = "seed of the adjoint"


def _needed(assign: Assign, active: frozenset[str], at: Location | None, facts: Facts) -> Iterator[str]:
    indices = list(assign.target.index) + [i for load in loads(assign.value) for i in load.index]
    yield from (load.array for index in indices for load in loads(index))
    if assign.combine.is_extremum:
        yield from (load.array for load in loads(assign.value))
        return
    if assign.target.array not in active:
        return
    dtype = assign.value.dtype
    seed = Load(SEED, (), dtype if dtype.startswith("float") else "float64")
    parts = pull_back(assign.value, Guarded(seed), lambda load: load.array in active, None, at, facts)
    yield from (load.array for part in parts for load in loads(part.value) if load.array != SEED)
