"""Random numbers: of generators that the program makes with a seed, known while it is read; of the caller's, drawn
before each call in the order of the program (`daad.frontend.staging.draws`)."""

from __future__ import annotations

import ast
import random
from collections.abc import Callable
from typing import Any

import numpy as np

from daad.frontend import unsupported
from daad.frontend.library.covariances import correlated, correlated_by
from daad.frontend.numpy import FUNCTIONS
from daad.frontend.numpy.calling.call_arguments import is_in, static
from daad.frontend.numpy.elementwise.operators import OPERATORS
from daad.frontend.python.calls import distributions
from daad.frontend.python.calls.static_calls import run_now, shown
from daad.frontend.python.reading.reader import Reader
from daad.frontend.python.targets import assign_item
from daad.frontend.staging import draws, indexing
from daad.frontend.staging.draws import GENERATORS, Draw, Rounds
from daad.frontend.staging.unread import refuse_unread_within
from daad.frontend.staging.values import ArrayValue, is_staged, own_axes
from daad.ir.affine import Affine

MAKERS = (np.random.default_rng, np.random.RandomState, np.random.Generator, random.Random)
BITS = (np.random.PCG64, np.random.MT19937, np.random.PCG64DXSM, np.random.Philox, np.random.SFC64)
GLOBAL = np.random.rand.__self__  # type: ignore[attr-defined]
"""The generator behind the functions of `np.random`."""
SCALED = {
    "normal": ("standard_normal", ("loc", "scale"), (0.0, 1.0)),
    "uniform": ("random_sample", ("low", "high"), (0.0, 1.0)),
    "exponential": ("standard_exponential", ("scale",), (1.0,)),
    "lognormal": ("standard_normal", ("mean", "sigma"), (0.0, 1.0)),
    "gauss": ("gauss", ("mu", "sigma"), (0.0, 1.0)),
}
"""What is drawn for a distribution whose parameters data decide: its standard form, of the same numbers."""
SHAPES = "The shape parameters of random numbers depend on data."
Method = str | Callable[..., Any]
PARAMETERS = "The parameters of random numbers depend on data."


def concerns(function: Any) -> bool:
    """Whether a call makes a generator, gives it a seed, or draws from it."""
    owner = getattr(function, "__self__", None)
    of_generator = isinstance(owner, GENERATORS)
    return of_generator or distributions.draws(function) or is_in((*MAKERS, *BITS, np.random.seed), function)


def called(reader: Reader, node: ast.Call, function: Any, args: list[Any], keywords: dict[str, Any]) -> Any:
    """What such a call gives."""
    refuse_unread_within(args, keywords)
    if is_in((*MAKERS, *BITS), function):
        return _made(reader, node, function, args, keywords)
    if distributions.draws(function):
        return _of_distribution(reader, node, function.__self__, args, keywords)
    owner = getattr(function, "__self__", GLOBAL)
    if function.__name__ == "seed":
        return _seeded(reader, node, owner, args, keywords)
    own = reader.seeded.get(id(owner), owner)
    name = function.__name__
    if name == "shuffle" and args and isinstance(args[0], list):
        return _shuffled(reader, node, own, args[0], args[1:], keywords)
    if any(map(is_staged, (*args, *keywords.values()))):
        found = _of_data(reader, node, own, name, args, keywords)
        if found is not NotImplemented:
            return found
    stage = reader.stage
    given = tuple(static(stage, arg) for arg in args)
    named = {key: static(stage, arg) for key, arg in keywords.items()}
    return _numbers(reader, node, own, name, given, named)


def _numbers(
    reader: Reader, node: ast.Call, own: Any, name: Method, given: tuple[Any, ...], named: dict[str, Any]
) -> Any:
    """What a generator draws now, if the program decides that alone, or before each call."""
    if _is_known(reader, own) and len(reader.stage.blocks) == 1:
        return run_now(reader, node, draws.drawing(own, name), list(given), named)
    return _drawn(reader, node, own, name, given, named)


def _of_distribution(reader: Reader, node: ast.Call, owner: Any, args: list[Any], keywords: dict[str, Any]) -> Any:
    """Variates of SciPy's: those of the standard distribution, scaled and moved by what data decide."""
    stage = reader.stage
    asked = distributions.asked(owner, args, keywords)
    given = (*asked.shapes, *asked.named.values())
    if any(map(is_staged, (*given, asked.size))):
        stage.refuse(SHAPES, "Draw numbers of a distribution that has none, and compute with them.")
    own = asked.generator
    if own is None or own is np.random:
        own = GLOBAL if getattr(owner, "_random_state", None) is None else owner._random_state
    if isinstance(own, int | np.integer):
        own = _made(reader, node, np.random.RandomState, [own], {})
    if not isinstance(own, GENERATORS):
        stage.refuse(f"'{shown(node)}' is given no generator.", "Pass 'random_state'.")
    own = reader.seeded.get(id(own), own)
    sizes = [tuple(map(stage.known, stage.array(value).shape)) for value in (*given, *asked.moved)]
    size = np.broadcast_shapes(*sizes) if asked.size is None and asked.is_univariate else asked.size
    named = {**asked.named, **({} if size is None else {"size": size})}
    drawn = _numbers(reader, node, own, distributions.Variates(owner), tuple(asked.shapes), named)
    for kind, value in zip((ast.Mult, ast.Add), asked.moved[::-1], strict=False):
        if is_staged(value) or np.any(value != (1 if kind is ast.Mult else 0)):
            drawn = OPERATORS[kind](stage, (drawn, value), {})
    return drawn


def _is_known(reader: Reader, generator: Any) -> bool:
    """Whether it is the program's own, and all that it has drawn is known."""
    return id(generator) in reader.generators and not reader.stage.drawn.holds(generator)


def _shuffled(
    reader: Reader, node: ast.Call, generator: Any, items: list[Any], rest: list[Any], keywords: dict[str, Any]
) -> Any:
    """The items of a list change places, in the order in which their numbers do."""
    stage, order = reader.stage, list(range(len(items)))
    if not _is_known(reader, generator):
        return _drawn(reader, node, generator, "shuffle", (order, *rest), keywords)
    if stage.loop_variables:
        raise stage.unroll(Affine.of(stage.loop_variables[-1]), unsupported.RANDOM[0])
    if len(stage.blocks) > 1:
        stage.speculation.asked()
        stage.refuse(*unsupported.RANDOM)
    run_now(reader, node, generator.shuffle, [order, *rest], keywords)
    assign_item(reader, items, slice(None), [items[k] for k in order])
    return None


def _made(reader: Reader, node: ast.Call, function: Any, args: list[Any], keywords: dict[str, Any]) -> Any:
    """A generator: the program's own if it has a seed; another one goes on from call to call."""
    stage = reader.stage
    if stage.loop_variables:
        raise stage.unroll(Affine.of(stage.loop_variables[-1]), unsupported.RANDOM[0])
    if len(stage.blocks) > 1:
        stage.refuse(*unsupported.RANDOM)
    is_seeded = [*args, *keywords.values()] not in ([], [None])
    if is_in(BITS, function) and not is_seeded:
        stage.refuse(*unsupported.RANDOM)
    result = run_now(reader, node, function, args, keywords)
    if is_seeded and isinstance(result, GENERATORS) and not any(result is arg for arg in args):
        reader.generators[id(result)] = result
    return result


def _seeded(reader: Reader, node: ast.Call, owner: Any, args: list[Any], keywords: dict[str, Any]) -> None:
    """A generator of the caller's gets a seed: one of the program's own draws in its place, and it ends like that."""
    maker = random.Random if isinstance(owner, random.Random) else np.random.RandomState
    if [*args, *keywords.values()] in ([], [None]):
        reader.stage.refuse(*unsupported.RANDOM)
    made = _made(reader, node, maker, args, keywords)
    reader.seeded = {**reader.seeded, id(owner): made}
    if id(owner) not in reader.generators:
        reader.stage.drawn.final = {**reader.stage.drawn.final, id(owner): (owner, made)}


def _drawn(
    reader: Reader, node: ast.Call, generator: Any, name: Method, args: tuple[Any, ...], keywords: dict[str, Any]
) -> Any:
    """Numbers of which each call has others: an array of all that the loops around draw, and the part of this round."""
    stage = reader.stage
    if any(not block.loop for block in stage.blocks[1:]):
        if stage.loop_variables:
            raise stage.unroll(Affine.of(stage.loop_variables[-1]), unsupported.RANDOM[0])
        stage.speculation.asked()
        stage.refuse(*unsupported.RANDOM)
    sample = _sample(reader, node, generator, name, args, keywords)
    if not isinstance(sample, int | float | np.generic | np.ndarray) or np.asarray(sample).dtype.kind not in "biuf":
        stage.refuse(f"'{shown(node)}' is not supported.", "Draw numbers or arrays of them.")
    kind, shape = np.asarray(sample).dtype, np.shape(sample)
    rounds = tuple(_rounds(reader, block) for block in stage.blocks[1:])
    array = np.zeros((*(loop.extent for loop in rounds), *shape), kind)
    place = stage.draw(Draw(generator, name, args, keywords, rounds, array))
    index = tuple(Affine.of(loop.variable) - min(loop.values, default=0) for loop in rounds)
    part = stage.view(place, tuple(map(Affine, shape)), (*index, *own_axes(len(shape))))
    part.weak = isinstance(sample, int | float) and not isinstance(sample, np.generic)
    return stage.copy(part, "drawn")


def _rounds(reader: Reader, block: Any) -> Rounds:
    """The iterations of a loop around; their number is a constant."""
    start, stop, step = block.bounds
    if not (isinstance(start, Affine) and isinstance(stop, Affine)):
        raise reader.stage.unroll(Affine.of(block.variable), unsupported.RANDOM[0])
    return Rounds(block.variable, range(reader.stage.known(start), reader.stage.known(stop), step))


def _sample(
    reader: Reader, node: ast.Call, generator: Any, name: Method, args: tuple[Any, ...], keywords: dict[str, Any]
) -> Any:
    """What such a draw gives, from a copy of the generator."""
    try:
        return draws.drawing(draws.copied(generator), name)(*args, **keywords)
    except Exception as error:
        reader.stage.refuse(
            f"This call fails: {type(error).__name__}: {str(error).rstrip('.')}.", "Check its arguments.", error
        )


def _of_data(
    reader: Reader, node: ast.Call, generator: Any, name: str, args: list[Any], keywords: dict[str, Any]
) -> Any:
    """Draws whose arguments data decide: distributions that are shifted and scaled, items of arrays in random order."""
    if name in SCALED:
        return _scaled(reader, node, generator, name, args, keywords)
    if name in ("choice", "permutation", "shuffle") and args and isinstance(args[0], ArrayValue) and args[0].ndim:
        return _of_items(reader, node, generator, name, args, keywords)
    if name == "multivariate_normal":
        return _correlated(reader, node, generator, *args, **keywords)
    if any(isinstance(a, ArrayValue) and a.dtype.kind == "f" for a in (*args, *keywords.values())):
        reader.stage.refuse(PARAMETERS, "Draw numbers of the standard distribution, and compute with them.")
    return NotImplemented


def _scaled(
    reader: Reader, node: ast.Call, generator: Any, name: str, args: list[Any], keywords: dict[str, Any]
) -> Any:
    standard, names, defaults = SCALED[name]
    given = {**dict(zip((*names, "size"), args, strict=False)), **keywords}
    values = [given.pop(key, default) for key, default in zip(names, defaults, strict=True)]
    size = given.pop("size", None)
    if given:
        reader.stage.refuse(PARAMETERS, "Draw numbers of the standard distribution, and compute with them.")
    shapes = [reader.stage.array(value).shape for value in values]
    wanted = np.broadcast_shapes(*(tuple(map(reader.stage.known, shape)) for shape in shapes)) if size is None else size
    if standard == "random_sample" and not isinstance(generator, np.random.RandomState):
        standard = "random"
    numbers = [*defaults] if standard == name else [wanted] if wanted != () else []
    drawn = called(reader, node, getattr(generator, standard), numbers, {})
    compute = lambda kind, *operands: OPERATORS[kind](reader.stage, operands, {})  # noqa: E731
    if name == "exponential":
        return compute(ast.Mult, values[0], drawn)
    if name == "uniform":
        return compute(ast.Add, values[0], compute(ast.Mult, compute(ast.Sub, values[1], values[0]), drawn))
    found = compute(ast.Add, values[0], compute(ast.Mult, values[1], drawn))
    return FUNCTIONS[np.exp](reader.stage, (found,), {}) if name == "lognormal" else found


def _correlated(
    reader: Reader,
    node: ast.Call,
    generator: Any,
    mean: Any,
    cov: Any,
    size: Any = None,
    check_valid: str = "warn",
    tol: float = 1e-8,
    *,
    method: str = "svd",
) -> Any:
    """Normal numbers with a covariance that data decide: `tol` is of the check alone, which only warns."""
    stage = reader.stage
    if check_valid not in ("warn", "ignore"):
        stage.refuse(PARAMETERS, "Leave out 'check_valid'.")
    mean, cov = stage.array(mean), stage.array(cov)
    if mean.ndim != 1 or cov.shape != 2 * mean.shape:
        stage.refuse("This call fails: ValueError: mean and cov must have same length.", "Check its arguments.")
    sizes = () if size is None else static(stage, size)
    shape = (*(sizes if isinstance(sizes, tuple | list) else [sizes]), stage.known(mean.shape[0]))
    is_old = isinstance(generator, np.random.RandomState)
    drawn = called(reader, node, generator.standard_normal, [shape], {})
    made = [drawn, mean, cov] if is_old else [drawn, mean, cov, method]
    return reader.call(node, correlated if is_old else correlated_by, made, {})


def _of_items(
    reader: Reader, node: ast.Call, generator: Any, name: str, args: list[Any], keywords: dict[str, Any]
) -> Any:
    """Rows of an array in the order in which a generator draws their numbers."""
    rows, *rest = args
    if keywords.get("axis", 0) != 0:
        reader.stage.refuse(f"'{shown(node)}' along other axes than the first is not supported.", "Transpose.")
    count = reader.stage.known(rows.shape[0])
    chosen = "permutation" if name == "shuffle" else name
    order = called(reader, node, getattr(generator, chosen), [count, *rest], keywords)
    found = indexing.item(reader.stage, rows, (order,))
    if name != "shuffle":
        return found
    assign_item(reader, rows, slice(None), found)
    return None
