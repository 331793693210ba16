"""The public functions: what daad can be asked of a program."""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from daad.api.doors.labelled_arguments import values_alone
from daad.api.gradient import Gradient
from daad.api.interior import InteriorGradient
from daad.api.jacobian import Jacobian, hessian_of, hessian_products
from daad.api.products import GaussNewton, Tangent, Vjp
from daad.api.sparse import SparseJacobian
from daad.api.subject.request import Request
from daad.ccs.hints import require_known_strategies
from daad.ccs.question import Product
from daad.errors import BadArgument, level_of_the_user
from daad.messages.progress import shown, stage
from daad.messages.sizes import read_size, readable
from daad.report.tracebacks import ends_at_the_call
from daad.runtime.lazy_import import later
from daad.runtime.memory import machine_memory
from daad.runtime.processors import Device

if TYPE_CHECKING:
    from daad.api import check as checking
    from daad.api.check import CheckReport
    from daad.api.ensemble import ensembles
    from daad.report.memory_plan import Plan
else:
    checking = later("daad.api.check")
    ensembles = later("daad.api.ensemble.ensembles")

Names = str | int | Sequence[str | int] | None
OPTIONS = ("seed", "has_aux", "on_inputs", "on_decision", "plan", "memory_limit", "allow_undo", "device", "verbose")
PRODUCT_OPTIONS = ("on_inputs", "on_decision", "device", "verbose")
PULLBACK_OPTIONS = (*PRODUCT_OPTIONS, "plan", "memory_limit", "allow_undo")
LEVELS = (0, 1, 2)
"""Of `verbose`."""


@ends_at_the_call
def grad(f: Any, wrt: Names = None, of: Names = None, **options: Any) -> Gradient:
    """The gradient of a program, as a function of the program's own arguments.

        >>> import numpy as np, daad
        >>> def energy(x, w, power):
        ...     return np.sum(w * np.abs(x) ** power)
        >>> x, w = np.array([1.0, -2.0]), np.array([3.0, 0.5])
        >>> daad.grad(energy)(x, w, 2)
        array([ 6., -2.])
        >>> dx, dw = daad.grad(energy, wrt=("x", "w"), memory_limit="64MiB")(x, w, 2)

    f      a function, a bound method, an object that is called, a `functools.partial`, a `@dace.program` or an SDFG
    wrt    the arguments asked for, by name or position: one gives one array of the argument's shape and dtype, a
           sequence a tuple, None is the first; "p['w']", "model.w", "self.w" lead into arguments; a local variable
           counts from its first value on, which a call may pass, too
    of     what is differentiated: None is the returned value, a real scalar; a name is an argument that the program
           writes, a local variable, or a key of a returned dict; an int a position of a returned tuple; "[1]['a']"
           leads into the result; a sequence is a sum of these

    Options:

    seed           weights of outputs that are no scalars: a number (1.0: of their sum), an array, a dict by output; a
                   call may bring its own, `g(*args, seed=s)`
    has_aux        True: the function returns (value, data); with the data a call gives (gradients, data)
    also           names of variables whose last values' gradients a dict brings behind the others; ("u", 3): the third
                   write of `u`
    on_inputs      "keep": arguments stay as they are; "primal": they end as the program leaves them
    on_decision    what data decide about the program itself (a key, a size, a side that alone is possible): "speculate"
                   compiles what it is in the call, with a check, and again when it changes; "refuse" says where it is
    memory_limit   what a call may hold: "64MiB", "1.5GiB", `plan.nbytes // 2`; a bare number counts MiB
    plan           how the adjoint gets the values it reads: "auto", "store", "recompute", "undo", or a dict by array
    allow_undo     True: updates may be taken back in place to keep to the limit, up to rounding
    device         "cpu", or "gpu": an NVIDIA GPU; arrays that lie on it stay there, NumPy's are copied in and out
    verbose        1: what is being done and what came of it, on standard error; 2: each pass, with its time

    A call may bring arrays for the gradients, `g(*args, out=dx)`, in the structure of the result, and with
    `accumulate=True` has the gradients added to what these hold.

    Raises `daad.DaadError`, or one of its kinds, with the line, the reason and what to do.
    """
    return _with_interior(f, wrt, of, False, options)


@ends_at_the_call
def value_and_grad(f: Any, wrt: Names = None, of: Names = None, **options: Any) -> Gradient:
    """As `grad`, but a call returns the value and the gradients; the program runs once.

    >>> import numpy as np, daad
    >>> def energy(x, w):
    ...     return np.sum(w * x * x)
    >>> value, (dx, dw) = daad.value_and_grad(energy, wrt=("x", "w"))(np.array([1.0, 2.0]), 3.0)
    >>> print(value, dx, dw)
    15.0 [ 6. 12.] 5.0
    """
    return _with_interior(f, wrt, of, True, options)


@ends_at_the_call
def ensemble(vg: Gradient, members: Iterable[Any], client: Any = None, reduce: str | None = "sum") -> Any:
    """The sum, over the members of an ensemble, of what a gradient gives.

        >>> import numpy as np, daad
        >>> def misfit(theta, times, observed):
        ...     return np.sum((theta[0] * np.exp(-theta[1] * times) - observed) ** 2)
        >>> theta, times = np.array([1.0, 0.5]), np.linspace(0.0, 1.0, 4)
        >>> members = [(theta, times, np.full(4, observed)) for observed in (0.5, 0.75, 1.0)]
        >>> value, gradient = daad.ensemble(daad.value_and_grad(misfit), members)
        >>> print(value.round(3), gradient.round(3))
        0.781 [1.324 0.455]

    vg       what `daad.grad` or `daad.value_and_grad` gives
    members  tuples of arguments: a list, or a generator, which is asked for more when there is room; on a cluster also
             futures and delayed objects, as members or in their place among the arguments
    client   a `dask.distributed.Client`; None: the cores of this machine, by processes that share a list of members
    reduce   "sum", "mean", or None: a list of all results, in order

    Members are added up in pairs, and pairs in pairs: the sum has the same bits on any number of workers of one kind,
    and without a client, whoever computed what, and also where a worker dies, whose tasks Dask runs again. A program
    is compiled once; a worker loads that if its processor is of the same kind, and otherwise compiles for itself.
    """
    return ensembles.ensemble(vg, members, client, reduce)


@ends_at_the_call
def check(
    f: Any,
    args: Sequence[Any],
    wrt: Names = None,
    of: Names = None,
    plans: str = "default",
    product: str | None = None,
    **options: Any,
) -> "CheckReport":
    """Compares the gradient at the point `args` with differences of `f` itself along random directions.

        >>> import numpy as np, daad
        >>> def energy(x):
        ...     return np.sum(np.sin(x) ** 2)
        >>> bool(daad.check(energy, (np.linspace(0.1, 0.9, 5),)))
        True

    The report is truthy when the gradient is right (1e-6 relative, 1e-3 for float32), prints as a table, and says of a
    wrong gradient which statement made it wrong. `plans`: "default", or "all" to check every plan. `product`: "jvp",
    "vjp", "hvp" or "jacobian" to check that instead, with random weights of the outputs. Options are those of `grad`;
    other keywords are passed to `f`. A `Gradient` in the place of `f` is checked as it was asked for.
    """
    checking.require_known_plans(plans)
    given = {name: options.pop(name) for name in OPTIONS if name in options}
    args, keywords = _without_labels(f, args, options, given)
    if product is not None:
        with shown(_verbose(given)), stage("comparing with differences"):
            return _checked_product(product, f, args, _request(wrt, of, OPTIONS, given), keywords)
    gradient = _asked(f, wrt, of, True, given)
    if gradient._asked.request.has_aux:
        gradient = gradient._with(has_aux=False)
    with shown(gradient._asked.verbose), stage("comparing with differences") as tell:
        report = checking.check_gradient(gradient, args, keywords, plans)
        tell(f"{report.calls} runs of the program")
    return report


def _without_labels(
    f: Any, args: Sequence[Any], keywords: Mapping[str, Any], options: Mapping[str, Any]
) -> tuple[tuple[Any, ...], Mapping[str, Any]]:
    """The values of arguments; on a GPU there are no labels."""
    device = f._asked.request.device if isinstance(f, Gradient) else _device(options.get("device", Device.CPU.value))
    return values_alone(tuple(args), keywords) if device is Device.CPU else (tuple(args), keywords)


def _checked_product(
    product: str, f: Any, args: Sequence[Any], request: Request, keywords: Mapping[str, Any]
) -> "CheckReport":
    checking.require_known_product(product)
    return checking.check_product(product, checking.asked_product(product, f, request), args, keywords)


@ends_at_the_call
def plan(f: Any, args: Sequence[Any], wrt: Names = None, of: Names = None, **options: Any) -> "Plan":
    """The plan of the gradient at `args`, without compiling or running: what it keeps, and the bytes of a call.

        >>> import numpy as np, daad
        >>> def energy(x, steps):
        ...     for t in range(steps):
        ...         x = x + 0.1 * np.sin(x)
        ...     return np.sum(x)
        >>> x = np.linspace(0.1, 0.9, 1000)
        >>> free = daad.plan(energy, (x, 100))
        >>> limited = daad.plan(energy, (x, 100), memory_limit=free.nbytes // 4)
        >>> limited.nbytes <= free.nbytes // 4
        True

    Options are those of `grad`, such as `memory_limit`; other keywords are passed to `f`. `Plan.pareto` gives the
    curve of memory against time. Raises `daad.MemoryLimitTooSmall` with the smallest possible limit.
    """
    given = {name: options.pop(name) for name in OPTIONS if name in options}
    args, keywords = _without_labels(f, args, options, given)
    return _asked(f, wrt, of, False, given)._planned(*args, **keywords)


@ends_at_the_call
def jvp(f: Any, wrt: Names = None, of: Names = None, **options: Any) -> Tangent:
    """The value of a program and its tangent: the Jacobian times a tangent of the arguments, by forward mode.

        >>> import numpy as np, daad
        >>> def simulate(u, k, steps):
        ...     for t in range(steps):
        ...         u[1:-1] += k * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        ...     return u
        >>> u, k = np.linspace(0.0, 1.0, 5) ** 2, 0.25
        >>> y, dy = daad.jvp(simulate, wrt="k")(u, k, 3, tangent=1.0)
        >>> dy.round(3)
        array([0.   , 0.234, 0.328, 0.234, 0.   ])

    The tangent has the structure of `wrt`: an array of the argument's shape, a tuple of them for several names, a
    structure with None where it is zero. Outputs may have any shape; y and dy have their structure. Nothing is kept on
    the way: memory does not grow with the trips of loops. `many(*args, tangents=...)` takes several along a leading
    axis. Options: on_inputs, on_decision, device, verbose; see `grad`.
    """
    request = replace(_request(wrt, of, PRODUCT_OPTIONS, options), value=True, product=Product.TANGENT)
    return Tangent(f, request, verbose=_verbose(options))


@ends_at_the_call
def vjp(f: Any, wrt: Names = None, of: Names = None, **options: Any) -> Vjp:
    """The value of a program and its pullback, which gives seeds times the Jacobian, any number of times.

        >>> import numpy as np, daad
        >>> def rotated(x, angle):
        ...     c, s = np.cos(angle), np.sin(angle)
        ...     return np.array([c * x[0] - s * x[1], s * x[0] + c * x[1]])
        >>> y, pull = daad.vjp(rotated, wrt=("x", "angle"))(np.array([1.0, 0.0]), 0.0)
        >>> dx, dangle = pull(np.array([0.0, 1.0]))
        >>> print(dx, dangle)
        [0. 1.] 1.0

    The program runs once; a seed has the structure of the outputs, with None where it is zero, the gradients have that
    of `wrt`. What the adjoint reads belongs to the pullback and is freed with it; `memory_limit` bounds it. For several
    seeds at once, along a leading axis, there is `pull.many`. Options: memory_limit, plan, allow_undo, on_inputs,
    on_decision, device, verbose; see `grad`.
    """
    request = replace(_request(wrt, of, PULLBACK_OPTIONS, options), value=True, product=Product.PULLBACK)
    return Vjp(f, request, verbose=_verbose(options))


@ends_at_the_call
def jacobian(
    f: Any, wrt: Names = None, of: Names = None, mode: str = "auto", sparse: bool = False, **options: Any
) -> "Jacobian | SparseJacobian":
    """The Jacobian of a program: for outputs y and an argument x an array of shape `y.shape + x.shape`.

        >>> import numpy as np, daad
        >>> def polar(z):
        ...     return np.array([np.sqrt(z[0] ** 2 + z[1] ** 2), np.arctan2(z[1], z[0])])
        >>> daad.jacobian(polar)(np.array([1.0, 1.0])).round(3)
        array([[ 0.707,  0.707],
               [-0.5  ,  0.5  ]])

    mode     "forward": all columns at once, "reverse": all rows; "auto" is the one of which there are fewer
    sparse   True: a `scipy.sparse.csr_array` of shape `(y.size, x.size)`, from one product for each colour of its
             columns or rows; the pattern is that of the program's accesses (`.pattern`, `.colours`)

    A tuple of arrays for several names in `wrt`. Options: those of `jvp` and `vjp`.
    """
    found = Jacobian(f, _request(wrt, of, PULLBACK_OPTIONS, options), mode, verbose=_verbose(options))
    return SparseJacobian(found) if sparse else found


@ends_at_the_call
def hvp(f: Any, wrt: Names = None, of: Names = None, **options: Any) -> Tangent:
    """The Hessian of a program's scalar value times a tangent, in the structure of `wrt`: forward over reverse.

        >>> import numpy as np, daad
        >>> def energy(x):
        ...     return np.sum(x**3)
        >>> daad.hvp(energy)(np.array([1.0, 2.0]), tangent=np.array([1.0, 1.0]))
        array([ 6., 12.])

    Options are those of `grad`. For several tangents at once, along a leading axis, there is `many`.
    """
    return hessian_products(_gradient(f, wrt, of, False, options))


@ends_at_the_call
def gauss_newton_product(f: Any, wrt: Names = None, of: Names = None, **options: Any) -> GaussNewton:
    """The transposed Jacobian times the Jacobian times a tangent, in the structure of `wrt`: for least squares.

        >>> import numpy as np, daad
        >>> def residuals(theta, times):
        ...     return np.exp(-theta[0] * times) - theta[1]
        >>> product = daad.gauss_newton_product(residuals)
        >>> product(np.array([0.0, 1.0]), np.array([0.0, 1.0, 2.0]), tangent=np.array([1.0, 0.0]))
        array([5., 3.])

    Outputs may have any shape and structure; the program runs once, and neither Jacobian is held. For several tangents
    at once, along a leading axis, there is `many`. Options are those of `vjp`.
    """
    request = replace(_request(wrt, of, PULLBACK_OPTIONS, options), product=Product.GAUSS_NEWTON)
    return GaussNewton(f, request, verbose=_verbose(options))


@ends_at_the_call
def hessian(
    f: Any, wrt: Names = None, of: Names = None, sparse: bool = False, **options: Any
) -> "Jacobian | SparseJacobian":
    """The Hessian of a program's scalar value: an array of shape `x.shape + x.shape`, tuples of tuples of arrays for
    several names in `wrt`.

        >>> import numpy as np, daad
        >>> def energy(x):
        ...     return x[0] ** 2 * x[1]
        >>> daad.hessian(energy)(np.array([1.0, 2.0]))
        array([[4., 2.],
               [2., 0.]])

    Options are those of `grad`; `sparse` is that of `jacobian`.
    """
    found = hessian_of(_gradient(f, wrt, of, False, options))
    return SparseJacobian(found) if sparse else found


def _asked(f: Any, wrt: Names, of: Names, value: bool, options: dict[str, Any]) -> Gradient:
    """The gradient of a function, or the one that is given, also with the value."""
    if not isinstance(f, Gradient):
        return _gradient(f, wrt, of, value, options)
    if wrt is not None or of is not None or options:
        hint = "Leave them out, or pass the function instead of its gradient."
        raise BadArgument("The gradient has 'wrt', 'of' and options of its own.", hint=hint)
    return f._with(value=value or f._asked.request.value)


def _with_interior(f: Any, wrt: Names, of: Names, value: bool, options: dict[str, Any]) -> Gradient:
    """The gradient, which brings those of intermediate values along if some are asked for."""
    also = options.pop("also", None)
    if also is None:
        return _gradient(f, wrt, of, value, options)
    request = replace(_request(wrt, of, OPTIONS, options), value=value, also=also)
    return InteriorGradient(f, request, verbose=_verbose(options))


def _gradient(f: Any, wrt: Names, of: Names, value: bool, options: dict[str, Any]) -> Gradient:
    verbose = _verbose(options)
    return Gradient(f, replace(_request(wrt, of, OPTIONS, options), value=value), verbose=verbose)


def _verbose(options: Mapping[str, Any]) -> int:
    verbose = options.get("verbose", 0)
    if not isinstance(verbose, int) or verbose not in LEVELS:
        raise BadArgument(f"The option 'verbose' is {verbose!r}.", hint="Use 0, 1 or 2.")
    return int(verbose)


def _request(wrt: Names, of: Names, allowed: Sequence[str], options: Mapping[str, Any]) -> Request:
    """What the options ask for; BadArgument for one that there is not, or a value that it cannot have."""
    unknown = sorted(set(options) - set(allowed))
    if unknown:
        raise BadArgument(f"There is no option '{unknown[0]}'.", hint=f"The options are {', '.join(allowed)}.")
    on_inputs = options.get("on_inputs", Request.on_inputs)
    if on_inputs not in ("primal", "keep"):
        raise BadArgument(f"The option 'on_inputs' is '{on_inputs}'.", hint="Use 'primal' or 'keep'.")
    on_decision = options.get("on_decision", Request.on_decision)
    if on_decision not in ("speculate", "refuse"):
        raise BadArgument(f"The option 'on_decision' is '{on_decision}'.", hint="Use 'speculate' or 'refuse'.")
    has_aux = bool(options.get("has_aux", False))
    allow_undo = options.get("allow_undo", False)
    if not isinstance(allow_undo, bool | np.bool_):
        raise BadArgument(f"The option 'allow_undo' is {allow_undo!r}.", hint="Use True or False.")
    wrt = tuple(wrt) if isinstance(wrt, list) else wrt
    plan = options.get("plan", "auto")
    require_known_strategies(plan)
    return Request(
        wrt=wrt,
        of=of,
        seed=options.get("seed"),
        has_aux=has_aux,
        on_inputs=on_inputs,
        on_decision=on_decision,
        plan=plan,
        memory_limit=_limit(options.get("memory_limit")),
        allow_undo=bool(allow_undo),
        device=_device(options.get("device", Device.CPU.value)),
    )


def _device(given: Any) -> Device:
    try:
        return Device(given)
    except ValueError:
        raise BadArgument(f"The option 'device' is {given!r}.", hint="Use 'cpu' or 'gpu'.") from None


def _limit(given: Any) -> int | None:
    """In bytes; more than there is may have been meant in another unit."""
    limit, most = read_size(given), machine_memory()
    if limit is not None and limit > most:
        warnings.warn(
            f"The memory limit is {readable(limit)}, and this machine has {readable(most)}.",
            stacklevel=level_of_the_user(),
        )
    return limit
