"""Random programs over three names that stand for one, two or three arrays: bound anew, exchanged, written in place."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import strategies as st

from tests.fuzz.programs import RandomProgram
from tests.fuzz.source import Draw, Source
from tests.fuzz.syntax import Line, Node, Nodes, Suite, text_of

NAMES = ("x", "y", "z")
LOOPS = ("i", "j", "k")
MOST = 8
DEEPEST = 2

SIMPLE = (
    (3, "{0} = {1}"),
    (2, "{0} = {1}[::-1]"),
    (3, "{0} = {1} * a"),
    (2, "{0} = 0.9 * {1}"),
    (1, "{0} = {1} * {2}"),
    (3, "{0}[0] = 0.5 * {1}[1] + {2}[1]"),
    (2, "{0}[2] = 0.5 * {1}[0]"),
    (2, "{0}[1:] = {1}[:-1]"),
    (1, "{0} *= 0.9"),
    (1, "{0} += {1}"),
    (2, "{0}, {1} = {1}, {0}"),
    (2, "{0}, {1} = {1}, 0.5 * {0}"),
    (1, "{0} = written({1})"),
    (1, "exchanged({0}, {1})"),
)
RANGES = ("range(2)", "range(3)", "range(n)", "range(1)", "range(4)", "range(1, 3)")
INNER = ("range(i)", "range(1, i)", "range(i, 3)")
TESTS = ("a[0] > 0.1", "a[1] > 0.1", "{0}[0] > {1}[1]")
INDEX_TESTS = ("i == 0", "i > 0", "i % 2 == 0")
FUNCTIONS = """def written(u):
    u[0] = 0.5 * u[1]
    return {}


def exchanged(u, v):
    u[1] = v[0]
    v = u
    v[2] *= 0.7


"""
RESULTS = ("u", "u * 2.0", "u[::-1]")


@dataclass
class Names:
    """Writes blocks; `left` is how many statements may still come."""

    source: Source
    left: list[int] = field(default_factory=lambda: [MOST])

    def block(self, loops: int, depth: int) -> tuple[Node, ...]:
        return tuple(node for _ in range(self.source.integer(1, 3)) for node in self.statement(loops, depth))

    def statement(self, loops: int, depth: int) -> Nodes:
        self.left[0] -= 1
        if depth == DEEPEST or self.left[0] < 0 or not self.source.chance(25):
            return [Line(self.filled(self.source.weighted(SIMPLE)))]
        if self.source.chance(50):
            return self.branch(loops, depth)
        header = self.source.choice((*RANGES, *(INNER if loops else ())))
        return [Suite(f"for {LOOPS[loops]} in {header}:", self.block(loops + 1, depth + 1))]

    def branch(self, loops: int, depth: int) -> Nodes:
        test = self.filled(self.source.choice((*TESTS, *(INDEX_TESTS if loops else ()))))
        nodes: Nodes = [Suite(f"if {test}:", self.block(loops, depth + 1))]
        return [*nodes, Suite("else:", self.block(loops, depth + 1))] if self.source.chance(50) else nodes

    def filled(self, pattern: str) -> str:
        return pattern.format(*(self.source.choice(NAMES) for _ in NAMES))


@st.composite
def programs_over_names(draw: Draw) -> RandomProgram:
    """A random program that NumPy can run."""
    source = Source(draw)
    is_parameter = source.chance(30)
    start: Nodes = [] if is_parameter else [Line("x = 2.0 * a")]
    start.append(Line(f"y = {source.choice(('3.0 * a', 'x'))}"))
    start.append(Line(f"z = {source.choice(('4.0 * a', 'x', 'y[::-1]'))}"))
    writer = Names(source)
    body = [node for _ in range(source.integer(2, 4)) for node in writer.statement(0, 0)]
    result = Line("return np.sum(x * a) + 2.0 * np.sum(y) + 3.0 * z[0] + z[2]")
    header = f"def program(a, {'x, ' if is_parameter else ''}n):"
    main = text_of([Suite(header, (*start, *body, result))])
    given = [("a", f"data({source.integer(1, 3)}, 3)"), ("n", str(source.choice((2, 0, 3, 1))))]
    given[1:1] = [("x", "data(7, 3)")] if is_parameter else []
    return RandomProgram(
        source=FUNCTIONS.format(source.choice(RESULTS)) + main,
        arguments=tuple(given),
        wrt=("a", "x") if is_parameter else ("a",),
    )
