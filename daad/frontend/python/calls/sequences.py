"""Builtins, `functools` and `itertools` that go through sequences: the items stay where they are, or are asked for."""

from __future__ import annotations

import ast
import bisect
import builtins
import functools
import itertools
import operator
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from daad.frontend.library import iterating
from daad.frontend.library.ordering.sorting import sorted_numbers
from daad.frontend.numpy import FUNCTIONS, OPERATORS, public_name
from daad.frontend.numpy.calling.binding import Binding, Known
from daad.frontend.numpy.calling.call_arguments import static
from daad.frontend.numpy.calling.signatures import MISSING
from daad.frontend.python.calls.static_calls import numpys, refuse_unknown, run_now
from daad.frontend.python.control.chosen_items import Effects
from daad.frontend.python.control.comprehensions import holds
from daad.frontend.python.reading.reader import Reader
from daad.frontend.python.reading.shared_items import apart
from daad.frontend.python.targets import static_key
from daad.frontend.python.values import iterators, overloads
from daad.frontend.python.values.iterators import Once, can_stage, iterate
from daad.frontend.python.values.object_keys import key_in
from daad.frontend.python.values.ordering import before, says_how
from daad.frontend.staging import iterables
from daad.frontend.staging.indexing import item as item_at
from daad.frontend.staging.iterables import Enumerated, Repeated, Zipped
from daad.frontend.staging.speculation import decided
from daad.frontend.staging.truth import truth
from daad.frontend.staging.values import ArrayValue, affine_of, count_of, is_staged, is_weak, mixture
from daad.ir.nodes import Expr

Builtin = Callable[[Reader, ast.Call, list[Any], dict[str, Any]], Any]
Implementation = Callable[..., Any]
"""Called with the reader, the call's node, and what of the function's own parameters it honours."""


def bound(function: Any, implementation: Implementation) -> Builtin:
    """The implementation as what calls go through."""
    binding = Binding(public_name(function), function, implementation, leading=2)

    def call(reader: Reader, node: ast.Call, args: list[Any], keywords: dict[str, Any]) -> Any:
        given = binding.given(reader.stage, tuple(args), keywords)
        return implementation(reader, node, *given.args, **given.kwargs)

    return call


def _enumerate(reader: Reader, _: ast.Call, iterable: Any, start: Any = 0) -> Any:
    first = count_of(start)
    if first is None:
        reader.stage.refuse("'enumerate' starts at an integer.", "Use 'int(...)'.")
    if can_stage([iterable]):
        return Once(iterators.Items(Enumerated(_sequence_of(iterable), first)))
    return Once(iterators.Count(reader.stage.known(first)), (iterate(reader, iterable),))


def _zip(reader: Reader, _: ast.Call, *iterables: Any, strict: Known = False) -> Any:
    if not can_stage(list(iterables)):
        return Once(iterators.Zip(strict), tuple(iterate(reader, arg) for arg in iterables))
    parts = tuple(map(_sequence_of, iterables))
    if strict:
        _require_same_length(reader, parts)
    return Once(iterators.Items(Zipped(parts)))


def _require_same_length(reader: Reader, parts: Sequence[iterables.Staged]) -> None:
    first, *others = (iterables.length(reader.stage, part) for part in parts)
    if not all(reader.stage.same_extent(first, other) for other in others):
        reader.stage.refuse(*iterators.OF_OTHER_LENGTH)


def _sequence_of(value: Any) -> iterables.Staged:
    sequence = iterables.staged(value)
    assert sequence is not None, "what can be staged is a sequence"
    return sequence


def _reversed(reader: Reader, node: ast.Call, value: Any, /) -> Any:
    if overloads.is_by_index(reader, value):
        return reader.call(node, iterating.backwards, [value], {})
    if isinstance(value, iterables.Given):
        reader.stage.refuse("An iterator cannot be reversed.", "Make it a list, 'list(...)'.")
    if isinstance(value, list):
        return Once(iterators.Slots(len(value) - 1), (value,))
    return iterate(reader, iterables.reverse(reader.stage, value))


def _from_keys(reader: Reader, node: ast.Call, iterable: Any, value: Any = None, /) -> Any:
    made: dict[Any, Any] = {}
    for key in iterables.static_items(reader.stage, iterable):
        made[key_in(reader, node, made, static_key(reader.stage, key))] = None
    return dict.fromkeys(made, reader.settled(value, "item"))


def _deque(reader: Reader, _: ast.Call, iterable: Any = (), maxlen: Any = None) -> Any:
    found = [reader.settled(item, "item") for item in iterables.static_items(reader.stage, iterable)]
    form = None if maxlen is None else affine_of(maxlen)
    return deque(found, reader.stage.known(form) if form is not None else None)


def _iter(reader: Reader, node: ast.Call, iterable: Any, sentinel: Any = MISSING, /) -> Any:
    if sentinel is not MISSING:
        return reader.call(node, iterating.until, [iterable, sentinel], {})
    return iterable if overloads.is_iterator(reader, iterable) else iterate(reader, iterable)


def _chain(reader: Reader, node: ast.Call, *iterables: Any) -> Any:
    return _chain_from(reader, node, iterables)


def _chain_from(reader: Reader, node: ast.Call, iterable: Any, /) -> Any:
    opened = functools.partial(overloads.items, reader, node)
    return Once(iterators.Chain(reader, opened), (iterate(reader, iterable),))


def _pairwise(reader: Reader, _: ast.Call, iterable: Any, /) -> Any:
    return Once(iterators.Pairs(), (iterate(reader, iterable),))


def _count(reader: Reader, _: ast.Call, start: Any = 0, step: Any = 1) -> Any:
    """An endless iterator, whose items are computed from their numbers."""
    if not is_staged((start, step)):
        return Once(iterators.Counted(lambda number: start + number * step))

    def counted(number: int) -> Any:
        passed = OPERATORS[ast.Mult](reader.stage, (number, step), {})
        return OPERATORS[ast.Add](reader.stage, (start, passed), {})

    return Once(iterators.Counted(counted))


def _cycle(reader: Reader, _: ast.Call, items: Any, /) -> Any:
    found = iterables.static_items(reader.stage, items)
    if not found:
        reader.stage.refuse("'itertools.cycle' of nothing.", "Give it an item.")
    return Once(iterators.Counted(lambda number: found[number % len(found)]))


def _repeat(reader: Reader, _: ast.Call, object: Any, times: Any = MISSING) -> Any:
    if times is MISSING:
        return Once(iterators.Counted(lambda _: object))
    often = affine_of(times)
    if often is None:
        reader.stage.refuse("How often an item is repeated is not known.", "Use an int argument or a size.")
    if isinstance(object, ArrayValue | float | int | complex | str | None):
        return Once(iterators.Items(Repeated(object, often)))
    return iterate(reader, (object,) * reader.stage.known(often))  # a loop must see the list that it changes


def _next(reader: Reader, node: ast.Call, once: Any, default: Any = MISSING, /) -> Any:
    if overloads.is_iterator(reader, once):
        return reader.call(node, iterating.following, [once, *([] if default is MISSING else [default])], {})
    once = iterables.giving(once)
    if not isinstance(once, iterators.Once):
        reader.stage.refuse("'next' is given what is no iterator.", "Use 'iter(...)'.")
    try:
        return once.take(reader.stage)
    except StopIteration:
        if default is not MISSING:
            return default
        hint = "Check how many items there are."
        reader.stage.refuse("This fails without daad, too: StopIteration.", hint, StopIteration())


def _map(reader: Reader, node: ast.Call, function: Any, /, *sequences: Any) -> Any:
    return _applied(reader, node, function, list(sequences), None)


def _starmap(reader: Reader, node: ast.Call, function: Any, iterable: Any, /) -> Any:
    made_at = tuple(reader.path)

    def call(number: int, items: list[Any]) -> Any:
        place = hash((*made_at, id(node), number))
        return _called(reader, node, place, function, iterables.static_items(reader.stage, items[0]))

    return Once(iterators.Applied(call, None), (iterate(reader, iterable),))


def _tee(reader: Reader, _: ast.Call, iterable: Any, n: Any = 2, /) -> Any:
    items = iterables.static_items(reader.stage, iterable)
    return tuple(iterate(reader, list(items)) for _ in range(static(reader.stage, n)))


def _filter(reader: Reader, node: ast.Call, function: Any, sequence: Any, /) -> Any:
    return _applied(reader, node, function, [sequence], lambda value: holds(reader, value))


def _applied(
    reader: Reader, node: ast.Call, function: Any, sequences: list[Any], keeps: Callable[[Any], bool] | None
) -> Any:
    made_at = tuple(reader.path)

    def call(number: int, items: list[Any]) -> Any:
        place = hash((*made_at, id(node), number))
        return items[0] if function is None else _called(reader, node, place, function, items)

    return Once(iterators.Applied(call, keeps), tuple(iterate(reader, s) for s in sequences))


def _reduce(reader: Reader, node: ast.Call, function: Any, sequence: Any, initial: Any = MISSING, /) -> Any:
    """`functools.reduce`, its function applied from the left."""
    items = ([] if initial is MISSING else [initial]) + iterables.static_items(reader.stage, sequence)
    if not items:
        reader.stage.refuse("'reduce' is given nothing to reduce.", "Give a first value.")
    result = items[0]
    for number, item in enumerate(items[1:]):
        result = _called(reader, node, number, function, [result, item])
    return result


def _sum(reader: Reader, node: ast.Call, iterable: Any, /, start: Any = 0) -> Any:
    """`sum`; objects of the program's classes are added by their own methods."""
    are_objects = isinstance(iterable, list | tuple) and any(
        overloads.has_method(item, name) for item in iterable for name in ("__add__", "__radd__")
    )
    if are_objects:
        return _reduce(reader, node, operator.add, list(iterable), start)
    return apart(reader, numpys(reader, FUNCTIONS[builtins.sum], [iterable, start], {}))


def _called(reader: Reader, node: ast.Call, number: int, function: Any, args: list[Any]) -> Any:
    """The result of one of many calls that a call makes, each at a place of its own."""
    reader.path.append(number)
    result = reader.settled(reader.call(node, function, args, {}), "item")
    reader.path.pop()
    return result


def _accumulate(reader: Reader, node: ast.Call, iterable: Any, func: Any = None, *, initial: Any = None) -> Any:
    add = operator.add if func is None else func
    first = [] if initial is None else [initial]
    source = iterators.Running(lambda number, pair: _called(reader, node, number, add, pair))
    return Once(source, (iterate(reader, iterable), *first))


def _islice(reader: Reader, _: ast.Call, items: Any, /, *bounds: Any) -> Any:
    if not 1 <= len(bounds) <= 3:
        given = "no bound is given" if not bounds else "more than 'start', 'stop' and 'step' are given"
        reader.stage.refuse(
            f"This call of 'itertools.islice' fails: {given}.", "Give 'stop', or 'start' and 'stop'.", TypeError(given)
        )
    forms = [None if bound is None else affine_of(bound) for bound in bounds]
    if any(form is None and bound is not None for form, bound in zip(forms, bounds, strict=True)):
        reader.stage.refuse("The bounds of 'itertools.islice' depend on data.", "Use int arguments or sizes.")
    known = [None if form is None else reader.stage.known(form) for form in forms]
    part = slice(*known)
    return Once(iterators.Part(part.start or 0, part.stop, part.step or 1), (iterate(reader, items),))


def _truth_value(reader: Reader, holds: Expr) -> Any:
    return reader.stage.lazy((), bool, lambda _: holds, weak=True)


def _short_circuit(function: Any, ends: bool) -> Implementation:
    """`any` and `all`: an iterator gives no more items behind the first one that decides."""

    def call(reader: Reader, node: ast.Call, iterable: Any, /) -> Any:
        if not isinstance(iterable, Once) or iterable.is_whole():
            return numpys(reader, FUNCTIONS[function], [iterable], {})
        asked: list[Any] = []
        while True:
            before = Effects(reader)
            try:
                item = iterable.take(reader.stage)
            except StopIteration:
                break
            if asked and before.are_any():
                reader.stage.refuse(
                    f"To compute an item of '{function.__name__}' changes a variable, and data decide whether it is.",
                    "Make a list of the items first, or write a loop.",
                )
            holds = truth(reader.stage, overloads.truthful(reader, node, item))
            if holds is ends and not asked:
                return ends
            if not isinstance(holds, bool):
                asked.append(_truth_value(reader, holds))
            elif holds is ends:
                iterable.spend()
                return ends
        if not asked:
            return not ends
        iterable.spend()
        return numpys(reader, FUNCTIONS[function], [asked], {})

    return call


def _extreme(function: Any, beats: type[ast.cmpop]) -> Implementation:
    """`max` and `min`; with a key the first item whose key no other one beats."""

    def call(reader: Reader, node: ast.Call, *args: Any, default: Any = MISSING, key: Any = None) -> Any:
        if len(args) == 1 and isinstance(args[0], iterables.Given):
            args = (iterables.static_items(reader.stage, args[0]),)
        items = args[0] if len(args) == 1 else list(args)
        if key is None and not (isinstance(items, list | tuple) and items and all(map(_is_compared, items))):
            rest = {} if default is MISSING else {"default": default}
            return numpys(reader, FUNCTIONS[function], list(args), rest)
        items = iterables.static_items(reader.stage, items)
        if not items and default is MISSING:
            reader.stage.refuse("The maximum or minimum of nothing is not defined.", "Give 'default'.")
        if not items:
            return default
        keys = items if key is None else [_called(reader, node, k, key, [item]) for k, item in enumerate(items)]
        best, top = items[0], keys[0]
        for item, own in zip(items[1:], keys[1:], strict=True):
            wins = before(reader, beats, own, top, node)
            best, top = (_either(reader, wins, pair) for pair in ((item, best), (own, top)))
        return best

    return call


def _is_compared(item: Any) -> bool:
    """Whether it is no number, and is compared by its items or by a method."""
    return type(item) in (tuple, list) or says_how(item)


def _either(reader: Reader, wins: Any, pair: tuple[Any, Any]) -> Any:
    """The first of a pair where `wins` holds, else the second; tuples by their items."""
    first, second = pair
    if isinstance(wins, bool):
        return first if wins else second
    if type(first) is tuple and type(second) is tuple and len(first) == len(second):
        return tuple(_either(reader, wins, items) for items in zip(first, second, strict=True))
    a, b = (value if isinstance(value, ArrayValue | int | float) else None for value in pair)
    if a is None or b is None or reader.stage.is_array(a) or reader.stage.is_array(b):
        if reader.stage.speculation.asked():
            return first if decided(reader.stage, wins) else second
        reader.stage.refuse("Which of these items it is depends on data.", "Choose among numbers or tuples of numbers.")
    condition = reader.stage.lazy((), bool, lambda _: wins)
    a, b = reader.stage.array(a), reader.stage.array(b)
    chosen = FUNCTIONS[np.where](reader.stage, (condition, a, b), {})
    chosen.weak, chosen.boxed, chosen.mixed = is_weak(a, b), False, mixture(a, b)
    return reader.settled(chosen, "item")


def in_order(reader: Reader, node: ast.Call, iterable: Any, /, *, key: Any = None, reverse: Any = False) -> Any:
    items, reverse = iterables.static_items(reader.stage, iterable), bool(static(reader.stage, reverse))
    if key is None and not is_staged(items) and not any(map(says_how, items)):
        return run_now(reader, node, builtins.sorted, [items], {"reverse": reverse})
    keys = items if key is None else [_called(reader, node, n, key, [item]) for n, item in enumerate(items)]
    if all(type(k) is tuple and k for k in keys) and _are_distinct([k[0] for k in keys]):
        keys = [k[0] for k in keys]  # what is known decides
    if not is_staged(keys) and not any(map(says_how, keys)):
        return apart(reader, [items[k] for k in sorted(range(len(keys)), key=keys.__getitem__, reverse=reverse)])
    if not all(map(_is_number, (*items, *keys))):
        if reader.stage.speculation.asked():
            ordered = [Ordered(reader, node, key) for key in keys]
            return apart(reader, [items[k] for k in sorted(range(len(keys)), key=ordered.__getitem__, reverse=reverse)])
        refuse_unknown(reader, node, builtins.sorted)
    found = reader.call(node, sorted_numbers, [list(items), list(keys), reverse], {})
    for item in (one for one in found if isinstance(one, ArrayValue)):
        item.weak, item.mixed = is_weak(*items), mixture(*items)
    return found


@dataclass(frozen=True)
class Ordered:
    """A key whose place among others is taken to be that of this call."""

    reader: Reader
    node: ast.AST
    key: Any

    def __lt__(self, other: Ordered) -> bool:
        wins = before(self.reader, ast.Lt, self.key, other.key, self.node)
        return wins if isinstance(wins, bool) else decided(self.reader.stage, wins)


def _are_distinct(values: list[Any]) -> bool:
    """Whether these are known, and no two of them are equal."""
    try:
        return not is_staged(values) and len(set(values)) == len(values)
    except TypeError:
        return False


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) or (isinstance(value, ArrayValue) and not value.shape)


def _bisected(side: str) -> Implementation:
    """Where a number belongs in a sorted list of numbers: their array is searched."""

    def call(reader: Reader, node: ast.Call, a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> Any:
        if not is_staged((a, x)) and key is None:
            search = bisect.bisect_left if side == "left" else bisect.bisect_right
            return run_now(reader, node, search, [a, x, lo, hi], {})
        if key is not None or is_staged((lo, hi)):
            refuse_unknown(reader, node, bisect.bisect)
        if isinstance(a, ArrayValue):
            a = item_at(reader.stage, a, (slice(lo, hi),))
        else:
            a = reader.stage.array(iterables.static_items(reader.stage, a)[lo:hi])
        found = reader.call(node, np.searchsorted, [a, x], {"side": side})
        found = OPERATORS[ast.Add](reader.stage, (found, lo), {}) if lo else found
        found.weak = True
        return found

    return call


SEQUENCES: dict[Any, Implementation] = {
    bisect.bisect_left: _bisected("left"),
    bisect.bisect_right: _bisected("right"),
    builtins.max: _extreme(builtins.max, ast.Gt),
    builtins.min: _extreme(builtins.min, ast.Lt),
    builtins.sorted: in_order,
    builtins.sum: _sum,
    itertools.accumulate: _accumulate,
    itertools.starmap: _starmap,
    itertools.tee: _tee,
    itertools.islice: _islice,
    builtins.any: _short_circuit(builtins.any, ends=True),
    builtins.all: _short_circuit(builtins.all, ends=False),
    builtins.enumerate: _enumerate,
    builtins.zip: _zip,
    builtins.reversed: _reversed,
    builtins.next: _next,
    builtins.map: _map,
    builtins.filter: _filter,
    builtins.iter: _iter,
    dict.fromkeys: _from_keys,
    deque: _deque,
    functools.reduce: _reduce,
    itertools.chain: _chain,
    itertools.chain.from_iterable: _chain_from,
    itertools.pairwise: _pairwise,
    itertools.count: _count,
    itertools.cycle: _cycle,
    itertools.repeat: _repeat,
}
