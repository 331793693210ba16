"""Arrays that hold the program's own things (`np.empty(3, dtype=object)`): lists of lists with NumPy's subscripts and
operators."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

SLICE = "A slice of an array of objects is written, which NumPy would write into the array: write its items"
OBJECT = np.dtype(object)
KINDS = (object, np.ndarray, list, dict, "O", "object")
"""What stands for that dtype."""


class Objects:
    """An array of `items`, lists in lists as deep as `shape` is long."""

    __array_ufunc__ = None
    dtype = OBJECT

    def __init__(self, items: Any, shape: Any, held: bool = True) -> None:
        self.items, self.shape, self.ndim, self.held = items, shape, len(shape), held
        size = 1
        for extent in shape:
            size = size * extent
        self.size = size

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Any:
        return iter([self[k] for k in range(self.shape[0])])

    def __getitem__(self, key: Any) -> Any:
        keys = key if isinstance(key, tuple) else (key,)
        if len(keys) > 1 and len(keys) == self.ndim and by_place(keys):
            found = [taken(self.items, list(place)) for place in places_of(keys)]
            return Objects(found, (len(found),), False)
        return wrapped(taken(self.items, full(keys, self.ndim)), self.ndim - numbers(keys), self.held and whole(keys))

    def __setitem__(self, key: Any, value: Any) -> None:
        if not self.held:
            raise ValueError(SLICE)
        keys = key if isinstance(key, tuple) else (key,)
        left = self.ndim - numbers(keys)
        if len(keys) == self.ndim and by_place(keys):
            put_each(self.items, keys, value)
            return
        put(self.items, full(keys, self.ndim), value.items if isinstance(value, Objects) else value, left)

    def flatten(self) -> Objects:
        found = flat(self.items, self.ndim)
        return Objects(found, (len(found),))

    ravel = flatten

    @property
    def flat(self) -> Any:
        return iter(flat(self.items, self.ndim))

    @property
    def T(self) -> Objects:
        if self.ndim != 2:
            return self
        rows = [[row[k] for row in self.items] for k in range(self.shape[1])]
        return Objects(rows, (self.shape[1], self.shape[0]), False)

    def copy(self) -> Objects:
        return Objects(copied(self.items, self.ndim), self.shape)

    def tolist(self) -> Any:
        return copied(self.items, self.ndim)

    def reshape(self, *shape: Any) -> Objects:
        """Another array, which cannot be written to."""
        asked = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        known = math.prod([extent for extent in asked if extent != -1])
        extents = tuple([self.size // known if extent == -1 else extent for extent in asked])
        if math.prod(extents) != self.size:
            raise ValueError(f"cannot reshape array of size {self.size} into shape {asked}")
        items, extents = _of_shape(flat(self.items, self.ndim), extents)
        return Objects(items, extents, False)

    def item(self, *places: Any) -> Any:
        if not places and self.size != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        return self[places] if len(places) == self.ndim else flat(self.items, self.ndim)[places[0] if places else 0]

    def fill(self, value: Any) -> None:
        self[...] = value

    def resize(self, *shape: Any, refcheck: bool = True) -> None:
        assert refcheck in (True, False), "other names of it see what it becomes, as with `refcheck=False`"
        if not self.held:
            raise ValueError("A slice of an array of objects is resized")
        asked = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        self.items, self.shape = _of_shape(flat(self.items, self.ndim), tuple(asked))
        self.ndim, self.size = len(self.shape), math.prod(self.shape)

    def astype(self, dtype: Any) -> Any:
        return self.copy() if dtype in (object, OBJECT, "O", "object") else np.array(self.items, dtype=dtype)

    def __array__(self, dtype: Any = None) -> Any:
        for item in flat(self.items, self.ndim):
            if np.ndim(item):
                raise TypeError("NumPy's function is asked of an array of arrays: give it a list of them")
        return np.array(self.items, dtype=dtype)

    def __add__(self, other: Any) -> Any:
        return both(operator.add, self, other)

    def __radd__(self, other: Any) -> Any:
        return both(lambda a, b: b + a, self, other)

    def __sub__(self, other: Any) -> Any:
        return both(operator.sub, self, other)

    def __rsub__(self, other: Any) -> Any:
        return both(lambda a, b: b - a, self, other)

    def __mul__(self, other: Any) -> Any:
        return both(operator.mul, self, other)

    def __rmul__(self, other: Any) -> Any:
        return both(lambda a, b: b * a, self, other)

    def __truediv__(self, other: Any) -> Any:
        return both(operator.truediv, self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return both(lambda a, b: b / a, self, other)

    def __pow__(self, other: Any) -> Any:
        return both(operator.pow, self, other)

    def __neg__(self) -> Any:
        return both(operator.mul, self, -1)

    def __matmul__(self, other: Any) -> Any:
        return np.array(self.items) @ (np.array(other.items) if isinstance(other, Objects) else other)


def full(keys: Any, ndim: int) -> list[Any]:
    """One key for each axis."""
    given = [key for key in keys if key is not Ellipsis]
    missing = [slice(None)] * (ndim - len(given))
    if len(given) == len(keys):
        return given + missing
    place = next(k for k in range(len(keys)) if keys[k] is Ellipsis)
    return given[:place] + missing + given[place:]


def numbers(keys: Any) -> int:
    """How many axes the keys take away."""
    return len([key for key in keys if key is not Ellipsis and not several(key)])


def several(key: Any) -> bool:
    """Whether a key names any number of places along its axis."""
    return isinstance(key, slice | list) or (isinstance(key, np.ndarray) and key.ndim > 0)


def whole(keys: Any) -> bool:
    """Whether what the keys name is a list of the array's own: numbers come first, and nothing behind them is cut."""
    given = [several(key) for key in keys if key is not Ellipsis]
    return not any(given)


def taken(items: Any, keys: list[Any]) -> Any:
    if not keys:
        return items
    if isinstance(keys[0], slice):
        if all(isinstance(key, slice) and key == slice(None) for key in keys):
            return items
        return [taken(item, keys[1:]) for item in items[keys[0]]]
    if several(keys[0]):
        if any(several(key) for key in keys[1:] if not isinstance(key, slice)):
            raise ValueError("An array of objects is indexed with several arrays: take its items one after the other")
        places = np.asarray(keys[0])
        if places.dtype.kind == "b":
            places = np.flatnonzero(places)
        return [taken(items[int(place)], keys[1:]) for place in places]
    return taken(items[keys[0]], keys[1:])


def wrapped(items: Any, ndim: int, held: bool) -> Any:
    return items if ndim == 0 else Objects(items, extents(items, ndim), held)


def extents(items: Any, ndim: int) -> Any:
    if ndim == 1:
        return (len(items),)
    return (len(items), *extents(items[0], ndim - 1))


def by_place(keys: Any) -> bool:
    """Whether the keys are lists of places, one for each axis."""
    return all(several(key) and not isinstance(key, slice) and np.asarray(key).dtype.kind == "i" for key in keys)


def places_of(keys: Any) -> list[Any]:
    """The places along all axes, one after the other."""
    columns = [[int(place) for place in np.asarray(key)] for key in keys]
    return list(zip(*columns, strict=True))


def put_each(items: Any, keys: Any, value: Any) -> None:
    """Writes a thing, or the items of a list one after the other, at single places."""
    places = places_of(keys)
    values = value.items if isinstance(value, Objects) else value
    is_many = isinstance(values, (list, tuple))
    if is_many and len(values) != len(places):
        raise ValueError("Another number of items is written into an array of objects than there are places")
    for number, place in enumerate(places):
        put(items, list(place), values[number] if is_many else values, 0)


def put(items: Any, keys: list[Any], value: Any, left: int) -> None:
    """Writes a value, or the items of a sequence one after the other, at the places that the keys name; so many axes
    are `left` there."""
    first, rest = keys[0], keys[1:]
    if not isinstance(first, slice):
        if rest:
            put(items[first], rest, value, left)
        else:
            items[first] = value
        return
    places = list(range(len(items)))[first]
    is_many = isinstance(value, (list, tuple)) or np.ndim(value) >= left
    if is_many and len(value) != len(places):
        raise ValueError("Another number of items is written into an array of objects than there are places")
    for number, place in enumerate(places):
        item = value[number] if is_many else value
        if rest:
            put(items[place], rest, item, left - 1)
        else:
            items[place] = item


def flat(items: Any, ndim: int) -> list[Any]:
    if ndim <= 1:
        return list(items)
    found = []
    for item in items:
        found += flat(item, ndim - 1)
    return found


def _of_shape(items: list[Any], shape: Any) -> tuple[Any, Any]:
    """The first items, and zeros behind them."""
    inner = math.prod(shape[1:])
    items = (items + [0] * (shape[0] * inner))[: shape[0] * inner]
    if len(shape) == 1:
        return items, shape
    return [_of_shape(items[k * inner : (k + 1) * inner], shape[1:])[0] for k in range(shape[0])], shape


def copied(items: Any, ndim: int) -> list[Any]:
    return [copied(item, ndim - 1) for item in items] if ndim > 1 else list(items)


def both(function: Callable[[Any, Any], Any], mine: Objects, other: Any) -> Objects:
    """Item by item; a number goes to all."""
    if not isinstance(other, Objects) and np.ndim(other):
        other = array(other)
    if not isinstance(other, Objects):
        return Objects(_each(function, mine.items, other, mine.ndim), mine.shape)
    if mine.shape != other.shape:
        raise ValueError("Arrays of objects of different shapes are combined: write it item by item")
    return Objects(_pairs(function, mine.items, other.items, mine.ndim), mine.shape)


def _each(function: Callable[[Any, Any], Any], items: Any, other: Any, ndim: int) -> list[Any]:
    return [function(a, other) if ndim == 1 else _each(function, a, other, ndim - 1) for a in items]


def _pairs(function: Callable[[Any, Any], Any], items: Any, others: Any, ndim: int) -> list[Any]:
    pairs = zip(items, others, strict=True)
    return [function(a, b) if ndim == 1 else _pairs(function, a, b, ndim - 1) for a, b in pairs]


def filled(shape: Any, fill_value: Any) -> Objects:
    extents = shape if isinstance(shape, (tuple, list)) else (shape,)
    return Objects(_full(extents, fill_value), tuple(extents))


def _full(extents: Any, value: Any) -> list[Any]:
    if len(extents) == 1:
        return [value] * extents[0]
    return [_full(extents[1:], value) for _ in range(extents[0])]


def empty(shape: Any) -> Objects:
    return filled(shape, None)


def zeros(shape: Any) -> Objects:
    return filled(shape, 0)


def ones(shape: Any) -> Objects:
    return filled(shape, 1)


def array(object: Any) -> Objects:
    """A new one, as deep as all items have the same shape."""
    if isinstance(object, Objects):
        return object.copy()
    shape = common(object)
    if not shape:
        raise ValueError("An array of objects without axes is not supported: leave the array away")
    return Objects(_listed(object, len(shape)), shape)


def asarray(a: Any) -> Objects:
    return a if isinstance(a, Objects) else array(a)


def common(value: Any) -> Any:
    """The shape that all items have."""
    if not isinstance(value, (list, tuple)):
        return np.shape(value) if isinstance(value, (np.ndarray, float, int)) else ()
    if not len(value):
        return (0,)
    shapes = [common(item) for item in value]
    if all(shape == shapes[0] for shape in shapes):
        return (len(value), *shapes[0])
    if shapes[0] and all(shape[:1] == shapes[0][:1] for shape in shapes):
        raise ValueError("Arrays that agree in their first axis only do not go into an array of objects")
    return (len(value),)


def _listed(value: Any, ndim: int) -> list[Any]:
    return [_listed(item, ndim - 1) if ndim > 1 else item for item in value]


def append(arr: Objects, values: Any, axis: Any = None) -> Objects:
    """A new one without axes but one."""
    if axis is not None and arr.ndim > 1:
        raise ValueError("An array of objects with several axes is appended to along one of them")
    more = array(values).flatten() if isinstance(values, (list, tuple)) else values
    if not isinstance(more, Objects):
        more = Objects([more], (1,)) if np.ndim(more) == 0 else array(more.ravel().tolist())
    items = flat(arr.items, arr.ndim) + flat(more.items, more.ndim)
    return Objects(items, (len(items),))


MAKERS: tuple[tuple[Any, int, Callable[..., Any]], ...] = (
    (np.empty, 1, empty),
    (np.ndarray, 1, empty),
    (np.zeros, 1, zeros),
    (np.ones, 1, ones),
    (np.full, 2, filled),
    (np.array, 1, array),
    (np.asarray, 1, asarray),
)
"""What makes arrays, where the dtype stands among its arguments, and what makes those of objects."""


def made(function: Any, args: list[Any], keywords: dict[str, Any]) -> Any:
    """The call that makes an array of objects, if one is asked for: a function, arguments and keywords."""
    if function is np.append and args and isinstance(args[0], Objects):
        return append, args, keywords
    for maker, position, program in MAKERS:
        if function is maker:
            kind = keywords.get("dtype", args[position] if len(args) > position else None)
            others = {name: value for name, value in keywords.items() if name != "dtype"}
            is_such = (isinstance(kind, np.dtype) and kind == OBJECT) or any(kind is one for one in KINDS)
            return (program, args[:position], others) if is_such else None
    return None
