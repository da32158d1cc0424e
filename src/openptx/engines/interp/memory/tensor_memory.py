"""The tensor memory of a batch's CTAs: cells by CTA, lane and column, and the allocated columns of each CTA."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from openptx.engines.common import fault_text
from openptx.engines.common.tensor_block import BLOCK, UNITS
from openptx.engines.interp import lane_sets
from openptx.engines.interp.memory.spaces import Spaces, Violation
from openptx.isa.semantics import tensor_memory
from openptx.isa.semantics.tensor_memory import COLUMNS, LANE, LANES, UNIT, probes
from openptx.numerics import Bits
from openptx.numerics.reductions import distinct

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from openptx.array_types import Array
    from openptx.device.allocation import Bytes


class TensorMemory(tensor_memory.TensorMemory):
    def __init__(self, x: Spaces, block: Bytes | None = None) -> None:
        """`block`: the bytes of the batch's single CTA, if they exist already."""
        self.x = x
        self.memory = memory = np.zeros(x.geometry.count, BLOCK) if block is None else block.view(BLOCK)
        self.cells, self.owned, self.given = memory["cells"], memory["owned"], memory["given"]
        if block is not None and not memory["used"][0]:
            memory["used"] = 1
            self.cells[:] = 0

    def allocate(self, count: Bits, *, exclusively: bool = False) -> Bits:
        found = np.zeros(self.x.n, np.uint32)
        for lanes, cta, (columns,) in self._warps(count):
            if columns not in (range(UNIT, COLUMNS + 1, UNIT) if exclusively else (32, 64, 128, 256, 512)):
                right = f"a multiple of {UNIT} up to {COLUMNS}" if exclusively else "32, 64, 128, 256 or 512"
                message = f"{columns} columns of tensor memory are requested, not {right}"
                raise self._wrong("undefined-behavior", message, lanes)
            owned, units = int(self.owned[cta]), columns // UNIT
            free = (first for first in range(0, UNITS, units) if not owned >> first & (1 << units) - 1)
            first = (None if owned else 0) if exclusively else next(free, None)
            if first is None:
                used = owned.bit_count() * UNIT
                message = f"no {columns} columns of tensor memory are free, {used} of {COLUMNS} are in use"
                raise self._wrong("deadlock", message, lanes)
            self.owned[cta] |= (1 << units) - 1 << first
            self.given[cta, first] = units
            found[lanes] = first * UNIT
        return Bits(self.x, 32, lane_sets.take(found, self.x.executing))

    def free(self, address: Bits, count: Bits) -> None:
        for lanes, cta, (first, columns) in self._warps(address, count):
            unit, units = first // UNIT, columns // UNIT
            known = first % UNIT == 0 and unit < UNITS and units and columns % UNIT == 0
            if not known or self.given[cta, unit] != units:
                message = f"no {columns} columns of tensor memory were allocated at 0x{first:x}"
                raise self._wrong("undefined-behavior", message, lanes)
            self.given[cta, unit] = 0
            self.owned[cta] &= ~((1 << units) - 1 << unit) & 0xFFFFFFFF

    def address_of(self, cta: int) -> int:
        """Where a CTA's tensor memory lies in this process (common/tensor_block.py)."""
        return self.memory.ctypes.data + cta * BLOCK.itemsize

    def rows_at(self, address: Bits, count: int) -> tuple[int, Array, slice]:
        """The index in `cells` of `count` columns in lanes of one CTA, from the same column on."""
        cta, lane, column = self.place(address, count, None)
        first = int(column[0])
        assert (cta == cta[0]).all()
        assert (column == first).all()
        return int(cta[0]), lane, slice(first, first + count)

    def read(self, address: Bits, count: int = 1, rank: Bits | None = None) -> tuple[Bits, ...]:
        cta, lane, column = self.place(address, count, rank)
        found = self.cells[cta[:, None], lane[:, None], column[:, None] + np.arange(count)]
        return tuple(Bits(self.x, 32, np.ascontiguousarray(found[:, i])) for i in range(count))

    def write(self, address: Bits, values: Sequence[Bits], rank: Bits | None = None) -> None:
        cta, lane, column = self.place(address, len(values), rank)
        words = np.empty((cta.size, len(values)), np.uint32)
        for i, value in enumerate(values):
            words[:, i] = value.v
        self.cells[cta[:, None], lane[:, None], column[:, None] + np.arange(len(values))] = words

    def place(self, address: Bits, count: int, rank: Bits | None) -> tuple[Array, Array, Array]:
        """The CTA, lane and column of every executing thread, with `count` columns that exist."""
        x, geometry = self.x, self.x.geometry
        cta = lane_sets.take(geometry.cta, x.executing)
        if rank is not None:
            outside = np.broadcast_to(rank.v >= geometry.shape.cluster_size, cta.shape)
            if outside.any():
                places = lane_sets.positions(x.executing, x.n)[np.flatnonzero(outside)]
                raise self._wrong("out-of-bounds", "the cluster has no such CTA", places)
            cta = cta - geometry.rank[cta] + rank.v.astype(np.int64)
        at = np.broadcast_to(address.v, cta.shape).astype(np.int64)
        lane, column = at >> LANE, at & (1 << LANE) - 1
        owned = self.owned[cta]  # no bit of which belongs to columns that do not exist
        missing = [(owned >> (column + i) // UNIT & 1) == 0 for i in probes(count)]
        bad = np.logical_or.reduce([lane >= LANES, *missing])
        if bad.any():
            i = int(np.flatnonzero(bad)[0])
            places = lane_sets.positions(x.executing, x.n)[i : i + 1]
            raise self._wrong("out-of-bounds", fault_text.unallocated(int(at[i])), places)
        return cta, lane, column

    def _warps(self, *values: Bits) -> Iterator[tuple[Array, int, list[int]]]:
        """The executing lanes of each warp, its CTA, and the values that its first lane has."""
        x = self.x
        active = lane_sets.positions(x.executing, x.n)
        warps = x.geometry.warp[active]
        for warp in distinct(warps).tolist():
            places = np.flatnonzero(warps == warp)
            lanes = active[places]
            given = [int(v.v[places[0] if v.v.size > 1 else 0]) for v in values]
            yield lanes, int(x.geometry.cta[lanes[0]]), given

    def _wrong(self, code: str, message: str, lanes: Array) -> Violation:
        return Violation(code, message, int(lanes[0]))
