"""Functions with a derivative of the user's own; under NumPy alone they are the functions."""

import ast
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from daad.errors import BadArgument
from daad.ir.constructors import parse_rule
from daad.ir.operations import OPERATIONS
from daad.ir.operations.python_operators import BINARY, COMPARED


class Ruled:
    """A function of arrays whose derivative is what its rules say; reading it is the frontend's task."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        vars(self).pop("__wrapped__")
        self.function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<daad function '{self.name}' with a rule>"

    @property
    def name(self) -> str:
        """What the user calls it."""
        return getattr(self.function, "__name__", type(self.function).__name__)


class CustomRule(Ruled):
    """A function with what its adjoint does, or its tangent, or both; `daad.custom_vjp` makes it."""

    def __init__(self, function: Callable[..., Any], opaque: bool = False, pattern: Any = None) -> None:
        super().__init__(function)
        self.opaque, self.pattern = opaque, pattern
        self.forward: Callable[..., Any] | None = None
        self.backward: Callable[..., Any] | None = None
        self.tangent: Callable[..., Any] | None = None

    def defvjp(self, fwd: Callable[..., Any], bwd: Callable[..., Any]) -> None:
        """`fwd(*args)` returns `(out, residuals)`; `bwd(residuals, out_bar)` a tuple of adjoints, one per argument."""
        self.forward, self.backward = _function(fwd, "fwd"), _function(bwd, "bwd")

    def defjvp(self, rule: Callable[..., Any]) -> Callable[..., Any]:
        """`rule(primals, tangents)` returns `(out, out_dot)`, which is linear in the tangents."""
        self.tangent = _function(rule, "rule")
        return rule


def _function(given: Any, what: str) -> Callable[..., Any]:
    if not callable(given):
        raise BadArgument(f"'{what}' is a '{type(given).__name__}', not a function.", hint="Pass a function.")
    function: Callable[..., Any] = given
    return function


def custom_vjp(function: Any = None, *, opaque: bool = False, pattern: Any = None) -> Any:
    """A function whose derivative is the user's own.

        >>> import numpy as np, daad
        >>> @daad.custom_vjp
        ... def clipped(x):
        ...     return x
        >>> clipped.defvjp(lambda x: (x, None), lambda _, y_bar: (np.clip(y_bar, -1.0, 1.0),))
        >>> daad.grad(lambda x: np.sum(3.0 * clipped(x) * x))(np.array([1.0, -0.1]))
        array([ 4. , -0.6])

    `f.defvjp(fwd, bwd)` says what the adjoint does: `fwd(*args)` returns `(out, residuals)`, `bwd(residuals, out_bar)`
    one adjoint per argument, None for one that gets none. `f.defjvp(rule)` says what the tangent is: `rule(primals,
    tangents)` returns `(out, out_dot)`. Both are NumPy programs that are compiled with the rest. With `opaque=True` the
    function, `fwd` and `bwd` may be any Python, which compiled code calls; `pattern`, a matrix of truths or a function
    that makes it of its shape, says which elements of the results depend on which ones of the arguments, for sparse
    Jacobians. Without it all of them depend on all.
    """
    if pattern is not None and not opaque:
        hint = "Leave it out, or pass opaque=True."
        raise BadArgument("A pattern is declared of a function whose program daad reads it from.", hint=hint)
    if function is None:
        return functools.partial(custom_vjp, opaque=opaque, pattern=pattern)
    return CustomRule(_function(function, "function"), opaque, pattern)


class Elementwise(Ruled):
    """A function of numbers that is applied to each element, with its slopes; `daad.elementwise` makes it."""

    def __init__(self, function: Callable[..., Any], slopes: tuple[str | None, ...]) -> None:
        super().__init__(function)
        self.slopes = slopes
        self.of_arrays = np.vectorize(function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        is_number = not any(map(np.ndim, (*args, *kwargs.values())))
        return (self.function if is_number else self.of_arrays)(*args, **kwargs)


OPERANDS = "abcdef"


def elementwise(*slopes: str | None) -> Callable[[Callable[..., Any]], Elementwise]:
    """A function of numbers, for arrays element by element, with its derivative: one text per operand.

        >>> import numpy as np, daad
        >>> @daad.elementwise("1 - r * r")
        ... def squash(x):
        ...     return np.tanh(x)
        >>> daad.grad(lambda x: np.sum(squash(x)))(np.array([0.0, 1.0])).round(3)
        array([1.  , 0.42])

    In the text `a`, `b`, ... are the operands, `r` is the result; there are numbers, `+ - * / **`, comparisons,
    `where(condition, then, otherwise)` and functions such as `exp`; None is for an operand that carries no derivative.
    """
    for slope in slopes:
        if slope is not None and not (isinstance(slope, str) and _is_slope(slope, {*OPERANDS[: len(slopes)], "r"})):
            raise BadArgument(
                f"The derivative {slope!r} cannot be read.",
                hint="Write it with 'a', 'b', ... for the operands, 'r' for the result, numbers, operators, "
                "'where' and functions such as 'exp'.",
            )
    if not 0 < len(slopes) <= len(OPERANDS):
        raise BadArgument("An elementwise function has one to six operands.", hint="Give one derivative for each.")
    return lambda function: Elementwise(_function(function, "function"), slopes)


def _is_slope(text: str, names: set[str]) -> bool:
    """Whether a text is in the notation of the tables of derivatives."""
    try:
        return _is_read(parse_rule(text), names)
    except SyntaxError:
        return False


def _is_read(node: ast.expr, names: set[str]) -> bool:
    if isinstance(node, ast.Name):
        return node.id in (*names, "inf")
    if isinstance(node, ast.Constant):
        return type(node.value) in (int, float)
    parts: list[ast.expr] = []
    known = False
    if isinstance(node, ast.UnaryOp):
        known, parts = isinstance(node.op, ast.USub), [node.operand]
    elif isinstance(node, ast.BinOp):
        known, parts = type(node.op) in BINARY, [node.left, node.right]
    elif isinstance(node, ast.Compare):
        known, parts = len(node.ops) == 1 and type(node.ops[0]) in COMPARED, [node.left, *node.comparators]
    elif isinstance(node, ast.BoolOp):
        known, parts = isinstance(node.op, ast.Or) and len(node.values) == 2, node.values
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        operands = (
            3 if node.func.id == "where" else OPERATIONS[node.func.id].operands if node.func.id in OPERATIONS else 0
        )
        known, parts = operands == len(node.args) and not node.keywords, node.args
    return known and all(_is_read(part, names) for part in parts)


class Linear(Ruled):
    """A function that is linear in its first argument, with its transpose; `daad.linear` makes it."""

    def __init__(self, function: Callable[..., Any], transpose: Callable[..., Any]) -> None:
        super().__init__(function)
        self.transpose = transpose


def linear(*, transpose: Callable[..., Any]) -> Callable[[Callable[..., Any]], Linear]:
    """A function that is linear in its first argument, with its transpose, which has the same further arguments.

        >>> import numpy as np, daad
        >>> @daad.linear(transpose=lambda y: np.cumsum(y[::-1])[::-1])
        ... def running(x):
        ...     return np.cumsum(x)
        >>> daad.grad(lambda x: np.sum(running(x)))(np.ones(3))
        array([3., 2., 1.])

    With respect to further arguments it has the derivative of its program.
    """
    _function(transpose, "transpose")
    return lambda function: Linear(_function(function, "function"), transpose)


class Implicit(Ruled):
    """A function that solves an equation, with the equation's residual; `daad.implicit` makes it."""

    def __init__(self, function: Callable[..., Any], residual: Callable[..., Any]) -> None:
        super().__init__(function)
        self.residual = residual


def implicit(*, residual: Callable[..., Any]) -> Callable[[Callable[..., Any]], Implicit]:
    """A solver `x = solve(*theta)` of `residual(x, *theta) == 0`, with the derivative of the implicit function.

        >>> import numpy as np, daad
        >>> @daad.implicit(residual=lambda x, a: x * x - a)
        ... def root(a):
        ...     x = a
        ...     for _ in range(30):
        ...         x = 0.5 * (x + a / x)
        ...     return x
        >>> daad.grad(lambda a: np.sum(root(a)))(np.array([4.0, 16.0]))
        array([0.25 , 0.125])

    How the solver comes to its result plays no part. The residual has as many elements as the result; its derivative
    with respect to that is a dense matrix, with which a linear system is solved.
    """
    _function(residual, "residual")
    return lambda function: Implicit(_function(function, "function"), residual)
