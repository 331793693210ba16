"""The compiler for NVIDIA GPUs: from wheels of PyPI (`pip install 'daad[gpu]'`), or as it is installed here."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from daad.errors import BadArgument, CompileError, DeviceError
from daad.runtime.build_folders import require_room
from daad.runtime.compiler_errors import explained
from daad.runtime.gpu.cards import current_card
from daad.runtime.gpu.device_driver import CPU, driver
from daad.runtime.process_groups import run

CHOSEN, ARCHITECTURES = "DAAD_NVCC", "DAAD_CUDA_ARCH"
INSTALL = "Install it by pip install 'daad[gpu]'"
# A product is rounded before it is added, as everywhere in daad; the runtime is linked in, so that programs need the
# driver alone.
FLAGS = ("-std=c++20", "-O3", "-fmad=false", "--expt-relaxed-constexpr", "-shared", "-cudart=static", "-w")
HOST_FLAGS = ("-Xcompiler=-fPIC,-O1,-ffp-contract=off",)


@dataclass(frozen=True)
class Nvcc:
    """The compiler at `path`; `version` is (13, 5) for what comes with CUDA 13.5, `known` are the architectures for
    which it makes code."""

    path: Path
    version: tuple[int, int]
    known: tuple[int, ...]

    @property
    def root(self) -> Path:
        """The folder of the whole toolkit."""
        return self.path.parent.parent

    def cublas(self) -> Path | None:
        """The library of products of matrices; None where it, or its header, is missing."""
        if not (self.root / "include" / "cublas_v2.h").is_file():
            return None
        folders = (self.root / name for name in ("lib", "lib64"))
        return next((found for folder in folders for found in sorted(folder.glob("libcublas.so*"))), None)


def nvcc() -> Nvcc:
    """The compiler: that of the variable DAAD_NVCC, of a wheel, or on the path; CompileError where there is none."""
    chosen = os.environ.get(CHOSEN)
    places = [Path(chosen)] if chosen else [*_in_wheels(), *map(Path, filter(None, [shutil.which("nvcc")]))]
    for place in places:
        if os.access(place, os.X_OK) and (found := _examined(place)):
            return found
    what = f"'{chosen}', which {CHOSEN} names, is no nvcc" if chosen else "The compiler for GPUs, nvcc, was not found"
    raise CompileError(f"{what}.", hint=f"{INSTALL}, or name another one in the variable {CHOSEN}.")


def _in_wheels() -> Iterator[Path]:
    """Newest version first."""
    spec = find_spec("nvidia")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        yield from sorted(Path(folder).glob("cu*/bin/nvcc"), reverse=True)
        yield from Path(folder).glob("cuda_nvcc/bin/nvcc")


@lru_cache
def _examined(path: Path) -> Nvcc | None:
    told = re.search(r"release (\d+)\.(\d+)", _said(path, "--version"))
    known = re.findall(r"compute_(\d+)\b", _said(path, "--list-gpu-arch"))
    real = path.resolve()  # a link would hide what lies beside the compiler
    return Nvcc(real, (int(told[1]), int(told[2])), tuple(sorted(map(int, known)))) if told and known else None


def _said(path: Path, question: str) -> str:
    try:
        return subprocess.run([path, question], capture_output=True, text=True, errors="replace", check=False).stdout
    except OSError:
        return ""


def is_chosen() -> bool:
    """Whether architectures are given, so that programs can be compiled where there is no GPU."""
    return bool(os.environ.get(ARCHITECTURES, "").strip())


def architectures() -> tuple[int, ...]:
    """What programs are compiled for: the variable DAAD_CUDA_ARCH, such as "90" or "80,90", otherwise the GPU here."""
    if not is_chosen():
        return (current_card().architecture,)
    given = os.environ[ARCHITECTURES]
    words = [word.strip().removeprefix("sm_").replace(".", "") for word in given.split(",")]
    if not all(re.fullmatch(r"\d{2,3}", word) for word in words):
        raise BadArgument(f"The variable {ARCHITECTURES} is {given!r}.", hint='Write it as "90" or "80,90".')
    return tuple(sorted({int(word) for word in words}))


def require_match() -> None:
    """Raises DeviceError where the driver does not run what the compiler makes."""
    made, runs = nvcc().version, divmod(driver().version // 10, 100)
    if made[0] > runs[0]:
        raise DeviceError(
            f"The driver of the GPU is for CUDA {runs[0]}.{runs[1]}, and nvcc for CUDA {made[0]}.{made[1]}.",
            hint=f"Update the driver, or {CPU}.",
        )


def compile_for_gpu(source: Path, library: Path, targets: Sequence[int], *, needs_cublas: bool = False) -> None:
    """Compiles a file of CUDA C++ for some architectures."""
    made = nvcc()
    command = [str(made.path), f"-ccbin={_host_compiler()}", *FLAGS, *HOST_FLAGS]
    command += [_code_for(target, made) for target in targets]
    command += [str(source), "-o", str(library), *(_linked(made) if needs_cublas else ())]
    ((status, output),) = run([command], source.parent, {"TMPDIR": str(source.parent), "LC_ALL": "C", "LANGUAGE": None})
    if status or not library.exists():
        require_room(source.parent)
        raise explained(output, command, source)


def _host_compiler() -> str:
    """What nvcc calls for the part that runs on the CPU."""
    return os.environ.get("CXX") or ("g++" if shutil.which("g++") else "c++")


def _code_for(target: int, made: Nvcc) -> str:
    """For a GPU that is newer than the compiler, code that its driver translates."""
    if target in made.known:
        return f"-gencode=arch=compute_{target},code=sm_{target}"
    older = [known for known in made.known if known < target]
    if not older:
        raise DeviceError(
            f"CUDA {made.version[0]}.{made.version[1]} makes no code for GPUs of architecture sm_{target}.",
            hint=f"Name one of {', '.join(map(str, made.known))} in the variable {ARCHITECTURES}, or {CPU}.",
        )
    return f"-gencode=arch=compute_{older[-1]},code=compute_{older[-1]}"


def _linked(made: Nvcc) -> list[str]:
    library = made.cublas()
    if library is None:
        raise CompileError("The library cuBLAS was not found beside nvcc.", hint=f"{INSTALL}.")
    return [f"-L{library.parent}", f"-l:{library.name}", f"-Xlinker=-rpath={library.parent}"]
