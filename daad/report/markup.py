"""What is told as HTML, for notebooks: readable on light and on dark paper."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

COLOURS = {"green": "#2e8b57", "yellow": "#b07d00", "cyan": "#1f8a9e", "magenta": "#a067c0", "red": "#d1242f"}
FONT = "font-family:ui-monospace,Menlo,Consolas,monospace;font-size:12.5px;line-height:1.4"


def block(rows: Sequence[Sequence[tuple[str, str]]]) -> str:
    """Rows of texts with styles, as they stand."""
    lines = "\n".join("".join(_span(text, style) for text, style in row).rstrip() for row in rows)
    return f'<pre style="{FONT};overflow-x:auto;white-space:pre">{lines}</pre>'


def plain_block(text: str, style: str = "") -> str:
    """A text as it stands."""
    return block([[(line, style)] for line in text.splitlines()])


def sentence(text: str, style: str = "bold") -> str:
    """A paragraph."""
    return f"<p>{_span(text, style)}</p>"


def folded(title: str, content: str) -> str:
    """Content that is shown when somebody wants it."""
    return f"<details><summary>{escape(title)}</summary>{content}</details>"


def _span(text: str, style: str) -> str:
    css = {"bold": "font-weight:600", "dim": "opacity:.7", "underline": "font-weight:600;text-decoration:underline"}
    look = ";".join(css.get(word, f"color:{COLOURS.get(word, 'inherit')}") for word in style.split())
    return f'<span style="{look}">{escape(text)}</span>' if look else escape(text)
