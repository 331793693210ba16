"""What expressions stand in, in a kernel: how arrays are read, and at which level values can be computed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from daad.analysis.alias import may_meet_at_a_point
from daad.codegen import spelling
from daad.codegen.cpp.expression_code import Emitter, Scope, Surroundings
from daad.codegen.schedule.bounds import is_within
from daad.codegen.schedule.lowering_context import Context
from daad.codegen.schedule.nest_schedule import is_safe
from daad.errors import Location, Unsupported
from daad.ir.affine import Affine
from daad.ir.nodes import Access, Expr, Index, Load, Nest, Op
from daad.ir.operations import OPERATIONS
from daad.ir.operations.of_scipy import SPECIAL
from daad.ir.operations.operation import Family
from daad.ir.walk import nodes

INDENT = "    "
INDEX = "Variable"
"""The type of variables in generated code (`index_width.py`)."""
Sites = Mapping[Location, int]

# The functions of C's library that CUDA has, too, for float and double.
_FUNCTIONS = (
    "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs floor fmax fmin "
    "fmod hypot lgamma log log10 log1p log2 pow rint sin sinh sqrt tan tanh tgamma trunc"
)
OF_CUDA = frozenset(_FUNCTIONS.split())


@dataclass(frozen=True)
class Places:
    """How elements of arrays are spelled at a place of a program; `sites` numbers the lines of the user's program."""

    context: Context
    sites: Sites
    at: Location | None
    nest: Nest

    def element(self, access: Access | Load, emitter: Emitter, value: Callable[[Expr], str]) -> str:
        """The element as C++, which may be written to."""
        return f"{self.context.names[access.array]}[{self.position(access, emitter, value)}]"

    def position(self, access: Access | Load, emitter: Emitter, value: Callable[[Expr], str]) -> str:
        """How far behind the array's first element it lies."""
        shape = self.context.arrays[access.array].shape
        return emitter.position(access, shape, lambda index, size: self._gather(index, size, value))

    def _gather(self, index: Expr, extent: int, value: Callable[[Expr], str]) -> str:
        """An index that data give; one that is not certainly inside of the axis is checked."""
        if is_within(index, extent, self.context.known.with_domain(self.nest.domain)):
            return f"int64_t({value(index)})"
        site = -1 if self.at is None else self.sites.get(self.at, -1)
        return f"daad::checked(frame.found, int64_t({value(index)}), {extent}, {site})"


def emitter_of(places: Places, values: Iterable[Expr], levels: Mapping[str, int], innermost: int) -> Emitter:
    """An emitter for values that stand within so many levels of loops."""
    context, nest = places.context, places.nest
    values = tuple(values)
    refuse(values, places.at)
    constraints = context.known.with_domain(nest.domain).constraints

    def spell(load: Load, value: Callable[[Expr], str], condition: str) -> str:
        nothing = f"{spelling.ctype(load.dtype)}(0)"
        if not context.arrays[load.array].size:
            return nothing
        text = places.element(load, emitter, value)
        return f"({condition} ? {text} : {nothing})" if condition else text

    def is_pinned(load: Load) -> bool:
        return any(may_meet_at_a_point(load, a.target, constraints) for a in nest.assigns[:-1])

    surroundings = Surroundings(
        spell_load=spell,
        levels=levels,
        trips=(1,) * innermost,
        is_safe=lambda load: is_safe(load, nest.domain, context),
        spell_name=context.names.__getitem__,
        is_pinned=is_pinned,
    )
    emitter = Emitter(surroundings, values)  # which `spell` is called by
    return emitter


def refuse(values: Iterable[Expr], at: Location | None) -> None:
    """Raises Unsupported for what a GPU has no code for."""
    for op in {node for value in values for node in nodes(value) if isinstance(node, Op)}:
        row = OPERATIONS[op.name]
        if row.family is Family.PYTHON:
            raise Unsupported(
                "Python functions cannot be called on a GPU.", at, hint='Use device="cpu", or sort with kind="stable".'
            )
        if row.family is Family.SPECIAL:
            raise Unsupported(f"'{SPECIAL[op.name].shown}' does not exist on a GPU.", at, hint='Use device="cpu".')
        if row.of_c and row.of_c not in OF_CUDA:
            raise Unsupported(f"The function '{op.name}' does not exist on a GPU.", at, hint='Use device="cpu".')


def uniform_values(indices: Sequence[Index], dtype: str, places: Places) -> tuple[list[str], list[str]]:
    """Values that all threads compute alike: lines before them, and their texts."""
    scope = Scope(0)
    emitter = emitter_of(places, [index for index in indices if isinstance(index, Expr)], {}, 0)
    texts = [
        emitter.affine(index)
        if isinstance(index, Affine)
        else spelling.convert(emitter.value(index, scope), index.dtype, dtype)
        for index in indices
    ]
    return scope.lines, texts


def indented(lines: Iterable[str]) -> list[str]:
    """Lines of a block."""
    return [INDENT + line for line in lines]
