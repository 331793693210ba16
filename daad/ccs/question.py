"""What is asked of a program that has been read; here, since asking needs nothing of what answers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from daad.ccs.hints import NO_HINTS, Hints
from daad.ir.seed import Seed
from daad.runtime.processors import Device


class Product(Enum):
    """What is computed of the Jacobian of the outputs with respect to the inputs."""

    GRADIENT = "seeds times the Jacobian, in one go"
    TANGENT = "the Jacobian times tangents"
    GAUSS_NEWTON = "the transposed Jacobian times the Jacobian times tangents"
    PULLBACK = "seeds times the Jacobian, any number of times after one run of the primal"

    @property
    def takes_tangents(self) -> bool:
        """Whether a call brings tangents of the inputs."""
        return self in (Product.TANGENT, Product.GAUSS_NEWTON)


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is asked of a program: the gradient of `outputs` (arrays), seeded, with respect to `inputs` (parameters).

    Of a `product` that takes tangents, `tangents` are the parameters that hold those of the inputs, `batch` how many of
    each there are along a leading axis (None: one, without the axis).

    `value`: the outputs themselves are wanted too. `keep`: parameters that the primal overwrites stay as they are.
    `hints`: what the user decides about values that the adjoint reads. `allow_undo`: updates may be taken back in place
    to keep to a memory limit. `checks`: arrays that tell whether the program should have raised an exception.
    `aux`: arrays that are returned beside what is differentiated. `accumulate`: gradients are added to parameters.
    """

    inputs: tuple[str, ...]
    seeds: tuple[Seed, ...]
    value: bool = False
    keep: bool = False
    hints: Hints = NO_HINTS
    allow_undo: bool = False
    checks: tuple[str, ...] = ()
    aux: tuple[str, ...] = ()
    product: Product = Product.GRADIENT
    tangents: tuple[str, ...] = ()
    batch: int | None = None
    accumulate: bool = False

    @property
    def device(self) -> Device:
        """Where the program will run."""
        return self.hints.device

    @property
    def wanted(self) -> tuple[str, ...]:
        """Arrays of the primal that the caller gets, or looks at."""
        return (*(self.outputs if self.value else ()), *self.checks, *self.aux)

    @property
    def outputs(self) -> tuple[str, ...]:
        return tuple(s.output for s in self.seeds)
