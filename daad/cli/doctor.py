"""`daad doctor`: what daad works with on this machine, and whether its C++ compiler can be trusted."""

from __future__ import annotations

import ctypes
import importlib.util
import json
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import click
import dace
import scipy_openblas32

import daad
from daad.cli.exit_codes import COMPILER_FAILED, exit_codes
from daad.cli.gpus import gpu_facts, gpu_rows
from daad.codegen import compiler_trust
from daad.codegen.compiler_probes import PROBES
from daad.codegen.fingerprint import processor
from daad.errors import CompileError
from daad.messages.sizes import readable
from daad.runtime import toolchain
from daad.runtime.cache import cache_root
from daad.runtime.library import MANIFEST
from daad.runtime.processors import threads

VECTORS = {"avx512f": 64, "avx": 32, "sse2": 16, "asimd": 16}
"""Bytes of the widest vectors, by what /proc/cpuinfo calls them."""

OPTIONAL = {
    "scipy": ("SciPy's optimisers and functions", "pip install scipy"),
    "matplotlib": ("pictures of plans and of memory", "pip install matplotlib"),
    "jax": ("gradients as JAX functions", "pip install 'daad[jax]'"),
    "torch": ("gradients as torch functions", "pip install 'daad[torch]'"),
    "distributed": ("ensembles on other machines", "pip install 'daad[dask]'"),
    "mpi4py": ("programs that pass messages", "pip install 'daad[mpi]'"),
}
"""What some of daad needs, what that is, and the command that brings it."""

Facts = dict[str, Any]


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="Print for machines.")
def command(as_json: bool) -> None:
    """Show what daad works with here: versions, compiler, processor, cache, and whether the compiler is right.

    The exit code is 5 if there is no compiler that daad can use.
    """
    with exit_codes():
        facts = {"versions": _versions(), "compiler": _compiler(), "processor": _processor(), "cache": _cache()}
        facts["gpu"] = gpu_facts()
        facts["dace"], facts["missing"] = _dace(), _missing()
        print(json.dumps(facts, indent=2) if as_json else _text(facts))
    sys.exit(COMPILER_FAILED if facts["compiler"]["problem"] else 0)


def _versions() -> Facts:
    names = {"NumPy": "numpy", "DaCe": "dace", "OpenBLAS": "scipy-openblas32"}
    return {"daad": daad.__version__, "Python": platform.python_version(), **{n: version(p) for n, p in names.items()}}


def _compiler() -> Facts:
    """`probes`: whether each is right with the flags and the remedy; `problem`: why it cannot be used."""
    name = toolchain.compiler()
    path = shutil.which(name)
    facts: Facts = {"name": name, "path": path, "version": None, "flags": [], "probes": {}, "remedy": [], "avoided": {}}
    try:
        toolchain.require_compiler()
        facts |= {"version": _said(toolchain.calling()), "flags": [*toolchain.flags()], "avoided": toolchain.avoided()}
        found = compiler_trust.examined()
        facts["probes"] = {probe: probe not in found.wrong[-1] for probe in PROBES}
        facts["remedy"] = [*compiler_trust.trusted()]
    except CompileError as error:
        return {**facts, "problem": str(error)}
    return {**facts, "problem": None}


def _said(call: Sequence[str]) -> str:
    """The first line that a compiler says of itself."""
    try:
        said = subprocess.run([*call, "--version"], capture_output=True, text=True, errors="replace", check=False)
    except OSError as error:
        return str(error.strerror)
    return said.stdout.partition("\n")[0]


def _processor() -> Facts:
    lines = processor()
    words = set(lines.split())
    name = lines.partition("model name")[2].strip("\t :")
    return {
        "name": name or platform.machine(),
        "vector_bytes": next((size for flag, size in VECTORS.items() if flag in words), None),
        "blas": _blas(),
        "threads": threads(),
    }


def _blas() -> str:
    """The processor that OpenBLAS takes this one for."""
    folder = Path(scipy_openblas32.get_lib_dir())
    library = ctypes.CDLL(str(folder / scipy_openblas32.get_library(fullname=True)))
    library.scipy_openblas_get_corename.restype = ctypes.c_char_p
    core: bytes = library.scipy_openblas_get_corename()
    return core.decode()


def _cache() -> Facts:
    root = cache_root()
    if root is None:
        return {"folder": None, "programs": 0, "bytes": 0}
    files = [path for path in root.rglob("*") if path.is_file()] if root.is_dir() else []
    programs = sum(path.name == MANIFEST for path in files)
    return {"folder": str(root), "programs": programs, "bytes": sum(path.stat().st_size for path in files)}


def _dace() -> Facts:
    """Where DaCe is configured, and what is not as it comes."""
    return {"file": dace.Config.cfg_filename(), "changed": dict(_flat(dace.Config().nondefaults()))}


def _flat(settings: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in settings.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def _missing() -> Facts:
    """What is not installed of what some of daad needs."""
    absent = (name for name in OPTIONAL if importlib.util.find_spec(name) is None)
    return {name: dict(zip(("for", "command"), OPTIONAL[name], strict=True)) for name in absent}


def _text(facts: Facts) -> str:
    compiler, machine, cache = facts["compiler"], facts["processor"], facts["cache"]
    width = f"vectors of {machine['vector_bytes']} bytes" if machine["vector_bytes"] else "vectors of unknown width"
    count = cache["programs"]
    kept = f"{cache['folder']}, {count} program{'' if count == 1 else 's'}, {readable(cache['bytes'])}"
    rows = [
        *facts["versions"].items(),
        ("processor", f"{machine['name']}, {width}, {machine['threads']} threads, '{machine['blas']}' to OpenBLAS"),
        ("cache", kept if cache["folder"] else "off"),
        ("compiler", f"{compiler['path'] or compiler['name']}: {compiler['version'] or 'not found'}"),
        ("flags", " ".join(compiler["flags"])),
        *_probed(compiler),
        *gpu_rows(facts["gpu"]),
        ("settings", f"DaCe's, {facts['dace']['file'] or 'in no file'}: daad takes the name of the compiler from them"),
        *(("changed", f"{name} = {value}") for name, value in facts["dace"]["changed"].items()),
        *(("missing", f"{name}, for {what['for']}: {what['command']}") for name, what in facts["missing"].items()),
    ]
    return "\n".join(f"{label:<10} {text}" for label, text in rows if text)


def _probed(compiler: Facts) -> list[tuple[str, str]]:
    """What the compiler gets wrong, and what is done about it."""
    probes = compiler["probes"]
    rows = [("probes", f"{sum(probes.values())} of {len(probes)} right" if probes else "")]
    rows += [("wrong", name) for name, is_right in probes.items() if not is_right]
    rows += [("remedy", " ".join(compiler["remedy"]))]
    rows += [("avoided", f"{what}: {' '.join(flags)}") for what, flags in compiler["avoided"].items()]
    return [*rows, ("problem", (compiler["problem"] or "").replace("\n", "\n" + " " * 11))]
