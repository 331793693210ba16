"""The C header and the Fortran module of an exported library."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from daad.api.export.c_code import adding_parameters, plain_parameters
from daad.api.export.c_signature import Parameter, Signature

HEADER = """\
/* {name}.h: value and gradient of '{program}', written by daad {version}.

{arguments}
   Arrays are in C order: the last index is that of neighbours. They belong to the caller, before and after a call,
   and no output may overlap another array. {written}

   Threads: the library has no state that calls share; any number of threads may call it at once, each with arrays and
   work of its own. A call runs on the thread that calls.

   work: memory of {name}_work_bytes() bytes for the time of the call, so that nothing is allocated; NULL: the call
   allocates it and frees it.

   Each function returns 0, or what went wrong; {name}_error has a sentence for each code. Outputs hold nothing of use
   after an error.

{codes}
*/
#ifndef {guard}
#define {guard}

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {{
#endif

/* Writes the value and the gradients; NULL for what is not wanted. */
int {name}({plain});

/* Adds gradients to shadows, in the convention of Enzyme: each array or number of floats is followed by its shadow,
   NULL for one that gets nothing. The value is written, unless it is NULL.{inactive} */
int {name}_add({adding});

size_t {name}_work_bytes(void);
int {name}_fits(void); /* whether the processor has the instructions that the library was compiled with */
const char *{name}_error(int code);

#ifdef __cplusplus
}}
#endif
#endif
"""


def c_header(signature: Signature, program: str, version: str, codes: dict[int, str]) -> str:
    """The header's text."""
    active = set(signature.active)
    inactive = [s.name for n, (g, s) in enumerate(signature.shadows()) if s and n not in active]
    written = [p.name for p in signature.inputs if p.is_written]
    return HEADER.format(
        name=signature.name,
        program=_commented(program),
        version=version,
        arguments=_described(signature),
        written=f"Inputs are not changed{f', but {chr(44).join(written)}' if written else ''}.",
        codes="\n".join(_wrapped(f"{code:>5}  ", text) for code, text in codes.items()),
        guard=f"{signature.name.upper()}_H",
        plain=_parameters(plain_parameters(signature)),
        adding=_parameters(adding_parameters(signature)),
        inactive=f"\n   There is no gradient for {', '.join(inactive)}, which must be NULL." if inactive else "",
    )


def shape_of(p: Parameter) -> str:
    """In words."""
    if not p.shape:
        return f"one {p.ctype}"
    shape = p.shape[:-1] if p.is_complex else p.shape
    text = f"{p.ctype}[{']['.join(map(str, p.shape))}]"
    return f"{text}, {' x '.join(map(str, shape)) or 'one'} complex as pairs" if p.is_complex else text


def _described(signature: Signature) -> str:
    rows = [(p.name, f"in, {shape_of(p)}{_also(p)}") for p in signature.inputs]
    rows += [(p.name, f"out, {shape_of(p)}: {_commented(p.label)}") for p in signature.outputs]
    rows += [("", f"{_commented(label)} is compiled in: {_commented(text)}") for label, text in signature.fixed]
    width = max(len(name) for name, _ in rows)
    return "\n".join(_wrapped(f"   {name:<{width}}  ", text) for name, text in rows) + "\n"


def _also(p: Parameter) -> str:
    called = "" if p.label == p.name else f": {_commented(p.label)}"
    return f"{called}, and written" if p.is_written else called


def _wrapped(start: str, text: str) -> str:
    return textwrap.fill(
        _commented(text), 118, initial_indent=start, subsequent_indent=" " * len(start), break_long_words=False
    )


def _commented(text: str) -> str:
    return text.replace("*/", "* /")


def _parameters(parameters: Sequence[str]) -> str:
    return ", ".join(parameters) if len(", ".join(parameters)) < 80 else "\n    " + ",\n    ".join(parameters)


FORTRAN = """\
! Value and gradient of '{program}' for Fortran; {name}.h says what each argument is.
! Arrays are in C order: the dimensions of Fortran's arrays stand the other way round. Outputs and work are addresses,
! c_loc(x) of a target, or c_null_ptr for what is not wanted.
module {name}_library
  use, intrinsic :: iso_c_binding
  implicit none
  interface
{functions}
    function {name}_work_bytes() bind(C, name="{name}_work_bytes") result(bytes)
      import :: c_size_t
      integer(c_size_t) :: bytes
    end function
  end interface
end module
"""
KINDS = {
    "double": "real(c_double)",
    "float": "real(c_float)",
    "bool": "logical(c_bool)",
    **{f"int{n}_t": f"integer(c_int{n}_t)" for n in (8, 16, 32, 64)},
    **{f"uint{n}_t": f"integer(c_int{n}_t)" for n in (8, 16, 32, 64)},
}
"""Fortran has no integers without a sign."""


def fortran_module(signature: Signature, program: str) -> str:
    """The module's text."""
    plain = [*map(_fortran_input, signature.inputs), *map(_address, (p.name for p in signature.outputs))]
    adding: list[tuple[str, str]] = []
    for given, shadow in signature.shadows():
        adding += [_fortran_input(given)] + ([_address(shadow.name)] if shadow else [])
    adding += [_address(p.name) for p in signature.values]
    functions = [_function(signature.name, plain), _function(f"{signature.name}_add", adding)]
    return FORTRAN.format(program=program, name=signature.name, functions="\n".join(functions))


def _fortran_input(p: Parameter) -> tuple[str, str]:
    kind = KINDS[p.ctype]
    if p.is_number:
        return p.name, f"{kind}, value :: {p.name}"
    return p.name, f"{kind}, intent({'inout' if p.is_written else 'in'}) :: {p.name}(*)"


def _address(name: str) -> tuple[str, str]:
    return name, f"type(c_ptr), value :: {name}"


def _function(name: str, parameters: Sequence[tuple[str, str]]) -> str:
    rows = [*parameters, _address("work")]
    names = ", &\n        ".join(name for name, _ in rows)
    declared = "\n".join(f"      {text}" for _, text in rows)
    return (
        f'    function {name}( &\n        {names}) &\n        bind(C, name="{name}") result(code)\n'
        f"      import\n{declared}\n      integer(c_int) :: code\n    end function"
    )
