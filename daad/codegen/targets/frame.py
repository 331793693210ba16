"""The frame of generated C++: functions from the control flow of SDFGs, files from functions, what Python calls."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from dace import dtypes
from dace.codegen.codeobject import CodeObject
from dace.codegen.common import unparse_interstate_edge
from dace.codegen.dispatcher import TargetDispatcher
from dace.codegen.prettycode import CodeIOStream
from dace.codegen.targets.framecode import DaCeCodeGenerator
from dace.data import Scalar
from dace.sdfg import SDFGState, nodes
from dace.sdfg.state import ConditionalBlock, LoopRegion

from daad.analysis.cost.machine import LINE
from daad.codegen.cpp.header import MEMORY, PREAMBLE
from daad.codegen.dace_types import BYTE, EACH, FURTHER, SCRATCH, TEAM
from daad.codegen.sdfg.environments import SECTION_NAMES, with_dependencies
from daad.codegen.sdfg.nests import Facts
from daad.codegen.sdfg.product_nodes import expand
from daad.codegen.sdfg.whole_program import Lowered
from daad.codegen.targets.code_splitting import divided, outlined
from daad.codegen.targets.code_tree import NONE, Control, Function, Node, Piece, Variable
from daad.codegen.targets.cpu import Target
from daad.codegen.targets.equal_statements import shared

STATE, THREAD = "__state", "own__thread"
ALWAYS = frozenset((SECTION_NAMES["checks"],))
ONE_FILE, SEVERAL = "__attribute__((noinline)) static ", '__attribute__((noinline, visibility("hidden"))) '
NO_FACTS = Facts()


class Frame(DaCeCodeGenerator):
    """Makes functions of an SDFG and of those nested in it; the last one is the program.

    DaCe's frame finds out what daad's lowering knows: symbols, arguments, where arrays are allocated.
    """

    def __init__(self, sdfg: Any, state_type: str, facts: Mapping[str, Facts]) -> None:
        self.state_type, self.facts = state_type, facts
        self.functions: list[Function] = []
        self.arglist: dict[str, Any] = {}
        self.statestruct: list[str] = []
        self.environments: list[Any] = []
        self.targets: set[Any] = set()
        self.to_allocate: Mapping[Any, list[Any]] = defaultdict(list)
        self.where_allocated: dict[Any, Any] = {}
        self._initcode, self._exitcode = CodeIOStream(), CodeIOStream()
        self._dispatcher = TargetDispatcher(self)
        self._dispatcher.register_state_dispatcher(self)
        no_data = dtypes.DataInstrumentationType.No_Instrumentation
        self._dispatcher.instrumentation = {dtypes.InstrumentationType.No_Instrumentation: None, no_data: None}
        sdfg.reset_cfg_list()
        self.target = Target(self, sdfg, self._call)

    def symbols_and_constants(self, sdfg: Any) -> frozenset[str]:
        """There are no constants."""
        return NONE

    def free_symbols(self, obj: Any, keep_defined_in_mapping: bool = False) -> frozenset[str]:
        """Shapes are numbers."""
        return NONE

    def add_function(self, sdfg: Any, name: str, hidden: Sequence[Variable], symbols: Iterable[str]) -> Function:
        """A function with the arrays that an SDFG is given, and these symbols, as its parameters."""
        self.target.define(sdfg)
        given = [_parameter(n, data) for n, data in sdfg.arrays.items() if not data.transient]
        integers = [Variable("int64_t", symbol) for symbol in symbols]
        body = self._body(sdfg)
        assigned = {n for e in sdfg.all_interstate_edges() for n in e.data.assignments}
        own = [_local(n, data) for n, data in sdfg.arrays.items() if data.transient]
        own += [Variable("int64_t", symbol, "0") for symbol in sorted(assigned)]
        made = Function(name, (*hidden, *given, *integers), body, tuple(own))
        self.functions.append(made)
        return made

    def _call(self, node: Any) -> str:
        """Makes a function of a nested SDFG, and calls it."""
        hidden = (Variable(f"{self.state_type}*", STATE), Variable("int", THREAD))
        symbols = sorted(node.symbol_mapping)
        function = self.add_function(node.sdfg, f"__{node.sdfg.name}", hidden, symbols)
        return f"{function.name}({', '.join(v.name for v in function.parameters)});"

    def _body(self, region: Any) -> tuple[Node, ...]:
        """The blocks of a region, which follow one another."""
        body: list[Node] = []
        block: Any = region.start_block
        values: Mapping[str, str] = {}
        while block is not None:
            body += [_assignment(name, text, self.facts.get(block.label, NO_FACTS)) for name, text in values.items()]
            body.append(BLOCKS[type(block)](self, block))
            [edge] = region.out_edges(block) or [None]
            block, values = (edge.dst, edge.data.assignments) if edge else (None, {})
        return tuple(node for node in body if node.lines)

    def _state(self, state: Any) -> Piece:
        stream, facts = CodeIOStream(), self.facts.get(state.label, NO_FACTS)
        expand(state)
        self._dispatcher.dispatch_state(state, CodeIOStream(), stream)
        lines = [line for line in stream.getvalue().split("\n") if line.strip()]
        data, needs, reads = state.data_nodes(), set[str](), set(facts.symbols)
        for node in state.nodes():
            if isinstance(node, nodes.CodeNode):
                needs |= node.environments
            elif isinstance(node, nodes.MapEntry) and node.map.schedule == TEAM:
                needs.add(SECTION_NAMES["team"])
            if isinstance(node, nodes.NestedSDFG):
                reads.add(STATE)
        reads |= {n.data for n in data}
        writes = frozenset(n.data for n in data if state.in_degree(n))
        return Piece(("{", *lines, "}") if lines else (), frozenset(reads), writes, frozenset(needs), facts.trips)

    def generate_state(self, sdfg: Any, cfg: Any, state: Any, functions: Any, stream: Any, *_: Any) -> None:
        """Nothing is allocated in a state."""
        self._dispatcher.dispatch_subgraph(sdfg, _Alone(cfg, state), state, 0, functions, stream)

    def _loop(self, loop: Any) -> Control:
        init, test, update = (
            self._text(code, loop.sdfg) for code in (loop.init_statement, loop.loop_condition, loop.update_statement)
        )
        flag = self.facts[loop.label].goes_on
        goes_on = f" && {flag}" if isinstance(loop.sdfg.arrays.get(flag), Scalar) else ""
        head = f"for (int64_t {init}; {test}{goes_on}; {update}) {{"
        return Control((head,), (self._body(loop),), self.facts[loop.label].symbols, loop.loop_variable)

    def _branch(self, block: Any) -> Control:
        heads, bodies = [], []
        for condition, region in block.branches:
            heads.append("} else {" if condition is None else f"if ({self._text(condition, block.sdfg)}) {{")
            bodies.append(self._body(region))
        return Control(tuple(heads), tuple(bodies), self.facts[block.label].symbols)

    def _text(self, code: Any, sdfg: Any) -> str:
        text: str = unparse_interstate_edge(code.code[0], sdfg, symbols=sdfg.symbols, codegen=self)
        return text.strip(";")


class _Alone:
    """A region as if it had one state: DaCe looks for the state by its number among all, for each of its edges."""

    def __init__(self, region: Any, state: Any) -> None:
        self._region, self._state = region, state

    def nodes(self) -> list[Any]:
        return [self._state]

    def node(self, _: int) -> Any:
        return self._state

    state = node

    def __getattr__(self, name: str) -> Any:
        return getattr(self._region, name)


BLOCKS: dict[type, Callable[[Frame, Any], Node]] = {
    SDFGState: Frame._state,
    LoopRegion: Frame._loop,
    ConditionalBlock: Frame._branch,
}


def _assignment(name: str, text: str, facts: Facts) -> Piece:
    """A symbol gets its value on the way to a state."""
    return Piece((f"{name} = {text};",), facts.symbols, frozenset((name,)), is_state=False)


def _parameter(name: str, data: Any) -> Variable:
    if isinstance(data, Scalar):
        return Variable(data.dtype.ctype, name)
    return Variable(f"{data.dtype.ctype} *{'' if data.may_alias else ' __restrict__'}", name)


def _local(name: str, data: Any) -> Variable:
    """Scalars have values before any is given to them: to pass what has none is undefined, as a part of a function may
    that does not read it."""
    if isinstance(data, Scalar):
        return Variable(data.dtype.ctype, name, "0")
    assert data.storage == SCRATCH, f"'{name}' lies in {data.storage}"
    kind = f"{data.dtype.ctype} *"
    return Variable(kind, name, f"({kind})({STATE}->memory + {_place(data.location)})")


def _place(location: Mapping[str, str]) -> str:
    if FURTHER not in location:
        return location[BYTE]
    further = f"{location[FURTHER]} + ({THREAD} - 1) * INT64_C({location[EACH]})"
    return f"({THREAD} ? {further} : {location[BYTE]})"


@dataclass(frozen=True)
class Generated:
    """C++ files, and what they need: `environments` in DaCe's words."""

    files: tuple[CodeObject, ...]
    environments: tuple[Any, ...]

    @property
    def texts(self) -> list[str]:
        """The files."""
        return [file.clean_code for file in self.files]


def generate(lowered: Lowered) -> Generated:
    """The C++ of a program; library nodes of its SDFG are expanded."""
    sdfg = lowered.sdfg
    state = Variable(f"{sdfg.name}_state_t*", STATE)
    frame = Frame(sdfg, f"{sdfg.name}_state_t", lowered.facts)
    integers = [lowered.names[name] for name in lowered.program.integers]
    program = frame.add_function(sdfg, f"__program_{sdfg.name}_internal", (state,), integers)
    files = divided(outlined(shared(frame.functions)))
    text = _Text(sdfg.name, lowered, tuple(f for file in files for f in file), ONE_FILE if len(files) == 1 else SEVERAL)
    texts = [text.file(file, is_first=not n, entry=program) for n, file in enumerate(files)]
    return Generated(
        tuple(CodeObject(sdfg.name, t, "cpp", Target, "Frame") for t in texts),
        tuple(text.environments),
    )


@dataclass(frozen=True)
class _Text:
    """Writes files; `functions` are those of all, `how` they begin."""

    name: str
    lowered: Lowered
    functions: tuple[Function, ...]
    how: str

    @cached_property
    def environments(self) -> list[Any]:
        """Those of all files."""
        return with_dependencies({name for f in self.functions for name in f.needs})

    def file(self, own: Sequence[Function], is_first: bool, entry: Function) -> str:
        """A file that defines its own functions."""
        environments = with_dependencies(ALWAYS.union(*(f.needs for f in own)))
        further = [e for e in self.environments if e.init_code and is_first and e not in environments]
        includes = [f'#include "{name}"' for e in (*environments, *further) for name in e.headers.get("frame", ())]
        struct = f"struct {self.name}_state_t : daad::Allocated {{ char* memory; }};"
        declared = [f"{self.how}{f.head};" for f in self.functions] if self.how == SEVERAL else []
        defined = [line for f in own for line in (f"{self.how}{f.head}", *f.lines, "")]
        end = [self._start(), self._end(), self._enter(entry)] if is_first else []
        sections = [e.text for e in environments]
        return "\n".join([PREAMBLE, MEMORY, *includes, *sections, struct, *declared, *defined, *end, ""])

    def _start(self) -> str:
        """Allocates the state of the library, and its memory."""
        nbytes = self.lowered.nbytes
        size = nbytes + LINE  # arrays may have no elements
        allocates = f"void* memory = nullptr;\nif (::posix_memalign(&memory, {LINE}, {size})) return nullptr;"
        kind = f"{self.name}_state_t"
        lines = [
            f"DACE_EXPORTED {kind}* __dace_init_{self.name}()",
            "{",
            *([allocates] if nbytes else ["void* const memory = nullptr;"]),
            f"{kind}* const __state = new {kind}();",
            "if (!__state) return nullptr;",
            "__state->memory = static_cast<char*>(memory);",
            *(e.init_code for e in self.environments if e.init_code),
            "return __state;",
            "}",
        ]
        return "\n".join(lines)

    def _end(self) -> str:
        return (
            f"DACE_EXPORTED int __dace_exit_{self.name}({self.name}_state_t* __state)\n"
            "{\n::free(__state->memory);\ndelete __state;\nreturn 0;\n}"
        )

    def _enter(self, entry: Function) -> str:
        """What Python calls, with words: how far behind its object an array's pointer is, state, objects, integers."""
        arrays = [v for v in entry.parameters if v.is_pointer and v.name != STATE]
        names = {self.lowered.names[n]: number for number, n in enumerate(self.lowered.words, start=2)}
        values = [f"({self.name}_state_t*)words[1]"]
        for v in entry.parameters[1:]:
            word = f"words[{names[v.name]}]"
            kind = v.kind.removesuffix(" __restrict__")
            values.append(f"*({kind}*)({word} + words[0])" if v in arrays else word)
        call = f"{entry.name}({', '.join(values)});"
        return f"DACE_EXPORTED void __enter_{self.name}(const int64_t* words)\n{{\n    {call}\n}}"
