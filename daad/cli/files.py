"""The files that a command writes: refused before any work where that cannot be done."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np

from daad.errors import BadArgument


def require_writable(target: str | Path | None) -> None:
    """Refuse to compute what could not be written."""
    if target is None:
        return
    path = Path(target).resolve()
    if path.is_dir() or not path.name or str(target).endswith(os.sep):
        raise BadArgument(f"'{target}' is a folder.", hint="Give the path of a file.")
    if not path.parent.is_dir():
        raise BadArgument(f"The folder of '{target}' does not exist.", hint="Create it first.")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise BadArgument(f"The file '{target}' cannot be written.", hint="Check the permissions of its folder.")


def require_drawable(target: Path | None) -> None:
    """The same for a picture, whose kind is told by the ending of its name."""
    if target is None:
        return
    require_writable(target)
    try:
        from matplotlib.backend_bases import FigureCanvasBase
    except ImportError:
        raise BadArgument("Pictures need matplotlib.", hint="Install it: pip install matplotlib.") from None
    ending = target.suffix.removeprefix(".").lower()
    if ending not in FigureCanvasBase.get_supported_filetypes():
        message = f"'{target}' ends in no kind of picture." if ending else f"'{target}' has no ending."
        raise BadArgument(message, hint="Use '.svg', '.png', '.pdf', or another one that matplotlib knows.")


@contextlib.contextmanager
def writing(target: str | Path) -> Iterator[None]:
    """Around what writes a file: the disk may be full."""
    try:
        yield
    except OSError as error:
        raise BadArgument(
            f"The file '{target}' cannot be written: {error.strerror}.", hint="Use another one."
        ) from None


def save(target: str, arrays: Mapping[str, Any]) -> None:
    """As `numpy.savez`, whatever the names of the arrays are."""
    with writing(target), ZipFile(target, "w") as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asanyarray(array), allow_pickle=False)
