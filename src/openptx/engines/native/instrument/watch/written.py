"""Marks of a watched launch: a byte for each byte of memory that starts undefined, 0 once it has been written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from openptx.engines.native.analysis.unsupported import UnsupportedByJit
from openptx.engines.native.instrument.watch import layout

if TYPE_CHECKING:
    from openptx.device.memory_view import Bytes
    from openptx.engines.native.runtime.launch import Run
    from openptx.engines.native.runtime.workers import Worker

MARGIN = 64
"""Padding bytes after the last, for wide moves."""


class Written:
    """`undefined`: the undefined bits of arrays of global memory, a byte for each byte, by their addresses. They are
    the launch's marks, changed in place; a byte with any undefined bit counts as unwritten."""

    def __init__(self, undefined: Mapping[int, Bytes]) -> None:
        self.arrays = undefined
        self.kept = {base: None if bits.min() == 255 else bits.copy() for base, bits in undefined.items()}
        """The original marks; None for 255 everywhere."""
        self.table = np.zeros(0, np.int64)
        self.shared = self.local = np.zeros(0, np.uint8)

    def attach(self, worker: Worker, run: Run) -> dict[int, int]:
        """Creates marks for a worker; returns the fields of the watch block that refer to them."""
        plan, memory = run.plan, run.memory
        if plan.code.metadata.stack.recursive:
            raise UnsupportedByJit("recursion, whose frames are not watched")
        self.shared = np.zeros(worker.shared_size + MARGIN, np.uint8)
        self.local = np.zeros(worker.local.size + MARGIN, np.uint8)
        self.table = np.zeros(len(memory.snapshot.rows), np.int64)
        for base, bits in self.arrays.items():
            last = base + max(bits.size, 1) - 1
            self.table[base >> memory.shift : (last >> memory.shift) + 1] = bits.ctypes.data - base
        reserved = plan.program.reserved_shared
        return {
            layout.MARKS: self.table.ctypes.data,
            layout.SHARED_MARKS: self.shared.ctypes.data,
            layout.LOCAL_MARKS: self.local.ctypes.data,
            layout.RESERVED: reserved,
            layout.SHARED_BYTES: max(worker.shared_size - reserved, 0),
            layout.LOCAL_BYTES: worker.local.size,
            layout.STRIDE: plan.stride,
        }

    def put_back(self) -> None:
        """Restores the marks of arrays to their state before the launch."""
        for base, kept in self.kept.items():
            self.arrays[base][:] = 255 if kept is None else kept
