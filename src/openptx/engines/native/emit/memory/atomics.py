"""Atomics: lane after lane, each by an instruction of the processor where it has one; plain where nobody else sees."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from openptx.engines.native import abi
from openptx.engines.native.analysis.context import FunctionContext
from openptx.engines.native.analysis.lattice import ZEROS, N, vector_type
from openptx.engines.native.analysis.regions import is_private, locate
from openptx.engines.native.emit.entry_values import EntryValues
from openptx.engines.native.emit.guarded_paths import GuardedPaths
from openptx.engines.native.emit.memory.bounds_check import BoundsCheck
from openptx.engines.native.emit.memory.slow_path import SlowPath
from openptx.engines.native.emit.scope import Scope
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


class AtomicLowering:
    def __init__(
        self,
        scope: Scope,
        c: FunctionContext,
        entry: EntryValues,
        checks: BoundsCheck,
        slow: SlowPath,
        paths: GuardedPaths,
    ) -> None:
        self.x, self.ir, self.scope = scope.x, scope.ir, scope
        self.c, self.entry, self.checks, self.slow, self.paths = c, entry, checks, slow, paths

    def atomic(self, space: str, address: Bits, w: int, update: Update, *operands: Word) -> Word:
        self.scope.retry = ""
        flat = [part for o in operands for part in (o if isinstance(o, tuple) else (o,))]
        flat = [self.scope.held(a) for a in flat]
        act = lambda: self._atomic(space, address, w, update, flat)  # noqa: E731
        found = self.paths.if_any(act) if self.scope.mask_may_be_empty else act()
        return (found[0], found[1]) if w == 128 else found[0]

    def _atomic(self, space: str, address: Bits, w: int, update: Update, flat: list[Bits]) -> tuple[Bits, ...]:
        ir = self.ir
        locked = self.c.options.locked and space not in ("shared", "shared::cta", "local", "frame")
        same = self.x.uniform(address) and not is_private(space, self.c.has_local)
        combined = _REDUCTIONS.get(update) if same and not self.scope.result_is_read and w in (32, 64) else None
        if combined is not None:
            flat, word = [self.reduced(flat[0], *combined)], None
        else:
            word = self.scope.mask_word()
        self.hand_places(space, address, w // 8)
        if word is None:  # one operation for the whole warp
            lane = ir.emit(f"call i32 @llvm.cttz.i32(i32 {self.scope.mask_word()}, i1 false)")
            pointer = self.lane_pointer(lane)
            return (self.one(pointer, w, update, flat, locked)[0],)
        flat = [Bits(self.x, a.width, a.v) for a in flat]
        spilled: list[tuple[int, Bits]] = []
        for i, a in enumerate(flat):
            if self.x.uniform(a):
                spilled.append((-1, a))
                continue
            offset = abi.DATA + (1 + i) * 8 * N if i < 6 else abi.MORE
            ir.line(
                f"store {vector_type(a.width)} {self.x.vector(a)}, ptr {self.entry.field(offset)}, align 64, !tbaa !5"
            )
            spilled.append((offset, a))
        part = min(w, 64)

        def act(lane: str) -> None:
            pointer = self.lane_pointer(lane)
            scalars: list[Bits] = []
            for offset, a in spilled:
                if offset < 0:
                    scalars.append(a)
                    continue
                at = ir.emit(f"getelementptr i{a.width}, ptr {self.entry.field(offset)}, i32 {lane}")
                scalars.append(self.x.bits(ir.emit(f"load i{a.width}, ptr {at}, align 2, !tbaa !5"), a.width, ZEROS))
            old = self.one(pointer, w, update, scalars, locked)
            for i, d in enumerate(old if self.scope.result_is_read else ()):
                at = ir.emit(f"getelementptr i{part}, ptr {self.entry.field(abi.DATA + i * 8 * N * 7)}, i32 {lane}")
                ir.line(f"store i{part} {self.x.scalar(d)}, ptr {at}, align 2, !tbaa !5")

        done = ir.fresh()
        ir.cold += 1
        if update in _LLVM and w <= 64:  # whole warps are common, and one after the other without a loop is faster
            whole, some = ir.fresh(), ir.fresh()
            ir.branch(ir.emit(f"icmp eq i{N} {word}, -1"), whole, some, ", !prof !1")
            ir.start(whole)
            for lane in range(N):
                act(str(lane))
            ir.jump(done)
            ir.start(some)
        before, loop = ir.label, ir.fresh()
        ir.jump(loop)
        ir.start(loop)
        here = len(ir.lines)
        rest = ir.name()
        act(ir.emit(f"call i32 @llvm.cttz.i32(i32 {rest}, i1 true)"))
        less = ir.emit(f"sub i32 {rest}, 1")
        after = ir.emit(f"and i32 {rest}, {less}")
        ir.branch(ir.emit(f"icmp eq i32 {after}, 0"), done, loop)
        ir.lines.insert(here, f"{rest} = phi i32 [{word}, %{before}], [{after}, %{ir.label}]")
        ir.cold -= 1
        ir.start(done)
        parts = range(2 if w == 128 else 1)
        if not self.scope.result_is_read:
            return tuple(self.x.const(0, part) for _ in parts)
        return tuple(
            self.x.bits(
                ir.emit(
                    f"load {vector_type(part)}, ptr {self.entry.field(abi.DATA + i * 8 * N * 7)}, align 64, !tbaa !5"
                ),
                part,
            )
            for i in parts
        )

    def lane_pointer(self, lane: str) -> str:
        """From the scratch, and volatile: taking it out of the vectors that were stored there is slower."""
        at = self.ir.emit(f"getelementptr i64, ptr {self.entry.field(abi.SCRATCH)}, i32 {lane}")
        return self.ir.emit(f"load volatile ptr, ptr {at}, align 8, !tbaa !5")

    def reduced(self, a: Bits, name: str, unit: Callable[[int], int]) -> Bits:
        """The operand of all executing lanes, combined."""
        t, w = vector_type(a.width), a.width
        whole = self.x.select(self.scope.mask, a, self.x.const(unit(w), w)) if not self.scope.full else a
        text = f"call i{w} @llvm.vector.reduce.{name}.v{N}i{w}({t} {self.x.vector(whole)})"
        return self.x.bits(self.ir.emit(text), w, ZEROS)

    def hand_places(self, space: str, address: Bits, size: int) -> None:
        """Host addresses of the executing lanes' words, in the worker's scratch."""
        ir = self.ir
        region, place = locate(self.x, space, address, self.c.address_size, bool(self.scope.step_lane))
        if region == "slow":
            self.slow.hand_addresses(address)
            self.slow.call("places", space, size, 1)
            return
        bad, pointers = self.checks.check_lanes(region, place, size, True)
        yes, no, done = ir.fresh(), ir.fresh(), ir.fresh()
        ir.unlikely(bad, yes, no)
        ir.cold += 1
        ir.start(yes)
        self.slow.hand_addresses(address)
        self.slow.call("places", space, size, 1)
        ir.jump(done)
        ir.start(no)
        ir.line(f"store <{N} x ptr> {pointers()}, ptr {self.entry.field(abi.SCRATCH)}, align 64, !tbaa !5")
        ir.jump(done)
        ir.cold -= 1
        ir.start(done)

    # One lane's operation

    def one(self, pointer: str, w: int, update: Update, operands: list[Bits], locked: bool) -> tuple[Bits, ...]:
        ir = self.ir
        if w == 128:
            return self.pair(pointer, update, operands, locked)
        if not locked:
            old = self.x.bits(ir.emit(f"load i{w}, ptr {pointer}, align {w // 8}, !tbaa !6"), w, ZEROS)
            new = self.lone(update(self.x, old, *operands))
            ir.line(f"store i{w} {self.x.scalar(new)}, ptr {pointer}, align {w // 8}, !tbaa !6")
            return (old,)
        name = _LLVM.get(update)
        if name is not None:
            text = f"atomicrmw {name} ptr {pointer}, i{w} {self.x.scalar(operands[0])} seq_cst, align {w // 8}"
            return (self.x.bits(ir.emit(text), w, ZEROS),)
        if update is atomic_ops.compare_and_swap:
            b, c = (self.x.scalar(a) for a in operands)
            pair = ir.emit(f"cmpxchg ptr {pointer}, i{w} {b}, i{w} {c} seq_cst seq_cst, align {w // 8}")
            return (self.x.bits(ir.emit(f"extractvalue {{ i{w}, i1 }} {pair}, 0"), w, ZEROS),)
        first = ir.emit(f"load atomic i{w}, ptr {pointer} seq_cst, align {w // 8}")
        before, loop, done = ir.label, ir.fresh(), ir.fresh()
        ir.jump(loop)
        ir.start(loop)
        here, seen = len(ir.lines), ir.name()
        new = self.lone(update(self.x, self.x.bits(seen, w, ZEROS), *operands))
        pair = ir.emit(f"cmpxchg ptr {pointer}, i{w} {seen}, i{w} {self.x.scalar(new)} seq_cst seq_cst, align {w // 8}")
        found = ir.emit(f"extractvalue {{ i{w}, i1 }} {pair}, 0")
        ir.branch(ir.emit(f"extractvalue {{ i{w}, i1 }} {pair}, 1"), done, loop)
        ir.lines.insert(here, f"{seen} = phi i{w} [{first}, %{before}], [{found}, %{ir.label}]")
        ir.start(done)
        return (self.x.bits(found, w, ZEROS),)

    def lone(self, a: Word) -> Bits:
        """The result of an update, which is one lane's; a primitive of whole vectors gave it in all lanes."""
        assert isinstance(a, Bits)
        if self.x.uniform(a):
            return a
        return self.x.bits(
            self.ir.emit(f"extractelement {vector_type(a.width)} {self.x.vector(a)}, i32 0"), a.width, ZEROS
        )

    def pair(self, pointer: str, update: Update, operands: list[Bits], locked: bool) -> tuple[Bits, ...]:
        """128 bits: as the update says, or by compare-and-swap of both halves at once."""
        ir = self.ir

        def joined(low: str, high: str) -> str:
            wide = [ir.emit(f"zext i64 {part} to i128") for part in (low, high)]
            return ir.emit(f"or i128 {wide[0]}, {ir.emit(f'shl i128 {wide[1]}, 64')}")

        def parts(name: str) -> tuple[Bits, Bits]:
            low = ir.emit(f"trunc i128 {name} to i64")
            high = ir.emit(f"trunc i128 {ir.emit(f'lshr i128 {name}, 64')} to i64")
            return self.x.bits(low, 64, ZEROS), self.x.bits(high, 64, ZEROS)

        def changed(old: tuple[Bits, Bits]) -> str:
            pairs = [(operands[i], operands[i + 1]) for i in range(0, len(operands), 2)]
            new = update(self.x, old, *pairs)
            assert isinstance(new, tuple)
            return joined(self.x.scalar(new[0]), self.x.scalar(new[1]))

        first = ir.emit(f"load i128, ptr {pointer}, align 16, !tbaa !6")
        if not locked:
            old = parts(first)
            ir.line(f"store i128 {changed(old)}, ptr {pointer}, align 16, !tbaa !6")
            return old
        before, loop, done = ir.label, ir.fresh(), ir.fresh()
        ir.jump(loop)
        ir.start(loop)
        here, seen = len(ir.lines), ir.name()
        old = parts(seen)
        swapped = ir.emit(f"cmpxchg ptr {pointer}, i128 {seen}, i128 {changed(old)} seq_cst seq_cst, align 16")
        found = ir.emit(f"extractvalue {{ i128, i1 }} {swapped}, 0")
        ir.branch(ir.emit(f"extractvalue {{ i128, i1 }} {swapped}, 1"), done, loop)
        ir.lines.insert(here, f"{seen} = phi i128 [{first}, %{before}], [{found}, %{ir.label}]")
        ir.start(done)
        return old
