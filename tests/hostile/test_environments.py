"""Environment variables, options of Python, locales, folders and streams that a user may have."""

from __future__ import annotations

import os
import pwd
import sys
from pathlib import Path

import numpy as np
import pytest

import daad
from daad.errors import DaadError
from tests.hostile.fault import fault, row
from tests.hostile.processes import ask, fork, run
from tests.hostile.subjects import X, Y, interpreted, weigh, weigh_gradient, weighed

GROUP = "Environment"
RIGHT = "the right gradient"

# Variables that matter at run time; the gradient comes from the cache.
RUNNING = [
    row(GROUP, "OMP_NUM_THREADS=0", RIGHT, {"OMP_NUM_THREADS": "0"}),
    row(GROUP, "OMP_NUM_THREADS=garbage", RIGHT, {"OMP_NUM_THREADS": "garbage"}),
    row(GROUP, "a thousand threads for OpenMP", RIGHT, {"OMP_NUM_THREADS": "1000", "OMP_DYNAMIC": "false"}),
    row(GROUP, "a stack of four kilobytes for OpenMP's threads", RIGHT, {"OMP_STACKSIZE": "4K"}),
    row(GROUP, "LC_ALL=C, without Python's UTF-8 mode", RIGHT, {"LC_ALL": "C", "PYTHONUTF8": "0"}),
    row(GROUP, "an unknown locale", RIGHT, {"LC_ALL": "xx_YY.nonsense"}, slow=True),
    row(GROUP, "TMPDIR that does not exist", RIGHT, {"TMPDIR": "/nonexistent"}),
    row(GROUP, "PATH that is empty", RIGHT, {"PATH": ""}),
    row(
        GROUP,
        "another hash seed, no packages of the user",
        RIGHT,
        {"PYTHONHASHSEED": "3", "PYTHONNOUSERSITE": "1"},
        slow=True,
    ),
]


@pytest.mark.parametrize("variables", RUNNING)
def test_variables(variables: dict[str, str], cache: Path) -> None:
    found = ask(**variables)
    assert found.stdout == "right True\n", found.stderr


OPTIONS = [
    row(GROUP, "python -O: no assertions", RIGHT, "-O"),
    row(GROUP, "python -OO: no docstrings", RIGHT, "-OO", slow=True),
    row(GROUP, "python -W error: every warning an exception", RIGHT, "-Werror"),
    row(GROUP, "python -X dev: checks and warnings of Python itself", RIGHT, "-Xdev"),
]


@pytest.mark.parametrize("option", OPTIONS)
def test_options_of_python(option: str, cache: Path) -> None:
    found = ask(option)
    assert (found.stdout, found.returncode) == ("right True\n", 0), found.stderr
    assert option != "-Xdev" or "Warning" not in found.stderr


# Variables that matter while compiling; none of them may change the code.
COMPILING = [
    row(
        GROUP,
        "DaCe's build mode, types and format changed by variables",
        RIGHT,
        {
            "DACE_compiler_build_folder_mode": "production",
            "DACE_compiler_default_data_types": "C",
            "DACE_compiler_format_code": "1",
            "DACE_compiler_use_cache": "1",
            "DACE_compiler_cpu_openmp_sections": "1",
            "DACE_debugprint": "verbose",
            "DACE_optimizer_automatic_simplification": "0",
        },
    ),
    row(
        GROUP,
        "flags for other builds",
        RIGHT,
        {"CXXFLAGS": "-ffast-math -nonsense", "LDFLAGS": "-nonsense", "CMAKE_TOOLCHAIN_FILE": "/nonexistent"},
    ),
    row(GROUP, "python -W error while compiling", RIGHT, {"PYTHONWARNINGS": "error"}, slow=True),
    row(GROUP, "folders with spaces and letters beyond ASCII", RIGHT, {"TMPDIR": "Ä Ö", "DAAD_CACHE": "Ä Ö/ü"}),
    row(GROUP, "folders with quotes, dollars and semicolons", RIGHT, {"TMPDIR": "$a;'\"", "DAAD_CACHE": "$a;'\"/b"}),
]


@pytest.mark.parametrize("variables", COMPILING)
def test_variables_while_compiling(variables: dict[str, str], tmp_path: Path) -> None:
    given = {"DAAD_CACHE": "cache", **variables}
    given |= {name: str(tmp_path / given[name]) for name in ("TMPDIR", "DAAD_CACHE") if name in given}
    if "TMPDIR" in given:
        Path(given["TMPDIR"]).mkdir()
    found = ask(**given)
    assert found.stdout == "right False\n", found.stderr


NAN = """
import numpy as np, daad
from tests.hostile.test_environments import total
print(daad.grad(total)(np.array([np.nan, 1.0])))
"""


def total(x):
    return np.sum(np.where(np.isnan(x), 0.0, x) ** 2)


@fault(GROUP, "-ffast-math in the variables of DaCe and of other builds", "NaN flows as in NumPy")
def test_flags_do_not_break_nan(tmp_path: Path) -> None:
    fast = {"DACE_compiler_cpu_args": "-ffast-math", "CXXFLAGS": "-ffast-math", "DAAD_CACHE": str(tmp_path)}
    assert run([sys.executable, "-c", NAN], **fast).stdout == "[0. 2.]\n"


@fault(GROUP, "DaCe's configuration file in the working directory", RIGHT)
def test_configuration_file(tmp_path: Path) -> None:
    (tmp_path / ".dace.conf").write_text("compiler:\n  build_type: Debug\n  cpu:\n    args: -nonsense\n")
    assert ask(cwd=tmp_path, DAAD_CACHE=str(tmp_path / "cache")).stdout == "right False\n"
    assert {path.name for path in tmp_path.iterdir()} == {".dace.conf", "cache"}


@fault(GROUP, "no HOME, and a user without a name", "works without the cache; a warning says so")
def test_user_without_a_name() -> None:
    def unknown(_: int) -> None:
        raise KeyError

    def work() -> list[str]:
        for name in ("HOME", "LOGNAME", "USER", "LNAME", "USERNAME", "DAAD_CACHE", "XDG_CACHE_HOME"):
            os.environ.pop(name, None)
        pwd.getpwuid = unknown  # type: ignore[assignment]
        with pytest.warns(RuntimeWarning) as caught:
            assert not weigh_gradient().is_cached
        return [str(w.message) for w in caught]

    assert fork(work).result() == ["The cache cannot be used: Could not determine home directory."]


@fault(GROUP, "a working directory that has been deleted", RIGHT)
def test_deleted_working_directory(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    script = f"import os; os.chdir({str(gone)!r}); os.rmdir({str(gone)!r})\n"
    ask_there = script + "from tests.hostile.subjects import weigh_gradient; print(weigh_gradient().is_cached)"
    found = run([sys.executable, "-c", ask_there], DAAD_CACHE=str(tmp_path / "cache"))
    assert found.stdout == "False\n", found.stderr


@fault(GROUP, "a low limit of recursion", "right, or refused")
def test_low_recursion_limit(cache: Path) -> None:
    def work() -> bool:
        frame, depth = sys._getframe(), 0
        while frame is not None:
            frame, depth = frame.f_back, depth + 1  # type: ignore[assignment]
        sys.setrecursionlimit(depth + 150)
        return np.array_equal(daad.grad(weigh)(X, Y), weighed(X, Y))

    assert fork(work).result()


@fault(GROUP, "NumPy's errors turned into exceptions", RIGHT)
def test_numpy_raises(cache: Path) -> None:
    with np.errstate(all="raise"):
        weigh_gradient()
        np.testing.assert_array_equal(interpreted(total)(np.array([1.0, 2.0])), [2.0, 4.0])


@fault(GROUP, "results piped to a program that stops reading", "ends quietly")
def test_closed_pipe(tmp_path: Path, cache: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import numpy as np\ndef f(x):\n    return np.sum(x * x)\nf(np.arange(4.0))\n")
    command = f"'{sys.executable}' -m daad grad '{script}' -f f | true; exit ${{PIPESTATUS[0]}}"
    found = run(["bash", "-c", command])
    assert "Traceback" not in found.stderr
    assert "defect" not in found.stderr
    assert found.returncode in (0, 141)


@fault(GROUP, "stdout or stderr closed", "the exit code tells the result")
def test_closed_streams(tmp_path: Path, cache: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import numpy as np\ndef f(x):\n    return np.sum(x * x)\nf(np.arange(4.0))\n")
    command = f"'{sys.executable}' -m daad grad '{script}' -f f"
    assert run(["bash", "-c", f"{command} >&-"]).returncode == 0
    assert run(["bash", "-c", f"{command} 2>&-"]).returncode == 0
    assert run(["bash", "-c", f"{command} -f g 2>&-"]).returncode == 2


@pytest.mark.slow
@fault(GROUP, "programs that are refused, under python -O", "refused with the same sentences")
def test_refusals_need_no_assertions() -> None:
    found = run([sys.executable, "-O", "-c", "from tests.hostile.test_environments import refusals; refusals()"])
    assert found.stdout.endswith("programs, the same sentences\n"), found.stderr
    assert found.stdout.count("\n") == 1, found.stdout


def refusals() -> None:
    """Prints which programs are refused otherwise than they should, and how many there are."""
    from tests.frontend.python.refusals import ROWS
    from tests.frontend.python.running import built

    quick = [case for case in ROWS if "unroll" not in case.name]
    for case in quick:
        try:
            built(case.function, case.arguments(), case.of)
            print(case.name, "is not refused")
        except DaadError as error:
            if not isinstance(error, case.error) or error.message != case.message:
                print(case.name, error)
    print(len(quick), "programs, the same sentences")
