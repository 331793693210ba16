"""Numbers that data, or what a loop counts, choose from a list of numbers, or of tuples of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from daad.frontend.python.reading.reader import Reader
from daad.frontend.staging import indexing
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.facts import Unroll, of_list
from daad.frontend.staging.values import ArrayValue, affine_of, is_staged, is_weak
from daad.frontend.staging.variable_storage import columns_of, holds_numbers, holds_rows, is_constant


def chosen_item(reader: Reader, holder: Any, key: Any) -> Any:
    """The number, or the tuple of numbers, that data or a loop choose from a list; None for other keys and items."""
    if not isinstance(key, ArrayValue) or key.ndim or key.dtype.kind not in "iu":
        return None
    return _row(reader, holder, key) if holds_rows(holder) else _number(reader, holder, key)


def _row(reader: Reader, holder: Any, key: ArrayValue) -> tuple[Any, ...] | None:
    found: list[Any] = []
    for column in columns_of(holder):
        if is_constant(column):
            found.append(column[0])
        elif (item := chosen_item(reader, column, key)) is not None:
            found.append(item)
        else:
            return None
    return tuple(found)


def _number(reader: Reader, holder: Any, key: ArrayValue) -> ArrayValue | None:
    """The number that data choose from a list or tuple of numbers, of one type but for Python's ints among floats, or
    that a loop chooses by what it counts."""
    stage = reader.stage
    if not holds_numbers(holder):
        return None
    form, message = affine_of(key), "The key of a list or dict changes from iteration to iteration."
    try:
        with of_list(holder):
            if form is not None and any(form.coefficient(v) for v in stage.loop_variables):
                raise stage.unroll(form, message)
            if form is not None or stage.decided(key, message) is not None:
                return None
    except Unroll as unroll:
        plans = (tracker.plan for tracker in reader.trackers)
        if not any(plan.variable == unroll.variable and plan.reads and plan.indexed is not None for plan in plans):
            raise
    samples = holder if is_staged(holder) else {type(item): item for item in holder}.values()
    numbers = [stage.array(item) for item in samples]
    kinds = {number.dtype for number in numbers if not (is_weak(number) and number.dtype.kind == "i")}
    is_mixed = len(kinds) > 1 or (kinds and kinds != {np.dtype(float)} and not all(n.dtype in kinds for n in numbers))
    strengths = {is_weak(number) for number in numbers if not kinds or number.dtype in kinds}
    if is_mixed or len(strengths) > 1:
        return None
    found = indexing.item(stage, _array(stage, holder), (key,))
    found.weak = strengths.pop()
    return found


def _array(stage: Stage, holder: Any) -> ArrayValue:
    """The numbers in an array; those that are known in one that is there before the program runs, once."""
    row = None if is_staged(holder) else np.array(holder)
    if row is None or row.dtype.kind not in "biuf":
        return stage.array(list(holder))
    return stage.constant(stage.rows.setdefault((row.dtype.str, row.tobytes()), row))
