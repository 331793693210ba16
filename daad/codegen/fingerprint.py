"""What a compiled program depends on, as one hash: the key of the cache. DaCe is not imported for it."""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

import numpy as np

import daad
from daad.errors import Location
from daad.ir.affine import Affine
from daad.ir.indices.index_errors import locations
from daad.ir.nodes import Branch, Const, Expr, Index, IndexValue, Load, Loop, Nest, Node, Op, Program
from daad.runtime.package_versions import version
from daad.runtime.sources import digest

COMPILER = ("CXX", "DACE_compiler_cpu_executable")


def fingerprint(program: Program, options: Iterable[str] = ()) -> str:
    """Equal for programs of equal content, whatever file and line they come from, on machines of one kind; messages
    tell the place by the number that it has among those of the program.

    The C++ compiler's version is left out on purpose: what is in the cache must serve where there is no compiler.
    """
    content = hashlib.sha256()
    chosen = (os.environ.get(name, "") for name in COMPILER)
    for line in (*environment(), *chosen, *options, *Serialiser().program(program)):
        content.update(line.encode())
        content.update(b"\n")
    return content.hexdigest()[:40]


@lru_cache(maxsize=1)
def environment() -> tuple[str, ...]:
    """Versions, daad's own sources, the processor."""
    versions = [f"{name} {version(name)}" for name in ("dace", "scipy-openblas32")]
    python = f"{sys.implementation.cache_tag} numpy {np.__version__} {sys.platform} {platform.machine()}"
    return (daad.__version__, *versions, python, sys.prefix, processor(), digest("runs"))


def processor() -> str:
    """The lines that `-march=native` reads."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return "".join(sorted({line for line in lines if line.startswith(("model name", "flags", "Features"))}))


class Serialiser:
    """The content of a Program as lines; a shared expression is written once and then named by its number."""

    def __init__(self) -> None:
        self.numbers: dict[Expr, int] = {}
        self.sites: dict[Location | None, int] = {}

    def program(self, program: Program) -> Iterator[str]:
        """Header, arrays, body."""
        self.sites = {at: number for number, at in enumerate(locations(program))}
        yield f"{program.name} {program.parameters} {program.integers} {program.results}"
        for name, array in program.arrays.items():
            yield f"{name} {array.dtype} {array.shape} {' '.join(map(str, array.extents))}"
        yield from self._body(program.body)

    def _body(self, body: tuple[Node, ...]) -> Iterator[str]:
        for node in body:
            if isinstance(node, Nest):
                yield from self._nest(node)
            elif isinstance(node, Loop):
                for value in node.header:
                    yield from self._index(value)
                yield f"loop {node.var} {' '.join(map(self._name, node.header))} {node.step} {node.sharing} {{"
                yield from self._body(node.body)
                yield "}"
            else:
                yield from self._branch(node)

    def _branch(self, node: Branch) -> Iterator[str]:
        yield from self._expr(node.condition)
        yield f"if {self._name(node.condition)} {{"
        yield from self._body(node.then)
        yield "} else {"
        yield from self._body(node.orelse)
        yield "}"

    def _nest(self, nest: Nest) -> Iterator[str]:
        domain = ", ".join(f"{r.var}={r.start}:{r.stop}" for r in nest.domain)
        yield f"nest {domain} at {self.sites.get(nest.at, '')}"
        for assign in nest.assigns:
            for index in assign.target.index:
                yield from self._index(index)
            yield from self._expr(assign.value)
            place = ", ".join(map(self._name, assign.target.index))
            yield f"{assign.target.array}[{place}] {assign.op} {self._name(assign.value)}"

    def _index(self, index: Index) -> Iterator[str]:
        if not isinstance(index, Affine):
            yield from self._expr(index)

    def _name(self, index: Index) -> str:
        return str(index) if isinstance(index, Affine) else f"%{self.numbers[index]}"

    def _expr(self, expr: Expr) -> Iterator[str]:
        if expr in self.numbers:
            return
        for child in _operands(expr):
            yield from self._index(child)
        self.numbers[expr] = len(self.numbers)
        yield f"{self._name(expr)} {_head(expr)} " + ", ".join(map(self._name, _operands(expr)))


def _operands(expr: Expr) -> tuple[Index, ...]:
    if isinstance(expr, Op):
        return expr.args
    return expr.index if isinstance(expr, Load) else ()


def _head(expr: Expr) -> str:
    if isinstance(expr, Const):
        return f"const {expr.value!r} {expr.dtype}"
    if isinstance(expr, IndexValue):
        return f"index {expr.form}"
    if isinstance(expr, Load):
        return f"load {expr.array} {expr.dtype}"
    assert isinstance(expr, Op), f"unknown expression {expr!r}"
    return f"{expr.name} {expr.dtype}"
