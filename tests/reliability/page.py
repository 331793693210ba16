"""docs/reliability.md as text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.reliability.collect import (
    DEFECTS,
    FAILED,
    HOSTILE,
    NONFINITE,
    PASSED,
    REFUSALS,
    RULES,
    SKIPPED,
    Count,
    Result,
    belonging,
)
from tests.reliability.mutants import Mutants

OUTCOMES = {PASSED: "yes", SKIPPED: "not tried here", FAILED: "**fails**"}
TEXT = Path(__file__).parent / "page.txt"


def page(results: Sequence[Result], campaigns: Sequence[Mapping[str, Any]], mutants: Mutants) -> str:
    """The whole page: the text of page.txt with tables in its places."""
    faults = merged(belonging(results, HOSTILE))
    counted = Count.of(faults)
    nonfinite, defects = Count.of(belonging(results, NONFINITE)), Count.of(belonging(results, DEFECTS))
    rules = Count.of(belonging(results, [RULES]))
    places = {
        "summary": summary(results, campaigns[0] if campaigns else None, mutants, rules, counted),
        "fuzz": "\n\n".join(map(fuzz_text, campaigns)) or "`make fuzz` has not been run for this version yet.",
        "refusals": refusals(results),
        "rules": rules.all,
        "defects": table(("defect", "put in", "change the gradient", "noticed"), mutant_rows(mutants)),
        "defect_tests": f"{defects.passed} of {defects.all}",
        "nonfinite": f"{nonfinite.passed} of {nonfinite.all}",
        "faults": counted.all,
        "survived": counted.passed,
        "untried": f"; {counted.skipped} could not be tried on this machine" if counted.skipped else "",
        "groups": "\n\n".join(groups(faults)),
    }
    return TEXT.read_text().format(**places)


def merged(results: Iterable[Result]) -> list[Result]:
    """One result for each fault, however many tests try it: the worst of theirs."""
    found: dict[tuple[str, str], Result] = {}
    for result in results:
        key = result.facts.get("group"), result.facts.get("what")
        if None not in key:
            known = found.setdefault((str(key[0]), str(key[1])), result)
            if known.outcome == PASSED or result.outcome == FAILED:
                found[str(key[0]), str(key[1])] = result
    return sorted(found.values(), key=lambda result: int(result.facts["order"]))


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """In Markdown; bars in cells would end them."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines)


def summary(
    results: Sequence[Result], fuzz: Mapping[str, Any] | None, mutants: Mutants, rules: Count, faults: Count
) -> str:
    outcomes = fuzz["outcomes"] if fuzz else {}
    refused = Count.of([r for paths in REFUSALS.values() for r in rows_of(results, paths)])
    effective = mutants.tried.total() - mutants.equivalent.total()
    rows = [
        ("random programs examined", fuzz["programs"] if fuzz else "not yet"),
        ("of these, wrong", outcomes.get("wrong", "not yet")),
        ("of these, refused", outcomes.get("refused", "not yet")),
        ("programs and calls that must be refused, with the exact sentence", f"{refused.passed} of {refused.all}"),
        ("derivative rules made wrong by a thousandth, noticed", f"{rules.passed} of {rules.all}"),
        ("other defects put into adjoints, noticed", f"{mutants.noticed.total()} of {effective}"),
        ("hostile surroundings, survived", f"{faults.passed} of {faults.all}"),
    ]
    return table(("what", "figure"), rows)


def fuzz_text(fuzz: Mapping[str, Any]) -> str:
    """A campaign: how large it was, and what came of it."""
    outcomes = table(("outcome", "programs"), fuzz["outcomes"].items())
    causes = [(cause, n) for cause, n in fuzz.get("refused", {}).items()]
    refused = table(("refused because", "programs"), causes) if causes else "No program was refused."
    compiled = ", ".join(f"{n} of them compiled by {name}" for name, n in fuzz.get("compiled by", {}).items())
    day = f"On {fuzz['day']}: {fuzz['programs']} programs (seed {fuzz['seed']})"
    head = f"{day}, {compiled or str(fuzz['compiled']) + ' of them compiled'}"
    if large := fuzz.get("compiled as large ones too"):
        head += f", {large} again as large programs are"
    if wide := fuzz.get("over long arrays"):
        head += f"; {wide} over arrays of up to 33 elements"
    return f"{head}:\n\n{outcomes}\n\n{refused}"


def refusals(results: Sequence[Result]) -> str:
    counts = {what: Count.of(rows_of(results, paths)) for what, paths in REFUSALS.items()}
    return table(("what is refused", "rows", "as they should"), ((w, c.all, c.passed) for w, c in counts.items()))


def rows_of(results: Sequence[Result], paths: Sequence[str]) -> list[Result]:
    """Without tests that are none, but write the table."""
    return [result for result in belonging(results, paths) if result.outcome != SKIPPED]


def mutant_rows(mutants: Mutants) -> Iterable[tuple[str, int, int, int]]:
    for kind, tried in sorted(mutants.tried.items()):
        yield kind, tried, tried - mutants.equivalent[kind], mutants.noticed[kind]


def groups(faults: Sequence[Result]) -> Iterable[str]:
    """A section for each group, in the order of the tests."""
    for name in dict.fromkeys(fault.facts["group"] for fault in faults):
        own = [fault for fault in faults if fault.facts["group"] == name]
        count = Count.of(own)
        columns = 2 if count.passed == count.all else 3
        rows = [(fault.facts["what"], fault.facts["answer"], OUTCOMES[fault.outcome])[:columns] for fault in own]
        head = ("what is done", "what daad does", "survived")[:columns]
        yield f"### {name}: {count.passed} of {count.all}\n\n{table(head, rows)}"
