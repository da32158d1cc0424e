"""Calls to the interpreter: it executes single instructions for compiled code, for the lanes of one warp.

These are bulk stores with generic addresses, and everything else that is not lowered, including instructions without a
meaning, which report that when they are executed.

Their registers are passed as 64-bit words in the worker's state (`abi.OPERANDS`): those that the instruction reads, and
on return those that it writes.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from openptx.array_types import Array
from openptx.engines.interp import lane_sets
from openptx.engines.interp.decode import NoMeaning, unguarded
from openptx.engines.interp.operands import fresh
from openptx.engines.native import abi
from openptx.engines.native.analysis.activations import frame_top
from openptx.engines.native.analysis.cfg import Cells
from openptx.engines.native.analysis.lattice import N
from openptx.errors import Unsupported

if TYPE_CHECKING:
    from openptx.engines.interp.machine import Threads
    from openptx.engines.native.runtime.workers import Worker
    from openptx.program import Function, Program


@lru_cache(maxsize=512)
def cells_of(function: Function) -> Cells:
    return Cells(function)


def execute(program: Program, function: Function, pc: int, x: Threads, worker: Worker) -> None:
    """Executes the instruction at `pc` for the lanes `x.executing`; raises Violation if one of them does something
    illegal."""
    op, cells = function.code[pc], cells_of(function)
    x.base = x.local_size - frame_top(function, pc)
    reads, writes = cells.passed(op)
    words = worker.bytes[abi.OPERANDS : abi.TILES].view(np.uint64).reshape(abi.ROOM, N)
    places = lane_sets.positions(x.executing, x.n)
    lanes = places % N
    columns: dict[int, Array] = {cell: fresh(cells.widths[cell]) for cell in writes}
    for cell, row in zip(reads, words, strict=False):
        columns[cell] = np.zeros(x.n, fresh(cells.widths[cell]).dtype)
        columns[cell][places] = row[lanes]
    registers: Any = file_of(function, cells, columns)
    try:
        unguarded(op, cells.carry)(x, registers, x.executing)
    except NoMeaning:
        raise Unsupported(str(op.m), file=program.file, span=op.span) from None
    except Unsupported as gap:
        raise gap.at(op.m, program.file, op.span) from None
    for cell, row in zip(writes, words, strict=False):
        row[lanes] = lane_sets.take(cell_of(function, cells, registers, cell), x.executing)


def file_of(function: Function, cells: Cells, columns: Mapping[int, Array]) -> dict[int, Any]:
    """Registers as the reference engine numbers them; those of 128 bits are pairs."""
    found: dict[int, Any] = {}
    for cell, column in columns.items():
        if cell == cells.carry:
            found[len(function.registers)] = column
        elif cell < len(function.registers):
            found[cell] = (column, columns[cells.high[cell]]) if cell in cells.high else column
    return found


def cell_of(function: Function, cells: Cells, registers: Mapping[int, Any], cell: int) -> Array:
    """The content of a cell, from the registers in it."""
    if cell == cells.carry:
        return registers[len(function.registers)]
    if cell < len(function.registers):
        return registers[cell][0] if cell in cells.high else registers[cell]
    low = next(low for low, high in cells.high.items() if high == cell)
    return registers[low][1]
