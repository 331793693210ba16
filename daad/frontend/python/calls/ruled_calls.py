"""Calls of functions with a rule of the user's: value and rule are read in place, each for its derivative."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np

from daad.analysis.data_decisions import decision
from daad.frontend.custom_derivatives import CustomRule, Ruled
from daad.frontend.python.calls.declared_dependence import number_of_pattern
from daad.frontend.python.calls.opaque_calls import CallOfPython
from daad.frontend.python.calls.rule_structures import Pair, apart, is_active, mapped, whole, zipped
from daad.frontend.python.reading.environment import restore, save
from daad.frontend.python.reading.reader import Reader
from daad.frontend.staging.boolean_masks import is_masked
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.values import ArrayValue, View, cast
from daad.ir.affine import Affine
from daad.ir.nodes import Const, Expr, Op

Call = Callable[..., Any]
"""Reads a call of a function in place, with arguments."""


@dataclass(frozen=True)
class Caller:
    """One call of a function with a rule, and how functions are read there; the rule is for the derivative `level`."""

    reader: Reader
    node: ast.Call
    function: Ruled
    call: Call
    level: int

    @property
    def stage(self) -> Stage:
        return self.reader.stage

    def note(self) -> None:
        """What the rules are is relied on."""
        for name in vars(self.function):
            if not name.startswith("__"):
                self.reader.witnesses.attribute(self.function, name)

    def bind(self, args: list[Any], keywords: dict[str, Any]) -> list[Any]:
        """The arguments by position, defaults included."""
        try:
            bound = inspect.signature(self.function.function).bind(*args, **keywords)
        except TypeError as error:
            self.stage.refuse(f"This call fails: {error}.", "Pass what the function's definition asks for.")
        bound.apply_defaults()
        if bound.kwargs:
            self.refuse("has arguments that are given by keyword only", "Give them by position.")
        return list(bound.args)

    def read(self, function: Callable[..., Any], *args: Any) -> Any:
        """The result of a function, read in place or left to Python."""
        if isinstance(function, CallOfPython):
            return function.read(self.stage, args)
        self.reader.path.append(id(function))
        result = self.call(self.reader, self.node, function, list(args), {})
        self.reader.path.pop()
        return result

    @contextmanager
    def inside(self) -> Iterator[None]:
        """What a rule calls has its rule for the derivative after this one."""
        self.stage.ruled += 1
        try:
            yield
        finally:
            self.stage.ruled -= 1

    def refuse(self, what: str, hint: str) -> Any:
        """A refusal that says which function it is about."""
        self.stage.refuse(f"The function '{self.function.name}' {what}.", hint)

    def levelled(self, name: str, value: ArrayValue, *others: ArrayValue | float) -> ArrayValue:
        """An operation on a value, for the rule's derivative."""
        kind = value.dtype.name

        def build(point: tuple[Affine, ...]) -> Expr:
            sides = [other.element(point) if isinstance(other, ArrayValue) else Const(other, kind) for other in others]
            return Op(
                name, (*(cast(side, kind) for side in sides), value.element(point), Const(self.level, kind)), kind
            )

        return self.stage.lazy(value.shape, value.dtype, build)

    def passive(self, value: View, name: str) -> View:
        """A copy without a derivative."""
        return self.stage.copy(self.levelled("ruled", value, 0.0), name)


def custom(caller: Caller, function: CustomRule, args: list[Any]) -> Any:
    if function.forward is None and function.tangent is None:
        caller.refuse("was never given its rule", "Call its 'defvjp' or 'defjvp'.")
    function = _in_python(caller, function) if function.opaque else function
    args = [mapped(arg, lambda leaf: placed(caller, leaf)) for arg in apart(caller.stage, args)]
    with _undecided(caller) as dots:
        with untouched(caller, args):
            out, formula = _tangent(caller, function, args, dots)
            residuals = None
            if function.forward is not None:
                out, residuals = _forward(caller, function.forward, args)
        result = zipped(out, formula, lambda value, dot: output(caller, value, dot))
    if function.backward is not None:
        backward = function.backward
        reverse(
            caller,
            lambda own, bars: caller.read(backward, own, bars),
            args,
            residuals,
            result,
            function.tangent is not None,
        )
    return whole(result)


def output(caller: Caller, value: Any, dot: Any) -> Any:
    """An output with the derivative of its formula, if there is one."""
    if not is_active(value):
        return value
    value = caller.stage.array(value)
    if is_masked(value.shape):
        caller.refuse("returns an array whose size data decide", "Return one of a fixed size.")
    formula = 0.0 if dot is None else fitted(caller, dot, value, "a tangent", "an output")
    return caller.stage.copy(caller.levelled("ruled", value, formula), caller.function.name)


def _in_python(caller: Caller, function: CustomRule) -> CustomRule:
    """The rule of a function that Python is called for; derivatives after the next one have rules for tangents only."""
    rule, is_last = copy(function), caller.level == caller.stage.derivatives
    if not is_last and function.tangent is None:
        hint = "Write the function and its rule with NumPy, without opaque=True, or give it a rule with 'defjvp'."
        caller.refuse("is one that Python is called for, and has no second derivative", hint)
    rule.forward = rule.backward = None
    if function.forward is not None and function.backward is not None and is_last:
        rule.forward = CallOfPython.forward(function.name, function.forward)
        rule.backward = CallOfPython.backward(function.name, function.backward, rule.forward)
    return rule


def _forward(caller: Caller, forward: Callable[..., Any], args: list[Any]) -> tuple[Any, Any]:
    with caller.inside():
        out, residuals = pair(caller, caller.read(forward, *whole(args)), "fwd", "(out, residuals)")
    return apart(caller.stage, out), apart(caller.stage, residuals)


def _tangent(caller: Caller, function: CustomRule, args: list[Any], dots: set[str]) -> tuple[Any, Any]:
    """The outputs, and the formula of their tangents, `dots`, where there is a rule for these."""
    if function.tangent is None:
        return None, None
    primals = tuple(mapped(arg, lambda leaf: primal(caller, leaf)) for arg in args)
    tangents = tuple(mapped(arg, lambda leaf: dot(caller, leaf), lambda leaf: None) for arg in args)
    mapped(list(tangents), lambda leaf: dots.add(leaf.base))
    with caller.inside():
        found = caller.read(function.tangent, whole(primals), whole(tangents))
    out, out_dot = pair(caller, found, "rule", "(out, out_dot)")
    return apart(caller.stage, out), apart(caller.stage, out_dot)


@contextmanager
def _undecided(caller: Caller) -> Iterator[set[str]]:
    """Refuses decisions by tangents, which are zero where the program of a rule is run: only its derivative is used."""
    dots: set[str] = set()
    block = caller.stage.blocks[-1].nodes
    count = len(block)
    yield dots
    failed = caller.reader.failed
    found = decision(tuple(block[count:]), dots, () if failed is None else (failed.base,)) if dots else None
    if found is not None:
        caller.stage.at = found.at or caller.stage.at
        hint = "Give it a rule with 'defvjp', or compute what is linear in the tangents by 'np.linalg.solve' or alike."
        caller.refuse("has a rule in which values of tangents decide what is done, such as where a search ends", hint)


def primal(caller: Caller, value: View) -> View:
    """A copy without a derivative."""
    copied = caller.passive(value, "primal")
    caller.stage.met_by[copied.base] = value
    return copied


def dot(caller: Caller, value: View) -> View:
    """Zero, with the derivative of the value."""
    zero = caller.stage.lazy(value.shape, value.dtype, lambda _: Const(0.0, value.dtype.name))
    return caller.stage.copy(caller.levelled("ruled", zero, value), "dot")


def reverse(
    caller: Caller, backward: Callable[..., Any], args: list[Any], residuals: Any, result: Any, has_formula: bool
) -> None:
    """The branch that runs in the reverse sweep."""
    outputs: list[View] = []
    mapped(result, outputs.append)
    if not outputs:
        return
    stage = caller.stage
    residuals = mapped(residuals, lambda leaf: stage.place(leaf, "residual"))

    def statements() -> None:
        bars = mapped(result, lambda leaf: _bar(caller, leaf), lambda leaf: None)
        own = mapped(residuals, lambda leaf: stage.copy(leaf, "residual"))
        with caller.inside():
            found = backward(whole(own), whole(bars))
        _give(caller, args, apart(caller.stage, adjoints(caller, args, found)), outputs)

    never_taken(caller, "is_reversed", statements, float(has_formula), float(_declared(caller, args, outputs)))


def _declared(caller: Caller, args: list[Any], outputs: Sequence[View]) -> int:
    """The number of the pattern that is declared for the function."""
    pattern = caller.function.pattern if isinstance(caller.function, CustomRule) else None
    leaves: list[ArrayValue] = []
    mapped(args, leaves.append)
    return number_of_pattern(caller.stage, caller.function.name, pattern, leaves, outputs)


def never_taken(caller: Caller, name: str, statements: Callable[[], None], *facts: float) -> None:
    """The statements in a branch that belongs to the rule: what they change is not seen behind it."""
    stage, reader = caller.stage, caller.reader
    saved, older = save(reader.holders()), stage.live.serials()
    with stage.block() as block:
        block.older = None if name == "is_reversed" else frozenset(stage.arrays)
        statements()
        apart = stage.put_aside(older)
    restore(saved, stage)
    stage.bring_back(apart)
    with stage.block() as nothing:
        pass
    condition = Op(name, tuple(Const(number, "float64") for number in (float(caller.level), *facts)), "bool")
    stage.branch(condition, block, nothing)


def _bar(caller: Caller, output: View) -> View:
    kind = output.dtype.name
    build = lambda point: Op("cotangent", (output.element(point),), kind)  # noqa: E731
    bar = caller.stage.copy(caller.stage.lazy(output.shape, output.dtype, build), f"{caller.function.name}_bar")
    caller.stage.met_by[bar.base] = output
    return bar


def adjoints(caller: Caller, args: list[Any], found: Any) -> list[Any]:
    """What the rule gives, one for each argument."""
    if not isinstance(found, tuple | list):
        found = (found,) if len(args) == 1 else caller.refuse(*_number(len(args), "no tuple"))
    if len(found) != len(args):
        caller.refuse(*_number(len(args), f"{len(found)}"))
    return list(found)


def _number(expected: int, got: str) -> tuple[str, str]:
    arguments = f"{expected} argument{'s' * (expected != 1)}"
    return f"has {arguments}, and its 'bwd' returns {got} adjoints", "Return one per argument, or None."


def _give(caller: Caller, args: list[Any], bars: list[Any], outputs: Sequence[View]) -> None:
    """The arguments' shares, and that the outputs depend on the arguments."""
    stage = caller.stage
    link = stage.allocate((), np.float64, "link")
    stage.store(link, 0.0)

    numbers = count()

    def share(arg: Any, bar: Any) -> None:
        number = next(numbers) if is_active(arg) else 0
        if isinstance(arg, View) and bar is not None:
            bar = fitted(caller, bar, arg, "an adjoint", "an argument")
            value = caller.levelled("transposed", arg, bar, float(number))
            stage.nest(arg.shape, lambda point: [(link, (), "+=", cast(value.element(point), "float64"))])

    for arg, bar in zip(args, bars, strict=True):
        zipped(arg, bar, share)
    for number, output in enumerate(outputs):
        carried = caller.levelled("carried", link, float(number)).element(())
        if all(extent != Affine(0) for extent in output.shape):
            first = tuple(Affine(0) for _ in output.shape)
            stage.nest((), lambda _, at=(output, first), value=carried: [(*at, "+=", value)])  # type: ignore[misc]


def fitted(caller: Caller, found: Any, like: ArrayValue, what: str, of: str) -> ArrayValue:
    """An adjoint or a tangent, with the shape and dtype of what it belongs to."""
    if isinstance(found, Pair):
        caller.refuse(f"has a rule that gives {what}, a complex one, for {of} that is real", "Return a real one.")
    value = caller.stage.array(found)
    text = f"gives {what} of {{}} for {of} of {{}}"
    if len(value.shape) != len(like.shape) or not all(map(caller.stage.same_extent, value.shape, like.shape)):
        shapes = (f"shape ({', '.join(map(str, side.shape))})" for side in (value, like))
        caller.refuse(f"has a rule that {text.format(*shapes)}", "Return one of the same shape.")
    if not value.weak and value.dtype != like.dtype:
        dtypes = (f"dtype '{side.dtype}'" for side in (value, like))
        caller.refuse(f"has a rule that {text.format(*dtypes)}", "Return one of the same dtype.")
    return value


@contextmanager
def untouched(caller: Caller, args: list[Any]) -> Iterator[None]:
    """Refuses statements that write the arguments."""
    bases: set[str] = set()
    mapped(args, lambda leaf: bases.add(leaf.base))
    nodes = caller.stage.blocks[-1].nodes
    count = len(nodes)
    yield
    if any(node.written & bases for node in nodes[count:]):
        caller.refuse("overwrites an argument, and has a rule", "Copy what it changes.")


def pair(caller: Caller, found: Any, which: str, wanted: str) -> tuple[Any, Any]:
    """What a rule returns, if that is a pair."""
    if not isinstance(found, tuple) or len(found) != 2:
        caller.refuse(f"has a rule whose '{which}' returns no pair", f"Return {wanted}.")
    return found[0], found[1]


def placed(caller: Caller, value: ArrayValue) -> View:
    """An argument in memory, with a size that is known."""
    if is_masked(value.shape):
        caller.refuse("is given an array whose size data decide", "Give it one of a fixed size.")
    return caller.stage.place(value, "argument")
