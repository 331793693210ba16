"""Functions that `yield`: what stands up to the next item is read where that item is asked for.

A `for` loop that takes all items of a generator made for it is read where these are given: its body stands in the place
of `yield`, and loops around that remain loops. Any other body is read by a thread of its own, which runs only while the
program waits for it: loops around a `yield` are written out, and so are those that take from a generator.
"""

from __future__ import annotations

import ast
import contextvars
import threading
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar

from daad.errors import Location, Unsupported
from daad.frontend import unsupported
from daad.frontend.python.control.contexts import is_context
from daad.frontend.python.reading.reader import Reader
from daad.frontend.python.reading.scope import Scope, own_nodes
from daad.frontend.python.syntax.made_nodes import jumps_in, kept, load, located, place
from daad.frontend.python.syntax.source import FunctionSource
from daad.frontend.python.values import overloads
from daad.frontend.python.values.iterators import Count, Once, Place, Source, iterate
from daad.frontend.staging.builder import Stage
from daad.ir.affine import Affine

ELSEWHERE = (
    "Data decide whether an item of this generator is taken, or it is taken in another loop.",
    "Make a list of it before, 'list(...)'.",
)


class Left(BaseException):
    """Nobody takes items of the generator any more."""


def _nothing() -> None: ...


@dataclass(eq=False)
class Turns:
    """A function that runs in turns with the one that asks it for values."""

    run: Callable[[], Any]
    thread: threading.Thread | None = None
    asked: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    answered: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    sent: Any = None
    thrown: Unsupported | None = None
    value: Any = None
    raised: BaseException | None = None
    is_over: bool = False

    def ask(self, sent: Any, thrown: Unsupported | None = None) -> Any:
        """Its next value, or with `is_over` what it returns; where it waits it gets a value or an exception."""
        self.sent, self.thrown = sent, thrown
        if self.thread is None:
            self.thread = threading.Thread(target=contextvars.copy_context().run, args=(self._whole,), daemon=True)
            self.thread.start()
        else:
            self.asked.release()
        self.answered.acquire()
        if self.raised is not None:
            raised, self.raised = self.raised, None
            raise raised
        return self.value

    def give(self, value: Any) -> Any:
        """Gives a value; what it is sent when it is asked for the next."""
        self.value = value
        self._wait()
        if self.thrown is not None:
            raise self.thrown
        return self.sent

    def close(self) -> None:
        """Lets the function end where it waits."""
        if self.thread is not None and not self.is_over:
            self.is_over = True
            self.asked.release()
        if self.thread is not None:
            self.thread.join()
        self.is_over, self.run = True, _nothing

    def _wait(self) -> None:
        self.answered.release()
        self.asked.acquire()
        if self.is_over:
            raise Left

    def _whole(self) -> None:
        try:
            self.value = self.run()
        except Left:
            return
        except BaseException as error:
            self.raised = error
        self.is_over = True
        self.answered.release()


@dataclass(eq=False)
class Yielding(Source):
    """What a call of such a function gives. `home`: the loops and branches around the call; `on_top`: what
    it has put on each of the reader's lists, while it waits; `given` items so far."""

    reader: Reader
    turns: Turns
    scope: Scope
    home: tuple[Any, ...]
    on_top: list[list[Any]]
    given: int = 0
    runs: bool = False
    taker: Callable[[Any], None] | None = None
    last: Location | None = None
    """Where its function says what is done at last, whether all items are taken or not."""
    kind: ClassVar[type] = types.GeneratorType

    @property
    def node(self) -> ast.FunctionDef | ast.Lambda:
        return self.scope.source.node

    @property
    def waits(self) -> bool:
        """Whether something of it has been read, and not all."""
        return self.turns.thread is not None and not self.turns.is_over

    def take(self, stage: Stage, once: Once, number: int) -> Any:
        return self.resume(number, None)

    def resume(self, number: int, sent: Any, thrown: Unsupported | None = None) -> Any:
        """The next item, to a generator that is sent a value, or an exception."""
        reader = self.reader
        require_home(reader, self.home)
        if self.turns.is_over:
            raise StopIteration
        if self.runs:
            running = ValueError("generator already executing")
            reader.stage.refuse("A generator asks itself for an item.", "Ask another one.", running)
        if self.turns.thread is None and sent is not None:
            error = TypeError("can't send non-None value to a just-started generator")
            reader.stage.refuse("A generator is sent a value before it waits for one.", "Call 'next' first.", error)
        if number != self.given:
            reader.stage.refuse(*ELSEWHERE)
        self.runs = True
        try:
            with self._on_top():
                value = self.turns.ask(sent, thrown)
        finally:
            self.runs = False
        if self.turns.is_over:
            raise StopIteration(value)
        self.given += 1
        return value

    @contextmanager
    def _on_top(self) -> Iterator[None]:
        """What it has put on the reader's lists is there while it runs."""
        reader, at = self.reader, self.reader.stage.at
        lengths = [len(held) for held in _lists(reader)]
        for held, part in zip(_lists(reader), self.on_top, strict=False):
            held.extend(part)
        try:
            yield
        finally:
            self.on_top = [held[length:] for held, length in zip(_lists(reader), lengths, strict=True)]
            for held, length in zip(_lists(reader), lengths, strict=True):
                del held[length:]
            reader.stage.at = at

    def close(self) -> None:
        """Nobody asks for another item; what it held is let go."""
        with self._on_top():
            self.turns.close()
        self.on_top, self.scope.generator = [], None


class Generator(Once):
    """A generator, which can be sent values."""

    methods: ClassVar[frozenset[str]] = frozenset({"send", "close", "ended_by"})

    def send(self, value: Any) -> Any:
        source = self.source
        if not isinstance(source, Yielding):
            raise StopIteration
        item = source.resume(self.place.number or 0, value)
        self.place = type(self.place)(source.given)
        return item

    def ended_by(self, raised: BaseException) -> bool:
        """Whether the body of a `with` statement, which has raised the exception, ends without one."""
        source = self.source
        assert isinstance(source, Yielding), "the function of a context yields"
        error = source.reader.handled[-1]
        assert error.raised is raised, "a handler of this exception asks"
        try:
            source.resume(self.place.number or 0, None, error)
        except StopIteration:
            return True
        return source.reader.stage.refuse("A context goes on after an exception.", "Return where it is caught.")

    def close(self) -> None:
        if isinstance(self.source, Yielding):
            if self.source.last is not None and self.source.waits:
                self._leave(self.source)
            self.source.close()
        self.spend()

    def _leave(self, source: Yielding) -> None:
        hint = "Return where 'GeneratorExit' is caught."
        left = Unsupported("A generator is closed.", at=source.last, hint=hint, raised=GeneratorExit())
        source.reader.attempts.append(((GeneratorExit,),))
        try:
            source.resume(self.place.number or 0, None, left)
        except StopIteration:
            return
        except Unsupported as error:
            if error is not left or error.raised is None:
                raise
            return
        finally:
            source.reader.attempts.pop()
        source.reader.stage.refuse("A generator goes on after it is closed.", hint)


def _lists(reader: Reader) -> tuple[list[Any], ...]:
    return reader.frames, reader.path, reader.courses, reader.attempts, reader.handled


def home_of(reader: Reader) -> tuple[Any, ...]:
    """The loops and branches that are being read."""
    return tuple(reader.stage.loop_variables), len(reader.stage.blocks)


def require_home(reader: Reader, home: tuple[Any, ...]) -> None:
    """An item is given and taken where the generator was made, in no other loop and on no side of a branch."""
    now = home_of(reader)
    if now == home:
        return
    if len(now[0]) > len(home[0]):
        raise reader.stage.unroll(Affine.of(now[0][-1]), ELSEWHERE[0])
    reader.stage.refuse(*ELSEWHERE)


@lru_cache(maxsize=1000)
def is_generator(node: ast.FunctionDef | ast.Lambda) -> bool:
    """Whether to call the function gives a generator."""
    return any(isinstance(inner, ast.Yield | ast.YieldFrom) for inner in own_nodes(node))


def made(reader: Reader, source: FunctionSource, scope: Scope, body: Callable[[], Any]) -> Generator:
    """The generator that a call gives; `scope` has its arguments, `body` reads it."""
    turns = Turns(body)
    final = _final(source.node)
    last = None if final is None else Location.of(final, source.filename)
    yielding = Yielding(reader, turns, scope, home_of(reader), [[scope], [id(source.node)], [], [], []], last=last)
    scope.generator = yielding
    reader.suspended.append(yielding)
    return Generator(yielding, (scope,))


@lru_cache(maxsize=1000)
def _final(node: ast.FunctionDef | ast.Lambda) -> ast.AST | None:
    """A statement with a `yield` in it that ends with what is always done."""
    ending = (inner for inner in own_nodes(node) if _ends(inner) or is_context(inner))
    return next((one for one in ending if any(isinstance(n, ast.Yield | ast.YieldFrom) for n in ast.walk(one))), None)


def _ends(node: ast.AST) -> bool:
    """Whether a `try` does something when its generator is closed."""
    kinds = [handler.type for handler in node.handlers] if isinstance(node, ast.Try) else []
    texts = ["BaseException" if kind is None else ast.unparse(kind) for kind in kinds]
    return any("BaseException" in text or "GeneratorExit" in text for text in texts) or bool(
        getattr(node, "finalbody", None)
    )


def require_all_taken(reader: Reader) -> None:
    """Python does at last what a generator says when nobody holds it any more: that is not read."""
    for waiting in reader.suspended:
        if waiting.last is not None and waiting.waits:
            reader.stage.at = waiting.last
            reader.stage.refuse(
                "A generator is left before its end, and what its 'finally' or 'with' does then is not read.",
                "Take all of its items, or do in the caller what is to be done at last.",
            )


def close_all(reader: Reader) -> None:
    """Behind the program, whatever has become of it."""
    while reader.suspended:
        reader.suspended.pop().close()


def yielded(reader: Reader, node: ast.Yield) -> Any:
    """`yield value`; what the generator is sent."""
    value = None if node.value is None else reader.settled(reader.eval(node.value), "item")
    return _given(reader, node, value)


def _given(reader: Reader, node: ast.expr, value: Any) -> Any:
    generator = reader.scope.generator
    if generator is None:
        raise unsupported.refusal(node, reader.stage.at)
    if generator.taker is not None:
        return generator.taker(value)
    require_home(reader, generator.home)
    return generator.turns.give(value)


def gives_all(reader: Reader, node: ast.For, once: Once) -> bool:
    """Whether the items that a loop goes through come from a generator that nobody else has, or are such items with
    their numbers, and nothing but its end ends the loop."""
    generator = _generator_in(once)
    source = generator.source
    if not isinstance(source, Yielding) or source.turns.thread is not None or not _has_loops(source.node):
        return False
    jumps = (jump for statement in node.body for jump in jumps_in(statement))
    if once.place != Place() or not all(isinstance(jump, ast.Continue) for jump in jumps):
        return False
    return all(value is not once and value is not generator for _, value in reader.held())


@lru_cache(maxsize=1000)
def _has_loops(node: ast.FunctionDef | ast.Lambda) -> bool:
    """Whether a function yields in loops of its own, and does not catch what its caller raises."""
    nodes = list(own_nodes(node))
    catches = any(isinstance(inner, ast.Try | ast.With | ast.YieldFrom) for inner in nodes)
    return not catches and any(isinstance(inner, ast.For | ast.While) for inner in nodes)


def _generator_in(once: Once) -> Once:
    return once.parts[0] if isinstance(once.source, Count) else once


def give_all(reader: Reader, node: ast.For, once: Once, take: Callable[[Any], Any]) -> None:
    """Reads the body of such a generator; `take` reads that of the loop, for each item."""
    caller, numbers, generator = reader.scope, once.source, _generator_in(once)
    source = generator.source
    assert isinstance(source, Yielding), "`gives_all` has told so"
    number = kept(node, "number", lambda: ast.copy_location(load(f".number@{place(node)}"), node))
    following = kept(node, "following", lambda: located([_counted(number.id)], node))
    if isinstance(numbers, Count):
        caller.own |= {number.id}
        reader.assign(caller.values, number.id, numbers.start, number.id)

    def taker(item: Any) -> None:
        reader.frames.append(caller)
        take((reader.eval(number), item) if isinstance(numbers, Count) else item)
        if isinstance(numbers, Count):
            reader.execute(following)
        reader.frames.pop()

    source.taker, source.runs = taker, True
    reader.path += [place(node), id(source.node)]
    reader.frames.append(source.scope)
    source.turns.run()
    reader.frames.pop()
    del reader.path[-2:]
    once.spend()
    source.close()


def _counted(name: str) -> ast.stmt:
    return ast.AugAssign(ast.Name(name, ast.Store()), ast.Add(), ast.Constant(1))


def yielded_from(reader: Reader, node: ast.YieldFrom) -> Any:
    """`yield from items`; what the inner generator returns."""
    inner = iterate(reader, overloads.items(reader, node, reader.eval(node.value)))
    sent: Any = None
    while True:
        try:
            item = inner.send(sent) if isinstance(inner, Generator) else inner.take(reader.stage)
        except StopIteration as stop:
            return stop.value
        try:
            sent = _given(reader, node, item)
        except Unsupported as error:
            error.raised = None  # the inner generator may catch it
            raise


def send(reader: Reader, method: Any, args: list[Any]) -> Any:
    """A method of a generator that is called."""
    try:
        return method(*args)
    except StopIteration:
        reader.stage.refuse("This fails without daad, too: StopIteration.", "Check how many items there are.")
