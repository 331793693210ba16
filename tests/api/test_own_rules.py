"""Functions with a derivative of the user's own, in all products, loops, plans and structures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy.sparse.linalg import cg, gmres

import daad
from daad.api.gradient import Gradient
from daad.api.products import Tangent, Vjp
from daad.api.subject.request import Request
from daad.ccs.question import Product
from daad.codegen.interpreted import Interpreted

Function = Callable[..., Any]
PRODUCTS = {Gradient: Product.GRADIENT, Tangent: Product.TANGENT, Vjp: Product.PULLBACK}


def interpreted(function: Function, kind: Any = Gradient, **options: Any) -> Any:
    """A derivative of a function, as it is asked for with `wrt="x"` unless the options say otherwise."""
    product = PRODUCTS[kind]
    request = Request(**{"wrt": "x", "value": product is not Product.GRADIENT, "product": product, **options})
    return kind(function, request, compiler=Interpreted)


@daad.custom_vjp
def cube(x, w):
    return x * x * x * w


def cube_forward(x, w):
    return cube(x, w), (x, w)


def cube_backward(residuals, bar):
    x, w = residuals
    return 3.0 * x * x * w * bar, np.sum(x * x * x * bar)


cube.defvjp(cube_forward, cube_backward)


@daad.custom_vjp
def split(x):
    return {"sine": np.sin(x), "parts": (np.cos(x), x.size)}


def split_forward(x):
    s, c = np.sin(x), np.cos(x)
    return {"sine": s, "parts": (c, x.size)}, {"s": s, "c": c}


def split_backward(residuals, bars):
    return residuals["c"] * bars["sine"] - residuals["s"] * bars["parts"][0]


split.defvjp(split_forward, split_backward)


@daad.custom_vjp
def running(x):
    total = np.zeros_like(x)
    for k in range(x.size):
        total[k] = (total[k - 1] if k > 0 else 0.0) + x[k] * x[k]
    return total


def running_backward(x, bar):
    found, rest = np.zeros_like(x), 0.0
    for k in range(x.size - 1, -1, -1):
        rest = rest + bar[k]
        found[k] = 2.0 * x[k] * rest
    return (found,)


running.defvjp(lambda x: (running(x), x), running_backward)


@daad.custom_vjp
def power(x, n):
    return x**n


power.defvjp(lambda x, n: (power(x, n), (x, n)), lambda r, bar: (r[1] * r[0] ** (r[1] - 1) * bar, None))


@daad.custom_vjp
def first(pair, scale=2.0):
    return pair[0] * scale + pair[1]


first.defvjp(lambda pair, scale: (first(pair, scale), scale), lambda scale, bar: ([scale * bar, bar], None))


@daad.custom_vjp
def chosen(x, places):
    return x[places]


def chosen_backward(residuals, bar):
    x, places = residuals
    found = np.zeros_like(x)
    np.add.at(found, places, bar)
    return found, None


chosen.defvjp(lambda x, places: (x[places], (x, places)), chosen_backward)


def in_loop(x, w):
    for _ in range(6):
        x = np.sin(x * 0.5 + cube(x, w) * 0.1)
    return np.sum(x * x * w)


def twice(x, w):
    return np.sum(cube(x, w) * cube(x, 2.0) + cube(cube(x, w), w))


def on_views(x, w):
    y = np.zeros((4, 6))
    y[1] = cube(x, w)
    y[2, ::2] = cube(y[1, ::2], w)
    y[1] = 0.0
    return np.sum(y * y) + y[2, 2]


def of_structures(x, w):
    found = split(x * w)
    return np.sum(found["sine"] * found["parts"][0]) * found["parts"][1]


def one_output(x, w):
    return np.sum(split(x * w)["parts"][0])


def with_inner_loops(x, w):
    for t in range(3):
        x = running(x) * w * 0.3 + x[t]
    return np.sum(np.cos(x))


def in_branches(x, w):
    total = 0.0
    for k in range(x.size):
        if x[k] > 0.4:
            total = total + cube(x[k], w)
        else:
            total = total - x[k] * w
    return total


def with_integers(x, w):
    return np.sum(power(x * w, 3))


def of_containers(x, w):
    return np.sum(first([x * w, np.sin(x)]) ** 2)


def until(x, w):
    while np.sum(x * x) > 0.5:
        x = x - 0.1 * cube(x, 0.5) - 0.1 * w * x
    return np.sum(x * x * x)


def overwritten(x, w):
    y = x * w
    z = cube(y, w)
    y[:] = np.exp(z)
    return np.sum(y * cube(y, w))


def spread(x, w):
    return np.sum(cube(np.ones(6) * w, w) * x)


def of_growing_windows(x, w):
    total = 0.0
    for k in range(1, 6):
        total = total + np.sum(running(x[:k])) + cube(x[k - 1 : k + 1], w)[0]
    return total


def gathered(x, w):
    return np.sum(chosen(x * w, np.array([1, 4, 2, 4])) ** 2)


PROGRAMS = [
    of_growing_windows,
    gathered,
    in_loop,
    twice,
    on_views,
    of_structures,
    one_output,
    with_inner_loops,
    in_branches,
    with_integers,
    of_containers,
    until,
    overwritten,
    spread,
]
X, W, V = np.linspace(0.15, 0.9, 6), 0.7, np.cos(np.arange(6.0))


def differences(function: Function, x: np.ndarray, v: np.ndarray, step: float = 1e-5) -> Any:
    """The derivative along `v`, by central differences of fourth order."""
    values = [function(x + k * step * v) for k in (-2, -1, 1, 2)]
    return (values[0] - 8 * values[1] + 8 * values[2] - values[3]) / (12 * step)


def name(item: Any) -> str:
    return item.__name__


@pytest.mark.parametrize("program", PROGRAMS, ids=name)
def test_gradient_follows_the_rule(program: Function) -> None:
    dx, dw = interpreted(program, wrt=("x", "w"))(X, W)
    assert np.dot(dx, V) == pytest.approx(differences(lambda x: program(x, W), X, V), rel=1e-8)
    assert dw == pytest.approx(differences(lambda w: program(X, float(w)), np.float64(W), np.float64(1)), rel=1e-8)


@pytest.mark.parametrize("program", [p for p in PROGRAMS if p is not until], ids=name)
def test_tangent_comes_from_the_rule_for_reverse_sweeps(program: Function) -> None:
    _, dy = interpreted(program, Tangent)(X, W, tangent=V)
    assert dy == pytest.approx(differences(lambda x: program(x, W), X, V), rel=1e-8)


@pytest.mark.parametrize("program", PROGRAMS, ids=name)
def test_hvp_differentiates_rule_and_forward_function(program: Function) -> None:
    inner = interpreted(program)
    found = interpreted(inner, Tangent, value=False)(X, W, tangent=V)
    assert found == pytest.approx(differences(lambda x: inner(x, W), X, V), rel=1e-7, abs=1e-8)


@daad.custom_vjp
def tripled(x):
    return 3.0 * x


tripled.defvjp(lambda x: (tripled(x), None), lambda residuals, bar: (tripled(bar),))


def test_rule_that_calls_a_function_with_a_rule_has_second_derivatives() -> None:
    function = lambda x: np.sum(tripled(x) ** 3)
    x, v = np.array([0.5, -1.5]), np.array([0.3, 0.7])
    np.testing.assert_allclose(interpreted(function)(x), 81.0 * x**2)
    np.testing.assert_allclose(daad.hvp(function)(x, tangent=v), 162.0 * x * v)
    np.testing.assert_allclose(daad.grad(daad.grad(function), seed=v)(x), 162.0 * x * v)


@pytest.mark.parametrize("program", PROGRAMS, ids=name)
def test_pullback_keeps_what_the_rule_asks_for(program: Function) -> None:
    _, pull = interpreted(program, Vjp)(X, W)
    assert np.array_equal(pull(1.0), pull(1.0))
    assert pull(2.0) == pytest.approx(2.0 * interpreted(program)(X, W), rel=1e-13)


@daad.custom_vjp
def neighbours(x):
    return np.concatenate((x[1:] - x[:-1], x[-1:] * 0.0)) ** 2


def neighbours_backward(x, bar):
    d = 2.0 * (x[1:] - x[:-1]) * bar[:-1]
    found = np.zeros_like(x)
    found[1:] += d
    found[:-1] -= d
    return (found,)


neighbours.defvjp(lambda x: (neighbours(x), x), neighbours_backward)


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_sparse_jacobian_has_the_pattern_of_the_rule(mode: str) -> None:
    def residual(x):
        return neighbours(np.sin(x)) + x

    x = np.linspace(0.0, 1.0, 9) ** 2
    jacobian = daad.jacobian(residual, sparse=True, mode=mode)
    found = jacobian(x)
    for k, unit in enumerate(np.eye(9)):
        assert found.toarray()[:, k] == pytest.approx(differences(residual, x, unit), rel=1e-8, abs=1e-10)
    assert found.nnz == 17
    assert jacobian.colours.max() + 1 == 2


def test_residuals_keep_to_a_memory_limit() -> None:
    def steps(x, w):
        for _ in range(40):
            x = np.sin(x * 0.5 + cube(x, w) * 0.1)
        return np.sum(x * x * w)

    x = np.linspace(0.1, 2.0, 500)
    stored = interpreted(steps, wrt=("x", "w"))
    expected = stored(x, W)
    limited = interpreted(steps, wrt=("x", "w"), memory_limit=stored.plan.nbytes // 3)
    for found, wanted in zip(limited(x, W), expected, strict=True):
        assert found == pytest.approx(wanted, rel=1e-13)
    assert limited.plan.nbytes <= stored.plan.nbytes // 3
    assert limited.memory.modelled <= stored.plan.nbytes // 3


def test_rule_need_not_be_linear() -> None:
    @daad.custom_vjp
    def clipped(x):
        return x

    clipped.defvjp(lambda x: (x, None), lambda _, bar: (np.clip(bar, -1.0, 1.0),))

    def loss(x):
        return np.sum(clipped(x) * np.array([3.0, 0.5, -2.0]))

    assert interpreted(loss)(np.ones(3)).tolist() == [1.0, 0.5, -1.0]
    with pytest.raises(daad.Unsupported, match="'clipped' has a rule that is not linear in the adjoints"):
        interpreted(loss, Tangent)(np.ones(3), tangent=np.ones(3))


def test_rule_that_adds_something_is_no_transpose() -> None:
    @daad.custom_vjp
    def decayed(x):
        return x * 1.0

    decayed.defvjp(lambda x: (x * 1.0, x), lambda x, bar: (bar + 0.1 * x,))

    def loss(x):
        return np.sum(decayed(x) ** 2)

    assert interpreted(loss)(np.ones(3)) == pytest.approx(2.1 * np.ones(3))
    with pytest.raises(daad.Unsupported, match="'decayed' has a rule that is not linear"):
        interpreted(loss, Tangent)(np.ones(3), tangent=np.ones(3))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_compiled_gradient_is_the_interpreted_one(dtype: Any) -> None:
    x = X.astype(dtype)
    found = daad.grad(with_inner_loops, wrt=("x", "w"))(x, dtype(W))
    for one, other in zip(found, interpreted(with_inner_loops, wrt=("x", "w"))(x, dtype(W)), strict=True):
        assert one.dtype == dtype
        assert one == pytest.approx(other, rel=1e-5 if dtype == np.float32 else 1e-13)


def test_text_of_a_program_with_rules_is_read_back() -> None:
    primal = interpreted(with_inner_loops).compile(X, W).primal
    text = str(primal)
    assert "is_reversed" in text
    assert str(daad.parse(text)) == text


def test_names_of_functions_are_in_the_table() -> None:
    gradient = interpreted(in_loop).compile(X, W)
    assert "cube" in str(gradient.primal)


def test_changed_rule_is_read_again() -> None:
    @daad.custom_vjp
    def same(x):
        return x * 1.0

    same.defvjp(lambda x: (x * 1.0, None), lambda _, bar: (2.0 * bar,))
    gradient = interpreted(lambda x: np.sum(same(x)))
    assert gradient(np.ones(2)).tolist() == [2.0, 2.0]
    same.defvjp(lambda x: (x * 1.0, None), lambda _, bar: (3.0 * bar,))
    assert gradient(np.ones(2)).tolist() == [3.0, 3.0]


def scaled(x):
    return 2.0 * x


def overwriting(x):
    x *= 2.0
    return x, None


@dataclass(frozen=True)
class Refused:
    """A rule that is none, and the sentence that says so."""

    forward: Function | None
    backward: Function | None
    message: str


REFUSED = {
    "never given": Refused(None, None, "The function 'scaled' was never given its rule."),
    "no pair": Refused(
        lambda x: 2.0 * x, lambda r, b: (b,), "The function 'scaled' has a rule whose 'fwd' returns no pair."
    ),
    "number": Refused(
        lambda x: (2.0 * x, None),
        lambda r, b: (b, b),
        "The function 'scaled' has 1 argument, and its 'bwd' returns 2 adjoints.",
    ),
    "shape": Refused(
        lambda x: (2.0 * x, None),
        lambda r, b: (np.sum(b),),
        "The function 'scaled' has a rule that gives an adjoint of shape () for an argument of shape (3).",
    ),
    "dtype": Refused(
        lambda x: (2.0 * x, None),
        lambda r, b: (b.astype(np.float32),),
        "The function 'scaled' has a rule that gives an adjoint of dtype 'float32' for an argument of dtype 'float64'.",
    ),
    "overwriting": Refused(
        overwriting, lambda r, b: (b,), "The function 'scaled' overwrites an argument, and has a rule."
    ),
}


@pytest.mark.parametrize("row", REFUSED.values(), ids=REFUSED)
def test_wrong_rule_is_refused_in_a_sentence(row: Refused) -> None:
    function = daad.custom_vjp(scaled)
    if row.forward is not None and row.backward is not None:
        function.defvjp(row.forward, row.backward)
    with pytest.raises(daad.Unsupported) as caught:
        interpreted(lambda x: np.sum(function(x)))(np.ones(3))
    assert caught.value.message == row.message


def test_function_with_a_rule_is_itself_under_numpy() -> None:
    assert daad.custom_vjp()(scaled)(2.0) == 4.0


def test_rule_is_a_function() -> None:
    with pytest.raises(daad.BadArgument, match="'bwd' is a 'str', not a function"):
        daad.custom_vjp(scaled).defvjp(scaled, "2 * b")  # type: ignore[arg-type]


@daad.custom_vjp
def product(x, y):
    return {"sum": np.sum(x * y), "all": x * y, "size": x.size}


@product.defjvp
def product_tangent(primals, tangents):
    (x, y), (x_dot, y_dot) = primals, tangents
    dot = x_dot * y + x * y_dot
    return product(x, y), {"sum": np.sum(dot), "all": dot, "size": None}


@daad.elementwise("1 - r * r")
def squash(x):
    return np.tanh(x)


@daad.elementwise("where(a > b, 2 * a, 0)", "where(a > b, 0, 3 * b * b)")
def either(x, y):
    if x > y:
        return x * x
    return y * y * y


@daad.linear(transpose=lambda y, scale: np.cumsum(y[::-1])[::-1] * scale)
def scaled_sums(x, scale):
    return np.cumsum(x) * scale


def with_tangents(x, w):
    for _ in range(3):
        found = product(np.sin(x), x * w)
        x = found["all"] + 0.1 * found["sum"] / found["size"]
    return np.sum(np.exp(x))


def of_elements(x, w):
    for _ in range(3):
        x = squash(x * w + 0.1) + either(x, w)
    return np.sum(x * x) + squash(w)


def of_operators(x, w):
    for _ in range(3):
        x = np.sin(scaled_sums(x, w) + scaled_sums(x * x, 2.0))
    return np.sum(x * x)


def pull_of_springs(x, k, load):
    stretch = np.diff(x, prepend=0.0)
    force = k * (stretch + stretch**3)
    return force - np.append(force[1:], load)


@daad.implicit(residual=pull_of_springs)
def positions(k, load):
    """A chain of springs at rest, link by link, by bisection that no derivative could follow."""
    x, at = np.zeros(k.size), 0.0
    for i in range(k.size):
        low, high = 0.0, 10.0
        for _ in range(60):
            middle = 0.5 * (low + high)
            if k[i] * (middle + middle**3) < load:
                low = middle
            else:
                high = middle
        at = at + low
        x[i] = at
    return x


@daad.implicit(residual=lambda z, a: z + np.exp(z) - a)
def lambert(a):
    z = 0.0
    for _ in range(50):
        z = z - (z + np.exp(z) - a) / (1.0 + np.exp(z))
    return z


def of_solutions(x, w):
    total = 0.0
    for t in range(2):
        total = total + np.sum(np.sin(positions(1.0 + x * x, w + t)) * x) + lambert(x[t] * w)
    return total


def of_one_solution(x, w):
    return np.sum(x) * lambert(x[2] * w + 1.0) ** 2


FORMULAS = [
    with_tangents,
    of_elements,
    of_operators,
    pytest.param(of_solutions, marks=pytest.mark.slow),
    of_one_solution,
]


@pytest.mark.parametrize("program", FORMULAS, ids=name)
def test_products_follow_formulas(program: Function) -> None:
    gradient = interpreted(program, wrt=("x", "w"))
    dx, dw = gradient(X, W)
    assert np.dot(dx, V) == pytest.approx(differences(lambda x: program(x, W), X, V), rel=1e-8)
    assert dw == pytest.approx(differences(lambda w: program(X, float(w)), np.float64(W), np.float64(1)), rel=1e-8)
    _, dy = interpreted(program, Tangent)(X, W, tangent=V)
    assert dy == pytest.approx(np.dot(dx, V), rel=1e-12)
    inner = interpreted(program)
    found = interpreted(inner, Tangent, value=False)(X, W, tangent=V)
    assert found == pytest.approx(differences(lambda x: inner(x, W), X, V), rel=1e-7, abs=1e-8)
    second = interpreted(inner, Gradient, seed=V)(X, W)
    assert second == pytest.approx(found, rel=1e-10)


@pytest.mark.parametrize(
    "text", ["1 - q", "and a", "+a", "a and b", "foo(a)", "a[0]", "exp(a, b)", "True", 3.0], ids=str
)
def test_derivative_that_cannot_be_read_is_refused(text: Any) -> None:
    with pytest.raises(daad.BadArgument, match=r"The derivative .* cannot be read"):
        daad.elementwise(text, None)


def test_each_operand_has_a_derivative() -> None:
    function = daad.elementwise("b", "a", "1")(lambda x, y: x * y)
    with pytest.raises(daad.Unsupported, match="'<lambda>' has 2 operands and 3 derivatives"):
        interpreted(lambda x: np.sum(function(x, 2.0)))(X)


def test_elementwise_function_is_applied_to_elements_by_numpy_too() -> None:
    x, y = np.array([[1.0, 3.0], [2.0, 0.5]]), np.array([2.0, 1.0])
    assert either(x, y).tolist() == [[8.0, 9.0], [8.0, 1.0]]
    assert interpreted(lambda x, y: np.sum(either(x, y)), wrt="y")(x, y).tolist() == [24.0, 3.0]


def test_transpose_has_the_shape_of_the_argument() -> None:
    function = daad.linear(transpose=lambda y: y[:2])(lambda x: 2.0 * x)
    with pytest.raises(daad.Unsupported, match=r"adjoint of shape \(2\) for an argument of shape \(6\)"):
        interpreted(lambda x: np.sum(function(x)))(X)


def test_residual_has_an_element_for_each_of_the_solution() -> None:
    solve = daad.implicit(residual=lambda x, a: x[1:] - a[1:])(lambda a: 1.0 * a)
    with pytest.raises(daad.Unsupported, match="has a residual of 5 elements for a result of 6"):
        interpreted(lambda x: np.sum(solve(x)))(X)


def test_both_rules_serve_their_own_sweeps() -> None:
    @daad.custom_vjp
    def same(x):
        return 1.0 * x

    same.defvjp(lambda x: (1.0 * x, None), lambda _, bar: (2.0 * bar,))
    same.defjvp(lambda primals, tangents: (1.0 * primals[0], 3.0 * tangents[0]))

    def total(x):
        return np.sum(same(x))

    assert interpreted(total)(np.ones(2)).tolist() == [2.0, 2.0]
    assert interpreted(total, Tangent)(np.ones(2), tangent=np.ones(2))[1] == 6.0


def test_check_tells_a_wrong_rule() -> None:
    @daad.custom_vjp
    def square(x):
        return x * x

    square.defvjp(lambda x: (x * x, x), lambda x, bar: (2.001 * x * bar,))
    report = daad.check(lambda x: np.sum(np.sin(square(x))), (X,))
    assert not report
    square.defvjp(lambda x: (x * x, x), lambda x, bar: (2.0 * x * bar,))
    assert daad.check(lambda x: np.sum(np.sin(square(x))), (X,))
    assert daad.check(square, (X,), seed=V)


def until_small(primals, tangents):
    root = np.sqrt(primals[0])
    dot, rest = np.zeros_like(root), tangents[0]
    while np.sum(np.abs(rest)) > 1e-12:
        dot = dot + 0.3 * rest
        rest = tangents[0] - 2.0 * root * dot
    return root, dot


def by_conjugate_gradients(primals, tangents):
    root = np.sqrt(primals[0])
    return root, cg(np.diag(2.0 * root), tangents[0])[0]


def where_positive(primals, tangents):
    root, dot = np.sqrt(primals[0]), tangents[0]
    return root, np.where(dot > 0.0, dot, 0.0) / root


@pytest.mark.parametrize("rule", [until_small, by_conjugate_gradients, where_positive], ids=name)
@pytest.mark.parametrize("product", [Gradient, Tangent])
def test_decisions_by_tangents_are_refused(rule: Function, product: Any) -> None:
    """The rule's program runs at tangents of zero."""
    root = daad.custom_vjp(lambda x: np.sqrt(x))
    root.defjvp(rule)
    directions = {"tangent": V} if product is Tangent else {}
    with pytest.raises(daad.Unsupported, match="in which values of tangents decide what is done") as caught:
        interpreted(lambda x: np.sum(root(x)), product)(X, **directions)
    assert caught.value.at is not None
    assert caught.value.at.line > until_small.__code__.co_firstlineno


def test_derivative_of_what_a_rule_leaves_to_python_is_refused() -> None:
    root = daad.custom_vjp(lambda x: np.sqrt(x))
    root.defjvp(lambda primals, tangents: (root(primals[0]), gmres(np.diag(2.0 * root(primals[0])), tangents[0])[0]))
    with pytest.raises(daad.Unsupported, match=r"Python is called here for a function that has no derivative"):
        interpreted(lambda x: np.sum(root(x)))(X)


@daad.custom_vjp
def spun(z, w):
    return {"cube": w * z**3, "size": np.abs(z) ** 2}


spun.defvjp(
    lambda z, w: ({"cube": w * z**3, "size": np.abs(z) ** 2}, {"z": z, "square": z * z, "w": w}),
    lambda r, bar: (
        np.conj(3.0 * r["w"] * r["square"]) * bar["cube"] + 2.0 * r["z"] * bar["size"],
        np.sum(np.real(np.conj(r["z"] * r["square"]) * bar["cube"])),
    ),
)


@daad.custom_vjp
def squared(z):
    return z * z


squared.defjvp(lambda primals, tangents: (squared(primals[0]), 2.0 * primals[0] * tangents[0]))


def of_complex_numbers(x, w):
    z = x * np.exp(1j * x)
    for _ in range(2):
        found = spun(z, w)
        z = z + 0.5 * squared(found["cube"]) + 0.1j * found["size"]
    return np.sum(np.abs(z) ** 2)


def test_rules_of_complex_numbers_follow_them() -> None:
    dx, dw = interpreted(of_complex_numbers, wrt=("x", "w"))(X, W)
    slope = differences(lambda x: of_complex_numbers(x, W), X, V)
    assert np.dot(dx, V) == pytest.approx(slope, rel=1e-8)
    assert dw == pytest.approx(
        differences(lambda w: of_complex_numbers(X, float(w)), np.float64(W), np.float64(1)), rel=1e-8
    )
    assert interpreted(of_complex_numbers, Tangent)(X, W, tangent=V)[1] == pytest.approx(slope, rel=1e-8)
    inner = interpreted(of_complex_numbers)
    found = interpreted(inner, Tangent, value=False)(X, W, tangent=V)
    assert found == pytest.approx(differences(lambda x: inner(x, W), X, V), rel=1e-7, abs=1e-8)


def test_a_real_argument_has_no_complex_adjoint() -> None:
    function = daad.custom_vjp(lambda x: x * x)
    function.defvjp(lambda x: (x * x, x), lambda x, bar: (1j * bar,))
    with pytest.raises(daad.Unsupported, match="gives an adjoint, a complex one, for an argument that is real"):
        interpreted(lambda x: np.sum(function(x)))(X)


def test_complex_operands_of_other_rules_are_refused() -> None:
    with pytest.raises(daad.Unsupported, match=r"The function 'squash' has a rule, and is given complex numbers\."):
        interpreted(lambda x: np.sum(np.abs(squash(x + 1j))))(X)
