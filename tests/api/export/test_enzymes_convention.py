"""The examples by which Enzyme shows its convention, as exported programs that C calls in the same way."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import daad
from tests.api.export.libraries import flags, run


def square(x):
    return x * x


def product(x, y):
    return x * y


def dot(a, b):
    return np.sum(a * b)


def norm(x):
    return np.sqrt(np.sum(x * x))


@dataclass(frozen=True)
class Shown:
    """A program, arguments, and C that calls its library with what it prints then."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    wrt: Any
    body: str
    printed: str


SHOWN = [
    # __enzyme_autodiff(square, 21.0)
    Shown(
        square,
        (3.0,),
        "x",
        'double dx = 0; square_grad_add(21.0, &dx, NULL, NULL); printf("%g", dx);',
        "42",
    ),
    # __enzyme_autodiff(product, enzyme_dup, &x, &dx, enzyme_const, y)
    Shown(
        product,
        (3.0, 4.0),
        "x",
        'double dx = 1, v; product_grad_add(3.0, &dx, 4.0, NULL, &v, NULL); printf("%g %g", dx, v);',
        "5 12",
    ),
    # enzyme_dup for both, twice: shadows accumulate
    Shown(
        dot,
        (np.ones(3), np.ones(3)),
        ("a", "b"),
        "double a[] = {1, 2, 3}, b[] = {4, 5, 6}, da[3] = {0}, db[3] = {0};"
        "for (int i = 0; i < 2; ++i) dot_grad_add(a, da, b, db, NULL, NULL);"
        'printf("%g %g %g %g", da[0], da[2], db[0], db[2]);',
        "8 12 2 6",
    ),
    # enzyme_const: the shadow is NULL, and nothing is written
    Shown(
        dot,
        (np.ones(3), np.ones(3)),
        ("a", "b"),
        "double a[] = {1, 2, 3}, b[] = {4, 5, 6}, db[3] = {0};"
        'dot_grad_add(a, NULL, b, db, NULL, NULL); printf("%g %g", db[0], db[2]);',
        "1 3",
    ),
    # a batch adds up, with memory of the caller's
    Shown(
        norm,
        (np.ones(2),),
        "x",
        "double x[] = {3, 4}, dx[2] = {0}; void *work = malloc(norm_grad_work_bytes());"
        'for (int i = 0; i < 5; ++i) norm_grad_add(x, dx, NULL, work); free(work); printf("%g %g", dx[0], dx[1]);',
        "3 4",
    ),
]


@pytest.mark.parametrize("case", SHOWN, ids=lambda c: c.function.__name__)
def test_shadows(case: Shown, tmp_path: Path) -> None:
    folder = daad.grad(case.function, wrt=case.wrt).export(tmp_path / "made", *case.args)
    name = f"{case.function.__name__}_grad"
    main = f'#include <stdio.h>\n#include <stdlib.h>\n#include "{name}.h"\nint main(void) {{ {case.body} }}\n'
    (tmp_path / "main.c").write_text(main)
    run(["gcc", "-Wall", "-Werror", "main.c", *flags(folder, name), "-o", "main"], tmp_path)
    assert run([tmp_path / "main"], tmp_path) == case.printed


THREADS = """
#include <pthread.h>
#include <stdio.h>
#include "norm_grad.h"
static void *work(void *wrong) {
  for (int i = 0; i < 20000; ++i) {
    double x[2] = {3.0 * (i + 1), 4.0 * (i + 1)}, value = 0, dx[2];
    if (norm_grad(x, &value, dx, NULL) || value != 5.0 * (i + 1)) ++*(int *)wrong;
  }
  return NULL;
}
int main(void) {
  pthread_t threads[4];
  int wrong[4] = {0};
  for (int k = 0; k < 4; ++k) pthread_create(&threads[k], NULL, work, &wrong[k]);
  for (int k = 0; k < 4; ++k) pthread_join(threads[k], NULL);
  printf("%d", wrong[0] + wrong[1] + wrong[2] + wrong[3]);
}
"""


def test_threads_share_nothing(tmp_path: Path) -> None:
    folder = daad.grad(norm).export(tmp_path / "made", np.ones(2))
    (tmp_path / "main.c").write_text(THREADS)
    run(["gcc", "main.c", *flags(folder, "norm_grad"), "-pthread", "-o", "main"], tmp_path)
    assert run([tmp_path / "main"], tmp_path) == "0"


@pytest.mark.slow
def test_valgrind_finds_nothing(tmp_path: Path) -> None:
    if shutil.which("valgrind") is None:
        pytest.skip("There is no valgrind.")
    folder = daad.grad(dot, wrt=("a", "b")).export(tmp_path / "made", np.ones(3), np.ones(3))
    sources = sorted((folder / "src").glob("*.cpp"))
    run(["g++", "-std=c++20", "-O1", "-g", "-c", *sources], tmp_path)  # valgrind does not know each new instruction
    objects = [source.with_suffix(".o").name for source in sources]
    example = folder / "examples/dot_grad_example.c"
    run(["gcc", f"-I{folder}/include", example, *objects, "-lm", "-lpthread", "-o", "main"], tmp_path)
    checks = ["valgrind", "-q", "--error-exitcode=9", "--leak-check=full"]
    run([*checks, tmp_path / "main", folder / "examples/arguments.bin"], tmp_path)
