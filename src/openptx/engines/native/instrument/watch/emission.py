"""Emission of watched code: a call for each access, barrier and warp-level instruction.

`WatchedMemory` provides `load`, `store` and `atomic` to the machine of meanings; `Watch` has the other hooks. Unwatched
code uses those of `Hooks`, which do nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from openptx.control_flow import control, reachable
from openptx.engines.common.provenance import variables_of
from openptx.engines.native import abi
from openptx.engines.native.analysis.lattice import N, vector_type
from openptx.engines.native.analysis.unsupported import UnsupportedByJit
from openptx.engines.native.instrument.hooks import Hooks
from openptx.engines.native.instrument.watch import layout
from openptx.engines.native.instrument.watch.accesses import facts_of
from openptx.engines.native.instrument.watch.definedness import Definedness
from openptx.engines.native.instrument.watch.kinds import kind_of
from openptx.engines.native.instrument.watch.pieces import spans
from openptx.isa.address_windows import CTA_SHIFT, SHIFT
from openptx.isa.instructions import move
from openptx.program import Address, Function, Op, Variable

if TYPE_CHECKING:
    from openptx.engines.native.analysis.accesses import Form
    from openptx.engines.native.emit.llvm_machine import LlvmMachine, MemoryLowering
    from openptx.isa.machine import Update, Word
    from openptx.numerics import Bits

SHUFFLES = frozenset((move.shfl_sync,))
SHARED = frozenset(("shared", "shared::cta"))
WATCHED = SHARED | {"generic", "global"}


def may_skip_barriers(function: Function, is_kernel: bool) -> bool:
    """Whether a warp may execute a barrier less often than others do, and write memory after it. A warp that returns
    before the barrier does not. Calls are not followed."""
    code = function.code
    return not is_kernel or any(
        control(op) == "call" or (control(op) == "barrier" and may_be_skipped(function, pc))
        for pc, op in enumerate(code)
    )


def may_be_skipped(function: Function, barrier: int) -> bool:
    after = reachable(function, barrier + 1)
    return barrier in after or any(may_write(function.code[pc]) for pc in after & reachable(function, 0, barrier))


def may_write(op: Op) -> bool:
    return op.form.instruction.access != "load" and any(isinstance(operand, Address) for operand in op.operands)


class Watch(Hooks):
    """Hooks that emit calls. `tools` are what the code is watched for: "race", "init", "sync", "mem"."""

    def __init__(self, x: LlvmMachine) -> None:
        self.x, self.ir, self.scope, self.c, self.entry = x, x.ir, x.scope, x.c, x.scope.entry
        self.tools = frozenset(x.c.options.watched)
        self.variables = variables_of(x.c.function) if "mem" in self.tools else {}
        self.definedness = Definedness(x, self.call, self.block) if "init" in self.tools else None
        self.asks_for_warps = "sync" in self.tools and may_skip_barriers(x.c.function, not x.c.is_function)

    def block(self) -> str:
        return self.entry.state(abi.WATCH, "ptr")

    def call(self, function: str, *arguments: str) -> None:
        self.ir.line(f"call void @watch.{function}(ptr {self.block()}, {', '.join(arguments)})")

    # Warps and barriers

    def enter(self) -> None:
        linear = self.ir.load("i64", self.entry.field(abi.LINEAR), 8)
        index = self.ir.emit("zext i32 %index to i64")
        self.call("enter", f"i64 {index}", f"i64 {linear}")

    def arrives(self, op: Op, number: Bits, generation: str, lanes: str) -> None:
        reduces = "sync" in self.tools and op.m.mode == "red"
        complete = int("sync" in self.tools) + 2 * self.asks_for_warps + 4 * reduces
        given = (
            f"i32 {self.x.scalar(number)}",
            f"i32 {generation}",
            f"i32 {lanes}",
            f"i64 {complete}",
            self.site_word(layout.IN_CTA),
        )
        self.call("arrives", *given)

    def converges(self, op: Op, members: Callable[[Op], Bits]) -> None:
        lanes, named = self.scope.mask_word(), self.word(members(op))
        if op.form.instruction.control == "warp-barrier":
            self.call("meets", f"i32 {lanes}", f"i32 {named}")
        exchanges = "init" in self.tools and op.form.instruction in SHUFFLES  # absent lanes have undefined values
        if "sync" in self.tools or exchanges:
            self.call("together", f"i32 {lanes}", f"i32 {named}", self.site_word(layout.IN_CTA))

    def word(self, members: Bits) -> str:
        """The value that all executing lanes agree on; 0 if they may differ."""
        return self.x.scalar(members) if self.x.uniform(members) else "0"

    def interpreted(self, op: Op) -> None:
        if op.form.instruction.access:
            raise UnsupportedByJit(f"`{op.form.instruction.name}`, whose accesses are not watched")

    # Calls

    def begins_frame(self, base: Bits, size: int) -> None:
        if self.definedness is not None and size:
            self.definedness.undefine(base, size)

    def accesses_parameter(self, place: Bits, w: int, count: int, *, writes: bool) -> None:
        if self.definedness is not None:
            if writes:
                self.definedness.write("frame", place, w, count)
            else:
                self.definedness.read("frame", place, w, count, self.site_word)

    def copies_parameter(self, to: Bits, origin: Bits, size: int) -> None:
        if self.definedness is not None:
            self.definedness.copy(to, origin, size)

    # Accesses

    def access(self, space: str, address: Bits, w: int, count: int, *, reads: bool, writes: bool) -> None:
        """Reports a completed access: `count` elements of `w` bits by each of the executing lanes."""
        if self.scope.step_lane:
            raise UnsupportedByJit("copies in steps, whose accesses are not watched")
        op, size = self.c.function.code[self.scope.site], w * count // 8
        variable = self.variables.get(op, {}).get(space) or self.variables.get(op, {}).get(space.split("::")[0])
        if variable is not None:
            self.check_variable(variable, address, size)
        if space == "shared::cluster":
            raise UnsupportedByJit("shared memory of other CTAs, which is not watched")
        if self.definedness is not None:
            if reads:
                self.definedness.read(space, address, w, count, self.site_word)
            else:
                self.definedness.write(space, address, w, count)
        if "race" not in self.tools or space not in WATCHED:
            return
        facts = self.facts(op, space, w // 8, count)
        kind = kind_of(writes, not facts & layout.WEAK)
        where = f"{'shared' if space in SHARED else space}.{kind.name}"
        form = self.x.memory.checks.form_of(address)
        if form is None or not self.in_spans(where, form, size, facts):
            places = self.ir.field(self.block(), layout.LANES)
            self.ir.store(vector_type(64), self.x.vector(address), places, 8)
            self.call(f"lanes.{where}", f"i64 {self.scope.wide_mask()}", self.site_word(facts))

    def facts(self, op: Op, space: str, width: int, count: int) -> int:
        return facts_of(op, space, width, count)

    def site_word(self, facts: int) -> str:
        return f"i64 {facts | self.scope.site + self.c.site_base << layout.STATEMENT}"

    def in_spans(self, where: str, form: Form, size: int, facts: int) -> bool:
        """Reports lanes at known offsets, together with other accesses of the block that differ from this one only by
        known distances: the first of them reports all. False if lanes are in many pieces."""
        offsets = self.alike(where, size, facts)
        parts = spans(form.lanes, size, offsets or [0], self.scope.full and where.endswith(".load"))
        if parts is None:
            return False
        if not offsets:
            return True
        ir, mask = self.ir, self.scope.wide_mask()
        for span in parts:
            piece, lanes_mask = span.piece, mask
            if piece.lanes < N:
                lanes_mask = ir.emit(f"and i64 {mask}, {((1 << piece.lanes) - 1) << piece.first}")
            at = f"i64 {ir.emit(f'add i64 {form.base}, {span.offset}')}"
            if piece.form == "one" and span.times == 1:
                self.call(f"one.{where}", at, f"i64 {lanes_mask}", self.site_word(facts))
            elif piece.form == "one":
                self.call(f"ones.{where}", at, f"i64 {lanes_mask}", self.site_word(facts), f"i64 {span.times}")
            else:
                if piece.first:
                    lanes_mask = ir.emit(f"lshr i64 {lanes_mask}, {piece.first}")
                more = (piece.lanes - 1).bit_length() << layout.ROW_LANES | (layout.PAIR if span.pair else 0)
                numbers = f"i64 {piece.first}", f"i64 {span.times}"
                self.call(f"row.{where}", at, f"i64 {lanes_mask}", self.site_word(facts | more), *numbers)
        return True

    def alike(self, where: str, size: int, facts: int) -> list[int]:
        """Distances of the block's accesses from this one that the same call can report; empty if an earlier one has
        reported this one."""
        site, code = self.scope.site, self.c.function.code
        group = self.x.memory.checks.groups.get(site)
        if group is None or self.scope.mask_may_be_empty or self.parts_block():
            return [0]
        kind = code[site].form.instruction
        members = [
            pc
            for pc, (_, other) in group.members.items()
            if other == size and code[pc].form.instruction is kind and self.same_facts(code[pc], facts, where)
        ]
        if site != min(members):
            return []
        return [group.members[pc][0] - group.members[site][0] for pc in members]

    def same_facts(self, op: Op, facts: int, where: str) -> bool:
        vec = op.m.values.get("vec")
        count = int(str(vec)[1:]) if vec else 1
        t = op.m.type
        return self.facts(op, where.partition(".")[0], t.width // 8, count) == facts

    def parts_block(self) -> bool:
        """Whether something in the block orders the accesses before it and after it."""
        b = self.scope.block
        return any(
            op.form.instruction.control in ("call", "warp-barrier") for op in self.c.function.code[b.start : b.stop]
        )

    def check_variable(self, v: Variable, address: Bits, size: int) -> None:
        """The access must lie in the variable that its address derives from."""
        c, x = self.c, self.x
        if v.space == "shared":
            start, width = x.const(c.shared_layout.offset(v), 64), CTA_SHIFT
            extent = x.const(v.size, 64)
            if v.linkage == "extern":
                extent = x.from_state(abi.SHARED_SIZE, "i64") - start
        elif v.space == "const":
            start, width, extent = x.const(c.image.addresses[v.name], 64), SHIFT[c.address_size], x.const(v.size, 64)
        else:
            base = x.frame.base if x.frame.base is not None else x.const(0, 64)
            start, width, extent = base + v.offset, SHIFT[c.address_size], x.const(v.size, 64)
        offset = (x.resize(address, 64) & ((1 << width) - 1)) - start
        inside = (offset < extent) & ((offset + (size - 1)) < extent)
        outside = (inside ^ 1) & self.scope.mask
        with self.ir.cold_block(x.any_of(outside)):
            self.call("suspect", f"i64 {layout.OUTSIDE}", self.site_word(layout.IN_CTA))


class WatchedMemory:
    """Memory as the machine of meanings sees it, with a call after each access."""

    def __init__(self, memory: MemoryLowering, watch: Watch) -> None:
        self.memory, self.watch, self.scope = memory, watch, memory.scope

    def load(self, space: str, address: Bits, w: int, count: int = 1) -> tuple[Bits, ...]:
        address = self.scope.materialized(address)
        found = self.memory.load(space, address, w, count)
        self.watch.access(space, address, w, count, reads=True, writes=False)
        return found

    def store(self, space: str, address: Bits, values: Sequence[Bits]) -> None:
        address = self.scope.materialized(address)
        self.memory.store(space, address, values)
        self.watch.access(space, address, values[0].width, len(values), reads=False, writes=True)

    def atomic(self, space: str, address: Bits, w: int, update: Update, *operands: Word) -> Word:
        address = self.scope.materialized(address)
        found = self.memory.atomic(space, address, w, update, *operands)
        self.watch.access(space, address, w, 1, reads=True, writes=True)
        return found

    def copy(self, to: str, target: Bits, source: str, origin: Bits, size: Bits) -> None:
        raise UnsupportedByJit("copies, whose accesses are not watched")
