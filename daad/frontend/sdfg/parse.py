"""A DaCe program or SDFG as a simplified SDFG of our own, and what its parameters are bound to."""

from __future__ import annotations

import contextlib
import copy
import inspect
import io
import re
import traceback
import types
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import dace
import numpy as np
from dace import dtypes
from dace.frontend.python.common import DaceSyntaxError
from dace.frontend.python.parser import DaceProgram
from dace.sdfg import dealias

from daad.errors import BadArgument, Location, Unsupported
from daad.frontend.sdfg.dace_fixes import repair
from daad.frontend.sdfg.dace_names import is_returned
from daad.frontend.sdfg.locations import DACE_FOLDER, OTHERWISE, UNDECORATED, definition, location

Bound = dict[str, Any]  # the arguments by parameter, in the user's order


def bind(program: Any, arguments: tuple[Any, ...], keywords: Mapping[str, Any]) -> Bound:
    """The arguments by the names of the parameters."""
    if isinstance(program, dace.SDFG):
        return _bind_names(program.name, parameter_names(program), arguments, keywords)
    signature = signature_of(program)
    try:
        bound = signature.bind(*arguments, **{k: v for k, v in keywords.items() if k in signature.parameters})
    except TypeError as error:
        message = f"'{program.f.__name__}' cannot be called like this: {error}."
        raise BadArgument(message, hint="Pass what the definition asks for.") from error
    extra = [k for k in keywords if k not in signature.parameters and k not in program.symbols]
    if extra:
        hint = f"Its parameters are {', '.join(signature.parameters)}."
        raise BadArgument(f"'{program.f.__name__}' has no parameter '{extra[0]}'.", hint=hint)
    bound.apply_defaults()
    return dict(bound.arguments)


def signature_of(program: DaceProgram) -> inspect.Signature:
    """The parameters that a caller passes: a method's object is bound already."""
    parameters = [p for name, p in program.signature.parameters.items() if name != program.objname]
    return program.signature.replace(parameters=parameters)


def parameter_names(sdfg: dace.SDFG) -> list[str]:
    """Names of an SDFG's arguments in the order in which it is called."""
    if sdfg.arg_names:
        return list(sdfg.arg_names)
    return [name for name in sdfg.arglist() if name in sdfg.arrays and not is_returned(name)]


def _bind_names(name: str, names: list[str], arguments: tuple[Any, ...], keywords: Mapping[str, Any]) -> Bound:
    if len(arguments) > len(names):
        hint = f"They are {', '.join(names)}."
        raise BadArgument(f"'{name}' takes {len(names)} arguments, got {len(arguments)}.", hint=hint)
    bound = dict(zip(names, arguments, strict=False))
    for parameter in names[len(arguments) :]:
        if parameter not in keywords:
            hint = f"Pass all of {', '.join(names)}."
            raise BadArgument(f"The argument '{parameter}' of '{name}' is missing.", hint=hint)
        bound[parameter] = keywords[parameter]
    return bound


@dataclass(frozen=True)
class Parsed:
    """An SDFG that belongs to us, and the arrays of the program's surroundings that it takes as arguments."""

    sdfg: dace.SDFG
    surroundings: Mapping[str, np.ndarray] = field(default_factory=dict)


def parse(program: Any, bound: Bound, keywords: Mapping[str, Any]) -> Parsed:
    """The simplified SDFG; the user's program or SDFG stays as it is."""
    parsed = Parsed(_copied(program)) if isinstance(program, dace.SDFG) else _parsed(program, bound, keywords)
    try:
        with _quiet():
            repair(parsed.sdfg)
            dealias.convert_legacy_nested_sdfgs(parsed.sdfg)
            parsed.sdfg.simplify(validate=False)
    except Exception as error:
        message = f"DaCe cannot simplify '{parsed.sdfg.name}': {_sentence(error)}."
        raise Unsupported(message, location(parsed.sdfg), hint=OTHERWISE) from error
    return parsed


def _copied(sdfg: dace.SDFG) -> dace.SDFG:
    own = copy.deepcopy(sdfg)
    own.using_explicit_control_flow = True
    return own


def _parsed(program: DaceProgram, bound: Bound, keywords: Mapping[str, Any]) -> Parsed:
    """Integers become constants of the program; where DaCe does not take that, they stay scalars."""
    symbols = {k: v for k, v in keywords.items() if k not in bound}
    try:
        return _run_parser(_with_constants(program, bound), bound, symbols)
    except Unsupported as refusal:
        try:
            return _run_parser(_clone(program, program.f), bound, symbols)
        except Unsupported:
            raise refusal from refusal.__cause__


def _run_parser(program: DaceProgram, bound: Bound, symbols: Mapping[str, Any]) -> Parsed:
    try:
        with _quiet():
            sdfg = program.to_sdfg(*_positional(program, bound), simplify=False, **symbols)
            surroundings = program.__sdfg_closure__()
    except Exception as error:
        raise _explained(error, program) from error
    return Parsed(sdfg, {n: v for n, v in surroundings.items() if isinstance(v, np.ndarray) and n in sdfg.arrays})


def _positional(program: DaceProgram, bound: Bound) -> list[Any]:
    values: list[Any] = []
    for name, parameter in signature_of(program).parameters.items():
        if parameter.kind is parameter.VAR_POSITIONAL:
            values.extend(bound.get(name, ()))
        elif name in bound:
            values.append(bound[name])
    return values


def _with_constants(program: DaceProgram, bound: Bound) -> DaceProgram:
    """The program with its int, bool, string and None arguments declared as compile-time constants."""
    f = program.f
    annotations = dict(getattr(f, "__annotations__", {}))
    for name, value in bound.items():
        if is_static(value) and name in program.argnames and not _is_float(annotations.get(name), program):
            annotations[name] = dtypes.compiletime
    own = types.FunctionType(f.__code__, f.__globals__, f.__name__, f.__defaults__, f.__closure__)
    own.__kwdefaults__, own.__annotations__ = f.__kwdefaults__, annotations
    own.__module__, own.__qualname__, own.__doc__ = f.__module__, f.__qualname__, f.__doc__
    return _clone(program, own)


def _clone(program: DaceProgram, f: Any) -> DaceProgram:
    """A program object of our own: parsing leaves traces in it."""
    own = DaceProgram(
        f,
        program.dec_args,
        program.dec_kwargs,
        False,
        dtypes.DeviceType.CPU,
        constant_functions=program.resolve_functions,
        method=program.objname is not None,
        ignore_type_hints=program.ignore_type_hints,
    )
    if program.methodobj is not None:
        own.methodobj = program.methodobj
    return own


def _is_float(annotation: Any, program: DaceProgram) -> bool:
    """Is the parameter declared as a floating-point scalar? An int that is passed for it is converted."""
    declared = program._evaluate_annotation(annotation) if isinstance(annotation, str) else annotation
    if declared is float:
        return True
    return isinstance(declared, dtypes.typeclass) and np.dtype(declared.as_numpy_dtype()).kind == "f"


def is_static(value: Any) -> bool:
    """A Python object that the program is specialised for."""
    return value is None or isinstance(value, bool | int | str | np.bool_ | np.integer)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """DaCe prints and warns about what it cannot parse; we say it ourselves."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        yield


def _explained(error: Exception, program: DaceProgram) -> Unsupported:
    """DaCe's reason in one sentence, at the user's line."""
    message = f"DaCe cannot parse '{program.f.__name__}': {_sentence(error)}."
    return Unsupported(message, at=_place(error, program), hint=UNDECORATED)


def _sentence(error: Exception) -> str:
    """The first line of the reason; a single word, as of a KeyError, says nothing without the error's type."""
    reason = error.message if isinstance(error, DaceSyntaxError) else str(error)
    cause = error.__cause__ or error.__context__
    if not reason and isinstance(cause, Exception):
        return _sentence(cause)
    if " " not in reason:
        reason = repr(error)
    return re.sub(r" (?:\(|at )/[^\s)]*\)?", "", " ".join(reason.split("\n")[0].split())).rstrip(".")


def _place(error: Exception, program: DaceProgram) -> Location:
    """From the error, from the parser's last visited node, or the first line of the function."""
    first, found = definition(program.f), _visited(error)
    is_decorator = found is not None and found.file == first.file and found.line < first.line
    return first if found is None or is_decorator else found


def _visited(error: Exception) -> Location | None:
    visitor: Any = getattr(error, "visitor", None)
    node: Any = getattr(error, "node", None)
    if visitor is not None and getattr(node, "lineno", None):
        return Location(visitor.filename, node.lineno)
    for frame, _ in reversed(list(traceback.walk_tb(error.__traceback__))):
        if not frame.f_code.co_filename.startswith(DACE_FOLDER):
            continue
        info = getattr(frame.f_locals.get("self"), "current_lineinfo", None)
        if info is not None and getattr(info, "start_line", None):
            return Location(info.filename, info.start_line)
    return None
