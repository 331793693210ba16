"""`daad bench`: gradients of NPBench's algorithms, by daad and by others."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path
from typing import Any

import click

from daad.cli.exit_codes import exit_codes
from daad.errors import BadArgument

# The benchmark's own names are not known before it is loaded, and help must answer at once.
PRESETS = ("tiny", "S", "M", "L", "paper")
LOSSES = ("weighted", "sum")
ENGINES = "daad,primal,jax,dace,numpy"
ON_GPU = ("daad", "jax")
"""Those who run on a GPU."""
SIZE = re.compile(r"(\d+(?:\.\d*)?)\s*(KiB|MiB|GiB|)")
UNITS = {"KiB": 2**10, "": 2**20, "MiB": 2**20, "GiB": 2**30}


def _names(_ctx: click.Context, _parameter: click.Parameter, value: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in value.split(",") if name.strip())


def _bytes(_ctx: click.Context, _parameter: click.Parameter, value: str | None) -> int | None:
    if value is None:
        return None
    read = SIZE.fullmatch(value.strip())
    if read is None or not float(read[1]):
        raise click.BadParameter(f"'{value}' is no size; write it as 12GiB or 500MiB.")
    return int(float(read[1]) * UNITS[read[2]])


_FILE = click.Path(dir_okay=False, path_type=Path)


@click.command("bench")
@click.argument("kernels", nargs=-1, metavar="[KERNEL]...")
@click.option("--preset", type=click.Choice(PRESETS), default="S", show_default=True, help="The size.")
@click.option(
    "--loss", type=click.Choice(LOSSES), default="weighted", show_default=True, help="What is differentiated."
)
@click.option("--device", type=click.Choice(["cpu", "gpu"]), default="cpu", help="Where gradients run.")
@click.option("--npbench", type=click.Path(path_type=Path), metavar="PATH", help="Take programs from this checkout.")
@click.option("--engines", callback=_names, default=ENGINES, show_default=True, help="Who is compared.")
@click.option("--repeats", type=click.IntRange(min=1), default=10, show_default=True, help="Samples of each engine.")
@click.option("--threads", type=click.IntRange(min=1), help="Default: all cores.")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    help="Seconds for one engine on one kernel; default: 60 at the sizes 'tiny' and 'S', else 300.",
)
@click.option(
    "--memory-limit",
    "memory",
    callback=_bytes,
    metavar="SIZE",
    help="Such as 12GiB: what one engine may take; default: 60 % of the machine.",
)
@click.option("--json", type=_FILE, metavar="FILE", help="Keep results here, and go on from them.  [bench-PRESET.json]")
@click.option("--fresh", is_flag=True, help="Forget the results that are there.")
@click.option("--plot", type=_FILE, metavar="FILE", help="Draw the speed-ups over JAX.")
@click.option("--report", type=_FILE, metavar="RESULTS", help="Show these results; measure nothing.")
@click.option("--figure", metavar="NAME", help="Draw one picture: vectorized, loops, sizes or memory.")
@click.option("--out", type=_FILE, metavar="FILE", help="Where the figure goes.  [NAME.svg]")
@click.option("--sizes", metavar="NAME=A,B,...", help="With '--figure sizes' and a kernel: how it grows.")
@click.option("--per", metavar="PRODUCT", help="Such as 'TSTEPS * N * N': what times are divided by.  [NAME]")
def command(**given: Any) -> None:
    """Compare gradients of NPBench's algorithms: are they right, how long do they take, how much memory.

    All kernels unless some are named. Each engine runs in a process of its own; results are kept after each kernel,
    and the same command goes on where the last one ended.
    """
    if given["device"] == "gpu" and given["engines"] == tuple(ENGINES.split(",")):
        given["engines"] = ON_GPU
    with exit_codes():
        code = _run(given)
    sys.exit(code)


def _run(given: dict[str, Any]) -> int:
    try:
        bench = importlib.import_module("npbench_runs.command")
    except ModuleNotFoundError as failure:
        if failure.name != "npbench_runs":
            raise
        hint = "pip install 'daad[bench]' installs it."
        raise BadArgument("The benchmark's package 'npbench_runs' is not installed.", hint=hint) from None
    code: int = bench.run(bench.Asked(**given))
    return code
