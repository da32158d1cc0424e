"""Atomics: lane by lane, each by a processor instruction if there is one; not locked if no other worker can see
them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING

from openptx.engines.native import abi
from openptx.engines.native.analysis.accesses import OF_CTA, is_private, locate
from openptx.engines.native.analysis.lattice import ZEROS, N, Value, vector_type
from openptx.engines.native.emit.guarded_paths import GOOD, GuardedPaths
from openptx.engines.native.emit.ir_builder import DATA, STATE
from openptx.engines.native.emit.memory.bounds_check import BoundsCheck, CheckedAccess
from openptx.engines.native.emit.memory.distinct_words import DistinctWords
from openptx.engines.native.emit.memory.loads import LoadLowering
from openptx.engines.native.emit.memory.slow_path import SlowPath
from openptx.engines.native.emit.memory.spread_lanes import spread_lanes
from openptx.engines.native.emit.memory.stores import StoreLowering
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
# Reductions over a vector, and the neutral value for inactive lanes, by width.
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
PLACES = f"<{N} x ptr>"
OLD = abi.DATA, abi.DATA + 7 * abi.COLUMN
"""Where lanes store the old words, by halves."""


class AtomicLowering:
    def __init__(
        self, checks: BoundsCheck, slow: SlowPath, paths: GuardedPaths, loads: LoadLowering, stores: StoreLowering
    ) -> None:
        self.x, self.ir, self.scope, self.c, self.entry = checks.x, checks.ir, checks.scope, checks.c, checks.entry
        self.checks, self.slow, self.paths, self.loads, self.stores = checks, slow, paths, loads, stores
        self.distinct = DistinctWords(checks, loads.lanes)

    def atomic(self, space: str, address: Bits, w: int, update: Update, *operands: Word) -> Word:
        self.scope.retry = ""
        flat = [part for o in operands for part in (o if isinstance(o, tuple) else (o,))]
        flat = [self.scope.materialized(a) for a in flat]
        found = self.paths.if_any(lambda: self.update_lanes(space, address, w, update, flat))
        return (found[0], found[1]) if w == 128 else found[0]

    def update_lanes(self, space: str, address: Bits, w: int, update: Update, flat: list[Bits]) -> tuple[Bits, ...]:
        ir = self.ir
        locked = self.c.options.locked and space not in OF_CTA
        same = self.x.uniform(address) and not is_private(space, self.c.has_local)
        combined = _REDUCTIONS.get(update) if same and not self.scope.result_is_read and w in (32, 64) else None
        if combined is not None:  # one operation for the whole warp
            operands = [self.reduced(flat[0], *combined)]
            self.store_places(self.places(space, address, w // 8))
            lane = ir.emit(f"call i32 @llvm.cttz.i32(i32 {self.scope.mask_word()}, i1 false)")
            return (self.update_word(self.lane_pointer(lane), w, update, operands, locked)[0],)
        apart = self.words_apart(space, address, w // 8) if not locked and w <= 64 else None
        if apart is None:
            return self.update_apart(space, address, w, update, flat, locked)
        read, (good, pointer, span) = self.scope.result_is_read, apart
        every = good if self.scope.full else ir.emit(f"icmp eq i{N} {self.scope.mask_word()}, -1")
        if every is not good and good != GOOD:
            every = ir.emit(f"and i1 {good}, {every}")

        def at_once() -> tuple[Bits, ...]:
            place = pointer()
            old = self.loads.load_at(place, span.lanes, w, 1)
            new = update(self.x, *old, *flat)
            assert isinstance(new, Bits)
            self.stores.store_at(place, span.lanes, [new], w)
            return old if read else ()

        def in_order() -> tuple[Bits, ...]:
            return self.update_in_order(space, address, w, update, flat, False)[: int(read)]

        return self.paths.diamond(every, at_once, in_order) or (self.x.const(0, w),)

    def words_apart(self, space: str, address: Bits, size: int) -> CheckedAccess | None:
        """The check of addresses at known distances, if no lane changes another's word; None for other addresses."""
        region, place = locate(self.x, space, address, self.c.address_size, bool(self.scope.step_lane))
        form = self.checks.form_of(place) if region not in ("slow", "local") else None
        if form is None or any(b - a < size for a, b in pairwise(sorted(form.lanes))):
            return None
        return self.checks.check_span(region, form, size, True)

    def update_apart(
        self, space: str, address: Bits, w: int, update: Update, flat: list[Bits], locked: bool
    ) -> tuple[Bits, ...]:
        """At addresses of which nothing is known."""

        def in_order() -> tuple[Bits, ...]:
            return self.update_in_order(space, address, w, update, flat, locked)

        region, place = locate(self.x, space, address, self.c.address_size, bool(self.scope.step_lane))
        if locked or self.x.uniform(address) or not self.distinct.serves(region, update, w):
            return in_order()

        def changed(old: Bits) -> str:
            new = update(self.x, old, *flat)
            assert isinstance(new, Bits)
            return self.x.vector(new)

        return (self.distinct.update(region, place, w, changed, in_order),)

    def update_in_order(
        self, space: str, address: Bits, w: int, update: Update, flat: list[Bits], locked: bool
    ) -> tuple[Bits, ...]:
        """One lane after the other."""
        ir, part = self.ir, min(w, 64)
        if (f := atomic_ops.FLOAT_SUMS.get(update)) is not None and len(flat) > 1 and flat[1].v == 0:
            flat = [self.x.flush(f, flat[0]), *flat[1:]]  # at once, not lane by lane
        operand = self.operand_readers([Bits(self.x, a.width, a.v) for a in flat])

        def act(lane: str, pointer: str) -> None:
            old = self.update_word(pointer, w, update, [read(lane) for read in operand], locked)
            if self.scope.result_is_read:
                for d, offset in zip(old, OLD, strict=False):
                    at = ir.emit(f"getelementptr i{part}, ptr {self.entry.field(offset)}, i32 {lane}")
                    ir.store(f"i{part}", self.x.scalar(d), at, 2, STATE)

        self.update_each(space, address, w // 8, act, unrolled=update in _LLVM and w <= 64)
        halves = OLD[: 2 if w == 128 else 1]
        if not self.scope.result_is_read:
            return tuple(self.x.const(0, part) for _ in halves)
        t = vector_type(part)
        return tuple(self.x.bits(ir.load(t, self.entry.field(offset), 64, STATE), part) for offset in halves)

    def operand_readers(self, operands: list[Bits]) -> list[Callable[[str], Bits]]:
        """A function that returns a lane's operands: those that vary are kept in the worker's state."""

        def reader(i: int, a: Bits) -> Callable[[str], Bits]:
            if self.x.uniform(a):
                return lambda lane: a
            offset, w = abi.DATA + (1 + i) * abi.COLUMN if i < 6 else abi.MORE, a.width
            self.ir.store(vector_type(w), self.x.vector(a), self.entry.field(offset), 64, STATE)

            def read(lane: str) -> Bits:
                at = self.ir.emit(f"getelementptr i{w}, ptr {self.entry.field(offset)}, i32 {lane}")
                found = self.x.bits(self.ir.load(f"i{w}", at, 2, STATE), w, ZEROS)
                if isinstance(found.v, Value) and isinstance(a.v, Value):
                    found.v.flushed = a.v.flushed
                return found

            return read

        return [reader(i, a) for i, a in enumerate(operands)]

    def update_each(
        self, space: str, address: Bits, size: int, act: Callable[[str, str], None], unrolled: bool
    ) -> None:
        """`act` for the executing lanes in order, and pointers to their words."""
        ir, word = self.ir, self.scope.mask_word()
        region, place = locate(self.x, space, address, self.c.address_size, bool(self.scope.step_lane))
        spread = spread_lanes(self.checks, region, place, size) if unrolled and region != "slow" else None
        if spread is None:
            self.for_each_lane(word, self.places(space, address, size), act, unrolled)
            return
        every = ir.emit(f"icmp eq i{N} {word}, -1")
        yes, no, done = ir.fresh(), ir.fresh(), ir.fresh()
        ir.likely(ir.emit(f"and i1 {spread.good}, {every}"), yes, no)
        with ir.in_cold_code():
            ir.start(yes)
            for lane, pointer in enumerate(spread.pointers()):
                act(str(lane), pointer)
            ir.jump(done)
            ir.start(no)
            exact = spread.addresses() if address is place else address
            self.for_each_lane(word, self.places(space, exact, size), act, False)
            ir.jump(done)
        ir.start(done)

    def for_each_lane(self, word: str, places: str, act: Callable[[str, str], None], unrolled: bool) -> None:
        """`act` for the executing lanes in order. Full warps are common, and faster without a loop and with pointers
        that were never in memory: loads of parts of what has just been stored take half of the time. All pointers are
        extracted before the first update: where each was just before its own, and lanes met in few words, a processor
        (Zen 4) took 5 times as long, as if it loaded words before it knew the addresses of the stores before."""
        ir, done = self.ir, self.ir.fresh()
        with ir.in_cold_code():
            if unrolled:
                whole, some = ir.fresh(), ir.fresh()
                ir.likely(ir.emit(f"icmp eq i{N} {word}, -1"), whole, some)
                ir.start(whole)
                pointers = [ir.emit(f"extractelement {PLACES} {places}, i32 {lane}") for lane in range(N)]
                for lane, pointer in enumerate(pointers):
                    act(str(lane), pointer)
                ir.jump(done)
                ir.start(some)
            self.store_places(places)

            def turn(rest: str) -> tuple[str, str]:
                lane = ir.emit(f"call i32 @llvm.cttz.i32(i32 {rest}, i1 true)")
                act(lane, self.lane_pointer(lane))
                less = ir.emit(f"sub i32 {rest}, 1")
                after = ir.emit(f"and i32 {rest}, {less}")
                return after, ir.emit(f"icmp eq i32 {after}, 0")

            self.loop("i32", word, done, turn)
        ir.start(done)

    def loop(self, t: str, first: str, done: str, turn: Callable[[str], tuple[str, str]]) -> None:
        """A loop that carries one value; `turn` returns the next one and an i1, whether to go to `done`."""
        ir = self.ir
        before, head = ir.label, ir.fresh()
        ir.jump(head)
        ir.start(head)
        phi_line, carried = len(ir.lines), ir.name()
        following, over = turn(carried)
        ir.branch(over, done, head)
        ir.lines.insert(phi_line, f"{carried} = phi {t} [{first}, %{before}], [{following}, %{ir.label}]")

    def lane_pointer(self, lane: str) -> str:
        """The pointer of a lane known only at run time, from the scratch memory."""
        at = self.ir.emit(f"getelementptr i64, ptr {self.entry.field(abi.SCRATCH)}, i32 {lane}")
        return self.ir.emit(f"load volatile ptr, ptr {at}, align 8{STATE}")

    def reduced(self, a: Bits, name: str, unit: Callable[[int], int]) -> Bits:
        """The operand of all executing lanes, combined."""
        t, w = vector_type(a.width), a.width
        whole = self.x.select(self.scope.mask, a, self.x.const(unit(w), w)) if not self.scope.full else a
        text = f"call i{w} @llvm.vector.reduce.{name}.v{N}i{w}({t} {self.x.vector(whole)})"
        return self.x.bits(self.ir.emit(text), w, ZEROS)

    def store_places(self, places: str) -> None:
        self.ir.store(PLACES, places, self.entry.field(abi.SCRATCH), 64, STATE)

    def places(self, space: str, address: Bits, size: int) -> str:
        """Pointers to the executing lanes' words."""
        ir = self.ir
        region, place = locate(self.x, space, address, self.c.address_size, bool(self.scope.step_lane))
        if region == "slow":
            return self.places_found(space, address, size)
        bad, pointers = self.checks.check_lanes(region, place, size, True)
        yes, no, done = ir.fresh(), ir.fresh(), ir.fresh()
        ir.unlikely(bad, yes, no)
        with ir.in_cold_code():
            ir.start(yes)
            exact = self.places_found(space, address, size)
            labels = [ir.label]
            ir.jump(done)
            ir.start(no)
            quick = pointers()
            labels.append(ir.label)
            ir.jump(done)
        ir.start(done)
        return ir.phi(PLACES, labels, exact, quick)

    def places_found(self, space: str, address: Bits, size: int) -> str:
        """The pointers of the lanes, looked up lane by lane, or a fault."""
        self.slow.store_addresses(address)
        self.slow.call("places", space, size, 1)
        return self.ir.emit(f"load volatile {PLACES}, ptr {self.entry.field(abi.SCRATCH)}, align 64{STATE}")

    # One lane's operation

    def update_word(self, pointer: str, w: int, update: Update, operands: list[Bits], locked: bool) -> tuple[Bits, ...]:
        """Updates a word atomically and returns the old one."""
        ir, t, align = self.ir, f"i{w}", w // 8
        if w == 128:
            return self.update_pair(pointer, update, operands, locked)
        if not locked:
            old = self.x.bits(ir.load(t, pointer, align, DATA), w, ZEROS)
            ir.store(t, self.x.scalar(self.of_one_lane(update(self.x, old, *operands))), pointer, align, DATA)
            return (old,)
        name = _LLVM.get(update)
        if name is not None:
            text = f"atomicrmw {name} ptr {pointer}, {t} {self.x.scalar(operands[0])} seq_cst, align {align}"
            return (self.x.bits(ir.emit(text), w, ZEROS),)
        if update is atomic_ops.compare_and_swap:
            b, c = (self.x.scalar(a) for a in operands)
            return (self.x.bits(self.exchanged(t, pointer, b, c, align)[0], w, ZEROS),)

        def updated_value(seen: str) -> str:
            return self.x.scalar(self.of_one_lane(update(self.x, self.x.bits(seen, w, ZEROS), *operands)))

        first = ir.emit(f"load atomic {t}, ptr {pointer} seq_cst, align {align}")
        return (self.x.bits(self.compare_exchange_loop(t, pointer, first, updated_value, align), w, ZEROS),)

    def exchanged(self, t: str, pointer: str, seen: str, new: str, align: int) -> tuple[str, str]:
        """A compare-and-swap of a word: the old word, and a pair that also says whether it was as expected."""
        text = f"cmpxchg ptr {pointer}, {t} {seen}, {t} {new} seq_cst seq_cst, align {align}"
        pair = self.ir.emit(text)
        return self.ir.emit(f"extractvalue {{ {t}, i1 }} {pair}, 0"), pair

    def compare_exchange_loop(self, t: str, pointer: str, first: str, changed: Callable[[str], str], align: int) -> str:
        """Retries until no other thread has written meanwhile; returns the old word."""
        found, done = "", self.ir.fresh()

        def turn(seen: str) -> tuple[str, str]:
            nonlocal found
            found, pair = self.exchanged(t, pointer, seen, changed(seen), align)
            return found, self.ir.emit(f"extractvalue {{ {t}, i1 }} {pair}, 1")

        self.loop(t, first, done, turn)
        self.ir.start(done)
        return found

    def of_one_lane(self, a: Word) -> Bits:
        """The result of an update, for one lane; a vector primitive has given it in all lanes."""
        assert isinstance(a, Bits)
        return a if self.x.uniform(a) else self.x.bits(self.scope.element(a, 0), a.width, ZEROS)

    def update_pair(self, pointer: str, update: Update, operands: list[Bits], locked: bool) -> tuple[Bits, ...]:
        """128 bits: by the update's own rule, or by compare-and-swap of both halves at once."""
        ir = self.ir
        pairs = [(operands[i], operands[i + 1]) for i in range(0, len(operands), 2)]

        def parts(name: str) -> tuple[Bits, Bits]:
            low = ir.emit(f"trunc i128 {name} to i64")
            high = ir.emit(f"trunc i128 {ir.emit(f'lshr i128 {name}, 64')} to i64")
            return self.x.bits(low, 64, ZEROS), self.x.bits(high, 64, ZEROS)

        def updated_value(old: tuple[Bits, Bits]) -> str:
            new = update(self.x, old, *pairs)
            assert isinstance(new, tuple)
            low, high = (ir.emit(f"zext i64 {self.x.scalar(part)} to i128") for part in new)
            return ir.emit(f"or i128 {low}, {ir.emit(f'shl i128 {high}, 64')}")

        first = ir.load("i128", pointer, 16, DATA)
        if not locked:
            old = parts(first)
            ir.store("i128", updated_value(old), pointer, 16, DATA)
            return old
        return parts(self.compare_exchange_loop("i128", pointer, first, lambda seen: updated_value(parts(seen)), 16))
