"""Libraries for other languages: each gives what a call of the gradient gives, in a process without Python."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import special

import daad
from daad.cli import main
from tests.api.export.libraries import LARGE, PROGRAMS, Exported, flags, heat, leaves, run, sums

COMPILERS = {
    "c": ["gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic"],
    "cpp": ["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror"],
    "f90": ["gfortran", "-std=f2018", "-Wall"],
}


@pytest.fixture(scope="module", params=PROGRAMS, ids=lambda p: p.name)
def exported(request, tmp_path_factory) -> tuple[Exported, Path, str, Any]:
    """A program, the folder of its library, the library's name, and what a call gives."""
    case: Exported = request.param
    folder = tmp_path_factory.mktemp(case.name) / "made"
    gradient = daad.value_and_grad(case.function, wrt=case.wrt, **case.options)
    assert gradient.export(folder, *case.args) == folder
    [header] = (folder / "include").glob("*.h")
    return case, folder, header.stem, gradient(*case.args)


def compiled(folder: Path, name: str, ending: str, target: Path) -> Path:
    compiler = COMPILERS[ending]
    if shutil.which(compiler[0]) is None:
        pytest.skip(f"There is no {compiler[0]}.")
    source = folder / f"examples/{name}_example.{ending}"
    more = [folder / f"include/{name}.f90"] if ending == "f90" else []
    run([*compiler, *more, source, *flags(folder, name), "-o", target / "example"], target)
    return target / "example"


@pytest.mark.parametrize("ending", COMPILERS)
def test_examples_print_what_a_call_gives(exported, ending: str, tmp_path: Path) -> None:
    _, folder, name, found = exported
    example = compiled(folder, name, ending, tmp_path)
    printed = sums(run([example, folder / "examples/arguments.bin"], tmp_path))
    expected = [a.view(a.real.dtype).sum() if a.dtype.kind == "c" else a.sum() for a in leaves(found)]
    assert np.allclose([*printed.values()], expected, rtol=1e-5 if name.startswith("single") else 1e-12, atol=1e-12)


def test_the_python_module_needs_numpy_alone(exported, tmp_path: Path) -> None:
    case, folder, name, found = exported
    if case.name == "network":
        arrays = [case.args[0]["w"], case.args[0]["b"], case.args[1], np.array(case.args[2])]
    else:
        text = (folder / f"python/{name}.py").read_text()
        count = text[text.index("_INPUTS") : text.index("_OUTPUTS")].count("\n") - 2
        arrays = [np.asarray(value) for value in case.args][:count]
    np.savez(tmp_path / "given.npz", *arrays)
    script = (
        "import sys, numpy as np\n"
        f"sys.path[:] = [p for p in sys.path if p != {str(Path(daad.__file__).parents[1])!r}]\n"
        f"sys.path.insert(0, {str(folder / 'python')!r})\n"
        f"import {name}\n"
        "assert 'daad' not in sys.modules\n"
        f"value, gradient = {name}.{name}(*np.load('given.npz').values())\n"
        "found = gradient if isinstance(gradient, tuple) else (gradient,)\n"
        "np.savez('found.npz', value, *found)\n"
    )
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=True)
    for one, other in zip(np.load(tmp_path / "found.npz").values(), leaves(found), strict=True):
        assert one.dtype == other.dtype
        assert np.array_equal(one, other)


def test_gradients_are_added_to_shadows_and_null_gets_nothing(tmp_path: Path) -> None:
    u, k = np.sin(np.linspace(0.0, 3.0, 8)), np.full(8, 0.25)
    folder = daad.grad(heat, wrt=("u", "k")).export(tmp_path / "made", u, k, 3)
    library = ctypes.CDLL(str(folder / "lib/libheat_grad.so"))
    value, (du, dk) = daad.value_and_grad(heat, wrt=("u", "k"))(u, k, 3)
    u_shadow, k_shadow, found = np.ones(8), np.full(8, 2.0), np.zeros(())
    pointer = lambda array: None if array is None else ctypes.c_void_p(array.ctypes.data)
    call = lambda *arrays: library.heat_grad_add(*map(pointer, arrays))
    assert call(u, u_shadow, k, k_shadow, found, None) == 0
    assert np.array_equal(u_shadow, 1.0 + du)
    assert np.array_equal(k_shadow, 2.0 + dk)
    assert found == value
    assert call(u, None, k, k_shadow, None, None) == 0
    assert np.array_equal(k_shadow, 2.0 + dk + dk)
    work = np.zeros(library.heat_grad_work_bytes() + 1, np.uint8)[1:]
    assert call(u, None, k, k_shadow, None, work) == 0
    assert call(None, None, k, k_shadow, None, None) == 2


def test_the_shadow_of_an_inactive_argument_is_null(tmp_path: Path) -> None:
    u, k = np.ones(8), np.full(8, 0.25)
    folder = daad.grad(heat, wrt="k").export(tmp_path / "made", u, k, 3)
    library = ctypes.CDLL(str(folder / "lib/libheat_grad.so"))
    arrays = u, np.ones(8), k, np.ones(8)
    places = [ctypes.c_void_p(a.ctypes.data) for a in arrays]
    assert library.heat_grad_add(*places, None, None) == 2


CODES = [
    ("weighted", (np.ones(6), 4), 0),
    ("gathered", (np.ones(6), np.array([0, 6, 1])), 3),
    ("root", (np.array([-1.0, 1.0, 0.0, 0.0, 0.0, 0.0]),), 16),
    ("until_small", (np.full(6, 1e30),), 4),
]


@pytest.mark.parametrize(("name", "args", "code"), CODES)
def test_errors_are_codes_with_sentences(name: str, args: tuple[Any, ...], code: int, tmp_path: Path) -> None:
    case = next(p for p in PROGRAMS if p.name == name)
    folder = daad.grad(case.function).export(tmp_path / "made", *case.args)
    library = ctypes.CDLL(str(folder / f"lib/lib{name}_grad.so"))
    sentence = getattr(library, f"{name}_grad_error")
    sentence.restype = ctypes.c_char_p
    words = [ctypes.c_void_p(a.ctypes.data) if isinstance(a, np.ndarray) else ctypes.c_int64(a) for a in args]
    arrays = np.zeros(()), np.zeros(6)
    outputs = [ctypes.c_void_p(a.ctypes.data) for a in arrays]
    assert getattr(library, f"{name}_grad")(*words, *outputs, None) == code
    assert sentence(code).decode().endswith(".")


def test_products_of_openblas_come_along(tmp_path: Path) -> None:
    folder = daad.grad(LARGE.function, wrt="w").export(tmp_path / "made", *LARGE.args)
    value, dw = daad.value_and_grad(LARGE.function, wrt="w")(*LARGE.args)
    [header] = (folder / "include").glob("*.h")
    printed = sums(run([compiled(folder, header.stem, "c", tmp_path), folder / "examples/arguments.bin"], tmp_path))
    assert np.allclose([*printed.values()], [value, dw.sum()])


def test_the_python_module_compiles_again_for_another_processor(tmp_path: Path) -> None:
    folder = daad.grad(LARGE.function, wrt="w").export(tmp_path / "made", *LARGE.args)
    [module] = (folder / "python").glob("*.py")
    text = module.read_text().replace(f"if not _library.{module.stem}_fits():", "if True:")
    (folder / "python/again.py").write_text(text)
    script = (
        f"import sys, numpy as np\nsys.path.insert(0, {str(folder / 'python')!r})\nimport again\n"
        f"w, x = np.load('given.npz').values()\nnp.save('found.npy', again.{module.stem}(w, x)[1])\n"
    )
    np.savez(tmp_path / "given.npz", *LARGE.args)
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=True)
    assert np.allclose(np.load(tmp_path / "found.npy"), daad.grad(LARGE.function, wrt="w")(*LARGE.args), rtol=1e-12)


def test_cmake_finds_the_package(tmp_path: Path) -> None:
    if shutil.which("cmake") is None:
        pytest.skip("There is no cmake.")
    folder = daad.grad(heat, wrt="k").export(tmp_path / "made", np.ones(8), np.full(8, 0.25), 3)
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\nproject(user C)\nfind_package(heat_grad 0.1 REQUIRED)\n"
        f"add_executable(user {folder}/examples/heat_grad_example.c)\n"
        "target_link_libraries(user heat_grad::heat_grad)\n"
    )
    run(["cmake", "-S", ".", "-B", "build", f"-DCMAKE_PREFIX_PATH={folder}"], tmp_path)
    run(["cmake", "--build", "build"], tmp_path)
    assert "value" in sums(run([tmp_path / "build/user", folder / "examples/arguments.bin"], tmp_path))


def test_a_library_shows_its_own_symbols_alone(tmp_path: Path) -> None:
    folder = daad.grad(heat, wrt="k").export(tmp_path / "made", np.ones(8), np.full(8, 0.25), 3)
    shown = run(["nm", "-D", "--defined-only", folder / "lib/libheat_grad.so"], tmp_path)
    names = {re.split(r"@+", line.split()[-1])[0] for line in shown.splitlines()}
    assert {name for name in names if not name.startswith("heat_grad")} == set()


def opaque_sum(x):
    return measured(x)


@daad.custom_vjp(opaque=True)
def measured(x):
    return float(np.sum(x))


measured.defvjp(lambda x: (float(np.sum(x)), x), lambda x, bar: (bar * np.ones_like(x),))


def noisy(x):
    return np.sum(x * np.random.rand(6))


def bessel(x):
    return np.sum(special.jv(1.5, x))


REFUSED = [
    (bessel, {}, "The program calls 'scipy.special.jv', of which SciPy alone has the code."),
    (opaque_sum, {}, "The program calls Python, which a library for C cannot."),
    (noisy, {}, "The program draws random numbers with NumPy, which a library for C cannot."),
    (noisy, {"device": "gpu"}, "Libraries are made for CPUs."),
]


@pytest.mark.parametrize(("function", "options", "sentence"), REFUSED, ids=lambda v: getattr(v, "__name__", ""))
def test_refusals(function: Any, options: dict[str, Any], sentence: str, tmp_path: Path) -> None:
    with pytest.raises(daad.Unsupported, match=re.escape(sentence)):
        daad.grad(function, **options).export(tmp_path / "made", np.ones(6))
    assert not (tmp_path / "made").exists()


def test_the_folder_must_be_one(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(daad.BadArgument, match="is a file"):
        daad.grad(heat).export(tmp_path / "file", np.ones(8), np.ones(8), 3)
    with pytest.raises(daad.BadArgument, match="does not exist"):
        daad.grad(heat).export(tmp_path / "none" / "made", np.ones(8), np.ones(8), 3)


def test_the_command(tmp_path: Path, capfd) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import numpy as np\ndef energy(x, k):\n    return np.sum(k * x ** 2)\nenergy(np.arange(3.0), 2.0)\n"
    )
    with pytest.raises(SystemExit) as ended:
        main(["export", str(script), "-f", "energy", "--wrt", "x", "-o", str(tmp_path / "made")])
    assert ended.value.code == 0
    assert "include/energy_grad.h" in capfd.readouterr().out
    example = compiled(tmp_path / "made", "energy_grad", "c", tmp_path)
    assert run([example, tmp_path / "made/examples/arguments.bin"], tmp_path).startswith("value 10")


@pytest.mark.slow
def test_sanitizers_find_nothing(exported, tmp_path: Path) -> None:
    """The example with the generated sources, in one program that is checked at run time."""
    _, folder, name, _ = exported
    check = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g", "-O1"]
    run(["gcc", *check, f"-I{folder}/include", "-c", folder / f"examples/{name}_example.c", "-o", "main.o"], tmp_path)
    sources = sorted((folder / "src").glob("*.cpp"))
    run(["g++", "-std=c++20", *check, "-ffp-contract=off", *sources, "main.o", "-lm", "-o", "checked"], tmp_path)
    run([tmp_path / "checked", folder / "examples/arguments.bin"], tmp_path)
