"""Programs as functions of JAX: values and derivatives are those of the same program in JAX."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import daad

jax = pytest.importorskip("jax")
jnp = jax.numpy


@pytest.fixture(autouse=True)
def double_precision():
    before = jax.config.read("jax_enable_x64")
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


def energy(xp: Any, x: Any, k: Any) -> Any:
    return xp.sum(xp.sin(x) * k) + k * x[0] ** 3


def network(xp: Any, p: Any, x: Any) -> Any:
    return xp.sum(xp.tanh(p["w"] @ x + p["b"][0]) ** 2)


def products(xp: Any, x: Any, y: Any) -> Any:
    return {"z": xp.outer(x, y), "a": (xp.sum(x) * y[1], xp.exp(x) * y[0])}


def gathered(xp: Any, x: Any, where: Any) -> Any:
    return xp.sum(x[where] ** 2) * x[0]


def lines(xp: Any, x: Any, n: Any) -> Any:
    return x * n


def mean(xp: Any, x: Any) -> Any:
    return xp.array([xp.mean(x**2)])


@dataclass(frozen=True)
class Case:
    """A program of either library, arguments, and which of them have derivatives."""

    program: Callable[..., Any]
    args: tuple[Any, ...]
    wrt: tuple[int, ...] = (0,)

    @property
    def name(self) -> str:
        return self.program.__name__

    def door(self) -> Any:
        program = self.program
        return daad.grad(lambda *args: program(np, *args), wrt=[f"args[{k}]" for k in self.wrt]).as_jax()

    def native(self, *args: Any) -> Any:
        return self.program(jnp, *args)


X, Y = np.linspace(0.1, 0.9, 4), np.linspace(1.0, 2.0, 3)
W = np.outer(np.arange(3.0), X)
SCALARS = [
    Case(energy, (X, 1.5), (0, 1)),
    Case(energy, (X, 1.5), (1,)),
    Case(network, ({"w": W, "b": [Y]}, X), (0,)),
    Case(gathered, (X, np.array([1, 3, 1]))),
]
CASES = [*SCALARS, Case(products, (X, Y), (0, 1)), Case(lines, (X, 3)), Case(mean, (X,))]
NAME = lambda case: f"{case.name}-{len(case.wrt)}"


def close(one: Any, other: Any) -> None:
    for a, b in zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True):
        assert a.dtype == b.dtype
        assert a.shape == b.shape
        assert np.allclose(a, b, rtol=1e-12, atol=1e-12)
    assert jax.tree.structure(one) == jax.tree.structure(other)


@pytest.mark.parametrize("case", CASES, ids=NAME)
def test_value_and_jacobians(case: Case) -> None:
    door, before = case.door(), jax.tree.map(np.copy, case.args)
    close(door(*case.args), case.native(*case.args))
    for jacobian in (jax.jacrev, jax.jacfwd):
        close(jacobian(door, case.wrt)(*case.args), jacobian(case.native, case.wrt)(*case.args))
    for one, other in zip(jax.tree.leaves(before), jax.tree.leaves(case.args), strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize("case", SCALARS, ids=NAME)
def test_gradients_in_jit_and_second_derivatives(case: Case) -> None:
    door, args = case.door(), jax.tree.map(jnp.asarray, case.args)
    close(jax.jit(jax.value_and_grad(door, case.wrt))(*args), jax.value_and_grad(case.native, case.wrt)(*args))
    close(jax.hessian(door, case.wrt)(*args), jax.hessian(case.native, case.wrt)(*args))
    reverse = lambda f: jax.jacrev(jax.jacrev(f, case.wrt), case.wrt)
    close(reverse(door)(*args), reverse(case.native)(*args))


def test_mixed_second_derivatives() -> None:
    case = Case(energy, (X, 1.5), (0, 1))
    door = case.door()
    mixed = lambda f: jax.grad(lambda k: jax.grad(f)(X, k)[1])(1.5)
    close(mixed(door), mixed(case.native))


@pytest.mark.parametrize("axes", [(0, None), (None, 0), (0, 0)])
def test_batches(axes: tuple[Any, ...]) -> None:
    case = Case(energy, (X, 1.5), (0, 1))
    door = case.door()
    x = np.stack([X, 2 * X, 3 * X]) if axes[0] == 0 else X
    k = np.arange(3.0) if axes[1] == 0 else 1.5
    for change in (lambda f: f, lambda f: jax.grad(f, (0, 1)), lambda f: jax.hessian(f)):
        close(jax.vmap(change(door), axes)(x, k), jax.vmap(change(case.native), axes)(x, k))


def test_batches_of_batches_and_of_outputs_in_structures() -> None:
    case = Case(products, (X, Y), (0, 1))
    door = case.door()
    x, y = np.stack([X, 2 * X]), np.stack([Y, 2 * Y, 3 * Y])
    twice = lambda f: jax.vmap(jax.vmap(f, (None, 0)), (0, None))(x, y)
    close(twice(door), twice(case.native))
    close(twice(jax.jacrev(door)), twice(jax.jacrev(case.native)))


@pytest.mark.parametrize("case", CASES, ids=NAME)
def test_hessians_of_what_is_made_of_outputs(case: Case) -> None:
    door, args = case.door(), jax.tree.map(jnp.asarray, case.args)

    def loss(f: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *args: sum(jnp.sum(jnp.sin(leaf) * leaf) for leaf in jax.tree.leaves(f(*args)))

    close(jax.hessian(loss(door), case.wrt)(*args), jax.hessian(loss(case.native), case.wrt)(*args))
    reverse = lambda f: jax.jacrev(jax.jacrev(f, case.wrt), case.wrt)
    close(reverse(loss(door))(*args), reverse(loss(case.native))(*args))


def test_scan_of_steps() -> None:
    def step(u: Any) -> Any:
        v = u.copy()
        v[1:-1] = u[1:-1] + 0.2 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        return v

    door = daad.grad(step).as_jax()

    def native(u: Any) -> Any:
        return u.at[1:-1].add(0.2 * (u[2:] - 2.0 * u[1:-1] + u[:-2]))

    def loss(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def run(u: Any) -> Any:
            end, _ = jax.lax.scan(lambda u, _: (f(u), None), u, None, length=5)
            return jnp.sum(end**2)

        return jax.jit(jax.grad(run))

    u = np.sin(np.arange(6.0))
    close(loss(door)(u), loss(native)(u))
    close(jax.jacfwd(loss(door))(u), jax.jacfwd(loss(native))(u))


def test_two_threads_at_once() -> None:
    def slow(x: Any) -> Any:
        total = 0.0
        for i in range(200):
            total += np.sum(np.sin(x * i))
        return total

    run = jax.jit(jax.grad(daad.grad(slow).as_jax()))
    given = [np.linspace(0.0, k, 500) for k in range(1, 5)]
    expected = [np.asarray(run(x)) for x in given]
    found: dict[int, Any] = {}

    def work(k: int) -> None:
        found[k] = [np.asarray(run(given[k])) for _ in range(20)]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(each, expected[k]) for k, results in found.items() for each in results)
    assert len(found) == 4


def test_only_what_is_asked_for_is_computed() -> None:
    case = Case(energy, (X, 1.5), (0, 1))
    text = str(jax.make_jaxpr(jax.grad(case.door()))(*case.args))
    assert len(re.findall(r"= daad_program\[", text)) == 1


def test_single_precision() -> None:
    jax.config.update("jax_enable_x64", False)
    door = daad.grad(lambda x: np.sum(x * x)).as_jax()
    found = jax.grad(door)(X)
    assert found.dtype == np.float32
    assert np.allclose(found, 2 * X)
    with pytest.raises(daad.BadArgument, match="which JAX has not as it is set"):
        daad.grad(lambda x: np.sum(x * np.linspace(0.0, 1.0, 4))).as_jax()(X)


def test_failures_are_xla_errors_with_a_sentence() -> None:
    door = daad.grad(lambda x, where: np.sum(x[where])).as_jax()
    with pytest.raises(Exception, match="daad: An index is 9, and the axis has a size of 4"):
        jax.block_until_ready(jax.jit(door)(X, np.array([0, 9])))

    def root(x: Any) -> Any:
        assert x[0] > 0.0, "Positive it is."
        return np.sqrt(x[0])

    for change in (lambda f: f, jax.grad):
        with pytest.raises(Exception, match="daad: An assertion of the program fails: Positive it is"):
            jax.block_until_ready(jax.jit(change(daad.grad(root).as_jax()))(-X))


def test_numbers_of_python_promote_nothing() -> None:
    door = daad.grad(lambda x, k: np.sum(x * k), wrt=("x", "k")).as_jax()
    x = X.astype(np.float32)
    found = jax.tree.leaves(jax.value_and_grad(door, (0, 1))(x, 2.0))
    expected = jax.tree.leaves(jax.value_and_grad(lambda x, k: jnp.sum(x * k), (0, 1))(x, 2.0))
    assert [a.dtype for a in found] == [a.dtype for a in expected]
    assert all(np.allclose(a, b) for a, b in zip(found, expected, strict=True))
    assert door(x, np.float64(2.0)).dtype == np.float64


RATE = 2.0


def rated(x):
    return np.sum(x) * RATE


def test_globals_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    door = daad.grad(rated).as_jax()
    assert np.isclose(door(X), 2.0 * X.sum())
    monkeypatch.setattr(sys.modules[__name__], "RATE", 3.0)
    assert np.isclose(door(X), 3.0 * X.sum())


def branch(x):
    return {bool(x[0] > 0.5): np.sum(x)}[True]


def text(x):
    return {"sum": np.sum(x), "name": "x"}


@dataclass
class Record:
    sum: Any


def recorded(x):
    return Record(np.sum(x))


def random(x):
    return np.sum(x * np.random.rand(4))


def counted(x, labels):
    return np.sum(x) * len(str(labels[0]))


def stepped(x, dt):
    for _ in range(int(1.0 / dt)):
        x = x + dt * np.sin(x)
    return np.sum(x)


REFUSED = [
    (lambda: daad.grad(counted).as_jax()(X, np.array([1, 2])), "depends on the value of 'labels'"),
    (lambda: daad.grad(stepped).as_jax()(X, 0.25), "trip count of this loop depends on data"),
    (lambda: jax.grad(daad.grad(lambda x, k: np.sum(x) * k).as_jax(), 1)(X, 2.0), "has none"),
    (lambda: daad.grad(lambda z: np.sum(np.abs(z))).as_jax()(X + 1j), "is complex"),
    (lambda: daad.grad(random).as_jax()(X), "draws random numbers"),
    (lambda: daad.grad(text).as_jax()(X), "which is no array"),
    (lambda: daad.grad(recorded, seed=1.0).as_jax()(X), "type 'Record', which is no array"),
    (lambda: daad.grad(lambda x, s: np.sum(x)).as_jax()(X, {1, 2}), "for which nothing can be compiled"),
    (lambda: daad.grad(lambda x: np.sum(x), device="gpu").as_jax(), "Programs for GPUs are no functions of JAX"),
    (lambda: daad.grad(lambda x: np.sum(x), on_inputs="primal").as_jax(), "overwrites its arguments"),
    (lambda: jax.jacfwd(jax.hessian(daad.grad(lambda x: np.sum(x**4)).as_jax()))(X), "first and second derivatives"),
    (lambda: jax.jacfwd(jax.jacfwd(daad.grad(lambda x: x**4).as_jax()))(X), "first and second derivatives"),
]


@pytest.mark.parametrize(("call", "sentence"), REFUSED)
def test_refusals(call: Callable[[], Any], sentence: str) -> None:
    with pytest.raises(daad.DaadError, match=sentence):
        call()


def test_data_decide_nothing() -> None:
    with pytest.raises(daad.DaadError):
        daad.grad(branch).as_jax()(X)


def test_symbolic_shapes_are_refused() -> None:
    from jax import export

    door = daad.grad(lambda x: np.sum(x * x)).as_jax()
    [size] = export.symbolic_shape("n")
    with pytest.raises(daad.Unsupported, match="is symbolic"):
        export.export(jax.jit(door))(jax.ShapeDtypeStruct((size,), np.float64))


def test_a_cached_executable_finds_its_program_or_says_so(tmp_path: Path) -> None:
    """What JAX keeps on disk names a program by its content, whichever process made it."""
    script = tmp_path / "script.py"
    script.write_text(
        "import jax, numpy as np, daad\n"
        "jax.config.update('jax_enable_x64', True)\n"
        f"jax.config.update('jax_compilation_cache_dir', {str(tmp_path / 'cache')!r})\n"
        "jax.config.update('jax_persistent_cache_min_compile_time_secs', 0)\n"
        "jax.config.update('jax_persistent_cache_min_entry_size_bytes', -1)\n"
        "door = daad.grad(lambda x: np.sum(x ** 3)).as_jax()\n"
        "print(jax.jit(jax.grad(door))(np.arange(3.0)))\n"
    )
    for _ in range(2):
        found = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
        assert found.stdout == "[ 0.  3. 12.]\n"


def test_shards_on_two_devices(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import os\nos.environ['XLA_FLAGS'] = '--xla_force_host_platform_device_count=2'\n"
        "import jax, numpy as np, daad\nfrom jax.sharding import Mesh, PartitionSpec\n"
        "jax.config.update('jax_enable_x64', True)\n"
        "shards = dict(mesh=Mesh(np.array(jax.devices()), ('i',)), in_specs=PartitionSpec('i'))\n"
        "shards |= dict(out_specs=PartitionSpec('i'), check_vma=False)\n"
        "door = daad.grad(lambda x: np.sum(x ** 3)).as_jax()\n"
        "print(jax.jit(jax.shard_map(jax.grad(door), **shards))(np.arange(4.0)))\n"
    )
    found = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    assert found.stdout == "[ 0.  3. 12. 27.]\n"


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("daad.runtime.optional_packages.find_spec", lambda name: None)
    with pytest.raises(daad.BadArgument, match="'as_jax' needs the package 'jax'") as error:
        daad.grad(lambda x: np.sum(x)).as_jax()
    assert error.value.hint == "Install it: pip install 'daad[jax]'."


def small(x, y):  # type: ignore[no-untyped-def]
    return np.sum(x * (y * 1e-10))


def test_small_numbers_are_kept_within_jax_and_after_it() -> None:
    """XLA flushes them to zero, and threads begin with what those that start them do."""
    x, y = np.ones(400_000), np.full(400_000, 1e-300)
    gradient = daad.grad(small)
    inside = jax.jit(jax.grad(gradient.as_jax()))(jnp.asarray(x), jnp.asarray(y))
    np.testing.assert_array_equal(np.asarray(inside), y * 1e-10)
    np.testing.assert_array_equal(gradient(x, y), y * 1e-10)
