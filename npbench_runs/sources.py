"""Where a kernel's program comes from: this package, an NPBench checkout, or any `module:attribute`."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from npbench_runs import kernel, npbench
from npbench_runs.kernel import Kernel


@dataclass(frozen=True, kw_only=True)
class Source:
    """Gives kernels by name."""

    npbench: Path | None = None

    @property
    def name(self) -> str:
        """Whose programs these are."""
        return "npbench_runs" if self.npbench is None else "NPBench"

    def kernel(self, name: str) -> Kernel:
        """The kernel; `module:attribute` names one that is in no suite."""
        module, _, attribute = name.partition(":")
        if attribute:
            return getattr(importlib.import_module(module), attribute)
        return kernel.load(name) if self.npbench is None else npbench.load(name, self.npbench)

    def as_json(self) -> dict[str, Any]:
        """For a worker."""
        return {"npbench": None if self.npbench is None else str(self.npbench)}

    @staticmethod
    def of_json(content: dict[str, Any]) -> Source:
        """In a worker."""
        return Source(npbench=Path(content["npbench"]) if content["npbench"] else None)
