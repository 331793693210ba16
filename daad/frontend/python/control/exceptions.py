"""`try`: exceptions that are known while the program is read go to their handlers; those that data could raise, and a
handler would catch, end the call with an error."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from daad.errors import Unsupported
from daad.frontend.numpy import FUNCTIONS
from daad.frontend.numpy.calling.call_arguments import is_in
from daad.frontend.numpy.elementwise.python_numbers import ROUNDINGS
from daad.frontend.python.control.checks import Check, catches, note
from daad.frontend.python.control.raised_exceptions import is_refusal
from daad.frontend.python.reading.reader import Reader, Signal
from daad.frontend.python.syntax.final_blocks import Behind, behind, unwound
from daad.frontend.python.syntax.flagged_jumps import with_flag
from daad.frontend.staging.integer_bounds import interval_of
from daad.frontend.staging.truth import truth
from daad.frontend.staging.values import ArrayValue, Complex, is_weak
from daad.ir.nodes import Const, Expr, Op
from daad.ir.operations.python_operators import ALL_BINARY

OPERATORS: dict[Any, type[ast.operator]] = {
    **{row.python: op for op, row in ALL_BINARY.items()},
    **{row.in_place: op for op, row in ALL_BINARY.items()},
    pow: ast.Pow,
}
"""Operators as functions."""
PASSED = object()
"""The kinds of a handler that lets all exceptions pass, and sees them as they do."""
HINT = "Ask with 'if' whether it can happen: a 'try' goes by what is known before the run."
Ways = tuple[int, Sequence[int]]
FINITE: tuple[tuple[str, type[BaseException]], ...] = (
    ("math", ValueError),
    ("math", OverflowError),
    ("numpy.linalg", np.linalg.LinAlgError),
    ("scipy.linalg", np.linalg.LinAlgError),
)
"""Functions of these modules raise the exception where there is no finite result."""


def run_try(reader: Reader, node: ast.Try, rest: Sequence[ast.stmt]) -> Signal | None:
    """The statement; gives the signal that leaves the block, if any."""
    flagged = with_flag(node) if node.handlers else None
    if flagged is not None:
        statements, name = flagged
        reader.scope.own |= {name}
        return reader.execute([*statements, *rest]) or Signal.END
    if not node.finalbody:
        return _attempt(reader, node)
    ways = _ways(reader)
    try:
        if node.handlers:
            signal = _attempt(reader, node)
            return reader.execute([behind(node, node.finalbody)]) or signal
        statements, name = unwound(node)
        reader.scope.own |= {name}
        return reader.execute([*statements, behind(node, rest)]) or Signal.END
    except Unsupported as error:
        _end(reader, node, error, ways)
        raise


def _end(reader: Reader, node: ast.Try, error: Unsupported, ways: Ways) -> None:
    """Does what comes last, where the body of a `try` has raised an exception that somebody further out may catch."""
    name = behind(node, []).name
    is_behind = any(one.name == name for one in error.behind)
    error.behind = tuple(one for one in error.behind if one.name != name)
    if is_behind or error.raised is None or not reader.attempts:
        return
    if not _left(reader, ways):
        error.raised = None  # whoever catches it further out would see what 'finally' has not done
    elif _handled(reader, node.finalbody, error) is not None:
        reader.stage.refuse("A 'finally' with a jump drops an exception.", "Write the jump behind the 'try'.")


def run_behind(reader: Reader, node: Behind, rest: Sequence[ast.stmt]) -> Signal | None:
    """What stands behind a `try`."""
    try:
        return reader.execute([*node.body, *rest]) or Signal.END
    except Unsupported as error:
        error.behind += (node,)
        raise


def _attempt(reader: Reader, node: ast.Try) -> Signal | None:
    ways = _ways(reader)
    reader.attempts.append(tuple(kind for handler in node.handlers for kind in _named_kinds(reader, handler)))
    try:
        signal: Signal | None = reader.execute(node.body)
        handler = None
    except Unsupported as error:
        caught, raised = error, error.raised
        handler = None if raised is None else _handler(reader, node, raised)
        if raised is None or handler is None or not _left(reader, ways):
            raise
        raised.__traceback__ = raised.__context__ = None  # hold the frames that were left
    finally:
        reader.attempts.pop()
    if handler is None:
        return signal or reader.execute(node.orelse)
    if handler.name:
        reader.bind(handler.name, raised)
    return _handled(reader, handler.body, caught)


def _handled(reader: Reader, body: Sequence[ast.stmt], error: Unsupported) -> Signal | None:
    """Runs what is done about an exception."""
    reader.handled.append(error)
    try:
        signal: Signal | None = reader.execute(body)
        return signal
    finally:
        reader.handled.pop()


def _ways(reader: Reader) -> Ways:
    """How deep the reader is in branches, and in what calls and loops."""
    return len(reader.stage.blocks), reader.entered()


def _left(reader: Reader, ways: Ways) -> bool:
    """Leaves what has been entered since, if that is no loop or branch of the Program."""
    depth, lengths = ways
    if len(reader.stage.blocks) != depth:
        return False
    reader.leave(lengths)
    return True


def _handler(reader: Reader, node: ast.Try, raised: BaseException) -> ast.ExceptHandler | None:
    """The one that catches the exception."""
    fitting = (
        h for h in node.handlers if _passes(h) or (not is_refusal(raised) and isinstance(raised, _kinds(reader, h)))
    )
    return next(fitting, None)


def _passes(handler: ast.ExceptHandler) -> bool:
    return isinstance(handler.type, ast.Constant) and handler.type.value is PASSED


def _named_kinds(reader: Reader, handler: ast.ExceptHandler) -> tuple[type[BaseException], ...]:
    """The same before anything is raised, when Python has not looked at the names yet: what is not there catches
    nothing."""
    if _passes(handler):
        return ()
    try:
        return _kinds(reader, handler)
    except Unsupported as error:
        if not isinstance(error.raised, AttributeError | NameError):
            raise
        return ()


def _kinds(reader: Reader, handler: ast.ExceptHandler) -> tuple[type[BaseException], ...]:
    if handler.type is None:
        return (BaseException,)
    kinds = reader.eval(handler.type)
    return kinds if isinstance(kinds, tuple) else (kinds,)


def watch_operation(reader: Reader, op: type[ast.operator], right: Any, result: Any) -> None:
    """Python's numbers raise an exception where NumPy's are infinite or NaN, or 0 for whole numbers."""
    if isinstance(result, Complex) and not result.shape and is_weak(result):
        if op in (ast.Div, ast.Pow) and catches(reader, OverflowError, ZeroDivisionError):
            _refuse_infinite(reader, result.real)
            _refuse_infinite(reader, result.imag)
        return
    if not isinstance(result, ArrayValue) or result.shape or not is_weak(result):
        return
    if op in (ast.Div, ast.FloorDiv, ast.Mod):
        divisor = reader.stage.array(right).element(())
        zero = Op("equal", (divisor, Const(np.dtype(divisor.dtype).type(0).item(), divisor.dtype)), "bool")
        if catches(reader, ZeroDivisionError):
            _refuse_where(reader, zero, "A division by zero, which a 'try' of the program could catch.")
        elif result.dtype.kind in "iu" and not _is_never_zero(reader, divisor):
            note(reader, Check("An integer is divided by zero.", "Check the arguments.", reader.stage.at), zero)
    elif op is ast.Pow and catches(reader, OverflowError, ZeroDivisionError):
        _refuse_infinite(reader, result)


def _is_never_zero(reader: Reader, divisor: Expr) -> bool:
    low, high = interval_of(reader.stage, divisor)
    return (low is not None and low > 0) or (high is not None and high < 0)


def watch_call(reader: Reader, function: Any, args: Sequence[Any], result: Any) -> None:
    """Functions that raise an exception where there is no finite result."""
    if function is divmod and isinstance(result, tuple):
        watch_operation(reader, ast.FloorDiv, args[1], result[0])
    if len(args) == 2 and is_in(OPERATORS, function):
        watch_operation(reader, OPERATORS[function], args[1], result)
    if not reader.attempts:
        return
    module = getattr(function, "__module__", None) or ""
    if function in (int, round, *ROUNDINGS) and args and catches(reader, ValueError, OverflowError):
        _refuse_infinite(reader, args[0])
    elif any(module.startswith(name) and catches(reader, kind) for name, kind in FINITE):
        for value in result if isinstance(result, tuple) else (result,):
            _refuse_infinite(reader, value)


def _refuse_infinite(reader: Reader, value: Any) -> None:
    if isinstance(value, ArrayValue) and value.dtype.kind == "f":
        finite = truth(reader.stage, _all_finite(reader, value))
        if isinstance(finite, Expr):
            text = "A result is not finite, an exception which a 'try' of the program could catch."
            _refuse_where(reader, Op("logical_not", (finite,), "bool"), text)


def _all_finite(reader: Reader, value: ArrayValue) -> Any:
    ask: Callable[..., Any] = FUNCTIONS[np.isfinite]
    return FUNCTIONS[np.all](reader.stage, (ask(reader.stage, (value,), {}),), {})


def _refuse_where(reader: Reader, fails: Expr, message: str) -> None:
    note(reader, Check(message, HINT, reader.stage.at), fails)
