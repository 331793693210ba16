"""Programs as functions of torch: values and derivatives are those of the same program in torch."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import daad

torch = pytest.importorskip("torch", reason="`make interop` installs torch")
F64 = torch.float64


def energy(x: Any, k: Any) -> Any:
    return np.sum(np.sin(x) * k) + k * x[0] ** 3


def native_energy(x: Any, k: Any) -> Any:
    return torch.sum(torch.sin(x) * k) + k * x[0] ** 3


def network(p: Any, x: Any) -> Any:
    return np.sum(np.tanh(p["w"] @ x + p["b"][0]) ** 2)


def products(x: Any, y: Any) -> Any:
    return {"z": np.outer(x, y), "a": (np.sum(x) * y[1], np.exp(x) * y[0])}


def tensor(*values: float, requires_grad: bool = True) -> Any:
    return torch.tensor(values, dtype=F64, requires_grad=requires_grad)


def arguments() -> tuple[Any, Any]:
    return tensor(0.1, 0.5, 0.9, 1.2), torch.tensor(1.5, dtype=F64, requires_grad=True)


DOOR = daad.grad(energy, wrt=("x", "k")).as_torch() if torch else None


def test_value_and_gradients() -> None:
    (x, k), (y, c) = arguments(), arguments()
    value, expected = DOOR(x, k), native_energy(y, c)
    assert torch.allclose(value, expected)
    value.backward()
    expected.backward()
    assert torch.allclose(x.grad, y.grad)
    assert torch.allclose(k.grad, c.grad)


def test_arctan2_of_one_and_two() -> None:
    y, x = torch.tensor(1.0, dtype=F64, requires_grad=True), torch.tensor(2.0, dtype=F64, requires_grad=True)
    found = daad.grad(lambda y, x: np.arctan2(y, x), wrt=("y", "x")).as_torch()(y, x)
    found.backward()
    assert round(found.item(), 4) == 0.4636
    assert (y.grad.item(), x.grad.item()) == (0.4, -0.2)


def test_gradcheck_and_gradgradcheck() -> None:
    assert torch.autograd.gradcheck(DOOR, arguments())
    assert torch.autograd.gradgradcheck(DOOR, arguments())


def test_gradcheck_of_outputs_in_structures() -> None:
    door = daad.grad(products, wrt=("x", "y")).as_torch()

    def flat(x: Any, y: Any) -> Any:
        found = door(x, y)
        return found["z"], *found["a"]

    given = tensor(0.1, 0.5), tensor(1.0, 2.0, 3.0)
    assert torch.autograd.gradcheck(flat, given)
    assert torch.autograd.gradgradcheck(flat, given)
    hessian = torch.autograd.functional.hessian
    found = hessian(lambda x, y: torch.sum(flat(x, y)[0] ** 2), tuple(each.detach() for each in given))
    expected = hessian(lambda x, y: torch.sum(torch.outer(x, y) ** 2), tuple(each.detach() for each in given))
    assert all(
        torch.allclose(a, b) for one, two in zip(found, expected, strict=True) for a, b in zip(one, two, strict=True)
    )


def test_structures_of_arguments() -> None:
    door = daad.grad(network, wrt="p").as_torch()
    w, b, x = torch.rand(3, 4, dtype=F64, requires_grad=True), tensor(0.1, 0.2, 0.3), torch.rand(4, dtype=F64)
    assert torch.autograd.gradcheck(lambda w, b: door({"w": w, "b": [b]}, x), (w, b))


def test_hessian_and_mixed_second_derivatives() -> None:
    given = tuple(each.detach() for each in arguments())
    found = torch.autograd.functional.hessian(DOOR, given)
    expected = torch.autograd.functional.hessian(native_energy, given)
    assert all(
        torch.allclose(a, b) for one, two in zip(found, expected, strict=True) for a, b in zip(one, two, strict=True)
    )
    x, k = arguments()
    [slope] = torch.autograd.grad(DOOR(x, k), [x], create_graph=True)
    y, c = arguments()
    [other] = torch.autograd.grad(native_energy(y, c), [y], create_graph=True)
    assert torch.allclose(torch.autograd.grad(slope.sum(), k)[0], torch.autograd.grad(other.sum(), c)[0])


def test_transformations_of_torch_func() -> None:
    x, k = (each.detach() for each in arguments())
    assert torch.allclose(torch.func.grad(DOOR)(x, k), torch.func.grad(native_energy)(x, k))
    _, pull = torch.func.vjp(DOOR, x, k)
    _, other = torch.func.vjp(native_energy, x, k)
    seed = torch.tensor(2.0, dtype=F64)
    assert all(torch.allclose(a, b) for a, b in zip(pull(seed), other(seed), strict=True))
    xs = torch.stack([x, 2 * x, 3 * x])
    for change in (lambda f: f, torch.func.grad):
        mapped = [torch.func.vmap(change(f), (0, None))(xs, k) for f in (DOOR, native_energy)]
        assert torch.allclose(*mapped)


def test_compiled_without_a_break() -> None:
    run = torch.compile(lambda x, k: 2.0 * DOOR(x, k) + k, fullgraph=True, backend="aot_eager")
    (x, k), (y, c) = arguments(), arguments()
    run(x, k).backward()
    (2.0 * native_energy(y, c) + c).backward()
    assert torch.allclose(x.grad, y.grad)
    assert torch.allclose(k.grad, c.grad)


def test_outputs_in_structures_compiled_without_a_break() -> None:
    door = daad.grad(products, wrt=("x", "y")).as_torch()
    run = torch.compile(lambda x, y: torch.sum(door(x, y)["z"] ** 2), fullgraph=True, backend="aot_eager")
    x, y = tensor(0.1, 0.5), tensor(1.0, 2.0, 3.0)
    expected = torch.autograd.grad(torch.sum(torch.outer(x, y) ** 2), (x, y))
    found = torch.autograd.grad(run(x, y), (x, y))
    assert all(torch.allclose(a, b) for a, b in zip(found, expected, strict=True))


def test_operators_keep_torchs_rules() -> None:
    from daad.api.interop import torch_operators as operators

    x, k = arguments()
    DOOR(x, k)
    [known] = [known for known in DOOR._known.values() if known.call.leaves[1][1].shape == ()]
    torch.library.opcheck(operators.primal, ([x, k], known.number))
    torch.library.opcheck(operators.value_and_gradients, ([x, k], known.number, [0, 1]))


def test_an_exported_program_names_it_by_its_content(tmp_path: Path) -> None:
    class Module(torch.nn.Module):
        def forward(self, x: Any, k: Any) -> Any:
            return DOOR(x, k) * 2.0

    x, k = (each.detach() for each in arguments())
    made = torch.export.export(Module(), (x, k))
    assert torch.allclose(made.module()(x, k), 2.0 * native_energy(x, k))


def test_memory_is_shared_and_inputs_stay() -> None:
    door = daad.grad(lambda x: 2.0 * x).as_torch()
    x = torch.arange(1e6, dtype=F64)
    before = x.clone()
    found = door(x)
    assert torch.equal(x, before)
    assert torch.equal(found, 2.0 * before)
    assert torch.equal(door(x[::2]), 2.0 * before[::2])
    assert torch.equal(door(x.reshape(1000, 1000).T), 2.0 * before.reshape(1000, 1000).T)


def test_an_output_that_is_an_argument_is_a_copy() -> None:
    x = torch.ones(3, dtype=F64)
    found = daad.grad(lambda x: (x, 2.0 * x)).as_torch()(x)[0]
    found += 1.0
    assert torch.equal(x, torch.ones(3, dtype=F64))


def test_nothing_is_computed_for_what_needs_no_gradient() -> None:
    x, k = arguments()
    door = daad.grad(lambda x, k: np.sum(x**5) * k, wrt=("x", "k")).as_torch()
    door(x.detach(), k).backward()
    [known] = door._known.values()
    assert {key for key in known.of._made if key != "primal"} == {("gradients", (1,))}


def test_single_precision_and_numbers_of_python() -> None:
    x = torch.rand(4, requires_grad=True)
    found = daad.grad(lambda x, k: np.sum(x * k)).as_torch()(x, 2.0)
    assert found.dtype == torch.float32
    found.backward()
    assert torch.equal(x.grad, torch.full((4,), 2.0))


def test_a_layer_is_trained() -> None:
    times = np.linspace(0.0, 1.0, 20)

    def decay(theta: Any) -> Any:
        return theta[0] * np.exp(-theta[1] * times)

    class Decay(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.theta = torch.nn.Parameter(tensor(1.0, 1.0, requires_grad=False))
            self.program = daad.grad(decay).as_torch()

        def forward(self) -> Any:
            return self.program(self.theta)

    layer, data = Decay(), torch.from_numpy(2.0 * np.exp(-0.5 * times))
    optimiser = torch.optim.Adam(layer.parameters(), lr=0.05)
    for _ in range(400):
        optimiser.zero_grad()
        torch.sum((layer() - data) ** 2).backward()
        optimiser.step()
    assert np.allclose(layer.theta.detach(), [2.0, 0.5], atol=1e-2)


RATE = 2.0


def rated(x: Any) -> Any:
    return np.sum(x) * RATE


def test_globals_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    door, x = daad.grad(rated).as_torch(), tensor(1.0, 2.0)
    assert door(x).item() == 6.0
    monkeypatch.setattr(sys.modules[__name__], "RATE", 3.0)
    assert door(x).item() == 9.0


def test_loops_that_data_end() -> None:
    def halved(x: Any) -> Any:
        while np.sum(x) > 1.0:
            x = 0.99 * x
        return np.sum(x * x)

    door, x = daad.grad(halved).as_torch(), torch.full((3,), 1e6, dtype=F64, requires_grad=True)
    door(x).backward()
    assert np.array_equal(x.grad, daad.grad(halved)(np.full(3, 1e6)))


def test_options_are_kept() -> None:
    def steps(x: Any) -> Any:
        for _ in range(200):
            x = np.sin(x)
        return np.sum(x)

    for limit in (None, "0.2MiB"):
        door = daad.grad(steps, memory_limit=limit).as_torch()
        x = torch.ones(1000, dtype=F64, requires_grad=True)
        door(x).backward()
        assert np.array_equal(x.grad, daad.grad(steps)(np.ones(1000)))
    known = next(iter(door._known.values())).of._made["gradients", (0,)]
    assert known.planned.outcome.interface.nbytes <= 0.2 * 2**20


def test_two_threads_at_once() -> None:
    given = [torch.linspace(0.0, k, 500, dtype=F64) for k in range(1, 5)]
    run = lambda x: torch.func.grad(lambda x: DOOR(x, 2.0))(x)
    expected = [run(x) for x in given]
    found: dict[int, Any] = {}

    def work(k: int) -> None:
        found[k] = [run(given[k]) for _ in range(20)]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(torch.equal(each, expected[k]) for k, results in found.items() for each in results)
    assert len(found) == 4


def root(x: Any) -> Any:
    assert x[0] > 0.0, "The first one is positive."
    return np.sqrt(x[0])


def third(door: Any) -> Any:
    x = torch.rand(4, dtype=F64, requires_grad=True)
    slope = door(x)
    for _ in range(3):
        [slope] = torch.autograd.grad(slope.sum(), x, create_graph=True)
    return slope


X = torch.rand(4, dtype=F64)


def counted(x, labels):
    return np.sum(x) * len(str(labels[0]))


def stepped(x, dt):
    for _ in range(int(1.0 / dt)):
        x = x + dt * np.sin(x)
    return np.sum(x)


REFUSED: list[tuple[Callable[[], Any], str]] = [
    (lambda: daad.grad(counted).as_torch()(X, torch.tensor([1, 2])), "depends on the value of 'labels'"),
    (lambda: daad.grad(stepped).as_torch()(X, 0.25), "trip count of this loop depends on data"),
    (lambda: daad.grad(energy).as_torch()(*arguments()), "with respect to 'k' is asked for"),
    (lambda: daad.grad(lambda z: np.sum(np.abs(z))).as_torch()(X + 1j), "is complex"),
    (lambda: daad.grad(lambda x: np.sum(x)).as_torch()(X.bfloat16()), "is of bfloat16"),
    (lambda: daad.grad(lambda x: np.sum(x * np.random.rand(4))).as_torch()(X), "draws random numbers"),
    (lambda: daad.grad(lambda x, s: np.sum(x)).as_torch()(X, {1, 2}), "for which nothing can be compiled"),
    (lambda: daad.grad(lambda x: np.sum(x), device="gpu").as_torch(), "Programs for GPUs are no functions of torch"),
    (lambda: daad.grad(root).as_torch()(-1.0 - X), "The first one is positive."),
    (lambda: daad.grad(lambda x, at: np.sum(x[at])).as_torch()(X, torch.tensor([9])), "9 is out of bounds"),
    (lambda: third(daad.grad(lambda x: np.sum(x**4)).as_torch()), "first and second derivatives"),
]


@pytest.mark.parametrize(("call", "sentence"), REFUSED)
def test_refusals(call: Callable[[], Any], sentence: str) -> None:
    with pytest.raises(daad.DaadError, match=sentence):
        call()


def test_daad_alone_imports_neither() -> None:
    check = "import daad, sys; print(sorted({'torch', 'jax'} & {*sys.modules}))"
    found = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"
