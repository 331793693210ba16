"""Good choices without an integer program: checkpoints along a chain of values, then one change after the other."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from itertools import accumulate

from daad.ilp.model import Choice, How, Model, Outcome, Remake, outcome

WINDOWS = 96
"""Sizes that are tried for what is kept and made again at the same time."""

MOST_CHANGES = 400
"""Changes that are tried to improve what was found."""

Found = tuple[Choice, Outcome]


def search(model: Model, limit: int | None, without: Collection[Choice] = ()) -> Found | None:
    """A choice within the limit (None: with a low peak) that takes few seconds, not among `without`."""
    found = [(c, outcome(model, c)) for c in _starts(model) if c not in without]
    fitting = [f for f in found if limit is None or f[1].peak <= limit]
    if not fitting:
        return None
    best = min(fitting, key=lambda f: _rank(f[1], limit))
    return _improved(model, best, limit, without)


def _rank(found: Outcome, limit: int | None) -> tuple[float, float]:
    return (found.peak, found.seconds) if limit is None else (found.seconds, found.peak)


def _starts(model: Model) -> Iterator[Choice]:
    """Options that are the fastest, or need least; checkpoints of all distances."""
    first = (0,) * model.statements
    least = tuple(min(range(len(each)), key=lambda o: _needs(model, each[o].demands, each[o].held + each[o].work))
                  for each in model.options)  # fmt: skip
    for options in dict.fromkeys((first, least)):
        yield from dict.fromkeys(Choice(options, remakes) for remakes in _checkpoints(model))


def _needs(model: Model, demands: Collection[str], nbytes: int) -> int:
    return nbytes + sum(model.values[name].nbytes for name in demands)


def _checkpoints(model: Model) -> Iterator[frozenset[int]]:
    """Values made again, in order of birth, such that what is kept and what is made again at once fill a window.

    With equal values on a chain that is the best one can do with each made again at most once: distances between kept
    values that shrink by one each, since those kept before take memory too.
    """
    numbers = _one_for_each(model)
    sizes = [model.values[model.remakes[n].value].nbytes for n in numbers]
    total, smallest = sum(sizes), min(sizes, default=1)
    yield frozenset()
    windows = {int(smallest * (total / smallest) ** (k / WINDOWS)) for k in range(WINDOWS + 1)} if sizes else set()
    for window in sorted(windows):
        kept = made = 0
        again: set[int] = set()
        for number, nbytes in zip(numbers, sizes, strict=True):
            if kept + made + nbytes > window:
                kept, made = kept + nbytes, 0
                continue
            again.add(number)
            made += nbytes
        yield frozenset(again)
    yield frozenset(numbers)


def _one_for_each(model: Model) -> list[int]:
    """For each value one way to make it again as a whole if there is one, in order of birth."""
    chosen: dict[str, int] = {}
    for number, remake in enumerate(model.remakes):
        if remake.value not in chosen or remake.how is How.RERUN:
            chosen[remake.value] = number
    return sorted(chosen.values(), key=lambda n: (model.values[model.remakes[n].value].birth, model.remakes[n].value))


def _improved(model: Model, best: Found, limit: int | None, without: Collection[Choice]) -> Found:
    """Keeps what need not be made again, latest first, and changes what is better another way, while that helps."""
    tried, before = 0, None
    while before is not best[0]:
        before = best[0]
        for change in _changes(model, before):
            changed = change(best[0])
            found = outcome(model, changed)
            fits = limit is None or found.peak <= limit
            if fits and changed not in without and _rank(found, limit) < _rank(best[1], limit):
                best = changed, found
            tried += 1
            if tried >= MOST_CHANGES:
                return best
    return best


def _changes(model: Model, choice: Choice) -> Iterator[Callable[[Choice], Choice]]:
    for number in sorted(choice.remakes, key=lambda n: -model.values[model.remakes[n].value].birth):
        yield lambda c, n=number: replace(c, remakes=c.remakes - {n})  # type: ignore[misc]
        for other in _others(model, number):
            yield lambda c, n=number, o=other: replace(c, remakes=c.remakes - {n} | {o})  # type: ignore[misc]
    for s, each in enumerate(model.options):
        for o in range(len(each)):
            if len(each) > 1:
                yield lambda c, s=s, o=o: replace(c, options=(*c.options[:s], o, *c.options[s + 1 :]))  # type: ignore[misc]


def _others(model: Model, number: int) -> list[int]:
    """Other ways to make the same value again."""
    value = model.remakes[number].value
    return [n for n, remake in enumerate(model.remakes) if remake.value == value and n != number]


def lower_bound(model: Model, limit: int) -> float:
    """Seconds that every choice within the limit takes: what lies in memory beyond it has to be made again.

    At each event the cheapest way to free enough, parts of values allowed. Nothing is known where statements have
    options.
    """
    if any(len(each) > 1 for each in model.options):
        return 0.0
    first = outcome(model, Choice((0,) * model.statements))
    cheapest: dict[str, Remake] = {}
    for remake in model.remakes:
        if remake.value not in cheapest or remake.seconds < cheapest[remake.value].seconds:
            cheapest[remake.value] = remake
    demanded = {name for each in model.options for name in each[0].demands}
    free = sorted((r for r in cheapest.values() if r.value in demanded and model.values[r.value].nbytes),
                  key=lambda r: r.seconds / model.values[r.value].nbytes)  # fmt: skip
    beyond = [(event, now - limit) for event, now in enumerate(first.timeline) if now > limit]
    return first.seconds + max((_freeing(model, free, event, excess) for event, excess in beyond), default=0.0)


def _freeing(model: Model, free: list[Remake], event: int, excess: int) -> float:
    """Seconds that it takes at least to free so many bytes at an event."""
    values = [(r.seconds, model.values[r.value]) for r in free]
    there = [(seconds, v.nbytes) for seconds, v in values if v.birth <= event and not v.birth <= event <= v.end]
    needed = [min(nbytes, max(0, excess - before)) / nbytes for nbytes, before in zip(
        [n for _, n in there], accumulate([n for _, n in there], initial=0), strict=False)]  # fmt: skip
    return sum(part * seconds for part, (seconds, _) in zip(needed, there, strict=True))


def lowest_peak(model: Model) -> int:
    """Bytes that every choice needs at some moment: values for the program's own sake, and those that every option of
    a statement demands and nothing can make again."""
    steps = [0] * (model.events + 1)
    fixed = model.values.keys() - {remake.value for remake in model.remakes}
    last: dict[str, int] = {}
    for s in reversed(range(model.statements)):
        always = frozenset.intersection(*(option.demands for option in model.options[s])) & fixed
        last |= dict.fromkeys(always, model.adjoint_event(s))
        steps[model.adjoint_event(s)] += min(option.work for option in model.options[s])
        steps[model.adjoint_event(s) + 1] -= min(option.work for option in model.options[s])
    for name, value in model.values.items():
        end = max(value.end, last.get(name, value.end))
        if value.birth <= end:
            steps[value.birth] += value.nbytes
            steps[end + 1] -= value.nbytes
    return model.fixed + max(accumulate(steps), default=0)
