"""One call of a communicator's method: its buffers, numbers and ranks, as the program has them."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from daad.frontend.numpy.calling.call_arguments import static
from daad.frontend.python.calls.mpi.communications import communicated, places_like
from daad.frontend.python.reading.reader import Reader
from daad.frontend.staging import complex_numbers
from daad.frontend.staging.values import ArrayValue, Complex, affine_of
from daad.ir.pinning import NeedsOwn
from daad.runtime.mpi.exchanges import Exchange, Type
from daad.runtime.mpi.ranks import mpi
from daad.runtime.python_calls import MOST

SIZES = "Give buffers the sizes that belong together."


@dataclass(frozen=True)
class Buffer:
    """An array that is sent or received, and how many of its elements are each rank's, where that is said."""

    value: Any
    counts: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Site:
    """One call of a communicator's method."""

    reader: Reader
    node: ast.Call
    call: Any
    comm: Any
    name: str

    def refuse(self, message: str, hint: str) -> Any:
        self.reader.stage.refuse(message, hint)

    def do(self, function: Any, *args: Any) -> Any:
        return self.call(self.reader, self.node, function, list(args), {})

    def exchange(
        self, kind: str, sent: Sequence[Any], given: Sequence[Any], received: Sequence[Any], places: Sequence[Any] = (),
        root: int = 0, counts: tuple[int, ...] | None = None, beside: Sequence[Any] = (),
    ) -> list[Any]:  # fmt: skip
        """Emits it; the buffers in `received` get what comes. Returns what the `places` behind these hold.

        Those `beside` are like what another call, which belongs to this one, sends or receives.
        """
        exchange = Exchange(
            kind=kind,
            comm=self.comm,
            at=self.reader.stage.at,
            sent=tuple(map(self.type_of, (*sent, *beside))),
            received=tuple(map(self.type_of, received)),
            root=root,
            counts=counts,
        )
        own = [places_like(self.reader.stage, target) for target in received]
        found = communicated(self.reader, self.node, self.call, exchange, [*sent, *given], [*own, *places])
        for target, value in zip(received, found, strict=False):
            self.do(np.copyto, target, value)
        return found[len(received) :]

    def type_of(self, value: Any) -> Type:
        shape = tuple(self.reader.stage.known(extent) for extent in value.shape)
        if isinstance(value, Complex):
            return shape, np.result_type(value.real.dtype, np.complex64)
        return shape, value.dtype

    def size(self, value: Any) -> int:
        return prod(self.type_of(value)[0])

    def known(self, value: Any, what: str) -> Any:
        return static(self.reader.stage, value, what)

    def integer(self, value: Any) -> Any:
        """A rank or a tag: known, or a number at run time."""
        if isinstance(value, ArrayValue):
            form = affine_of(value)
            return form.const if form is not None and form.is_const else self.reader.stage.copy(value, "number")
        return int(value)

    def root(self, value: Any) -> int:
        return int(self.known(value, f"root of '{self.name}'"))

    def buffer(self, given: Any) -> Buffer:
        """What a buffer's specification says."""
        counts = None
        if isinstance(given, list | tuple) and given:
            given, *others = given
            counts = self.counts([one for one in others if not isinstance(one, mpi().Datatype | str)], given)
        if isinstance(given, np.ndarray):
            stage = self.reader.stage
            given = complex_numbers.of_constant(stage, given) if given.dtype.kind == "c" else stage.constant(given)
        if not isinstance(given, ArrayValue | Complex) or (isinstance(given, ArrayValue) and given.weak):
            return self.refuse(f"A buffer of '{self.name}' is no array.", "Pass an array, or [array, MPI.DOUBLE].")
        if self.size(given) >= MOST:
            return self.refuse(f"A message has {MOST} elements or more.", "Send it in parts.")
        return Buffer(given, counts)

    def counts(self, others: list[Any], array: Any) -> tuple[int, ...] | None:
        """The numbers of elements for all ranks, which lie one behind the other."""
        if not others:
            return None
        numbers, *displacements = others[0] if len(others) == 1 and isinstance(others[0], tuple) else others
        numbers = self.known(numbers, f"number of elements in '{self.name}'")
        if isinstance(numbers, int | np.integer):
            if numbers != self.size(array):
                self.refuse(f"A buffer of '{self.name}' is longer than its message.", "Pass a slice of that length.")
            return None
        if isinstance(numbers, np.ndarray):
            self.reader.stage.rely(numbers)
        found = tuple(int(n) for n in numbers)
        starts = [sum(found[:k]) for k in range(len(found))]
        for one in displacements:
            placed = self.known(one, f"displacements in '{self.name}'")
            if placed is not None and [int(n) for n in placed] != starts:
                self.refuse(f"'{self.name}' leaves gaps between the parts.", "Pass parts that follow each other.")
        return found

    def target(self, given: Any) -> Buffer:
        """A buffer that is received into."""
        array = given[0] if isinstance(given, list | tuple) and given else given
        if isinstance(array, np.ndarray):
            raise NeedsOwn(array)
        return self.buffer(given)

    def like(self, sent: Any, received: Any) -> Any:
        """What is sent, in the shape of what is received."""
        (shape, dtype), (own, kind) = self.type_of(received), self.type_of(sent)
        if kind != dtype:
            self.refuse(f"'{self.name}' sends '{kind}' and receives '{dtype}'.", "Give both buffers one dtype.")
        if prod(shape) != prod(own):
            self.refuse(f"'{self.name}' sends {prod(own)} elements and receives {prod(shape)}.", SIZES)
        return sent if shape == own else self.do(np.reshape, sent, shape)

    def require(self, whole: Any, part: Any, counts: tuple[int, ...] | None, gathers: bool) -> None:
        """Checks the sizes of what all ranks have together."""
        size, rank = self.comm.Get_size(), self.comm.Get_rank()
        expected = self.size(part) * size if counts is None else sum(counts)
        own = self.size(part) if counts is None else counts[rank]
        if self.type_of(whole)[1] != self.type_of(part)[1]:
            self.refuse(f"'{self.name}' has buffers of two dtypes.", "Give both buffers one dtype.")
        if self.size(whole) != expected or self.size(part) != own or (counts and len(counts) != size):
            verb = "receives" if gathers else "sends"
            self.refuse(f"'{self.name}' {verb} {self.size(whole)} elements, not {expected} for {size} ranks.", SIZES)

    def no_status(self, status: Any) -> None:
        if status is not None:
            self.refuse(f"The status of '{self.name}' is not supported.", "Leave it out.")
