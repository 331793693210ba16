"""What libraries ask of calls and objects: signatures, the names that there are, who stands behind an attribute."""

from __future__ import annotations

import contextlib
import copy
import functools
import inspect
import itertools
import threading
import types
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np

from tests.corpus.case import normal, row, uniform

Number = TypeVar("Number")
SETTINGS = threading.local()
SHARED = types.SimpleNamespace(scale=1.0)


def checked(function):
    signature = inspect.signature(function)

    @functools.wraps(function)
    def wrapper(*args, **keywords):
        bound = signature.bind(*args, **keywords)
        bound.apply_defaults()
        known = {name: value for name, value in bound.arguments.items() if name not in ("x", "w")}
        bound.arguments["power"] = known["power"] + 1
        return function(*bound.args, **bound.kwargs)

    return wrapper


@checked
def weighted(x, w=2.0, *, power=1):
    return np.sum(w * x**power)


def calls_checked_by_signatures(x, w):
    return weighted(x) + weighted(x, w, power=2) + weighted(w=w, x=x[::-1])


def settings():
    if not hasattr(SETTINGS, "values"):
        SETTINGS.values = {"scale": 2.0}
    return SETTINGS.values


def settings_of_a_thread(x, w):
    SHARED.scale = settings()["scale"] * w[0]
    return np.sum(x**2) * settings()["scale"] + SHARED.scale


class Wrapped:
    """Gives what it has itself, and otherwise what stands behind it."""

    def __init__(self, behind):
        self._behind = behind

    def __getattribute__(self, name):
        def get(name):
            return object.__getattribute__(self, name)

        with contextlib.suppress(AttributeError):
            behind = get("_behind")
        try:
            return get(name)
        except AttributeError:
            pass
        found = getattr(behind, name)
        return found * 2.0 if name in get("doubled") else found

    doubled = ("values",)

    def total(self):
        return np.sum(self._behind.values) + np.sum(self.values)


class Behind:
    def __init__(self, x, w):
        self.values, self.w = x, w

    @property
    def squares(self):
        return self.values**2


class Counted:
    def __init__(self, x):
        self.x, self.asked = x, 0

    def __getattribute__(self, name):
        if name == "doubled":
            return super().__getattribute__("x") * 2.0
        return super().__getattribute__(name)

    def __getattr__(self, name):
        if name.startswith("power_"):
            return self.x ** int(name[6:])
        raise AttributeError(name)


def attributes_by_getattribute(x, w):
    wrapped, counted = Wrapped(Behind(x, w)), Counted(x)
    counted.asked += 1
    total = wrapped.total() + np.sum(wrapped.squares * wrapped.w) + counted.asked * np.sum(counted.doubled)
    return total + np.sum(counted.power_3) + hasattr(counted, "power") + np.sum(getattr(counted, "missing", w))


@dataclass(slots=True)
class Tags:
    kind: str | None = None
    scale: float = 2.0


class Unpacked(Generic[Number]):
    __slots__ = ()

    def __iter__(self):
        yield self.scale
        yield self.offset


@dataclass(frozen=True, slots=True, kw_only=True)
class Line(Unpacked[float]):
    scale: float
    offset: float


@dataclass(slots=True)
class Estimator:
    weight: float = 1.0
    tags: Tags = field(default_factory=Tags)


def dataclasses_with_slots(x, w):
    first, second = Estimator(), Estimator(3.0, Tags("other"))
    first.weight, second.tags.scale, second.tags.kind = x[0], w[1], "third"
    scale, offset = Line(scale=w[0], offset=x[1])
    return np.sum(x * first.weight * first.tags.scale * scale + offset) + second.weight * second.tags.scale * len(
        second.tags.kind
    )


class Bounds:
    def __init__(self, x, w):
        self.bound_x, self.bound_w, self.other = x, w, None

    def all(self):
        return [getattr(self, name) for name in dir(self) if name.startswith("bound_")]


def names_that_there_are(x, w):
    y, scale = x * 2.0, 3.0
    known = locals()
    total = sum(np.sum(value) for value in Bounds(x, w).all()) + np.sum(known["y"] * known["scale"])
    return total * len([name for name in dir() if name in ("y", "scale", "z")])


class Box:
    def __init__(self, n):
        self.n, self.items = n, []


@functools.lru_cache
def box_of(n):
    box = Box(n)
    box.items.append(n)
    return box


class Shop:
    @classmethod
    @functools.lru_cache
    def box(cls, n):
        made = Box(n)
        made.items.append(2.0 * n)
        return made

    @functools.lru_cache(maxsize=8)  # noqa: B019
    def own(self, n):
        made = Box(n)
        made.items.append(3.0 * n)
        return made


SHOP = Shop()


def objects_that_are_remembered(x, w):
    box_of(2.0).n = x[0]
    total = box_of(2.0).n * w[0] + (box_of(3.0) is box_of(3.0)) * x[1]
    return total + Shop.box(4).items[0] * x[2] + SHOP.box(5).items[0] * x[3] + SHOP.own(6).items[0] * x[4]


class Road:
    __slots__ = ("grip",)


class Track(Road):
    __slots__ = ("__length", "points")

    def __init__(self):
        self.grip, self.__length, self.points = 1.5, 2.0, np.ones(7)

    def length(self):
        return self.__length

    def stretch(self, factor):
        self.__length = factor * self.__length


class Circuit(Track):
    def __init__(self):
        super().__init__()
        self.laps = 3


TRACK, OTHER, CIRCUIT = Track(), Track(), Circuit()


def objects_with_slots_from_outside(x, w):
    TRACK.points = 2.0 * x
    TRACK.grip = w[0]
    first, second = copy.copy(OTHER), copy.deepcopy(OTHER)
    first.stretch(x[1])
    second.points *= w
    CIRCUIT.laps, CIRCUIT.grip = x[2], x[3]
    total = np.sum(TRACK.points) * TRACK.grip * TRACK.length() + first.length() * OTHER.length()
    return total + np.sum(second.points * OTHER.points) + CIRCUIT.laps * CIRCUIT.grip * CIRCUIT.length()


def signatures_of_own_functions(x, w):
    def scaled(u, factor=2.0, *, power=1):
        return np.sum(u * factor) ** power

    parameters = inspect.signature(scaled).parameters
    given = {name: p.default for name, p in parameters.items() if p.default is not p.empty}
    bound = inspect.signature(scaled).bind(x, power=2)
    return scaled(*bound.args, **bound.kwargs) + given["factor"] * w[0] + len(inspect.signature(lambda a: a).parameters)


def keys_out_of_constant_arrays(x, w):
    cache, table = {}, {}
    for wave in np.full(3, 0.55):
        if wave not in cache:
            cache[wave] = x[0] * 2.0
    for k, wave in enumerate(np.linspace(0.0, 1.0, 3)):
        table[wave] = x[k] * w[k]
    key = tuple(np.ravel(np.full_like(x, 0.5)))
    cache[key] = np.sum(w)
    return sum(cache.values()) * len(cache) + table[0.5] * table[1.0] + len(table)


SCALE = 3.0


def expressions_as_text(x, w):
    y = x * 2.0
    names = {"a": x, "b": w, "np": np, "c": [1.0, 2.0]}
    total = eval("np.sum(a * b)", names) + np.sum(eval("y * SCALE", globals(), locals()) * vars()["w"])
    total += eval("(lambda t: t * b[0])(a[1]) + sum(k * a[2] for k in c)", names)
    total += eval("total(a, 2.0)", {"__builtins__": {}, "total": lambda a, k: np.sum(a) * k}, {"a": w})
    try:
        return total * eval("SCALE", {"SCALEs": 1.0})
    except NameError:
        return total + np.sum([eval("c * t**2", {"c": c, "t": 2.0}) for c in x])


def parameters_by_static_lookup(x, w):
    of_object = inspect.getattr_static(Behind(x, w), "values")
    is_property = isinstance(inspect.getattr_static(Behind(x, w), "squares"), property)
    return np.sum(of_object * w) * is_property + (inspect.getattr_static(x, "no_such", None) is None)


def items_that_functions_choose(x, w):
    late = list(itertools.dropwhile(lambda k: k < 2, [0, 1, 2, 1]))
    first = list(itertools.takewhile(lambda k: k < 3, range(7)))
    odd = list(itertools.filterfalse(lambda k: k % 2 == 0, range(6)))
    return sum(x[k] * w[k] for k in (*late, *first, *odd, *itertools.filterfalse(None, [0, 3])))


def as_arrays(x, y=None):
    x = np.asarray(x)
    return (x, x) if y is None else (x, np.asarray(y, dtype=float))


def squared_distances(x, y=None):
    x, y = as_arrays(x, y)
    squares = np.sum(x**2)
    return squares if x is y else squares + np.sum(y**2) - 2.0 * np.sum(x * y)


def arrays_that_are_the_same_object(x, w):
    y = z = np.atleast_1d(x)
    kept = [x, x * 2.0]
    first, second = kept[0] is x, kept[1] is x
    y += 1.0
    return squared_distances(x) + squared_distances(x, w) * (y is z) + np.sum(x) * first * (not second)


TABLE, FLAT = np.array([[1.0, 2.0], [3.0, 4.0]]), np.full(2, 2.0)


def known_arrays_that_are_the_same_object(x, w):
    own = np.array([1.0, 2.0, 3.0])
    same = [np.asarray(own) is own, np.asarray(TABLE) is TABLE, np.asanyarray(FLAT) is FLAT]
    same += [np.atleast_2d(TABLE) is TABLE, np.real(FLAT) is FLAT, np.ascontiguousarray(own) is own]
    others = [np.array(own) is own, np.asarray(TABLE, np.float32) is TABLE, np.atleast_2d(FLAT) is FLAT]
    taken = np.asarray(own)
    taken[1] = np.sum(x)
    return squared_distances(x, w) * sum(same) * (1.0 + sum(others)) + np.sum(own**2) * (taken is own)


OUTSIDE = np.ones(3)


def named(value, name="name"):
    try:
        setattr(value, name, "of the program")
    except AttributeError as error:
        return len(str(error)) if type(value) in (list, dict, str) else 1.0
    except TypeError:
        return 2.0
    return 0.0


def attributes_where_none_can_be(x, w):
    y, z = x * 2.0, w * (1.0 + 2.0j)
    try:
        y.name = "of the program"
    except AttributeError:
        y = y + w
    try:
        del y.name
    except AttributeError:
        y = y * w
    z.imag = x
    y.real = y + z.imag * w
    told = [named(one) for one in (y, z, np.sum(x), x > 0, 1.5, [1.0], {}, (x, 1), "text", None, OUTSIDE)]
    return np.sum(y * w) * sum(told) + named(y, "T") * np.sum(x) + named(y, "imag") * np.sum(z.real**2)


class Seeding:
    def __init__(self, start):
        self.start, self.name = start, "fixed"

    def __str__(self):
        return self.name

    def __repr__(self):
        return f"Seeding({self.name})"


def objects_that_tell_their_names(x, w):
    seed = Seeding(x)
    factor = 2.0 if str(seed).lower() in ("fixed", "random") and repr(seed) == "Seeding(fixed)" else 3.0
    names = {f"{seed}": 1.5, f"{seed!r}": 4.0}
    return factor * np.sum(seed.start * w) * names["fixed"] + names["Seeding(fixed)"] * x[0]


def iterators_by_their_sizes(x, w):
    """As networks are asked for the number of neighbours, where iterators have no length."""
    near, far = {"a": (x, w), "b": (w,)}, [x, w]
    try:
        count = len(iter(near["a"]))
    except TypeError:
        count = iter(near["a"]).__sizeof__()
    same = count == iter(near["b"]).__sizeof__() and iter(near).__sizeof__() > 0 and iter(far).__sizeof__() > 0
    return np.sum(x * w) if same else np.sum(x)


def vectors():
    return normal(1, 7), uniform(2, 7)


PLAIN = (calls_checked_by_signatures, settings_of_a_thread, attributes_by_getattribute, dataclasses_with_slots)
PLAIN += (names_that_there_are, parameters_by_static_lookup, items_that_functions_choose)
PLAIN += (
    arrays_that_are_the_same_object,
    known_arrays_that_are_the_same_object,
    expressions_as_text,
    objects_that_are_remembered,
)
PLAIN += (objects_with_slots_from_outside, signatures_of_own_functions, keys_out_of_constant_arrays)
PLAIN += (attributes_where_none_can_be, objects_that_tell_their_names, iterators_by_their_sizes)

CASES = (*(row(f, vectors, "x, w") for f in PLAIN),)
