"""The exceptions that `raise` makes, for the handlers of a `try`: they hold what is plainly known."""

from __future__ import annotations

import ast
import types
from contextlib import suppress

from daad.frontend.python.control.raise_messages import UNKNOWN, argument
from daad.frontend.python.reading.reader import Reader
from daad.frontend.python.values.exception_objects import Untold

PYTHONS = types.WrapperDescriptorType | types.BuiltinFunctionType


def exception_of(reader: Reader, node: ast.expr | None) -> BaseException | None:
    """What `raise` raises, where a `try` may ask for it; None where that is not known."""
    if not reader.attempts or node is None:
        return None
    kind = reader.eval(node.func if isinstance(node, ast.Call) else node)
    if isinstance(kind, BaseException) and not isinstance(node, ast.Call):
        return kind
    return _made(reader, node, kind) if isinstance(kind, type) and issubclass(kind, BaseException) else None


def refusal(raised: BaseException | None) -> BaseException | None:
    """The same, noted as what a program of daad's own raises: NumPy's or SciPy's function may raise nothing there, or
    something else (unless it is a `LinAlgError`)."""
    if raised is not None:
        raised.__dict__["daad_refuses"] = True
    return raised


def is_refusal(raised: BaseException | None) -> bool:
    """Whether that was noted: no handler of the program's waits for it."""
    return bool(getattr(raised, "__dict__", {}).get("daad_refuses"))


def failed_assertion(reader: Reader, message: ast.expr | None) -> AssertionError:
    """What `assert` raises."""
    said = [] if message is None else [argument(reader, message)]
    return AssertionError(*(Untold() if value is UNKNOWN else value for value in said))


def _made(reader: Reader, node: ast.expr, kind: type[BaseException]) -> BaseException | None:
    if issubclass(kind, BaseExceptionGroup):
        reader.stage.refuse("A group of exceptions is raised.", "Raise one of them.")
    if not isinstance(kind.__init__, PYTHONS) or not isinstance(kind.__new__, PYTHONS):
        return kind.__new__(kind, Untold())
    args, keywords = (node.args, node.keywords) if isinstance(node, ast.Call) else ([], [])
    values = [argument(reader, arg) for arg in args]
    if keywords or any(value is UNKNOWN for value in values):
        return kind.__new__(kind, Untold())
    with suppress(TypeError, ValueError):
        return kind(*values)
    return None
