"""Builtins, `functools` and `itertools` that go through sequences: the items stay where they are, or are asked for."""

from __future__ import annotations

import ast
import builtins
import functools
import itertools
import operator
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from daad.frontend.library.sorting import sorted_numbers
from daad.frontend.python import iterables, iterators
from daad.frontend.python.iterables import Enumerated, Zipped
from daad.frontend.python.iterators import Once, can_stage, iterate
from daad.frontend.python.numpy import COMPARISONS, FUNCTIONS
from daad.frontend.python.reader import Reader
from daad.frontend.python.truth import truth
from daad.frontend.python.values import ArrayValue, affine_of, is_staged, is_weak
from daad.program.nodes import Expr, Op

Builtin = Callable[[Reader, ast.Call, list[Any], dict[str, Any]], Any]


def _enumerate(reader: Reader, node: ast.Call, args: list[Any], keywords: dict[str, Any]) -> Any:
    start = affine_of(keywords.get("start", args[1] if len(args) > 1 else 0))
    if start is None:
        reader.stage.refuse("'enumerate' starts at an integer.", "Use 'int(...)'.")
    if can_stage(args[:1]):
        return Once(iterators.Items(Enumerated(_sequence_of(args[0]), start)))
    return Once(iterators.Count(reader.stage.known(start)), (iterate(reader, args[0]),))


def _zip(reader: Reader, node: ast.Call, args: list[Any], keywords: dict[str, Any]) -> Any:
    if can_stage(args):
        return Once(iterators.Items(Zipped(tuple(map(_sequence_of, args)))))
    return Once(iterators.Zip(), tuple(iterate(reader, arg) for arg in args))


def _sequence_of(value: Any) -> iterables.Staged:
    sequence = iterables.staged(value)
    assert sequence is not None, "what can be staged is a sequence"
    return sequence


def _reversed(reader: Reader, node: ast.Call, args: list[Any], keywords: dict[str, Any]) -> Any:
    (value,) = args
    if isinstance(value, iterables.Given):
        reader.stage.refuse("An iterator cannot be reversed.", "Make it a list, 'list(...)'.")
    if isinstance(value, list):
        return Once(iterators.Slots(len(value) - 1), (value,))
    return iterate(reader, iterables.reverse(reader.stage, value))


def _deque(reader: Reader, node: ast.Call, args: list[Any], keywords: dict[str, Any]) -> Any:
    items, *longest = [*args, *keywords.values()] if args else [(), *keywords.values()]
    found = [reader.settled(item, "item") for item in iterables.static_items(reader.stage, items)]
    form = affine_of(longest[0]) if longest else None
    return deque(found, reader.stage.known(form) if form is not None else None)


def _iter(reader: Reader, node: ast.Call, args: list[Any], keywords: dict[str, Any]) -> Any:
    if len(args) != 1:
        reader.stage.refuse("'iter' with a function to call is not supported.", "Use a 'for' loop over a 'range'.")
    return iterate(reader, args[0])


def _chain(reader: Reader, node: ast.Call, args: list[Any], keywords: dict[str, Any]) -> Any:
    return _chain_from(reader, node, [tuple(args)], keywords)


def _chain_from(reader: Reader, node: ast.Call, args: list[Any], keywords: dict[str, Any]) -> Any:
    return Once(iterators.Chain(reader), (iterate(reader, args[0]),))


def _pairwise(reader: Reader, node: ast.Call, args: list[Any], keywords: dict[str, Any]) -> Any:
    return Once(iterators.Pairs(), (iterate(reader, args[0]),))


def _counted(kind: Callable[..., Any]) -> Builtin:
    """An endless iterator, whose items are computed from their numbers."""

    def call(reader: Reader, node: ast.Call, args: list[Any], keywords: dict[str, Any]) -> Any:
        return Once(iterators.Counted(kind(reader, *args, **keywords)))

    return call


def _from(reader: Reader, start: Any = 0, step: Any = 1) -> Callable[[int], Any]:
    if is_staged((start, step)):
        reader.stage.refuse("'itertools.count' counts from a number that is not known.", "Use a 'range'.")
    return lambda number: start + number * step


def _cycle(reader: Reader, items: Any) -> Callable[[int], Any]:
    found = iterables.static_items(reader.stage, items)
    if not found:
        reader.stage.refuse("'itertools.cycle' of nothing.", "Give it an item.")
    return lambda number: found[number % len(found)]


def _repeat(reader: Reader, node: ast.Call, args: list[Any], keywords: dict[str, Any]) -> Any:
    value, *times = [*args, *keywords.values()]
    if not times:
        return Once(iterators.Counted(lambda _: value))
    often = affine_of(times[0])
    if often is None:
        reader.stage.refuse("How often an item is repeated is not known.", "Use an int argument or a size.")
    return iterate(reader, (value,) * reader.stage.known(often))


def _next(reader: Reader, node: ast.Call, args: list[Any], keywords: dict[str, Any]) -> Any:
    once, *default = args
    if not isinstance(once, iterators.Once):
        reader.stage.refuse("'next' is given what is no iterator.", "Use 'iter(...)'.")
    try:
        return once.take(reader.stage)
    except StopIteration:
        if default:
            return default[0]
        reader.stage.refuse("This fails without daad, too: StopIteration.", "Check how many items there are.")


def _map(reader: Reader, node: ast.Call, args: list[Any], keywords: dict[str, Any]) -> Any:
    function, *sequences = args
    return _applied(reader, node, function, sequences, None)


def _filter(reader: Reader, node: ast.Call, args: list[Any], keywords: dict[str, Any]) -> Any:
    from daad.frontend.python.comprehensions import holds

    function, sequence = args
    return _applied(reader, node, function, [sequence], lambda value: holds(reader, value))


def _applied(
    reader: Reader, node: ast.Call, function: Any, sequences: list[Any], keeps: Callable[[Any], bool] | None
) -> Any:
    made_at = tuple(reader.path)

    def call(number: int, items: list[Any]) -> Any:
        place = hash((*made_at, id(node), number))
        return items[0] if function is None else _called(reader, node, place, function, items)

    return Once(iterators.Applied(call, keeps), tuple(iterate(reader, s) for s in sequences))


def _reduce(reader: Reader, node: ast.Call, args: list[Any], keywords: dict[str, Any]) -> Any:
    """`functools.reduce`, its function applied from the left."""
    function, sequence, *initial = args
    items = initial + iterables.static_items(reader.stage, sequence)
    if not items:
        reader.stage.refuse("'reduce' is given nothing to reduce.", "Give a first value.")
    result = items[0]
    for number, item in enumerate(items[1:]):
        result = _called(reader, node, number, function, [result, item])
    return result


def _called(reader: Reader, node: ast.Call, number: int, function: Any, args: list[Any]) -> Any:
    """The result of one of many calls that a call makes, each at a place of its own."""
    from daad.frontend.python.calls import call

    reader.path.append(number)
    result = reader.settled(call(reader, node, function, args, {}), "item")
    reader.path.pop()
    return result


def _accumulate(reader: Reader, node: ast.Call, args: list[Any], keywords: dict[str, Any]) -> Any:
    items, *rest = args
    function = rest[0] if rest else keywords.get("func")
    add = operator.add if function is None else function
    first = [keywords["initial"]] if keywords.get("initial") is not None else []
    source = iterators.Running(lambda number, pair: _called(reader, node, number, add, pair))
    return Once(source, (iterate(reader, items), *first))


def _islice(reader: Reader, node: ast.Call, args: list[Any], keywords: dict[str, Any]) -> Any:
    items, *bounds = args
    forms = [None if bound is None else affine_of(bound) for bound in bounds]
    if any(form is None and bound is not None for form, bound in zip(forms, bounds, strict=True)):
        reader.stage.refuse("The bounds of 'itertools.islice' depend on data.", "Use int arguments or sizes.")
    known = [None if form is None else reader.stage.known(form) for form in forms]
    part = slice(*known)
    if part.step not in (None, 1):
        reader.stage.refuse("'itertools.islice' has a step.", "Take a slice of a list.")
    return Once(iterators.Part(part.start or 0, part.stop), (iterate(reader, items),))


def _extreme(function: Any, beats: type[ast.cmpop]) -> Builtin:
    """`max` and `min`; with a key the first item whose key no other one beats."""

    def call(reader: Reader, node: ast.Call, args: list[Any], keywords: dict[str, Any]) -> Any:
        from daad.frontend.python.calls import numpys

        if len(args) == 1 and isinstance(args[0], iterables.Given):
            args = [iterables.static_items(reader.stage, args[0])]
        items = args[0] if len(args) == 1 else args
        key = keywords.get("key")
        if key is None and not (isinstance(items, list | tuple) and items and all(type(i) is tuple for i in items)):
            rest = {name: value for name, value in keywords.items() if name != "key"}
            return numpys(reader, FUNCTIONS[function], args, rest)
        items = iterables.static_items(reader.stage, items)
        if not items:
            return keywords.get("default")
        keys = items if key is None else [_called(reader, node, k, key, [item]) for k, item in enumerate(items)]
        best, top = items[0], keys[0]
        for item, own in zip(items[1:], keys[1:], strict=True):
            wins = _beats(reader, beats, own, top)
            best, top = (_either(reader, wins, pair) for pair in ((item, best), (own, top)))
        return best

    return call


def _beats(reader: Reader, kind: type[ast.cmpop], a: Any, b: Any) -> bool | Expr:
    """Whether one key is before another, tuples by the first items that differ."""
    if type(a) is not tuple or type(b) is not tuple:
        return truth(reader.stage, COMPARISONS[kind](reader.stage, (a, b), {}))
    if len(a) != len(b):
        reader.stage.refuse("Tuples of different lengths are compared.", "Give all of them the same length.")
    result: bool | Expr = False
    for x, y in zip(reversed(a), reversed(b), strict=True):
        wins = _beats(reader, kind, x, y)
        is_same = truth(reader.stage, COMPARISONS[ast.Eq](reader.stage, (x, y), {}))
        result = _connected("logical_or", wins, _connected("logical_and", is_same, result))
    return result


def _connected(name: str, a: bool | Expr, b: bool | Expr) -> bool | Expr:
    """`a or b`, `a and b`."""
    for known, other in ((a, b), (b, a)):
        if isinstance(known, bool):
            return other if known is (name == "logical_and") else known
    return Op(name, (a, b), "bool")  # type: ignore[arg-type]


def _either(reader: Reader, wins: Any, pair: tuple[Any, Any]) -> Any:
    """The first of a pair where `wins` holds, else the second; tuples by their items."""
    first, second = pair
    if isinstance(wins, bool):
        return first if wins else second
    if type(first) is tuple and type(second) is tuple and len(first) == len(second):
        return tuple(_either(reader, wins, items) for items in zip(first, second, strict=True))
    a, b = (value if isinstance(value, ArrayValue | int | float) else None for value in pair)
    if a is None or b is None or reader.stage.is_array(a) or reader.stage.is_array(b):
        reader.stage.refuse("Which of these items it is depends on data.", "Choose among numbers or tuples of numbers.")
    condition = reader.stage.lazy((), bool, lambda _: wins)
    a, b = reader.stage.array(a), reader.stage.array(b)
    chosen = FUNCTIONS[np.where](reader.stage, (condition, a, b), {})
    chosen.weak = is_weak(a, b)
    return reader.settled(chosen, "item")


def _sorted(reader: Reader, node: ast.Call, args: list[Any], keywords: dict[str, Any]) -> Any:
    from daad.frontend.python.calls import call, refuse_unknown, run_now

    items = iterables.static_items(reader.stage, args[0])
    key, reverse = keywords.get("key"), bool(keywords.get("reverse", False))
    if key is None and not is_staged(items):
        return run_now(reader, node, builtins.sorted, [items], keywords)
    keys = items if key is None else [_called(reader, node, n, key, [item]) for n, item in enumerate(items)]
    if all(type(k) is tuple and k for k in keys) and _are_distinct([k[0] for k in keys]):
        keys = [k[0] for k in keys]  # what is known decides
    if not is_staged(keys):
        return [items[k] for k in sorted(range(len(keys)), key=keys.__getitem__, reverse=reverse)]
    if not all(map(_is_number, (*items, *keys))):
        refuse_unknown(reader, node, builtins.sorted)
    return call(reader, node, sorted_numbers, [list(items), list(keys), reverse], {})


def _are_distinct(values: list[Any]) -> bool:
    """Whether these are known, and no two of them are equal."""
    try:
        return not is_staged(values) and len(set(values)) == len(values)
    except TypeError:
        return False


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) or (isinstance(value, ArrayValue) and not value.shape)


SEQUENCES: dict[Any, Builtin] = {
    builtins.max: _extreme(builtins.max, ast.Gt),
    builtins.min: _extreme(builtins.min, ast.Lt),
    builtins.sorted: _sorted,
    itertools.accumulate: _accumulate,
    itertools.islice: _islice,
    builtins.enumerate: _enumerate,
    builtins.zip: _zip,
    builtins.reversed: _reversed,
    builtins.next: _next,
    builtins.map: _map,
    builtins.filter: _filter,
    builtins.iter: _iter,
    deque: _deque,
    functools.reduce: _reduce,
    itertools.chain: _chain,
    itertools.chain.from_iterable: _chain_from,
    itertools.pairwise: _pairwise,
    itertools.count: _counted(_from),
    itertools.cycle: _counted(_cycle),
    itertools.repeat: _repeat,
}
