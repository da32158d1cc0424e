"""The machine that meanings run on: the lanes of a batch of CTAs that execute one instruction."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import numpy as np

from openptx.array_types import Array
from openptx.engines.interp import lane_sets, tensor_cores
from openptx.engines.interp.geometry import WARP
from openptx.engines.interp.images import LaneImages
from openptx.engines.interp.memory.atomics import Atomics
from openptx.engines.interp.memory.copies import Copies
from openptx.engines.interp.memory.spaces import STACK_BYTES, Violation
from openptx.engines.interp.memory.tensor_memory import TensorMemory
from openptx.engines.interp.special_registers import SPECIALS, value
from openptx.isa.machine import Machine
from openptx.locks import check_cancelled
from openptx.numerics import Bits
from openptx.numerics.numpy_machine import UNSIGNED
from openptx.numerics.reductions import all_set, distinct, where_set

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from openptx.device.allocation import Bytes
    from openptx.device.image import Image
    from openptx.device.memory_view import MemoryView
    from openptx.engines.interp.geometry import Geometry
    from openptx.isa.semantics.matrix.tensor_operations import TensorCopy, TensorProduct, Tiles
    from openptx.numerics.dot import Tile
    from openptx.numerics.matrix_product import MatrixProduct

CLOCKS = "clock", "globaltimer"
"""Special registers that change, by the beginnings of their names; two of them are the lower 32 bits."""

LOWER, LOW = ("clock", "globaltimer_lo"), (1 << 32) - 1

WORKSPACE = {"envreg1": 32, "envreg2": 0}
"""Special registers with the halves of the address of the grid's workspace: the number of bits below each."""

TOGETHER = 1 << 13
"""How many steps of `repeat` are done at once, in all lanes together."""


class Threads(Copies, Atomics, Machine):
    """Values have one element for each lane in `executing`, or one for all of them."""

    def __init__(self, geometry: Geometry, memory: MemoryView, image: Image) -> None:
        super().__init__(geometry, memory, image)
        self.base = 0  # of the executing activation, in local memory
        self.alive = np.ones(self.n, np.bool_)  # which lanes have not exited
        self.clock = 0  # instructions executed, by all groups of the batch
        self._specials: dict[str, Array] = {}
        self._images: LaneImages | None = None
        self.allocated_tensor_memory: TensorMemory | None = None
        self.tensor_block: Bytes | None = None
        """The tensor memory of the batch's single CTA, if it exists already."""
        self.tensor_code = 0
        """The address of compiled code for the last instruction of tensor memory, or 0."""

    def close(self) -> None:
        super().close()
        self._images = self.allocated_tensor_memory = (
            None  # they refer to this machine, and would keep it alive until cycle collection
        )

    def whole(self, v: Array) -> Array:
        """Values of the executing lanes as an array with an element for every lane; 0 elsewhere."""
        if v.size == 1 or self.executing is not None:
            spread = np.zeros(self.n, v.dtype)
            spread[slice(None) if self.executing is None else self.executing] = v
            return spread
        return v

    # The warp.

    def lane(self) -> Bits:
        return Bits(self, 32, lane_sets.take(self.geometry.lane, self.executing))

    def active(self) -> Bits:
        return self.const(1, 1)

    def shuffle(self, a: Bits, lane: Bits) -> Bits:
        if a.v.size == 1:
            return a
        source = lane_sets.take(self.geometry.warp_start, self.executing) + (lane.v & np.uint32(WARP - 1))
        if not self.geometry.whole_warps:
            source = np.minimum(source, self.n - 1)
        return Bits(self, a.width, self.whole(a.v)[source])

    def ballot(self, p: Bits) -> Bits:
        predicate = self.whole(p.v)
        if self.geometry.whole_warps:
            votes = np.packbits(predicate, bitorder="little").view("<u4").astype(np.uint32, copy=False)
        else:
            bits = predicate.astype(np.uint32) << self.geometry.lane
            votes = np.bitwise_or.reduceat(bits, self.geometry.warp_starts)
        if votes.size == 1:
            return Bits(self, 32, votes)
        return Bits(self, 32, votes[lane_sets.take(self.geometry.warp, self.executing)])

    def ended(self) -> Bits | None:
        """The lanes of the warp that have exited, as a mask of 32 bits; None if there are none."""
        if all_set(self.alive):
            return None
        before, self.executing = self.executing, None
        gone = self.ballot(Bits(self, 1, ~self.alive))
        self.executing = before
        return Bits(self, 32, lane_sets.take(gone.v, before))

    def inactive(self) -> Bits | None:
        if self.executing is None and self.geometry.whole_warps:
            return None
        return ~self.ballot(self.const(1, 1))

    def matrix_product(
        self, p: MatrixProduct, a: Sequence[Bits], b: Sequence[Bits], addends: Tile, by_lanes: Callable[[], Tile]
    ) -> Tile:
        return tensor_cores.matrix_product(self, p, a, b, addends, by_lanes)

    def tile_product(
        self, p: MatrixProduct, tiles: Callable[..., Tiles], given: Sequence[Bits], adds: bool,
        by_lines: Callable[[], None],
    ) -> None:  # fmt: skip
        if self.must_see_accesses():
            by_lines()
        else:
            tensor_cores.tile_product(self, self.tensor_memory, p, tiles, given, adds, by_lines)

    def tensor_product(
        self, p: TensorProduct, define: Callable[..., None], zeros: Bits, code: Bits, *values: Bits
    ) -> None:
        if self.must_see_accesses():
            define(zeros, code, *values)
        else:
            memory = self.tensor_memory
            self.tensor_code = tensor_cores.tensor_product(self, memory, p, define, zeros, code, values)

    def tensor_copy(self, p: TensorCopy, define: Callable[..., None], address: Bits, code: Bits) -> None:
        if self.must_see_accesses():
            define(address, code)
        else:
            self.tensor_code = tensor_cores.tensor_copy(self, self.tensor_memory, p, define, address, code)

    def must_see_accesses(self) -> bool:
        """Whether each memory access must go through `load` and `store` instead of compiled code."""
        return self.written is not None

    def tile(self, compute: Callable[..., Array], tiles: list[Tile], w: int) -> Tile:
        def piece(*some: Array) -> Array:
            check_cancelled()
            return compute(*some)

        return super().tile(piece, tiles, w)

    # The thread.

    def special(self, name: str, w: int) -> Bits:
        known = self._specials.get(name)
        if known is None:
            known = self.read_special(name)
            if not name.startswith(CLOCKS):
                self._specials[name] = known
        v = lane_sets.take(known, self.executing)
        return Bits(self, w, v if v.dtype == UNSIGNED[w] else v.astype(UNSIGNED[w]))

    def read_special(self, name: str) -> Array:
        if name.startswith(CLOCKS):
            count = self.tick() if name.startswith("clock") else self.now()
            return value(count >> 32 if name.endswith("_hi") else count & LOW if name in LOWER else count)
        if name in WORKSPACE:
            return value(self.memory.workspace >> WORKSPACE[name] & LOW)
        find = SPECIALS.get(name)
        return find(self.geometry) if find is not None else np.zeros(1, np.uint64)

    def output(self, text: str) -> None:
        """Prints the kernel's output."""
        self.keep("it prints")
        sys.stdout.write(text)

    def tick(self) -> int:
        """The instruction counter, which increases with every read."""
        self.clock += 1
        return self.clock

    def now(self) -> int:
        """The time in nanoseconds, from a monotonic clock."""
        return time.monotonic_ns()

    def require(self, p: Bits, code: str, message: str, value: Bits | None = None) -> None:
        if not all_set(p.v):
            bad = int(where_set(~p.v)[0])
            lanes = self.executing
            lane = int(lane_sets.positions(lanes, self.n)[bad]) if p.v.size > 1 else lane_sets.first(lanes)
            if value is not None:
                number = int(value.v[bad if value.v.size > 1 else 0])
                message = message.format(lane=int(self.geometry.lane[lane]), value=number)
            raise Violation(code, message, lane)

    def repeat(self, times: Bits, step: Callable[..., None], *values: Bits) -> None:
        """Many steps at once: a lane executes as often as it has steps, in their order."""
        caller_lanes = self.executing
        places = lane_sets.positions(caller_lanes, self.n)
        counts = np.broadcast_to(times.v, places.size)
        together = max(TOGETHER // places.size, 1)
        try:
            for start in range(0, int(counts.max()), together):
                check_cancelled()
                numbers, chosen = np.nonzero(counts > np.arange(start, start + together)[:, None])
                self.executing = places[chosen]
                some = [Bits(self, b.width, b.v if b.v.size == 1 else b.v[chosen]) for b in values]
                step(Bits(self, 32, (numbers + start).astype(np.uint32)), *some)
        finally:
            self.executing = caller_lanes

    def cases(self, a: Bits, step: Callable[..., None], *values: Bits) -> None:
        caller_lanes, codes = self.executing, np.broadcast_to(a.v, lane_sets.size(self.executing, self.n))
        try:
            for code in distinct(codes).tolist():
                chosen = codes == code
                self.executing = lane_sets.where(caller_lanes, chosen, self.n)
                step(code, *(Bits(self, b.width, b.v if b.v.size == 1 else b.v[chosen]) for b in values))
        finally:
            self.executing = caller_lanes

    @property
    def images(self) -> LaneImages:
        if self._images is None:
            self._images = LaneImages(self)
        return self._images

    @property
    def tensor_memory(self) -> TensorMemory:
        if self.allocated_tensor_memory is None:
            self.allocated_tensor_memory = self.make_tensor_memory()
        return self.allocated_tensor_memory

    def make_tensor_memory(self) -> TensorMemory:
        return TensorMemory(self, self.tensor_block)

    # The `alloca` stack.

    def allocate(self, size: Bits, align: int) -> Bits:
        index = slice(None) if self.executing is None else self.executing
        most = int(size.v.max())
        if most > STACK_BYTES:
            raise Violation("stack-overflow", f"`alloca` asks for {most} bytes", -1)
        start = -(-self.stack_top[index] // align) * align
        self.stack_top[index] = end = start + size.v.astype(np.int64)
        self.reserve_stack(int(end.max()) - self.stack_base)
        return Bits(self, 64, start.astype(np.uint64))

    def stack(self) -> Bits:
        return Bits(self, 64, lane_sets.take(self.stack_top, self.executing).astype(np.uint64))

    def unwind(self, mark: Bits) -> None:
        self.stack_top[slice(None) if self.executing is None else self.executing] = mark.v.astype(np.int64)
