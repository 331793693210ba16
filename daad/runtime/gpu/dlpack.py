"""DLPack: how libraries hand arrays to each other without a copy (dlpack.h, version 0.8)."""

from __future__ import annotations

import contextlib
import ctypes
from ctypes import POINTER, py_object
from typing import Any

import numpy as np

KIND, MANAGED = 2, 13
"""What DLPack calls the memory of an NVIDIA GPU, and memory that its driver moves there."""
NAME, USED = b"dltensor", b"used_dltensor"
CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}


class Tensor(ctypes.Structure):
    """An array: where it is, and how its elements lie; strides are counted in elements."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_kind", ctypes.c_int32),
        ("device", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", POINTER(ctypes.c_int64)),
        ("strides", POINTER(ctypes.c_int64)),
        ("offset", ctypes.c_uint64),
    )


class Managed(ctypes.Structure):
    """An array with the function that lets it go."""


Deleter = ctypes.CFUNCTYPE(None, POINTER(Managed))
Managed._fields_ = (("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", Deleter))
Destructor = ctypes.CFUNCTYPE(None, ctypes.c_void_p)

_python = ctypes.PyDLL(None)  # functions of its own: others declare those of `ctypes.pythonapi` otherwise
_new = _python.PyCapsule_New
_new.restype, _new.argtypes = py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
_is_valid = _python.PyCapsule_IsValid
_is_valid.restype, _is_valid.argtypes = ctypes.c_int, (py_object, ctypes.c_char_p)
_pointer = _python.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, (py_object, ctypes.c_char_p)
_rename = _python.PyCapsule_SetName
_rename.restype, _rename.argtypes = ctypes.c_int, (py_object, ctypes.c_char_p)
# Of a capsule that is about to go, which must not get another reference:
_is_valid_at = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_IsValid", _python))
_pointer_at = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_GetPointer", _python))

_lent: dict[int, tuple[Any, ...]] = {}
"""What others have taken over, by the address of its description, until they let it go."""


@Deleter
def _let_go(managed: Any) -> None:
    _lent.pop(ctypes.addressof(managed.contents), None)


@Destructor
def _dropped(capsule: int) -> None:
    """Nobody has taken the array: whoever does gives the capsule another name."""
    if _is_valid_at(capsule, NAME):
        _lent.pop(_pointer_at(capsule, NAME) or 0, None)


def capsule(owner: Any, shape: tuple[int, ...], dtype: np.dtype[Any], address: int, device: tuple[int, int]) -> Any:
    """The description of an array in C order, which keeps its owner until it is let go of."""
    sizes = (ctypes.c_int64 * max(1, len(shape)))(*shape)
    tensor = Tensor(
        data=address,
        device_kind=device[0],
        device=device[1],
        ndim=len(shape),
        code=CODES[dtype.kind],
        bits=8 * dtype.itemsize,
        lanes=1,
        shape=sizes,
        strides=None,
        offset=0,
    )
    managed = Managed(tensor=tensor, context=None, deleter=_let_go)
    place = ctypes.addressof(managed)
    _lent[place] = (managed, sizes, owner)
    return _new(place, NAME, ctypes.cast(_dropped, ctypes.c_void_p))


class Taken:
    """An array that was taken over from another library: its description, and the memory until the object goes."""

    def __init__(self, given: Any) -> None:
        """Raises ValueError for what is no description that nobody has taken."""
        if not _is_valid(given, NAME):
            raise ValueError("no description of an array")
        self._managed = Managed.from_address(_pointer(given, NAME))
        _rename(given, USED)
        tensor = self._managed.tensor
        kinds = {code: kind for kind, code in CODES.items()}
        if tensor.lanes != 1 or tensor.code not in kinds or tensor.bits % 8:
            raise ValueError("its elements are no numbers of NumPy's")
        self.dtype = np.dtype(f"{kinds[tensor.code]}{tensor.bits // 8}")
        self.shape = tuple(tensor.shape[: tensor.ndim])
        self.strides = tuple(tensor.strides[: tensor.ndim]) if tensor.strides else None
        self.address = (tensor.data or 0) + tensor.offset
        self.device = (tensor.device_kind, tensor.device)

    def __del__(self) -> None:
        with contextlib.suppress(AttributeError, TypeError):
            if self._managed.deleter:
                self._managed.deleter(ctypes.byref(self._managed))
