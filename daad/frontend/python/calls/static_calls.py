"""What is known while the program is read is computed at once, by Python or by NumPy's own functions."""

from __future__ import annotations

import _thread
import argparse
import ast
import builtins
import io
import itertools
import os
import sys
import threading
from collections import ChainMap, OrderedDict, defaultdict, deque
from collections.abc import Callable, ItemsView, Iterator, KeysView, Mapping, Sequence, ValuesView
from multiprocessing.process import BaseProcess
from typing import Any

import numpy as np

from daad.errors import DaadError
from daad.frontend import structures
from daad.frontend.installed_code import is_of_library, is_read
from daad.frontend.library.solvers.sparse_matrices import Sparse
from daad.frontend.library.solvers.sparse_originals import is_scipys
from daad.frontend.numpy import FUNCTIONS, hint_for
from daad.frontend.numpy.calling.call_arguments import is_in, static
from daad.frontend.python.control.program_texts import refuse_forbidden
from daad.frontend.python.reading.reader import Reader
from daad.frontend.python.reading.scope import Closure
from daad.frontend.python.reading.shared_items import apart, to_take
from daad.frontend.python.targets import decided_places
from daad.frontend.python.values import dates, objects, outside_containers, subarrays, text_files
from daad.frontend.python.values.identities import MODES
from daad.frontend.python.values.iterators import MAX_ITEMS, Once, iterate
from daad.frontend.python.values.written_files import note_read
from daad.frontend.staging import complex_numbers, container_items, draws, iterables
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.speculation import assumed
from daad.frontend.staging.texts import has_text, text
from daad.frontend.staging.unread import refuse_unread_within
from daad.frontend.staging.values import ArrayValue, Complex, affine_of, is_number, is_staged, type_name
from daad.ir.pinning import Needs

STARTING: frozenset[Any] = frozenset(
    (BaseProcess.start, threading.Thread.start, _thread.start_new_thread, getattr(os, "fork", None))
)
FORBIDDEN = frozenset((builtins.input, builtins.compile, builtins.breakpoint))
STRUCTURAL: frozenset[Any] = frozenset(
    (builtins.dict, OrderedDict, itertools.product, itertools.zip_longest, itertools.combinations)
)
STRUCTURAL |= {ChainMap, argparse.Namespace, itertools.combinations_with_replacement, itertools.permutations}
ITERATED = (KeysView, ValuesView, ItemsView, deque)
COMPARING = frozenset(("count", "index", "remove", "sort"))
TELLING = (id, hash)
MAPPINGS = (dict, OrderedDict, defaultdict)
"""What holds functions that it is given, like a display of them."""
"""Functions that tell one object from another."""
KEYED: dict[type, frozenset[str]] = {
    set: frozenset(("add", "discard", "remove")),
    dict: frozenset(("get", "pop", "setdefault")),
    list: frozenset(("insert", "pop")),
    deque: frozenset(("insert", "rotate")),
}
"""Methods whose first argument is a key or a place."""
GIVING = frozenset(("get", "pop", "popitem", "popleft", "setdefault"))
"""Methods that give an item: nothing that they have made."""
TAKING = frozenset(
    ("extend", "extendleft", "update", "join", "union", "intersection", "difference", "issubset", "issuperset")
)


DRAW = "Pass it a generator that the program has made with a seed, or draw the numbers by 'np.random'."
_SOME = np.zeros(2)
FLAT_IS_SHARED = np.shares_memory(np.array(_SOME.flat), _SOME)


COPYING = (np.array, np.asarray, np.asanyarray)


def is_shared(function: Any, args: Sequence[Any]) -> bool:
    """Whether NumPy makes no copy although it is asked for one: NumPy 2 does so with `a.flat`."""
    return FLAT_IS_SHARED and function in (np.array, np.copy) and bool(args) and isinstance(args[0], iterables.Flat)


def with_plain_modes(function: Any, keywords: dict[str, Any]) -> dict[str, Any]:
    """The keywords with True, None or False for NumPy's own names of them, as in `np.array(a, copy=...)`."""
    if not is_in(COPYING, function) or not isinstance(keywords.get("copy"), np._CopyMode):
        return keywords
    return {**keywords, "copy": MODES[keywords["copy"]]}


def everywhere(stage: Stage, function: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords without a mask that holds everywhere, in this call if data decide that: where a function is not
    computed, and there is no `out`, the result is undefined."""
    rest = {name: value for name, value in keywords.items() if name != "where"}
    is_masked = isinstance(function, np.ufunc) and len(args) <= function.nin and keywords.get("out") is None
    if not is_masked or keywords.get("where", True) is True:
        return dict(keywords)
    holds = FUNCTIONS[np.all](stage, (keywords["where"],), {})
    return rest if (assumed(stage, holds, "The mask of a function") if is_staged(holds) else holds) else dict(keywords)


def numpys(reader: Reader, handler: Callable[..., Any], args: list[Any], keywords: dict[str, Any]) -> Any:
    """What a function of the tables gives."""
    refuse_unread_within(args, keywords)
    return handler(reader.stage, tuple(unrolled(reader, arg) for arg in args), keywords)


def unrolled(reader: Reader, value: Any) -> Any:
    """What is iterated over once as a list, so that it can be looked into."""
    if isinstance(value, Once):
        items = iterables.static_items(reader.stage, value)
        value.spend()  # 'any' and 'all' leave items
        return items
    if isinstance(value, iterables.Flat):
        return value.array
    if isinstance(value, iterables.Staged):
        return iterables.static_items(reader.stage, value)
    return list(value) if isinstance(value, ITERATED) else value


def of_texts(args: Sequence[Any]) -> bool:
    """Whether one of the arguments is an array of texts, with which Python computes while the program is read."""
    return any(isinstance(arg, np.ndarray) and arg.dtype.kind in "US" for arg in args)


def decided(stage: Stage, values: Any) -> Any:
    """A list or dict of arguments, with the places that data say as they are in this call."""
    if isinstance(values, dict):
        return dict(zip(values, decided(stage, list(values.values())), strict=True))
    kinds = "iub"
    return [decided_places(stage, v) if isinstance(v, ArrayValue) and v.dtype.kind in kinds else v for v in values]


def module_of(function: Any) -> str | None:
    """Where a function comes from."""
    return getattr(function, "__module__", None)


def run_now(reader: Reader, node: ast.Call, function: Any, args: list[Any], keywords: dict[str, Any]) -> Any:
    """Calls static things; containers may hold staged values, as in `list.append`."""
    stage = reader.stage
    _refuse_uncallable(reader, node, function)
    note_read(reader, function, args, keywords)
    given = (*args, *keywords.values())
    args = [_original(stage, arg) for arg in args]
    keywords = {key: _original(stage, value) for key, value in keywords.items()}
    known = (*args, *keywords.values())
    if (module_of(function) or "").startswith("scipy."):
        args = [_without_data(reader, node, function, arg) for arg in args]
        keywords = {key: _without_data(reader, node, function, value) for key, value in keywords.items()}
    owner, name = getattr(function, "__self__", None), getattr(function, "__name__", "")
    if isinstance(owner, str):
        args = [iterables.static_items(stage, arg) if isinstance(arg, iterables.Given) else arg for arg in args]
    if isinstance(owner, str) and (is_staged((args, keywords)) or has_text((*args, keywords))):
        return text(stage)
    is_container = isinstance(owner, list | deque | dict | set | tuple | str) and not isinstance(function, type)
    is_record = objects.is_generated(function) or (isinstance(function, type) and _is_record(function))
    keeps = is_record or (is_container and name not in TAKING)
    if not keeps:
        refuse_unread_within(args, keywords)
    looked_into: Any = iterables.Staged if keeps else iterables.Staged | iterables.Given
    is_of_itertools = module_of(function) == "itertools"
    if is_of_itertools:
        args = [static(stage, arg, "length") if isinstance(arg, ArrayValue) and not arg.ndim else arg for arg in args]
    takes_arrays = is_of_itertools or (is_container and not keeps)
    looked_into |= ArrayValue | Complex if takes_arrays else looked_into
    args = [iterables.static_items(stage, arg) if isinstance(arg, looked_into) else arg for arg in args]
    takes_key = name in KEYED.get(type(owner), frozenset())
    if takes_key and args and isinstance(args[0], ArrayValue):
        args[0] = static(stage, args[0], "key of a list, set or dict")
    outside_containers.require_own(reader, owner, function, args, keywords)
    if takes_key or name in COMPARING or is_in(TELLING, function):
        for arg in args:
            reader.require_one(arg)
    if is_container and name in COMPARING and is_staged((owner, args)):
        stage.refuse(f"'{shown(node)}' compares items that depend on data.", "Compare them one by one.")
    staged = is_staged((args, keywords))
    if staged and not (is_container or is_record or is_in(STRUCTURAL, function)):
        args = _static_ints(reader, node, function, args)
        keywords = dict(zip(keywords, _static_ints(reader, node, function, list(keywords.values())), strict=True))
    holds = is_container or is_record or function in MAPPINGS
    if not holds and any(isinstance(arg, Closure) for arg in (*args, *keywords.values())):
        stage.refuse(f"'{shown(node)}' is given a function of the program, which it cannot call.", hint_for(function))
    if is_container and name in TAKING:
        args = [to_take(reader, arg) for arg in args]
    arguments = [reader.settled(arg, "item") for arg in args]
    named = {key: reader.settled(value, key) for key, value in keywords.items()}
    if not is_container:
        stage.rely((owner, arguments, named))
    generators = draws.generators_in((owner, *arguments, *named.values()), reader.generators)
    drawn = None if is_container or is_record else draws.positions(generators)
    result = _done(reader, function, arguments, named)
    if drawn is not None and draws.positions(generators) != drawn:
        stage.refuse(f"'{shown(node)}' draws random numbers, which each call would have to.", DRAW)
    references, made = _references(result), isinstance(function, type) and type(result) is function
    if (made or references[0] <= ALONE[0]) and hasattr(result, "__dict__") and _may_change(type(result)):
        reader.objects[id(result)] = result
    if isinstance(result, np.ndarray):
        for before, value in zip(given, known, strict=True):
            if value is result:
                return before
        if result.dtype.kind in "biufc" and _is_held(references):
            return reader.from_outside(result)
    return _result(reader, node, result, name in GIVING)


def _references(result: Any) -> list[int]:
    """How many there are to what a call has given back, and to the arrays that it is a view of."""
    found, array = [sys.getrefcount(result)], result.base if isinstance(result, np.ndarray) else None
    while isinstance(array, np.ndarray):
        found.append(sys.getrefcount(array))
        array = array.base
    return found


def _of_a_view() -> list[int]:
    result = np.zeros(2)[:1]
    return _references(result)


ALONE = _of_a_view()
"""How many there are where nobody else has an array, and where nobody else has what it is a view of."""


def _is_held(references: Sequence[int]) -> bool:
    """Whether somebody else has an array that a call has given back, or what it is a view of: an object, a cache."""
    return references[0] > ALONE[0] or any(count > ALONE[1] for count in references[1:])


def _done(reader: Reader, function: Any, args: list[Any], keywords: dict[str, Any]) -> Any:
    keyed = KEYED.get(type(getattr(function, "__self__", None)), frozenset())
    try:
        with container_items.run_by_python(reader.stage, is_read=getattr(function, "__name__", "") in keyed):
            return _called(function, args, keywords)
    except (DaadError, Needs):
        raise
    except Exception as error:
        reader.stage.refuse(
            f"This call fails: {type(error).__name__}: {str(error).rstrip('.')}.", "Check its arguments.", error
        )


def _called(function: Any, args: list[Any], keywords: dict[str, Any]) -> Any:
    try:
        return function(*args, **keywords)
    except ValueError as error:
        if "read-only" not in str(error):  # as arrays are whose elements are relied on
            raise
        return function(*map(_writeable, args), **{key: _writeable(value) for key, value in keywords.items()})


def _writeable(value: Any) -> Any:
    """An array that may be written, which code that is compiled asks for even if it only reads."""
    return value.copy() if isinstance(value, np.ndarray) and not value.flags.writeable else value


def _may_change(cls: type) -> bool:
    """Whether code that is read may change objects of the class; those of NumPy and SciPy have rules of their own."""
    return is_read(cls.__module__) or cls.__module__.partition(".")[0] not in ("numpy", "scipy")


def _is_record(cls: type) -> bool:
    """Whether objects of the class hold what they are given: those of the program, named tuples, SciPy's reports."""
    is_named = issubclass(cls, tuple) and hasattr(cls, "_fields")
    return is_named or structures.is_report_class(cls) or not is_of_library(cls)


def _static_ints(reader: Reader, node: ast.Call, function: Any, args: list[Any]) -> list[Any]:
    """Int parameters as numbers; anything else that is staged is refused."""
    found = []
    for arg in args:
        form = affine_of(arg)
        if form is not None and isinstance(arg, ArrayValue):
            arg = reader.stage.known(form)
        elif isinstance(arg, ArrayValue) and not arg.ndim and arg.dtype.kind in "ib":
            number = reader.stage.settled(arg, "The argument")
            arg = arg if number is None else number
        if is_staged(arg):
            refuse_unknown(reader, node, function)
        found.append(arg)
    return found


def _refuse_uncallable(reader: Reader, node: ast.Call, function: Any) -> None:
    stage = reader.stage
    if not callable(function):
        what = "An array" if isinstance(function, ArrayValue) else f"An object of type '{type_name(function)}'"
        hint = "Check what stands before the parentheses."
        stage.refuse(f"{what} is called like a function.", hint, _raised_by_call(function))
    if is_in(FORBIDDEN, function):
        refuse_forbidden(reader, node)
    if is_in(STARTING, getattr(function, "__func__", function)):
        stage.refuse(f"'{shown(node)}' starts what runs beside the program.", "Call it as a function, or by a pool.")


def _raised_by_call(uncallable: Any) -> TypeError | None:
    """What Python raises there; None where data decide which type it names."""
    if isinstance(uncallable, Complex) or (isinstance(uncallable, ArrayValue) and uncallable.mixed):
        return None
    if isinstance(uncallable, ArrayValue):
        sample = np.zeros((), uncallable.dtype)
        number = sample.item() if uncallable.weak else sample[()]
        uncallable = number if is_number(uncallable) else sample
    try:
        uncallable()
    except TypeError as error:
        return error
    return None


def refuse_unknown(reader: Reader, node: ast.Call, function: Any) -> None:
    """A function that no table knows."""
    reader.stage.refuse(f"'{shown(node)}' is not supported.", hint_for(function))


def shown(node: ast.Call) -> str:
    """The function as the user calls it."""
    text = ast.unparse(node.func)
    return text if len(text) < 60 else f"{text[:56]} ..."


def _original(stage: Stage, value: Any) -> Any:
    """SciPy's own matrix, where there is one, and a file as Python has it."""
    if isinstance(value, Sparse) and value.original is not None:
        return value.original
    return text_files.as_pythons(stage, value)


def _without_data(reader: Reader, node: ast.Call, function: Any, value: Any) -> Any:
    """SciPy's own matrices, also those in a list, for a function of SciPy's that Python runs."""
    if type(value) in (list, tuple):
        return type(value)(_without_data(reader, node, function, one) for one in value)
    value = _original(reader.stage, value)
    if isinstance(value, Sparse):
        refuse_unknown(reader, node, function)
    return value


def _result(reader: Reader, node: ast.Call, result: Any, is_item: bool) -> Any:
    """Arrays that a static call makes are fresh: the program may write them."""
    if subarrays.is_outside(result):
        return subarrays.of_constant(reader, node, result)
    if isinstance(result, np.ndarray):
        if result.dtype.kind in f"US{dates.KINDS}":
            return result
        if result.dtype.kind not in "biufc":
            refuse_unknown(reader, node, node.func)
        return complex_numbers.of_constant(reader.stage, result)
    if is_scipys(result):
        return reader.sparse(result)
    if isinstance(result, Iterator) and not isinstance(result, np.broadcast | io.IOBase):
        return iterate(reader, list(itertools.islice(result, MAX_ITEMS + 1)))
    return result if is_item else apart(reader, result)
