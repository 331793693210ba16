"""Library nodes as nests: reductions, products of matrices and tensors, transpositions, shifts, copies, fills."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import dace
import numpy as np
from dace.libraries import blas, linalg, standard
from dace.libraries.standard.nodes.cshift import CShift
from dace.sdfg import nodes

from daad.errors import Location
from daad.frontend.sdfg.locations import location_near, refused
from daad.frontend.sdfg.states.copies import copy, domain_of
from daad.frontend.sdfg.states.writes import Update, assign_of
from daad.frontend.sdfg.symbol_table import Scope
from daad.frontend.sdfg.values.arithmetic import Value, constant, literal, multiply, where
from daad.frontend.sdfg.values.containers import ZERO, Region, whole
from daad.ir.affine import Affine
from daad.ir.dtypes import is_float
from daad.ir.nodes import Const, Loop, Nest, Node
from daad.ir.operations.updates import BY_SIGN, Sign

SUM = "lambda x, y: x + y"


@dataclass(frozen=True)
class Operands:
    """The regions connected to a library node, by connector (None where the node has only one)."""

    node: nodes.LibraryNode
    scope: Scope
    inputs: Mapping[str | None, Region]
    outputs: Mapping[str | None, Region]
    wcr: Any
    at: Location | None

    @property
    def output(self) -> Region:
        return next(iter(self.outputs.values()))

    def input(self, *names: str) -> Region:
        """The first of the connectors that is there."""
        return next(self.inputs[name] for name in names if name in self.inputs)


def lift_library_node(node: nodes.LibraryNode, state: dace.SDFGState, scope: Scope) -> tuple[Node, ...]:
    """The nests that compute what the node stands for."""
    at = location_near(node, state)
    lift = next((lift for kind, lift in LIBRARY.items() if isinstance(node, kind)), None)
    if lift is None:
        raise refused(f"DaCe's library node '{type(node).__name__}' cannot be differentiated.", at)
    inputs = {e.dst_conn: _region(e.data, scope, at) for e in state.in_edges(node) if not e.data.is_empty()}
    edges = [e for e in state.out_edges(node) if not e.data.is_empty()]
    outputs = {e.src_conn: _region(e.data, scope, at) for e in edges}
    operands = Operands(node, scope, inputs, outputs, edges[0].data.wcr if edges else None, at)
    return _through_temporary(operands, lift)


def _region(memlet: dace.Memlet, scope: Scope, at: Location | None) -> Region:
    return scope.region(memlet.data, memlet.subset, at)


Lift = Callable[[Operands], tuple[Node, ...]]


def _through_temporary(operands: Operands, lift: Lift) -> tuple[Node, ...]:
    """An output array that is read as well is written at the end."""
    output, read = operands.output, [r.place.array.name for r in operands.inputs.values()]
    sizes = [literal(size) for size in output.shape]
    if output.place.array.name not in read or any(size is None for size in sizes) or _is_update(operands):
        return lift(operands)
    shape = tuple(int(size) for size in sizes if size is not None)
    array = operands.scope.arrays.add(f"{output.place.array.name}_new", shape, output.place.array.dtype)
    rank = len(shape)
    fresh = Region(whole(array), (Affine(0),) * rank, (1,) * rank, output.shape, tuple(range(rank)))
    outputs = {next(iter(operands.outputs)): fresh}
    inside = Operands(operands.node, operands.scope, operands.inputs, outputs, None, operands.at)
    return (*lift(inside), *copy(fresh, output, operands.wcr, operands.scope, operands.at))


def _is_update(operands: Operands) -> bool:
    return isinstance(operands.node, blas.Gemm | blas.Gemv | blas.Ger) and "_c" in operands.inputs


def _reduce(operands: Operands) -> tuple[Node, ...]:
    node: Any = operands.node
    source = operands.input(*(c for c in operands.inputs))  # type: ignore[arg-type]
    rank = len(source.axes)
    axes = set(range(rank)) if node.axes is None else {axis % rank for axis in node.axes}
    domain = domain_of(source.shape, operands.scope, operands.at)
    kept = [domain.index[k] for k in range(rank) if k not in axes]
    target = operands.output.of_rank(len(kept))
    update = Update(target.access(kept), target.place.array.dtype, source.load(domain.index), node.wcr)
    assign = assign_of(update, operands.at)
    ranges = [r for k, r in enumerate(domain.ranges) if k not in axes]
    body: list[Node] = []
    if node.identity is not None and operands.wcr is None:
        dtype = target.place.array.dtype
        fill = Update(target.access(kept), dtype, _identity(assign.op, node.identity, dtype))
        body.append(Nest(tuple(ranges), (assign_of(fill, operands.at),), operands.at))
    if assign.op != "=":
        return (*body, Nest(domain.ranges, (assign,), operands.at))
    reduced: Node = Nest(tuple(ranges), (assign,), operands.at)
    for k in sorted(axes, reverse=True):
        r = domain.ranges[k]
        reduced = Loop(r.var, r.start, r.stop, 1, (reduced,), operands.at)
    return (*body, reduced)


def _identity(op: Sign, identity: Any, dtype: str) -> Value:
    """What a reduction starts from; DaCe writes the largest finite number where NumPy has none larger."""
    number = float(identity)
    if is_float(dtype) and BY_SIGN[op].is_extremum:
        limit = float(np.finfo(dtype).max)
        number = float("-inf") if number <= -limit else float("inf") if number >= limit else number
        return constant(number)
    return constant(identity)


@dataclass(frozen=True)
class Term:
    """An operand with a letter for each axis, as in `einsum`."""

    region: Region
    letters: str


def contract(
    terms: Sequence[Term], target: Term, factor: Value, old: tuple[Value, Region] | None, operands: Operands
) -> tuple[Node, ...]:
    """`target = factor * sum(product of terms) + beta * old`."""
    sizes: dict[str, Value] = {}
    for term in (target, *terms):
        for letter, size in zip(term.letters, term.region.shape, strict=True):
            if sizes.setdefault(letter, size) != size:
                raise refused("The operands of a matrix product do not fit.", operands.at)
    letters = [*target.letters, *(letter for letter in sizes if letter not in target.letters)]
    domain = domain_of([sizes[letter] for letter in letters], operands.scope, operands.at)
    variables = dict(zip(letters, domain.index, strict=True))
    loads: list[Value] = [term.region.load([variables[letter] for letter in term.letters]) for term in terms]
    value = reduce(multiply, loads if literal(factor) == 1 else [factor, *loads])
    index = [variables[letter] for letter in target.letters]
    dtype = target.region.place.array.dtype
    body: list[Node] = []
    if operands.wcr is None:
        outer = domain.ranges[: len(target.letters)]
        first: Value = Const(0.0, dtype) if old is None else multiply(old[0], old[1].load(index))
        fill = Update(target.region.access(index), dtype, first)
        body.append(Nest(outer, (assign_of(fill, operands.at),), operands.at))
    update = Update(target.region.access(index), dtype, value, operands.wcr or SUM)
    return (*body, Nest(domain.ranges, (assign_of(update, operands.at),), operands.at))


def _product(operands: Operands) -> tuple[Node, ...]:
    """Matrix products: vectors, matrices and stacks of matrices, as NumPy's `@`."""
    node: Any = operands.node
    a, b = operands.input("_a", "_x", "_A"), operands.input("_b", "_y", "_x")
    return _matrix_product(operands, a, b, bool(getattr(node, "transA", False)), bool(getattr(node, "transB", False)))


def _matrix_product(operands: Operands, a: Region, b: Region, trans_a: bool, trans_b: bool) -> tuple[Node, ...]:
    node: Any = operands.node
    for left, right in ((a, b), (a.squeezed(), b.squeezed())):
        if not left.axes or not right.axes:
            continue
        first, second, result = matmul_letters(len(left.axes), len(right.axes), trans_a, trans_b)
        target = operands.output.of_rank(len(result))
        if len(target.axes) == len(result) and _consistent(((left, first), (right, second), (target, result))):
            old = _old(operands, target, getattr(node, "beta", 0))
            factor = _factor(getattr(node, "alpha", 1), operands)
            terms = [Term(left, first), Term(right, second)]
            return contract(terms, Term(target, result), factor, old, operands)
    raise refused("The operands of a matrix product do not fit.", operands.at)


def matmul_letters(left: int, right: int, trans_a: bool, trans_b: bool) -> tuple[str, str, str]:
    """The einsum letters of `a @ b` for operands of these ranks."""
    batch = "bcdefgh"[: max(left, right, 2) - 2]
    first = "k" if left == 1 else batch[max(0, len(batch) - left + 2) :] + ("ki" if trans_a else "ik")
    second = "k" if right == 1 else batch[max(0, len(batch) - right + 2) :] + ("jk" if trans_b else "kj")
    return first, second, batch + ("i" if left > 1 else "") + ("j" if right > 1 else "")


def _consistent(terms: Sequence[tuple[Region, str]]) -> bool:
    sizes: dict[str, Value] = {}
    return all(
        sizes.setdefault(letter, size) == size
        for region, letters in terms
        for letter, size in zip(letters, region.shape, strict=True)
    )


def _factor(alpha: Any, operands: Operands) -> Value:
    return operands.scope.evaluate(alpha, operands.at) if not isinstance(alpha, float) else constant(alpha)


def _old(operands: Operands, target: Region, beta: Any) -> tuple[Value, Region] | None:
    """What a product is added to: BLAS's `beta * C`."""
    factor = _factor(beta, operands)
    if literal(factor) == 0:
        return None
    source = next((operands.inputs[c] for c in ("_c", "_y") if c in operands.inputs), target)
    return factor, source.of_rank(len(target.axes))


def _gemv(operands: Operands) -> tuple[Node, ...]:
    return _matrix_product(
        operands, operands.input("_A"), operands.input("_x"), bool(getattr(operands.node, "transA", False)), False
    )


def _ger(operands: Operands) -> tuple[Node, ...]:
    """`res = alpha * x * y^T + A`."""
    node: Any = operands.node
    target = operands.output.squeezed()
    x, y = operands.input("_x").squeezed(), operands.input("_y").squeezed()
    old = (Affine(1), operands.input("_A").squeezed())
    return contract([Term(x, "i"), Term(y, "j")], Term(target, "ij"), _factor(node.alpha, operands), old, operands)


def _transpose(operands: Operands) -> tuple[Node, ...]:
    source = next(iter(operands.inputs.values()))
    return _permuted(operands, source, tuple(reversed(range(len(source.axes)))), Affine(1))


def _tensor_transpose(operands: Operands) -> tuple[Node, ...]:
    node: Any = operands.node
    if node.beta != 0:
        raise refused("A transposition that adds to its output cannot be differentiated.", operands.at)
    return _permuted(operands, operands.input("_inp_tensor"), tuple(node.axes), _factor(node.alpha, operands))


def _permuted(operands: Operands, source: Region, axes: tuple[int, ...], factor: Value) -> tuple[Node, ...]:
    """`target[i[axes[0]], i[axes[1]], …] = factor * source[i]`."""
    target = operands.output.of_rank(len(axes))
    domain = domain_of([source.shape[axis] for axis in axes], operands.scope, operands.at)
    index = [domain.index[axes.index(k)] for k in range(len(axes))]
    value = multiply(factor, source.load(index))
    update = Update(target.access(domain.index), target.place.array.dtype, value, operands.wcr)
    return (Nest(domain.ranges, (assign_of(update, operands.at),), operands.at),)


def _tensor_dot(operands: Operands) -> tuple[Node, ...]:
    node: Any = operands.node
    if node.permutation:
        raise refused("A tensor product with a permutation cannot be differentiated.", operands.at)
    left, right = operands.input("_left_tensor"), operands.input("_right_tensor")
    names = "abcdefghijklmnopqrstuvwxyz"
    first = names[: len(left.axes)]
    second = list(names[len(left.axes) : len(left.axes) + len(right.axes)])
    for a, b in zip(node.left_axes, node.right_axes, strict=True):
        second[b] = first[a]
    result = "".join(c for c in (*first, *second) if (c in first) != (c in second))
    target = operands.output.of_rank(len(result))
    terms = [Term(left, first), Term(right, "".join(second))]
    return contract(terms, Term(target, result), Affine(1), None, operands)


def _copy(operands: Operands) -> tuple[Node, ...]:
    source = next(iter(operands.inputs.values()))
    return copy(source, operands.output, operands.wcr, operands.scope, operands.at)


def _fill(operands: Operands) -> tuple[Node, ...]:
    node: Any = operands.node
    given = next(iter(operands.inputs.values()), None)
    value = constant(node.value) if given is None else given.of_rank(0).load(())
    return _elementwise(operands, value)


def _merge(operands: Operands) -> tuple[Node, ...]:
    """`output = t if mask else f`, operands broadcast."""
    target = operands.output
    domain = domain_of(target.shape, operands.scope, operands.at)
    names = (standard.MergeLibraryNode.MASK_CONNECTOR_NAME, standard.MergeLibraryNode.TRUE_CONNECTOR_NAME)
    sides = (*names, standard.MergeLibraryNode.FALSE_CONNECTOR_NAME)
    mask, then, orelse = (_broadcast(operands.inputs[name], domain.index) for name in sides)
    update = Update(target.access(domain.index), target.place.array.dtype, where(mask, then, orelse), operands.wcr)
    return (Nest(domain.ranges, (assign_of(update, operands.at),), operands.at),)


def _cyclic_shift(operands: Operands) -> tuple[Node, ...]:
    """`output[i] = input[(i + shift) % n]` along an axis, in two parts; the other way round in NumPy's direction."""
    node: Any = operands.node
    source, target, axis = operands.input("_x"), operands.output.of_rank(len(operands.input("_x").axes)), node.dim - 1
    domain = domain_of(source.shape, operands.scope, operands.at)
    size, given = literal(source.shape[axis]), str(node.shift)
    if size is None or not given.lstrip("-").isdecimal():
        raise refused("A cyclic shift by a number that is not known cannot be differentiated.", operands.at)
    ahead = (int(given) if node.direction.value == "fortran" else -int(given)) % int(size) if size else 0
    nests = []
    for start, stop, shift in ((0, int(size) - ahead, ahead), (int(size) - ahead, int(size), ahead - int(size))):
        r = replace(domain.ranges[axis], start=Affine(start), stop=Affine(stop))
        read = (*domain.index[:axis], domain.index[axis] + shift, *domain.index[axis + 1 :])
        update = Update(target.access(domain.index), target.place.array.dtype, source.load(read), operands.wcr)
        ranges = (*domain.ranges[:axis], r, *domain.ranges[axis + 1 :])
        nests += [Nest(ranges, (assign_of(update, operands.at),), operands.at)] if start < stop else []
    return tuple(nests)


def _broadcast(region: Region, index: Sequence[Affine]) -> Value:
    """The element that NumPy's broadcasting reads at an index of the result."""
    own = index[len(index) - len(region.axes) :] if len(region.axes) <= len(index) else index
    region = region.of_rank(len(own))
    return region.load([ZERO if literal(n) == 1 else i for i, n in zip(own, region.shape, strict=True)])


def _elementwise(operands: Operands, value: Value) -> tuple[Node, ...]:
    target = operands.output
    domain = domain_of(target.shape, operands.scope, operands.at)
    update = Update(target.access(domain.index), target.place.array.dtype, value, operands.wcr)
    return (Nest(domain.ranges, (assign_of(update, operands.at),), operands.at),)


LIBRARY: dict[type[nodes.LibraryNode], Lift] = {
    standard.Reduce: _reduce,
    blas.MatMul: _product,
    blas.Gemm: _product,
    blas.BatchedMatMul: _product,
    blas.Dot: _product,
    blas.Gemv: _gemv,
    blas.Ger: _ger,
    linalg.Transpose: _transpose,
    linalg.TensorTranspose: _tensor_transpose,
    linalg.TensorDot: _tensor_dot,
    standard.CopyLibraryNode: _copy,
    standard.FillLibraryNode: _fill,
    standard.MergeLibraryNode: _merge,
    CShift: _cyclic_shift,
}
