"""A script's top level as a function: the same values as the script, at every call."""

import copy
import sys
import textwrap
from dataclasses import dataclass

import numpy as np
import pytest

from daad.cli.script.running import as_main, read_script
from daad.cli.script.toplevel import top_level_function
from daad.errors import BadArgument, NotDifferentiable, Unsupported
from daad.frontend.python.syntax.source import function_source

START = """\
import numpy as np
k = np.array([0.1, 0.2, 0.3, 0.2, 0.1])
"""


@dataclass(frozen=True)
class Row:
    """`parameters` are those of the function; the value of `of` must be the script's own at its end."""

    name: str
    text: str
    parameters: tuple[str, ...] = ("k",)
    wrt: tuple[str, ...] = ("k",)
    of: tuple[str, ...] = ("loss",)


PROGRAMS = [
    Row("plain", START + "u = k * k\nloss = np.sum(u)"),
    Row("main guard", START + "if __name__ == '__main__':\n    u = k * k\n    loss = np.sum(u)\n    print(loss)"),
    Row("constants before", "import numpy as np\nn = 5\nk = np.ones(n)\nloss = np.sum(k) / n"),
    Row("prints between", START + "print('start', k)\nloss = np.sum(k ** 3)\nprint(loss)\nimport nowhere"),
    Row("update in place", START + "u = np.zeros(5)\nfor t in range(3):\n    u += k * t\nprint(u)", of=("u",)),
    Row(
        "counter from before",
        "import numpy as np\nt = 0.5\nk = np.ones(5)\nfor i in range(3):\n    t += np.sum(k)\nloss = t * t",
        ("k", "t"),
    ),
    Row(
        "array from before, written",
        "import numpy as np\nu = np.arange(5.0)\nk = np.ones(5)\nu[1:] += k[1:]\nloss = np.sum(u)",
        ("k", "u"),
    ),
    Row(
        "list of arrays from before",
        "import numpy as np\ns = [np.zeros(5)]\nk = np.ones(5)\ns[0] += k\nloss = np.sum(s[0])",
        ("k", "s"),
    ),
    Row(
        "input read by a function as a global",
        START + "def f(): return np.sum(k * k)\nk = k * 2.0\nloss = f()",
    ),
    Row(
        "global written by a function",
        """\
        import numpy as np
        total = 1.0
        def add():
            global total
            total += np.sum(k)
        def twice():
            add(); add()
        k = np.ones(5)
        twice()
        """,
        ("k", "total"),
        of=("total",),
    ),
    Row(
        "global written by a later function",
        START + "total = 1.0\ndef add():\n    global total\n    total += np.sum(k)\nadd()\nloss = total",
    ),
    Row(
        "two inputs, last bound decides",
        "import numpy as np\na = np.ones(3)\nb = a + 1.0\nc = 2.0\nloss = np.sum(a * b) * c",
        ("a", "b"),
        ("a", "b"),
    ),
    Row("order of --wrt", "a = 2.0\nb = 3.0\nloss = a * b * b", ("b", "a"), ("b", "a")),
    Row("two outputs", START + "u = k * 2\nloss = np.sum(u)\nu[0] = 5.0", of=("loss", "u")),
    Row("changed through a view", START + "u = k * 2.0\nv = u[1:]\nv *= 3.0\nprint(v)", of=("u",)),
    Row("changed through a loop variable", START + "u = np.ones((2, 5))\nfor row in u:\n    row *= k", of=("u",)),
    Row("changed by a function", START + "def f(x): x[0] = 9.0\nu = k * 2\nf(u)\nprint(u)", of=("u",)),
    Row(
        "changed by a function's function",
        START + "def g(y): y *= k\ndef f(x):\n    z = x[1:]\n    g(x=1) if 0 else g(x)\nu = k * 2\nf(u)",
        of=("u",),
    ),
    Row("changed by NumPy", START + "u = k * 2\nnp.copyto(u, k)\nnp.add(u, k, out=u)\nu.fill(3.0)", of=("u",)),
    Row("changed by an imported function", START + "from helper import halve\nu = k * 2\nhalve(u)", of=("u",)),
    Row("changed by a module's function", "import helper\n" + START + "u = k * 2\nhelper.halve(u)", of=("u",)),
    Row("changed by a later module's", START + "import helper as h\nu = k * 2\nh.halve(u)", of=("u",)),
    Row("only shown by a function", START + "def show(x): print(len(x), 1 / 0)\nu = k * 2\nif 0: show(u)", of=("u",)),
    Row("placeholder first", "import numpy as np\nk = None\nk = [1.0]\nk = np.ones(3)\nloss = np.sum(k)"),
    Row("input updated", START + "k *= 2.0\nk[0] = 1.0", of=("k",)),
    Row("star import before", "from math import *\nk = 0.3\nloss = sin(k)"),
    Row("name shadowed in a function", START + "def f(u): return u * 2\nu = f(k)\nloss = np.sum(u)"),
    Row("class beside", START + "class Rate:\n    value = 3.0\nloss = np.sum(k) * Rate.value"),
]


def written(folder, text):
    sys.modules.pop("helper", None)
    (folder / "helper.py").write_text("def divide(x, n):\n    x /= n\ndef halve(x):\n    divide(x, 2)\n")
    path = folder / "script.py"
    path.write_text(textwrap.dedent(text))
    return read_script(str(path))


def made(folder, text, wrt, of):
    script = written(folder, text)
    with as_main(script, []) as namespace:
        return top_level_function(script, wrt, of, namespace)


def values_at_end(folder, row):
    """The script's own values, of its text without the lines that are there to fail."""
    text = textwrap.dedent(row.text).replace("import nowhere", "")
    script = written(folder, text)
    with as_main(script, []) as namespace:
        exec(compile(text, "script", "exec"), namespace)
    return [namespace[name] for name in row.of]


@pytest.mark.parametrize("row", PROGRAMS, ids=lambda row: row.name)
def test_function_gives_what_the_script_computes(row, tmp_path):
    function, values = made(tmp_path, row.text, row.wrt, row.of)
    assert tuple(argument.arg for argument in function_source(function).node.args.args) == row.parameters
    expected = values_at_end(tmp_path, row)
    for _ in range(2):
        result = function(*copy.deepcopy(values))
        results = result if len(row.of) > 1 else (result,)
        for got, wanted in zip(results, expected, strict=True):
            np.testing.assert_array_equal(got, wanted)


def test_positions_are_those_of_the_script(tmp_path):
    function, _ = made(tmp_path, START + "\n\nu = k * k\nloss = np.sum(u)\n", ("k",), ("loss",))
    first, _, returned = function_source(function).node.body
    assert (first.lineno, first.col_offset, returned.lineno) == (5, 0, 6)
    assert function_source(function).filename == str(tmp_path / "script.py")


REFUSED = [
    ("no input", START + "loss = 1.0", ("kk",), ("loss",), BadArgument, "'script.py' has no variable 'kk'."),
    ("no output", START, ("k",), ("los",), BadArgument, "'script.py' has no variable 'los'."),
    ("output first", "loss = 1.0\nk = 1.0", ("k",), ("loss",), BadArgument, "'loss' is not assigned after"),
    ("an int", "n = 3\nloss = 1.0 * n", ("n",), ("loss",), NotDifferentiable, "'n' is of type 'int', expected"),
    (
        "ints",
        "import numpy as np\nn = np.arange(3)\nloss = 1.0",
        ("n",),
        ("loss",),
        NotDifferentiable,
        "'n' is of type 'int64[3]', expected floating-point numbers.",
    ),
    ("never bound", "if 0:\n    k = 1.0\nloss = 2.0", ("k",), ("loss",), BadArgument, "ended before 'k' was assigned."),
    ("star between", "k = 1.0\nfrom math import *\nloss = sin(k)", ("k",), ("loss",), Unsupported, "A star import"),
    (
        "hidden in a lambda",
        "f = lambda: k\nk = 1.0\nloss = f()",
        ("k",),
        ("loss",),
        Unsupported,
        "'k' changes in the program, but is read here from outside.",
    ),
    (
        "hidden in a method",
        "class A:\n    def f(self):\n        return k\na = A()\nk = 1.0\nloss = A().f()",
        ("k",),
        ("loss",),
        Unsupported,
        "'k' changes in the program, but is read here from outside.",
    ),
]


@pytest.mark.parametrize(
    ("text", "wrt", "of", "kind", "sentence"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_bad_variables_are_refused(text, wrt, of, kind, sentence, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written(tmp_path, text)
    script = read_script("script.py")
    with pytest.raises(kind) as caught, as_main(script, []) as namespace:
        top_level_function(script, wrt, of, namespace)
    assert sentence in caught.value.message
