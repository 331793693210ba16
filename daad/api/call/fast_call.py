"""The short way of a later call: its arguments are compared with those of the last one, all else is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from daad.api.call import marshalling
from daad.api.call.buffers import Into
from daad.api.call.results import Answer
from daad.api.subject.tangent_arguments import Given
from daad.errors import IndexOutside
from daad.frontend.python.reading.guards import outside_arrays
from daad.runtime.gpu.device_array import DeviceArray
from daad.runtime.result_memory import Results

if TYPE_CHECKING:
    from daad.api.call.specialization import Specialised

OTHER = object()
"""The answer to a call of another kind: the long way serves it, or says what is wrong with it."""

Values = tuple[Any, ...]
"""The arguments of a call, and the arrays that are always the same."""
Shortcut = Callable[..., Any]
"""Of the arguments of a call, and of what it brings beside them, the answer."""


def shortcut(found: Specialised, leaves: Values, brought: Any = None) -> Shortcut | None:
    """A function of the arguments of calls such as this one, which are its leaves, and of what they have brought beside
    them; None where arrays are converted."""
    if not all(slot.native and not slot.paired for slot in found.slots) or not all(map(_is_plain, leaves)):
        return None
    if not all(_is_laid_out(slot.fixed) for slot in found.slots if slot.fixed is not None):
        return None
    convert = found.seeds
    if (convert is None) != (brought is None) or type(brought) is Into:
        return None
    return _Text(found, leaves, () if convert is None else tuple(convert(brought)), form_of(brought)).function()


def form_of(brought: Any) -> Any:
    """What a call must bring beside its arguments to be such as another one."""
    if type(brought) is Given:
        return Given, brought.count
    return Into if type(brought) is Into else brought is None


def _is_plain(value: Any) -> bool:
    """Whether compiled code takes the value as it is, if it is an array."""
    if isinstance(value, DeviceArray):
        return False
    return not isinstance(value, np.ndarray) or (type(value) is np.ndarray and value.flags.carray)


def _is_laid_out(array: np.ndarray) -> bool:
    """Whether compiled code takes an array that no call changes as it is."""
    return type(array) is np.ndarray and array.flags.c_contiguous and array.flags.aligned


class _Text:
    """A short way as the text of a function: each argument is a variable of its own, without a loop over them.

    `a` are the arguments, `s` what the call brings, `f` arrays that are always the same, `r` the results, and `k` all
    else that is known.
    """

    def __init__(self, found: Specialised, leaves: Values, added: Values, form: Any) -> None:
        self.found, self.leaves, self.added, self.form = found, leaves, added, form
        self.known: dict[str, Any] = {"OTHER": OTHER}
        fixed = [slot.fixed for slot in found.slots if slot.fixed is not None]
        self.known |= {f"f{n}": value for n, value in enumerate(fixed)}
        self.args = [f"a{n}" for n in range(len(leaves))]
        self.results = [f"r{n}" for n in range(len(found.results))]
        self.arrays, self.values = self._arrays()

    def function(self) -> Shortcut:
        lines = [*self._brought(), *self._taken(), *self._run()]
        first = [f"if {self._form()} or len(args) != {len(self.args)}: return OTHER"]
        opened = [f"{', '.join(self.args)}, = args"] if self.args else []
        checked = [f"if not ({' and '.join(self._conditions())}): return OTHER"]
        body = "\n".join(f"        {line}" for line in (*first, *opened, *checked, *lines))
        text = f"def outer({', '.join(self.known)}):\n    def call(args, brought=None):\n{body}\n    return call"
        scope: dict[str, Any] = {}
        exec(compile(text, f"{__file__}:made", "exec"), scope)  # tracebacks leave out what lies in daad
        made: Shortcut = scope["outer"](**self.known)
        return made

    def _name(self, value: Any) -> str:
        self.known[name := f"k{len(self.known)}"] = value
        return name

    def _form(self) -> str:
        if self.found.seeds is None:
            return "brought is not None"
        return f"{self._name(form_of)}(brought) != {self._name(self.form)}"

    def _conditions(self) -> list[str]:
        """Whether values are of the same kinds, and all around is as it was."""
        conditions = []
        for name, value in zip(self.args, self.leaves, strict=True):
            if _varies(value):
                conditions.append(f"type({name}) is {self._name(type(value))}")
                conditions += self._layout(name, value) if isinstance(value, np.ndarray) else ()
            else:  # alive, so that no other object has its identity
                conditions.append(f"{name} is {self._name(value)}")
        pinned = ((f"a{place}", self._name(value)) for place, value in self.found.pinned)
        conditions += [f"({name} is {value} or {name} == {value})" for name, value in pinned]
        conditions += [f"(a{i} is a{j}) is {same}" for i, j, same in self.found.compared]
        for name, value in [*self.known.items()]:
            if name.startswith("f") and self._may_change(value):
                conditions += self._layout(name, value)
        return [*conditions, f"{self._name(self.found.surroundings_stay)}()"]

    def _layout(self, name: str, array: np.ndarray) -> list[str]:
        dtype, flags = self._name(array.dtype), "carray" if array.flags.carray else "c_contiguous"
        return [
            f"({name}.dtype is {dtype} or {name}.dtype == {dtype})",
            f"{name}.shape == {array.shape}",
            f"{name}.flags.{flags}",
        ]

    def _may_change(self, fixed: np.ndarray) -> bool:
        """Whether somebody else may have an array that is always the same."""
        return fixed.flags.writeable or fixed.base is not None or id(fixed) in outside_arrays(self.found.witnesses)

    def _brought(self) -> list[str]:
        if self.found.seeds is None:
            return []
        names = ", ".join(f"s{n}" for n in range(len(self.added)))
        return [f"{names}, = {self._name(self.found.seeds)}(brought)"]

    def _arrays(self) -> tuple[list[str], Values]:
        """The variables that stand for the slots, and what they were."""
        values = {**dict(zip(self.args, self.leaves, strict=True)), **{f"s{n}": v for n, v in enumerate(self.added)}}
        variables, fixed = [*values], (name for name in self.known if name.startswith("f"))
        names = [variables[slot.leaf] if slot.fixed is None else next(fixed) for slot in self.found.slots]
        return names, tuple((self.known | values)[name] for name in names)

    def _taken(self) -> list[str]:
        """As `marshalling.take`, of values of which no array is converted."""
        names, lines = self.arrays, []
        if marshalling.may_overlap(self.found.slots):
            apart, slots = self._name(marshalling.apart), self._name(self.found.slots)
            given, self.arrays = f"({', '.join(names)},)", [f"b{n}" for n in range(len(names))]
            lines.append(f"{', '.join(self.arrays)}, = {apart}({given}, {given}, {slots})")
        for n, (slot, value) in enumerate(zip(self.found.slots, self.values, strict=True)):
            if type(value) is not np.ndarray:
                array, dtype = self._name(np.array), self._name(np.dtype(slot.array.dtype))
                lines.append(f"c{n} = {array}({self.arrays[n]}, {dtype})")
                self.arrays[n] = f"c{n}"
        return lines

    def _run(self) -> list[str]:
        found, arrays = self.found, "".join(f"{name}, " for name in self.arrays)
        runner = getattr(found.compiled, "runner", lambda: None)()
        if runner is None or found.memory.measured is None or found.planned.read.drawn or found.restores:
            start, answer = self._name(found.start), self._name(found.answer.of)
            return [f"arrays = ({arrays})", f"return {answer}(args, arrays, {start}(arrays, args))"]
        lines = [f"{name} = {self._fresh(made)}" for name, made in zip(self.results, found.results, strict=True)]
        places = [f"id({name})" for name in (*self.arrays, *self.results)]
        integer = self._name(marshalling.integer)
        places += [f"{integer}({(*self.args, *(f's{n}' for n in range(len(self.added))))[n]})" for n in found.integers]
        error, overrun = self._name(IndexOutside), self._name(found.overrun)
        lines.append(f"try: {self._name(runner)}({', '.join(places)})")
        lines.append(f"except {error} as error: raise {overrun}(error) from None")
        if found.failed:
            lines.append(f"if {self.results[found.failed[0]]}: {self._name(found.settle)}([{', '.join(self.results)}])")
        return [*lines, f"return {self._answer(arrays)}"]

    def _fresh(self, made: Results) -> str:
        if made.keep:
            return f"{self._name(made.fresh)}()"
        return f"{self._name(np.empty)}({made.shape}, {self._name(made.dtype)})"

    def _answer(self, arrays: str) -> str:
        plain = self.found.answer.bare if isinstance(self.found.answer, Answer) else None
        if plain is None:
            results = "".join(f"{name}, " for name in self.results)
            return f"{self._name(self.found.answer.of)}(args, ({arrays}), ({results}))"
        if isinstance(plain, int):
            return self.results[plain]
        return f"({''.join(f'{self.results[place]}, ' for place in plain)})"


def _varies(value: Any) -> bool:
    """Whether the kind of a value leaves open which one it is."""
    return isinstance(value, np.ndarray | np.generic) or type(value) in (int, float)
