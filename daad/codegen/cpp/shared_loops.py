"""Loops that threads share: DaCe writes them as sequential ones, with a mark that becomes a call of the team."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from daad.analysis.placement import Placement, place
from daad.codegen import spelling
from daad.codegen.cpp.thread_team import call
from daad.codegen.safe_names import Names, name_everything
from daad.ir.nodes import Branch, Loop, Node, Program, Sharing

# DaCe has no parallel loops but maps, whose body would have to be an SDFG of its own. What it writes for a loop that is
# to be unrolled stands right before the loop, and tells which one it is.
MARK = re.compile(r"#pragma unroll (\d+)\n\s*(for \([^\n]*\) )\{\n")
PROGRAM = re.compile(r"^[^\n]*void __program_\w+_internal\([^\n]*\n\{\n((?:    \w+ \w+;\n)*)", re.MULTILINE)
BRACES, WORD = re.compile(r"[{}]"), re.compile(r"\w+")
HEAD = re.compile(r"for \((\w+) = (.+); \(\1 ([<>]) (.+)\); \1 = \(\1 [+-] 1\)\) ")


def mark(region: Any, loop: Loop) -> None:
    """Lets the generated code of a loop be found by the number that it has among the shared ones."""
    if loop.sharing is not None:
        region.unroll, region.unroll_factor = True, loop.sharing.number


def with_threads(text: str, program: Program, state: str) -> str:
    """The generated code with its marks replaced; `state` is the type of what holds the pointers to local arrays."""
    shared, head = list(_shared(program.body, ())), PROGRAM.search(text)
    assert head, "DaCe's generated code has no program"
    writer = _Writer(program, name_everything(program), place(program), state, tuple(head[1].splitlines()))
    for loop, around in shared:
        [found] = (m for m in MARK.finditer(text) if int(m[1]) == _sharing(loop).number)
        end = _end(text, found.end())
        body = text[found.end() : end]
        function = writer.function(loop, around, body)
        text = f"{text[: found.start()]}{writer.loop(loop, around, found[2], body)}}});{text[end + 1 :]}"
        text = PROGRAM.sub(lambda head, function=function: f"{function}{head[0]}", text, count=1)  # type: ignore[misc]
    return text


def _shared(body: tuple[Node, ...], around: tuple[str, ...]) -> Iterator[tuple[Loop, tuple[str, ...]]]:
    """Loops that threads share, each with the variables of those around it."""
    for node in body:
        if isinstance(node, Branch):
            yield from _shared((*node.then, *node.orelse), around)
        elif isinstance(node, Loop) and node.sharing is not None:
            yield node, around
        elif isinstance(node, Loop):
            yield from _shared(node.body, (*around, node.var))


def _end(text: str, start: int) -> int:
    """The position of the brace that closes what is open at `start`."""
    depth = 1
    for brace in BRACES.finditer(text, start):
        depth += 1 if brace[0] == "{" else -1
        if not depth:
            return brace.start()
    raise AssertionError("DaCe's generated code has a loop without an end")


@dataclass(frozen=True)
class _Writer:
    """Writes loops of a program: each iteration is a call of a function, which knows that the program's arguments are
    arrays apart from each other. `variables` are declared at the program's beginning."""

    program: Program
    names: Names
    placement: Placement
    state: str
    variables: tuple[str, ...]

    def function(self, loop: Loop, around: tuple[str, ...], text: str) -> str:
        """An iteration, whose text DaCe has written, with those variables of the whole program that are its own."""
        words = frozenset(WORD.findall(text))
        passed = self.passed(loop, around, words)
        parameters = ", ".join([f"{self.state}* const __state", *passed.values()])
        head = f"__attribute__((noinline)) static void {_name(loop)}({parameters}) {{"
        variables = [line for line in self.variables if line.split()[-1].strip(";") in words - passed.keys()]
        return "\n".join([head, *variables, f"{text}}}", ""])

    def loop(self, loop: Loop, around: tuple[str, ...], head: str, text: str) -> str:
        """All iterations, without what ends them."""
        passed = self.passed(loop, around, frozenset(WORD.findall(text)))
        found = HEAD.fullmatch(head)
        assert found, f"DaCe's generated code has a loop of unknown form, '{head}'"
        var, start, less, stop = found.groups()
        count, sign = (f"({stop}) - ({start})", "+") if less == "<" else (f"({start}) - ({stop})", "-")
        lines = [
            call(count, 1, str(_sharing(loop).threads)),
            "for (int64_t own__number = own__first; own__number < own__last; ++own__number) {",
            f"const int64_t {var} = ({start}) {sign} own__number;",
            *self.own_arrays(loop),
            f"{_name(loop)}({', '.join(['&own__state', *passed])});",
            "}",
        ]
        return "\n".join([*lines, ""])

    def passed(self, loop: Loop, around: tuple[str, ...], words: frozenset[str]) -> dict[str, str]:
        """Those `words` that name what iterations have in common, and what tells them apart, with their types."""
        integers = [self.names[name] for name in (*around, loop.var, *self.program.integers)]
        found = {name: f"int64_t {name}" for name in integers}
        for name in sorted(loop.touched.difference(_sharing(loop).own)):
            if name in (*self.program.parameters, *self.program.results):
                found[self.names[name]] = f"{self.ctype(name)}* __restrict__ {self.names[name]}"
            elif not self.program.arrays[name].shape:
                found[self.names[name]] = f"{self.ctype(name)} {self.names[name]}"
        return {name: parameter for name, parameter in found.items() if name in words}

    def own_arrays(self, loop: Loop) -> list[str]:
        """Other threads than the first have pointers of their own to the arrays that are theirs."""
        lines = [f"{self.state} own__state = *__state;"]
        frame = self.placement.frames.get(_sharing(loop).number)
        if frame is None:
            return lines
        first = next(name for name, offset in self.placement.offsets.items() if not offset)
        place = f"{self.placement.shared} + (own__thread - 1) * {frame.nbytes}"
        lines += [
            "if (own__thread) {",
            f"    char* const own__memory = reinterpret_cast<char*>(__state->{self.member(first)}) + {place};",
        ]
        for name, offset in frame.offsets.items():
            pointer = f"own__state.{self.member(name)}"
            lines.append(f"    {pointer} = reinterpret_cast<decltype({pointer})>(own__memory + {offset});")
        return [*lines, "}"]

    def member(self, name: str) -> str:
        """The pointer to a local array; see `daad.codegen.sdfg.whole_program`."""
        return f"__0_{self.names[name]}"

    def ctype(self, name: str) -> str:
        return spelling.ctype(self.program.arrays[name].dtype)


def _name(loop: Loop) -> str:
    return f"__iteration_{_sharing(loop).number}"


def _sharing(loop: Loop) -> Sharing:
    assert loop.sharing is not None, f"the loop over '{loop.var}' is no shared one"
    return loop.sharing
