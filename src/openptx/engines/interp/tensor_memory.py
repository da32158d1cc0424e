"""The tensor memory of a batch's CTAs: cells by CTA, lane and column, and which CTA has allocated which columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from openptx.engines.interp import lane_sets
from openptx.engines.interp.memory import Violation
from openptx.isa.semantics import tensor_memory
from openptx.isa.semantics.tensor_memory import COLUMNS, LANE, LANES, UNIT
from openptx.numerics import Bits

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from openptx.engines.interp.machine import Threads

    Array = NDArray[Any]


class TensorMemory(tensor_memory.TensorMemory):
    def __init__(self, x: Threads) -> None:
        self.x = x
        ctas = x.geometry.count
        self.cells = np.zeros((ctas, LANES, COLUMNS), np.uint32)
        self.owned = np.zeros((ctas, COLUMNS), np.bool_)
        self.given: list[dict[int, int]] = [{} for _ in range(ctas)]  # how many columns, by the first

    def allocate(self, count: Bits) -> Bits:
        found = np.zeros(self.x.n, np.uint32)
        for lanes, cta, (columns,) in self._warps(count):
            if columns not in (32, 64, 128, 256, 512):
                message = f"{columns} columns of tensor memory are asked for, not 32, 64, 128, 256 or 512"
                raise self._wrong("undefined-behavior", message, lanes)
            taken = self.owned[cta].reshape(-1, columns).any(axis=1)
            if taken.all():
                used = int(np.count_nonzero(self.owned[cta]))
                message = f"no {columns} columns of tensor memory are free, {used} of {COLUMNS} are in use"
                raise self._wrong("deadlock", message, lanes)
            first = int(np.argmin(taken)) * columns
            self.owned[cta, first : first + columns] = True
            self.given[cta][first] = columns
            found[lanes] = first
        return Bits(self.x, 32, lane_sets.take(found, self.x.executing))

    def free(self, address: Bits, count: Bits) -> None:
        for lanes, cta, (first, columns) in self._warps(address, count):
            if self.given[cta].get(first) != columns:
                message = f"no {columns} columns of tensor memory were allocated at 0x{first:x}"
                raise self._wrong("undefined-behavior", message, lanes)
            del self.given[cta][first]
            self.owned[cta, first : first + columns] = False

    def cells_at(self, address: Bits, count: int) -> tuple[Array, Array, Array]:
        """The index in `cells` of `count` columns for every executing thread."""
        cta, lane, column = self._place(address, count, None)
        return cta[:, None], lane[:, None], column[:, None] + np.arange(count)

    def read(self, address: Bits, count: int = 1, rank: Bits | None = None) -> tuple[Bits, ...]:
        cta, lane, column = self._place(address, count, rank)
        found = self.cells[cta[:, None], lane[:, None], column[:, None] + np.arange(count)]
        return tuple(Bits(self.x, 32, np.ascontiguousarray(found[:, i])) for i in range(count))

    def write(self, address: Bits, values: Sequence[Bits], rank: Bits | None = None) -> None:
        cta, lane, column = self._place(address, len(values), rank)
        words = np.empty((cta.size, len(values)), np.uint32)
        for i, value in enumerate(values):
            words[:, i] = value.v
        self.cells[cta[:, None], lane[:, None], column[:, None] + np.arange(len(values))] = words

    def _place(self, address: Bits, count: int, rank: Bits | None) -> tuple[Array, Array, Array]:
        """The CTA, lane and column of every executing thread, with `count` columns that are there."""
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
        bad = (lane >= LANES) | (column + count > COLUMNS)
        if not bad.any():
            last = column + count - 1  # what lies between is of as many units
            units = range((count - 1) // UNIT + 1)
            bad = ~self.owned[cta, last] | ~np.logical_and.reduce([self.owned[cta, column + UNIT * i] for i in units])
        if bad.any():
            i = int(np.flatnonzero(bad)[0])
            where = f"lane {lane[i]}, column {column[i]}"
            places = lane_sets.positions(x.executing, x.n)[i : i + 1]
            raise self._wrong("out-of-bounds", f"{where} of tensor memory is not allocated", places)
        return cta, lane, column

    def _warps(self, *values: Bits) -> Iterator[tuple[Array, int, list[int]]]:
        """The executing lanes of each warp, its CTA, and the values that its first lane has."""
        x = self.x
        everyone = lane_sets.positions(x.executing, x.n)
        warps = x.geometry.warp[everyone]
        for warp in np.unique(warps).tolist():
            places = np.flatnonzero(warps == warp)
            lanes = everyone[places]
            given = [int(v.v[places[0] if v.v.size > 1 else 0]) for v in values]
            yield lanes, int(x.geometry.cta[lanes[0]]), given

    def _wrong(self, code: str, message: str, lanes: Array) -> Violation:
        return Violation(code, message, int(lanes[0]))
