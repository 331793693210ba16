"""Programs that call an exported library, on the arguments that it was made with: in C, C++ and Fortran.

`arguments.bin` holds the inputs one behind the other, in the order of the function; each program prints each output's
sum.
"""

from __future__ import annotations

from collections.abc import Callable

from daad.api.export.c_header import KINDS
from daad.api.export.c_signature import Parameter, Signature

C = """\
/* Calls {name} on the arguments that it was made with:

       cc {name}_example.c $(pkg-config --cflags --libs {name}) -o example && ./example arguments.bin */
#include <stdio.h>
#include <stdlib.h>

#include "{name}.h"

static void *read_bytes(FILE *file, size_t size) {{
  void *memory = malloc(size ? size : 1);
  if (!memory || fread(memory, 1, size, file) != size) {{
    fprintf(stderr, "The arguments cannot be read.\\n");
    exit(1);
  }}
  return memory;
}}

int main(int count, char **words) {{
  FILE *file = fopen(count > 1 ? words[1] : "arguments.bin", "rb");
  if (!file) {{
    fprintf(stderr, "There is no file with arguments.\\n");
    return 1;
  }}
{inputs}
  fclose(file);
{outputs}
  void *work = malloc({name}_work_bytes());
  int code = {name}({call}, work);
  if (code) {{
    fprintf(stderr, "%s\\n", {name}_error(code));
    return 1;
  }}
  double sum;
{sums}
{frees}
  free(work);
  return 0;
}}
"""

CPP = """\
// Calls {name} on the arguments that it was made with:
//
//     c++ {name}_example.cpp $(pkg-config --cflags --libs {name}) -o example && ./example arguments.bin
#include <cstdio>
#include <fstream>
#include <memory>
#include <numeric>
#include <stdexcept>

#include "{name}.h"

template <typename T> std::unique_ptr<T[]> read_array(std::istream& file, size_t count) {{
  auto array = std::make_unique<T[]>(count);
  if (!file.read(reinterpret_cast<char*>(array.get()), count * sizeof(T)) && count)
    throw std::runtime_error("The arguments cannot be read.");
  return array;
}}

int main(int count, char** words) {{
  std::ifstream file(count > 1 ? words[1] : "arguments.bin", std::ios::binary);
{inputs}
{outputs}
  const auto work = std::make_unique<char[]>({name}_work_bytes());
  if (const int code = {name}({call}, work.get())) throw std::runtime_error({name}_error(code));
{sums}
}}
"""

FORTRAN = """\
! Calls {name} on the arguments that it was made with:
!
!     gfortran ../include/{name}.f90 {name}_example.f90 $(pkg-config --libs {name}) -o example
!     ./example arguments.bin
program example
  use {name}_library
  implicit none
  character(len=1000) :: path = "arguments.bin"
  integer :: file
  integer(c_int) :: status
{declared}
  if (command_argument_count() > 0) call get_command_argument(1, path)
  open(newunit=file, file=trim(path), access="stream", form="unformatted", status="old")
{reads}
  close(file)
  status = {name}( &
{call})
  if (status /= 0) error stop 1
{sums}
end program
"""


def example_files(signature: Signature) -> dict[str, str]:
    """Texts by path."""
    makers: dict[str, Callable[[Signature], str]] = {"c": _c, "cpp": _cpp, "f90": _fortran}
    return {f"examples/{signature.name}_example.{ending}": make(signature) for ending, make in makers.items()}


def _c(signature: Signature) -> str:
    inputs = []
    for p in signature.inputs:
        size = f"{max(p.size, 0)} * sizeof({p.ctype})"
        inputs.append(f"  {p.ctype} *{p.name} = read_bytes(file, {size});")
    call = [f"*{p.name}" if p.is_number else p.name for p in signature.inputs] + [p.name for p in signature.outputs]
    sums = []
    for p in signature.outputs:
        sums += [
            "  sum = 0;",
            f"  for (size_t i = 0; i < {p.size}; ++i) sum += {p.name}[i];",
            f'  printf("{p.name} %.17g\\n", sum);',
        ]
    return C.format(
        name=signature.name,
        inputs="\n".join(inputs),
        outputs="\n".join(
            f"  {p.ctype} *{p.name} = malloc({max(p.size, 1)} * sizeof({p.ctype}));" for p in signature.outputs
        ),
        call=", ".join(call),
        sums="\n".join(sums),
        frees="\n".join(f"  free({p.name});" for p in (*signature.inputs, *signature.outputs)),
    )


def _cpp(signature: Signature) -> str:
    call = [f"{p.name}[0]" if p.is_number else f"{p.name}.get()" for p in signature.inputs]
    return CPP.format(
        name=signature.name,
        inputs="\n".join(
            f"  {'const ' if not p.is_written else ''}auto {p.name} = read_array<{p.ctype}>(file, {p.size});"
            for p in signature.inputs
        ),
        outputs="\n".join(
            f"  const auto {p.name} = std::make_unique<{p.ctype}[]>({p.size});" for p in signature.outputs
        ),
        call=", ".join([*call, *(f"{p.name}.get()" for p in signature.outputs)]),
        sums="\n".join(
            f'  std::printf("{p.name} %.17g\\n", std::accumulate({p.name}.get(), {p.name}.get() + {p.size}, 0.0));'
            for p in signature.outputs
        ),
    )


def _fortran(signature: Signature) -> str:
    declared = [_declared(p, "") for p in signature.inputs]
    declared += [_declared(p, ", target") for p in signature.outputs]
    call = [p.name for p in signature.inputs] + [f"c_loc({p.name})" for p in signature.outputs] + ["c_null_ptr"]
    reads = [f"  read(file) {p.name}" for p in signature.inputs if p.size]
    sums = [f'  print "(a, es25.17)", "{p.name} ", {_sum(p)}' for p in signature.outputs]
    return FORTRAN.format(
        name=signature.name,
        declared="\n".join(declared),
        reads="\n".join(reads),
        call=", &\n".join(f"    {text}" for text in call),
        sums="\n".join(sums),
    )


def _declared(p: Parameter, more: str) -> str:
    kind = KINDS[p.ctype]
    if p.is_number:
        return f"  {kind}{more} :: {p.name}"
    return f"  {kind}{more}, save :: {p.name}({max(p.size, 1)})"


def _sum(p: Parameter) -> str:
    if p.ctype == "bool":
        return f"real(count({p.name}), c_double)"
    return f"sum(real({p.name}, c_double))" if not p.is_number else f"real({p.name}, c_double)"
