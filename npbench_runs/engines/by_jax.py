"""JAX: the jitted gradient of the kernel's JAX version, on arrays that it holds already."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from npbench_runs.engines.engine import Change, Engine, Gradients, Prepared, Question, as_arrays


def load() -> None:
    import jax
    import jax.numpy as jnp

    # The first operation starts the runtime: it belongs to no kernel.
    jax.block_until_ready(jnp.zeros(1))


def prepare(question: Question) -> Prepared:
    import jax

    jax.config.update("jax_enable_x64", question.has_float64)

    def on_device(change: Change = lambda array: array) -> list[Any]:
        named = zip(question.kernel.parameters, question.arguments, strict=True)
        return jax.block_until_ready([jax.device_put(change(a)) for n, a in named if n in question.wrt])

    held, function = on_device(), output(question)
    weight = jax.device_put(question.seed)
    positions = tuple(range(1, len(held) + 1))
    gradient = jax.jit(jax.grad(loss(question, function), argnums=positions))
    seeded = jax.jit(lambda seed, *active: jax.vjp(function, *active)[1](seed))
    last: list[Any] = []

    def call() -> None:
        last[:] = jax.block_until_ready(gradient(weight, *held))

    def elsewhere(change: Change) -> Gradients:
        like = jax.eval_shape(function, *held)
        seed = np.full(like.shape, question.seed, like.dtype)
        return as_arrays(list(seeded(change(seed), *on_device(change))))

    return Prepared(call=call, gradients=lambda: as_arrays(last), elsewhere=elsewhere)


def output(question: Question) -> Callable[..., Any]:
    """The program as a function of what is differentiated; all else is a constant of the compiled program."""
    import jax.numpy as jnp

    program, names = question.kernel.jax_function(), question.kernel.parameters
    constants = {n: jnp.asarray(c) if isinstance(c, np.ndarray) else c for n, c in question.constants.items()}

    def function(*active: Any) -> Any:
        values = {**constants, **dict(zip(question.wrt, active, strict=True))}
        return program(*(values[name] for name in names))

    return function


def loss(question: Question, function: Callable[..., Any]) -> Callable[..., Any]:
    """The sum of the output, each element times the weight that comes first."""
    import jax.numpy as jnp

    if is_one(question.seed):
        return lambda weight, *active: jnp.sum(function(*active))
    return lambda weight, *active: jnp.sum(weight * function(*active))


def is_one(seed: float | np.ndarray) -> bool:
    return isinstance(seed, float) and seed == 1.0


JAX = Engine(packages=("jax", "jaxlib"), extra="pip install 'daad[bench]'", load=load, prepare=prepare)
