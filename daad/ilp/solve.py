"""The model as an integer program (PuLP)."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import pulp

from daad.ilp.branch_and_bound import branch
from daad.ilp.highs import Solver
from daad.ilp.model import Choice, How, Model, Outcome, Value, outcome
from daad.ilp.search import lower_bound, lowest_peak, search

MOST_MOMENTS = 400
"""Moments at which values may be made again, up to which the integer program is solved in seconds."""

GAP = 1e-6
FEW_DECISIONS, GOOD = 12, 0.01
"""With more decisions, a choice that no other one is faster than by more than this part of its time will do."""

WORK = 2**24
"""What the integer program may do, where a node of its tree counts as its constraints squared: some seconds. A limit of
time would give other plans where other work slows the solver down."""

ASKS = 2**17
"""How often it may ask whether to stop, times its constraints: some seconds at the root of its tree, too."""

CUTS = 300
"""Constraints of its own that it keeps at hand: with all of them its first node alone may take minutes."""

PATIENCE = 60.0
"""Seconds after which it ends in any case."""

REACH = 40
"""Over at most this many statements a value that is made again asks for its parents."""

FINE = 1e5
"""Pieces that the limit has, or what is to become less: solvers do not see a millionth of one, and a byte more is too
much."""

ROUNDING = 1e-5
"""By which a solver's whole numbers are none."""

SCALE = 1000.0
"""The largest cost in the objective: solvers stop at differences of a millionth."""


@dataclass(frozen=True)
class Solution:
    """A choice, what it leads to, the size of the integer program, and whether it is certainly the best.

    No choice within the limit takes fewer seconds than `bound`, or than its own where that is the optimum; none at all
    has a peak below `lowest`.
    """

    choice: Choice
    outcome: Outcome
    variables: int = 0
    constraints: int = 0
    bound: float = 0.0
    lowest: int = 0

    @property
    def gap(self) -> float:
        """The part of the choice's seconds that a better one might save at most."""
        return max(0.0, 1 - self.bound / self.outcome.seconds) if self.outcome.seconds > 0 else 0.0


def solve(model: Model, limit: int | None, without: Iterable[Choice] = (), part: float = 1.0) -> Solution | None:
    """Fewest seconds within the limit (None: lowest peak), by a choice not among `without`; None if there is none.

    If what a search found may not be the best, a small tree of decisions is looked through, or an integer program is
    asked that is small enough to answer in time; it may do a `part` of its work.
    """
    without = tuple(without)
    lowest = lowest_peak(model)
    if limit is not None and limit < lowest:
        return None
    found = search(model, limit, without)
    bound = 0.0 if limit is None else lower_bound(model, limit)
    gap = GAP if model.decisions <= FEW_DECISIONS else GOOD
    known = found and (found[1].peak <= lowest if limit is None else found[1].seconds <= bound * (1 + gap))
    if known or moments(model) > MOST_MOMENTS:
        return Solution(*found, bound=bound, lowest=lowest) if found else None
    is_large = model.decisions > FEW_DECISIONS
    if found and limit is not None and is_large and (best := branch(model, limit, without, found)):
        return Solution(*best, bound=best[1].seconds)
    program = _Program(model, limit)
    program.build(without)
    if found and is_large:
        program.improve_on(found[1])
    solved = program.solve(part, bound)
    if solved is None or found is None:
        return solved or (Solution(*found, program.variables, program.constraints, bound) if found else None)
    own, other = ((o.seconds, o.peak) if limit is not None else (o.peak, o.seconds) for o in (found[1], solved.outcome))
    return replace(solved, choice=found[0], outcome=found[1]) if own < other else solved


def moments(model: Model) -> int:
    """How many combinations of a value that can be made again, and a statement whose adjoint may ask for it, exist."""
    asked: dict[str, set[int]] = {name: set() for name in model.values}
    for s, each in enumerate(model.options):
        for name in {name for option in each for name in option.demands}:
            asked[name].add(s)
    for remake in sorted(model.remakes, key=lambda r: -model.values[r.value].birth):
        born = model.values[remake.value].birth
        for parent in remake.parents:
            asked[parent] |= {s for s in asked[remake.value] if s - born <= REACH}
    return sum(len(asked[remake.value]) for remake in model.remakes)


Term = Any
"""A variable or an expression of PuLP's, or a number."""


@dataclass
class _Program:
    """Builds the integer program.

    `x[s, o]`: option o of statement s; `used[n]`: remake n; `demand[v, s]`: the adjoint of s demands v. Of these,
    `sooner[v, s]` says that an adjoint at s or before it in time does, `later[v, s]` at s or behind it.
    """

    model: Model
    limit: int | None
    problem: pulp.LpProblem = field(default_factory=lambda: pulp.LpProblem("plan", pulp.LpMinimize))
    x: dict[tuple[int, int], Term] = field(default_factory=dict)
    used: dict[int, Term] = field(default_factory=dict)
    remakes: dict[str, list[int]] = field(default_factory=dict)
    causes: dict[tuple[str, int], list[Term]] = field(default_factory=dict)
    moments: dict[tuple[int, int], Term] = field(default_factory=dict)
    alive: dict[tuple[str, int], list[Term]] = field(default_factory=dict)
    works: dict[int, list[tuple[Term, int]]] = field(default_factory=dict)
    variables: int = 0
    constraints: int = 0
    unit: float = 1.0

    @cached_property
    def piece(self) -> float:
        """The bytes that are one in the integer program."""
        return (self.limit or outcome(self.model, Choice((0,) * self.model.statements)).peak or 1) / FINE

    def build(self, without: tuple[Choice, ...]) -> None:
        self.decisions()
        for name in sorted(self.model.values, key=lambda n: (-self.model.values[n].birth, n)):
            self.value(self.model.values[name])
        self.goal(self.timeline())
        for choice in without:
            self.exclude(choice)

    def exclude(self, choice: Choice) -> None:
        """At least one decision is another one."""
        options = [self.x[s, o] for s, o in enumerate(choice.options) if not isinstance(self.x[s, o], int)]
        same = options + [self.used[n] if n in choice.remakes else 1 - self.used[n] for n in self.used]
        self.require(
            pulp.lpSum(same) <= len(same) - 1 if same else pulp.LpConstraint(pulp.LpAffineExpression(1), rhs=0)
        )

    def improve_on(self, found: Outcome) -> None:
        """Only what is better, or as good but for rounding: the solver need not look elsewhere."""
        most = found.peak / self.piece if self.limit is None else found.seconds / self.unit * SCALE
        self.require(self.problem.objective <= most * (1 + GAP))

    def solve(self, part: float, bound: float) -> Solution | None:
        size = max(1, self.constraints)
        nodes, asks = 1 + int(part * WORK) // size**2, 1 + int(part * ASKS) // size
        kept = {"mip_max_nodes": nodes, "mip_pool_soft_limit": CUTS}
        for presolve in ("choose", "off"):
            self.problem.solve(Solver(asks, timeLimit=PATIENCE, threads=1, gapRel=0.0, presolve=presolve, **kept))
            if self._is_integral():
                break
        if self.problem.sol_status not in (pulp.LpSolutionOptimal, pulp.LpSolutionIntegerFeasible):
            return None
        choice = self.choice()
        found, lowest = outcome(self.model, choice), 0
        if self.problem.sol_status == pulp.LpSolutionOptimal:
            bound = found.seconds
            lowest = found.peak if self.limit is None else 0
        elif math.isfinite(dual := self.problem.solverModel.getInfo().mip_dual_bound):
            bound = max(bound, dual * self.unit / SCALE) if self.limit is not None else bound
            lowest = int(dual * self.piece * (1 - GAP)) if self.limit is None else 0
        return Solution(choice, found, self.variables, self.constraints, bound, lowest)

    def _is_integral(self) -> bool:
        """Whether each decision is one, or nothing was found: what HiGHS 1.15 simplifies before it solves may come out
        as an optimum with parts of decisions."""
        decided = (v.value() for v in self.problem.variables() if v.cat == pulp.LpInteger)
        return all(value is None or abs(value - round(value)) < ROUNDING for value in decided)

    def variable(self, integer: bool = True) -> pulp.LpVariable:
        self.variables += 1
        return self.problem.add_variable(f"v{self.variables}", 0, 1, pulp.LpInteger if integer else pulp.LpContinuous)

    def require(self, constraint: pulp.LpConstraint | bool) -> None:
        if constraint is not True:
            self.problem += constraint
            self.constraints += 1

    def decisions(self) -> None:
        for s, options in enumerate(self.model.options):
            single = len(options) == 1
            for o, option in enumerate(options):
                self.x[s, o] = 1 if single else self.variable()
                for name in sorted(option.demands):
                    self.causes.setdefault((name, s), []).append(self.x[s, o])
                for name in sorted(option.touches):
                    self.alive.setdefault((name, self.model.adjoint_event(s)), []).append(self.x[s, o])
            if not single:
                self.require(pulp.lpSum(self.x[s, o] for o in range(len(options))) == 1)
        for n, remake in enumerate(self.model.remakes):
            self.used[n] = self.variable()
            self.remakes.setdefault(remake.value, []).append(n)
        for numbers in self.remakes.values():
            self.require(pulp.lpSum(self.used[n] for n in numbers) <= 1)

    def value(self, value: Value) -> None:
        """When a value is demanded, made again and alive; what demands it is known, since that was born later."""
        at = sorted(s for name, s in self.causes if name == value.name)
        if not at:
            return
        demand = {s: self.any_of(self.causes[value.name, s]) for s in at}
        later = self.running(at, demand)
        sooner = dict(zip(at[::-1], self.running(at[::-1], demand).values(), strict=True))
        again = self.remakes.get(value.name, [])
        for n in again:
            self.again(n, at, demand, sooner)
        made = pulp.lpSum(self.used[n] for n in again)
        rerun = pulp.lpSum(self.used[n] for n in again if self.model.remakes[n].how is How.RERUN)
        self.lifetime(value, at, later, sooner, made, rerun)

    def any_of(self, causes: list[Term]) -> Term:
        """A variable that is 1 exactly if one of the causes is."""
        if any(isinstance(c, int) for c in causes):
            return 1
        if len(causes) == 1:
            return causes[0]
        found = self.variable()
        for cause in causes:
            self.require(found >= cause)
        self.require(found <= pulp.lpSum(causes))
        return found

    def both(self, a: Term, b: Term) -> Term:
        """The product of two binaries, exactly."""
        if isinstance(a, int):
            return b if a else 0
        found = self.variable(integer=False)
        self.require(found <= a)
        self.require(found <= b)
        self.require(found >= a + b - 1)
        return found

    def running(self, at: list[int], demand: dict[int, Term]) -> dict[int, Term]:
        """For each moment whether there was a demand up to it."""
        known: dict[int, Term] = {}
        last: Term = 0
        for s in at:
            last = demand[s] if isinstance(last, int) and not last else self.any_of([last, demand[s]])
            known[s] = last
        return known

    def again(self, n: int, at: list[int], demand: dict[int, Term], sooner: dict[int, Term]) -> None:
        """Parents are demanded at each moment, or at the first."""
        remake = self.model.remakes[n]
        born = self.model.values[remake.value].birth
        for s, following in zip(at, [*at[1:], None], strict=True):
            moment = demand[s]
            if remake.how is How.RERUN and following is not None:
                moment = self.first(sooner[s], sooner[following])
            if isinstance(moment, int) and not moment:
                continue
            if s - born > REACH:
                self.require(moment + self.used[n] <= 1)
                continue
            self.moments[n, s] = self.both(moment, self.used[n])
            if remake.scratch:
                self.works.setdefault(self.model.adjoint_event(s), []).append((self.moments[n, s], remake.scratch))
            for parent in sorted(remake.parents):
                self.causes.setdefault((parent, s), []).append(self.moments[n, s])

    def first(self, now: Term, before: Term) -> Term:
        """1 exactly if `now` and not `before`, which implies it."""
        if isinstance(before, int):
            return 0 if before else now
        found = self.variable(integer=False)
        self.require(found == now - before)
        return found

    def lifetime(
        self, value: Value, at: list[int], later: dict[int, Term], sooner: dict[int, Term], made: Term, rerun: Term
    ) -> None:
        model = self.model
        kept = self.at_least(later[at[-1]] - made)
        for event in range(value.end + 1, model.statements):
            self.alive.setdefault((value.name, event), []).append(kept)
        for s, following in zip(at, [*at[1:], model.statements], strict=True):
            here = self.held(later[s], sooner[s], made, rerun)
            self.alive.setdefault((value.name, model.adjoint_event(s)), []).append(here)
            between = [model.adjoint_event(t) for t in range(s + 1, following)]
            if following == model.statements:
                term = kept
            else:
                term = self.held(later[s], sooner[following], made, rerun) if between else 0
            for event in between:
                self.alive.setdefault((value.name, event), []).append(term)

    def held(self, later: Term, sooner: Term, made: Term, rerun: Term) -> Term:
        """Kept for later adjoints, or made again for a sooner one and not done with."""
        found = self.at_least(later - made)
        if not isinstance(found, int):
            self.require(found >= later + sooner + rerun - 2)
        return found

    def at_least(self, expression: Term) -> Term:
        if isinstance(expression, int):
            return expression
        if expression.isNumericalConstant():
            return int(expression.constant)
        found = self.variable(integer=False)
        self.require(found >= expression)
        return found

    def timeline(self) -> list[pulp.LpAffineExpression]:
        """MiB at each event."""
        model = self.model
        lines: list[list[tuple[Term, float]]] = [[] for _ in range(model.events)]
        fixed = [float(model.fixed)] * model.events
        for value in model.values.values():
            for event in range(value.birth, value.end + 1):
                fixed[event] += value.nbytes
        for (name, event), terms in self.alive.items():
            value = model.values[name]
            if not value.birth <= event <= value.end:
                lines[event].append((self.most(terms), value.nbytes))
        for (s, o), chosen in self.x.items():
            option = model.options[s][o]
            last = model.adjoint_event(s)
            for event in range(s, last + 1) if option.held else ():
                lines[event].append((chosen, option.held))
            if option.work:
                lines[last].append((chosen, option.work))
        for event, works in self.works.items():
            lines[event].append((self.largest(works), self.piece))
        return [weighted(((t, n / self.piece) for t, n in line), fixed[e] / self.piece) for e, line in enumerate(lines)]

    def largest(self, works: list[tuple[Term, int]]) -> Term:
        """Pieces that the largest of some works takes."""
        if len(works) == 1:
            return works[0][0] * (works[0][1] / self.piece)
        found = self.problem.add_variable(f"work{len(self.problem.variables())}", 0)
        for term, nbytes in works:
            self.require(found >= term * (nbytes / self.piece))
        return found

    def most(self, terms: list[Term]) -> Term:
        if any(isinstance(t, int) and t for t in terms):
            return 1
        terms = [t for t in terms if not isinstance(t, int)]
        if len(terms) < 2:
            return terms[0] if terms else 0
        found = self.variable(integer=False)
        for term in terms:
            self.require(found >= term)
        return found

    def goal(self, timeline: list[pulp.LpAffineExpression]) -> None:
        """The objective, and the limit at each event."""
        model = self.model
        costs = [
            (self.x[s, o], option.seconds) for s, each in enumerate(model.options) for o, option in enumerate(each)
        ]
        costs += [(moment, model.remakes[n].seconds) for (n, _), moment in self.moments.items()]
        self.unit = max((seconds for _, seconds in costs), default=0.0) or 1.0
        total = weighted((term, seconds / self.unit * SCALE) for term, seconds in costs)
        if self.limit is not None:
            self.problem.setObjective(total)
            for bytes_now in timeline:
                self.require(bytes_now <= self.limit / self.piece)
            return
        peak = self.problem.add_variable("peak", 0)
        for bytes_now in timeline:
            self.require(peak >= bytes_now)
        self.problem.setObjective(peak)

    def choice(self) -> Choice:
        options = [
            next(o for o in range(len(each)) if _is_one(self.x[s, o])) for s, each in enumerate(self.model.options)
        ]
        return Choice(tuple(options), frozenset(n for n, used in self.used.items() if _is_one(used)))


def weighted(terms: Iterable[tuple[Term, float]], constant: float = 0.0) -> pulp.LpAffineExpression:
    """Terms times weights, and a constant: at once, where PuLP's operators would make an expression for each term."""
    weights: dict[pulp.LpVariable, float] = defaultdict(float)
    for term, weight in terms:
        if isinstance(term, int):
            constant += term * weight
        elif isinstance(term, pulp.LpVariable):
            weights[term] += weight
        else:
            constant += term.constant * weight
            for variable, factor in term.items():
                weights[variable] += factor * weight
    return pulp.LpAffineExpression(weights, constant)


def _is_one(term: Term) -> bool:
    return bool(term if isinstance(term, int) else (term.value() or 0) > 0.5)
