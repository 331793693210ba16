"""Runs the notebooks in this folder, in a kernel of its own each, and keeps what they print and draw; `make tutorials`
calls it.

    python docs/tutorials/execute.py [NAME ...]
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import nbclient
import nbformat

HERE = Path(__file__).parent
KEPT = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}


def execute(path: Path) -> None:
    """Writes the notebook with its outputs; raises what a cell raises."""
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3", record_timing=False).execute()
    notebook.metadata = nbformat.from_dict(KEPT)
    for cell in notebook.cells:
        cell.metadata = {}
        if "outputs" in cell:  # a line of progress leaves an empty one
            cell.outputs = [output for output in cell.outputs if output.get("data", {}).get("text/plain") != ""]
        for output in cell.get("outputs", ()):
            output.get("data", {}).pop("text/html", None)
    nbformat.write(notebook, path)


def main() -> None:
    os.environ["PYTHONPATH"] = str(HERE.parents[1])
    os.environ["SOURCE_DATE_EPOCH"] = "0"  # pictures say no day
    names = sys.argv[1:] or sorted(path.stem for path in HERE.glob("*.ipynb"))
    for name in names:
        execute(HERE / f"{name}.ipynb")
        print(name)


if __name__ == "__main__":
    main()
