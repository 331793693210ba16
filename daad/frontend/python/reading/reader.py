"""Reads a function's syntax tree: static values are computed, staged ones add to the Program.

The `Reader` holds what is known at a moment (calls in progress, their variables); how each construct is read stands in
the tables of expressions.py and statements.py, and how calls are in calls/calls.py.
"""

from __future__ import annotations

import ast
import builtins
import operator
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from typing import Any, NoReturn

import numpy as np

from daad.errors import Location, Unsupported, mark_place
from daad.frontend import library, unsupported
from daad.frontend.array_classes import is_read_class, plain_array
from daad.frontend.library.solvers.sparse_matrices import Sparse
from daad.frontend.library.solvers.sparse_originals import attributes_of, is_scipys
from daad.frontend.python.reading.environment import Path, holders
from daad.frontend.python.reading.guards import Witnesses
from daad.frontend.python.reading.scope import MISSING, OnlyShown, Scope, Unknown
from daad.frontend.python.reading.trip_counts import Trips
from daad.frontend.python.syntax.reachable_names import assigned_globals
from daad.frontend.staging import complex_numbers, container_items
from daad.frontend.staging.aliasing.identities_of_arguments import Identities
from daad.frontend.staging.boolean_masks import Places
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.container_items import Holder
from daad.frontend.staging.integer_sums import is_shifted
from daad.frontend.staging.values import (
    ArrayValue,
    Complex,
    Lazy,
    State,
    Subarray,
    View,
    index_names,
    is_costly,
    put_together,
    taken_apart,
)
from daad.frontend.staging.variable_storage import Cell
from daad.frontend.stand_in import looked_through
from daad.ir.affine import Affine
from daad.ir.nodes import Const, Expr, Load
from daad.ir.pinning import Needs, NeedsConstant

Variable = tuple[int, Any]
MAX_DEPTH = 60
UNBOUND = "A value is used before it exists.", "Assign it on every way that leads here."


class Signal(Enum):
    """How a block ended before its last statement; END: this one has run the rest of the block, too."""

    END = "end"
    CONTINUE = "continue"
    BREAK = "break"
    RETURN = "return"
    RAISED = "raised"


class Unbound(Exception):
    """A variable is read that only an earlier iteration of the loop around may have bound."""

    def __init__(self, at: Location | None) -> None:
        super().__init__(at)
        self.at = at


class Misused(Needs):
    """The program does something else with a list that grows in a loop than to append one item in each iteration, or
    with one that lies in an array than to read and write items."""

    def __init__(self, plan: Any) -> None:
        super().__init__("a list is looked at")
        self.plan = plan


class Widened(Misused):
    """The array of such a list holds, from now on, what the program puts there: its loop is read once more."""


class Raised(Exception):
    """Nothing behind this place is run: the program raises an exception, which has been noted."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message, self.hint = message, hint


class Restart(Exception):
    """What has been read since the beginning, or since that of a loop or branch in progress, must be read again, with
    the plans made so far."""

    def __init__(self, since: object = None) -> None:
        super().__init__()
        self.since = since


@dataclass
class Tracker:
    """What a loop's body reads before it binds it; `has_arrays`: lists that it only reads lie in arrays."""

    plan: Any
    has_arrays: bool = False
    read: set[Variable] = field(default_factory=set)
    bound: set[Variable] = field(default_factory=set)


@dataclass(eq=False)
class Reader:
    """What is known while reading.

    `frames` are the calls in progress, `path` the places of these calls; `objects` were made by the program, which may
    change their attributes, and so were `generators`, of which `seeded` are those that stand
    for a generator of others that the program has given a seed; `frozen` are lists of which there are copies where
    Python has one, with the plans that want it so: they must not be written; `outside` are
    containers that it must not change, `witnesses` what was taken from there.
    `plans`: what has been learned of a loop or branch, by the places of calls and its own; `latest`: by its own;
    `underway` stands for those in progress. `procedures`: what calls do, for all calls of a kind,
    `results`: what calls have given; `pure`: whether functions compute nothing but their result;
    `repeating`: such functions that run for numbers, with those that they call.
    `grows`: lists that grow in a loop may be rows of arrays; `rolls`: lists of numbers may be tables that a loop reads,
    but not in the loops `written_out`; `exits` are `for` loops that data may end, `bounded`
    `while` loops that do, as `for` loops over `trips`; `followed` loops that
    data end and that are written out; all by their nodes' identity. `courses`: the loops in progress,
    each in its call. `lists` are those that list displays have made, `unread` displays whose lists nobody looks at,
    `wanted` calls of which somebody looks at results that could have waited.
    `changed` are objects and containers from outside that the program changes, by identity, `twins` what it has in
    their place, `originals` the other way round; `made` is what parts of arguments have become, by their identity, and
    `twice` are those that arguments hold in several places; `subarrays` stand for arrays of classes of their own from
    outside; `shared` are global names, and attributes of modules, classes and functions, that functions assign;
    `globals` hold them.
    `doubtful` are functions of which a call has once been read again to know its result.
    `standing` are loops in progress in the place of which others may be read, with what names their beginning.
    `instead`: calls of which NumPy's own Python is read, with what the row of the tables has refused, or not (None).
    `conditions` are those of the branches in progress, each in its function.
    `files_written` and `files_read` name files (None: it is not known which).
    `attempts` are the exceptions that each handler of each `try` in progress catches, `handled` those whose handlers
    are read, `checks` those that data decide; `failed` will hold which one has to be raised; `unchecked`: what is read
    has been run before by somebody who would have raised them; `hides`: the names of variables that are shown at most,
    `hiding`: expressions that look at them although that is not seen; `left_out` what is not read of a function that
    SciPy calls, for data decide so in this call. `suspended` are
    generators that wait to be asked for items. `identities`: of arrays that are arguments.
    """

    stage: Stage
    expressions: Mapping[type[ast.expr], Callable[[Reader, Any], Any]]
    statements: Mapping[type[ast.stmt], Callable[[Reader, Any, Sequence[ast.stmt]], Any]]
    calls: Callable[[Reader, ast.Call, Any, list[Any], dict[str, Any]], Any]
    frames: list[Scope] = field(default_factory=list)
    path: list[int] = field(default_factory=list)
    cells: dict[Variable, Cell] = field(default_factory=dict)
    trackers: list[Tracker] = field(default_factory=list)
    plans: dict[tuple[int, ...], Any] = field(default_factory=dict)
    latest: dict[tuple[int, ...], Any] = field(default_factory=dict)
    underway: list[object] = field(default_factory=list)
    procedures: dict[Any, Any] = field(default_factory=dict)
    results: dict[Any, Any] = field(default_factory=dict)
    pure: dict[int, bool] = field(default_factory=dict)
    repeating: dict[int, tuple[Any, ...]] = field(default_factory=dict)
    exits: dict[int, Any] = field(default_factory=dict)
    bounded: dict[int, tuple[list[ast.stmt], list[str]]] = field(default_factory=dict)
    trips: Trips = field(default_factory=Trips)
    lists: dict[int, tuple[list[Any], ast.List]] = field(default_factory=dict)
    unread: dict[int, Unsupported] = field(default_factory=dict)
    wanted: set[int] = field(default_factory=set)
    checks: list[Any] = field(default_factory=list)
    generators: dict[int, Any] = field(default_factory=dict)
    seeded: Mapping[int, Any] = field(default_factory=dict)
    suspended: list[Any] = field(default_factory=list)
    attempts: list[tuple[tuple[type[BaseException], ...], ...]] = field(default_factory=list)
    handled: list[Unsupported] = field(default_factory=list)
    failed: View | None = None
    unchecked: bool = False
    hides: set[Any] = field(default_factory=set)
    hiding: set[int] = field(default_factory=set)
    left_out: list[tuple[Scope, ast.stmt]] | None = None
    courses: list[tuple[Scope, ast.For | ast.While]] = field(default_factory=list)
    growing: list[Any] = field(default_factory=list)
    indexed: dict[int, Any] = field(default_factory=dict)
    looked_up: list[Any] = field(default_factory=list)
    objects: dict[int, Any] = field(default_factory=dict)
    frozen: dict[int, tuple[Any, Any]] = field(default_factory=dict)
    files_written: set[str | None] = field(default_factory=set)
    files_read: set[Any] = field(default_factory=set)
    outside: dict[int, Any] = field(default_factory=dict)
    changed: dict[int, Any] = field(default_factory=dict)
    shared: dict[tuple[int, str], Mapping[str, Any]] = field(default_factory=dict)
    twins: dict[int, Any] = field(default_factory=dict)
    originals: dict[int, Any] = field(default_factory=dict)
    made: dict[int, Any] = field(default_factory=dict)
    twice: set[int] = field(default_factory=set)
    globals: dict[int, Any] = field(default_factory=dict)
    witnesses: Witnesses = field(default_factory=Witnesses)
    subarrays: dict[int, Subarray] = field(default_factory=dict)
    matrices: dict[int, tuple[Any, Sparse]] = field(default_factory=dict)
    interpolators: dict[int, tuple[Any, Any]] = field(default_factory=dict)
    grows: bool = True
    rolls: bool = True
    indexes: bool = True
    followed: dict[int, ast.AST] = field(default_factory=dict)
    written_out: set[int] = field(default_factory=set)
    doubtful: list[str] = field(default_factory=list)
    unset: dict[int, dict[str, Any]] = field(default_factory=dict)
    standing: list[tuple[int, object]] = field(default_factory=list)
    instead: dict[tuple[int, int], Unsupported | None] = field(default_factory=dict)
    conditions: list[tuple[ast.AST, Expr]] = field(default_factory=list)
    identities: Identities = field(default_factory=Identities)

    @property
    def scope(self) -> Scope:
        return self.frames[-1]

    @property
    def file(self) -> str:
        return self.scope.source.filename

    def call(self, node: ast.Call, function: Any, args: list[Any], keywords: dict[str, Any]) -> Any:
        """`function(*args, **keywords)`."""
        return self.calls(self, node, function, args, keywords)

    def eval(self, node: ast.expr) -> Any:
        """The value of an expression, which something is made of."""
        value = self.result(node)
        return self.usable(value) if isinstance(value, Unknown) else value

    def result(self, node: ast.expr) -> Any:
        """The value of an expression, which a name will stand for, if at all: data may decide its kind."""
        return self._read_at(node, self.expressions)

    def execute(self, statements: Sequence[ast.stmt]) -> Any:
        """Runs statements in order; what ends the block early (see statements.py), or None."""
        for number, statement in enumerate(statements):
            signal = self._read_at(statement, self.statements, statements[number + 1 :])
            if signal is not None:
                return None if signal is Signal.END else signal
        return None

    def until_raised(self, statements: Sequence[ast.stmt]) -> Any:
        """Runs statements that data may leave out; what ends them early, `Signal.RAISED` where that is an exception."""
        return self.attempted(partial(self.execute, statements))

    def attempted(self, run: Callable[[], Any]) -> Any:
        """What `run` gives, which data may leave out; `Signal.RAISED` where it ends with an exception."""
        held, depth = self.entered(), len(self.stage.blocks)
        try:
            return run()
        except Raised as raised:
            if len(self.stage.blocks) != depth:
                self.stage.refuse(raised.message, raised.hint)
            self.leave(held)
            return Signal.RAISED
        except Unsupported:
            self.leave(held)
            raise

    def entered(self) -> Sequence[int]:
        """How far the reader is in calls and loops; `leave` goes back there."""
        return [len(held) for held in self._entered_lists]

    def leave(self, lengths: Sequence[int]) -> None:
        """Leaves what has been entered since."""
        for held, length in zip(self._entered_lists, lengths, strict=True):
            del held[length:]

    @property
    def _entered_lists(self) -> tuple[list[Any], ...]:
        return self.frames, self.path, self.courses, self.trackers, self.growing

    def _read_at(self, node: ast.AST, ways: Mapping[Any, Callable[..., Any]], *following: Any) -> Any:
        """What reading the node gives, at its place; (no context manager: this is done for all nodes)."""
        before = self.stage.at
        self._move_to(node)
        try:
            read = ways.get(type(node))
            if read is None:
                raise unsupported.refusal(node, self.stage.at)
            return read(self, node, *following)
        except Exception as error:
            mark_place(error, self.stage.at)
            raise
        finally:
            self.stage.at = before

    @contextmanager
    def at(self, node: ast.AST) -> Iterator[None]:
        """Nodes and refusals carry the place of `node`; inside of daad's own programs, of the user's call."""
        before = self.stage.at
        self._move_to(node)
        try:
            yield
        except Exception as error:
            mark_place(error, self.stage.at)
            raise
        finally:
            self.stage.at = before

    def _move_to(self, node: ast.AST) -> None:
        if not library.is_own(self.file):
            self.stage.at = Location.of(node, self.file)

    @contextmanager
    def undecided(self, condition: Expr) -> Iterator[None]:
        """A side of a branch is read, in the function that is read just now."""
        count = len(self.conditions)
        self.conditions.append((self.scope.source.node, condition))
        try:
            yield
        finally:
            del self.conditions[count:]

    def lookup(self, name: str) -> Any:
        """The value of a name."""
        home = self.scope.home(name)
        if home is None:
            around = self.scope.surroundings(name) or self.scope.source.globals
            if (id(around), name) in self.shared:
                return self.shared_value(id(around), name)
            if name not in around:
                error = NameError(f"name '{name}' is not defined")
                self.stage.refuse(
                    f"The name '{name}' is not defined.", "Define it before the function is called.", error
                )
            if around is vars(builtins):
                self.witnesses.absent(self.scope.source.globals, name)
            self.witnesses.name(around, name, around[name])
            return self.from_outside(around[name])
        self.note_read((id(home.values), name))
        value = home.values.get(name, MISSING)
        return self.usable(value, self.scope.unbound(name) if value is MISSING else None)

    def holders(self) -> list[tuple[Path, Holder]]:
        """All containers that the program can reach and may change."""
        return holders(self.frames, self.objects, self.outside)

    def functions(self) -> list[Any]:
        """The live functions that are being read, and the classes of methods among them."""
        sources = [frame.source for frame in self.frames]
        return [*(s.function for s in sources), *(type(owner) for s in sources for owner in s.receiver)]

    def shared_value(self, where: int, name: str) -> Any:
        """The value of a name that functions assign outside of themselves."""
        held = vars(self.globals[where])
        self.note_read((id(held), name))
        return self.usable(held.get(name, MISSING))

    def held(self) -> Iterator[tuple[Holder, Any]]:
        """What these containers hold, each with its container."""
        return ((holder, item) for _, holder in self.holders() for item in container_items.values(holder))

    def freeze(self, plan: Any, lists: Iterable[Any]) -> None:
        """Of these lists there are copies now, as the plan wants it."""
        self.frozen.update({id(one): (one, plan) for one in lists})

    def require_unfrozen(self, holder: Any) -> None:
        """A list is written, or told from another one: there must be no copies of it."""
        if id(holder) in self.frozen:
            raise Misused(self.frozen[id(holder)][1])

    def require_one(self, value: Any) -> None:
        """An object is told from others, or found by what it is: there must be no copies of it."""
        if id(value) in self.objects:
            self.require_unfrozen(vars(value))

    def note_read(self, variable: Variable) -> None:
        """Loops around whose body has not bound the variable yet read what it was before."""
        for tracker in self.trackers:
            if variable not in tracker.bound:
                tracker.read.add(variable)

    def from_outside(self, value: Any) -> Any:
        """The value; containers and arrays are remembered as not the program's own."""
        value = looked_through(value)
        value = self.twins.get(id(value), value)
        if id(value) in self.originals:
            return value
        if is_scipys(value):
            return self.sparse(value)
        if isinstance(value, np.ndarray) and is_read_class(type(value)):
            return self._subarray(value)
        if isinstance(value, np.ndarray) and id(value) in self.stage.own:
            self.witnesses.arrays[id(value)] = value
            return self.stage.constant(value)
        if self.changed and isinstance(value, list | dict | deque | tuple):
            return self._mapped(value)
        if isinstance(value, list | deque | dict | set):
            self.outside[id(value)] = value
        elif isinstance(value, np.ndarray):
            self.witnesses.arrays[id(value)] = value
            if value.dtype.kind != "f":  # indices, masks, counts: many a function looks at them at once
                self.stage.rely(value)
        return value

    def sparse(self, value: Any) -> Sparse:
        """What stands for one of SciPy's sparse matrices."""
        if id(value) not in self.matrices:
            made: Sparse = object.__new__(Sparse)
            self.objects[id(made)] = made
            self.stage.look_into(value)
            for name, held in attributes_of(value).items():
                vars(made)[name] = self.from_outside(held)
            made.original = value
            self.matrices[id(value)] = value, made
        return self.matrices[id(value)][1]

    def _subarray(self, value: np.ndarray) -> Subarray:
        """An array of a class of its own, with its attributes."""
        if id(value) not in self.subarrays:
            self.witnesses.typed(value)
            state = State(type(value))
            state.merged = True
            for name, held in getattr(value, "__dict__", {}).items():
                self.witnesses.attribute(value, name)
                vars(state)[name] = self.from_outside(held)
            array = complex_numbers.staged(self.stage, self.from_outside(plain_array(value)))
            self.subarrays[id(value)] = Subarray(array, state)
        return self.subarrays[id(value)]

    def note_object(self, made: Any, original: Any) -> None:
        """What was made for the program of an argument or a part of one, which the program may change; attributes of
        slots stay as they are. Who else holds an original object holds what was made of it, too. Where arguments hold
        one thing in two places, nothing of it may change: in each place it has arrays of its own."""
        first = self.made.setdefault(id(original), made)
        if first is not made:
            self.twice.add(id(original))
            for one in (first, made):
                self.objects.pop(id(one), None)
                self.originals[id(one)] = original
                if isinstance(one, list | dict):
                    self.outside[id(one)] = one
        elif not isinstance(made, list | dict):
            self.twins[id(original)], self.originals[id(made)] = made, original
            if hasattr(made, "__dict__"):
                self.objects[id(made)] = made

    def _mapped(self, value: Any) -> Any:
        """A container from outside, with twins in it where the program changes its items."""
        if id(value) in self.outside:
            return value
        items = list(value.values()) if isinstance(value, dict) else list(value)
        found = [self.from_outside(item) for item in items]
        if isinstance(value, tuple):
            is_same = all(a is b for a, b in zip(items, found, strict=True))
            return value if is_same else type(value)(*found) if hasattr(value, "_fields") else tuple(found)
        made = value
        if any(a is not b for a, b in zip(items, found, strict=True)):
            made = dict(zip(value, found, strict=True)) if isinstance(value, dict) else type(value)(found)
            self.twins[id(value)], self.originals[id(made)] = made, value
        self.outside[id(made)] = made
        return made

    def usable(self, value: Any, unbound: NameError | None = None) -> Any:
        """A variable's content, when it has one; `unbound` is what Python raises where it surely has none."""
        if isinstance(value, OnlyShown):
            raise value.refusal
        if isinstance(value, Unknown) and value.pins:
            raise NeedsConstant(value.pins[0])
        self.note_unknown(value)
        if isinstance(value, Unknown) and value.mixed:
            self.stage.refuse(
                "A name stands for values of different shapes or kinds, depending on data.",
                "Use different names, or give it the same shape and type on both sides.",
            )
        if value is MISSING or isinstance(value, Unknown):
            if self.stage.loop_variables:
                raise Unbound(self.stage.at)
            self.refuse_unbound(unbound)
        if isinstance(value, Complex):
            return Complex(*map(self.usable, value.parts))
        if isinstance(value, Subarray):
            return Subarray(self.usable(value.array), value.state)
        if isinstance(value, np.ndarray) and is_read_class(type(value)):
            return self._subarray(value)
        return self.stage.duplicate(value) if isinstance(value, View) else value

    def note_unknown(self, value: Any) -> None:
        """Reads all again, where that may give the variable a value."""
        if not isinstance(value, Unknown):
            return
        if value.demand is not None:
            value.demand.order()
            raise Restart(next((one for one in reversed(self.underway) if one in value.demand.within), None))
        self.stage.speculation.asked()

    def refuse_unbound(self, error: NameError | None = None) -> NoReturn:
        """A variable has no value on some way to here; with the `error` of Python's where it has none on any."""
        self.stage.refuse(*UNBOUND, error)

    def bind(self, name: str, value: Any) -> None:
        """Gives a name a value; a lazy one is computed into a local array of that name."""
        home = self.scope.home(name)
        self.assign(self._assigned_globals(name) if home is None else home.values, name, value, name)

    def _assigned_globals(self, name: str) -> dict[str, Any]:
        """The global variables that functions assign, in the module of this one; all is read again with a new one."""
        names = self.scope.source.globals
        if name not in self.scope.shared:
            self.stage.refuse(f"The variable '{name}' of a function around is assigned.", "Return the value instead.")
        return self.shared_names(id(names), names, name)

    def shared_names(self, where: int, names: Mapping[str, Any], name: str) -> dict[str, Any]:
        """What stands for `names`, of which functions assign this one; all is read again with a new one."""
        if (where, name) not in self.shared:
            self.shared[where, name] = names
            self.shared.update({(where, other): names for other in assigned_globals(self.functions(), names)})
            self.plans.clear()
            raise Restart
        return vars(self.globals[where])

    def assign(self, holder: Any, key: Any, value: Any, name: str) -> None:
        """`holder[key] = value` for a variable, a slot of a list or of a dict."""
        variable = (id(holder), key)
        for tracker in self.trackers:
            tracker.bound.add(variable)
        cell = self.cells.get(variable)
        if cell is not None:
            cell.bind(self.stage, value)
        else:
            container_items.put(holder, key, self.settled(value, name))

    def settled(self, value: Any, name: str) -> Any:
        """The value as a variable holds it: in memory, or static."""
        if isinstance(value, View):
            self.stage.name(value, name)
            return self.stage.duplicate(value)
        if isinstance(value, Lazy):
            return self._settled_lazy(value, name)
        if isinstance(value, Complex):
            return complex_numbers.in_memory(self.stage, value, name)
        if isinstance(value, Subarray):
            return Subarray(complex_numbers.staged(self.stage, self.settled(value.array, name)), value.state)
        parts = taken_apart(value)
        if parts is None:
            return value
        items = tuple(self.settled(item, f"{name}_{k}") for k, item in enumerate(parts))
        return value if all(map(operator.is_, items, parts)) else put_together(value, items)

    def _settled_lazy(self, value: Lazy, name: str) -> Any:
        if isinstance(value, Places):
            return value
        if value.dtype.kind == "i" and not value.shape and (is_shifted(value.expr) or not self._may_change(value)):
            return value
        if isinstance(value.expr, Const) and value.weak:
            return value.expr.value
        if self._is_time(value):
            return value
        copied = self.stage.copy(value, name)
        return (self.stage.boxed(copied) if value.boxed else copied).continuing(value)

    def _is_time(self, value: Lazy) -> bool:
        """Whether the value is a number that only the iteration says, quickly computed."""
        names = index_names(value.expr)
        is_number = value.dtype.kind == "f" and not value.shape and not value.boxed
        return (
            is_number
            and bool(names)
            and names <= {*self.stage.loop_variables}
            and not (value.reads() or is_costly(value.expr))
        )

    def _may_change(self, value: Lazy) -> bool:
        """Whether the value is more than an index, or an element of a constant, whose bounds are known."""
        if isinstance(value.expr, Load) and value.expr.array in self.stage.constants:
            return not all(isinstance(i, Affine) for i in value.expr.index)
        return bool(value.reads())

    def is_array(self, value: Any) -> bool:
        """Whether NumPy would see an array with dimensions."""
        return (isinstance(value, ArrayValue | Complex) and value.ndim > 0) or (
            isinstance(value, np.ndarray) and value.ndim > 0
        )
