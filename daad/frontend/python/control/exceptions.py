"""`try`: exceptions that are known while the program is read go to their handlers."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from daad.errors import Unsupported
from daad.frontend.python.control.raised_exceptions import is_refusal
from daad.frontend.python.reading.reader import Reader, Signal
from daad.frontend.python.syntax.final_blocks import Behind, behind, unwound
from daad.frontend.python.syntax.flagged_jumps import with_flag

PASSED = object()
"""The kinds of a handler that lets all exceptions pass, and sees them as they do."""
Ways = tuple[int, Sequence[int]]


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
    reader.attempts.append(tuple(_named_kinds(reader, handler) for handler in node.handlers))
    try:
        signal: Signal | None = reader.execute(node.body)
        handler = None
    except Unsupported as error:
        caught, raised = error, error.raised
        handler = None if raised is None else _handler(reader, node, raised)
        if raised is None or handler is None or not _left(reader, ways):
            raise
        for one in (caught, raised):
            one.__traceback__ = one.__context__ = None  # hold the frames that were left
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
