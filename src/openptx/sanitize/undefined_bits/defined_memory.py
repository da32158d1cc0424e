"""Which bits of memory are defined: a byte for each byte, in which its defined bits are set."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from openptx.array_types import Array
from openptx.engines.interp import lane_sets
from openptx.engines.interp.memory.views import Plane, grown
from openptx.isa.semantics import atomic_ops, mbarrier
from openptx.numerics import Bits
from openptx.sanitize.machine import SanitizedThreads
from openptx.sanitize.undefined_bits.definedness import Definedness
from openptx.sanitize.undefined_bits.masked import EVERYTHING, Masked, Use, mask
from openptx.sanitize.undefined_bits.tensor_memory import DefinedTensorMemory
from openptx.sanitize.variables import shared_place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from openptx.device.image import Image
    from openptx.device.memory_view import MemoryView
    from openptx.engines.interp.frames import Frame
    from openptx.engines.interp.geometry import Geometry
    from openptx.isa.machine import Update, Word
    from openptx.program import Op
    from openptx.sanitize.session import Session

ALL = 0xFF


class DefinedMemory(Definedness, SanitizedThreads):
    """Loads return undefined bits, stores make bits defined. Only memory that began undefined has a table."""

    def __init__(self, geometry: Geometry, memory: MemoryView, image: Image, session: Session) -> None:
        super().__init__(geometry, memory, image, session)
        noise = np.random.default_rng(session.noise)
        rows = self.shared.data.reshape(geometry.count, -1)
        reserved = session.program.reserved_shared
        rows[:, reserved:] = noise.integers(0, 256, (geometry.count, rows.shape[1] - reserved), np.uint8)
        defined = np.zeros(rows.shape, np.uint8)
        defined[:, :reserved] = ALL
        self._shared_defined = Plane(defined.reshape(-1))
        self._local_defined = Plane(np.zeros(0, np.uint8))
        self._tables: dict[Plane, Plane | None] = {}
        self._computed: dict[Plane, Array] = {}
        """By byte, how undefined bits were used before they were stored: the statement and its `Use`, as `statement *
        len(Use) + use`; -1 for copies."""

    def make_tensor_memory(self) -> DefinedTensorMemory:
        return DefinedTensorMemory(self)

    def votes(self, p: Masked) -> None:
        self.session.values.vote(p)

    def shuffles_absent(self) -> None:
        self.session.values.absent_shuffles.add(self.op)

    # Tables.

    def defined_bits(self, plane: Plane) -> Plane | None:
        """The defined bits of a plane; None if all are defined."""
        if plane is self.shared:
            return self._shared_defined
        if plane is self.local:
            return self._local_defined
        if plane not in self._tables or (self._tables[plane] is None and self.session.discards):
            base = self.base_of(plane)
            bits = self.session.defined.get(base) if base is not None else None
            self._tables[plane] = Plane(bits, plane.lead) if bits is not None else None
        return self._tables[plane]

    def base_of(self, plane: Plane) -> int | None:
        return next((base for base, known in self._planes.items() if known is plane), None)

    def reserve(self, size: int) -> None:
        before = self.local.size // self.n
        super().reserve(size)
        after = self.local.size // self.n
        if after != before:
            self._local_defined, _ = grown(self._local_defined, self.n, after)
            rows = self.local.data.reshape(self.n, after)
            noise = np.random.default_rng(self.session.noise)
            rows[:, before:] = noise.integers(0, 256, (1, after - before), np.uint8)

    def copy_local(self, lanes: lane_sets.Lanes, a: int, b: int, size: int) -> None:
        super().copy_local(lanes, a, b, size)
        index = slice(None) if lanes is None else lanes
        used = self._computed.get(self.local)
        for table in (self._local_defined.data, *(() if used is None else (used,))):
            rows = table.reshape(self.n, -1)
            rows[index, b : b + size] = rows[index, a : a + size]

    def enters(self, frame: Frame, lanes: lane_sets.Lanes) -> None:
        """An activation starts with undefined memory."""
        rows = self._local_defined.data.reshape(self.n, -1)
        rows[slice(None) if lanes is None else lanes, frame.base : frame.top] = 0

    # Accesses.

    def load(self, space: str, address: Bits, w: int, count: int = 1) -> tuple[Bits, ...]:
        self.session.values.address(address)
        values = super().load(space, address, w, count)
        accessed = list(self.accessed)
        masks: list[Array] | None = None
        origin, use = None, Use.MOVED
        for chosen, (plane, offsets) in accessed:
            defined = self.defined_bits(plane)
            part = [~bits for bits in defined.gather(offsets, w >> 3, count)] if defined is not None else []
            if defined is None or not any(bits.any() for bits in part):
                self.session.unwritten.give_defined(self.op)
                continue
            self.note_unwritten(plane, offsets, part, w >> 3)
            if origin is None:
                origin, use = self.computed_origin(plane, offsets, w >> 3, count)
            whole = np.logical_and.reduce([bits == EVERYTHING[w] for bits in part])
            if whole.any():
                use = max(use, Use.COPIED)
                local = plane is self.local
                self.session.unwritten.give_undefined(self.op, defined, offsets, whole, (w >> 3) * count, local)
            if chosen is None:
                masks = part
                break
            masks = masks or [np.zeros(address.v.size, bits.dtype) for bits in part]
            for whole, bits in zip(masks, part, strict=True):
                whole[chosen] = bits
        if masks is None:
            return values
        pairs = zip(values, masks, strict=True)
        return tuple([self.marked(v, bits, use=use, origin=origin or self.op) for v, bits in pairs])

    def note_unwritten(self, plane: Plane, offsets: Array, parts: list[Array], width: int) -> None:
        """Notes the first undefined byte of what the instruction accesses: `parts` of `width` bytes at each offset."""
        first = self.session.unwritten.first
        if self.op in first:
            return
        undefined = np.stack(parts, -1).reshape(-1, len(parts))
        lane = int(undefined.any(1).argmax())
        part = int((undefined[lane] != 0).argmax())
        bit = int(undefined[lane, part])
        at = int(offsets[lane if offsets.size > 1 else 0]) + part * width + ((bit & -bit).bit_length() - 1) // 8
        if plane is self.shared:
            name, at = shared_place(self.session.teams.shape.layout, at % self.shared_stride)
        elif plane is self.local:
            name, at = "local memory", at % (plane.size // self.n)
        else:
            base = self.base_of(plane)
            row = self.memory.rows[base >> self.shift] if base is not None else None
            name = str(row) if row is not None else "memory"
        first[self.op] = name, at

    def computed_origin(self, plane: Plane, offsets: Array, width: int, count: int) -> tuple[Op | None, Use]:
        """The origin and use of the undefined bits of these words, if results of arithmetic were stored there."""
        if plane not in self._computed:
            return None, Use.MOVED
        number = max(int(self._computed[plane][offsets + i * width].max()) for i in range(count))
        if number < 0:
            return None, Use.MOVED
        return self.session.reporter.ops[number // len(Use)], Use(number % len(Use))

    def note_computed(self, plane: Plane, offsets: Array, values: Sequence[Bits]) -> None:
        """Records, at the first byte of each word, that the result of arithmetic on undefined bits is stored there."""
        statement = self.session.reporter.statement
        shuffles = self.session.values.absent_shuffles
        numbers = [
            statement(b.origin) * len(Use) + b.use
            if isinstance(b, Masked) and b.origin is not None and (b.use or b.origin in shuffles)
            else -1
            for b in values
        ]
        table = self._computed.get(plane)
        if table is None:
            if max(numbers) < 0:
                return
            table = self._computed[plane] = np.full(plane.size, -1, np.int32)
        for i, number in enumerate(numbers):
            table[offsets + i * (values[0].width >> 3)] = number

    def store(self, space: str, address: Bits, values: Sequence[Bits]) -> None:
        self.session.values.address(address)
        super().store(space, address, values)
        masks = [~mask(b) if isinstance(b, Masked) else EVERYTHING[b.width] for b in values]
        self.session.unwritten.stores_wide |= values[0].width == 64
        for chosen, (plane, offsets) in self.accessed:
            defined = self.defined_bits(plane)
            if defined is not None:
                parts = [m if chosen is None or m.size == 1 else m[chosen] for m in masks]
                defined.scatter(offsets, parts, values[0].width >> 3)
                self.note_computed(plane, offsets, values)
            if self.is_visible(plane):
                self.session.values.stored(values, chosen)

    def is_visible(self, plane: Plane) -> bool:
        """Whether the stored data may be read after the launch."""
        return plane is not self.shared and plane is not self.local and plane is not self._stack

    def atomic(self, space: str, address: Bits, w: int, update: Update, *operands: Word) -> Word:
        self.session.values.address(address)
        old = super().atomic(space, address, w, update, *operands)
        given = [part for word in operands for part in (word if isinstance(word, tuple) else (word,))]
        if update is not atomic_ops.exchange:
            self.session.values.operands(given)
        for chosen, (plane, offsets) in self.accessed:
            if update is atomic_ops.exchange and self.is_visible(plane):
                self.session.values.stored(given, chosen)
            defined = self.defined_bits(plane)
            if defined is None:
                continue
            view, count = (min(w, 64) >> 3, 2 if w == 128 else 1)
            words = defined.gather(offsets, view, count)
            bad = np.logical_or.reduce([bits != EVERYTHING[8 * view] for bits in words])
            if bad.any() and update is not atomic_ops.exchange and update not in mbarrier.CHANGES:
                self.note_unwritten(plane, offsets, [~bits for bits in words], view)
                self.session.values.updated(bad, chosen)
            defined.scatter(offsets, [EVERYTHING[8 * view]] * count, view)
        return old

    def discard(self, space: str, address: Array, size: int) -> None:
        super().discard(space, address, size)
        self.session.discards = True
        for _, (plane, offsets) in self.accessed:
            base = self.base_of(plane)
            if base is not None:
                self.session.defined.setdefault(base, np.full(plane.size, ALL, np.uint8))
            defined = self.defined_bits(plane)
            if defined is not None:
                defined.data[offsets[:, None] + np.arange(size)] = 0
            if plane in self._computed:
                self._computed[plane][offsets[:, None] + np.arange(size)] = -1

    def uses(self, what: str, *values: Bits) -> None:
        self.session.values.used_by_system(what, values)

    def stores_outside(self, *values: Bits) -> None:
        self.session.values.stored(values, None, "a surface")

    def copy_bytes(self, read: Plane, a: int, written: Plane, b: int, count: int) -> None:
        super().copy_bytes(read, a, written, b, count)
        target, source = self.defined_bits(written), self.defined_bits(read)
        if source is not None and self.is_visible(written) and count and not source.data[a : a + count].any():
            self.session.unwritten.copied(self.op)
        if target is not None:
            target.data[b : b + count] = source.data[a : a + count] if source is not None else ALL
