"""Calls of BLAS as C++: a product of matrices, or of a matrix and a vector, added to a target."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

PREFIX = {"float64": "scipy_cblas_d", "float32": "scipy_cblas_s"}


@dataclass(frozen=True)
class Axis:
    """`size` points (an integer expression); how far apart they lie in the factors and in the target, in elements."""

    size: str
    left: int
    right: int
    target: int


@dataclass(frozen=True, kw_only=True)
class Product:
    """`target[rows, columns] += scale * left[rows, summed] * right[summed, columns]`, again for each point of `around`.

    `left`, `right` and `target` are pointers, of which `starts` are the first elements; `read` points to the target,
    too. `columns` is None for a vector. `is_plain_left`: its rows lie one after the other, rather than its columns;
    `is_plain_right` likewise. The code `before` makes what the text of the scale names. `may_be_empty` are the sizes
    that BLAS must not see; `is_shared`: threads share it where it is large.
    """

    dtype: str
    left: str
    right: str
    target: str
    read: str
    starts: tuple[str, str, str]
    rows: Axis
    columns: Axis | None
    summed: Axis
    around: tuple[Axis, ...]
    is_plain_left: bool
    is_plain_right: bool
    scale: str
    before: tuple[str, ...]
    may_be_empty: tuple[str, ...]
    is_shared: bool

    def to_json(self) -> dict[str, Any]:
        """What `from_json` reads."""
        return asdict(self)

    @classmethod
    def from_json(cls, found: dict[str, Any], *_: Any) -> Product:
        """The other way round."""
        axes = {name: Axis(**found[name]) for name in ("rows", "columns", "summed") if found[name]}
        tuples = {name: tuple(found[name]) for name in ("starts", "before", "may_be_empty")}
        return cls(**{**found, **tuples, **axes, "around": tuple(Axis(**axis) for axis in found["around"])})

    @property
    def text(self) -> str:
        """The calls."""
        loops = [f"for (int64_t n__v{i} = 0; n__v{i} < {axis.size}; ++n__v{i})" for i, axis in enumerate(self.around)]
        guard = " && ".join(f"{size} > 0" for size in self.may_be_empty)
        tests = [f"if ({guard})"] if guard else []
        return "\n".join([*self.before, *loops, *tests, *(self._gemm() if self.columns else self._gemv())])

    def position(self, side: int) -> str:
        """The first element of a side in an iteration of `around`."""
        steps = ((axis.left, axis.right, axis.target)[side] for axis in self.around)
        return " + ".join([self.starts[side], *(f"{step} * n__v{i}" for i, step in enumerate(steps) if step)])

    @property
    def _places(self) -> tuple[str, str, str]:
        left, right, target = self.left, self.right, self.target
        return f"{left} + {self.position(0)}", f"{right} + {self.position(1)}", f"{target} + {self.position(2)}"

    def _gemm(self) -> list[str]:
        rows, columns, summed = self.rows, self.columns, self.summed
        assert columns is not None, "a vector has no columns"
        left, right, target = self._places
        if not self.is_shared:
            return [self._gemm_call((left, right, target), rows.size, columns.size)]
        block = (
            f"{left} + {rows.left} * row__v",
            f"{right} + {columns.right} * column__v",
            f"{target} + {rows.target} * row__v + column__v",
        )
        return [
            f"daad::share_matrix({rows.size}, {columns.size}, {summed.size}, "
            "[&](int64_t row__v, int64_t rows__v, int64_t column__v, int64_t columns__v) {",
            f"    {self._gemm_call(block, 'rows__v', 'columns__v')}",
            "});",
        ]

    def _gemm_call(self, places: tuple[str, str, str], row_count: str, column_count: str) -> str:
        rows, columns, summed = self.rows, self.columns, self.summed
        assert columns is not None, "a vector has no columns"
        left, right, target = places
        lead_left = rows.left if self.is_plain_left else summed.left
        lead_right = summed.right if self.is_plain_right else columns.right
        flags = f"{_flag(self.is_plain_left)}, {_flag(self.is_plain_right)}"
        return (
            f"{PREFIX[self.dtype]}gemm(CblasRowMajor, {flags}, {row_count}, {column_count}, {summed.size}, "
            f"{self.scale}, {left}, {lead_left}, {right}, {lead_right}, 1, {target}, {rows.target});"
        )

    def _gemv(self) -> list[str]:
        rows, summed = self.rows, self.summed
        left, right, target = self._places
        if not self.is_shared:
            return [self._gemv_call((left, right, target), rows.size)]
        block = (f"{left} + {rows.left} * row__v", right, f"{target} + {rows.target} * row__v")
        return [
            f"daad::share_vector({rows.size}, {summed.size}, [&](int64_t row__v, int64_t rows__v) {{",
            f"    {self._gemv_call(block, 'rows__v')}",
            "});",
        ]

    def _gemv_call(self, places: tuple[str, str, str], row_count: str) -> str:
        rows, summed = self.rows, self.summed
        left, right, target = places
        major, minor = (row_count, summed.size) if self.is_plain_left else (summed.size, row_count)
        lead = rows.left if self.is_plain_left else summed.left
        return (
            f"{PREFIX[self.dtype]}gemv(CblasRowMajor, {_flag(self.is_plain_left)}, {major}, {minor}, {self.scale}, "
            f"{left}, {lead}, {right}, {summed.right}, 1, {target}, {rows.target});"
        )


def _flag(is_plain: bool) -> str:
    return "CblasNoTrans" if is_plain else "CblasTrans"
