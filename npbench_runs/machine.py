"""The setting of a run: versions and machine, as the results file keeps them."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import os
import platform
from pathlib import Path

from npbench_runs.resident import machine_bytes
from npbench_runs.results import Setting

PACKAGES = ("daad", "dace", "numpy", "jax", "jaxlib")
NOT_INSTALLED = "(not installed)"
GIB = 2**30


def setting(preset: str, source: str, threads: int, repeats: int, loss: str = "sum", gpu: str = "") -> Setting:
    """This machine, now."""
    return Setting(
        preset=preset,
        source=source,
        threads=threads,
        repeats=repeats,
        loss=loss,
        gpu=gpu,
        cpu=processor(),
        cores=cores(),
        memory_gib=round(machine_bytes() / GIB, 1),
        platform=f"{platform.system()} {platform.machine()}",
        versions={"python": platform.python_version(), **{name: version(name) for name in PACKAGES}},
    )


def cores() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0))


def version(package: str) -> str:
    """A package's version, or that it is missing."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return NOT_INSTALLED


def processor() -> str:
    """The processor's name as Linux gives it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def differing(one: Setting, other: Setting) -> tuple[str, ...]:
    """What makes rows of two settings incomparable, in words."""
    return tuple(
        f"{field.name} {shown(getattr(one, field.name))} there, {shown(getattr(other, field.name))} now"
        for field in dataclasses.fields(Setting)
        if getattr(one, field.name) != getattr(other, field.name)
    )


def shown(value: object) -> str:
    """A value in a sentence."""
    return ", ".join(f"{k} {v}" for k, v in value.items()) if isinstance(value, dict) else f"'{value}'"
