"""The parts of a gradient as SDFGs that DaCe alone loads, compiles and runs, with the names of the user's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any

import numpy as np

from daad import pipeline
from daad.api.call import marshalling
from daad.api.call.specialization import Specialised
from daad.ccs.graph import CCS
from daad.codegen.chosen_names import cleaned
from daad.codegen.safe_names import name_everything
from daad.codegen.sdfg.whole_program import Portable, lower, prepare
from daad.errors import BadArgument, Unsupported
from daad.frontend.sdfg.dace_names import daces_name
from daad.ilp.plan import Kept
from daad.ir.nodes import Program
from daad.ir.operations.of_scipy import SPECIAL
from daad.ir.walk import computes, written_parameters
from daad.messages.suggestions import listed
from daad.pipeline import Derivation
from daad.runtime.settings import settings


@dataclass(frozen=True, kw_only=True)
class Part:
    """A program that DaCe compiles: what its arguments are to be called, what each `is`, and which are constants."""

    program: Program
    names: Mapping[str, str]
    roles: Mapping[str, str]
    constants: Mapping[str, np.ndarray]
    notes: tuple[str, ...] = ()

    def about(self, declared: Mapping[str, str]) -> str:
        """Comments, one for each argument."""
        program = self.program
        outer = dict.fromkeys((*program.parameters, *program.results))
        lines = [f"{program.name}, made by daad. Arguments:"]
        for name in (n for n in outer if n not in self.constants):
            lines.append(f"  {declared[name]}: {self.roles.get(name, 'a result of the program')}")
        lines += [f"  {declared[name]}: argument '{self.names.get(name, name)}'" for name in program.integers]
        return "".join(f"// {line}\n" for line in (*lines, *self.notes))


def portable_sdfg(found: Specialised, part: str) -> Any:
    """A part for DaCe alone; its global code begins with what it takes."""
    if part not in MAKERS:
        raise BadArgument(f"A gradient has no part {part!r}.", hint=f"Use {listed([*map(repr, MAKERS)], 'or')}.")
    if checks := found.planned.read.checks:
        raise Unsupported(
            "A program that raises exceptions of its own has no SDFG that DaCe alone could run.",
            at=checks[0].at,
            hint="Take what raises out of the program, or call the gradient itself.",
        )
    made = MAKERS[part](found)
    if computes(made.program.body, {"python_get"}):
        raise Unsupported(
            "A program that calls Python has no SDFG that DaCe alone could run.",
            hint="Write opaque functions with NumPy and sort with kind='stable', or call the gradient itself.",
        )
    if computes(made.program.body, SPECIAL):
        raise Unsupported(
            "A program that calls functions of 'scipy.special' has no SDFG that DaCe alone could run.",
            hint="Write them with NumPy, or call the gradient itself.",
        )
    portable = Portable(names=made.names, constants=dict(_constants(made)), about=made.about)
    with settings():
        sdfg = lower(made.program, portable=portable)
    sdfg.__doc__ = described(sdfg)
    return sdfg


def compiled_sdfg(found: Specialised) -> Any:
    """The SDFG that is compiled; what each call gives it, as the tables of a schedule, are constants."""
    sdfg = found.compiled.sdfg
    names = name_everything(prepare(found.derivation.joint))
    fixed = {names[name]: value for name, value in _fixed(found).items()}
    for name in sorted(fixed.keys() - sdfg.constants_prop.keys()):
        sdfg.add_constant(name, fixed[name], sdfg.arrays[name])
        sdfg.arrays[name].transient = True
    return sdfg


def ccs(found: Specialised) -> CCS:
    """That of the derivation, which finds the user's names in SDFGs."""
    own, users = found.derivation.ccs, _users(found)
    called = {name: _called(name, users.get(name, "")) for name in (*own.inputs, *own.outputs)}
    return replace(own, called=called)


def _called(name: str, user: str) -> tuple[str, ...]:
    """By the parts of a gradient, or by DaCe."""
    own = (f"{user}_out", user, cleaned(user)) if user else ()
    return (*own, name, daces_name(name))


def described(sdfg: Any) -> str:
    """What the comments at the top of a portable SDFG say."""
    lines = takewhile(lambda line: line.startswith("// "), sdfg.global_code["frame"].as_string.splitlines())
    return "\n".join(line.removeprefix("// ") for line in lines)


def _joint(found: Specialised) -> Part:
    derivation, users = found.derivation, _users(found)
    program, zeros = _with_zeros(derivation.on_threads(1), derivation)
    slots = {slot.array.name: slot for slot in found.slots}
    given = {name: users.get(slot.name, slot.name) for name, slot in slots.items()}
    roles = {name: _argument(given[name], slot.written, slot.paired) for name, slot in slots.items()}
    names = {**given, **_bars(found, zeros)}
    values = _values(derivation.ccs.outputs, users)
    for output, value in values.items():
        roles.setdefault(output, value)
        if output in users and output not in slots:
            names[output] = f"{users[output]}_out"
    roles |= {seed.array: f"weights of {values[seed.output]}" for seed in derivation.seeds if not seed.value}
    roles |= _gradients(found, zeros)
    return _part(found, program, names, roles)


def _primal(found: Specialised) -> Part:
    users = _users(found)
    question = replace(found.planned.question, keep=False, checks=())
    program = pipeline.alone(found.derivation, question).on_threads(1)
    written = written_parameters(program)
    roles = {name: _argument(users.get(name, name), name in written, False) for name in program.parameters}
    roles |= {name: value for name, value in _values(question.outputs, users).items() if name not in roles}
    return _part(found, program, users, roles)


def _adjoint(found: Specialised) -> Part:
    derivation, users = found.derivation, _users(found)
    alone, originals = derivation.adjoint_alone
    program, zeros = _with_zeros(alone, derivation)
    kept = dict(_kept(derivation))
    values = _values(derivation.ccs.outputs, users)
    kept |= {seed.array: f"weights of {values[seed.output]}" for seed in derivation.seeds if not seed.value}
    roles, names = {}, dict(_bars(found, zeros))
    for name in program.parameters:
        own = originals.get(name, name)
        names[name] = users.get(own, own)
        roles[name] = kept.get(own, f"forwarded: '{names[name]}' as the program leaves it")
    return _part(found, program, names, roles | _gradients(found, zeros))


MAKERS = {"joint": _joint, "primal": _primal, "adjoint": _adjoint}


def _part(found: Specialised, program: Program, names: Mapping[str, str], roles: Mapping[str, str]) -> Part:
    """What no caller has is constant in the SDFG."""
    fixed = _fixed(found)
    read, users = found.planned.read, _users(found)
    fixed |= {n: marshalling.constant(v, program.arrays[n]) for n, v in read.constants.items() if n in program.arrays}
    fixed |= found.derivation.plan.tables
    outer = {*program.parameters, *program.results, *program.integers}
    return Part(
        program=program,
        names={name: word for name, word in {**users, **names}.items() if name in outer},
        roles=roles,
        constants={name: value for name, value in fixed.items() if name in program.parameters},
        notes=tuple(f"Made for {name} = {value!r}." for name, value in read.pinned.items()),
    )


def _fixed(found: Specialised) -> dict[str, np.ndarray]:
    """What calls give the program and no caller has: all that is always the same but weights of outputs."""
    made = found.derivation
    weights = {seed.array for seed in made.seeds} if isinstance(made, Derivation) else set()
    slots = (slot for slot in found.slots if slot.array.name not in weights)
    return {slot.array.name: slot.fixed for slot in slots if slot.fixed is not None}


def _with_zeros(program: Program, derivation: Derivation) -> tuple[Program, tuple[str, ...]]:
    inputs = [derivation.primal.arrays[name] for name in derivation.ccs.inputs]
    return pipeline.with_zeros(program, inputs, derivation.gradients)


def _users(found: Specialised) -> dict[str, str]:
    """The user's names of the program's parameters."""
    return {place: user for user, place in found.planned.read.places.items()}


def _bars(found: Specialised, gradients: tuple[str, ...]) -> dict[str, str]:
    users = _users(found)
    inputs = found.derivation.ccs.inputs
    return {bar: f"{users[name]}_bar" for name, bar in zip(inputs, gradients, strict=True)}


def _gradients(found: Specialised, gradients: tuple[str, ...]) -> dict[str, str]:
    users, inputs = _users(found), found.derivation.ccs.inputs
    return {bar: f"the gradient of '{users[name]}'" for name, bar in zip(inputs, gradients, strict=True)}


def _argument(name: str, is_written: bool, is_paired: bool) -> str:
    pairs = ", real and imaginary parts along the last axis" if is_paired else ""
    return f"argument '{name}'{', which is overwritten' if is_written else ''}{pairs}"


def _values(outputs: Sequence[str], users: Mapping[str, str]) -> dict[str, str]:
    """What the outputs are."""
    only = "the value of the program" if len(outputs) == 1 else None
    return {
        output: f"'{users[output]}' as the program leaves it"
        if output in users
        else only or f"value {n} of the program"
        for n, output in enumerate(outputs)
    }


def _kept(derivation: Derivation) -> Iterator[tuple[str, str]]:
    """What tapes hold."""
    plan = derivation.plan
    for kept in plan.kept.values():
        yield kept.tape.name, f"forwarded: {_forwarded(kept)}"
    for snapshots in plan.snapshots.values():
        for name, tape in snapshots.kept.items():
            yield tape.name, f"forwarded: '{name}' at kept states of loop '{snapshots.replay.var}'"


def _forwarded(kept: Kept) -> str:
    loops = ", ".join(f"'{loop.var}'" for loop in kept.forwarded.loops)
    lows = ", ".join(str(span.low) for span in kept.spans)
    part = "" if all(str(span.low) == "0" for span in kept.spans) else f", from [{lows}] on"
    return f"values of '{kept.forwarded.array}'{part}, kept {f'each iteration of {loops}' if loops else 'once'}"


def _constants(part: Part) -> Iterator[tuple[str, np.ndarray]]:
    """Those that C++ can spell."""
    for name, value in part.constants.items():
        if not np.all(np.isfinite(value)):
            raise Unsupported(
                f"The constant array '{name}' is not finite everywhere, which an SDFG cannot hold.",
                hint="Make it an argument of the program.",
            )
        if value.size:
            yield name, value.astype(np.uint8) if value.dtype == bool else value.copy()
