"""SDFGs that DaCe alone loads, compiles and runs, against the interpreter of Programs."""

from __future__ import annotations

import inspect
import json
import os
import re
import subprocess
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import dace
import numpy as np
import pytest

import daad
from daad.api.gradient import Gradient
from daad.api.sdfg_parts import MAKERS
from daad.api.subject.arguments import leaves
from daad.codegen.sdfg.whole_program import lower
from daad.runtime.settings import settings
from npbench_runs import kernel as suite
from tests import npbench
from tests.corpus import ALL
from tests.corpus.case import Case, normal, row, uniform
from tests.corpus.selection import chosen
from tests.programs import compiled, interpreted

SCRIPT = Path(__file__).with_name("without_daad.py")


@dataclass(frozen=True, kw_only=True)
class Saved:
    """A file, and what its arguments shall hold after a run."""

    path: Path
    expected: Mapping[str, np.ndarray]
    rtol: float

    def differences(self) -> str:
        """What is not as expected; empty if nothing is."""
        failure = self.path.with_suffix(".txt")
        if failure.exists():
            return f"{self.path.stem}: {failure.read_text()}"
        with np.load(self.path.with_suffix(".out.npz")) as found:
            wrong = [name for name in self.expected if not self._is_close(found[name], self.expected[name])]
        return f"{self.path.stem}: {wrong} differ" if wrong else ""

    def _is_close(self, found: np.ndarray, expected: np.ndarray) -> bool:
        """Gradients that are zero but for rounding are small beside the others."""
        largest = max(_largest(value) for value in self.expected.values())
        atol = max(self.rtol * _largest(expected), 1e-15 * largest)
        return bool(np.allclose(found, expected.reshape(found.shape), rtol=self.rtol, atol=atol, equal_nan=True))


def _largest(values: np.ndarray) -> float:
    return float(np.max(np.abs(values), initial=0.0, where=np.isfinite(values)))


def save(
    sdfg: Any, name: str, folder: Path, given: Mapping[str, Any], expected: Mapping[str, Any], rtol: float
) -> Saved:
    """Arguments that are `given` nothing hold nothing to be relied upon."""
    sdfg.validate()
    sdfg.save(str(folder / f"{name}.sdfg"))
    arguments = {}
    for argument, data in sdfg.arglist().items():
        value = given.get(argument)
        assert value is None or np.size(value) == np.prod(data.shape), f"'{argument}' has shape {data.shape}"
        arguments[argument] = np.full(data.shape, 77 if value is None else value, data.dtype.type)
    np.savez(folder / f"{name}.npz", **arguments)
    return Saved(path=folder / f"{name}.sdfg", expected={k: np.asarray(v) for k, v in expected.items()}, rtol=rtol)


def save_gradient(gradient: Gradient, case: Case, folder: Path) -> Saved:
    """Arguments and gradients by what the SDFG says of its arguments."""
    found = gradient(*case.arguments())
    sdfg = gradient.to_sdfg()
    said = said_of_arguments(sdfg)
    signature = inspect.signature(getattr(case.function, "f", case.function))
    values = signature.bind(*case.arguments()).arguments
    given = {
        name: seeded(what, case.seed) if what.startswith("weights") else valued(what, values)
        for name, what in said.items()
    }
    parameters = [*signature.parameters]
    is_variadic = signature.parameters[parameters[0]].kind is inspect.Parameter.VAR_POSITIONAL
    wrt = [name if isinstance(name, str) else parameters[name] for name in case.wrt] if not is_variadic else parameters
    by_name = dict(zip(wrt, [found] if is_variadic else found, strict=True))
    bars = {name: re.match("the gradient of '(.*)'", what) for name, what in said.items()}
    expected = {name: eval(bar[1], dict(by_name)) for name, bar in bars.items() if bar}
    assert len(expected) == len(leaves({"": found})), f"gradients by {wrt} are not {[*expected]}"
    rtol = 2e-4 if any(np.asarray(g).dtype == np.float32 for _, g in leaves({"": found})) else 1e-9
    return save(sdfg, case.name, folder, given, expected, rtol)


def said_of_arguments(sdfg: Any) -> dict[str, str]:
    """What the comments say that each argument is."""
    return dict(re.findall(r"^//   (\w+): \w+[^:]*: (.*)$", sdfg.global_code["frame"].as_string, re.MULTILINE))


def seeded(what: str, seed: Any) -> Any:
    """The weights of the output that is named or numbered, or of the only one."""
    if not isinstance(seed, Mapping):
        return seed
    named, numbered = re.match("weights of '([^']*)'", what), re.match("weights of value ([0-9]+)", what)
    return seed[named[1]] if named else seed[int(numbered[1]) if numbered else 0]


def valued(what: str, values: Mapping[str, Any]) -> Any:
    """The value of an argument or a part of one, None if it is neither."""
    argument = re.match("argument '([^']*(?:'[^']*'[^']*)*)'", what)
    return eval(argument[1], dict(values)) if argument else None


def run_alone(folder: Path, flags: str = "") -> None:
    """A process that never imports daad; by DaCe's own flags, and more."""
    settings = {"PYTHONPATH": "", "DACE_default_build_folder": str(folder / "dacecache")}
    settings["DACE_compiler_cpu_args"] = f"{dace.Config.get_default('compiler', 'cpu', 'args')} {flags}"
    subprocess.run([sys.executable, "-P", SCRIPT, folder], env={**os.environ, **settings}, check=True, cwd=folder)


def assert_right(saved: Sequence[Saved]) -> None:
    wrong = [text for one in saved if (text := one.differences())]
    assert not wrong, f"{len(saved) - len(wrong)} of {len(saved)} are right\n" + "\n".join(wrong)


def heat(u, k, steps):
    for _ in range(steps):
        u[1:-1] = u[1:-1] + k[1:-1] * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u * u)


def layers(x, A, B, which, weight, shift):
    h = np.tanh(x @ A) @ B + shift * np.sin(x[which] @ A) @ B
    h[h.argmax(axis=0)[0]] *= weight
    return h


def special(x, y):
    """NaN and the sign of zero choose, and so does which element is the largest."""
    seen = np.where(np.isnan(x), y, x * y)
    signed = np.copysign(y, x * 0.0)
    return np.sum(seen * signed) + np.max(seen / 3.0 + y / 7.0) * np.sum(np.sqrt(y / 3.0))


HEAT = row(heat, lambda: (normal(0, 40), uniform(1, 40, high=0.6), 30), "u, k")
LAYERS = row(
    layers,
    lambda: (normal(0, 12, 30), normal(1, 30, 40), normal(2, 40, 30), np.arange(11, -1, -1), 0.5, 1.5),
    "x, A, B, weight, shift",
    seed=normal(3, 12, 30),
)
SPECIAL = row(special, lambda: (np.array([1.0, np.nan, -2.0, 0.5, np.nan]), uniform(1, 5)), "x, y")


def test_small_programs(tmp_path: Path) -> None:
    limited = replace(HEAT, name="limited", options={"memory_limit": 7_000})
    saved = [save_gradient(interpreted(case), case, tmp_path) for case in (HEAT, limited, LAYERS)]
    run_alone(tmp_path)
    assert_right(saved)


@pytest.mark.parametrize("case", [HEAT, replace(HEAT, options={"memory_limit": 7_000})], ids=("plain", "limited"))
def test_what_daad_compiles_is_valid_and_takes_what_the_caller_has(case: Case) -> None:
    sdfg = compiled(case).compile(*case.arguments()).sdfg
    sdfg.validate()
    assert [*sdfg.arglist()] == ["k", "k_bar", "u_bar", "u_in"]
    assert bool(sdfg.constants) == ("memory_limit" in case.options)


@pytest.mark.parametrize("flags", ["", "-Ofast"])
def test_nan_and_the_sign_of_zero_are_kept_whatever_the_flags(tmp_path: Path, flags: str) -> None:
    saved = [save_gradient(interpreted(SPECIAL), SPECIAL, tmp_path)]
    run_alone(tmp_path, flags)
    assert_right(saved)


def test_primal_and_adjoint_alone(tmp_path: Path) -> None:
    gradient, (u, k, steps) = interpreted(HEAT), HEAT.arguments()
    _, by_k = gradient(u, k, steps)
    tape, end = [], u.copy()
    for _ in range(steps):
        tape.append(end.copy())
        end[1:-1] = end[1:-1] + k[1:-1] * (end[2:] - 2.0 * end[1:-1] + end[:-2])
    kept = {"u": end, "k": k, "u_tape": np.array(tape)}
    value = {"u": end, "result": np.sum(end * end).reshape(1)}
    saved = [
        save(gradient.to_sdfg("primal"), "primal", tmp_path, {"u": u, "k": k}, value, 1e-12),
        save(gradient.to_sdfg("adjoint"), "adjoint", tmp_path, kept, {"k_bar": by_k}, 1e-12),
    ]
    run_alone(tmp_path)
    assert_right(saved)


@pytest.mark.parametrize(
    ("part", "portable", "message"),
    [("tangent", True, "A gradient has no part 'tangent'."), ("primal", False, "is one SDFG, of which the primal is")],
)
def test_what_there_is_not_is_refused(part: str, portable: bool, message: str) -> None:
    gradient = interpreted(HEAT).compile(*HEAT.arguments())
    with pytest.raises(daad.BadArgument, match=message):
        gradient.to_sdfg(part, portable=portable)


@npbench.needs_npbench
@pytest.mark.slow
@pytest.mark.parametrize("is_limited", [False, True], ids=("plain", "limited"))
def test_all_kernels(tmp_path: Path, is_limited: bool) -> None:
    kernels = [npbench.load(name, "tiny") for name in (npbench.LIMITED if is_limited else suite.names())]
    cases = [kernel.case(wrt=kernel.float_inputs) for kernel in kernels]
    saved = [save_gradient(gradient_of(case, is_limited), case, tmp_path) for case in cases]
    run_alone(tmp_path)
    assert_right(saved)


def gradient_of(case: Case, is_limited: bool) -> Gradient:
    """By the plan that holds the least, if it is to be limited."""
    if not is_limited:
        return interpreted(case)
    with pytest.raises(daad.MemoryLimitTooSmall) as found:
        interpreted(replace(case, options={"memory_limit": 1})).compile(*case.arguments())
    return interpreted(replace(case, options={"memory_limit": found.value.minimum}))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(20))
def test_corpus(tmp_path: Path, first: int) -> None:
    saved = [save_gradient(interpreted(case), case, tmp_path) for case in ALL[first::20] if not raises(case)]
    run_alone(tmp_path)
    assert_right(saved)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 20, 4))
def test_corpus_in_the_least_memory(tmp_path: Path, first: int) -> None:
    cases = [case for case in ALL[first::20] if not case.options and not raises(case)]
    saved = [save_gradient(gradient_of(case, is_limited=True), case, tmp_path) for case in cases]
    run_alone(tmp_path)
    assert_right(saved)


def raises(case: Case) -> bool:
    """Whether the program raises exceptions of its own, which is refused."""
    return bool(interpreted(case).compile(*case.arguments())._current.planned.read.checks)


def sdfgs(gradient: Gradient) -> Iterator[Any]:
    """What daad compiles, for one thread and for two, and what DaCe does."""
    with settings():
        for threads in (1, 2):
            yield lower(gradient._current.derivation.on_threads(threads))
    for part in MAKERS:
        yield gradient.to_sdfg(part)


def assert_valid(case: Case) -> None:
    """DaCe's own validation; a file holds the same SDFG. What calls Python has none."""
    gradient = interpreted(case).compile(*case.arguments())
    if "python_start" in str(gradient.joint):
        with pytest.raises(daad.Unsupported, match="A program that calls Python has no SDFG"):
            gradient.to_sdfg()
        return
    for sdfg in sdfgs(gradient):
        sdfg.validate()
        dace.SDFG.from_json(json.loads(json.dumps(sdfg.to_json()))).validate()


@pytest.mark.parametrize("case", [HEAT, LAYERS, SPECIAL, *chosen(200, "portable")], ids=lambda case: case.name)
def test_sdfgs_are_valid(case: Case) -> None:
    assert_valid(case)


def quotients(x, y):
    z = x[1:] * 0.1 - y[:-1] / x[:-1]
    return np.sum((z + 3.0) * -z)


QUOTIENTS = row(quotients, lambda: (uniform(0, 4000, low=1.0), uniform(1, 4000)), "x, y")


def test_plain_arithmetic_is_python(tmp_path: Path) -> None:
    gradient = interpreted(QUOTIENTS).compile(*QUOTIENTS.arguments())
    tasklets = [n for n, _ in gradient.to_sdfg().all_nodes_recursive() if isinstance(n, dace.nodes.Tasklet)]
    assert dace.Language.Python in {tasklet.language for tasklet in tasklets}
    saved = [save_gradient(gradient, QUOTIENTS, tmp_path)]
    run_alone(tmp_path)
    assert_right(saved)


@pytest.mark.parametrize("case", [HEAT, LAYERS, SPECIAL], ids=lambda case: case.name)
def test_nothing_is_read_that_was_not_written(case: Case) -> None:
    """What fills an array as a whole does not read it, which DaCe's validation would warn of."""
    gradient = interpreted(case).compile(*case.arguments())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for sdfg in sdfgs(gradient):
            sdfg.validate()


@pytest.mark.slow
@pytest.mark.parametrize("first", range(20))
def test_sdfgs_of_the_corpus_are_valid(first: int) -> None:
    for case in ALL[first::20]:
        if not raises(case):
            assert_valid(case)


@npbench.needs_npbench
@pytest.mark.slow
@pytest.mark.parametrize("name", suite.names())
def test_sdfgs_of_kernels_are_valid(name: str) -> None:
    kernel = npbench.load(name, "S")
    assert_valid(kernel.case(wrt=kernel.float_inputs))
