"""What is refused as a construct of Python: one sentence what is wrong, one what to do instead."""

from __future__ import annotations

import ast

from daad.errors import Location, Unsupported

Refusal = tuple[str, str]

CONSTRUCTS: dict[type[ast.AST], Refusal] = {
    ast.While: ("A 'while' loop with a jump in its 'else' is not supported.", "Jump behind the loop."),
    ast.TryStar: ("An 'except*' cannot be differentiated.", "Handle errors outside of the function."),
    ast.With: ("This 'with' statement cannot be differentiated.", "Open and close things outside of the function."),
    ast.AsyncFor: ("An 'async for' loop cannot be differentiated.", "Use an ordinary 'for'."),
    ast.AsyncWith: ("An 'async with' statement cannot be differentiated.", "Use an ordinary function."),
    ast.AsyncFunctionDef: ("An 'async' function cannot be differentiated.", "Use an ordinary function."),
    ast.Await: ("'await' cannot be differentiated.", "Use ordinary calls."),
    ast.Yield: ("A generator cannot be differentiated.", "Return a list or an array."),
    ast.YieldFrom: ("A generator cannot be differentiated.", "Return a list or an array."),
    ast.Match: ("The sides of '|' in a pattern of this 'match' name different parts.", "Use 'if' and 'elif'."),
    ast.Starred: ("A starred expression stands alone here.", "Use it in a call, a list or a tuple."),
}
CHECK = "Check the shapes and types of the operands."
AS_TEXT = ("A run-time value is turned into text.", "Do it outside of the function.")
PARTS = "Use their real and imaginary parts."
RANDOM = (
    "Random numbers are drawn.",
    "Pass them as an argument, or draw them from a generator with a seed.",
)
NESTED = (
    "A program that calls derivatives of daad's cannot be differentiated.",
    "Differentiate the derivative itself, as daad.grad(daad.grad(f)), or take daad.hvp.",
)
RETURN_IN_LOOP = ("A 'return' inside a loop cannot be differentiated yet.", "Return after the loop.")
RETURN_ON_ONE_SIDE = (
    "A 'return' on one side of a branch only cannot be differentiated.",
    "Return a value on both sides.",
)


def refusal(node: ast.AST, at: Location | None) -> Unsupported:
    """The error for a construct that no table reads."""
    known = (f"'{type(node).__name__}' is not supported.", "Write it with simpler statements.")
    message, hint = CONSTRUCTS.get(type(node), known)
    return Unsupported(message, at=at, hint=hint)


def refuse_return(at: Location | None, in_loop: bool) -> Unsupported:
    """A `return` that depends on data."""
    message, hint = RETURN_IN_LOOP if in_loop else RETURN_ON_ONE_SIDE
    return Unsupported(message, at=at, hint=hint)
