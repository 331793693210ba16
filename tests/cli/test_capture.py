"""The first call of a function of a script, however the script makes it."""

import sys
import textwrap
from dataclasses import dataclass

import numpy as np
import pytest

from daad.cli.exit_codes import ScriptFailed
from daad.cli.script.capture import capture
from daad.cli.script.running import as_main, read_script
from daad.errors import BadArgument
from daad.frontend.python.syntax.source import function_source


@dataclass(frozen=True)
class Row:
    name: str
    text: str
    args: tuple = (1.0,)
    kwargs: tuple = ()
    arguments: tuple = ()
    function: str = "f"


CALLED = [
    Row("at the top", "def f(x): return x\nf(1.0)\nf(2.0)"),
    Row("with keywords", "def f(x, y=0): return x\nf(1.0, y=3)", kwargs=(("y", 3),)),
    Row("in main", "def f(x): return x\ndef main(): f(1.0)\nif __name__ == '__main__': main()"),
    Row("by another function", "def f(x): return x\ndef g(h): return h(1.0)\ng(f)"),
    Row("nested", "def main():\n    def f(x): return x\n    f(1.0)\nmain()"),
    Row("a lambda", "f = lambda x: x\nf(1.0)"),
    Row("decorated", "import functools\n@functools.lru_cache\ndef f(x): return x\nf(1.0)"),
    Row("decorated afterwards", "import functools\ndef f(x): return x\nf = functools.lru_cache(f)\nf(1.0)"),
    Row("bound in a branch", "try:\n    from nowhere import f\nexcept ImportError:\n    def f(x): return x\nf(1.0)"),
    Row("imported", "from helper import f\nf(1.0)"),
    Row("imported under another name", "from helper import g as f\nf(1.0)"),
    Row("imported by a star", "from helper import *\nf(1.0)"),
    Row("by SciPy-like code", "from helper import apply\ndef f(x): return x\napply(f, 1.0)"),
    Row("after an attribute of it is read", "def f(x): return x\nf.rate = 1.0\nf(f.rate)"),
    Row("with the script's arguments", "import sys\ndef f(x): return x\nf(float(sys.argv[1]))", arguments=("1",)),
    Row("behind a future import", "from __future__ import annotations\ndef f(x: Any): return x\nf(1.0)"),
    Row("swallowed by the script", "def f(x): return x\ntry:\n    f(1.0)\nexcept:\n    pass\nprint('end')"),
    Row("before an exit", "def f(x): return x\ntry:\n    f(1.0)\nfinally:\n    raise SystemExit(3)"),
    Row("a method", "class A:\n    def f(self, x): return x\nA().f(1.0)", function="A.f"),
    Row("a method of a base", "class B:\n    def f(self, x): return x\nclass A(B): pass\nA().f(1.0)", function="A.f"),
    Row("a static method", "class A:\n    @staticmethod\n    def f(x): return x\nA.f(1.0)", function="A.f"),
    Row("a class method", "class A:\n    @classmethod\n    def f(cls, x): return x\nA().f(1.0)", function="A.f"),
    Row("of one object", "class A:\n    def f(self, x): return x\na, b = A(), A()\nb.f(2.0)\na.f(1.0)", function="a.f"),
    Row("of a module", "import helper\nhelper.apply(helper.f, 1.0)", function="helper.f"),
    Row("of a module, there", "import helper as h\nh.both(1.0)", function="h.f"),
    Row("by a gradient", "import daad\ndef f(x): return x * x\ndaad.grad(f)(1.0)"),
    Row("by a gradient of it in another", "import daad\ndef f(x): return x * x\ndef g(h): h(1.0)\ng(daad.grad(f))"),
    Row(
        "by one of a method",
        "import daad\nclass A:\n    def f(self, x): return x\ndaad.grad(A().f)(1.0)",
        function="A.f",
    ),
    Row(
        "behind a gradient that reads it",
        "import daad\nclass A:\n    def f(self, x): return x * x\n    def g(self, x): return self.f(x)\na = A()\n"
        "daad.plan(a.g, [3.0])\na.f(1.0)",
        function="A.f",
    ),
    Row("by a check", "import daad\ndef f(x): return x * x\ndaad.check(f, [1.0])"),
    Row("by a plan", "import daad\ndef f(x): return x * x\ndaad.plan(f, [1.0])"),
    Row("by a copy", "import copy, pickle\ndef f(x): return x\npickle.loads(pickle.dumps(copy.deepcopy([f])))[0](1.0)"),
    Row("in this process", "import os\ndef f(x): return x\nif os.fork(): os.wait(); f(1.0)\nelse: f(2.0); os._exit(0)"),
    Row("as __main__", "import sys\ndef f(x): return x\nf(1.0 if sys.modules['__main__'].f is f else 2.0)"),
    Row(
        "from its own folder", "import os, sys\ndef f(x): return x\nf(float(sys.path[0] == os.path.dirname(__file__)))"
    ),
]


def written(folder, text):
    (folder / "helper.py").write_text(
        "def f(x): return x\ndef g(x): return x\ndef apply(h, x): return h(x)\ndef both(x): return f(x)\n"
    )
    path = folder / "script.py"
    path.write_text(textwrap.dedent(text))
    return read_script(str(path))


def call_of(folder, text, function="f", arguments=()):
    script = written(folder, text)
    sys.modules.pop("helper", None)
    with as_main(script, arguments) as namespace:
        return capture(script, function, namespace), namespace


@pytest.mark.parametrize("row", CALLED, ids=lambda row: row.name)
def test_arguments_of_the_first_call_are_captured(row, tmp_path):
    call, _ = call_of(tmp_path, row.text, row.function, arguments=row.arguments)
    assert (call.args, call.kwargs) == (row.args, dict(row.kwargs))
    assert function_source(call.function).node is not None


def test_script_goes_no_further_than_the_call(tmp_path, capsys):
    call_of(tmp_path, "def f(x): print('inside')\nprint('before')\nf(1.0)\nprint('after')")
    assert capsys.readouterr().out == "before\n"


def test_captured_arrays_are_copies(tmp_path):
    call, namespace = call_of(
        tmp_path, "import numpy as np\ndef f(x): pass\na = np.ones(3)\ntry:\n    f(a)\nfinally:\n    a[:] = 7.0"
    )
    np.testing.assert_array_equal(call.args[0], np.ones(3))
    np.testing.assert_array_equal(namespace["a"], np.full(3, 7.0))


def test_arrays_that_are_one_stay_one(tmp_path):
    call, _ = call_of(tmp_path, "import numpy as np\ndef f(x, y): pass\na = np.ones(3)\nf(a, a)")
    assert call.args[0] is call.args[1]


def test_arrays_that_overlap_still_do(tmp_path):
    call, _ = call_of(tmp_path, "import numpy as np\ndef f(x, y): pass\na = np.ones(3)\nf(a[1:], a[:2])")
    assert np.shares_memory(*call.args)


def test_the_script_finds_its_own_function_again_afterwards(tmp_path):
    call, namespace = call_of(tmp_path, "def f(x): return x\nf(1.0)")
    assert namespace["f"] is call.function
    assert not [name for name in namespace if "daad" in name]


def test_the_python_outside_is_as_before(tmp_path):
    before = (sys.argv, sys.path[:], sys.modules["__main__"])
    call_of(tmp_path, "import sys\ndef f(x): pass\nsys.path.append('x')\nsys.argv = []\nf(1.0)")
    assert (sys.argv, sys.path, sys.modules["__main__"]) == before


NOT_CALLED = [
    ("misspelled", "def simulate(x): pass\nsimulate(1)", "simulte", "has no function 'simulte'.", "'simulate'"),
    ("few names", "def a(x): pass\ndef b(x): pass", "f", "has no function 'f'.", "There is 'a' or 'b'."),
    ("never called", "def f(x): pass", "f", "The script ended without a call of 'f'.", "Call it in the script"),
    ("exits first", "import sys\ndef f(x): pass\nsys.exit()\nf(1)", "f", "exited without a call of 'f'.", "Call it"),
    ("a number", "f = 1.0", "f", "'f' is no function but of type 'float'.", "Name a function"),
    ("a class", "class f: pass\nf()", "f", "'f' is a class.", "Name a function."),
    ("a class with methods", "class f:\n    def g(x): pass\nf()", "f", "'f' is a class.", "such as 'f.g'."),
    ("a method", "class A:\n    def f(x): pass\nA().f()", "f", "has no function 'f'.", "Did you mean 'A.f'?"),
    ("no method", "class A:\n    def f(x): pass\nA().f()", "A.q", "'A' has no function 'q'.", "There is 'f'."),
    ("no class", "class A:\n    def f(x): pass\nA().f()", "Bc.q", "has no function 'Bc.q'.", "There is 'A.f'."),
    ("of a module", "import helper", "f", "has no function 'f'.", "Did you mean 'helper.f'?"),
    ("not in the module", "import helper", "helper.q", "'helper' has no function 'q'.", "'apply', 'both', 'f' or 'g'"),
]


@pytest.mark.parametrize(
    ("text", "function", "sentence", "hint"), [row[1:] for row in NOT_CALLED], ids=[row[0] for row in NOT_CALLED]
)
def test_what_is_not_called_is_refused(text, function, sentence, hint, tmp_path):
    with pytest.raises(BadArgument) as caught:
        call_of(tmp_path, text, function)
    assert caught.value.message.endswith(sentence)
    assert (hint or "") in (caught.value.hint or "")


def test_a_wrong_name_is_refused_before_the_script_runs(tmp_path, capsys):
    with pytest.raises(BadArgument):
        call_of(tmp_path, "print('ran')\ndef f(x): pass", "g")
    assert capsys.readouterr().out == ""


def test_an_error_of_the_script_shows_only_its_own_frames(tmp_path):
    with pytest.raises(ScriptFailed) as caught:
        call_of(tmp_path, "def f(x): pass\ndef g():\n    return 1 / 0\nf(g())")
    assert "ZeroDivisionError: division by zero" in caught.value.text
    assert 'script.py", line 4, in <module>' in caught.value.text
    assert "daad" not in caught.value.text.replace(str(tmp_path), "")


def test_a_syntax_error_is_the_scripts_own(tmp_path):
    with pytest.raises(ScriptFailed, match="SyntaxError"):
        written(tmp_path, "def f(:\n")


def test_a_missing_file_names_what_is_close(tmp_path):
    (tmp_path / "terrain.py").write_text("")
    with pytest.raises(BadArgument, match="does not exist") as caught:
        read_script(str(tmp_path / "terain.py"))
    assert caught.value.hint == "Did you mean 'terrain.py'?"
