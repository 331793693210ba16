"""The packages of daad, each declared once: what daad is doing there, and what depends on its text."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Literal

import daad

Role = Literal["derives", "keeps", "runs"]
"""What is another after a change there: gradients that are kept on disk, how they are kept, or compiled programs."""
DERIVES: tuple[Role, ...] = ("derives",)
KEEPS: tuple[Role, ...] = ("keeps",)
RUNS: tuple[Role, ...] = ("runs",)
DERIVES_AND_RUNS: tuple[Role, ...] = ("derives", "runs")

HOME = os.path.dirname(os.path.abspath(daad.__file__))


@dataclass(frozen=True)
class Package:
    """A folder of daad, or one of its modules, as a path without the ending.

    `doing` says what fails where an exception comes from it, `calls_user` whether it calls the user's own code.
    """

    name: str
    doing: str = ""
    roles: tuple[Role, ...] = ()
    calls_user: bool = False


PACKAGES = (
    Package("cli/measure", "running the command", calls_user=True),
    Package("cli", "running the command"),
    Package("report", "reporting", calls_user=True),
    Package("api/check", "checking", calls_user=True),
    Package("api/subject/arguments", calls_user=True),
    Package("api/subject/primal", calls_user=True),
    Package("api/call/calling_convention", roles=KEEPS),
    Package("api/call/artifact", roles=KEEPS),
    Package("api"),
    Package("products", "differentiating", roles=DERIVES),
    Package("pipeline", "differentiating", roles=DERIVES),
    Package("runtime", "compiling or calling the code", roles=RUNS),
    Package("codegen", "generating code", roles=RUNS),
    Package("passes", "optimising", roles=DERIVES),
    Package("ilp", "planning", roles=DERIVES),
    Package("loops", "differentiating", roles=DERIVES),
    Package("ccs", "differentiating", roles=DERIVES),
    Package("rules", "differentiating", roles=DERIVES),
    Package("frontend", "reading the program", calls_user=True),
    Package("analysis", roles=DERIVES_AND_RUNS),
    Package("messages"),
    Package("ir", roles=DERIVES_AND_RUNS),
)


def having(*roles: Role) -> list[Package]:
    """Those that have one of the roles."""
    return [package for package in PACKAGES if not set(roles).isdisjoint(package.roles)]


def modules(*roles: Role) -> list[str]:
    """The paths of the modules of these packages; without `pathlib`, which takes most of the time."""
    return sorted(path for package in having(*roles) for path in _modules(os.path.join(HOME, package.name)))


def package_of(file: str) -> Package | None:
    """The one that a file belongs to; None for files of others, and modules that stand for themselves."""
    if not file.startswith(HOME):
        return None
    place = os.path.splitext(os.path.relpath(file, HOME))[0]
    return next((package for package in PACKAGES if f"{place}/".startswith(f"{package.name}/")), None)


def _modules(place: str) -> list[str]:
    inside = [os.path.join(where, name) for where, _, names in os.walk(place) for name in names]
    return [path for path in inside if path.endswith(".py")] or [f"{place}.py"]
