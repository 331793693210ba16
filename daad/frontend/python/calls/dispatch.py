"""Calls: functions of the program are read in place, NumPy's through the tables, all else runs now if it can."""

from __future__ import annotations

import ast
import functools
import itertools
import types
import typing
from collections.abc import Callable, Mapping, MappingView, Sequence
from typing import Any

import numpy as np

from daad.errors import BadArgument, Unsupported
from daad.frontend import library, unsupported
from daad.frontend.custom_derivatives import Ruled
from daad.frontend.installed_code import is_installed, is_library
from daad.frontend.library import batches, elementwise, iterating, object_arrays
from daad.frontend.library.running import pools
from daad.frontend.library.solvers.sparse_construction import by_method
from daad.frontend.library.solvers.sparse_matrices import Sparse
from daad.frontend.numpy import CALLBACKS, FUNCTIONS, METHODS
from daad.frontend.numpy.calling import operand_precision, result_order
from daad.frontend.numpy.calling.arrays_without_axes import as_numbers
from daad.frontend.numpy.calling.binding import method_of, of_program
from daad.frontend.numpy.calling.call_arguments import is_in
from daad.frontend.numpy.calling.known_results import changeable
from daad.frontend.numpy.calling.numpy_errors import as_by_numpy
from daad.frontend.numpy.creation import static_array
from daad.frontend.numpy.sets import is_decided_by_data
from daad.frontend.python.attributes import ArrayMethod
from daad.frontend.python.calls import (
    builtins,
    container_methods,
    distributions,
    interpolators,
    overwritten,
    procedures,
    random_numbers,
    ruled_functions,
    solved_calls,
    subarray_calls,
)
from daad.frontend.python.calls import library_python as own
from daad.frontend.python.calls.container_methods import compares_data, list_method, with_key
from daad.frontend.python.calls.mpi import mpi_calls
from daad.frontend.python.calls.printing import TEXTS, table
from daad.frontend.python.calls.pure_functions import UNKNOWN, Member, is_pure, only_computes, repeating, result_of
from daad.frontend.python.calls.static_calls import (
    decided,
    everywhere,
    is_shared,
    module_of,
    numpys,
    of_texts,
    run_now,
    shown,
    unrolled,
    with_plain_modes,
)
from daad.frontend.python.calls.unmade_results import unmade
from daad.frontend.python.control import generator_functions, unset_names
from daad.frontend.python.reading.environment import reaches
from daad.frontend.python.reading.fixpoint import from_here
from daad.frontend.python.reading.reader import MAX_DEPTH, Reader
from daad.frontend.python.reading.scope import Closure, Scope, Unknown, bind_arguments, declared, returns_early
from daad.frontend.python.syntax.made_nodes import place
from daad.frontend.python.syntax.source import FunctionSource, function_source
from daad.frontend.python.values import array_likes, dates, objects, overloads, text_files
from daad.frontend.python.values.global_names import GlobalNames
from daad.frontend.python.values.identities import given_back
from daad.frontend.python.values.iterators import Once
from daad.frontend.python.values.over_loops.growing_lists import Growing
from daad.frontend.python.values.sampled_classes import has_subarray, is_touched
from daad.frontend.python.values.subarrays import Inherited
from daad.frontend.python.values.text_files import TextFile
from daad.frontend.staging import complex_numbers
from daad.frontend.staging.texts import Text
from daad.frontend.staging.truth import is_static_but_for_loops
from daad.frontend.staging.unread import Unread, refuse_unread, refuse_unread_within
from daad.frontend.staging.values import Lazy, Subarray
from daad.ir.nodes import Const
from daad.ir.operations.python_operators import ALL_BINARY

DEEPEST = 50  # calls of a function inside of itself
RESULT = "<return>"
TYPING_ALIAS: Any = type(typing.List[int])  # noqa: UP006
"""What a class with type parameters is."""
OPERATED = {row.python: kind for kind, row in ALL_BINARY.items()}
ORDERING = frozenset(f for pairs in functools._convert.values() for _, f in pairs)  # type: ignore[attr-defined]
"""What `functools.total_ordering` puts into classes."""
REMEMBERING: Any = type(functools.lru_cache(iter))
KEEPING = frozenset((isinstance, type, len, hasattr, getattr, setattr, callable, print, str, repr, id, list, tuple))
"""Builtins for which an array of a class is one object."""


def call(reader: Reader, node: ast.Call, function: Any, args: list[Any], keywords: dict[str, Any]) -> Any:
    """`function(*args, **keywords)`."""
    if random_numbers.concerns(function):
        return random_numbers.called(reader, node, function, args, keywords)
    if mpi_calls.concerns(function):
        return mpi_calls.called(reader, node, call, function, args, keywords)
    if isinstance(function, Ruled):
        return ruled_functions.called(reader, node, function, args, keywords, call)
    if isinstance(function, functools.partial):
        found = call(reader, node, function.func, [*function.args, *args], {**function.keywords, **keywords})
        if not any(function.func is one for one in (elementwise.vectorized, elementwise.of_elements)):
            return found
        return result_order.of_program(reader.stage, np.vectorize, args, keywords, found)
    applied = iterating.applied(function)
    if applied is not None:
        return call(reader, node, applied[0], [*args, *applied[1]], keywords)
    method = container_methods.bound(function, args)
    if method is not None:
        return call(reader, node, method[0], method[1], keywords)
    found = container_methods.called(reader, function, args)
    if found is not NotImplemented:
        return found
    of_objects = object_arrays.made(function, args, keywords)
    if of_objects is not None:
        return call(reader, node, *of_objects)
    instead = _instead(reader, function, args, keywords)
    if instead is not None:
        return call(reader, node, instead, args, keywords)
    if is_in(solved_calls.ROWS, function):
        return solved_calls.called(reader, node, call, function, args)
    of_class = subarray_calls.called(reader, node, function, args, keywords)
    if of_class is not NotImplemented:
        return of_class
    if isinstance(function, ArrayMethod):
        return _of_array(reader, node, function, args, keywords)
    owner = getattr(function, "__self__", None)
    if isinstance(function, types.MethodWrapperType) and is_in(builtins.BUILTINS, _plain(function)):
        return call(reader, node, _plain(function), [owner, *args], keywords)
    if isinstance(owner, Growing):
        return function(reader, *args)
    if isinstance(owner, TextFile):
        return function(reader.stage, *args)
    if isinstance(owner, generator_functions.Generator):
        return generator_functions.send(reader, function, [reader.settled(arg, "item") for arg in args])
    if isinstance(owner, GlobalNames | Unread):
        return function(*args)
    found = text_files.called(reader, node, function, args, keywords)
    if found is not NotImplemented:
        return found
    if isinstance(function, types.MethodType) and isinstance(function.__func__, Closure):
        return call(reader, node, function.__func__, [owner, *args], keywords)
    if isinstance(function, Closure):
        return inline(reader, node, function.source, function.scope, args, keywords)
    if module_of(function) == "builtins" and function is not print:
        kept = Text if function in TEXTS else Unread if function is setattr else ()
        refuse_unread(value for value in (*args, *keywords.values()) if not isinstance(value, kept))
    found = overloads.asked(reader, node, function, args)
    if found is NotImplemented and len(args) == 2 and is_in(OPERATED, function):
        found = overloads.binary(reader, node, OPERATED[function], *args)
    if found is not NotImplemented:
        return found
    if is_in(overloads.ITERATING, function):
        args = overloads.iterated(reader, node, function, args)
    keywords = with_plain_modes(function, keywords)
    args, keywords = interpolators.of_constants(reader, function, args, keywords)
    with own.as_numpy_allows(reader, function, args, keywords):
        found = _of_tables(reader, node, function, args, keywords)
    if found is NotImplemented:
        found = _of_no_table(reader, node, function, args, keywords)
    return changeable(reader.stage, function, (args, keywords), found)


def _instead(reader: Reader, function: Any, args: list[Any], keywords: dict[str, Any]) -> Any:
    """What is called with the same arguments in place of something that stands for it, if there is such a thing."""
    if isinstance(function, types.GenericAlias | TYPING_ALIAS):
        return function.__origin__
    found = by_method(function, args, keywords) or pools.of_thread(function)
    if found is not None:
        return found
    if isinstance(function, np.vectorize):
        return builtins.elementwise_of(reader, function.pyfunc, function)
    if isinstance(function, types.MethodWrapperType) and function.__name__ == "__call__":
        return function.__self__
    return interpolators.read_instead(reader, function, args, keywords)


def _plain(method: types.MethodWrapperType) -> Any:
    """The function of all objects that a method such as `self.__setattr__` is."""
    return getattr(object, method.__name__, None)


def _of_array(reader: Reader, node: ast.Call, method: ArrayMethod, args: list[Any], keywords: dict[str, Any]) -> Any:
    if method.name in library.METHODS:
        program = library.METHODS[method.name]
        _require_real(reader, node, program, (method.array, args, keywords))
        found = _of_library(reader, node, method.name, program, [method.array, *args], keywords)
        return result_order.of_program(reader.stage, method.name, [method.array, *args], keywords, found)
    refuse_unread_within(args, keywords)
    args = [unrolled(reader, array_likes.as_array(reader, node, arg)) for arg in args]
    with own.as_numpy_allows(reader, method_of(method.name), (method.array, *args), keywords):
        return METHODS[method.name](reader.stage, (method.array, *args), keywords)


def _of_tables(reader: Reader, node: ast.Call, function: Any, args: list[Any], keywords: dict[str, Any]) -> Any:
    """What a row stands for; arrays of classes of their own go through, which may give the result theirs."""
    args, keywords = array_likes.arguments(reader, node, function, args, keywords)
    has_row = any(_lookup(table, function) is not None for table in (FUNCTIONS, library.programs()))
    written = own.written_by_numpy(function)
    if not has_row or is_in(KEEPING, function) or not has_subarray((args, keywords)):
        row = functools.partial(_of_row, reader, node, function, args, keywords)
        if written is None:
            return row()
        read = functools.partial(_read_numpys, reader, node, function, written, args, keywords)
        options = [one for one in (*keywords, *keywords.values(), *args) if isinstance(one, str)]
        return own.or_read(reader, (id(node), id(function)), options, row, read)

    if written is not None and is_touched(lambda values: function(*values[0], **values[1]), (args, keywords)):
        return _read_numpys(reader, node, function, written, args, keywords)

    def run(values: Any, named: Any) -> Any:
        return _of_row(reader, node, function, values, named)

    return subarray_calls.of_table(reader, node, function, args, keywords, run)


def _of_row(reader: Reader, node: ast.Call, function: Any, args: list[Any], keywords: dict[str, Any]) -> Any:
    """What a row stands for: of Python's builtins, of NumPy's functions, of the library; NotImplemented: no row."""
    if builtins.is_type_test(function):
        return builtins.type_test(reader, function, args)
    special = _lookup(builtins.BUILTINS, function)
    if special is not None:
        return special(reader, node, args, keywords)
    given = given_back(function, args, keywords)
    if given is not None:
        return given
    callback = _lookup(CALLBACKS, function)
    if callback is not None:
        refuse_unread_within(args, keywords)
        with as_by_numpy(reader.stage, function, args, keywords):
            return callback(reader.stage, _caller(reader, node), args, keywords)
    if is_shared(function, args):
        function, keywords = np.array, {**keywords, "copy": None}
    handler = _lookup(FUNCTIONS, function)
    if handler is not None and of_texts(args):
        return run_now(reader, node, function, *map(functools.partial(decided, reader.stage), (args, keywords)))
    is_left = handler is None or dates.concern(*args, *keywords.values())
    if not is_left and not is_decided_by_data(reader.stage, function, args):
        _refuse_iterators(reader, function, args)
        return numpys(reader, handler, args, everywhere(reader.stage, function, args, keywords))
    later = unmade(reader, node, function, args, keywords)
    if later is not NotImplemented:
        return later
    program = _lookup(library.programs(), function)
    is_asked = function is itertools.groupby or program in library.ALWAYS
    is_asked |= any(isinstance(arg, Once | Sparse) for arg in args)
    if program is not None and (is_asked or own.concerns_data(reader, args, keywords)):
        _require_real(reader, node, program, (args, keywords))
        if module_of(function) in library.TRUSTING or any(map(callable, (*args, *keywords.values()))):
            return _of_library(reader, node, function, program, args, keywords)
        values, named = operand_precision.in_own_precision(reader.stage, function, (args, keywords))
        with as_by_numpy(reader.stage, function, args, keywords):
            found = _of_library(reader, node, function, program, values, named)
        found = result_order.of_program(reader.stage, function, args, keywords, found)
        found = as_numbers(reader.stage, function, (args, keywords), found) if module_of(function) != "scipy" else found
        overwritten.put_back(reader, function, args, keywords, found)
        return found
    return table(reader, function, (args, keywords))


def _refuse_iterators(reader: Reader, function: Any, args: list[Any]) -> None:
    """NumPy does not look into an iterator, nor into the view of a dict: it takes these for one object."""
    if module_of(function) == "numpy" and any(isinstance(arg, Once | MappingView) for arg in args):
        hint = "Make it a list first, 'list(...)', or use 'np.fromiter'."
        reader.stage.refuse("NumPy makes no array of the items of an iterator, nor of a dict's view.", hint)


def _of_no_table(reader: Reader, node: ast.Call, function: Any, args: list[Any], keywords: dict[str, Any]) -> Any:
    """A class, a function or a method that is read, or else called now."""
    if function is super and not args:
        cls, value = objects.super_arguments(reader)
        return Inherited(value, cls) if isinstance(value, Subarray) else super(cls, value)
    if function is super and isinstance(args[-1], Subarray):
        return Inherited(args[1], args[0])
    if module_of(function) in ("daad", "daad.api.functions", "daad.api.gradient"):
        reader.stage.refuse(*unsupported.NESTED)
    if isinstance(function, type):
        objects.note_class(reader, function)
    maker = objects.maker_of(function)
    if maker is not None and not own.is_run(reader, function, args, keywords):
        made = call(reader, node, maker, [function, *args], keywords)
        if id(made) in reader.objects and isinstance(made, function) and isinstance(made.__init__, types.MethodType):
            call(reader, node, made.__init__, args, keywords)
        return made
    if function is object.__new__ and args and objects.is_made_empty(args[0]):
        return objects.make(reader, args[0])
    if objects.is_read_class(function) and not own.is_run(reader, function, args, keywords):
        made = objects.make(reader, function)
        call(reader, node, function.__init__, [made, *args], keywords)
        return made
    if objects.is_record(function):
        made = objects.make(reader, function)
        objects.fill(reader, made, function, args, keywords, functools.partial(call, reader, node))
        return made
    record = objects.record_of(reader, function, args)
    if record is not None:
        objects.fill(reader, args[0], record, args[1:], keywords, functools.partial(call, reader, node))
        return None
    if _remembers_more(function) and not own.concerns_data(reader, function, args, keywords):
        return run_now(reader, node, function, args, keywords)  # who asks again gets the same object
    if isinstance(function, types.MethodType) and _is_written(function.__func__, function.__self__):
        return call(reader, node, function.__func__, [function.__self__, *args], keywords)
    is_inherited = objects.is_inherited(reader, function, args) and own.concerns_data(reader, args, keywords)
    is_forgotten = objects.is_forgotten(function, args) and own.concerns_data(reader, args, keywords)
    if is_inherited or is_forgotten or objects.is_of_program(function) or is_in(ORDERING, function):
        source = _source(reader, node, function)
        return inline(reader, node, source, source.scope, args, keywords)
    caller = objects.caller_of(function)
    if caller is not None and (not is_library(caller.__module__) or own.written_by_numpy(caller)):
        return call(reader, node, caller, [function, *args], keywords)
    written = own.written_by_numpy(function)
    if written is not None and (_is_made(function, written, args) or own.concerns_data(reader, args, keywords)):
        return _read_numpys(reader, node, function, written, args, keywords)
    if compares_data(reader, function, args, keywords):
        return list_method(reader, node, function, args, keywords)
    return run_now(reader, node, function, with_key(reader, node, function, args), keywords)


def _is_made(function: Any, written: Any, args: list[Any]) -> bool:
    """Whether each call makes something anew, whatever it is given."""
    return distributions.draws_of_fixed(function, args) or objects.makes_of_scipy(written, args)


def _read_numpys(
    reader: Reader, node: ast.Call, function: Any, written: Any, args: list[Any], keywords: dict[str, Any]
) -> Any:
    """What NumPy's own Python gives; Python runs it where constants decide all that it is given."""
    known = own.with_known_numbers(reader.stage, [args, keywords])
    if not (_is_made(function, written, known[0]) or own.concerns_data(reader, function, known)):
        return run_now(reader, node, function, *known)
    source = _source(reader, node, written)

    def read(values: dict[Any, Any]) -> Any:
        named = dict(values)
        given = [named.pop(k) for k in range(len(args))]
        with own.told(reader, function, shown(node), args, keywords):
            return inline(reader, node, source, None, given, named)

    return procedures.called_again(reader, written, {**dict(enumerate(args)), **keywords}, read)


def _of_library(
    reader: Reader, node: ast.Call, function: Any, program: Any, args: list[Any], keywords: dict[str, Any]
) -> Any:
    """What a program of daad's own does for a function, or for the method of that name."""
    given = of_program(function, program).given(reader.stage, tuple(args), keywords)
    named, cores = given.arguments, batches.cores_of(function)
    extra = {name: batches.extra_dimensions(named[name], core) for name, core in cores.items() if name in named}
    if any(extra.values()):
        others = {name: value for name, value in named.items() if name not in extra}
        return call(
            reader, node, batches.over_stack, [program, {name: named[name] for name in extra}, extra, others], {}
        )
    read = functools.partial(call, reader, node, program)
    return procedures.called(reader, program, list(given.args), given.kwargs, read)


def _require_real(reader: Reader, node: ast.Call, program: Any, values: Any) -> None:
    if complex_numbers.is_complex(values) and program not in library.COMPLEX:
        reader.stage.refuse(f"'{shown(node)}' of complex numbers is not supported.", unsupported.PARTS)


def _is_written(function: Any, holder: Any) -> bool:
    """A method written in Python, or one that remembers what it has given; none that named tuples have."""
    of_record = isinstance(holder, tuple) and function.__name__ in ("_replace", "_asdict")
    return isinstance(function, types.FunctionType | REMEMBERING) and not of_record


def _remembers_more(function: Any) -> bool:
    """Whether a function of the program remembers what it has given, which is more than numbers that it computes."""
    inner = function.__func__ if isinstance(function, types.MethodType) else function
    return isinstance(inner, REMEMBERING) and objects.is_of_program(inner) and not only_computes(inner.__wrapped__)


def _lookup(table: Mapping[Any, Any], function: Any) -> Any:
    try:
        return table.get(function)
    except TypeError:
        return None


def _caller(reader: Reader, node: ast.Call) -> Callable[..., Any]:
    """How a NumPy function calls back: each call has a place of its own."""
    count = itertools.count()

    def again(function: Any, *args: Any, **keywords: Any) -> Any:
        reader.path.append(next(count))
        result = call(reader, node, function, list(args), keywords)
        reader.path.pop()
        return result

    return again


def _source(reader: Reader, node: ast.Call, function: Any) -> FunctionSource:
    try:
        return function_source(function)
    except BadArgument as error:
        reader.stage.refuse(f"'{ast.unparse(node.func)}' cannot be read: {error.message}", error.hint)


def inline(
    reader: Reader,
    node: ast.AST,
    source: FunctionSource,
    parent: Scope | None,
    args: Sequence[Any],
    keywords: Mapping[str, Any],
) -> Any:
    """The result of a function of the program, read in place."""
    stage = reader.stage
    if sum(frame.source.node is source.node for frame in reader.frames) >= DEEPEST:
        _unroll_around(reader, source)
        stage.refuse(
            f"A recursion goes deeper than {DEEPEST} calls, or data decide where it ends.",
            "Write the recursion as a loop.",
        )
    reader.witnesses.definition(source.function)
    if len(reader.frames) > MAX_DEPTH:
        stage.refuse("Calls are nested too deeply.", "Write the recursion as a loop.")
    try:
        values = bind_arguments(source, tuple(args), keywords)
    except TypeError as error:
        stage.refuse(f"This call fails: {error}.", "Pass what the function's definition asks for.", error)
    read = functools.partial(_inline, reader, node, source, parent)
    members = _repeating(reader, source) if parent is None else ()
    found = result_of(members, values) if members else UNKNOWN
    if found is not UNKNOWN:
        return _computed(reader, found, members)
    if parent is None and _is_pure(reader, source):
        return procedures.called_again(reader, source.node, values, read)
    return read(values)


def _computed(reader: Reader, found: Any, members: Sequence[Member]) -> Any:
    """What functions have given while the program is read, which holds as long as they are what they were."""
    for member in members:
        reader.witnesses.definition(member.source.function)
        for name, value in member.names.items():
            reader.witnesses.name(member.source.globals, name, value)
        for array in member.arrays:
            reader.from_outside(array)
            reader.stage.rely(array)
    if type(found) is tuple:
        return tuple(_computed(reader, item, ()) for item in found)
    return static_array(reader.stage, found) if isinstance(found, np.ndarray) else found


def _unroll_around(reader: Reader, source: FunctionSource) -> None:
    """Unrolls a loop of which each iteration would tell whether a recursion goes on."""
    for node, condition in reversed(reader.conditions):
        form = is_static_but_for_loops(reader.stage, condition) if node is source.node else None
        if form is not None:
            unroll = reader.stage.unroll(form, "A recursion ends at another depth in each iteration.")
            unroll.late = True
            raise unroll


def _is_pure(reader: Reader, source: FunctionSource) -> bool:
    if id(source.node) not in reader.pure:
        reader.pure[id(source.node)] = is_pure(source, reader.shared)
    return reader.pure[id(source.node)]


def _repeating(reader: Reader, source: FunctionSource) -> tuple[Member, ...]:
    """The function and those that it calls, where it runs for numbers: the program writes into no array of theirs, and
    floats, which may be others in each call of the gradient, are better read then."""
    if id(source.node) not in reader.repeating:
        members = repeating(source, reader.shared)
        arrays = [array for member in members for array in member.arrays]
        is_read = any(array.dtype.kind in "fc" or id(array) in reader.stage.own for array in arrays)
        reader.repeating[id(source.node)] = () if is_read else members
    return reader.repeating[id(source.node)]


def _inline(
    reader: Reader, node: ast.AST, source: FunctionSource, parent: Scope | None, values: Mapping[str, Any]
) -> Any:
    """The result of a call. Where that of an earlier one was to be made known by a second reading, a mark is set to
    which such a reading goes back."""
    if not reader.doubtful or not returns_early(source.node):
        return _read_call(reader, node, source, parent, values)
    return from_here(reader, functools.partial(_read_call, reader, node, source, parent, values))


def _read_call(
    reader: Reader, node: ast.AST, source: FunctionSource, parent: Scope | None, values: Mapping[str, Any]
) -> Any:
    stage = reader.stage
    own, outer, shared = declared(source.node)
    scope = Scope(source=source, parent=parent, own=own, outer=outer, shared=shared)
    at = stage.at
    if generator_functions.is_generator(source.node):
        return _generator(reader, source, scope, values)
    reader.path.append(place(node))
    reader.frames.append(scope)
    _bind(reader, source, scope, values)
    result = _read_body(reader, source)
    if isinstance(result, Unknown) and result.demand is not None:
        reader.doubtful.append(source.name)
    reader.note_unknown(result)
    reader.frames.pop()
    reader.path.pop()
    stage.at = at
    if scope.captured and not _outlives(reader, scope, (result, parent, values)):
        scope.values.clear()
    return result


def _bind(reader: Reader, source: FunctionSource, scope: Scope, values: Mapping[str, Any]) -> None:
    """Arguments become the variables of a call; the defaults among them are from outside, but for those of a function
    that the program defines."""
    outside = (*source.defaults, *source.kwdefaults.values()) if source.scope is None else ()
    defaults = set(map(id, outside))
    for name, value in values.items():
        reader.assign(scope.values, name, reader.from_outside(value) if id(value) in defaults else value, name)


def _generator(reader: Reader, source: FunctionSource, scope: Scope, values: Mapping[str, Any]) -> Any:
    """What a call of a function with `yield` gives: its body is read when items are asked for."""
    _bind(reader, source, scope, values)

    def body() -> Any:
        return run_body(reader, source.node)

    return generator_functions.made(reader, source, scope, body)


def _read_body(reader: Reader, source: FunctionSource) -> Any:
    """Runs the body; what is refused inside of an installed package is shown where the user calls it."""
    at, caller = reader.stage.at, reader.frames[-2].source.filename
    try:
        return run_body(reader, source.node)
    except Unsupported as error:
        is_numpys = is_library(source.globals.get("__name__"), source.filename)
        if not is_installed(source.filename) or is_installed(caller) or is_numpys or library.is_own(source.filename):
            raise
        inner = f"{error.message.rstrip('.')} ({error.at})"
        raise type(error)(
            f"'{source.name}' is a function of an installed package, which daad cannot read: {inner}.",
            at=at,
            hint="Write it with NumPy's functions.",
        ) from error


def run_body(reader: Reader, node: ast.FunctionDef | ast.Lambda) -> Any:
    """Runs the body of the innermost call; its result."""
    if isinstance(node, ast.Lambda):
        return reader.result(node.body)
    reader.execute(unset_names.body_of(reader, node))
    return reader.scope.values.pop(RESULT, None)


def _outlives(reader: Reader, scope: Scope, values: Any) -> bool:
    """Whether a function that was defined in a call is left behind, and with it the variables that it sees."""
    return reaches((values, *reader.frames), scope.values, reader.objects)


def plain(value: Any) -> Any:
    """A lazy literal as a number."""
    if isinstance(value, Lazy) and not value.shape and isinstance(value.expr, Const) and value.weak:
        return value.expr.value
    return value
