"""Bytes of definedness of a watched launch: a byte for each byte of memory that begins undefined, 255 once written."""

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
"""Bytes after the last, for wide moves."""


class Written:
    """`undefined`: the undefined bits of arrays of global memory, a byte for each byte, by their addresses. A byte that
    has any counts as one that nobody has written."""

    def __init__(self, undefined: Mapping[int, Bytes]) -> None:
        self.arrays = {base: defined(bits) for base, bits in undefined.items()}
        self.table = np.zeros(0, np.int64)
        self.shared = self.local = np.zeros(0, np.uint8)

    def attach(self, worker: Worker, run: Run) -> dict[int, int]:
        """Makes tables for a worker; gives the fields of the watch block that name them."""
        plan, memory = run.plan, run.memory
        if plan.code.metadata.stack.recursive:
            raise UnsupportedByJit("recursion, whose frames nobody watches")
        self.shared = np.zeros(worker.shared_size + MARGIN, np.uint8)
        self.local = np.zeros(worker.local.size + MARGIN, np.uint8)
        self.table = np.zeros(len(memory.snapshot.rows), np.int64)
        for base, bits in self.arrays.items():
            last = base + max(bits.size, 1) - 1
            self.table[base >> memory.shift : (last >> memory.shift) + 1] = bits.ctypes.data - base
        reserved = plan.program.reserved_shared
        self.shared[:reserved] = 255
        return {
            layout.DEFINED: self.table.ctypes.data,
            layout.DEFINED_SHARED: self.shared.ctypes.data,
            layout.DEFINED_LOCAL: self.local.ctypes.data,
            layout.RESERVED: reserved,
            layout.SHARED_BYTES: worker.shared_size - reserved,
            layout.LOCAL_BYTES: worker.local.size,
            layout.STRIDE: plan.stride,
        }


def defined(bits: Bytes) -> Bytes:
    """255 for each byte that has no undefined bits."""
    return np.where(bits == 0, 255, 0).astype(np.uint8)
