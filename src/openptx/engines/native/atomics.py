"""Atomics: lane after lane, each by an instruction of the processor where it has one; plain where nobody else sees."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from openptx.engines.native import layout
from openptx.engines.native.values import ZEROS, N, vector_type
from openptx.engines.native.warp import Warp
from openptx.isa.semantics import atomic_ops
from openptx.numerics import Bits

if TYPE_CHECKING:
    from openptx.isa.machine import Update, Word

_LLVM = {
    atomic_ops.add: "add",
    atomic_ops.exchange: "xchg",
    atomic_ops.bit_and: "and",
    atomic_ops.bit_or: "or",
    atomic_ops.bit_xor: "xor",
    atomic_ops.min_signed: "min",
    atomic_ops.max_signed: "max",
    atomic_ops.min_unsigned: "umin",
    atomic_ops.max_unsigned: "umax",
}
# Reductions over a vector, and what an inactive lane contributes, by width.
_REDUCTIONS: dict[object, tuple[str, Callable[[int], int]]] = {
    atomic_ops.add: ("add", lambda w: 0),
    atomic_ops.bit_and: ("and", lambda w: -1),
    atomic_ops.bit_or: ("or", lambda w: 0),
    atomic_ops.bit_xor: ("xor", lambda w: 0),
    atomic_ops.min_signed: ("smin", lambda w: (1 << w - 1) - 1),
    atomic_ops.max_signed: ("smax", lambda w: 1 << w - 1),
    atomic_ops.min_unsigned: ("umin", lambda w: -1),
    atomic_ops.max_unsigned: ("umax", lambda w: 0),
}


class Atomics(Warp):
    locked = True  # other workers run at the same time
    wanted = True  # somebody reads the old value

    def atomic(self, space: str, address: Bits, w: int, update: Update, *operands: Word) -> Word:
        flat = [part for o in operands for part in (o if isinstance(o, tuple) else (o,))]
        flat = [self.held(a) for a in flat]
        act = lambda: self._atomic(space, address, w, update, flat)  # noqa: E731
        found = self.if_any(act) if self.uncertain else act()
        return (found[0], found[1]) if w == 128 else found[0]

    def _atomic(self, space: str, address: Bits, w: int, update: Update, flat: list[Bits]) -> tuple[Bits, ...]:
        out = self.out
        locked = self.locked and space not in ("shared", "shared::cta", "local", "frame")
        same = self.uniform(address) and not self.private(space)
        combined = _REDUCTIONS.get(update) if same and not self.wanted and w in (32, 64) else None
        if combined is not None:
            flat, word = [self.reduced(flat[0], *combined)], None
        else:
            word = self.mask_word()
        self.hand_places(space, address, w // 8)
        if word is None:  # one operation for the whole warp
            lane = out.emit(f"call i32 @llvm.cttz.i32(i32 {self.mask_word()}, i1 false)")
            pointer = self.lane_pointer(lane)
            return (self.one(pointer, w, update, flat, locked)[0],)
        flat = [Bits(self, a.width, a.v) for a in flat]
        spilled: list[tuple[int, Bits]] = []
        for i, a in enumerate(flat):
            if self.uniform(a):
                spilled.append((-1, a))
                continue
            offset = layout.DATA + (1 + i) * 8 * N if i < 6 else layout.MORE
            out.line(f"store {vector_type(a.width)} {self.vector(a)}, ptr {self.field(offset)}, align 64, !tbaa !5")
            spilled.append((offset, a))
        part = min(w, 64)

        def act(lane: str) -> None:
            pointer = self.lane_pointer(lane)
            scalars: list[Bits] = []
            for offset, a in spilled:
                if offset < 0:
                    scalars.append(a)
                    continue
                at = out.emit(f"getelementptr i{a.width}, ptr {self.field(offset)}, i32 {lane}")
                scalars.append(self.bits(out.emit(f"load i{a.width}, ptr {at}, align 2, !tbaa !5"), a.width, ZEROS))
            old = self.one(pointer, w, update, scalars, locked)
            for i, d in enumerate(old if self.wanted else ()):
                at = out.emit(f"getelementptr i{part}, ptr {self.field(layout.DATA + i * 8 * N * 7)}, i32 {lane}")
                out.line(f"store i{part} {self.scalar(d)}, ptr {at}, align 2, !tbaa !5")

        done = out.fresh()
        out.aside += 1
        if update in _LLVM and w <= 64:  # whole warps are common, and one after the other without a loop is faster
            whole, some = out.fresh(), out.fresh()
            out.branch(out.emit(f"icmp eq i{N} {word}, -1"), whole, some, ", !prof !1")
            out.start(whole)
            for lane in range(N):
                act(str(lane))
            out.jump(done)
            out.start(some)
        before, loop = out.label, out.fresh()
        out.jump(loop)
        out.start(loop)
        here = len(out.lines)
        rest = out.name()
        act(out.emit(f"call i32 @llvm.cttz.i32(i32 {rest}, i1 true)"))
        less = out.emit(f"sub i32 {rest}, 1")
        after = out.emit(f"and i32 {rest}, {less}")
        out.branch(out.emit(f"icmp eq i32 {after}, 0"), done, loop)
        out.lines.insert(here, f"{rest} = phi i32 [{word}, %{before}], [{after}, %{out.label}]")
        out.aside -= 1
        out.start(done)
        parts = range(2 if w == 128 else 1)
        if not self.wanted:
            return tuple(self.const(0, part) for _ in parts)
        return tuple(
            self.bits(
                out.emit(
                    f"load {vector_type(part)}, ptr {self.field(layout.DATA + i * 8 * N * 7)}, align 64, !tbaa !5"
                ),
                part,
            )
            for i in parts
        )

    def lane_pointer(self, lane: str) -> str:
        """From the scratch, and volatile: taking it out of the vectors that were stored there is slower."""
        at = self.out.emit(f"getelementptr i64, ptr {self.field(layout.SCRATCH)}, i32 {lane}")
        return self.out.emit(f"load volatile ptr, ptr {at}, align 8, !tbaa !5")

    def reduced(self, a: Bits, name: str, unit: Callable[[int], int]) -> Bits:
        """The operand of all executing lanes, combined."""
        t, w = vector_type(a.width), a.width
        whole = self.select(self.mask, a, self.const(unit(w), w)) if not self.full else a
        text = f"call i{w} @llvm.vector.reduce.{name}.v{N}i{w}({t} {self.vector(whole)})"
        return self.bits(self.out.emit(text), w, ZEROS)

    def hand_places(self, space: str, address: Bits, size: int) -> None:
        """Host addresses of the executing lanes' words, in the worker's scratch."""
        out = self.out
        way, place = self.where(space, address)
        if way == "slow":
            self.hand_addresses(address)
            self.slow_call("places", space, size, 1)
            return
        bad, pointers = self.check_lanes(way, place, size, True)
        yes, no, done = out.fresh(), out.fresh(), out.fresh()
        out.unlikely(bad, yes, no)
        out.aside += 1
        out.start(yes)
        self.hand_addresses(address)
        self.slow_call("places", space, size, 1)
        out.jump(done)
        out.start(no)
        out.line(f"store <{N} x ptr> {pointers()}, ptr {self.field(layout.SCRATCH)}, align 64, !tbaa !5")
        out.jump(done)
        out.aside -= 1
        out.start(done)

    # One lane's operation

    def one(self, pointer: str, w: int, update: Update, operands: list[Bits], locked: bool) -> tuple[Bits, ...]:
        out = self.out
        if w == 128:
            return self.pair(pointer, update, operands, locked)
        if not locked:
            old = self.bits(out.emit(f"load i{w}, ptr {pointer}, align {w // 8}, !tbaa !6"), w, ZEROS)
            new = self.lone(update(self, old, *operands))
            out.line(f"store i{w} {self.scalar(new)}, ptr {pointer}, align {w // 8}, !tbaa !6")
            return (old,)
        name = _LLVM.get(update)
        if name is not None:
            text = f"atomicrmw {name} ptr {pointer}, i{w} {self.scalar(operands[0])} seq_cst, align {w // 8}"
            return (self.bits(out.emit(text), w, ZEROS),)
        if update is atomic_ops.compare_and_swap:
            b, c = (self.scalar(a) for a in operands)
            pair = out.emit(f"cmpxchg ptr {pointer}, i{w} {b}, i{w} {c} seq_cst seq_cst, align {w // 8}")
            return (self.bits(out.emit(f"extractvalue {{ i{w}, i1 }} {pair}, 0"), w, ZEROS),)
        first = out.emit(f"load atomic i{w}, ptr {pointer} seq_cst, align {w // 8}")
        before, loop, done = out.label, out.fresh(), out.fresh()
        out.jump(loop)
        out.start(loop)
        here, seen = len(out.lines), out.name()
        new = self.lone(update(self, self.bits(seen, w, ZEROS), *operands))
        pair = out.emit(f"cmpxchg ptr {pointer}, i{w} {seen}, i{w} {self.scalar(new)} seq_cst seq_cst, align {w // 8}")
        found = out.emit(f"extractvalue {{ i{w}, i1 }} {pair}, 0")
        out.branch(out.emit(f"extractvalue {{ i{w}, i1 }} {pair}, 1"), done, loop)
        out.lines.insert(here, f"{seen} = phi i{w} [{first}, %{before}], [{found}, %{out.label}]")
        out.start(done)
        return (self.bits(found, w, ZEROS),)

    def lone(self, a: Word) -> Bits:
        """The result of an update, which is one lane's; a primitive of whole vectors gave it in all lanes."""
        assert isinstance(a, Bits)
        if self.uniform(a):
            return a
        return self.bits(
            self.out.emit(f"extractelement {vector_type(a.width)} {self.vector(a)}, i32 0"), a.width, ZEROS
        )

    def pair(self, pointer: str, update: Update, operands: list[Bits], locked: bool) -> tuple[Bits, ...]:
        """128 bits: as the update says, or by compare-and-swap of both halves at once."""
        out = self.out

        def joined(low: str, high: str) -> str:
            wide = [out.emit(f"zext i64 {part} to i128") for part in (low, high)]
            return out.emit(f"or i128 {wide[0]}, {out.emit(f'shl i128 {wide[1]}, 64')}")

        def parts(name: str) -> tuple[Bits, Bits]:
            low = out.emit(f"trunc i128 {name} to i64")
            high = out.emit(f"trunc i128 {out.emit(f'lshr i128 {name}, 64')} to i64")
            return self.bits(low, 64, ZEROS), self.bits(high, 64, ZEROS)

        def changed(old: tuple[Bits, Bits]) -> str:
            pairs = [(operands[i], operands[i + 1]) for i in range(0, len(operands), 2)]
            new = update(self, old, *pairs)
            assert isinstance(new, tuple)
            return joined(self.scalar(new[0]), self.scalar(new[1]))

        first = out.emit(f"load i128, ptr {pointer}, align 16, !tbaa !6")
        if not locked:
            old = parts(first)
            out.line(f"store i128 {changed(old)}, ptr {pointer}, align 16, !tbaa !6")
            return old
        before, loop, done = out.label, out.fresh(), out.fresh()
        out.jump(loop)
        out.start(loop)
        here, seen = len(out.lines), out.name()
        old = parts(seen)
        swapped = out.emit(f"cmpxchg ptr {pointer}, i128 {seen}, i128 {changed(old)} seq_cst seq_cst, align 16")
        found = out.emit(f"extractvalue {{ i128, i1 }} {swapped}, 0")
        out.branch(out.emit(f"extractvalue {{ i128, i1 }} {swapped}, 1"), done, loop)
        out.lines.insert(here, f"{seen} = phi i128 [{first}, %{before}], [{found}, %{out.label}]")
        out.start(done)
        return old
