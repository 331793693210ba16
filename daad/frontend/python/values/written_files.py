"""What a program writes to files is shown, and left out as a picture is; nobody may read such a file then."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

import numpy as np

from daad.frontend.python.reading.reader import Reader
from daad.frontend.python.values.plotting_packages import PICTURE, Picture
from daad.frontend.staging.unread import Unread
from daad.frontend.staging.values import ArrayValue, Complex

SAVING = (np.save, np.savez, np.savez_compressed, np.savetxt)
ENDINGS = ("", ".npy", ".npz")
"""What NumPy puts behind a name."""
OTHERS = frozenset((("scipy.io.matlab._mio", "savemat"), ("scipy.io.wavfile", "write")))
TREES = frozenset((("h5py._hl.files", "File"), ("netCDF4", "Dataset"), ("netCDF4._netCDF4", "Dataset")))
"""Classes of files that hold several arrays."""
FILLING = frozenset(("json", "pickle", "_pickle", "csv", "_csv", "pprint", "yaml"))
"""Modules whose functions write what they are given to an open file."""
KINDS_OF_FILES = frozenset(("csv", "excel", "feather", "hdf", "json", "netcdf", "parquet", "pickle", "zarr"))
"""To which tables have methods: `to_csv`."""
OF_NAMES = frozenset(("posixpath", "ntpath", "builtins", "re"))
"""Modules that make names of files, and read none."""
READ = "A file is read that the program writes."
HINT = "What a program writes to files is left out: keep it in a variable."


def _place(name: Any) -> str:
    """Where a name leads to; "" for what is none."""
    try:
        return os.path.realpath(name)
    except ValueError:
        return ""


def is_for_writing(mode: Any) -> bool:
    """Whether a file that is opened so is only written."""
    return isinstance(mode, str) and mode[:1] in ("w", "a", "x") and "+" not in mode


def written(reader: Reader, name: Any) -> Picture:
    """A file that is opened to write it; its name need not be known."""
    place = _place(name) if isinstance(name, str | os.PathLike) else None
    if any(place in (None, _place(other)) for other in reader.files_read):
        reader.stage.refuse(READ, HINT)
    reader.files_written.add(place)
    return PICTURE


def saved(reader: Reader, name: Any) -> None:
    """NumPy writes to a file of this name, or to an open one."""
    if not isinstance(name, Picture):
        for ending in ENDINGS:
            written(reader, f"{name}{ending}" if isinstance(name, str | os.PathLike) else None)


def note_read(reader: Reader, function: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> None:
    """A function that Python calls may read the files that its arguments name."""
    owner, home = getattr(function, "__self__", None), getattr(function, "__module__", None)
    if isinstance(owner, str) or isinstance(function, type) or home in OF_NAMES:
        return
    for name in (owner, *args, *keywords.values()):
        if isinstance(name, str | PurePath):
            read(reader, name, is_kept=home != "genericpath")


def read(reader: Reader, name: Any, is_kept: bool = True) -> None:
    """A file of this name is read, or (otherwise than `is_kept`) asked for."""
    if reader.files_written and (None in reader.files_written or _place(name) in reader.files_written):
        reader.stage.refuse(READ, HINT)
    if is_kept:
        reader.files_read.add(name)


def opens_path(function: Any) -> bool:
    """Whether it is the `open` of a path."""
    return isinstance(getattr(function, "__self__", None), PurePath) and function.__name__ == "open"


def saves(receiver: Any, name: str) -> bool:
    """Whether a method only writes a file."""
    if isinstance(receiver, PurePath):
        return name in ("write_text", "write_bytes")
    if isinstance(receiver, Unread):
        return name.startswith("to_") and name[3:] in KINDS_OF_FILES
    return isinstance(receiver, ArrayValue | Complex | np.ndarray) and name in ("tofile", "dump")


def is_saving(function: Any) -> bool:
    """Whether a function only writes the file that its first argument names."""
    return any(function is one for one in SAVING) or _named(function) in OTHERS


def is_tree(function: Any) -> bool:
    """Whether it is the class of such files."""
    return isinstance(function, type) and _named(function) in TREES


def _named(function: Any) -> tuple[Any, Any]:
    return getattr(function, "__module__", None), getattr(function, "__name__", None)


def tree(reader: Reader, args: Sequence[Any], keywords: Mapping[str, Any]) -> Picture:
    """A file of several arrays that is only written."""
    if not args or (args[1] if len(args) > 1 else keywords.get("mode")) not in ("w", "w-", "x"):
        reader.stage.refuse("A file of arrays is opened to read it.", "Read it outside of the function.")
    return written(reader, args[0])


def fills(function: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> bool:
    """Whether a function writes to an open file."""
    home = getattr(function, "__module__", None) or ""
    return home.partition(".")[0] in FILLING and any(isinstance(v, Picture) for v in (*args, *keywords.values()))
