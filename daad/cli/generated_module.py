"""The text of a module that holds a gradient as a function and no longer needs the user's script."""

from __future__ import annotations

import ast
import base64
import builtins
import io
import linecache
import textwrap
import types
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from daad.cli.script.bindings import names_bound
from daad.cli.script.synthesis import holds_arrays, undecorated
from daad.cli.script_subject import Subject
from daad.errors import BadArgument
from daad.frontend.python.syntax.source import FunctionSource, callable_source, function_source

LARGEST_ARRAY = 2**20  # bytes; more than this does not belong into a source file

TEMPLATE = '''\
"""The gradient of '{name}' with respect to {wrt}, written by 'daad grad {script} -o ...'.

    {call}

Needs the packages daad and NumPy{more}. Compiled at the first call for the arguments' types and shapes; those of
the call that it was made from:

{arguments}
"""

from __future__ import annotations

import daad
{parts}


_gradient = daad.grad({name}, {options})


def {name}_grad({signature}):
    """The gradient of '{name}' with respect to {wrt}{kind}."""
    return _gradient({passed})
'''


@dataclass
class Parts:
    """What a function's text refers to, each under the name by which the text knows it."""

    imports: dict[str, str] = field(default_factory=dict)
    constants: dict[str, str] = field(default_factory=dict)
    functions: dict[str, str] = field(default_factory=dict)

    def __contains__(self, name: str) -> bool:
        return name in self.imports or name in self.constants or name in self.functions


def module_text(subject: Subject, options: Mapping[str, Any]) -> str:
    """The module's text; what cannot be written down is refused."""
    source = callable_source(subject.function)
    if source.receiver:
        raise BadArgument(
            f"'{subject.name}' is a method of an object, which cannot be written into a module.",
            hint="Write a function that takes what the method reads.",
        )
    name = source.name if source.name.isidentifier() else subject.name
    parts = Parts()
    _add_function(name, source, parts)
    several = len(subject.wrt) > 1
    given = {"wrt": subject.wrt if several else subject.wrt[0], "of": subject.of, **options}
    foreign = sorted({line.split()[1].partition(".")[0] for line in parts.imports.values()} - {"numpy", "math"})
    return TEMPLATE.format(
        name=name,
        wrt=" and ".join(f"'{wrt}'" for wrt in subject.wrt),
        script=subject.script,
        call=f"{', '.join(f'd{wrt}' for wrt in subject.wrt)} = {name}_grad({_passed(source.node.args)})",
        more=f", and the modules {', '.join(foreign)}" if foreign else "",
        arguments=textwrap.indent("\n".join(_argument_lines(subject, source)), "    "),
        parts=_layout(parts),
        options=", ".join(f"{key}={value!r}" for key, value in given.items() if value is not None),
        signature=ast.unparse(source.node.args),
        kind=": one array each" if several else "",
        passed=_passed(source.node.args),
    )


def _layout(parts: Parts) -> str:
    imports = "\n".join(sorted(parts.imports.values()))
    constants = "\n".join(f"{name} = {text}" for name, text in parts.constants.items())
    return "\n\n".join(filter(None, [imports, constants, *(f"\n{text}" for text in parts.functions.values())]))


def _passed(arguments: ast.arguments) -> str:
    names = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
    names += [f"*{arguments.vararg.arg}"] if arguments.vararg else []
    names += [f"{a.arg}={a.arg}" for a in arguments.kwonlyargs]
    return ", ".join([*names, f"**{arguments.kwarg.arg}"] if arguments.kwarg else names)


def _argument_lines(subject: Subject, source: FunctionSource) -> list[str]:
    names = [a.arg for a in (*source.node.args.posonlyargs, *source.node.args.args)]
    pairs = [*zip(names, subject.args, strict=False), *subject.kwargs.items()]
    return [f"{name}: {_shape(value)}" for name, value in pairs]


def _shape(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{list(value.shape)}"
    return f"{type(value).__name__} with arrays" if holds_arrays(value) else repr(value)


def _add_function(name: str, source: FunctionSource, parts: Parts) -> None:
    """The function's own text, and all that its free names stand for."""
    if name in parts:
        return
    parts.functions[name] = _function_text(name, source)
    scope = {**source.globals, **source.closure}
    own = {a.arg for a in ast.walk(source.node.args) if isinstance(a, ast.arg)}
    own |= names_bound(source.node.body if isinstance(source.node, ast.FunctionDef) else [])
    names = [node for node in ast.walk(source.node) if isinstance(node, ast.Name)]
    inner = {a.arg for a in ast.walk(source.node) if isinstance(a, ast.arg)}
    inner |= {node.id for node in names if not isinstance(node.ctx, ast.Load)}
    for free in sorted({node.id for node in names} - own - set(parts.functions)):
        if free in scope:
            _add(free, scope[free], parts)
        elif free not in inner and not hasattr(builtins, free):
            message = f"'{free}' in '{name}' stands for nothing, so no module can be written."
            raise BadArgument(message, hint="Define it in the script.")


def _function_text(name: str, source: FunctionSource) -> str:
    """As the user wrote it, comments included, where it stands in a file as a 'def'; without decorators."""
    node = source.node
    if isinstance(node, ast.Lambda):
        return f"{name} = {ast.unparse(node)}"
    lines = [linecache.getline(source.filename, n) for n in range(node.lineno, (node.end_lineno or 0) + 1)]
    text = textwrap.dedent("".join(lines)).rstrip()
    try:
        as_written = ast.unparse(ast.parse(text)) == ast.unparse(undecorated(node))
    except SyntaxError:
        as_written = False
    text = text if as_written else ast.unparse(undecorated(node))
    return text if node.name == name else f"{text}\n\n\n{name} = {node.name}"


def _add(name: str, value: Any, parts: Parts) -> None:
    """One name that a function's text refers to."""
    if name in parts:
        return
    if isinstance(value, types.ModuleType):
        parts.imports[name] = f"import {value.__name__}" + ("" if value.__name__ == name else f" as {name}")
    elif callable(value) and getattr(value, "__module__", "__main__") not in ("__main__", None):
        own_name = getattr(value, "__name__", name)
        parts.imports[name] = f"from {value.__module__} import {own_name}" + ("" if own_name == name else f" as {name}")
    elif callable(value) and not isinstance(value, (type, np.dtype)):
        _add_function(name, function_source(value), parts)
    else:
        parts.constants[name] = _literal(name, value, parts)


def _literal(name: str, value: Any, parts: Parts) -> str:
    """An expression for a constant."""
    if value is None or isinstance(value, (bool, int, str, bytes)):
        return repr(value)
    if isinstance(value, (float, complex)) and not isinstance(value, np.generic):
        return repr(value) if np.isfinite(value) else f"{type(value).__name__}('{value}')"
    if isinstance(value, (tuple, list)):
        items = [_literal(name, item, parts) for item in value]
        closing = ",)" if len(items) == 1 else ")"
        return f"[{', '.join(items)}]" if isinstance(value, list) else f"({', '.join(items)}{closing}"
    if isinstance(value, dict):
        pairs = [f"{_literal(name, k, parts)}: {_literal(name, v, parts)}" for k, v in value.items()]
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, (np.ndarray, np.generic, np.dtype)):
        return _numpy_literal(name, value, parts)
    raise BadArgument(
        f"'{name}' is of type '{type(value).__name__}', which cannot be written into a module.",
        hint="Pass it to the function as numbers, arrays, strings, or lists of them.",
    )


def _numpy_literal(name: str, value: Any, parts: Parts) -> str:
    parts.imports["numpy"] = "import numpy"
    if isinstance(value, np.dtype):
        return f"numpy.dtype({value.str!r})"
    if isinstance(value, np.generic):
        return f"numpy.{value.dtype.name}({value.item()!r})"
    if value.nbytes > LARGEST_ARRAY or value.dtype.hasobject:
        raise BadArgument(
            f"The array '{name}' is too large to be written into a module ({value.nbytes} bytes).",
            hint="Make it a parameter of the function.",
        )
    if value.size <= 16 and value.dtype.kind in "bif" and np.isfinite(value).all():
        return f"numpy.array({value.tolist()!r}, dtype={value.dtype.name!r})"
    parts.imports["base64"], parts.imports["io"] = "import base64", "import io"
    file = io.BytesIO()
    np.save(file, value)
    return f"numpy.load(io.BytesIO(base64.b64decode({base64.b64encode(file.getvalue()).decode()!r})))"
