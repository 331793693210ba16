"""Which parts of the arguments a gradient is asked for: names, positions, and ways into structures such as `p['w']`."""

from __future__ import annotations

import difflib
import inspect
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from daad.api.subject import arguments as calls
from daad.api.subject.request import Names
from daad.api.subject.subject import Subject
from daad.errors import BadArgument, NotDifferentiable
from daad.frontend import structures
from daad.frontend.array_classes import is_foreign_array, library_type

MOST = 16
"""Names in a list for users."""
HINTS = dict.fromkeys("biu", "Pass it as float.")


def opened_arguments(wrt: Names, bound: dict[str, Any], subject: Subject) -> dict[str, Any]:
    """The arguments, with those objects opened that hold what is asked for; the object of a method is one of them."""
    names = list(_wanted(wrt, bound, subject))
    if all(name in bound and isinstance(bound[name], structures.LEAVES) for name in names):
        return bound
    receiver = subject.receiver
    roots = {structures.spelled(name, "wrt")[0] for name in names}
    if receiver is not None and receiver[0] not in bound and receiver[0] in roots:
        bound = {receiver[0]: receiver[1], **bound}
    ways: dict[str, list[structures.Steps]] = {}
    for name in names:
        root, steps = _way(name, bound, subject)
        ways.setdefault(root, []).append(steps)
    return {name: structures.opened(value, ways.get(name, ()), name) for name, value in bound.items()}


def chosen_arguments(wrt: Names, bound: Mapping[str, Any], subject: Subject) -> dict[str, Any]:
    """What is asked for, by name, with the values; each holds a float."""
    chosen: dict[str, Any] = {}
    for name in _wanted(wrt, bound, subject):
        root, steps = _way(name, bound, subject)
        found, full = bound[root], root
        for step in steps:
            found, full = dict(structures.parts(found) or ())[step], full + step
        _require_float(full, found, subject)
        if full in chosen:
            raise _twice(full, subject)
        chosen[full] = found
    counted = Counter(name for name, _ in calls.floats(chosen))
    twice = next((name for name, count in counted.items() if count > 1), None)
    if twice is not None:
        raise _twice(twice, subject)
    return chosen


def _twice(name: str, subject: Subject) -> BadArgument:
    return BadArgument(f"The option 'wrt' names '{name}' twice.", at=subject.at, hint="Name each argument once.")


def _wanted(wrt: Names, bound: Mapping[str, Any], subject: Subject) -> Iterator[str]:
    """Names as they are asked for; positions are those of the arguments that the call passes."""
    names = [wrt] if isinstance(wrt, str) else wrt
    within = subject.receiver is not None and isinstance(names, tuple | list) and all(isinstance(n, str) for n in names)
    if not bound and not within:
        raise _without_arguments(names, subject)
    positions = _positions(bound, subject)
    for item in [0] if wrt is None else [wrt] if isinstance(wrt, str | int) else wrt:
        if isinstance(item, str):
            yield item
        elif -len(positions) <= item < len(positions):
            yield positions[item]
        else:
            raise _not_there(item, positions, subject)


def _without_arguments(names: Any, subject: Subject) -> BadArgument:
    unknown = next((n for n in names if isinstance(n, str)), None) if isinstance(names, tuple | list) else None
    if unknown is not None and subject.variables:
        return _not_there(unknown, [], subject)
    hint = f"Name some of its variables: {_listed(subject.variables)}." if subject.variables else "Pass its inputs."
    return BadArgument(f"'{subject.name}' is called without arguments.", at=subject.at, hint=hint)


def _positions(bound: Mapping[str, Any], subject: Subject) -> list[str]:
    """The arguments by position; those of `*args` count one by one, those of a `functools.partial` do not."""
    kinds = subject.signature.parameters
    args, keywords = subject.partial()
    names: list[str] = []
    for name, value in bound.items():
        if name in kinds and name not in keywords:
            rest = kinds[name].kind is inspect.Parameter.VAR_POSITIONAL
            names += [f"{name}[{k}]" for k in range(len(value))] if rest else [name]
    return names[len(args) :]


def _way(name: str, bound: Mapping[str, Any], subject: Subject) -> tuple[str, structures.Steps]:
    """The argument, and the way into it in the steps of its structure."""
    root, keys = structures.spelled(name, "wrt")
    if root not in bound:
        rest = next((n for n, p in subject.signature.parameters.items() if p.kind is inspect.Parameter.VAR_KEYWORD), "")
        if root not in bound.get(rest, ()):
            raise _not_there(root, _positions(bound, subject), subject)
        root, keys = rest, (("item", root), *keys)
    found, full = bound[root], root
    steps: list[str] = []
    for key in keys:
        inner = dict(structures.inner(found) or ())
        step = structures.step(found, key, list(inner))
        if step not in inner:
            raise _not_inside(full, found, step, list(inner), subject)
        steps, found, full = [*steps, step], inner[step], full + step
    return root, tuple(steps)


def _not_there(name: Any, names: Sequence[str], subject: Subject) -> BadArgument:
    if name in subject.signature.parameters:
        return BadArgument(
            f"The call leaves out '{name}', which a gradient is asked for.",
            at=subject.at,
            hint="Pass it, even if it has a default.",
        )
    rest = [p.name for p in subject.signature.parameters.values() if p.kind is not inspect.Parameter.VAR_POSITIONAL]
    known = _listed([*dict.fromkeys((*names, *rest))])
    if not known and subject.variables:
        hint = f"Its variables are {_listed(subject.variables)}."
        return BadArgument(f"'{subject.name}' has no argument and no variable '{name}'.", at=subject.at, hint=hint)
    return BadArgument(f"'{subject.name}' has no argument '{name}'.", at=subject.at, hint=f"Its arguments are {known}.")


def _not_inside(full: str, value: Any, step: str, steps: Sequence[str], subject: Subject) -> BadArgument:
    if isinstance(value, np.ndarray):
        hint = f"Ask for '{full}', and take the part of its gradient."
        return BadArgument(f"'{full}' is an array, and its parts are no arguments.", at=subject.at, hint=hint)
    close = difflib.get_close_matches(step, steps, 1) or list(steps[:8])
    hint = f"It holds {_listed([full + one for one in close])}." if close else "It holds nothing."
    return BadArgument(f"'{full}' holds no '{full + step}'.", at=subject.at, hint=hint)


def _listed(names: Sequence[str]) -> str:
    return ", ".join([*(f"'{n}'" for n in names[:MOST]), *(["..."] if len(names) > MOST else [])])


def _require_float(name: str, value: Any, subject: Subject) -> None:
    if any(calls.is_float(leaf) for _, leaf in structures.leaves(name, value)):
        return
    what, hint = f"of type '{type(value).__name__}'", "Pass a float, an array of floats, or a structure of these."
    owner = value.owner if isinstance(value, structures.Opened) else value
    if is_foreign_array(owner) and not isinstance(owner, np.ndarray):
        what, hint = f"a '{library_type(owner)}'", "Pass its values, as an array of NumPy's."
    elif owner is not value or structures.parts(value):
        what = "a structure without floats"
    elif isinstance(value, np.ndarray | np.generic | int):
        dtype = np.asarray(value).dtype
        what = f"an array of {dtype}" if isinstance(value, np.ndarray) else what
        hint = HINTS.get(dtype.kind, hint)
    raise NotDifferentiable(f"There is no gradient with respect to '{name}': it is {what}.", at=subject.at, hint=hint)
