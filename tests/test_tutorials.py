"""The cells of the tutorials run, and print what the notebooks show."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.test_docs import run_block

TUTORIALS = sorted((Path(__file__).parent.parent / "docs" / "tutorials").glob("*.ipynb"))
QUICK = ("calibration", "learning")
"""Those that take few seconds."""
NAMES = [path.stem if path.stem in QUICK else pytest.param(path.stem, marks=pytest.mark.slow) for path in TUTORIALS]


def printed(cell: dict[str, Any]) -> str:
    """What the notebook shows that a cell printed."""
    return "".join("".join(output["text"]) for output in cell["outputs"] if output.get("name") == "stdout")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore:More than 20 figures")
def test_cells_print_what_the_notebook_shows(name: str) -> None:
    path = next(path for path in TUTORIALS if path.stem == name)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    cells = [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]
    for number, cell in enumerate(cells):
        found = run_block("".join(cell["source"]), f"{name}-{number}.py", namespace)
        assert found == printed(cell), f"run 'make tutorials' ({name}, cell {number})"
    assert any("image/png" in output.get("data", {}) for cell in cells for output in cell["outputs"])
