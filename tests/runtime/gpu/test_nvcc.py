"""The compiler for GPUs: where it is found, what it is called with, what is wrong where it cannot be used."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from daad.errors import BadArgument, CompileError, DeviceError
from daad.runtime.gpu import nvcc
from tests.runtime.gpu.stand_in import StandIn

KERNEL = """#include <cuda_runtime.h>
__global__ void kernel(double* x) { x[threadIdx.x] *= 2.0; }
extern "C" int daad_run(void*, void* const* a, void* s) {
    void* x = a[0]; void* args[] = {&x};
    return cudaLaunchKernel((const void*)kernel, dim3(1), dim3(32), args, 0, (cudaStream_t)s);
}
"""


def script(path: Path, version: str = "13.5", known: str = "75 90") -> Path:
    """A program that answers as nvcc does, and writes its own call where it is to compile."""
    path.parent.mkdir(parents=True, exist_ok=True)
    listed = "".join(f"compute_{number}\\n" for number in known.split())
    path.write_text(
        "#!/bin/sh\n"
        f'case "$1" in --version) echo "Cuda compilation tools, release {version}, V{version}.37";;\n'
        f'--list-gpu-arch) printf "{listed}";;\n'
        '*) for word; do case "$before" in -o) echo "$@" > "$word";; esac; before="$word"; done;; esac\n'
    )
    path.chmod(0o755)
    return path


@pytest.fixture
def compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(nvcc.CHOSEN, str(script(tmp_path / "bin" / "nvcc")))
    return tmp_path


def called(folder: Path, *targets: int, **options: bool) -> str:
    (folder / "a.cu").write_text(KERNEL)
    nvcc.compile_for_gpu(folder / "a.cu", folder / "a.so", targets, **options)
    return (folder / "a.so").read_text()


def test_the_chosen_one(compiler: Path) -> None:
    assert nvcc.nvcc() == nvcc.Nvcc(compiler / "bin" / "nvcc", (13, 5), (75, 90))


def test_that_of_a_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(nvcc.CHOSEN, raising=False)
    monkeypatch.syspath_prepend(str(tmp_path))
    for version in ("12.9", "13.5"):
        script(tmp_path / "nvidia" / f"cu{version[:2]}" / "bin" / "nvcc", version)
    assert nvcc.nvcc().version == (13, 5)


@pytest.mark.parametrize("chosen", ["/no/such/nvcc", "/bin/true", None])
def test_none(chosen: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nvcc, "_in_wheels", lambda: iter(()))
    monkeypatch.setattr(nvcc.shutil, "which", lambda name: None)
    monkeypatch.setenv(nvcc.CHOSEN, chosen) if chosen else monkeypatch.delenv(nvcc.CHOSEN, raising=False)
    with pytest.raises(CompileError, match=r"nvcc.*\n  Install it by pip install 'daad\[gpu\]', or name another one"):
        nvcc.nvcc()


def test_the_call(compiler: Path) -> None:
    words = called(compiler, 75, 90).split()
    assert {"-fmad=false", "-cudart=static", "-gencode=arch=compute_90,code=sm_90"} <= {*words}
    assert "-gencode=arch=compute_75,code=sm_75" in words
    assert not any("cublas" in word for word in words)


def test_a_gpu_newer_than_the_compiler(compiler: Path) -> None:
    assert "-gencode=arch=compute_90,code=compute_90" in called(compiler, 130)


def test_a_gpu_older_than_the_compiler(compiler: Path) -> None:
    with pytest.raises(DeviceError, match=r"^CUDA 13\.5 makes no code for GPUs of architecture sm_61\."):
        called(compiler, 61)


def test_cublas(compiler: Path) -> None:
    with pytest.raises(CompileError, match=r"^The library cuBLAS was not found beside nvcc\.\n  Install it by pip"):
        called(compiler, 90, needs_cublas=True)
    for name in ("include/cublas_v2.h", "lib/libcublas.so.13"):
        (compiler / name).parent.mkdir(exist_ok=True)
        (compiler / name).touch()
    words = called(compiler, 90, needs_cublas=True).split()
    assert {f"-L{compiler}/lib", "-l:libcublas.so.13", f"-Xlinker=-rpath={compiler}/lib"} <= {*words}


GIVEN = {"90": (90,), "sm_90": (90,), "9.0, 80": (80, 90), " 103 ,90": (90, 103)}


@pytest.mark.parametrize("given", GIVEN)
def test_architectures_that_are_given(given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(nvcc.ARCHITECTURES, given)
    assert nvcc.architectures() == GIVEN[given]


def test_no_such_architecture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(nvcc.ARCHITECTURES, "hopper")
    with pytest.raises(BadArgument, match=r"^The variable DAAD_CUDA_ARCH is 'hopper'\.\n  Write it as \"90\""):
        nvcc.architectures()


def test_the_architecture_of_the_gpu(gpu: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(nvcc.ARCHITECTURES, raising=False)
    assert nvcc.architectures() == (90,)


def test_a_driver_older_than_the_compiler(gpu: StandIn, compiler: Path) -> None:
    gpu.reset(version=13000)
    nvcc.require_match()
    gpu.reset(version=12040)
    with pytest.raises(
        DeviceError, match=r"^The driver of the GPU is for CUDA 12\.4, and nvcc for CUDA 13\.5\.\n  Update"
    ):
        nvcc.require_match()


@pytest.mark.skipif(not shutil.which("nvcc"), reason="there is no nvcc on the path")
def test_what_it_compiles(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(KERNEL)
    nvcc.compile_for_gpu(tmp_path / "a.cu", tmp_path / "a.so", (80, 90))
    assert (tmp_path / "a.so").read_bytes()[:4] == b"\x7fELF"
    (tmp_path / "a.cu").write_text(KERNEL.replace("2.0", "wrong"))
    with pytest.raises(CompileError, match='identifier "wrong" is undefined'):
        nvcc.compile_for_gpu(tmp_path / "a.cu", tmp_path / "b.so", (90,))
