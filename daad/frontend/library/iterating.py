"""`operator` and `itertools` as programs: what looks things up by name or key, and groups of neighbours."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from functools import partial, reduce
from typing import Any, cast


def attribute(value: Any, names: str) -> Any:
    return reduce(getattr, names.split("."), value)


def called(value: Any, name: str, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    return getattr(value, name)(*args, **keywords)


def attributes(value: Any, *names: str) -> Any:
    found = tuple([attribute(value, name) for name in names])
    return found[0] if len(names) == 1 else found


def has(value: Any, name: str) -> bool:
    """`hasattr`, where code of the program is asked."""
    try:
        getattr(value, name)
    except AttributeError:
        return False
    return True


def attribute_or(value: Any, name: str, default: Any) -> Any:
    """`getattr` in the same way."""
    try:
        return getattr(value, name)
    except AttributeError:
        return default


def either(asked: Callable[..., Any], missing: Callable[..., Any], value: Any, name: str) -> Any:
    """An attribute of an object whose class has both `__getattribute__` and `__getattr__`."""
    try:
        return asked(value, name)
    except AttributeError:
        return missing(value, name)


def items(value: Any, *keys: Any) -> Any:
    found = tuple([value[key] for key in keys])
    return found[0] if len(keys) == 1 else found


def groupby(iterable: Iterable[Any], key: Callable[[Any], Any] | None = None) -> Any:
    """The groups hold what Python's would give; nobody has to take them in turn."""
    groups: list[tuple[Any, list[Any]]] = []
    for item in iterable:
        own = item if key is None else key(item)
        if groups and groups[-1][0] == own:
            groups[-1][1].append(item)
        else:
            groups.append((own, [item]))
    return iter([(own, iter(group)) for own, group in groups])


def dropwhile(predicate: Callable[[Any], Any], iterable: Iterable[Any], /) -> Iterator[Any]:
    iterator = iter(iterable)
    for item in iterator:
        if not predicate(item):
            yield item
            break
    yield from iterator


def takewhile(predicate: Callable[[Any], Any], iterable: Iterable[Any], /) -> Iterator[Any]:
    for item in iterable:
        if not predicate(item):
            return
        yield item


def filterfalse(function: Callable[[Any], Any] | None, iterable: Iterable[Any], /) -> Iterator[Any]:
    for item in iterable:
        if not (item if function is None else function(item)):
            yield item


def by_index(value: Any) -> Iterator[Any]:
    """How an object without `__iter__` is iterated over."""
    number = 0
    while True:
        try:
            item = value[number]
        except IndexError:
            return
        yield item
        number += 1


def by_next(value: Any) -> Iterator[Any]:
    """How an object is iterated over that is its own iterator."""
    while True:
        try:
            item = value.__next__()
        except StopIteration:
            return
        yield item


def following(value: Any, *default: Any) -> Any:
    """`next` of such an object."""
    try:
        return value.__next__()
    except StopIteration:
        if not default:
            raise
        return default[0]


def backwards(value: Any) -> Iterator[Any]:
    """The same of `reversed`, where there is no `__reversed__`."""
    for number in range(len(value) - 1, -1, -1):
        yield value[number]


def numbers(typecode: str, initializer: Iterable[Any] = ()) -> list[Any]:
    """`array.array`, as a list."""
    if typecode == "d":
        return [float(item) for item in initializer]
    if typecode not in "ilq":
        raise ValueError(f"'array.array' of type code '{typecode}' is not supported: take 'd'")
    return [int(item) for item in initializer]


def until(function: Callable[[], Any], sentinel: Any) -> Iterator[Any]:
    """`iter` of a function: what its calls give, up to the sentinel."""
    while True:
        value = function()
        if value is sentinel or value == sentinel:
            return
        yield value


def lt(a: Any, b: Any) -> Any:
    return a < b


def le(a: Any, b: Any) -> Any:
    return a <= b


def eq(a: Any, b: Any) -> Any:
    return a == b


def ne(a: Any, b: Any) -> Any:
    return a != b


def ge(a: Any, b: Any) -> Any:
    return a >= b


def gt(a: Any, b: Any) -> Any:
    return a > b


def truth(a: Any) -> Any:
    return bool(a)


def not_(a: Any) -> Any:
    return not a


def contains(a: Any, b: Any) -> Any:
    return b in a


def setitem(a: Any, b: Any, c: Any) -> None:
    a[b] = c


def iadd(a: Any, b: Any) -> Any:
    a += b
    return a


def isub(a: Any, b: Any) -> Any:
    a -= b
    return a


def imul(a: Any, b: Any) -> Any:
    a *= b
    return a


def itruediv(a: Any, b: Any) -> Any:
    a /= b
    return a


def ifloordiv(a: Any, b: Any) -> Any:
    a //= b
    return a


def imod(a: Any, b: Any) -> Any:
    a %= b
    return a


def ipow(a: Any, b: Any) -> Any:
    a **= b
    return a


def imatmul(a: Any, b: Any) -> Any:
    a @= b
    return a


def absolute(a: Any) -> Any:
    return abs(a)


def neg(a: Any) -> Any:
    return -a


def pos(a: Any) -> Any:
    return +a


def getitem(a: Any, b: Any) -> Any:
    return a[b]


def delitem(a: Any, b: Any) -> None:
    del a[b]


def is_(a: Any, b: Any) -> Any:
    return a is b


def is_not(a: Any, b: Any) -> Any:
    return a is not b


def concat(a: Any, b: Any) -> Any:
    _require_sequence(a)
    return a + b


def iconcat(a: Any, b: Any) -> Any:
    _require_sequence(a)
    a += b
    return a


def _require_sequence(a: Any) -> None:
    if not hasattr(a, "__getitem__"):
        raise TypeError(f"'{type(a).__name__}' object can't be concatenated")


def count_of(a: Any, b: Any) -> int:
    return len([item for item in a if item is b or item == b])


_OPERATORS: tuple[Callable[..., Any], ...] = (lt, le, eq, ne, ge, gt, truth, not_, contains, setitem, getitem, delitem)
_OPERATORS += (iadd, isub, imul, itruediv, ifloordiv, imod, ipow, imatmul, neg, pos, is_, is_not, concat, iconcat)
OPERATORS: dict[str, Callable[..., Any]] = {
    **{function.__name__: function for function in _OPERATORS},
    "abs": absolute,
    "countOf": count_of,
}
ITERTOOLS: dict[str, Callable[..., Any]] = {
    "groupby": groupby,
    "dropwhile": dropwhile,
    "takewhile": takewhile,
    "filterfalse": filterfalse,
}


def applied(function: Any) -> tuple[Callable[..., Any], tuple[Any, ...]] | None:
    """The program for a callable of `operator` that was made with names or keys, and what follows its argument."""
    if isinstance(function, operator.attrgetter | operator.itemgetter):
        program = attributes if isinstance(function, operator.attrgetter) else items
        return program, tuple(function.__reduce__()[1])
    if isinstance(function, operator.methodcaller):
        made, args = cast(tuple[Any, tuple[Any, ...]], function.__reduce__()[:2])
        if isinstance(made, partial):  # where there are keywords
            return called, (made.args[0], args, made.keywords)
        return called, (args[0], args[1:], {})
    return None
