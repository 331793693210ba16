"""Pickles that hold the functions of the script that runs, and know from which lines these come.

A module of its own: cloudpickle comes with Dask, and is imported where that is used.
"""

from __future__ import annotations

import io
import pickle
from collections import ChainMap
from types import CodeType
from typing import Any, ClassVar

import cloudpickle


def dumps(value: Any) -> bytes:
    """As Python pickles it; by value what is the script's own."""
    try:
        plain = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
        if b"__main__" not in plain:
            return plain
    except Exception:  # whatever it is, the other way may do
        pass
    file = io.BytesIO()
    Placed(file).dump(value)
    return file.getvalue()


def _placed(obj: CodeType) -> tuple[Any, ...]:
    make, parts, *_ = cloudpickle.Pickler.dispatch_table[CodeType](obj)
    return restored, (make, parts, obj.co_filename)


def restored(make: Any, parts: tuple[Any, ...], filename: str) -> CodeType:
    """The code with its file, which cloudpickle leaves out: there is where its text is found."""
    code: CodeType = make(*parts)
    return code.replace(co_filename=filename)


class Placed(cloudpickle.Pickler):
    """Keeps the name of the file that code comes from."""

    dispatch_table: ClassVar = ChainMap({CodeType: _placed}, cloudpickle.Pickler.dispatch_table)
