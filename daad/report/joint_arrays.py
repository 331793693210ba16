"""The arrays of the program that is compiled, by the user's names: how large, and from where to where in memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from daad.pipeline import Derivation
from daad.report.memory_events import Event, events, lifetimes
from daad.report.user_names import UserNames, stems


@dataclass(frozen=True, kw_only=True)
class Held:
    """A local array: `name` for people, `user` the variable that it serves, and
    the first and the last statement at which it is there."""

    name: str
    user: str
    array: str
    nbytes: int
    first: Event
    last: Event


def held_arrays(derivation: Derivation, names: UserNames) -> tuple[Held, ...]:
    """All local arrays that are no numbers, in the order of their allocation."""
    labels, arrays = JointLabels.of(derivation, names), derivation.joint.arrays
    return tuple(
        Held(
            name=labels.label(name),
            user=labels.user(name),
            array=name,
            nbytes=arrays[name].nbytes,
            first=there.first,
            last=there.last,
        )
        for name, there in lifetimes(events(derivation)).items()
        if arrays[name].shape
    )


@dataclass(frozen=True)
class JointLabels:
    """Names for people of all arrays of the joint program: what passes made is named after what they made it of."""

    names: UserNames
    labels: Mapping[str, str]
    users: Mapping[str, str]

    @staticmethod
    def of(derivation: Derivation, names: UserNames) -> JointLabels:
        adjoint, plan = derivation.adjoint, derivation.plan
        labels = dict(names.adjoint_labels(adjoint))
        users = {array.name: name for name, array in adjoint.bars.items()}
        users |= {kept.tape.name: kept.forwarded.array for kept in plan.kept.values()}
        users |= {array.name: name for s in plan.snapshots.values() for name, array in s.kept.items()}
        for tape in plan.tapes:
            labels[tape.name] = f"kept {labels.get(users[tape.name], users[tape.name])}"
        return JointLabels(names, labels, users)

    def label(self, name: str) -> str:
        base = self._base(name)
        return self.labels[base] + name[len(base) :] if base else name

    def user(self, name: str) -> str:
        """The user's variable that the array, its adjoint or its tape belongs to."""
        base = self._base(name) or name
        return self.names.of(self.users.get(base, base))

    def _base(self, name: str) -> str:
        return next((stem for stem in stems(name) if stem in self.labels), "")
