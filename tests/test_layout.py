"""The house stays one in which a room is found: few modules in each, and no two of one name."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import daad

HOME = Path(daad.__file__).parent
MODULES = [path.relative_to(HOME) for path in sorted(HOME.rglob("*.py")) if path.name != "__init__.py"]
MOST = 24
ALONE = {"__main__.py", "errors.py", "pipeline.py", "testing.py"}


def test_modules_lie_in_rooms() -> None:
    assert {path.name for path in MODULES if len(path.parts) == 1} == ALONE


def test_no_room_holds_more_than_a_look_takes_in() -> None:
    count = Counter(str(path.parent) for path in MODULES)
    assert {room: n for room, n in count.items() if n > MOST} == {}


def test_two_modules_have_two_names() -> None:
    """But for commands, which are called what they show."""
    count = Counter(path.name for path in MODULES if path.parts[0] != "cli")
    assert [name for name, n in count.items() if n > 1] == []


def test_long_rows_are_rows_of_tests() -> None:
    tests = Path(__file__).parent
    rows = (tests / "long_rows.txt").read_text().splitlines()
    names = {row.partition("[")[0] for row in rows}
    gone = [n for n in names if f"def {n.partition('::')[2]}(" not in (tests.parent / n.partition("::")[0]).read_text()]
    assert (gone, [row for row in rows if "[" not in row]) == ([], [])
