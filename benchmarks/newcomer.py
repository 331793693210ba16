#!/usr/bin/env python3
"""A newcomer's way from a clone to a gradient of a program of one's own, each step timed, as Markdown.

Everything happens in a temporary folder: a clone of this checkout, the environment that `make demo` sets up, and a
second one into which daad is installed as into any project. The cache of compiled programs is new, too.

    python benchmarks/newcomer.py > docs/newcomer.md
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OSCILLATOR = """\
import numpy as np


def energy(x, v, stiffness, steps):
    for _ in range(steps):
        v -= 0.01 * stiffness * x
        x += 0.01 * v
    return np.sum(v * v + stiffness * x * x)


if __name__ == "__main__":
    print(energy(np.linspace(0.0, 1.0, 1000), np.zeros(1000), np.full(1000, 2.0), 5000))
"""
GRADIENT = """\
import numpy as np, daad
from oscillator import energy

gradient = daad.grad(energy, wrt="stiffness")
print(gradient(np.linspace(0.0, 1.0, 1000), np.zeros(1000), np.full(1000, 2.0), 5000)[:3])
"""
DECAY = """\
import numpy as np


def decay(activity, seconds):
    for _ in range(seconds):
        activity -= 0.01 * np.random.poisson(activity)
    return activity


if __name__ == "__main__":
    print(decay(50.0, 10))
"""
FILES = {"oscillator.py": OSCILLATOR, "gradient.py": GRADIENT, "decay.py": DECAY}


@dataclass(frozen=True)
class Step:
    """What is done, in which folder, and what a newcomer types; `status` is the exit code that it ends with."""

    name: str
    folder: str
    command: str
    status: int = 0


STEPS = (
    Step("clone", ".", f"git clone --quiet {ROOT} daad"),
    Step("the demo, with all that it needs", "daad", "make demo"),
    Step("the demo again", "daad", "make demo"),
    Step("an environment for a project", "project", "python3 -m venv env && env/bin/pip -qq install ../daad"),
    Step("what daad works with", "project", "env/bin/daad doctor"),
    Step("a script that knows nothing of daad", "project", "env/bin/daad grad oscillator.py -f energy --wrt stiffness"),
    Step("the same in Python", "project", "env/bin/python gradient.py"),
    Step("once more, from the cache", "project", "env/bin/python gradient.py"),
    Step("checked", "project", "env/bin/daad check oscillator.py -f energy --wrt stiffness"),
    Step("what it holds", "project", "env/bin/daad plan oscillator.py -f energy --wrt stiffness"),
    Step("half of that", "project", "env/bin/daad plan oscillator.py -f energy --wrt stiffness --memory-limit 640KiB"),
    Step(
        "a picture of it", "project", "env/bin/daad explain oscillator.py -f energy --wrt stiffness --html report.html"
    ),
    Step("a refusal", "project", "env/bin/daad grad decay.py -f decay --wrt activity", status=3),
    Step("a name that is not there", "project", "env/bin/daad grad oscillator.py -f energy --wrt stifness", status=2),
    Step("help", "project", 'env/bin/python -c "import daad; help(daad.grad)" | sed -n 1,12p'),
)
LINES = 14
BUSY = os.getloadavg()[0]
"""How much else there is to do when it begins."""


def walk(folder: Path, steps: tuple[Step, ...]) -> list[tuple[Step, float, str]]:
    """Each step with its seconds and what it says; ends where one does not end as it should."""
    (folder / "project").mkdir()
    for name, text in FILES.items():
        (folder / "project" / name).write_text(text)
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    environment |= {"DAAD_CACHE": str(folder / "cache"), "COLUMNS": "100"}
    done = []
    for step in steps:
        began = time.perf_counter()
        ran = subprocess.run(
            ["bash", "-c", step.command],
            cwd=folder / step.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        seconds = time.perf_counter() - began
        if ran.returncode != step.status:
            sys.exit(f"'{step.command}' ended with {ran.returncode}:\n{ran.stdout}")
        done.append((step, seconds, ran.stdout.replace(str(folder), "~")))
        print(f"{step.name}: {seconds:.1f} s", file=sys.stderr)
    return done


def page(done: list[tuple[Step, float, str]]) -> str:
    """The table, and below it what each step says."""
    system = f"Python {platform.python_version()}, {os.cpu_count()} processors with a load of {BUSY:.1f} before"
    lines = [
        "# From a clone to a gradient of one's own",
        "",
        f"Written by `python benchmarks/newcomer.py` ({system}), which starts with an empty folder and an empty cache.",
        "",
        "| step | seconds |",
        "| --- | --: |",
        *(f"| {step.name} | {seconds:.1f} |" for step, seconds, _ in done),
        f"| all | {sum(seconds for _, seconds, _ in done):.1f} |",
    ]
    for name, text in FILES.items():
        lines += ["", f"`{name}`:", "", *("    " + line if line else "" for line in text.splitlines())]
    for step, _, said in done:
        shown = re.sub(r"\x1b\[[0-9;]*m", "", said).rstrip().splitlines()
        more = ["    ..."] if len(shown) > LINES else []
        told = ["    " + line.rstrip() if line.strip() else "" for line in shown[:LINES]]
        command = step.command.replace(str(ROOT), "path/to/daad")
        lines += ["", f"## {step.name[0].upper()}{step.name[1:]}", "", f"    $ {command}", *told, *more]
    return "\n".join(lines)


def main() -> None:
    """Prints the page; what takes long is told on standard error."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=len(STEPS), help="so many steps only")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print(page(walk(Path(folder), STEPS[: options.first])))


if __name__ == "__main__":
    main()
