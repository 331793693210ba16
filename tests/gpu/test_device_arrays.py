"""Arrays that lie on a GPU: nothing of them is copied, and results are arrays of the same library."""

from __future__ import annotations

import dataclasses
import gc
from typing import Any

import numpy as np
import pytest

import daad
from daad.errors import BadArgument
from daad.runtime.gpu import device_memory, dlpack
from daad.runtime.gpu.cards import card
from daad.runtime.gpu.device_array import DeviceArray
from tests.gpu.foreign import Interfaced, Tensor
from tests.gpu.interpreted import Programs
from tests.gpu.test_calls import CALLS, K, N, X, doubled, energy, flat, picked, scaled


def on_gpu(value: Any) -> Any:
    return Tensor(value) if isinstance(value, np.ndarray) else value


def is_tensor(value: Any) -> bool:
    return isinstance(value, Tensor)


def numbers(found: Any) -> list[np.ndarray]:
    if isinstance(found, tuple):
        return [each for item in found for each in numbers(item)]
    assert is_tensor(found), found
    return [found.numpy()]


@pytest.mark.parametrize("name", [name for name in CALLS if name != "strided"])
def test_answers_are_those_of_the_cpu(name: str, programs: Programs) -> None:
    make, options, args, brought = CALLS[name]
    expected = flat(make(**options)(*args, **brought))
    there = make(**options, device="gpu")
    for _ in range(2):
        found = there(*map(on_gpu, args), **{word: on_gpu(value) for word, value in brought.items()})
        for got, wanted in zip(numbers(found), expected, strict=True):
            np.testing.assert_allclose(got, wanted, rtol=1e-5 if wanted.dtype == np.float32 else 1e-12)
            assert got.dtype == wanted.dtype and got.shape == wanted.shape
    for got, wanted in zip(flat(there(*args, **brought)), expected, strict=True):  # by what is compiled already
        np.testing.assert_allclose(got, wanted, rtol=1e-5 if wanted.dtype == np.float32 else 1e-12)
    assert programs.stand_in.contexts == 0


def test_nothing_is_copied(programs: Programs) -> None:
    gpu, gradient = programs.stand_in, daad.grad(energy, wrt="k", device="gpu")
    x, k = Tensor(X), Tensor(K)
    first = gradient(x, k, 4)
    before = gpu.to, gpu.from_, gpu.on
    second = gradient(x, k, 4)
    assert (gpu.to, gpu.from_, gpu.on) == before
    np.testing.assert_array_equal(first.numpy(), second.numpy())
    assert first.held.address != second.held.address
    stream = device_memory.stream_of(card(0))
    assert x.waited == k.waited and {*x.waited} == {stream}  # what computes them is waited for on the GPU


def test_what_is_held_goes_with_what_holds_it(programs: Programs) -> None:
    gpu, gradient = programs.stand_in, daad.grad(energy, wrt="k", device="gpu")
    gc.collect()
    device_memory.give_back()
    held, lent = gpu.bytes, len(dlpack._lent)
    results = [gradient(Tensor(X), Tensor(K), 4) for _ in range(5)]
    assert len({result.held.address for result in results}) == 5
    assert len(dlpack._lent) == lent + 5
    del results, gradient
    gc.collect()
    assert len(dlpack._lent) == lent
    device_memory.give_back()
    assert gpu.bytes == held


def test_pullbacks_stay_on_the_gpu(programs: Programs) -> None:
    gpu = programs.stand_in
    value, expected = daad.vjp(scaled)(X, 2.0)
    there, pull = daad.vjp(scaled, device="gpu")(Tensor(X), 2.0)
    np.testing.assert_allclose(there.numpy(), value)
    np.testing.assert_allclose(numbers(pull(Tensor(K)))[0], expected(K))
    seed = Tensor(K)
    before = gpu.to_bytes, gpu.from_
    found = pull(seed)
    assert gpu.from_ == before[1] and gpu.to_bytes - before[0] <= 8  # the number 2.0 at most
    np.testing.assert_allclose(found.numpy(), expected(K))
    np.testing.assert_allclose(pull(K).numpy(), expected(K))
    np.testing.assert_allclose(pull.many(Tensor(np.eye(N))).numpy(), expected.many(np.eye(N)))


def test_what_pullbacks_read_does_not_leave_the_gpu(programs: Programs) -> None:
    gpu = programs.stand_in
    value, pull = daad.vjp(scaled, device="gpu")(X, 2.0)
    assert isinstance(value, np.ndarray) and gpu.from_ == 1
    np.testing.assert_allclose(pull(K), daad.vjp(scaled)(X, 2.0)[1](K))


def test_arrays_within_structures(programs: Programs) -> None:
    def loss(p: dict[str, Any], layers: list[Any]) -> float:
        return np.sum(p["w"] * layers[0] ** 2) + layers[1] * np.sum(p["b"])

    args = {"w": X, "b": K}, [K, 2.0]
    expected = daad.grad(loss, wrt=("p", "layers"))(*args)
    p, layers = daad.grad(loss, wrt=("p", "layers"), device="gpu")({"w": Tensor(X), "b": Tensor(K)}, [Tensor(K), 2.0])
    np.testing.assert_allclose(p["w"].numpy(), expected[0]["w"])
    np.testing.assert_allclose(layers[0].numpy(), expected[1][0])
    np.testing.assert_allclose(layers[1].numpy(), expected[1][1], atol=1e-12)


@dataclasses.dataclass
class Model:
    w: Any
    name: str = "model"


class Plain:
    def __init__(self, w: Any) -> None:
        self.w = w


@pytest.mark.parametrize("cls", [Model, Plain])
def test_arrays_within_objects(cls: type, programs: Programs) -> None:
    def loss(model: Any, x: np.ndarray) -> float:
        return np.sum(model.w * x**2)

    model = cls(Tensor(K))
    found = daad.grad(loss, wrt="model", device="gpu")(model, Tensor(X))
    np.testing.assert_allclose(found.w.numpy(), X**2)
    assert is_tensor(model.w)


def test_no_gradient(programs: Programs) -> None:
    def apart(x: np.ndarray, y: np.ndarray) -> float:
        return np.sum(x * x)

    with pytest.warns(UserWarning, match="does not depend on 'y'"):
        found = daad.grad(apart, wrt=("x", "y"), device="gpu")(Tensor(X), Tensor(K))
    np.testing.assert_array_equal(found[1].numpy(), np.zeros(N))


def test_auxiliary_data(programs: Programs) -> None:
    def fitted(x: np.ndarray) -> Any:
        return np.sum(x * x), {"cube": x**3, "name": "x"}

    gradient, aux = daad.grad(fitted, has_aux=True, device="gpu")(Tensor(X))
    np.testing.assert_allclose(gradient.numpy(), 2.0 * X)
    np.testing.assert_allclose(aux["cube"].numpy(), X**3)
    assert aux["name"] == "x"


def test_intermediate_values(programs: Programs) -> None:
    def curved(x: np.ndarray) -> float:
        y = np.sin(x)
        return np.sum(y * y)

    found, inner = daad.grad(curved, also=("y",), device="gpu")(Tensor(X))
    np.testing.assert_allclose(found.numpy(), 2.0 * np.sin(X) * np.cos(X))
    np.testing.assert_allclose(inner["y"].numpy(), 2.0 * np.sin(X))


def test_arguments_that_are_overwritten(programs: Programs) -> None:
    x, untouched = Tensor(X), Tensor(X)
    daad.grad(doubled, device="gpu", on_inputs="primal")(x)
    daad.grad(doubled, device="gpu")(untouched)
    np.testing.assert_array_equal(x.numpy(), 2.0 * X)
    np.testing.assert_array_equal(untouched.numpy(), X)


def test_what_data_decide(programs: Programs) -> None:
    def branched(x: np.ndarray) -> float:
        return np.sum(x**3) if x[0] > 0.0 else np.sum(x)

    gradient = daad.grad(branched, device="gpu")
    for sign in (1.0, -1.0, 1.0):
        np.testing.assert_allclose(gradient(Tensor(sign * X)).numpy(), 3.0 * X**2 if sign > 0.0 else np.ones(N))


def test_an_index_outside(programs: Programs) -> None:
    gradient = daad.grad(picked, device="gpu")
    with pytest.raises(BadArgument, match="Index 9 is out of bounds for an axis of size 6"):
        gradient(Tensor(X), Tensor(np.array([1, 9])))
    np.testing.assert_allclose(gradient(Tensor(X), Tensor(np.array([0, 0]))).numpy(), [4 * X[0], 0, 0, 0, 0, 0])


def test_the_interface_alone(programs: Programs) -> None:
    gpu, gradient = programs.stand_in, daad.grad(energy, wrt="k", device="gpu")
    found = gradient(Interfaced(X, stream=2), Interfaced(K), 4)
    assert gpu.event_waits == 1
    assert isinstance(found, DeviceArray)  # there is no way to make one of its library
    np.testing.assert_allclose(found, daad.grad(energy, wrt="k")(X, K, 4))
    again = gradient(DeviceArray.of(X, card(0)), DeviceArray.of(K, card(0)), 4)
    np.testing.assert_array_equal(again, found)


def test_check_copies_to_the_cpu(programs: Programs) -> None:
    assert daad.check(energy, (Tensor(X), Tensor(K), 3), wrt="k", device="gpu")


REFUSED = {
    "not in C order": (lambda: Tensor(np.ones((2, 3)), strides=(1, 2)), "on a GPU that is not in C order"),
    "in another process": (lambda: Broken(X), "The argument 'x' cannot be taken over: it needs a gradient"),
}


class Broken(Tensor):
    def __dlpack__(self, *, stream: Any = None) -> Any:
        raise BufferError("it needs a gradient.")


@pytest.mark.parametrize("what", REFUSED)
def test_arrays_that_cannot_be_taken(what: str, programs: Programs) -> None:
    make, sentence = REFUSED[what]
    with pytest.raises(BadArgument, match=sentence):
        daad.grad(lambda x: np.sum(x * x), device="gpu")(make())


def test_arrays_that_may_not_be_written(programs: Programs) -> None:
    x = Interfaced(X, is_read_only=True)
    np.testing.assert_allclose(daad.grad(doubled, device="gpu")(x), 8.0 * X)
    with pytest.raises(BadArgument, match=r"^The array 'x' is read-only, and the program overwrites it\."):
        daad.grad(doubled, device="gpu", on_inputs="primal")(x)


def test_buffers(programs: Programs) -> None:
    with pytest.raises(BadArgument, match=r"^Gradients on a GPU are written into no arrays that are given\."):
        daad.grad(scaled, seed=1.0, device="gpu")(Tensor(X), 2.0, out=np.empty(N))
    out = np.empty(N)
    assert daad.grad(scaled, seed=1.0, device="gpu")(X, 2.0, out=out) is out
    np.testing.assert_allclose(out, 2.0 * np.cos(X))


def test_the_device_of_the_cpu_takes_none(programs: Programs) -> None:
    with pytest.raises(daad.DaadError):
        daad.grad(scaled, seed=1.0)(DeviceArray.of(X, card(0)), 2.0)
