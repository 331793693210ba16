"""The C++ of numbers next to each other that go into a record for Python, or come from it."""

from __future__ import annotations

from daad.codegen.cpp.tasklet import Writer
from daad.codegen.cpp.tasklet_code import TaskletCode
from daad.codegen.schedule.footprints import footprints
from daad.codegen.schedule.lowering_context import Context
from daad.codegen.schedule.nest_schedule import Schedule
from daad.codegen.schedule.python_transfers import Transfer


def write_transfer(transfer: Transfer, context: Context) -> TaskletCode:
    """The tasklet of the whole nest."""
    nest = transfer.nest
    schedule = Schedule(mapped=(), inner=nest.domain, in_order=True)
    writer = Writer(nest, schedule, context, footprints=footprints(nest, nest.domain, context))
    written = transfer.token if transfer.is_put else transfer.array
    target, operand = writer.point_out(written), writer.operand(transfer.array)
    token = writer.pointer(transfer.token)
    row = f"{operand.pointer} + {writer.emitter.affine(transfer.start - operand.start)}"
    if transfer.is_put:
        text = f"{target}[0] = daad::python_put({token}[0], {row}, {transfer.count});"
    else:
        text = f"daad::python_get({token}[0], {writer.emitter.affine(transfer.place)}, {row}, {transfer.count});"
    return TaskletCode(
        text, tuple(writer.inputs.values()), tuple(writer.outputs.values()), needs=frozenset(("python",))
    )
