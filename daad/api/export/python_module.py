"""A Python module over an exported library that needs NumPy only."""

from __future__ import annotations

from collections.abc import Sequence

from daad.api.export.c_code import CPU
from daad.api.export.c_signature import Parameter, Signature

MODULE = '''\
"""Value and gradient of '{program}', compiled by daad {version}; needs NumPy, and the library beside it.

    {call}

{about}
"""

import ctypes
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

_HERE = Path(__file__).resolve().parent.parent
_INPUTS = {inputs}
_OUTPUTS = {outputs}
_FLAGS = {flags}
_TYPES = {{"float64": ctypes.c_double, "float32": ctypes.c_float, "bool": ctypes.c_bool}}
for _bits in (8, 16, 32, 64):
    _TYPES[f"int{{_bits}}"] = getattr(ctypes, f"c_int{{_bits}}")
    _TYPES[f"uint{{_bits}}"] = getattr(ctypes, f"c_uint{{_bits}}")


def {name}({names}):
    """The value, and {kind}."""
    given = ({passed})
    arrays = [_checked(*row, value) for row, value in zip(_INPUTS, given)]
    outputs = [np.empty(shape, dtype) for _, dtype, shape, _ in _OUTPUTS]
    words = [_TYPES[row[1]](a.item()) if row[4] else _place(a) for row, a in zip(_INPUTS, arrays)]
    code = _library.{name}(*words, *map(_place, outputs), None)
    if code:
        raise RuntimeError(_library.{name}_error(code).decode())
    found = [_joined(o, is_complex) for o, (_, _, _, is_complex) in zip(outputs, _OUTPUTS)]
    return {result}


def _place(array):
    return ctypes.c_void_p(array.ctypes.data)


def _joined(array, is_complex):
    array = array.view(np.result_type(array.dtype, np.complex64))[..., 0] if is_complex else array
    return array[()] if array.ndim == 0 else array


def _checked(name, dtype, shape, is_complex, is_number, value):
    wanted = np.result_type(dtype, np.complex64) if is_complex else np.dtype(dtype)
    expected = shape[:-1] if is_complex else shape
    array = np.asarray(value)
    if array.shape != tuple(expected) or not np.can_cast(array.dtype, wanted, "same_kind"):
        given = f"of {{array.dtype}} and shape {{array.shape}}"
        raise ValueError(f"'{{name}}' is {{given}}, not {{wanted}} and {{tuple(expected)}}.")
    array = np.require(array, wanted, "C")
    return array.view(dtype).reshape(shape) if is_complex else array


def _load(path):
    library = ctypes.CDLL(str(path))
    library.{name}_error.restype = ctypes.c_char_p
    return library


def _compile():
    """Compiles the sources for the processor that this is."""
    compiler = os.environ.get("CXX") or "c++"
    if shutil.which(compiler) is None:
        raise RuntimeError(f"The library was compiled for another processor, and there is no compiler '{{compiler}}'.")
    made = Path(tempfile.mkdtemp()) / "lib{name}.so"
    beside = [str(path) for path in (_HERE / "lib").glob("libscipy_openblas*.so")]
    sources = sorted(map(str, (_HERE / "src").glob("*.cpp")))
    links = ["-shared", "-o", str(made), *beside, f"-Wl,-rpath,{{_HERE / 'lib'}}", "-lm", "-lpthread"]
    subprocess.run([compiler, *_FLAGS, *sources, *links], check=True)
    return made


_library = _load(_HERE / "lib" / "lib{name}.so")
if not _library.{name}_fits():
    _library = _load(_compile())
'''


def python_module(signature: Signature, program: str, version: str, flags: Sequence[str], is_single: bool) -> str:
    """The module's text; `is_single`: one gradient, not a tuple."""
    inputs = [(p.name, p.dtype, p.shape, p.is_complex, p.is_number) for p in signature.inputs]
    outputs = [(p.name, p.dtype, p.shape, p.is_complex) for p in signature.outputs]
    names = ", ".join(p.name for p in signature.inputs)
    values, gradients = len(signature.values), len(signature.gradients)
    value = "found[0]" if values == 1 else f"tuple(found[:{values}])"
    gradient = f"found[{values}]" if is_single and gradients == 1 else f"tuple(found[{values}:])"
    return MODULE.format(
        name=signature.name,
        program=program,
        version=version,
        call=f"value, gradient = {signature.name}({names})",
        about="\n".join(f"{p.name}: {_shape(p)}" for p in signature.inputs),
        inputs=f"({_rows(inputs)})",
        outputs=f"({_rows(outputs)})",
        flags=repr(tuple(flags)),
        names=names,
        passed=f"{names}," if names else "",
        kind="its gradient" if gradients == 1 else "its gradients",
        result=f"{value}, {gradient}",
        cpu=CPU,
    )


def _shape(p: Parameter) -> str:
    return f"{p.dtype}{list(p.shape)}" if p.shape else p.dtype


def _rows(rows: Sequence[tuple[object, ...]]) -> str:
    return "".join(f"\n    {row!r}," for row in rows) + "\n"
