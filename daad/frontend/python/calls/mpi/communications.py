"""Communications among the statements of a program: a chain of calls of Python that derivatives keep in order.

`stage.world` holds the number of the next communication. It depends on all arguments and all outputs depend on it, so
that every one of them matters, whatever derivative is asked for on this rank.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from daad.frontend.custom_derivatives import Ruled
from daad.frontend.python.calls.opaque_calls import CallOfPython, Slot
from daad.frontend.python.calls.rule_structures import Pair, apart, is_active, mapped, whole, zipped
from daad.frontend.python.calls.ruled_calls import Caller, output, placed, reverse
from daad.frontend.python.reading.reader import Reader
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.values import ArrayValue, Complex, View, own_axes
from daad.ir.affine import Affine
from daad.ir.pinning import NeedsWorld
from daad.runtime.mpi.exchanges import KINDS, Exchange
from daad.runtime.mpi.ranks import abort_all_on_errors
from daad.runtime.mpi.run_log import finished
from daad.runtime.python_calls import Frame

WORLD = Slot((), np.dtype("float64"))
INTEGER = Slot((), np.dtype("int64"))


@dataclass(eq=False)
class InRun(CallOfPython):
    """A function that is told which run it is called in, as is its `tangent`, which takes arguments and tangents."""

    tangent: Callable[..., Any] | None = None

    def __call__(self, frame: Frame, *args: Any) -> Any:
        return self.function(frame, *args)


@dataclass(frozen=True)
class Adjoint:
    """What an exchange does in a reverse sweep; `of` are the operands that have adjoints."""

    exchange: Exchange
    of: tuple[int, ...]

    def __call__(self, frame: Frame, given: Sequence[Any], found: Sequence[Any], bars: Sequence[Any]) -> list[Any]:
        world, *sent = self.exchange.backward(frame, list(given), list(found), list(bars))
        return [world, *(sent[k] for k in self.of)]


def communicated(reader: Reader, node: ast.Call, call: Any, exchange: Exchange, given: Sequence[Any],
                 places: Sequence[Any]) -> list[Any]:  # fmt: skip
    """What the communication gives, in these places; of `given`, buffers come first."""
    stage = reader.stage
    if stage.world is None:
        raise NeedsWorld
    if stage.ruled:
        stage.refuse("A function with a rule of its own passes messages.", "Let its caller pass them.")
    if stage.speculation.is_on:
        stage.refuse("Data decide what this program is, and it passes messages.", "Decide by 'if' and 'while' alone.")
    caller = Caller(reader, node, Ruled(_named(exchange)), call, stage.ruled + 1)
    if caller.level < stage.derivatives:
        stage.refuse(
            "Communications have first derivatives only.",
            "Ask for 'grad', 'value_and_grad', 'vjp' or 'jvp'.",
        )
    operands = [_operand(caller, one) for one in given]
    args = [stage.world, *operands]
    python = InRun(caller.function.name, exchange.forward, like=[WORLD, *places], tangent=exchange.tangent)
    found = python.read(stage, args)
    if caller.level == stage.derivatives:
        found = _differentiated(caller, exchange, args, apart(stage, found))
    world, *others = found
    stage.store(stage.world, world)
    return list(others)


def _named(exchange: Exchange) -> Callable[..., Any]:
    def communication() -> None: ...

    communication.__name__ = exchange.kind.lower().replace(" ", "_")
    return communication


def _operand(caller: Caller, value: Any) -> Any:
    parts = apart(caller.stage, value)
    return mapped(parts, lambda leaf: placed(caller, leaf), lambda leaf: _integers(caller, leaf))


def _integers(caller: Caller, value: Any) -> Any:
    return caller.stage.place(value) if isinstance(value, ArrayValue) else value


def _differentiated(caller: Caller, exchange: Exchange, args: list[Any], found: Any) -> Any:
    stage, keeps = caller.stage, KINDS[exchange.kind].keeps
    result = zipped(found, found, lambda value, dot: output(caller, value, dot))
    of = tuple(k for k, arg in enumerate(args[1:]) if is_active(arg) or isinstance(arg, Pair))
    adjoint = Adjoint(exchange, of)
    places = [WORLD, *(_places(stage, args[1 + k]) for k in of)]
    given = [None if isinstance(arg, Pair) or (is_active(arg) and not keeps) else arg for arg in args[1:]]
    got = [None if isinstance(one, Pair) or (is_active(one) and not keeps) else one for one in result[1:]]

    def backward(residuals: Any, bars: Any) -> list[Any]:
        sent, received = residuals
        buffers = bars[: 1 + len(exchange.received)]
        python = InRun(f"{caller.function.name}_adjoint", adjoint, like=places)
        bars_ = python.read(stage, [sent, received, buffers])
        shares = dict(zip((0, *(1 + k for k in of)), bars_, strict=True))
        return [shares.get(k) for k in range(len(args))]

    reverse(caller, backward, args, [given, got], result, True)
    return whole(result)


def _places(stage: Stage, value: Any) -> Any:
    def place(leaf: ArrayValue) -> Slot:
        return Slot(tuple(stage.known(extent) for extent in leaf.shape), leaf.dtype)

    return mapped(value, place)


def places_like(stage: Stage, value: ArrayValue | Complex) -> Any:
    """The places of what a buffer receives."""
    if isinstance(value, Complex):
        return _places(stage, apart(stage, value))
    return Slot(tuple(stage.known(extent) for extent in value.shape), value.dtype)


def begin(reader: Reader, call: Any, parameters: Sequence[View]) -> None:
    """Before all else: the number of the first communication depends on the arguments."""
    stage = reader.stage
    abort_all_on_errors()
    caller = _inner_caller(reader, call, "world")
    args = [first_element(stage, one) for one in parameters if not any(e == Affine(0) for e in one.shape)]
    args = [placed(caller, one) for one in args]
    world = InRun("world", _first, like=WORLD, tangent=_first_tangent).read(stage, args)
    if caller.level <= stage.derivatives and args:
        result = output(caller, world, world)
        places = [_places(stage, one) for one in args]

        def backward(_residuals: Any, bar: Any) -> list[Any]:
            return list(InRun("world_adjoint", Last(len(args)), like=places).read(stage, [bar]))

        reverse(caller, backward, args, None, result, True)
        world = result
    stage.world = stage.copy(world, "world")


def _first_tangent(frame: Frame, _given: Any, _dots: Any) -> tuple[float, float]:
    return 0.0, 0.0


def _first(_frame: Frame, *_given: Any) -> np.float64:
    return np.float64(0.0)


@dataclass(frozen=True)
class Last:
    """The adjoint of the first number: nothing for all arguments."""

    count: int

    def __call__(self, frame: Frame, world: float) -> list[Any]:
        finished(frame, world)
        return [0.0] * self.count


def end(reader: Reader, call: Any, outputs: Sequence[str]) -> None:
    """After all else: the outputs depend on the number after the last communication."""
    stage = reader.stage
    assert stage.world is not None, "the program communicates"
    caller = _inner_caller(reader, call, "finished")
    world = stage.copy(stage.world, "world")
    zero = InRun("finished", finished, like=WORLD, tangent=_last_tangent).read(stage, [world])
    if caller.level <= stage.derivatives:
        result = output(caller, zero, zero)

        def backward(residuals: Any, bar: Any) -> list[Any]:
            return [InRun("finished_adjoint", _reversed, like=WORLD).read(stage, [residuals, bar])]

        kept = caller.passive(world, "last")
        reverse(caller, backward, [world], kept, result, True)
        zero = result
    for name in dict.fromkeys(outputs):
        array = stage.arrays[name]
        if np.dtype(array.dtype).kind == "f" and array.size:
            whole_array = stage.view(name, tuple(map(Affine, array.shape)), own_axes(len(array.shape)))
            target = first_element(stage, whole_array)
            stage.store(target, zero, "+=")


def _last_tangent(frame: Frame, given: Any, _dots: Any) -> tuple[float, float]:
    return finished(frame, given[0]), 0.0


def _reversed(frame: Frame, last: float, _bar: float) -> np.float64:
    """Adjoints are numbered from where the program's own communications end."""
    finished(frame, last)
    return np.float64(last)


def _inner_caller(reader: Reader, call: Any, name: str) -> Caller:
    node = ast.Call(ast.Name(name), [], [])

    def function() -> None: ...

    function.__name__ = name
    return Caller(reader, node, Ruled(function), call, reader.stage.ruled + 1)


def first_element(stage: Stage, value: View) -> View:
    """A view of it."""
    found = stage.reindexed(value, (), lambda _: tuple(Affine(0) for _ in value.shape))
    assert isinstance(found, View), "a view of a view"
    return found
