"""Random numbers that a program draws: made before it runs, in the order in which NumPy would draw them.

A draw is an array parameter of the Program that carries no derivative. One inside of loops has an axis for each of
them; the numbers are drawn iteration by iteration, so that the generator ends as the program would leave it.
"""

from __future__ import annotations

import copy
import ctypes
import random
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Rounds:
    """A loop around a draw, by its variable in the Program."""

    variable: str
    values: range

    @property
    def extent(self) -> int:
        return max(self.values) - min(self.values) + 1 if self.values else 0


@dataclass(frozen=True, eq=False)
class Draw:
    """`array[rounds] = generator.method(*args, **keywords)`, for all rounds of the loops around.

    A method that is no name is a function whose first argument is the generator.
    """

    generator: Any
    method: str | Callable[..., Any]
    args: tuple[Any, ...]
    keywords: Mapping[str, Any]
    rounds: tuple[Rounds, ...]
    array: np.ndarray

    def make(self, generator: Any, index: tuple[int, ...]) -> None:
        self.array[index] = drawing(generator, self.method)(*self.args, **self.keywords)


def make(draws: Sequence[Draw], chosen: Callable[[Any], Any], index: tuple[int, ...] = ()) -> None:
    """Draws all numbers in order; `chosen` gives what stands for a generator."""
    depth = len(index)
    for loop, group in groupby(draws, lambda draw: draw.rounds[depth] if len(draw.rounds) > depth else None):
        inner = list(group)
        if loop is None:
            for draw in inner:
                draw.make(chosen(draw.generator), index)
            continue
        for value in loop.values:
            make(inner, chosen, (*index, value - min(loop.values)))


@dataclass
class Drawn:
    """The draws of a program that is being read, and their arrays by name.

    `generators` are the program's own by identity, whose state is known: what they draw is, too. For others the numbers
    are those of this call, from copies. `final`: generators of others that the program has given a seed, with its own
    ones in their place.
    """

    draws: tuple[Draw, ...] = ()
    arrays: Mapping[str, np.ndarray] = field(default_factory=dict)
    final: Mapping[int, tuple[Any, Any]] = field(default_factory=dict)
    _made: tuple[Draw, ...] = ()
    _copies: dict[int, Any] = field(default_factory=dict)

    def follow(self) -> None:
        """Makes the numbers that have not been made yet; all of them, where some of the draws have been taken back."""
        count = len(self._made)
        if self.draws[:count] != self._made:
            self._copies, count = {}, 0
        make(self.draws[count:], self._copy)
        self._made = self.draws

    def _copy(self, generator: Any) -> Any:
        return self._copies.setdefault(id(generator), copied(generator))

    def noted(self) -> tuple[Any, ...]:
        """What has been drawn so far, for `back`."""
        return self.draws, self.arrays, self.final

    def back(self, noted: tuple[Any, ...]) -> None:
        """Forgets the draws since."""
        self.draws, self.arrays, self.final = noted

    def holds(self, generator: Any) -> bool:
        """Whether numbers of this generator are among those that are drawn ahead."""
        return any(draw.generator is generator for draw in self.draws)

    def finished(self, own: Mapping[int, Any]) -> Stream:
        """What each call has to draw."""
        self.follow()
        ends = [(outer, state(self._copies.get(id(made), made))) for outer, made in self.final.values()]
        return Stream(tuple(draw for draw in self.draws if id(draw.generator) not in own), tuple(ends))


@dataclass(frozen=True)
class Stream:
    """What each call draws from the caller's generators, and states in which it leaves some of them."""

    draws: tuple[Draw, ...]
    ends: tuple[tuple[Any, Any], ...]

    def __bool__(self) -> bool:
        return bool(self.draws or self.ends)

    def generators(self) -> Iterator[Any]:
        yield from {id(g): g for g in (*(d.generator for d in self.draws), *(g for g, _ in self.ends))}.values()

    def states(self) -> list[tuple[Any, Any]]:
        """The generators, each with what it would draw next."""
        return [(generator, state(generator)) for generator in self.generators()]

    @contextmanager
    def returned(self) -> Iterator[None]:
        """Afterwards, the generators draw the same again."""
        before = self.states()
        try:
            yield
        finally:
            rewind(before)

    def make(self) -> None:
        """Fills the arrays of the draws for one call."""
        make(self.draws, lambda generator: generator)
        rewind(self.ends)


NO_DRAWS = Stream((), ())
_HELD: ContextVar[bool] = ContextVar("held", default=False)


@contextmanager
def held() -> Iterator[None]:
    """Within, all calls draw the same numbers, from where the generators are now."""
    token = _HELD.set(True)
    try:
        yield
    finally:
        _HELD.reset(token)


def is_held() -> bool:
    """Whether generators are to stay where they are."""
    return _HELD.get()


def state(generator: Any) -> Any:
    """What decides what is drawn next."""
    if isinstance(generator, random.Random):
        return generator.getstate()
    if isinstance(generator, np.random.RandomState):
        return generator.get_state(legacy=False)
    return generator.bit_generator.state


def rewind(states: Sequence[tuple[Any, Any]]) -> None:
    """The generators draw the same again."""
    for generator, known in states:
        if isinstance(generator, random.Random):
            generator.setstate(known)
        elif isinstance(generator, np.random.RandomState):
            generator.set_state(known)
        else:
            generator.bit_generator.state = known


def generators_in(values: Iterable[Any], own: Container[int]) -> list[Any]:
    """Those among the values and their attributes, but for the program's own, by identity."""
    given = [one for value in values for one in (value, *getattr(value, "__dict__", {}).values())]
    return [one for one in given if isinstance(one, GENERATORS) and id(one) not in own]


def positions(generators: Iterable[Any]) -> tuple[Any, ...]:
    """What changes whenever one of these draws, or one that stands behind `np.random` or `random`."""
    bits = np.random.get_bit_generator()  # type: ignore[attr-defined]
    is_usual = isinstance(bits, np.random.MT19937)
    numpys = ctypes.string_at(bits.ctypes.state_address, USUAL) if is_usual else _comparable(bits.state)
    return numpys, random.getstate(), [_comparable(state(one)) for one in generators]


def _comparable(known: Any) -> Any:
    """A state whose equality is one truth value."""
    if isinstance(known, dict):
        return {name: _comparable(part) for name, part in known.items()}
    return known.tobytes() if isinstance(known, np.ndarray) else known


GENERATORS = (random.Random, np.random.Generator, np.random.RandomState)
USUAL = 625 * 4
"""Bytes of the state of a Mersenne twister: its words, and its place among them."""


def drawing(generator: Any, method: str | Callable[..., Any]) -> Callable[..., Any]:
    """What draws numbers of a distribution from the generator."""
    return getattr(generator, method) if isinstance(method, str) else partial(method, generator)


def copied(generator: Any) -> Any:
    """A generator that will draw the same."""
    return copy.deepcopy(generator)
