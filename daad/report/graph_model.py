"""The dataflow of a program as a graph: statements and arrays, in clusters of functions, loops and lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count

from daad.errors import BadArgument, Location
from daad.ir.nodes import Loop, Nest, Node, Program
from daad.ir.versions import array_of
from daad.ir.walk import nests
from daad.pipeline import Derivation
from daad.report.adjoint_lines import labelled
from daad.report.joint_arrays import JointLabels
from daad.report.source_text import line_at, shortened, source_of
from daad.report.user_names import UserNames

COLOURS = {
    "input": "salmon",
    "output": "cornflowerblue",
    "stored": "gold",
    "recomputed": "palegreen",
    "dead": "lightgrey",
}
"""By what an array is to the gradient; a statement that carries no derivative is dead, too."""
PARTS = ("ccs", "primal", "adjoint", "joint")

Path = tuple[int, ...]
"""The numbers of the clusters around a vertex, outermost first."""


@dataclass(frozen=True, kw_only=True)
class Vertex:
    """A statement or an array; `role` is a colour, or none; `is_given`: the caller passes it."""

    key: str
    label: str
    path: Path
    is_array: bool
    role: str = ""
    line: int | None = None
    is_given: bool = False


@dataclass(frozen=True)
class Graph:
    """Vertices in the order of the program, arguments first; `clusters` have their titles; each edge is from what is
    read to the statement, or from the statement to what it writes."""

    name: str
    vertices: tuple[Vertex, ...]
    edges: tuple[tuple[str, str], ...]
    clusters: Mapping[int, str]


def graph_of(derivation: Derivation, names: UserNames, part: str) -> Graph:
    """Of the "primal", the "adjoint", the "joint" program, or of the "ccs": the primal with what matters."""
    if part not in PARTS:
        raise BadArgument(f"A gradient has no part {part!r}.", hint=f"Use one of {', '.join(map(repr, PARTS))}.")
    joint, adjoint = JointLabels.of(derivation, names), derivation.adjoint_program if part == "adjoint" else None
    program = adjoint or (derivation.joint if part == "joint" else derivation.primal)
    labels = {name: joint.label(name) for name in program.arrays}
    roles, unused = _roles(derivation, program), frozenset[int]()
    if part == "ccs":
        ccs = derivation.ccs
        roles |= {name: "dead" for name in program.arrays if name not in ccs.active}
        unused = frozenset(range(ccs.all_statements)) - ccs.statements
    return _Building(program, labels, roles, unused).graph()


def _roles(derivation: Derivation, program: Program) -> dict[str, str]:
    plan, hints, restored = derivation.plan, derivation.hints, derivation.adjoint.restored
    stored = {str(array_of(version)) for version in plan.kept} | {t.name for t in plan.tapes}
    again = {*hints.recompute, *hints.rerun, *restored.remade, *(name for _, name in restored.undone)}
    found = dict.fromkeys(sorted(again), "recomputed") | dict.fromkeys(sorted(stored), "stored")
    found |= dict.fromkeys(derivation.ccs.inputs, "input") | dict.fromkeys(derivation.ccs.outputs, "output")
    found |= {name: "output" for name in derivation.gradients if name is not None}
    own = {name: role for name, role in found.items() if name in program.arrays}
    entry = {f"{name}_in": "input" for name in derivation.ccs.inputs if f"{name}_in" in program.parameters}
    return {**own, **entry}


class _Building:
    """Numbers the clusters as statements come."""

    def __init__(
        self, program: Program, labels: Mapping[str, str], roles: Mapping[str, str], unused: frozenset[int]
    ) -> None:
        self.program, self.labels, self.roles = program, labels, roles
        self.titles: dict[int, str] = {}
        self._last: dict[Path, int] = {}
        self._unused = unused
        self._numbers = count()

    def graph(self) -> Graph:
        found = [*self._statements(self.program.body, (), "", None)]
        touched: dict[str, list[Path]] = {}
        edges: list[tuple[str, str]] = []
        for vertex, (_, nest) in zip(found, enumerate(nests(self.program.body)), strict=True):
            for name in sorted(nest.touched):
                touched.setdefault(name, []).append(vertex.path)
            edges += [(_key(name), vertex.key) for name in sorted(nest.loaded)]
            edges += [(vertex.key, _key(name)) for name in sorted(nest.written)]
        return Graph(self.program.name, (*self._arrays(touched), *found), tuple(dict.fromkeys(edges)), self.titles)

    def _arrays(self, touched: Mapping[str, list[Path]]) -> Iterator[Vertex]:
        for name, array in self.program.arrays.items():
            if name in touched:
                is_given = name in self.program.parameters
                is_outer = is_given or name in self.program.results
                path = () if is_outer else _common(touched[name])
                shape = "×".join(map(str, array.shape))
                label = f"{self.labels[name]}: {array.dtype}" + (f"[{shape}]" if shape else "")
                yield Vertex(
                    key=_key(name),
                    label=label,
                    path=path,
                    is_array=True,
                    role=self.roles.get(name, ""),
                    is_given=is_given,
                )

    def _statements(self, body: tuple[Node, ...], path: Path, function: str, at: Location | None) -> Iterator[Vertex]:
        for node in body:
            at = node.at or at
            here, own = self._entered(path, function, at)
            if isinstance(node, Nest):
                yield self._statement(node, here, at)
            elif isinstance(node, Loop):
                title = _source(at) or f"loop {node.var}"
                yield from self._statements(node.body, (*here, self._opened(here, title)), own, at)
            else:
                for side in (node.then, node.orelse):
                    yield from self._statements(side, here, own, at)

    def _entered(self, path: Path, function: str, at: Location | None) -> tuple[Path, str]:
        """Inside of the function of a place, where that is another one."""
        own = source_of(at.file).function_at(at.line).name if at else function
        if own == function or not own:
            return path, function
        return (*path, self._cluster(path, own)), own

    def _statement(self, nest: Nest, path: Path, at: Location | None) -> Vertex:
        number = next(self._numbers)
        line = _source(at)
        path = (*path, self._cluster(path, line)) if line else path
        role = "dead" if number in self._unused else ""
        text = "\n".join(labelled(nest, self.labels))
        line_number = at.line if at else None
        return Vertex(key=f"s{number}", label=text, path=path, is_array=False, role=role, line=line_number)

    def _cluster(self, path: Path, title: str) -> int:
        """The last cluster that was opened there, if it has this title."""
        last = self._last.get(path)
        return last if last is not None and self.titles[last] == title else self._opened(path, title)

    def _opened(self, path: Path, title: str) -> int:
        number = self._last[path] = len(self.titles)
        self.titles[number] = title
        return number


def _source(at: Location | None) -> str:
    """The number and the text of a line."""
    text = line_at(at)
    return f"{at.line}: {shortened(text, 60)}" if at and text else ""


def _key(name: str) -> str:
    return f"a:{name}"


def _common(paths: list[Path]) -> Path:
    """The innermost cluster around all of them."""
    first, *others = paths
    length = next((n for n, step in enumerate(first) if any(p[n : n + 1] != (step,) for p in others)), len(first))
    return first[:length]
