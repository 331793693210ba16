"""The C functions of `scipy.special` that compiled programs call: a library gets their addresses when it is loaded.

`scipy.special.cython_special` publishes functions of numbers; every ufunc has its loops over arrays, here of length 1.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

SYMBOL = "daad_special_"
"""What the name of a function's record in a library begins with."""
MOST_ARGUMENTS = 12
WHOLE = "lq"
"""NumPy's letters for integers of 64 bits."""


@dataclass(frozen=True)
class CFunction:
    """A ufunc of `scipy.special` by its loop of these types, such as 'dd->d'.

    Operands and results are doubles, of which complex numbers have two; the result at `place` is asked for.
    """

    ufunc: str
    types: str
    place: int = 0

    @property
    def results(self) -> int:
        return _doubles(self.types.partition("->")[2])

    def __call__(self, *operands: Any) -> Any:
        """As compiled code computes it, on arrays."""
        ufunc = ufunc_of(self.ufunc)
        parts, _, results = self.types.partition("->")
        values, given = [np.asarray(operand, float) for operand in operands], []
        for kind in parts:
            given.append(values.pop(0) if kind != "D" else values.pop(0) + 1j * values.pop(0))
        with np.errstate(all="ignore"):
            made = _in_loops(ufunc, self.types, given)
        split = [half for one in made for half in ((one.real, one.imag) if results[0] == "D" else (one,))]
        return split[self.place]


def _in_loops(ufunc: np.ufunc, types: str, given: list[Any]) -> list[Any]:
    """The results by the loop that takes numbers as they are, or the one that takes whole numbers where they are."""
    real, whole = loop_of(ufunc, types, is_whole=False), loop_of(ufunc, types, is_whole=True)
    if whole is None:
        return _listed(ufunc(*given))
    kinds = ufunc.types[whole].partition("->")[0]
    broadcast = np.broadcast_arrays(*given)
    places = [k for k, kind in enumerate(kinds) if kind in WHOLE]
    are_whole = np.all([broadcast[k] == np.trunc(broadcast[k]) for k in places], axis=0)
    rounded = [a.astype(np.int64) if k in places else a for k, a in enumerate(_without_nan(broadcast, places))]
    found = _listed(ufunc(*rounded))
    others = (
        _listed(ufunc(*broadcast))
        if real is not None
        else [one * complex(np.nan, np.nan) if one.dtype.kind == "c" else one * np.nan for one in found]
    )
    return [np.where(are_whole, one, other) for one, other in zip(found, others, strict=True)]


def _without_nan(arrays: Any, places: list[int]) -> list[Any]:
    return [np.where(np.isfinite(a), a, 0) if k in places else a for k, a in enumerate(arrays)]


def _listed(made: Any) -> list[Any]:
    return [*map(np.asarray, made)] if isinstance(made, tuple) else [np.asarray(made)]


def _doubles(kinds: str) -> int:
    return len(kinds) + kinds.count("D")


@cache
def ufunc_of(name: str) -> np.ufunc:
    """SciPy's; raises AttributeError or ImportError where there is none."""
    found = getattr(import_module("scipy.special._ufuncs"), name)
    if not isinstance(found, np.ufunc):
        raise AttributeError(name)
    return found


def loop_of(ufunc: np.ufunc, types: str, is_whole: bool) -> int | None:
    """The number of the loop of these types, or of the one that takes whole numbers for some of the doubles."""
    pattern = types.partition("->")
    text = re.sub("d", f"[{'d' if not is_whole else 'd' + WHOLE}]", pattern[0]) + "->" + pattern[2]
    for number, found in enumerate(ufunc.types):
        if re.fullmatch(text, found) and (found != types) == is_whole:
            return number
    return None


def exists(function: CFunction) -> bool:
    """Whether the SciPy that is installed has it."""
    try:
        ufunc = ufunc_of(function.ufunc)
    except (AttributeError, ImportError):
        return False
    return any(loop_of(ufunc, function.types, whole) is not None for whole in (False, True))


class Record(ctypes.Structure):
    """What a library knows of a function: see `daad.codegen.cpp.special_calls`."""

    _fields_ = (
        ("scalar", ctypes.c_void_p),
        ("loop", ctypes.c_void_p),
        ("data", ctypes.c_void_p),
        ("whole_loop", ctypes.c_void_p),
        ("whole_data", ctypes.c_void_p),
        ("whole", ctypes.c_int64),
        ("inputs", ctypes.c_int64),
        ("outputs", ctypes.c_int64),
        ("at", ctypes.c_int64 * MOST_ARGUMENTS),
    )


class _UFunc(ctypes.Structure):
    """NumPy's `PyUFuncObject`, as its C API documents it, behind the head of all objects."""

    _fields_ = (
        ("inputs", ctypes.c_int),
        ("outputs", ctypes.c_int),
        ("arguments", ctypes.c_int),
        ("identity", ctypes.c_int),
        ("functions", ctypes.POINTER(ctypes.c_void_p)),
        ("data", ctypes.POINTER(ctypes.c_void_p)),
        ("types", ctypes.c_int),
    )


def hand_over(library: ctypes.CDLL, name: str, function: CFunction) -> None:
    """Writes the function's addresses into a library that calls it by this name."""
    ctypes.memmove(ctypes.addressof(Record.in_dll(library, SYMBOL + name)), ctypes.addressof(record_of(function)),
                   ctypes.sizeof(Record))  # fmt: skip


@cache
def record_of(function: CFunction) -> Record:
    """Where the installed SciPy has the function; raises ImportError where it has none."""
    if not exists(function):
        raise ImportError(f"The installed SciPy has no function '{function.ufunc}' of '{function.types}'.")
    ufunc = ufunc_of(function.ufunc)
    real, whole = loop_of(ufunc, function.types, is_whole=False), loop_of(ufunc, function.types, is_whole=True)
    inner = _UFunc.from_address(id(ufunc) + object.__basicsize__)
    if (inner.inputs, inner.outputs, inner.types) != (ufunc.nin, ufunc.nout, ufunc.ntypes):
        raise ImportError("This NumPy keeps the loops of its functions elsewhere.")
    made = Record(inputs=ufunc.nin, outputs=ufunc.nout)
    if real is not None:
        made.loop, made.data = inner.functions[real], inner.data[real]
        made.scalar = _published(function) if whole is None else None
    if whole is not None:
        made.whole_loop, made.whole_data = inner.functions[whole], inner.data[whole]
    kinds, _, results = function.types.partition("->")
    for group, first in ((kinds, 0), (results, ufunc.nin)):
        for k in range(len(group)):
            made.at[first + k] = _doubles(group[:k])
    if whole is not None:
        places = [k for k, kind in enumerate(ufunc.types[whole].partition("->")[0]) if kind in WHOLE]
        made.whole = sum(1 << made.at[k] for k in places)
    return made


@cache
def _entries() -> dict[str, dict[str, Any]]:
    """The functions that Cython publishes, by their names and C signatures."""
    found: dict[str, dict[str, Any]] = {}
    for name, capsule in import_module("scipy.special.cython_special").__pyx_capi__.items():
        plain = re.sub(r"^__pyx_fuse_\d+(_\d+)?", "", name)
        found.setdefault(plain, {})[_signature(capsule).decode()] = capsule
    return found


def _published(function: CFunction) -> int | None:
    kinds, _, results = function.types.partition("->")
    if results != "d" or set(kinds) != {"d"}:
        return None
    wanted = f"double ({', '.join(['double'] * len(kinds))}, int __pyx_skip_dispatch)"
    capsule = _entries().get(function.ufunc, {}).get(wanted)
    return None if capsule is None else int(_pointer(capsule, _signature(capsule)))


def _of_capsules(name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
    return ctypes.PYFUNCTYPE(result, *arguments)((name, ctypes.pythonapi))


_signature = _of_capsules("PyCapsule_GetName", ctypes.c_char_p, ctypes.py_object)
_pointer = _of_capsules("PyCapsule_GetPointer", ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
