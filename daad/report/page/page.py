"""The page: source and adjoint side by side, stages, graph, memory, plans, check and times."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path

from daad.errors import Location
from daad.ir.nodes import Nest, Node
from daad.messages.sizes import readable
from daad.report.adjoint_lines import labelled
from daad.report.array_rows import short
from daad.report.explanation import Account
from daad.report.explanation_text import HEAD, LEGEND, MARKS, STYLES, legend_words
from daad.report.graph_model import PARTS
from daad.report.graph_picture import svg
from daad.report.joint_arrays import JointLabels
from daad.report.line_rows import Line, Listing
from daad.report.memory_bands import Timeline
from daad.report.memory_picture import key, memory_svg
from daad.report.memory_plan import Plan, Point
from daad.report.page.pass_texts import changes, stages
from daad.report.user_names import sides

Rows = Sequence[Sequence[str]]
STYLE, SCRIPT = (Path(__file__).with_name(name).read_text(encoding="utf-8") for name in ("style.css", "script.js"))
SECTIONS = {
    "source": "Source and adjoint",
    "stages": "Stages",
    "graph": "Dataflow",
    "memory": "Memory",
    "plans": "Plans",
    "check": "Check and times",
}


def page(plan: Plan, points: Sequence[Point] = (), check: str = "", times: Mapping[str, str] = {}) -> str:
    """The whole document; `check` is the text of a report, `times` what was measured."""
    account = plan.explain().account
    parts = {
        "source": _source(plan, account),
        "stages": _stages(plan),
        "graph": _graphs(plan),
        "memory": _memory(plan._events()),
        "plans": _plans(account, points),
        "check": _checked(check, times or {}),
    }
    shown = {name: text for name, text in parts.items() if text}
    title = f"{account.program}: gradient with respect to {', '.join(account.inputs)}"
    links = " ".join(f'<a href="#{name}">{SECTIONS[name]}</a>' for name in shown)
    body = "".join(
        f'<section id="{name}" aria-labelledby="h-{name}"><h2 id="h-{name}">{SECTIONS[name]}</h2>{text}</section>'
        for name, text in shown.items()
    )
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<style>{STYLE}</style></head><body><header><h1>{escape(title)}</h1>{_totals(account)}</header>"
        f'<nav aria-label="sections">{links}</nav><main>{body}</main><script>{SCRIPT}</script></body></html>\n'
    )


def _totals(account: Account) -> str:
    saved = max(0, account.store_all - account.total)
    return (
        f'<p class="big">store all {readable(account.store_all)} · this plan {readable(account.total)} · '
        f"saved {readable(saved)}</p><p>{escape('. '.join(account.notes))}</p>"
    )


def _source(plan: Plan, account: Account) -> str:
    left = "".join(map(_listing, account.listings))
    words = "".join(f"<dt>{escape(word)}</dt><dd>{escape(LEGEND[word])}</dd>" for word in legend_words(account))
    return (
        "<p>Point at a line to see what belongs to it on the other side; choose one to go there.</p>"
        f'<div class="sides"><div class="scroll" tabindex="0" role="region" aria-label="source">{left}</div>'
        '<div class="scroll" id="adjoint-text" tabindex="0" role="region" aria-label="adjoint">'
        f"<pre>{''.join(_adjoint(plan))}</pre></div></div><dl>{words}</dl>"
    )


def _listing(listing: Listing) -> str:
    name = f"{listing.file.rpartition('/')[2]}, {listing.function or 'top level'}"
    head = "".join(
        f'<th scope="col">{word}</th>' for word in ("line", "role", "source", "its adjoint reads", "bytes", "work")
    )
    rows = "".join(map(_line, listing.lines))
    return f"<table><caption>{escape(name)}</caption><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _line(line: Line) -> str:
    reads = "<br>".join(
        f'<span class="{origin.value.replace(" ", "-")}">{origin.value}</span> {escape(", ".join(names))}'
        for origin, names in line.reads.items()
    )
    kind = {"bold": "ccs", "dim": "dead"}.get(STYLES[line.role], "")
    said = line.role.value or "no statement"
    work, nbytes = line.operations + line.adjoint_operations, readable(line.nbytes) if line.nbytes else ""
    return (
        f'<tr class="{kind}" data-line="{line.number}" tabindex="0"><td class="n">{line.number}</td>'
        f'<td title="{said}">{MARKS[line.role]}</td><td class="code">{escape(line.text)}</td><td>{reads}</td>'
        f'<td class="n">{nbytes}</td><td class="n">{short(work) if work else ""}</td></tr>'
    )


def _adjoint(plan: Plan) -> Iterator[str]:
    """The text of the adjoint, each line with that of the source."""
    program = plan.derivation.adjoint_program
    joint = JointLabels.of(plan.derivation, plan._names)
    labels = {name: joint.label(name) for name in program.arrays}
    for text, at in _tagged(program.body, labels, "", None):
        line = f' data-line="{at.line}" tabindex="0"' if at else ""
        yield f"<span{line}>{escape(text)}</span>"


def _tagged(
    body: tuple[Node, ...], labels: Mapping[str, str], indent: str, at: Location | None
) -> Iterator[tuple[str, Location | None]]:
    for node in body:
        at = node.at or at
        yield from ((indent + text, at) for text in labelled(node, labels))
        if isinstance(node, Nest):
            continue
        for number, side in enumerate(sides(node)):
            if number and side:
                yield f"{indent}else:", at
            yield from _tagged(side, labels, indent + "  ", at)


def _stages(plan: Plan) -> str:
    found = stages(plan.program, plan.derivation)
    texts = []
    before = found[0].text
    for number, stage in enumerate(found):
        lines = "".join(map(_change, changes(before, stage.text)))
        took = "" if stage.seconds is None else f" ({stage.seconds * 1e3:.1f} ms)"
        name = f"{number + 1} of {len(found)}: {stage.name}{took}"
        texts.append(
            f'<div class="stage" data-name="{escape(name)}"{" hidden" if number else ""}><p>{escape(stage.does)}</p>'
            f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(name)}"><pre>{lines}</pre></div></div>'
        )
        before = stage.text
    return (
        '<div class="steps"><button id="before" type="button">before</button>'
        f'<input id="stage" type="range" min="0" max="{len(found) - 1}" value="0" aria-label="stage">'
        '<button id="after" type="button">after</button><strong id="stage-name" aria-live="polite"></strong></div>'
        f"{''.join(texts)}"
    )


def _change(change: tuple[str, str]) -> str:
    sign, text = change
    kind = {"+": ' class="new"', "-": ' class="gone"', "…": ' class="fold"'}.get(sign, "")
    return f"<span{kind}>{sign} {escape(text)}</span>"


def _graphs(plan: Plan) -> str:
    names = {"ccs": "program, with what matters", "adjoint": "adjoint", "joint": "program that is compiled"}
    chosen = "".join(f'<option value="{part}">{names[part]}</option>' for part in PARTS if part in names)
    views = "".join(
        f'<div class="scroll view" data-part="{part}" tabindex="0" role="region" '
        f'aria-label="dataflow of the {names[part]}">'
        f"{svg(plan._graph(part), f'arrow-{part}')}</div>"
        for part in PARTS
        if part in names
    )
    return (
        f'<div class="steps"><label>of the <select id="part">{chosen}</select></label>'
        "<span>drag to move, wheel or + and − to zoom, 0 to begin again</span></div>" + views
    )


def _memory(found: Timeline) -> str:
    region = '<div class="wide" tabindex="0" role="region" aria-label="memory over the program">'
    return f"<p>{key(found)}</p>{region}{memory_svg(found)}</div>"


def _plans(account: Account, points: Sequence[Point]) -> str:
    rows = [
        (
            row.name,
            str(row.line or ""),
            "×".join(map(str, row.shape)) or "number",
            readable(row.nbytes),
            row.allocated,
            row.freed,
            ", ".join(origin.value for origin in row.origins),
            "; ".join(row.why),
        )
        for row in account.arrays
    ]
    place = f"<p>{len(account.in_place)} read in place: {escape(', '.join(account.in_place))}</p>"
    arrays = (_table(HEAD, rows, "arrays that are kept or made again") if rows else "") + place
    curve = [(readable(p.nbytes), f"{p.slowdown:.2f} ×", p.what) for p in points]
    return arrays + (_table(("memory", "estimated time", "run again"), curve, "plans for less memory") if curve else "")


def _table(head: Sequence[str], rows: Rows, caption: str) -> str:
    top = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in head)
    cells = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{caption}"><table><caption>{caption}</caption>'
        f"<thead><tr>{top}</tr></thead><tbody>{cells}</tbody></table></div>"
    )


def _checked(check: str, times: Mapping[str, str]) -> str:
    rows = _table(("what", "measured"), list(times.items()), "times and memory") if times else ""
    report = f'<div class="scroll" tabindex="0" role="region" aria-label="check"><pre>{escape(check)}</pre></div>'
    return (report if check else "") + rows
