"""The joint program in two: the primal, which leaves what the adjoint reads, and the adjoint, run as often as asked."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np

from daad.analysis.cost.placement import read_on_entry
from daad.ccs.question import Question
from daad.errors import MemoryLimitTooSmall
from daad.ilp.joint import adjoint_program
from daad.ilp.stores import insert, stores_of
from daad.ir.name_supply import NameSupply
from daad.ir.nodes import Program
from daad.messages.sizes import Bytes, readable
from daad.pipeline import NO_NUMBERS, Derivation, Finished, derive, keep_parameters, optimize_joint
from daad.products.argument_copies import names_of_copies, with_copies
from daad.products.several_seeds import for_several

ATTEMPTS = 4
"""Limits that are tried so that the product keeps to the user's."""
Made = TypeVar("Made")


@dataclass(frozen=True, kw_only=True)
class Split(Finished):
    """The primal that keeps: its results are the outputs and the arrays `kept`, which the pullback takes.

    `derivation` is that of the gradient, by whose plan values are kept. Of large arguments it gives `copies`, by name.
    """

    derivation: Derivation
    kept: tuple[str, ...]
    copies: Mapping[str, str]

    @property
    def is_planned(self) -> bool:
        """What memory holds is decided by the plan of the gradient."""
        return True

    @property
    def tables(self) -> Mapping[str, np.ndarray]:
        """The values of parameters that the plan adds."""
        return self.derivation.tables

    def pullback(self, batch: int | None = None) -> Finished:
        """The adjoint alone, for so many seeds of each output along a leading axis (None: one, without the axis).

        Its parameters are those of `kept`, then the tables, then the seeds; it leaves them as they are.
        """
        return self._pullback if batch is None else for_several(self._pullback, self._seeds, batch, self.tables)

    @property
    def _seeds(self) -> tuple[str, ...]:
        return tuple(seed.array for seed in self.derivation.seeds)

    @cached_property
    def _pullback(self) -> Finished:
        derivation = self.derivation
        alone = _adjoint(derivation)
        parameters = (*self.kept, *self.tables, *self._seeds)
        arrays = {n: replace(a, extents=()) if n in parameters else a for n, a in alone.arrays.items()}
        joined = keep_parameters(replace(alone, parameters=parameters, arrays=arrays))
        serial, apart = optimize_joint(joined, replace(derivation.hints, recompute=frozenset()))
        return Finished(
            primal=replace(alone, parameters=parameters),
            ccs=derivation.ccs,
            joined=joined,
            serial=serial,
            apart=apart,
            hints=derivation.hints,
            gradients=derivation.gradients,
            threads=derivation.threads,
        )


def derive_pullback(
    program: Program, question: Question, limit: int | None = None, numbers: Mapping[str, int] = NO_NUMBERS
) -> Split:
    """Differentiates and plans as for a gradient; within `limit` bytes, what is kept between the halves included."""
    return within(limit, lambda asked: _split(derive(program, question, asked, numbers), question), _held)


def within(limit: int | None, make: Callable[[int | None], Made], held: Callable[[Made], int]) -> Made:
    """What `make` makes of a limit for the gradient, so that what it holds itself keeps to the user's."""
    if limit is None:
        return make(None)
    asked = limit
    with contextlib.suppress(MemoryLimitTooSmall):
        for _ in range(ATTEMPTS):
            found = make(asked)
            nbytes = held(found)
            if nbytes <= limit:
                return found
            asked -= nbytes - limit
    found = _smallest(make)
    nbytes = held(found)
    if nbytes <= limit:
        return found
    raise MemoryLimitTooSmall(
        f"No plan keeps the product to {readable(limit)}: the smallest needs {nbytes} bytes.",
        hint="Raise it.",
        minimum=Bytes(nbytes),
    )


def _smallest(make: Callable[[int | None], Made]) -> Made:
    try:
        return make(1)
    except MemoryLimitTooSmall as error:
        return make(error.minimum)


def _held(split: Split) -> int:
    """The bytes that the larger half holds."""
    return max(split.nbytes, split.pullback().nbytes)


def _adjoint(derivation: Derivation) -> Program:
    return adjoint_program(derivation.adjoint, derivation.plan, derivation.seeds)


def _split(derivation: Derivation, question: Question) -> Split:
    adjoint, plan, primal = derivation.adjoint, derivation.plan, derivation.primal
    alone = _adjoint(derivation)
    others = {*plan.tables, *(seed.array for seed in derivation.seeds)}
    read = read_on_entry(alone)
    kept = tuple(name for name in alone.parameters if name in read and name not in others)
    stores = stores_of(adjoint.forwarded, adjoint.body, plan, NameSupply((*alone.arrays, *primal.integers)))
    arrays = {**primal.arrays, **{n: alone.arrays[n] for n in (*kept, *plan.tables)}}
    arrays |= {a.name: alone.arrays[a.name] for a in (*plan.tapes, *plan.integers)}
    arrays |= {n: replace(arrays[n], extents=()) for n in kept}
    joined = replace(
        primal,
        name=f"{primal.name}_forward",
        arrays=arrays,
        parameters=(*primal.parameters, *plan.tables),
        results=tuple(dict.fromkeys((*question.wanted, *kept))),
        body=insert(primal.body, stores, ()),
    )
    joined = keep_parameters(joined) if question.keep else joined
    hints = replace(derivation.hints, recompute=frozenset(), store=derivation.hints.store | {*kept})
    serial, apart = optimize_joint(joined, hints)
    copies = names_of_copies(serial, kept)
    return Split(
        primal=primal,
        ccs=derivation.ccs,
        joined=with_copies(joined, copies),
        serial=with_copies(serial, copies),
        apart=with_copies(apart, copies),
        hints=hints,
        gradients=(),
        threads=derivation.threads,
        derivation=derivation,
        kept=kept,
        copies=copies,
    )
