"""Calls: each device function is one LLVM function, which runs its lanes to the end before the caller continues.

Values in registers are passed through buffers of the caller, parameter variables from frame to frame in local memory.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import cast

from openptx.engines.common.call_site import CallSite, Formal
from openptx.engines.native.analysis.call_graph import callees
from openptx.engines.native.analysis.lattice import N, Value, vector_type
from openptx.engines.native.analysis.operand_binder import OperandBinder
from openptx.engines.native.analysis.unsupported import UnsupportedByJit
from openptx.engines.native.emit.registers import RegisterFile
from openptx.numerics import Bits
from openptx.program import Function, Op, Operand, Reg, Register, Symbol, Variable

SLOT = 8 * N
"""Bytes of a value in a buffer."""


def cells_of(formals: tuple[Formal, ...]) -> list[tuple[Formal, int, int]]:
    """Each formal that is a register, with its position and number of words in a buffer."""
    found: list[tuple[Formal, int, int]] = []
    at = 0
    for formal in formals:
        if isinstance(formal, Register):
            count = 2 if formal.type.width == 128 else 1
            found.append((formal, at, count))
            at += count
    return found


class CallLowering:
    def __init__(self, registers: RegisterFile, binder: OperandBinder) -> None:
        self.x, self.ir, self.scope, self.c = registers.x, registers.ir, registers.scope, registers.c
        self.memory, self.frame, self.faults = self.x.memory, self.x.frame, self.x.faults
        self.tables = self.scope.tables
        self.registers, self.binder = registers, binder
        self.buffer_slots = 0
        """The maximum number of 64-bit values that a call passes or returns."""

    def call_function(self, op: Op) -> None:
        site = CallSite(op)
        target, candidates = site.target, callees(self.c.program, site)
        if isinstance(target, Reg):
            self.indirect(site, candidates, self.binder.read_register(target))
        elif candidates:
            self.if_any_lane(lambda: self.invoke(site, candidates[0], self.scope.mask))
        else:
            assert target is not None
            self.if_any_lane(lambda: self.ask_system(site, target.name))

    def ask_system(self, site: CallSite, name: str) -> None:
        """A system function: the reference engine executes it for the lanes."""
        given = [self.word(argument) for argument in site.arguments]
        self.x.upcalls.ask(name, given)
        for wanted in site.results:
            self.write_result(wanted, (self.x.upcalls.results(),))

    def word(self, given: Operand) -> Bits:
        """An argument of at most 64 bits, from a register or a parameter variable."""
        if isinstance(given, Symbol) and given.variable.space == "frame":
            return self.memory.load("frame", self.binder.pointer(given), 8 * given.variable.size)[0]
        value = self.binder.source(given, None)
        assert isinstance(value, Bits)
        return value

    def if_any_lane(self, act: Callable[[], None]) -> None:
        """`act`, skipped if no lane executes."""
        if not self.scope.mask_may_be_empty:
            act()
            return
        self.x.vector(self.scope.mask)
        with self.without_results("a guarded call with results in registers"), self.ir.block_if(self.some_lane()):
            self.scope.mask_may_be_empty = False
            act()
            self.scope.mask_may_be_empty = True

    def some_lane(self) -> str:
        return self.ir.is_some(self.scope.mask_word())

    @contextmanager
    def without_results(self, what: str) -> Generator[None]:
        """Raises UnsupportedByJit if a register is written in this scope, whose blocks may not run."""
        before = dict(self.registers.current)
        yield
        now = self.registers.current
        if now.keys() != before.keys() or any(now[cell] is not value for cell, value in before.items()):
            raise UnsupportedByJit(what)

    # One function

    def invoke(self, site: CallSite, callee: Function, mask: Bits) -> None:
        ir = self.ir
        base = self.frame.top()
        outer, self.scope.mask = self.scope.mask, mask
        self.x.watch.begins_frame(base, callee.frame_size)
        for formal, given in zip(callee.parameters, site.arguments, strict=False):
            if isinstance(formal, Variable):
                self.store_argument(given, formal, base)
        values = [
            self.argument_bits(given, formal)
            for formal, given in zip(callee.parameters, site.arguments, strict=False)
            if isinstance(formal, Register)
        ]
        for (_, at, _), parts in zip(cells_of(callee.parameters), values, strict=True):
            for i, part in enumerate(parts):
                where = self.buffer("%in", at + i)
                ir.store(vector_type(part.width), self.x.vector(part), where, 64)
        symbol = self.tables.symbols[callee.name]
        index = self.scope.entry.index()
        given = f"i32 {index}, i{N} {ir.mask_bits(self.x.vector(mask))}, i64 {self.x.scalar(base)}"
        status = ir.emit(f"call i32 @{symbol}(ptr %w, ptr %in, ptr %out, {given})")
        with ir.exit_block(ir.is_some(status)):
            ir.line(f"call void @openptx.chain(ptr %w, i32 {self.scope.site + self.c.site_base})")
            ir.jump("failed")
        places = {id(f): (at, n) for f, at, n in cells_of(callee.returns)}
        for formal, wanted in zip(callee.returns, site.results, strict=True):
            self.receive(formal, wanted, base, places.get(id(formal)))
        self.scope.mask = outer

    def buffer(self, name: str, slot: int) -> str:
        self.buffer_slots = max(self.buffer_slots, slot + 1)
        return self.ir.field(name, slot * SLOT)

    def argument_bits(self, given: Operand, formal: Register) -> tuple[Bits, ...]:
        """An argument as the bits of a register, in parts of at most 64 bits."""
        w = formal.type.width
        if isinstance(given, Symbol) and given.variable.space == "frame":
            size = min(given.variable.size, 8)
            return tuple(
                self.fit(v, min(w, 64))
                for v in self.load_parameter(self.binder.pointer(given), size, given.variable.size)
            )
        value = self.binder.source(given, None)
        parts = cast("tuple[Bits, ...]", value if isinstance(value, tuple) else (value,))
        return tuple(self.fit(v, min(w, 64)) for v in parts)

    def fit(self, a: Bits, w: int) -> Bits:
        return a if a.width == w else self.x.resize(a, w)

    def store_argument(self, given: Operand, formal: Variable, base: Bits) -> None:
        """Copies an argument into the callee's parameter variable."""
        begin = base + formal.offset
        limit = begin + formal.size
        if isinstance(given, Symbol) and given.variable.space == "frame":
            with self.frame.within(limit):
                self.copy_variable(formal, begin, given.variable, self.binder.pointer(given))
            return
        value = self.binder.source(given, None)
        parts = [self.fit(value, 8 * formal.size)] if isinstance(value, Bits) else list(value)
        with self.frame.within(limit):
            self.store_parameter(begin, parts)

    def receive(self, formal: Formal, wanted: Operand, base: Bits, place: tuple[int, int] | None) -> None:
        """A result, from the callee's return variable or register."""
        if isinstance(formal, Variable):
            begin = base + formal.offset
            if isinstance(wanted, Symbol):
                with self.frame.within(begin + formal.size):
                    self.copy_variable(wanted.variable, self.binder.pointer(wanted), formal, begin)
                return
            size = min(formal.size, 8)
            with self.frame.within(begin + formal.size):
                parts = self.load_parameter(begin, size, formal.size)
        else:
            assert place is not None
            w = min(formal.type.width, 64)
            places = [self.buffer("%out", place[0] + i) for i in range(place[1])]
            parts = tuple(self.x.bits(self.ir.load(vector_type(w), at, 64), w) for at in places)
        self.write_result(wanted, parts)

    def write_result(self, wanted: Operand, parts: tuple[Bits, ...]) -> None:
        """Writes a result to its destination in the caller."""
        if isinstance(wanted, Reg):
            self.binder.write((wanted, None), parts if wanted.width == 128 else parts[0])
        elif isinstance(wanted, Symbol):
            self.store_parameter(
                self.binder.pointer(wanted), [self.fit(p, min(64, 8 * wanted.variable.size)) for p in parts]
            )

    def load_parameter(self, place: Bits, step: int, size: int) -> tuple[Bits, ...]:
        """A parameter variable of `size` bytes as values of `step` bytes."""
        found = self.memory.load("frame", place, 8 * step, size // step)
        self.x.watch.accesses_parameter(place, 8 * step, size // step, writes=False)
        return found

    def store_parameter(self, place: Bits, values: list[Bits]) -> None:
        """Writes values to a parameter variable."""
        self.memory.store("frame", place, values)
        self.x.watch.accesses_parameter(place, values[0].width, len(values), writes=True)

    def copy_variable(self, target: Variable, to: Bits, source: Variable, origin: Bits) -> None:
        """Copies a parameter variable to another one in each lane's local memory: as one word, if both are aligned to
        its size, which structures need not be."""
        ir, size = self.ir, min(target.size, source.size)
        if size in (1, 2, 4, 8) and (target.offset | source.offset) % size == 0:  # frames begin at multiples of 16
            self.memory.store("frame", to, self.memory.load("frame", origin, 8 * size))
            self.x.watch.copies_parameter(to, origin, size)
            return
        word, first = self.scope.mask_word(), self.scope.entry.first_lane()
        ir.line(
            f"call void @openptx.copy(ptr %w, i32 {word}, i64 {self.x.scalar(to)}, i64 {self.x.scalar(origin)},"
            f" i64 {size}, i32 {first})"
        )
        self.x.watch.copies_parameter(to, origin, size)

    # Indirect calls

    def indirect(self, site: CallSite, candidates: list[Function], address: Bits) -> None:
        address = self.held_bits(self.x.resize(address, 64))
        known = self.x.const(0, 1)
        with self.without_results("an indirect call with results in registers"):
            for callee in candidates:
                chosen = address == self.c.image.functions[callee.name]
                known = known | chosen
                name = self.x.vector(chosen & self.scope.mask)
                with self.ir.block_if(self.ir.is_some(self.ir.mask_bits(name))):
                    outer, self.scope.mask_may_be_empty = self.scope.mask_may_be_empty, False
                    self.invoke(site, callee, self.x.bits(name, 1))
                    self.scope.mask_may_be_empty = outer
        self.faults.require(known, "invalid-call-target", "a call of an address that is no such function", address)

    def held_bits(self, a: Bits) -> Bits:
        return self.x.bits(self.x.vector(a), a.width) if isinstance(a.v, Value) and a.v.lanes is None else a
