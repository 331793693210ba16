"""Runs saved SDFGs by DaCe alone: `python -P without_daad.py FOLDER`; each NAME.sdfg with the arguments in NAME.npz.

What the arguments hold afterwards goes to NAME.out.npz, what went wrong to NAME.txt.
"""

import sys
import traceback
from pathlib import Path

import dace
import numpy as np


def run(path: Path) -> None:
    """A number is an argument by value, an array stays one."""
    sdfg = dace.SDFG.from_file(str(path))
    sdfg.validate()
    taken = sdfg.arglist()
    with np.load(path.with_suffix(".npz")) as given:
        arguments = {name: given[name].copy() for name in given.files}
    by_value = {name for name, data in taken.items() if isinstance(data, dace.data.Scalar)}
    assert {*taken} == {*arguments}, f"it takes {sorted(taken)}, and there are {sorted(arguments)}"
    sdfg(**{name: value.item() if name in by_value else value for name, value in arguments.items()})
    np.savez(path.with_suffix(".out.npz"), **arguments)


for found in sorted(Path(sys.argv[1]).glob("*.sdfg")):
    try:
        run(found)
    except Exception:
        found.with_suffix(".txt").write_text(traceback.format_exc())
assert "daad" not in sys.modules
