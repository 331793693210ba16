"""The statements of a random program, and how they are printed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """A statement of one line."""

    text: str


@dataclass(frozen=True)
class Suite:
    """A header with an indented body."""

    header: str
    body: tuple[Line | Suite, ...]


Node = Line | Suite
Nodes = list[Node]


def text_of(nodes: Sequence[Node], indent: str = "") -> str:
    """The statements as source text."""
    lines = []
    for node in nodes:
        if isinstance(node, Line):
            lines.append(f"{indent}{node.text}\n")
        else:
            lines.append(f"{indent}{node.header}\n{text_of(node.body, indent + '    ') or indent + '    pass'}")
    return "".join(lines)
