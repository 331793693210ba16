"""Copies that stand for aliases: a variable with storage of its own gets a copy where Python binds the array itself.

As long as neither array is written in place nobody can tell; where one is, the program is refused.
"""

from __future__ import annotations

from typing import Any, NoReturn

from daad.errors import Unsupported
from daad.frontend.staging.aliasing.alias_tracking import Ledger
from daad.frontend.staging.speculation import Reread
from daad.frontend.staging.values import ArrayValue, View, axis
from daad.ir.affine import Affine


class Aliased(Exception):
    """One of two arrays is written of which Python has only one; `error` is what the user sees, if nothing helps."""

    def __init__(self, error: Unsupported) -> None:
        super().__init__(error)
        self.error = error


class Aliases(Ledger):
    """`links` are pairs (storage, array) of which Python has only one; `chosen` are arrays that stand for what a name
    is after a branch, with what orders that only the side is read that is taken."""

    def __init__(self) -> None:
        super().__init__()
        self.chosen: dict[str, Any] = {}

    def alias(self, storage: View, value: View) -> None:
        """The storage has just got a copy of `value`: other names of the same array move to it, or it is linked."""
        if not self.is_array(value) or storage.base == value.base:
            return
        others = [v for v in self.live.views(value.base) if v is not value]
        self.inherit(storage.base, value.base)
        inside = all(v.depth >= len(self.blocks) - 1 for v in others)
        fixed = value.base in (*self.parameters, *self.constants, *self.homes)
        if inside and self.is_whole(value) and not fixed:
            for view in (*others, value):  # which may be bound to another name still
                self.move(view, storage.base)
            return
        self.links |= {(storage.base, value.base)}

    def inherit(self, copied: str, array: str) -> None:
        """A copy stands for whatever the array stands for."""
        partners = {a if b == array else b for a, b in self.links if array in (a, b)}
        self.links |= {(copied, partner) for partner in partners if partner != copied}

    def stand_for(self, copied: str, array: str) -> None:
        """Of a copy and an array Python has only one."""
        self.inherit(copied, array)
        self.links |= {(copied, array)} if copied != array else set()

    def is_whole(self, view: View) -> bool:
        """Whether the view is all of its array, as it is."""
        shape = tuple(map(Affine, self.arrays[view.base].shape))
        return view.shape == shape and all(i == Affine.of(axis(k)) for k, i in enumerate(view.index))

    def unlink(self, base: str) -> None:
        """The variable stands for another array now."""
        self.links = frozenset(link for link in self.links if base not in link)

    def write_in_place(self, base: str, consumed: ArrayValue | None = None) -> None:
        """Refuses to write one of two arrays that Python has only one of; nobody sees what is `consumed` afterwards.

        The same for an array of which NumPy may have two.
        """
        self._refuse_doubt(base, consumed)
        for link in sorted(self.links):
            if base in link and self._is_seen(link[0] if base == link[1] else link[1], consumed):
                self._know_the_side(base)
                self._refuse_alias()

    def _know_the_side(self, base: str) -> None:
        """Reads all again where a branch on data has decided which array it is, if that is speculated on."""
        if not self.speculation.asked():
            return
        reached, found = {base}, set[str]()
        while reached != found:
            found = set(reached)
            reached |= {array for link in self.links if found & {*link} for array in link}
        for array in sorted(found & self.chosen.keys()):
            self.chosen[array].order()
            raise Reread

    def _refuse_doubt(self, base: str, consumed: ArrayValue | None) -> None:
        doubts = {view.doubt for view in self.live.views(base) if view is not consumed}
        doubts |= {0} if base in self.parameters else set()
        if len(doubts) > 1:
            message = "An array is written in place which may or may not share its memory with a reshaped one."
            hint = "NumPy's order of this array in memory is not known: reshape a copy, such as 'y.copy().ravel()'."
            raise Aliased(Unsupported(message, at=self.at, hint=hint))

    def _is_seen(self, base: str, consumed: ArrayValue | None) -> bool:
        known = base in self.parameters or base in self.constants
        return known or any(view is not consumed for view in self.live.views(base))

    def _refuse_alias(self) -> NoReturn:
        message = "A name that may stand for one of several arrays is written in place."
        hint = "Bind a copy of the array instead, such as 'y = x.copy()'."
        raise Aliased(Unsupported(message, at=self.at, hint=hint))
