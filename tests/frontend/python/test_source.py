"""Which definition a live function object comes from."""

import ast
import functools
import inspect
import linecache
import logging
import os
import pty
import re
import select
import subprocess
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from types import FunctionType

import numpy as np
import pytest

from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted
from daad.errors import BadArgument, Unsupported
from daad.frontend.python.syntax import bytecode
from daad.frontend.python.syntax.source import function_source


def timed(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        result = f(*args, **kwargs)
        print(f"{f.__name__} gave {result}")
        return result

    return wrapper


def announced(f):
    @functools.wraps(f)
    def wrapper(*args):
        """Only says something first."""
        logging.info("start")
        return f(*args)

    return wrapper


def doubled(f):
    @functools.wraps(f)
    def wrapper(*args):
        return 2.0 * f(*args)

    return wrapper


def clipped(f):
    @functools.wraps(f)
    def wrapper(*args):
        args[0][args[0] < 0.0] = 0.0
        return f(*args)

    return wrapper


def scaled_in_place(f):
    @functools.wraps(f)
    def wrapper(*args):
        result = f(*args)
        result *= 2.0
        return result

    return wrapper


def sometimes(f):
    @functools.wraps(f)
    def wrapper(*args):
        if len(args) > 1:
            args = args[:1]
        return f(*args)

    return wrapper


class Jit:
    """As numba's dispatchers."""

    def __init__(self, f):
        self.py_func = f

    def __call__(self, *args):
        raise NotImplementedError


class Model:
    def loss(self, x):
        return x


@timed
def with_timer(x):
    return x


@announced
def with_message(x):
    return x


@timed
@Jit
@timed
def with_three(x):
    return x


@functools.lru_cache
@timed
def with_cache(x):
    return x


@Jit
def with_jit(x):
    return x


@doubled
def with_factor(x):
    return x


@clipped
def with_clip(x):
    return x


@scaled_in_place
def with_scale(x):
    return x


@sometimes
def with_choice(x):
    return x


def make(n):
    def inner(x, m=3, *, k=4):
        return x * n + m + k

    return inner


LAMBDAS = (lambda x: x + 1.0, lambda x: x * 2.0, lambda y: lambda x: x - y)

FOUND = [
    (with_timer, "with_timer"),
    (with_message, "with_message"),
    (with_three, "with_three"),
    (with_cache, "with_cache"),
    (with_jit, "with_jit"),
    (make(2), "inner"),
    (Model().loss, "loss"),
    (Model.loss, "loss"),
]


@pytest.mark.parametrize(("function", "name"), FOUND, ids=[name for _, name in FOUND])
def test_definition_is_found_through_decorators_that_change_nothing(function, name):
    source = function_source(function)
    assert (source.node.name, source.name) == (name, name)
    assert source.filename == __file__


@pytest.mark.parametrize("function", [with_factor, with_clip, with_scale, with_choice], ids=lambda f: f.__name__)
def test_a_wrapper_that_computes_is_the_function_itself(function):
    source = function_source(function)
    assert source.node.name == "wrapper"
    assert source.closure["f"] is function.__wrapped__


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (LAMBDAS[0], "lambda x: x + 1.0"),
        (LAMBDAS[1], "lambda x: x * 2.0"),
        (LAMBDAS[2], "lambda y: lambda x: x - y"),
        (LAMBDAS[2](3.0), "lambda x: x - y"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_lambdas_of_one_line_are_told_apart(function, text):
    assert ast.unparse(function_source(function).node) == text


def test_positions_are_those_of_the_file():
    source = function_source(make(2))
    lines = inspect.getsource(inspect.getmodule(make)).splitlines()
    returned = source.node.body[0]
    assert lines[returned.lineno - 1][returned.col_offset :] == "return x * n + m + k"


def test_defaults_and_closure_are_the_live_values():
    source = function_source(make(2))
    assert (source.closure, source.defaults, source.kwdefaults) == ({"n": 2}, (3,), {"k": 4})
    assert source.globals["make"] is make


def test_a_closure_name_not_bound_yet_is_left_out():
    def early():
        return late

    assert function_source(early).closure == {}
    late = 1
    assert function_source(early).closure == {"late": late}


def executed():
    scope = {}
    exec("def f(x): return x", scope)
    return scope["f"]


REFUSED = [
    (len, "'len' is not a Python function."),
    (3, "An object of type 'int' is not a Python function."),
    (Model, "'Model' is not a Python function."),
    (functools.partial(with_jit, 1), "A 'functools.partial' object has no source of its own."),
    (executed(), "The source text of 'f' is not available."),
]


@pytest.mark.parametrize(("value", "sentence"), REFUSED, ids=[sentence for _, sentence in REFUSED])
def test_what_has_no_source_is_refused(value, sentence, monkeypatch):
    monkeypatch.setattr(bytecode, "find_spec", lambda name: None)
    with pytest.raises(BadArgument) as caught:
        function_source(value)
    assert caught.value.message == sentence
    assert caught.value.hint


def test_a_file_that_changed_after_import_is_refused(tmp_path):
    path = tmp_path / "changing.py"
    path.write_text("def f(x):\n    return x\n")
    scope = {}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    path.write_text("\n\n\ndef other(x):\n    return 2 * x\n")
    with pytest.raises(BadArgument, match="has changed since it was loaded"):
        function_source(scope["f"])


LONG = {
    "sum": " + ".join(f"{k + 1} * x[{k % 4}] ** 2" for k in range(250)),
    "product of arrays": "np.sum(" + " * ".join(f"(1.0 + 0.00{k % 9} * x)" for k in range(250)) + ")",
    "conditions": f"x[1] if {' and '.join(f'x[{k % 4}] > -{k}.5' for k in range(1, 250))} else x[0]",
}


@pytest.mark.parametrize("name", LONG)
def test_what_is_written_in_one_long_expression_is_differentiated(name, tmp_path):
    path = tmp_path / "written.py"
    path.write_text(f"import numpy as np\n\n\ndef f(x):\n    return {LONG[name]}\n")
    scope = {}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    x, v = np.array([0.51, -0.7, 1.4, -0.3]), np.array([0.3, 0.4, -0.2, 0.6])
    found = Gradient(scope["f"], Request(), compiler=Interpreted)(x) @ v
    by_differences = (scope["f"](x + 1e-6 * v) - scope["f"](x - 1e-6 * v)) / 2e-6
    assert found == pytest.approx(by_differences, rel=1e-7)


COMMAND = """
import numpy as np
from daad.frontend.python.syntax.source import function_source
def f(x):
    return np.sum(x ** 3)
print(function_source(f).node.name, *[function_source(g).node.body.op.__class__.__name__ for g in (lambda x: x + 1,)])
"""


def test_the_text_of_a_command_is_among_the_arguments() -> None:
    found = subprocess.run([sys.executable, "-Bc", COMMAND], capture_output=True, text=True, check=True)
    assert found.stdout == "f Add\n"


def test_a_redirected_script_is_read_where_the_shell_reads_it(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(COMMAND)
    with open(tmp_path / "script.py") as script:
        found = subprocess.run([sys.executable], stdin=script, capture_output=True, text=True, check=True)
    assert found.stdout == "f Add\n"


@pytest.mark.parametrize("name", ["<python-input-0>", "<stdin>-0"])
def test_what_a_prompt_keeps_is_read(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As Python 3.13 keeps what is typed: each input under a name of its own, of both its prompts."""
    scopes = []
    for number, text in enumerate(("def f(x):\n    return x ** 3\n", "def f(x): return x ** 2\n")):
        typed = name.replace("0", str(number))
        monkeypatch.setitem(linecache.cache, typed, (len(text), None, text.splitlines(keepends=True), typed))
        scopes.append({"__name__": "__main__"})
        exec(compile(text, typed, "single"), scopes[-1])
    assert [Gradient(scope["f"], Request(), compiler=Interpreted)(2.0) for scope in scopes] == [12.0, 4.0]


TYPED = """import numpy as np, daad
from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted
def slope(f): return Gradient(f, Request(), compiler=Interpreted)(np.array([1.0, 2.0]))

def f(x):
    return np.sum(x ** 3)

print("first", slope(f))
def f(x): return np.sum(x * x)

print("second", slope(f), slope(lambda x: np.sum(4.0 * x)))
"""


@pytest.mark.skipif(sys.version_info < (3, 13), reason="Python keeps no text before")
@pytest.mark.parametrize("is_basic", ["", "1"], ids=["new prompt", "basic prompt"])
def test_functions_typed_at_the_prompt_are_differentiated(is_basic: str, tmp_path: Path) -> None:
    """On a terminal, as the new prompt runs nowhere else."""
    surroundings = {**os.environ, "TERM": "xterm", "PYTHON_BASIC_REPL": is_basic, "PYTHON_HISTORY": str(tmp_path / "h")}
    child, terminal = pty.fork()
    if child == 0:
        os.execve(sys.executable, [sys.executable, "-q"], surroundings)
    shown = waited_for(terminal, b">>> ")
    for line in TYPED.split("\n"):
        os.write(terminal, line.encode() + b"\r")
        shown += waited_for(terminal, b"(>>>|\\.\\.\\.) ")
    os.write(terminal, b"exit()\r")
    with suppress(OSError):
        shown += waited_for(terminal, b"nothing more")
    os.waitpid(child, 0)
    assert b"first [ 3. 12.]" in shown, shown.decode()
    assert b"second [2. 4.] [4. 4.]" in shown, shown.decode()


def waited_for(terminal: int, pattern: bytes) -> bytes:
    """What a terminal shows until a pattern comes, and then for a moment."""
    shown, patience = b"", 60.0
    while select.select([terminal], [], [], patience)[0]:
        shown += os.read(terminal, 65536)
        patience = 0.3 if re.search(pattern, shown) else patience
    return shown


HELD = """
import numpy as np


class Squares:
    def __init__(self, x):
        self.x = x

    def sum(self):
        return np.sum(self.x ** 2)


def f(x):
    def twice(t):
        return 2.0 * h(t)

    return Squares(x).sum() + twice(x[0])


h = lambda x: np.sin(x)


def drawn(x):
    return np.sum(x * np.random.poisson(x))
"""


def test_text_given_to_exec_is_read_where_a_variable_holds_it() -> None:
    x, scope = np.array([0.5, 2.0]), {"__name__": "made"}
    exec(HELD, scope)
    assert Gradient(scope["f"], Request(), compiler=Interpreted)(x) == pytest.approx([1.0 + 2 * np.cos(0.5), 4.0])
    with pytest.raises(Unsupported) as refused:
        Gradient(scope["drawn"], Request(), compiler=Interpreted)(x)
    assert "return np.sum(x * np.random.poisson(x))\n" in str(refused.value)


CLASSES = """
import numpy as np
from dataclasses import dataclass
class Model:
    def __init__(self, rate):
        self.rate = rate
    def run(self, x):
        return np.sum(self.rate * x ** 2)
@dataclass
class Scaled:
    by: float
    def total(self, x):
        return np.sum(self.by * x)
def f(x):
    return Model(x[0]).run(x) + Scaled(x[1]).total(x)
"""


def test_classes_of_a_text_whose_globals_have_no_name_are_the_programs() -> None:
    """Python says that they are of `builtins`; the dict of globals holds itself here."""
    x, scope = np.array([0.5, 2.0]), {}
    exec(CLASSES, scope)
    scope["again"] = scope
    right = [0.75 + 4.0 + 2.0, 2.0 + 4.5]
    for f in (scope["f"], lambda x: scope["Model"](x[0]).run(x) + scope["Scaled"](x[1]).total(x)):
        assert Gradient(f, Request(), compiler=Interpreted)(x) == pytest.approx(right)


class Maker:
    """Holds its text as an attribute; it is compiled as from the future."""

    def __init__(self) -> None:
        self.text = "from __future__ import annotations\ndef made(x: float):\n    return x ** 3"

    def slope(self) -> float:
        scope = {}
        exec(self.text, scope)
        return Gradient(scope["made"], Request(), compiler=Interpreted)(2.0)


def test_texts_are_found_in_attributes_and_among_constants() -> None:
    assert Maker().slope() == 12.0
    assert Gradient(eval("  lambda x: x ** 4"), Request(), compiler=Interpreted)(2.0) == 32.0


def forgotten(body: str, name: str = "<string>") -> FunctionType:
    scope = {"np": np}
    exec(compile(f"def {'f'}(x, scale=2.0):\n    {body}", name, "exec"), scope)
    return scope["f"]


@pytest.mark.parametrize("name", ["<string>", "kernels.py"])
def test_a_text_that_nobody_holds_is_not_available(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor is the one of another function whose file Python calls by the same name."""
    monkeypatch.setattr(bytecode, "find_spec", lambda name: None)
    other = ["def f(x, scale=2.0):\n", "    return x\n"]
    monkeypatch.setitem(linecache.cache, "<string>", (1, None, other, "<string>"))
    with pytest.raises(BadArgument, match=r"not available.\n.*'daad\[bytecode\]'"):
        function_source(forgotten("return np.sum(x * x)", name))


def test_what_nobody_can_read_is_not_given_what_stands_for_data(monkeypatch: pytest.MonkeyPatch) -> None:
    """What stands for an array is none of NumPy's; what is known may be passed."""
    monkeypatch.setattr(bytecode, "find_spec", lambda name: None)
    size = forgotten("return scale * np.asarray(x).size")
    assert Gradient(lambda x: np.sum(size([1.0, 2.0, 3.0]) * x), Request(), compiler=Interpreted)(np.ones(2))[0] == 6.0
    for called in (lambda x: np.sum(size(x) * x), lambda x: np.sum(size([x[0]]) * x)):
        with pytest.raises(Unsupported, match="'size' cannot be read: The source text of 'f' is not available"):
            Gradient(called, Request(), compiler=Interpreted)(np.ones(3))


def test_decompiled_text_counts_where_it_makes_the_same_instructions(monkeypatch: pytest.MonkeyPatch) -> None:
    f, text = forgotten('"Doc."; return scale * np.sum(x * x)'), "def f(x, scale):\n    return scale * np.sum("
    monkeypatch.setattr(bytecode, "find_spec", lambda name: True)
    monkeypatch.setattr(bytecode, "_decompiled", lambda code: f"{text}x)")
    assert bytecode.text_of_bytecode(f) is None
    bytecode._text.cache_clear()
    monkeypatch.setattr(bytecode, "_decompiled", lambda code: f"{text}x * x)")
    source = function_source(f)
    assert source.filename.startswith("<bytecode of 'f' ")
    assert linecache.getline(source.filename, source.node.lineno) == "def f(x=None, scale=None):\n"
    assert Gradient(f, Request(), compiler=Interpreted)(np.ones(2)) == pytest.approx([4.0, 4.0])


LOST = {
    "loop": "for k in range(3):\n        x = x + scale * x[k]\n    return np.sum(x)",
    "branch": "if x[0] > 0.0:\n        return np.sum(np.where(x > 0.5, x, scale))\n    return x[1]",
    "inner": "g = lambda t: t * scale * x\n    return np.sum(g(x))",
}


@pytest.mark.skipif(
    find_spec("depyo") is None,
    reason="depyo is not installed; `make interop` brings it. Imported, it changes Python's lists",
)
@pytest.mark.parametrize("name", LOST)
def test_functions_are_read_from_their_bytecode(name: str) -> None:
    f, x = forgotten(LOST[name]), np.array([0.4, 0.7, 1.1])
    slope = np.array([(f(x + 1e-6 * v) - f(x - 1e-6 * v)) / 2e-6 for v in np.eye(3)])
    assert Gradient(f, Request(), compiler=Interpreted)(x) == pytest.approx(slope, rel=1e-8, abs=1e-9)
