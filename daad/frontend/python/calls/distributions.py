"""Distributions of `scipy.stats` that numbers are drawn from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

UNIVARIATE, DISCRETE, MULTIVARIATE = "rv_generic", "rv_discrete", "multi_rv_generic"
FIXED = ("rv_frozen", "multi_rv_frozen")


@dataclass(frozen=True)
class Variates:
    """Draws from a generator."""

    distribution: Any

    def __call__(self, generator: Any, *args: Any, **keywords: Any) -> Any:
        return self.distribution.rvs(*args, **keywords, random_state=generator)

    __name__ = "rvs"


@dataclass(frozen=True, kw_only=True)
class Asked:
    """The arguments of a draw: `shapes` and `named` are those of the standard form, which `moved` moves: location and
    scale."""

    shapes: list[Any]
    named: dict[str, Any]
    moved: list[Any]
    size: Any
    generator: Any
    is_univariate: bool


def draws(function: Any) -> bool:
    """Whether it is the method that draws from a distribution, not from one with fixed parameters."""
    owner = getattr(function, "__self__", None)
    is_named = getattr(function, "__name__", "") == "rvs" and (type(owner).__module__ or "").startswith("scipy.stats")
    return is_named and (_is(owner, UNIVARIATE) or _is(owner, MULTIVARIATE))


def draws_of_fixed(function: Any, args: list[Any]) -> bool:
    """Whether it is the method that draws from a distribution with fixed parameters, which asks the other one."""
    owner = getattr(function, "__self__", args[0] if args else None)
    return getattr(function, "__name__", "") == "rvs" and any(_is(owner, name) for name in FIXED)


def is_standard(value: Any) -> bool:
    """Whether it is one of SciPy's own distributions of a number, without parameters that are given to it."""
    return (type(value).__module__ or "").startswith("scipy.stats.") and _is(value, UNIVARIATE)


def _is(owner: Any, name: str) -> bool:
    return any(base.__name__ == name for base in type(owner).__mro__)


def asked(owner: Any, args: list[Any], keywords: dict[str, Any]) -> Asked:
    """What a call of `rvs` says."""
    named = dict(keywords)
    generator = named.pop("random_state", None)
    if not _is(owner, UNIVARIATE):
        return _of_vectors(owner, args, named, generator)
    places = ["loc", "size"] if _is(owner, DISCRETE) else ["loc", "scale", "size"]
    named = {**dict(zip(places, args[owner.numargs :], strict=False)), **named}
    size = named.pop("size", None)
    moved = [named.pop(name, default) for name, default in (("loc", 0), ("scale", 1)) if name in places]
    moved = moved if len(moved) == 2 else [*moved, 1]
    shapes = list(args[: owner.numargs])
    return Asked(shapes=shapes, named=named, moved=moved, size=size, generator=generator, is_univariate=True)


def _of_vectors(owner: Any, args: list[Any], named: dict[str, Any], generator: Any) -> Asked:
    return Asked(shapes=list(args), named=named, moved=[], size=None, generator=generator, is_univariate=False)
