"""How errors read."""

import ast
import pickle
import traceback
from pathlib import Path

import pytest

import daad
from daad.errors import BadArgument, CompileError, DaadError, Location, MemoryLimitTooSmall, Unsupported

PROGRAM = """\
def step(u, n):
    if n:
        return step(u, n - 1)
    wärme = "ß" + step(u, 0)
\treturn  (
    u)
"""

# Line, span in bytes, the two lines below the sentence.
EXCERPTS = [
    (3, (15, 19), "    return step(u, n - 1)", "           ^^^^"),
    (4, (20, 24), '    wärme = "ß" + step(u, 0)', " " * 18 + "^^^^"),
    (5, (1, 0), "    return  (", "    ^^^^^^^^^"),
    (3, (0, 0), "    return step(u, n - 1)", "    ^^^^^^^^^^^^^^^^^^^^^"),
    (3, (500, 501), "    return step(u, n - 1)", " " * 24 + "^"),
]


@pytest.fixture
def heat(tmp_path):
    path = tmp_path / "heat.py"
    path.write_text(PROGRAM, encoding="utf-8")
    return str(path)


def test_an_error_names_class_place_sentence_line_and_hint(heat):
    error = Unsupported(
        "A recursion goes too deep.",
        at=Location(heat, 3, 15, 19),
        hint="Write the recursion as a loop.",
    )
    expected = """\
daad.Unsupported: heat.py:3: A recursion goes too deep.
    return step(u, n - 1)
           ^^^^
  Write the recursion as a loop."""
    assert error.render() == expected
    assert "".join(traceback.format_exception_only(error)).rstrip() == expected


@pytest.mark.parametrize(("line", "span", "source", "carets"), EXCERPTS)
def test_carets_stand_under_the_span(heat, line, span, source, carets):
    text = str(Unsupported("No.", at=Location(heat, line, *span)))
    assert text.splitlines()[1:] == [source, carets]


def test_a_span_over_several_lines_marks_the_rest_of_the_first(heat):
    node = ast.parse("x = (1 +\n 2)").body[0].value
    assert Location.of(node, heat) == Location(heat, 1, 5, 0)


def test_without_a_readable_source_only_the_place_is_named():
    assert str(BadArgument("No.", at=Location("gone.py", 3), hint="Yes.")) == "gone.py:3: No.\n  Yes."
    assert BadArgument("No.").render() == "daad.BadArgument: No."


@pytest.mark.parametrize("kind", [DaadError, BadArgument, Unsupported, CompileError])
def test_errors_are_found_under_the_public_name(kind):
    assert getattr(daad, kind.__name__) is kind
    assert kind.__module__ == "daad"
    assert issubclass(kind, daad.DaadError)


def test_errors_survive_pickling():
    error = pickle.loads(pickle.dumps(MemoryLimitTooSmall("No.", at=Location("a.py", 1), hint="Yes.", minimum=4096)))
    assert (error.minimum, error.hint, str(error.at)) == (4096, "Yes.", "a.py:1")


def test_an_unknown_public_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'daad' has no attribute 'gard'"):
        daad.gard  # noqa: B018


@pytest.mark.parametrize("name", daad.__all__)
def test_every_public_name_is_there(name):
    assert getattr(daad, name).__module__.partition(".")[0] == "daad"


def test_the_typing_marker_is_there():
    assert (Path(daad.__file__).parent / "py.typed").exists()


RAISED = {"Unsupported": 3, "NotDifferentiable": 3, "BadArgument": 3, "refuse": 2}
"""How many positional arguments include the hint."""


def calls_without_hint(path: Path) -> list[str]:
    """Where a refusal is made without telling what to do."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.Call) or any(isinstance(a, ast.Starred) for a in node.args):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        has_hint = len(node.args) >= RAISED.get(name, 0) or any(k.arg == "hint" for k in node.keywords)
        found += [] if has_hint else [f"{path.name}:{node.lineno}"]
    return found


def test_each_refusal_says_what_to_do():
    files = sorted(Path(daad.__file__).parent.rglob("*.py"))
    assert [place for file in files for place in calls_without_hint(file)] == []
