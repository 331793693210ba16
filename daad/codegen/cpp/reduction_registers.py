"""Reductions in a register: C++ before, within and after the loops that they run over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from daad.codegen import spelling
from daad.codegen.cpp.header import sections_of_update
from daad.codegen.schedule.vector_lanes import LANE
from daad.ir.dtypes import is_float
from daad.ir.operations.updates import BY_SIGN, Combine, Sign

OPERATIONS, ORDERED = frozenset(("operations",)), frozenset(("operations", "ordered"))


@dataclass(frozen=True, kw_only=True)
class Accumulator:
    """Collects `place op= value` over the loops inside of level `depth`; `guard`: conditions for touching `place`.

    With `lanes`, there is one sum for each of so many neighbouring iterations (`codegen/schedule/vector_lanes.py`).
    """

    name: str
    op: Sign
    dtype: str
    place: str
    depth: int
    guard: list[str]
    lanes: int = 0

    @property
    def _combine(self) -> Combine:
        return BY_SIGN[self.op]

    @property
    def _sees_nan(self) -> bool:
        return is_float(self.dtype) and self.op != "+="

    @property
    def _bits(self) -> str | None:
        """By what a truth value is collected, as a number as wide as others are, so that vectors of these are."""
        if np.dtype(self.dtype).kind != "b" or self.op == "+=":
            return None
        return "|" if self._combine is Combine.MAXIMUM else "&"

    @property
    def needs(self) -> frozenset[str]:
        """Sections of the header."""
        own = ORDERED if self._sees_nan else OPERATIONS if self.lanes or self.op != "+=" else frozenset()
        return sections_of_update(self.op, self.dtype) | own

    def open(self) -> list[str]:
        """Before the loops."""
        kind = spelling.ctype(self.dtype)
        if self.lanes:
            return [f"{kind} {self.name}[{self.lanes}] = {{}};"]
        if self.op == "+=":
            return [f"{kind} {self.name} = 0;"]
        if self._bits:
            return [f"int64_t {self.name} = {0 if self._bits == '|' else 1};"]
        is_largest = self._combine is Combine.MAXIMUM
        start = f"daad::{'infinity' if is_float(self.dtype) else 'lowest' if is_largest else 'highest'}<{kind}>()"
        if not self._sees_nan:
            return [f"{kind} {self.name} = {start};"]
        start = f"-{start}" if is_largest else start
        return [f"auto {self.name} = daad::ordered({start});", f"int {self.name}_nan = 0;"]

    def update(self, value: str, fresh: Callable[[], str]) -> list[str]:
        """In the innermost loop."""
        if self.op == "+=":
            own = f"{self.name}[{LANE}]" if self.lanes else self.name
            return [f"{own} = {spelling.update(self.op, self.dtype, own, value)};"]
        if self._bits:
            return [f"{self.name} {self._bits}= int64_t(bool({value}));"]
        name = fresh()
        lines = [f"const {spelling.ctype(self.dtype)} {name} = {value};"]
        if self._sees_nan:
            lines.append(f"{self.name}_nan |= {name} != {name};")
            ordered = fresh()
            lines.append(f"const auto {ordered} = daad::ordered({name});")
            name = ordered
        return [*lines, f"{self.name} = {name} {self._combine.sign_of_beats} {self.name} ? {name} : {self.name};"]

    def close(self) -> list[str]:
        """After the loops."""
        kind = spelling.ctype(self.dtype)
        result = f"daad::add_lanes({self.name})" if self.lanes else f"bool({self.name})" if self._bits else self.name
        if self._sees_nan:
            result = f"{self.name}_nan ? daad::not_a_number<{kind}>() : daad::from_ordered({self.name})"
            result = f"{kind}({result})"
        store = f"{self.place} = {spelling.update(self.op, self.dtype, self.place, result)};"
        return [f"if ({' && '.join(self.guard)}) {store}" if self.guard else store]

    def clauses(self) -> list[str]:
        """For `#pragma omp simd`; sums of bools have none."""
        if self._bits:
            return [f"reduction({self._bits}:{self.name})"]
        if np.dtype(self.dtype).kind == "b":
            return []
        nan = [f"reduction(|:{self.name}_nan)"] if self._sees_nan else []
        return [f"reduction({self._combine.clause}:{self.name})", *nan]
