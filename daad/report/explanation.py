"""What `Gradient.explain` tells: the program line by line beside its adjoint, arrays, totals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from daad.ccs.question import Question
from daad.ir.nodes import Program
from daad.pipeline import Derivation, parts_of
from daad.report import explanation_text as texts
from daad.report.array_rows import ArrayRow, array_rows
from daad.report.joint_arrays import held_arrays
from daad.report.line_rows import Listing, listings
from daad.report.markup import block, plain_block
from daad.report.user_names import UserNames

if TYPE_CHECKING:
    from rich.text import Text

LEAST_GAP = 1e-4
"""Smaller gaps come from rounding in the solver."""

APART = "Loops: statements stay apart; in one loop, what each of them reads would be in memory at once"


@dataclass(frozen=True, kw_only=True)
class Account:
    """All that is told of a gradient. Bytes: `store_all` if everything were kept, `total` of this plan by `parts`;
    `tape` of what is kept for the adjoint, `tape_held` of it at a time. `arrays` have no row where all that is read is
    read in place; then they are in `in_place`."""

    program: str
    inputs: tuple[str, ...]
    listings: tuple[Listing, ...]
    arrays: tuple[ArrayRow, ...]
    in_place: tuple[str, ...]
    store_all: int
    total: int
    parts: Mapping[str, int]
    tape: int
    tape_held: int
    tapes: int
    notes: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """The same as plain numbers, texts, lists and dicts."""
        document: dict[str, Any] = _plain(asdict(self))
        return document


class Explanation(str):
    """The text of an account, wide enough for a file; `on(width)` for a terminal."""

    account: Account
    more: str

    @staticmethod
    def of(account: Account, more: str = "") -> Explanation:
        made = Explanation(texts.plain(texts.told(account)) + more)
        made.account, made.more = account, more
        return made

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return block(texts.told(self.account)) + (plain_block(self.more.strip("\n")) if self.more else "")

    def on(self, width: int) -> Text:
        """With colours, for `rich`."""
        return texts.coloured(texts.told(self.account, width), self.more)

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        return self.account.as_json()


def explain(program: Program, question: Question, derivation: Derivation, names: UserNames, store_all: int) -> Account:
    """`store_all` are the bytes of a call that keeps everything."""
    held = held_arrays(derivation, names)
    rows = array_rows(derivation, names, held)
    return Account(
        program=program.name,
        inputs=tuple(names.of(name) for name in question.inputs),
        listings=listings(program, question, derivation, names, held),
        arrays=tuple(row for row in rows if not row.is_in_place),
        in_place=tuple(row.name for row in rows if row.is_in_place),
        store_all=store_all,
        total=derivation.footprint.total,
        parts=parts_of(derivation),
        tape=derivation.plan.tape_bytes,
        tape_held=derivation.tape_bytes,
        tapes=len(derivation.plan.tapes),
        notes=(str(derivation.ccs), *([APART] if derivation.hints.apart else []), *_decisions(derivation)),
    )


def _decisions(derivation: Derivation) -> list[str]:
    """What the integer program was asked, and what it found."""
    decided = derivation.decided
    if decided is None or decided.solution is None:
        return []
    solved, more = decided.solution, decided.proposal.seconds - decided.first.seconds
    size = f"{solved.variables} variables, {solved.constraints} constraints" if solved.variables else "found by search"
    quality = "optimal" if solved.gap < LEAST_GAP else f"not proven optimal (gap {solved.gap:.0%})"
    return [
        f"Plan: {size}, {quality}; "
        f"{decided.tried} plans built; {abs(more):.3g} s {'more' if more > 0 else 'less'} than with everything kept"
    ]


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {_plain(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple | frozenset):
        return [_plain(each) for each in value]
    return value.value if isinstance(value, Enum) else value
