"""What a command line of `daad bench` asks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from daad.cli.script.running import suggest
from daad.errors import BadArgument

SECONDS = {"tiny": 60.0, "S": 60.0}


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One command line; `memory` in bytes, `threads` None for all cores."""

    kernels: tuple[str, ...]
    preset: str
    loss: str
    device: str
    npbench: Path | None
    engines: tuple[str, ...]
    repeats: int
    threads: int | None
    timeout: float | None
    memory: int | None
    json: Path | None
    fresh: bool
    plot: Path | None
    report: Path | None
    figure: str | None
    out: Path | None
    sizes: str | None = None
    per: str | None = None

    @property
    def seconds(self) -> float:
        """What one engine may take on one kernel: a whole run at S ends within the hour."""
        return self.timeout or SECONDS.get(self.preset, 300.0)

    @property
    def path(self) -> Path:
        """Where the results are."""
        return self.json or Path(f"bench-{'gpu-' if self.device == 'gpu' else ''}{self.preset}.json")


def chosen(kind: str, asked: Sequence[str], known: Iterable[str]) -> tuple[str, ...]:
    """The names, each once; raises BadArgument for an unknown one."""
    for name in asked:
        if name not in known:
            raise BadArgument(f"There is no {kind} '{name}'.", hint=suggest(name, known))
    return tuple(dict.fromkeys(asked))
