"""From a Program to the joint program of value and gradient: the picture of docs/architecture.md as one function."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from daad import passes
from daad.analysis.cost.footprint import Footprint, footprint
from daad.analysis.cost.placement import read_on_entry
from daad.ccs.graph import CCS, find_ccs
from daad.ccs.hints import Hints
from daad.ccs.question import Question
from daad.errors import MemoryLimitTooSmall
from daad.ilp import Plan, make_plan
from daad.ilp.accumulation import accumulated, own_sums
from daad.ilp.averages import averaged
from daad.ilp.candidates import Material, model_of
from daad.ilp.choose import MARGIN, Chooser, Decided
from daad.ilp.joint import adjoint_program, filled, join
from daad.ilp.resize import resized
from daad.ilp.statement_times import CALL, copy_seconds, seconds
from daad.ir.indices.domains import all_points
from daad.ir.memo import remembered
from daad.ir.name_supply import NameSupply, bar
from daad.ir.nodes import Access, Array, Assign, Load, Nest, Node, Program
from daad.ir.pinning import NeedsConstant, is_computed_with, pinned
from daad.ir.seed import Seed
from daad.ir.validator import validate
from daad.ir.versions import array_of
from daad.ir.walk import loaded, written_parameters
from daad.loops import Adjoint, differentiate
from daad.loops.blocked_loops import in_blocks
from daad.loops.endings import has_endings
from daad.loops.extrema import compared, hold_operands
from daad.loops.linearization import linearised
from daad.messages.progress import stage
from daad.messages.sizes import Bytes, readable
from daad.passes.redundancy.dead_code import remove_dead
from daad.rules.own_rules import for_reverse, has_rules, held_arrays, spent, stripped, without_formulas
from daad.runtime.memory import machine_memory
from daad.runtime.processors import Device, threads

NO_NUMBERS: Mapping[str, int] = MappingProxyType({})


@dataclass(frozen=True, kw_only=True)
class Finished:
    """A program after all passes, and what it was made from.

    `gradients` names the array that answers for each input (of tangents: for each output), None where that is zero.
    `joined`: the program before all passes; `serial`: on one thread, statement by statement; `apart`: with one nest per
    statement. `threads` there were when it was made.
    """

    primal: Program
    ccs: CCS
    joined: Program
    serial: Program
    apart: Program
    hints: Hints
    gradients: tuple[str | None, ...]
    threads: int

    @cached_property
    def joint(self) -> Program:
        """The program that is compiled; threads share some of its loops, unless the hints say otherwise or on a GPU."""
        is_serial = self.hints.serial or self.hints.device is Device.GPU
        return self.on_threads(1 if is_serial else self.threads)

    def on_threads(self, count: int) -> Program:
        """The joint program in the form that is compiled for so many threads."""
        return passes.schedule(
            self.serial, kept_arrays(self.serial, self.hints), count, self.is_planned, self.hints.device
        )

    @cached_property
    def footprint(self) -> Footprint:
        """The bytes that a call holds."""
        return footprint(self.joint)

    @property
    def nbytes(self) -> int:
        """The bytes that a call holds."""
        return self.footprint.total

    @property
    def is_planned(self) -> bool:
        """Whether it is decided what memory holds."""
        return False

    @property
    def tables(self) -> Mapping[str, np.ndarray]:
        """The values of parameters that the plan adds."""
        return {}


@dataclass(frozen=True, kw_only=True)
class Derivation(Finished):
    """Every stage on the way from the primal to the joint program; `decided` says how a memory limit was met, if there
    was one to meet."""

    adjoint: Adjoint
    plan: Plan
    seeds: tuple[Seed, ...]
    decided: Decided[Derivation] | None = None

    @property
    def tables(self) -> Mapping[str, np.ndarray]:
        """The values of parameters that the plan adds."""
        return self.plan.tables

    @cached_property
    def adjoint_program(self) -> Program:
        """The adjoint alone, for reading."""
        alone = stripped(adjoint_program(self.adjoint, self.plan, self.seeds))
        return passes.improve(alone, frozenset(alone.results))

    @cached_property
    def adjoint_alone(self) -> tuple[Program, Mapping[str, str]]:
        """The adjoint as it is compiled without the primal, for one thread, and what its parameters hold.

        They are what it reads before it writes, and it leaves them as they are.
        """
        program = self.adjoint_program
        read = read_on_entry(program)
        parameters = tuple(name for name in program.parameters if name in read)
        arrays = {n: replace(a, extents=()) if n in parameters else a for n, a in program.arrays.items()}
        kept = keep_parameters(replace(program, parameters=parameters, arrays=arrays))
        live = live_at_end(kept)
        finished = validate(passes.finish(remove_dead(kept, live), live, self.hints.spare, self.hints.device))
        alone = passes.schedule(finished, live, 1, self.is_planned, self.hints.device)
        return alone, dict(zip(alone.parameters, parameters, strict=True))

    @property
    def is_planned(self) -> bool:
        """Whether local arrays of the primal, or tapes, hold values for the adjoint."""
        local = {a.name for a in self.primal.arrays.values() if a.shape} - {*self.primal.parameters}
        return bool(self.plan.tapes) or any(array_of(name) in local for name in loaded(self.adjoint.body))

    @property
    def tape_bytes(self) -> int:
        """The bytes of the tapes that are held at a time: slabs of them, where the program goes in slabs."""
        arrays = self.joint.arrays
        return sum(min(tape.nbytes, arrays.get(tape.name, tape).nbytes) for tape in self.plan.tapes)

    @cached_property
    def seconds(self) -> float:
        """The time of a call, as it is estimated for one statement after the other on one thread."""
        tables = {**self.plan.tables, **self.plan.averages}
        return CALL + seconds(averaged(self.serial.body, tables), self.serial.arrays, {})


Planned = tuple[Derivation, Chooser[Derivation]]
LATEST: deque[tuple[tuple[Any, ...], Planned]] = deque(maxlen=1)
"""The program that was planned last within a limit, and what was built for that: after a limit that is too small the
next one goes on from there."""


def derive(
    program: Program, question: Question, limit: int | None = None, numbers: Mapping[str, int] = NO_NUMBERS
) -> Derivation:
    """Differentiates, plans, joins and optimises; within `limit` bytes if one is given.

    Without a limit everything is kept, unless another plan is faster by far or the machine has not enough memory. Of
    `numbers`, values of int parameters, those take the place of the parameters that tapes are sized by.
    """
    question = replace(question, hints=replace(question.hints, spare=limit is not None))
    key = program, question, tuple(numbers.items()), threads()
    known = _taken(key) if limit is not None else None
    with stage(f"differentiating '{program.name}'") as tell:
        stored = known[0] if known else derive_stored(program, question, numbers)
        tell(f"{len(stored.ccs.statements)} of {stored.ccs.all_statements} statements carry derivatives")
        tell(f"a call holds {readable(stored.nbytes)} if all values are kept")
    bound = machine_memory() if limit is None else limit
    suffices = stored.nbytes <= bound
    if not question.hints.free and (suffices or limit is None):
        return stored
    if suffices and (has_endings(stored.primal) or not _may_be_faster(stored)):
        return stored
    with stage("planning" if limit is None else f"planning for {readable(limit)}") as tell:
        plans = known[1].anew() if known else chooser(stored, question)
        decided = plans.choose(bound)
        tell(f"{readable(decided.proposal.nbytes)}, {decided.tried} plans built")
    if limit is not None:
        LATEST.append((key, (stored, plans)))
    if decided.within:
        return replace(decided.proposal.built, decided=decided)
    if limit is None:
        return stored
    raise _too_small(decided, stored, limit)


def _taken(key: tuple[Any, ...]) -> Planned | None:
    """What is known of the same question, which is nobody else's from then on."""
    with suppress(IndexError):
        found, planned = LATEST.pop()
        return planned if found == key else None
    return None


def _may_be_faster(stored: Derivation) -> bool:
    """Whether filling and reading the tape is so much of the time that running loops again may pay."""
    return copy_seconds(stored.tape_bytes) > MARGIN * stored.seconds


def alone(derivation: Derivation, question: Question) -> Derivation:
    """The primal without a gradient, in the form that is compiled: what the time of a gradient is compared with."""
    program = replace(derivation.primal, results=(*question.outputs, *question.checks))
    serial, apart = optimize_joint(keep_parameters(program) if question.keep else program, question.hints)
    return replace(derivation, serial=serial, apart=apart, hints=question.hints, gradients=())


def derive_stored(program: Program, question: Question, numbers: Mapping[str, int] = NO_NUMBERS) -> Derivation:
    """The same, with all that is not cheap to compute again kept."""
    primal = optimize_primal(for_reverse(linearised(program)), _stored(question.hints))
    while True:
        try:
            ccs = find_ccs(primal, question.inputs, question.outputs)
            return _derive(primal, ccs, question, question.hints)
        except NeedsConstant as needed:
            name = needed.name
            if name not in numbers or is_computed_with(primal, name):
                raise
        primal = pinned(primal, name, numbers[name])


def _stored(hints: Hints) -> frozenset[str]:
    """Arrays that the user names stay arrays."""
    return hints.store | hints.undo if hints.strict else hints.store


def chooser(base: Derivation, question: Question) -> Chooser[Derivation]:
    """What can be decided about the memory of a program, and a way to see what comes of it."""

    def again(hints: Hints) -> Adjoint:
        if hints == base.hints:
            return base.adjoint
        return differentiate(*_in_blocks(base.primal, base.ccs, question, hints), hints)

    material = Material(
        primal=base.primal,
        differentiate=again,
        hints=question.hints,
        present=frozenset(base.serial.arrays),
        fixed=base.footprint.parameters + base.footprint.results,
        seen=_seen(base.primal, question),
        allow_undo=question.allow_undo,
    )

    built = [base]

    def build(hints: Hints) -> Derivation:
        if hints == replace(question.hints, free=False):
            return base
        built.append(_derive(base.primal, base.ccs, question, hints, built))
        return built[-1]

    return Chooser(model_of(material), question.hints, build, slimmer)


def slimmer(built: Derivation, hints: Hints) -> tuple[Hints, Derivation] | None:
    """The same plan on one thread or, next, with one nest per statement: its hints and itself; None if neither holds
    less."""
    was_alone, hints = hints.serial or built.threads == 1, replace(hints, serial=True)
    alone = replace(built, hints=hints)
    if not was_alone and alone.nbytes < built.nbytes:
        return hints, alone
    if hints.apart:
        return None
    kept = kept_arrays(built.serial, built.hints)
    apart = remove_dead(built.apart, kept)
    if footprint(apart).total >= footprint(built.serial).total:
        return None
    hints = replace(hints, apart=True)
    found = replace(alone, hints=hints, serial=validate(passes.finish(apart, kept, hints.spare, hints.device)))
    return (hints, found) if found.nbytes < built.nbytes else None


def _too_small(decided: Decided[Derivation], stored: Derivation, limit: int) -> MemoryLimitTooSmall:
    least = decided.proposal.built
    total = least.nbytes
    listed = ", ".join(f"{name} {readable(nbytes)}" for name, nbytes in parts_of(least).items())
    return MemoryLimitTooSmall(
        f"No plan keeps to {readable(limit)}: the smallest needs {total} bytes ({listed}).",
        hint=f"It takes about {decided.proposal.seconds / stored.seconds:.2g} times as long as if all is kept.",
        minimum=Bytes(total),
    )


def parts_of(derivation: Derivation) -> dict[str, int]:
    """The bytes that a call holds, by what they are for."""
    joint, plan, whole = derivation.joint, derivation.plan, derivation.footprint
    tables = sum(joint.arrays[name].nbytes for name in plan.tables if name in joint.arrays)
    # Tapes of loops that are run again one after the other may lie in the same place.
    held = (min(a.nbytes, joint.arrays[a.name].nbytes) for a in plan.tapes if a.name in joint.arrays)
    tapes = min(sum(held), whole.scratch)
    return {
        "arguments": whole.parameters - tables,
        "gradients": whole.results,
        "tape": tapes + tables,
        "scratch": whole.scratch - tapes,
    }


def _derive(
    primal: Program, ccs: CCS, question: Question, hints: Hints, built: Sequence[Derivation] = ()
) -> Derivation:
    """`built` are others of the same program: what passes made of one may be what they would make of this."""
    primal, ccs = _in_blocks(primal, ccs, question, hints)
    adjoint = differentiate(primal, ccs, hints)
    plan = make_plan(adjoint)
    gradients = tuple(adjoint.bars[n].name if n in adjoint.bars else None for n in question.inputs)
    sums = own_sums(adjoint) if question.accumulate else frozenset()
    joint = join(adjoint, plan, question.seeds, _seen(primal, question), sums)
    joint = _with_results(joint, question, gradients)
    joint = keep_parameters(joint) if question.keep else joint
    if question.accumulate:
        joint, gradients = accumulated(joint, gradients, sums)
    joint = spent(joint)
    like = next((found for other in built if (found := _resized(other, joint, hints))), None)
    serial, apart = like or optimize_joint(joint, inlined(primal, hints))
    return Derivation(
        primal=primal,
        ccs=ccs,
        adjoint=adjoint,
        plan=plan,
        joined=joint,
        serial=serial,
        apart=apart,
        hints=hints,
        gradients=gradients,
        seeds=question.seeds,
        threads=threads(),
    )


def inlined(primal: Program, hints: Hints) -> Hints:
    """What is computed again where it is read: nothing that extrema of the primal compare."""
    return replace(hints, recompute=hints.recompute - compared(primal))


def _resized(other: Derivation, joint: Program, hints: Hints) -> tuple[Program, Program] | None:
    """What another plan's program became, if this one differs from it in the number of kept states alone."""
    if replace(other.hints, slots={}) != replace(hints, slots={}) or not hints.slots:
        return None
    serial, apart = (resized(other.joined, made, joint) for made in (other.serial, other.apart))
    return None if serial is None or apart is None else (validate(serial), apart)


def optimize_joint(joint: Program, hints: Hints) -> tuple[Program, Program]:
    """The program in the form that is compiled for one thread, and what it was before nests were joined."""
    joint = stripped(joint)
    kept = kept_arrays(remove_dead(joint, live_at_end(joint)), hints)
    apart = passes.improve_apart(joint, kept, hints.recompute, hints.spare, hints.device)
    joined = remove_dead(apart, kept) if hints.apart else passes.merge(apart, kept)
    joined = remove_dead(without_formulas(joined), kept)
    return validate(passes.finish(joined, kept, hints.spare, hints.device)), apart


def _in_blocks(primal: Program, ccs: CCS, question: Question, hints: Hints) -> tuple[Program, CCS]:
    """The primal with the loops in blocks that the hints name."""
    if not hints.blocks:
        return primal, ccs
    blocked = in_blocks(primal, hints.blocks)
    return blocked, find_ccs(blocked, question.inputs, question.outputs)


def _seen(primal: Program, question: Question) -> frozenset[str]:
    """Arrays of the primal that somebody looks at after a call."""
    overwritten = () if question.keep else written_parameters(primal)
    return frozenset((*overwritten, *question.wanted))


def optimize_primal(program: Program, stored: frozenset[str] = frozenset()) -> Program:
    """What helps both the primal and its derivative: one nest per statement, no copies, nothing dead.

    Arrays of `stored` stay arrays.
    """
    return _prepared(program, stored | held_arrays(program))


@remembered
def _prepared(program: Program, stored: frozenset[str]) -> Program:
    return validate(hold_operands(passes.prepare(program, live_at_end(program) | stored)))


def kept_arrays(joint: Program, hints: Hints) -> frozenset[str]:
    """Arrays that somebody may see, or that the user wants to be kept."""
    return live_at_end(joint) | (hints.store & joint.arrays.keys())


def live_at_end(program: Program) -> frozenset[str]:
    """Arrays whose final values somebody may see."""
    return frozenset((*program.results, *written_parameters(program)))


def before_another_derivative(derivation: Finished) -> Program:
    """The joint program to differentiate again: with users' rules, before passes that do not know of them."""
    return derivation.joined if has_rules(derivation.joined) else derivation.apart


def with_zeros(
    program: Program, inputs: Sequence[Array], gradients: Sequence[str | None]
) -> tuple[Program, tuple[str, ...]]:
    """The program with gradients that are zero whatever its arguments are as results too, and all their names."""
    names: list[str] = []
    for array, gradient in zip(inputs, gradients, strict=True):
        if gradient is None:
            supply = NameSupply.of(program)
            zero = replace(array, name=supply.new(bar(array.name)))
            arrays, fill = {**program.arrays, zero.name: zero}, filled(zero, supply)
            program = replace(program, arrays=arrays, results=(*program.results, zero.name), body=(fill, *program.body))
            gradient = zero.name
        names.append(gradient)
    return program, tuple(names)


def _with_results(joint: Program, question: Question, gradients: tuple[str | None, ...]) -> Program:
    results = dict.fromkeys((*question.wanted, *(g for g in gradients if g is not None)))
    return replace(joint, results=tuple(results))


def keep_parameters(program: Program) -> Program:
    """Overwritten parameters become local copies; the caller's arrays are only read."""
    arrays, copies, renamed = dict(program.arrays), [], {}
    supply = NameSupply.of(program)
    for name in written_parameters(program):
        entry = replace(arrays[name], name=supply.new(f"{name}_in"))
        arrays[entry.name] = entry
        copies.append(_copy(arrays[name], entry, supply))
        renamed[name] = entry.name
    parameters = tuple(renamed.get(p, p) for p in program.parameters)
    body: tuple[Node, ...] = (*copies, *program.body)
    return replace(program, arrays=arrays, parameters=parameters, body=body)


def _copy(target: Array, source: Array, names: NameSupply) -> Nest:
    domain, index = all_points(target, names)
    return Nest(domain, (Assign(Access(target.name, index), "=", Load(source.name, index, source.dtype)),))
