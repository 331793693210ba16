"""JAX: the jitted gradient of the kernel's JAX version, on arrays that it holds already."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from npbench_runs.engines.engine import Engine, Gradients, Prepared, Question


def load() -> None:
    import jax
    import jax.numpy as jnp

    # The first operation starts the runtime: it belongs to no kernel.
    jax.block_until_ready(jnp.zeros(1))


def prepare(question: Question) -> Prepared:
    import jax

    jax.config.update("jax_enable_x64", question.has_float64)

    def on_device(arguments: tuple[Any, ...]) -> list[Any]:
        named = zip(question.kernel.parameters, arguments, strict=True)
        return jax.block_until_ready([jax.device_put(a) for n, a in named if n in question.wrt])

    held = on_device(question.arguments)
    gradient = jax.jit(jax.grad(loss(question), argnums=tuple(range(len(held)))))
    last: list[Any] = []

    def call() -> None:
        last[:] = jax.block_until_ready(gradient(*held))

    return Prepared(
        call=call,
        gradients=lambda: as_arrays(last),
        elsewhere=lambda arguments: as_arrays(list(gradient(*on_device(arguments)))),
    )


def loss(question: Question) -> Callable[..., Any]:
    """The seeded sum of the output; all that is not differentiated is a constant of the compiled program."""
    import jax.numpy as jnp

    program, names = question.kernel.jax_function(), question.kernel.parameters
    constants = {n: jnp.asarray(c) if isinstance(c, np.ndarray) else c for n, c in question.constants.items()}

    def seeded(*active: Any) -> Any:
        values = {**constants, **dict(zip(question.wrt, active, strict=True))}
        output = program(*(values[name] for name in names))
        return jnp.sum(output) if is_one(question.seed) else jnp.sum(jnp.asarray(question.seed) * output)

    return seeded


def is_one(seed: float | np.ndarray) -> bool:
    return isinstance(seed, float) and seed == 1.0


def as_arrays(gradients: list[Any]) -> Gradients:
    return tuple(np.asarray(g) for g in gradients)


JAX = Engine(packages=("jax", "jaxlib"), extra="pip install 'daad[bench]'", load=load, prepare=prepare)
