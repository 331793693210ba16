"""Products as a library node of DaCe, which becomes calls of OpenBLAS or DaCe's own library nodes.

`node.implementation = "DaCe"` takes what DaCe's configuration says of BLAS; "OpenBLAS", from the package
scipy-openblas32, is what daad compiles.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, ClassVar

import dace.library
import numpy as np
from dace import Memlet, dtypes, symbolic
from dace.libraries.blas.nodes.gemm import Gemm
from dace.libraries.blas.nodes.gemv import Gemv
from dace.properties import Property, SetProperty
from dace.sdfg import nodes
from dace.sdfg.state import LoopRegion
from dace.sdfg.utils import change_edge_dest, change_edge_src
from dace.transformation.transformation import ExpandTransformation

from daad.codegen.cpp.product import Axis, Product
from daad.codegen.sdfg.environments import OPENBLAS, OpenBLAS

GIVEN = "__given"


@dace.library.expansion
class ExpandToOpenBLAS(ExpandTransformation):
    """A tasklet."""

    environments: ClassVar[list[Any]] = [OpenBLAS]

    @staticmethod
    def expansion(node: Any, state: Any, sdfg: Any, **_: Any) -> Any:
        """Calls as C++; what else its code needs waits until the environments of the expansion are set."""
        made = tasklet_of(node)
        made.needs = node.needs
        return made

    @staticmethod
    def postprocessing(sdfg: Any, state: Any, expansion: Any) -> None:
        """Adds that."""
        expansion.environments = frozenset({*expansion.environments, *expansion.needs})


@dace.library.expansion
class ExpandToDaCe(ExpandTransformation):
    """A nested SDFG with a `Gemm` or `Gemv` on views, whose result is scaled and added."""

    environments: ClassVar[list[Any]] = []

    @staticmethod
    def expansion(node: Any, state: Any, sdfg: Any, **_: Any) -> Any:
        """It becomes what DaCe's configuration says."""
        return product_by_dace(node, state, sdfg)


@dace.library.node
class ProductNode(nodes.LibraryNode):
    """`product` says what is multiplied; factors, target and what scales them are connectors.

    `needs` are environments of its code besides that of BLAS.
    """

    implementations: ClassVar[dict[str, Any]] = {"OpenBLAS": ExpandToOpenBLAS, "DaCe": ExpandToDaCe}
    default_implementation = "OpenBLAS"

    product = Property(dtype=Product, to_json=Product.to_json, from_json=Product.from_json, allow_none=True)
    needs = SetProperty(element_type=str)

    def __init__(
        self, name: str, inputs: Mapping[str, Any], outputs: Mapping[str, Any], product: Product, needs: Iterable[str]
    ) -> None:
        super().__init__(name, inputs=inputs, outputs=outputs)
        self.product, self.needs = product, {*needs}


def tasklet_of(node: Any) -> Any:
    """The calls of OpenBLAS."""
    made = nodes.Tasklet(
        node.label,
        dict(node.in_connectors),
        dict(node.out_connectors),
        node.product.text,
        language=dace.Language.CPP,
        debuginfo=node.debuginfo,
    )
    made.environments = frozenset({OPENBLAS, *node.needs})
    return made


def expand(state: Any) -> None:
    """Puts tasklets in the place of library nodes; DaCe's `expand_library_nodes` takes longer."""
    for node in [n for n in state.nodes() if isinstance(n, ProductNode)]:
        made = tasklet_of(node)
        state.add_node(made)
        change_edge_dest(state, node, made)
        change_edge_src(state, node, made)
        state.remove_node(node)


def product_by_dace(node: Any, state: Any, sdfg: Any) -> Any:
    """Connectors become arrays of one dimension, of which views are multiplied."""
    inner, scaling = dace.SDFG(f"{node.label}_by_dace"), _renamed(node, state)
    edges = {e.dst_conn: e for e in state.in_edges(node)} | {e.src_conn: e for e in state.out_edges(node)}
    product = _of_whole_arrays(node.product, edges, sdfg)
    for name, kind in (node.in_connectors | node.out_connectors).items():
        size = sdfg.arrays[edges[name].data.data].total_size if isinstance(kind, dtypes.pointer) else 1
        inner.add_array(name, [size], sdfg.arrays[edges[name].data.data].dtype)
    first = inner.add_state("scale", is_start_block=True)
    _add_scale(first, node, product, scaling)
    region, last = inner, first
    for number, axis in enumerate(product.around):
        var = f"n__v{number}"
        loop = LoopRegion(f"loop_{var}", f"{var} < {axis.size}", var, f"{var} = 0", f"{var} = {var} + 1")
        region.add_node(loop, is_start_block=region is not inner)
        if last is not None:
            region.add_edge(last, loop, dace.InterstateEdge())
        region, last = loop, None
    multiply = region.add_state("multiply", is_start_block=last is None)
    if last is not None:
        region.add_edge(last, multiply, dace.InterstateEdge())
    _add_product(multiply, product)
    _add_sum(region.add_state_after(multiply, "add"), product)
    for name in sorted(inner.free_symbols):
        inner.add_symbol(name, dace.int64)
    return inner


def _renamed(node: Any, state: Any) -> dict[str, Any]:
    """The connectors by which the scale is made; arrays are not called as connectors of a tasklet that reads them."""
    factors = (node.product.left, node.product.right, node.product.read)
    found = {e.dst_conn: e for e in state.in_edges(node) if e.dst_conn not in factors}
    kinds = {name: node.in_connectors[name] for name in found}
    for name, edge in found.items():
        node.remove_in_connector(name)
        edge.dst_conn = f"{name}{GIVEN}"
        node.add_in_connector(edge.dst_conn, kinds[name])
    return kinds


def _of_whole_arrays(product: Product, edges: Mapping[str, Any], sdfg: Any) -> Product:
    """The product with pointers to the first elements of arrays: DaCe inlines SDFGs with memlets of parts otherwise."""
    starts = []
    for name, start in zip((product.left, product.right, product.target), product.starts, strict=True):
        memlet = edges[name].data
        steps = zip(sdfg.arrays[memlet.data].strides, memlet.subset.min_element(), strict=True)
        starts.append(f"{start} + {symbolic.symstr(sum(step * low for step, low in steps))}")
    for name in (product.left, product.right, product.target, product.read):
        edges[name].data = sdfg.make_array_memlet(edges[name].data.data)
    return replace(product, starts=(starts[0], starts[1], starts[2]))


def _add_scale(state: Any, node: Any, product: Product, inputs: Mapping[str, Any]) -> None:
    state.sdfg.add_scalar("scale__value", dace.dtype_to_typeclass(np.dtype(product.dtype).type), transient=True)
    code = "\n".join((*product.before, f"scale__out = {product.scale};"))
    tasklet = state.add_tasklet("scale", inputs, {"scale__out": None}, code, language=dace.Language.CPP)
    tasklet.environments = frozenset(node.needs)
    for name in inputs:
        array = f"{name}{GIVEN}"
        state.add_edge(state.add_read(array), None, tasklet, name, state.sdfg.make_array_memlet(array))
    state.add_edge(tasklet, "scale__out", state.add_write("scale__value"), None, Memlet("scale__value[0]"))


def _add_product(state: Any, product: Product) -> None:
    """`product__value = left @ right`."""
    kind = dace.dtype_to_typeclass(np.dtype(product.dtype).type)
    rows, columns, summed = product.rows, product.columns, product.summed
    left = _view(
        state, "left__view", product.left, product.position(0), kind, _sides(rows, summed, 0, product.is_plain_left)
    )
    state.sdfg.add_transient("product__value", [rows.size, *([columns.size] if columns else [])], kind)
    if columns:
        right_sides = _sides(summed, columns, 1, product.is_plain_right)
        names = ("_a", "_b", "_c")
        call = Gemm("product", transA=not product.is_plain_left, transB=not product.is_plain_right)
    else:
        right_sides = ((summed.size, summed.right),)
        names = ("_A", "_x", "_y")
        call = Gemv("product", transA=not product.is_plain_left)
    right = _view(state, "right__view", product.right, product.position(1), kind, right_sides)
    state.add_node(call)
    for view, name in ((left, names[0]), (right, names[1])):
        state.add_edge(view, None, call, name, state.sdfg.make_array_memlet(view.data))
    result = state.add_write("product__value")
    state.add_edge(call, names[2], result, None, state.sdfg.make_array_memlet("product__value"))


def _sides(outer: Axis, inner: Axis, side: int, is_plain: bool) -> tuple[tuple[str, int], ...]:
    """Sizes and steps, with the contiguous axis behind the other."""
    sides = tuple((axis.size, (axis.left, axis.right)[side]) for axis in (outer, inner))
    return sides if is_plain else sides[::-1]


def _view(state: Any, name: str, array: str, start: str, kind: Any, sides: tuple[tuple[str, int], ...]) -> Any:
    shape, strides = zip(*sides, strict=True)
    state.sdfg.add_view(name, shape, kind, strides=strides)
    view, last = state.add_access(name), " + ".join(f"{step} * ({size} - 1)" for size, step in sides)
    state.add_edge(state.add_read(array), None, view, "views", Memlet(f"{array}[{start}:{start} + {last} + 1]"))
    view.add_in_connector("views", force=True)
    return view


def _add_sum(state: Any, product: Product) -> None:
    axes = [axis for axis in (product.rows, product.columns) if axis]
    ranges = {f"i__v{number}": f"0:{axis.size}" for number, axis in enumerate(axes)}
    place = " + ".join([product.position(2), *(f"{axis.target} * i__v{n}" for n, axis in enumerate(axes))])
    state.add_mapped_tasklet(
        "add",
        ranges,
        {
            "factor": Memlet("scale__value[0]"),
            "value": Memlet(f"product__value[{', '.join(ranges)}]"),
            "before": Memlet(f"{product.read}[{place}]"),
        },
        "after = before + factor * value",
        {"after": Memlet(f"{product.target}[{place}]")},
        external_edges=True,
    )
