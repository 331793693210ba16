"""`parse` reads what `print` writes: equal trees for all Programs, and a sentence for any other text."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from unittest import mock

import pytest

import daad
from daad import pipeline
from daad.ir.affine import Affine
from daad.ir.nodes import (
    Access,
    Array,
    Assign,
    Branch,
    Const,
    Ending,
    Expr,
    IndexValue,
    Load,
    Loop,
    Nest,
    Node,
    Op,
    Program,
    Range,
    Sharing,
    Unsigned,
)
from daad.ir.parser import parse
from daad.ir.printer import program_text
from tests import npbench
from tests.corpus import ALL
from tests.corpus.case import Case
from tests.corpus.selection import one_in
from tests.fuzz.campaign import generate
from tests.programs import interpreted
from tests.seeds import the_first

LONG = ("tables.names", "whiles.many_small_steps")  # whose adjoints have millions of operations as text
THREADS = 4
BATCHES = the_first(3, range(100))

I, N = Affine.of("i"), Affine.of("n")
AT = IndexValue(I)
X, Y = Load("x", (I,), "float64"), Load("y", (I,), "float32")


def number(value: float, dtype: str = "float64") -> Const:
    return Const(value, dtype)


# Values at `i` of 0 .. n that say what is easily lost.
VALUES: dict[str, Expr] = {
    "not a number": number(math.nan),
    "infinite": number(-math.inf),
    "all digits": number(0.1 + 0.2),
    "a small one": number(-5e-324),
    "a zero without a sign": Const(Unsigned(), "float64"),
    "a zero": number(0.0),
    "a negative zero": number(-0.0),
    "an integer of floats": number(2),
    "another dtype": Op("add", (X, number(0.5, "float32")), "float64"),
    "single precision": Op("multiply", (Y, number(0.5, "float32")), "float32"),
    "the result in another dtype": Op("add", (Y, Y), "float64"),
    "a cast": Op("cast", (Op("less", (AT, Const(3, "int64")), "bool"),), "int8"),
    "a form": IndexValue(2 * I - N + 1),
    "a product with a form": Op("multiply", (IndexValue(I + 1), X), "float64"),
    "a constant form": IndexValue(Affine(-3)),
    "a negative form to a power": Op("power", (IndexValue(-I), Const(2, "int64")), "int64"),
    "a sum of forms": Op("add", (AT, Const(1, "int64")), "int64"),
    "the negative of a form": Op("negative", (AT,), "int64"),
    "the negative of a literal": Op("negative", (number(1.0),), "float64"),
    "the negative of a power": Op("negative", (Op("power", (X, number(2.0)), "float64"),), "float64"),
    "a difference of differences": Op("subtract", (X, Op("subtract", (X, number(-1.0)), "float64")), "float64"),
    "a choice": Op("where", (Op("less", (X, Y), "bool"), number(0.0), X), "float64"),
    "a choice in a choice": Op("where", (Const(True, "bool"), Op("where", (Const(False, "bool"), X, Y), "float64"), X), "float64"),  # noqa: E501
    "a gather": Load("x", (Op("remainder", (Load("k", (I,), "int32"), Const(4, "int32")), "int32"),), "float64"),
    "a literal as index": Load("x", (Const(1, "int64"),), "float64"),
    "a form as index": Load("x", (AT,), "float64"),
    "a scalar": Load("inf", (), "float64"),
    "logic": Op("logical_or", (Op("logical_not", (Const(True, "bool"),), "bool"), Op("isnan", (X,), "bool")), "bool"),
}  # fmt: skip
ARRAYS = (
    Array("x", (5,), "float64"),
    Array("y", (5,), "float32"),
    Array("k", (5,), "int32"),
    Array("inf", (), "float64"),
    Array("b of a", (), "bool"),
    Array("rows", (4, 4), "float64", (Affine(4), Affine.of("#0") + 1)),
)


def program(*body: Node) -> Program:
    arrays = {array.name: array for array in ARRAYS}
    return Program(name="f", arrays=arrays, parameters=("x", "k"), integers=("n",), results=("x", "b of a"), body=body)


def writes(value: Expr, target: str = "x") -> Assign:
    return Assign(Access(target, (I,)), "=", value)


@pytest.mark.parametrize("target", ["x", "y", "k"])
@pytest.mark.parametrize("name", VALUES)
def test_values(name: str, target: str) -> None:
    given = program(Nest((Range("i", Affine(0), N),), (writes(VALUES[name], target),)))
    read = parse(program_text(given))
    assert read == given


SCALAR = Assign(Access("b of a", ()), "=", Const(True, "bool"))
UPDATES = tuple(Assign(Access("x", (2 * I + 1,)), op, X) for op in ("=", "+=", "max=", "min="))
NEST = Nest((Range("i", Affine(0), N - 1), Range("j", N, 2 * N)), UPDATES)
# Trees of statements that say what is easily lost.
BODIES: dict[str, tuple[Node, ...]] = {
    "nothing": (),
    "a nest": (NEST,),
    "scalars, one nest each": (Nest((), (SCALAR,)), Nest((), (SCALAR,))),
    "scalars in one nest": (Nest((), (SCALAR, SCALAR)), Nest((), (SCALAR,))),
    "a loop downwards": (Loop("i", N, IndexValue(N), -1, (Loop("j", Load("k", (I,), "int32"), N, 1, (NEST,)),)),),
    "a shared loop": (Loop("i", Affine(0), N, 1, (NEST,), sharing=Sharing(3, 2, ("y", "b of a"))),),
    "a loop that data end": (
        Loop(
            "i",
            Affine(0),
            N,
            1,
            (NEST,),
            ending=Ending(Load("k", (Affine(1),), "int32"), Load("k", (Affine(0),), "int32")),
        ),
    ),
    "another shared loop": (Loop("i", N, Affine(-1), -1, (), sharing=Sharing(1, 8, ())),),
    "a branch": (Branch(Op("isnan", (Load("inf", (), "float64"),), "bool"), (NEST,), ()), NEST),
    "a branch with both sides": (Branch(Const(True, "bool"), (), (Branch(Const(True, "bool"), (NEST,), (NEST,)),)),),
}


def doubled(value: Expr, times: int) -> Expr:
    """2 ** times of it, by as many additions."""
    for _ in range(times):
        value = Op("add", (value, value), value.dtype)
    return value


POSITIVE = Op("greater", (doubled(Load("inf", (), "float64"), 40), number(0.0)), "bool")
MANY = doubled(Load("k", (Affine(0),), "int32"), 40)
REPEATED: dict[str, Node] = {
    "in a nest": Nest((Range("i", Affine(0), N),), (writes(doubled(X, 60)), writes(doubled(X, 59), "y"))),
    "in scalars": Nest((), (Assign(Access("inf", ()), "+=", doubled(Load("inf", (), "float64"), 60)),)),
    "in indices": Nest((Range("i", Affine(0), N),), (Assign(Access("x", (doubled(Load("k", (I,), "int32"), 40),)), "=", X),)),  # noqa: E501
    "in a condition": Branch(POSITIVE, (NEST,), (NEST,)),
    "in a loop's bounds": Loop("i", MANY, N, 1, (NEST,), ending=Ending(MANY, MANY)),
}  # fmt: skip


@pytest.mark.parametrize("name", REPEATED)
def test_what_is_computed_again_and_again_is_written_once(name: str) -> None:
    given = program(REPEATED[name], NEST)
    text = program_text(given)
    assert len(text) < 4000 and "let $1 = " in text
    assert parse(text) == given


@pytest.mark.parametrize("name", BODIES)
def test_statements(name: str) -> None:
    body = BODIES[name]
    given = program(Loop("o", Affine(0), N, 1, body) if "shared" in name else Nest((), (SCALAR,)), *body)
    assert parse(program_text(given)) == given


def stages(case: Case) -> Iterator[tuple[str, Program]]:
    """The Program of a case as it was read, and what became of it, up to what threads share."""
    found: list[tuple[str, Program]] = []
    original = pipeline.derive_stored

    def derived(read: Program, *rest: object) -> pipeline.Derivation:
        made = original(read, *rest)  # type: ignore[arg-type]
        found.append(("read", read))
        found.extend((name, getattr(made, name)) for name in ("primal", "joined", "apart", "serial", "joint"))
        found.append(("adjoint", made.adjoint_program))
        found.append(("shared", replace(made, threads=THREADS).joint))
        return made

    with mock.patch.object(pipeline, "derive_stored", derived):
        interpreted(case).compile(*case.arguments())
    assert found, f"'{case.name}' was not derived"
    return iter(found)


def assert_read_back(case: Case) -> None:
    for stage, made in stages(case):
        assert parse(program_text(made)) == made, f"{case.name}, {stage}"


@pytest.mark.parametrize("case", one_in(40, "read back", [case for case in ALL if case.name not in LONG]))
def test_programs_of_the_corpus_at_every_stage(case: Case) -> None:
    assert_read_back(case)


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG)
def test_programs_of_millions_of_operations(name: str) -> None:
    (case,) = (case for case in ALL if case.name == name)
    for stage, made in stages(case):
        if stage in ("read", "primal", "joint"):
            assert parse(program_text(made)) == made, stage


@npbench.needs_npbench
@pytest.mark.parametrize("name", npbench.suite.names())
def test_kernels_at_every_stage(name: str) -> None:
    assert_read_back(npbench.load(name, "S").case())


@pytest.mark.parametrize("batch", BATCHES)
def test_random_programs_at_every_stage(batch: int) -> None:
    """Ten a batch; those that are refused have no Program."""
    read = 0
    for case in (made.case() for made in generate(batch)):
        try:
            found = [*stages(case)]
        except daad.DaadError:
            continue
        read += 1
        for stage, made in found:
            assert parse(program_text(made)) == made, stage
    assert read


# What is no text of a Program, and what is said of it.
WRONG = {
    "nothing": ("", "The text is empty."),
    "no header": ("x = 1.0", "Line 1 does not begin a Program"),
    "an unknown array": ("program f(x: float64[3])\n  y[0] = 1.0", "Line 2 writes 'y', which is no array"),
    "an unknown variable": ("program f(x: float64[3])\n\n  x[i] = 1.0", "Line 3 has 'i', which is no array, and"),
    "a variable of another nest": (
        "program f(x: float64[3])\n  for i in 0 .. 3:  x[i] = 1.0\n  x[i] = 0.0",
        "Line 3 has 'i', which is no array, and",
    ),
    "an unknown operation": ("program f(x: float64[])\n  x = sine(x)", "Line 2 calls 'sine', which is no operation"),
    "too few operands": ("program f(x: float64[])\n  x = where(x, x)", "Line 2 has a wrong number of operands of"),
    "too few indices": ("program f(x: float64[2, 2])\n  x[0] = 1.0", "Line 2 has 1 indices of 'x', which has 2"),
    "an unknown dtype": ("program f(x: float[2])\n  x[0] = 1.0", "Line 1 has 'float' where a dtype is expected"),
    "an update that there is not": ("program f(x: float64[])\n  x -= 1.0", "Line 2 has '-=' where one of =, +=,"),
    "half a line": ("program f(x: float64[])\n  x = 1.0 +", "Line 2 has its end where a name is expected"),
    "a line with more": ("program f(x: float64[])\n  x = 1.0 x", "Line 2 goes on with 'x' where it should end"),
    "a sign that there is not": ("program f(x: float64[])\n  x = 1.0 & x", "Line 2 has an unknown sign '&'"),
    "a bound that is no form": ("program f(x: float64[3])\n  for i in 0 .. x[0]:  x[i] = 1.0", "Line 2 needs an"),
    "indented too much": ("program f(x: float64[])\n  x = 1.0\n      x = 2.0", "Line 3 is indented as no line before"),
    "less indented": ("program f(x: float64[])\n    x = 1.0\n  x = 2.0", "Line 3 is indented as no line before"),
    "a value without a name": ("program f(x: float64[])\n  x = $2 + x", "Line 2 has '$2', which no line before it"),
    "a name without a value": ("program f(x: float64[])\n  let x = 1.0", "Line 2 writes 'let', which is no array"),
    "a name alone": ("program f(x: float64[])\n  let $1 = x + x", "Line 2 names a value for a statement that"),
    "else without if": ("program f(x: float64[])\n  else:\n    x = 2.0", "Line 2 is indented as no line before"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_read(name: str) -> None:
    text, said = WRONG[name]
    with pytest.raises(daad.BadArgument) as error:
        parse(text)
    assert error.value.message.startswith(said)


def test_what_is_printed_of_a_gradient_is_read_back() -> None:
    case = ALL[0]
    gradient = interpreted(case).compile(*case.arguments())
    assert daad.parse(str(gradient.joint)) == gradient.joint
