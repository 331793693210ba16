"""The commands from end to end: what they print, what they write, how they exit."""

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import click
import dace
import numpy as np
import pytest
from click.testing import CliRunner

from daad.cli import COMMANDS, main

HEAT = """\
import sys
import numpy as np

RATE = 0.5

def shift(u, k):
    # the rate of exchange
    return RATE * k[1:-1] * (u[2:] - 2.0 * u[1:-1] + u[:-2])

def simulate(u, k, steps):
    for t in range(steps):
        u[1:-1] = u[1:-1] + shift(u, k)
    return np.sum(u * u)

def energy(u, scale=2.0, *, power):
    return np.sum((scale * u) ** power)

def profile(u):
    return u * u

def walk(u, n):
    return np.sum(u) * hash(u[0] * n)

def count(n):
    return n * n

def pull(x, v):
    for t in range(50):
        v -= 0.1 * np.sin(x)
        x += 0.1 * v
    return np.sum(x * v)

def layers(p):
    print("layers")
    return np.sum(p["w"] ** 2) + np.sum(p["b"][0])

class Model:
    def __init__(self, w):
        self.w = w

    def cost(self, x):
        return np.sum(self.w * x * x)

n = int(sys.argv[1]) if len(sys.argv) > 1 else 6
print("a simulation of", n)
u = np.linspace(0.0, 1.0, n) ** 2
k = np.full(n, 0.25)
loss = np.sum(u * k) ** 2
w = 3.0 * u
u[0] = 5.0
if len(sys.argv) > 2:
    simulate(u.copy(), k, 4)
    energy(u, power=3.0)
    profile(u)
    walk(u, 3)
    count(4)
    pull(u, k)
    layers({"w": u, "b": [k]})
    Model(k).cost(u)
    1 / 0
"""


DAADS = """\
import numpy as np
import daad

def energy(x):
    return np.sum(x * x)

k = daad.value_and_grad(energy)(np.ones(3))[1]
x = np.arange(3.0)
y = np.sum(k * x * x)
"""


TUPLES = """\
import numpy as np
def f(x, y):
    return np.sum(x), np.sum(x * y)
def g():
    return 1.0
async def h(x):
    return x
import sys
g() if "g" in sys.argv else h(1.0) if "h" in sys.argv else f(np.ones(3), 2.0 * np.ones(3))
"""


@dataclass(frozen=True)
class Row:
    line: str
    code: int
    out: str = ""
    err: str = ""


ROWS = [
    Row("grad heat.py --wrt k --of loss", 0, "k         6      float64"),
    Row("grad heat.py --wrt k --of loss", 0, "a simulation of 6"),
    Row("grad heat.py --wrt u,k --of loss --check", 0, "check"),
    Row("grad heat.py --wrt u --of w --seed 1", 0, "7.348"),
    Row("grad heat.py -f simulate --wrt k,u -- 7 x", 0, "u         7      float64"),
    Row("grad heat.py -f simulate --wrt k --of u --seed 1.0 -- 7 x", 0, "k         7      float64"),
    Row("grad heat.py -f energy -- 7 x", 0, "u         7      float64"),
    Row("grad heat.py -f energy --wrt scale,power -- 7 x", 0, "scalar"),
    Row("grad heat.py -f profile --seed 2 -- 7 x", 0, "u         7      float64"),
    Row("grad heat.py -f layers -- 7 x", 0, "p['b'][0]  7      float64"),
    Row("jacobian heat.py -f simulate --wrt k,u --of u -- 5 x", 0, "k         5 x 5  float64"),
    Row("jacobian heat.py -f profile --sparse --check -- 5 x", 0, "The jacobian is right"),
    Row("jacobian heat.py --wrt k --of w,loss", 0, "result[1], k"),
    Row("hessian heat.py -f simulate --wrt k --check -- 5 x", 0, "k        5 x 5  float64"),
    Row("hessian heat.py -f simulate --wrt k --sparse --save h.npz -- 5 x", 0, "k        5 x 5  float64"),
    Row("jvp heat.py -f profile --check -- 5 x", 0, "result  5      float64"),
    Row("jvp heat.py -f profile --tangent none.npz -- 5 x", 2, err="none.npz"),
    Row("vjp heat.py -f profile --seed 2 --check -- 5 x", 0, "u    5      float64"),
    Row("hvp heat.py -f simulate --wrt k,u --check -- 5 x", 0, "The hvp is right"),
    Row("jacobian heat.py -f walk -- 5 x", 3, err="hash"),
    Row("check heat.py -f simulate --wrt k -- 5 x", 0),
    Row("check heat.py --wrt k --of loss", 0),
    Row("explain heat.py -f simulate --wrt k -- 5 x", 0, "in the CCS"),
    Row("explain heat.py -f simulate --wrt k --html page.html -- 5 x", 0, "Store all: "),
    Row("explain heat.py -f simulate --wrt k --html . -- 5 x", 2, err="'.' is a folder."),
    Row("plan heat.py -f simulate --wrt k -- 5 x", 0, "Peak: "),
    Row("sdfg heat.py --wrt k --of loss", 0, "k_bar: float64[6]: the gradient of 'k'"),
    Row(
        "sdfg heat.py -f simulate --wrt k --part adjoint -- 5 x",
        0,
        "u_tape: float64[4, 5]: forwarded: values of 'u'",
    ),
    Row("sdfg heat.py -f simulate --part dual -- 5 x", 2, err="'dual' is not one of 'joint', 'primal', 'adjoint'"),
    Row("sdfg heat.py --wrt k --of loss -o .", 2, err="'.' is a folder."),
    Row("plan heat.py -f energy --pareto curve.svg -- 7 x", 0, "estimated"),
    Row("plan heat.py -f simulate --wrt k --memory-limit 1B -- 5 x", 4, err="No plan keeps to 1 B: the smallest needs"),
    Row("grad heat.py -f energy --memory-limit 1B -- 5 x", 4, err="No plan keeps to 1 B: the smallest needs"),
    Row("plan heat.py -f simulate --wrt k --memory-limit 5Mb -- 5 x", 2, err="Did you mean '5MiB'?"),
    Row("plan heat.py -f pull --wrt x --memory-limit 700B --allow-undo -- 5 x", 0, "50 updates are taken back"),
    Row("plan heat.py -f pull --wrt x --memory-limit 700B -- 5 x", 4, err="No plan keeps to 700 B"),
    Row("grad", 2, err="Missing argument 'SCRIPT'"),
    Row("grda heat.py", 2, err="No such command 'grda'"),
    Row("grad heat.py --wrt k --of loss --device tpu", 2, err="'tpu' is not one of 'cpu', 'gpu'."),
    Row("grad heat.py --wrt k -of loss", 2, err="No such option '-of'. Did you mean '--of'?"),
    Row("check heat.py -wrt=k --of loss", 2, err="No such option '-wrt'. Did you mean '--wrt'?"),
    Row("grad heat.py --wrt k --of loss 7", 2, err="argument '7'. The script's own arguments come after '--'."),
    Row("grad tuples.py -f f --of 1", 0, "x         3      float64  3.464    2    2"),
    Row("grad tuples.py -f f --of 0,1 --seed 1", 0, "value     3, 6"),
    Row("grad tuples.py -f f --of 2", 2, err="tuples.py:2"),
    Row("grad tuples.py -f f --wrt y --of 0", 0, err="Warning: The output does not depend on 'y': its gradient"),
    Row("grad tuples.py -f g -- g", 2, err="'g' has no parameters"),
    Row("grad tuples.py -f h -- h", 3, err="daad.Unsupported: tuples.py:6"),
    Row("grad heat.py -f Model.cost -- 7 x", 0, "x         7      float64"),
    Row("grad heat.py -f cost -- 7 x", 2, err="has no function 'cost'.\n  Did you mean 'Model.cost'?"),
    Row("grad heat.py -f Model -- 7 x", 2, err="'Model' is a class.\n  Name one of its methods, such as 'Model.cost'."),
    Row("grad heat.py -f Model.cost -o written.py -- 7 x", 2, err="'Model.cost' is a method of an object"),
    Row("grad daads.py -f energy --wrt x --check", 0, "x         3      float64"),
    Row("grad daads.py --wrt x --of y", 0, "x         3      float64"),
    Row(
        "plan heat.py -f energy --pareto p.xyz -- 7 x",
        2,
        err="'p.xyz' ends in no kind of picture.\n  Use '.svg', '.png'",
    ),
    Row("plan heat.py -f energy --timeline p -- 7 x", 2, err="'p' has no ending."),
    Row("plan heat.py -f energy --pareto no/p.svg -- 7 x", 2, err="The folder of 'no/p.svg' does not exist."),
    Row("grad heat.py --wrt k --of loss --save .", 2, err="'.' is a folder."),
    Row("grad heat.py --wrt k --of loss --save /dev/full", 2, err="'/dev/full' cannot be written: No space left"),
    Row("grad hat.py --wrt k --of loss", 2, err="The file 'hat.py' does not exist.\n  Did you mean 'heat.py'?"),
    Row("grad heat.py -f simulat", 2, err="'heat.py' has no function 'simulat'.\n  Did you mean 'simulate'?"),
    Row("grad heat.py -f simulate", 2, err="The script ended without a call of 'simulate'."),
    Row("grad heat.py -f simulate --wrt q -- 5 x", 2, err="'simulate' has no argument 'q'."),
    Row("grad heat.py --wrt kk --of loss", 2, err="'heat.py' has no variable 'kk'."),
    Row("grad heat.py --wrt k --of lss", 2, err="'heat.py' has no variable 'lss'.\n  Did you mean 'loss'?"),
    Row("grad heat.py --wrt k", 2, err="Without -f, --of must name variables of the script."),
    Row("grad heat.py --of loss", 2, err="Without -f, --wrt must name variables of the script."),
    Row("grad heat.py", 2, err="There is 'RATE', 'k', 'loss', 'n', 'u' or 'w'. Or differentiate one of its functions"),
    Row(
        "grad heat.py --wrt qq --of loss", 2, err="no variable 'qq'.\n  There is 'RATE', 'k', 'loss', 'n', 'u' or 'w'."
    ),
    Row("grad heat.py -f simulate --wrt k --of v -- 5 x", 2, err="\n  There is 'k', 'steps' or 'u'."),
    Row("grad heat.py -f simulate --wrt q -- 5 x", 2, err="\n  Its arguments are 'u', 'k'"),
    Row("grad exits.py -f f", 2, err="no data\ndaad.BadArgument: The script exited without a call of 'f'."),
    Row("grad heat.py --wrt k --of loss --save no/such.npz", 2, err="The folder of 'no/such.npz' does not exist."),
    Row("grad heat.py -f count -- 5 x", 3, err="daad.NotDifferentiable: heat.py:"),
    Row("grad heat.py -f profile -- 5 x", 3, err="daad.NotDifferentiable: heat.py:"),
    Row("grad heat.py -f walk -- 5 x", 3, err="daad.Unsupported: heat.py:22: "),
    Row("grad heat.py --wrt n --of loss", 3, err="'n' is of type 'int'"),
    Row("grad heat.py --wrt n --of loss", 3, err="have a gradient: 'RATE', 'k', 'loss', 'u' and 'w'."),
    Row("grad book.ipynb -f f", 2, err="'book.ipynb' is a notebook.\n  Write it as a script: jupyter nbconvert"),
    Row("grad bad.py -f f", 2, err="SyntaxError"),
    Row("grad raises.py -f f", 2, err='raises.py", line 3, in <module>'),
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "heat.py").write_text(HEAT)
    (tmp_path / "book.ipynb").write_text("{}")
    (tmp_path / "bad.py").write_text("def f(:\n")
    (tmp_path / "daads.py").write_text(DAADS)
    (tmp_path / "tuples.py").write_text(TUPLES)
    (tmp_path / "exits.py").write_text("import sys\ndef f(x):\n    return x\nsys.exit('no data')\n")
    (tmp_path / "raises.py").write_text("def f(x):\n    return x\nf(1 / 0)\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def daad(line):
    return CliRunner().invoke(main, line.split(), prog_name="daad")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.line} [{row.out or row.err}]"[:90])
def test_command_line(row, folder):
    result = daad(row.line)
    assert result.exit_code == row.code, result.output
    assert row.out in result.stdout
    assert row.err in result.stderr
    assert "Traceback" not in result.stderr or row.line.startswith("grad raises.py")


def simulate_by_hand(u, k, steps):
    for _ in range(steps):
        u[1:-1] = u[1:-1] + 0.5 * k[1:-1] * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u * u)


def slope_by_hand(u, k, steps, step=1e-6):
    slopes = np.zeros_like(k)
    for i in range(k.size):
        up, down = k.copy(), k.copy()
        up[i] += step
        down[i] -= step
        slopes[i] = (simulate_by_hand(u.copy(), up, steps) - simulate_by_hand(u.copy(), down, steps)) / (2.0 * step)
    return slopes


def point(n):
    u = np.linspace(0.0, 1.0, n) ** 2
    u[0] = 5.0
    return u, np.full(n, 0.25), 4


def test_save_writes_each_gradient_under_its_name(folder):
    assert daad("grad heat.py -f simulate --wrt k,u --save grads.npz -- 7 x").exit_code == 0
    with np.load("grads.npz") as saved:
        assert sorted(saved) == ["k", "u"]
        np.testing.assert_allclose(saved["k"], slope_by_hand(*point(7)), atol=1e-7)


def test_json_is_alone_on_stdout(folder):
    result = daad("grad heat.py -f simulate --wrt k --check --json -- 7 x")
    document = json.loads(result.stdout)
    slopes = slope_by_hand(*point(7))
    (row,) = document["gradients"]
    assert (row["name"], row["shape"], row["dtype"]) == ("k", [7], "float64")
    np.testing.assert_allclose([row["norm"], row["min"]], [np.linalg.norm(slopes), slopes.min()], rtol=1e-6)
    np.testing.assert_allclose(document["value"], simulate_by_hand(*point(7)))
    assert document["check"]["passed"] is True
    assert document["seconds"]["gradient"] > 0.0
    assert "a simulation of 7" in result.stderr


NOISY = """\
import atexit, os
import numpy as np
atexit.register(print, "bye")
atexit.register(os.system, "echo bye from a child")
print("hello")

def f(file):
    print("in f")
    return np.sum(file * np.inf)

f(np.ones(3))
"""


def test_saved_sdfgs_take_arguments_by_the_names_of_the_script(folder):
    assert daad("grad heat.py -f simulate --wrt k --save-sdfg grad.sdfg -- 7 x").exit_code == 0
    told = json.loads(daad("sdfg heat.py -f simulate --wrt k --part primal -o primal.sdfg --json -- 7 x").stdout)
    assert (told["part"], told["file"]) == ("primal", "primal.sdfg")
    assert [*dace.SDFG.from_file("grad.sdfg").arglist()] == ["k", "k_bar", "result", "u"]
    assert [*dace.SDFG.from_file("primal.sdfg").arglist()] == ["k", "result", "u"]


@pytest.mark.parametrize(
    "line", ["grad n.py -f f --save n.npz", "check n.py -f f", "explain n.py -f f", "plan n.py -f f"]
)
def test_json_is_all_that_is_on_stdout_whatever_the_script_prints(line, tmp_path):
    (tmp_path / "n.py").write_text(NOISY)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-m", "daad", *line.split(), "--json"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert json.loads(done.stdout, parse_constant=None)["program"] == "f (n.py)"
    assert "NaN" not in done.stdout
    assert "hello\n" in done.stderr
    assert done.stderr.endswith("bye from a child\nbye\n")


@pytest.mark.parametrize("command", ["check", "explain"])
def test_other_commands_speak_json_too(command, folder):
    document = json.loads(daad(f"{command} heat.py -f simulate --wrt k --json -- 7 x").stdout)
    assert document["program"] == "simulate (heat.py)"


def test_a_wrong_gradient_exits_with_one(folder, monkeypatch):
    monkeypatch.setattr("daad.check", lambda *_, **__: False, raising=False)
    assert daad("check heat.py -f simulate --wrt k -- 7 x").exit_code == 1
    assert daad("grad heat.py -f simulate --wrt k --check -- 7 x").exit_code == 1


MODULES = [
    ("-f simulate --wrt k", "simulate_grad", point(7)),
    ("--wrt k --of loss", "heat_grad", (np.full(7, 0.25), np.linspace(0.0, 1.0, 7) ** 2)),
]


@pytest.mark.parametrize(("options", "name", "args"), MODULES, ids=[row[1] for row in MODULES])
def test_module_gives_the_gradient_without_the_script(options, name, args, folder, monkeypatch):
    assert daad(f"grad heat.py {options} -o written.py --save grads.npz -- 7 x").exit_code == 0
    (folder / "heat.py").unlink()
    monkeypatch.syspath_prepend(str(folder))
    sys.modules.pop("written", None)
    function = getattr(__import__("written"), name)
    with np.load("grads.npz") as saved:
        np.testing.assert_array_equal(function(*args), saved["k"])


DACE = """\
import dace
import numpy as np

N = dace.symbol("N")

@dace.program
def squares(A: dace.float64[N], B: dace.float64[N]):
    for i in dace.map[0:N]:
        B[i] = A[i] * A[i]
    return np.sum(B)

squares(np.arange(5.0), np.zeros(5))
"""


def test_a_dace_program_is_differentiated_without_running_it(folder):
    (folder / "squares.py").write_text(DACE)
    result = daad("grad squares.py -f squares --wrt A --check")
    assert result.exit_code == 0, result.output
    assert "A         5      float64  10.95    0    8" in result.stdout
    assert not (folder / ".dacecache").exists()


def test_module_keeps_the_comments_and_constants_of_the_script(folder):
    daad("grad heat.py -f simulate --wrt k -o written.py -- 7 x")
    text = (folder / "written.py").read_text()
    assert "    # the rate of exchange\n" in text
    assert "RATE = 0.5\n" in text
    assert "u: float64[7]" in text


def test_help_loads_nothing_heavy():
    code = """
import atexit, sys
import daad.cli
atexit.register(lambda: print(sorted(sys.modules)))
sys.argv[1:] = ["--help"]
daad.cli.main()
"""
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert not [name for name in ("dace", "sympy", "networkx", "numpy", "rich") if f"'{name}'" in loaded]


def test_plan_draws_and_prints_for_machines(folder):
    line = "plan heat.py -f energy --json --pareto curve.svg --timeline memory.png -- 7 x"
    document = json.loads(daad(line).stdout)
    assert document["pareto"][0]["bytes"] == document["bytes"] == sum(document["parts"].values())
    assert (folder / "curve.svg").read_text().startswith("<?xml")
    assert (folder / "memory.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("name", COMMANDS)
def test_the_document_names_each_command_and_its_options(name: str) -> None:
    document = (Path(__file__).parents[2] / "docs" / "command_line.md").read_text()
    command = main.get_command(click.Context(main), name)
    assert f"daad {name}" in document
    assert command is not None
    options = [p.opts[-1] for p in command.params if isinstance(p, click.Option)]
    assert [o for o in options if not re.search(rf"(?<![\w-]){o}(?![\w-])", document)] == []
