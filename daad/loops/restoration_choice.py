"""What of all that could be brought back is worth it: what somebody reads, and what needs nothing kept for itself."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from daad.analysis.dependence import overwritten_later
from daad.analysis.sites import INSIDE, Piece, Reader, Site, Write, sites, writes_by_array
from daad.ccs.forwarded import Forwarded
from daad.ccs.hints import Hints
from daad.ccs.restorable_values import Restored, find_update
from daad.errors import BadArgument
from daad.ir.nodes import Program

Relied = Collection[tuple[Piece | None, Piece]]


def useless(kept: Iterable[Forwarded], restored: Restored, relied: Relied) -> frozenset[Piece]:
    """What is better not brought back: first what asks for tapes that serve nothing else, then what nobody reads."""
    read = _read(relied)
    costly = {user for version in kept for user in _sole_users(version) if user in read}
    return frozenset(costly or restored.pieces - read)


def _read(relied: Relied) -> set[Piece]:
    """What the adjoint reads, and what is read to bring that back."""
    found: set[Piece] = set()
    while more := {piece for user, piece in relied if (user is None or user in found) and piece not in found}:
        found |= more
    return found


def _sole_users(version: Forwarded) -> set[Piece]:
    users = [use.site.reader.restores if use.site.reader else None for use in version.uses]
    return {user for user in users if user is not None} if None not in users else set()


def require_useful(kept: Iterable[Forwarded], program: Program, fewer: frozenset[Piece], hints: Hints) -> None:
    """Raises BadArgument if what the user wants to be taken back needs values that are gone."""
    for version in kept:
        for use in version.uses:
            reader = use.site.reader
            if reader and reader.restores in fewer and reader.restores and reader.restores[1] in hints.undo:
                name = reader.restores[1]
                raise BadArgument(
                    f"The plan says to undo '{name}', and what this statement adds to it reads '{version.array}', "
                    "whose value then is gone.",
                    at=_statement(program, reader).node.at,
                    hint=f"Take '{name}' out of the plan, or say 'undo' for '{version.array}', too, if that can be.",
                )


def _statement(program: Program, reader: Reader) -> Site:
    path = reader.path[:-1] if reader.path[-1] == INSIDE else reader.path
    return next(site for site in sites(program.body) if site.path in (path, reader.path))


def require_undone(kept: Iterable[Forwarded], program: Program, hints: Hints) -> None:
    """Raises BadArgument if a value is kept that the user wants back in place, and a statement stands in the way."""
    writes = writes_by_array(program.body)
    for name in sorted(hints.undo - writes.keys()):
        raise BadArgument(
            f"The plan says to undo '{name}', and no statement updates it.", hint=f"Take '{name}' out of the plan."
        )
    for version in kept:
        if version.array not in hints.undo:
            continue
        for write, why in _obstacles(version, writes[version.array], program):
            raise BadArgument(
                f"The plan says to undo '{version.array}', {why}.",
                at=write.site.node.at,
                hint=f"Take '{version.array}' out of the plan, or say 'store'.",
            )


def _obstacles(version: Forwarded, writes: tuple[Write, ...], program: Program) -> Iterator[tuple[Write, str]]:
    """Writes after which the version is gone, and why they are not taken back."""
    dtype = program.arrays[version.array].dtype
    for write in writes:
        why = find_update(write.site, dtype)
        if isinstance(why, str) and any(overwritten_later(use, (write,), len(version.around)) for use in version.uses):
            yield write, why
