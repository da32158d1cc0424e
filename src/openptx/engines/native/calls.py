"""Calls: each device function is one LLVM function, which runs its lanes to the end before the caller goes on.

Values in registers travel through buffers of the caller, parameter variables from frame to frame in local memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from openptx.engines.common.call_site import CallSite, Formal
from openptx.engines.native import layout
from openptx.engines.native.asking import QUESTIONS
from openptx.engines.native.fallback import Fallback
from openptx.engines.native.operands import Operands
from openptx.engines.native.values import ZEROS, N, Value, vector_type
from openptx.numerics import Bits
from openptx.program import (
    Function,
    FunctionName,
    Op,
    Operand,
    Program,
    Reg,
    Register,
    Symbol,
    Targets,
    Variable,
)

SLOT = 8 * N
"""Bytes of a value in a buffer."""

INDIRECT = 64
"""Functions that a call by address may have to choose between."""


class Callees:
    """The device functions that a kernel needs, each with its symbol."""

    def __init__(self) -> None:
        self.symbols: dict[str, str] = {}
        self.names: list[str] = []  # by number; faults name places by it

    def symbol(self, name: str) -> str:
        if name not in self.symbols:
            self.names.append(name)
            self.symbols[name] = f"function{len(self.names)}"
        return self.symbols[name]


def cells_of(formals: tuple[Formal, ...]) -> list[tuple[Formal, int, int]]:
    """Each formal that is a register, with its place and number of places in a buffer."""
    found: list[tuple[Formal, int, int]] = []
    at = 0
    for formal in formals:
        if isinstance(formal, Register):
            count = 2 if formal.type.width == 128 else 1
            found.append((formal, at, count))
            at += count
    return found


class Calls(Operands):
    program: Program
    callees: Callees
    buffer_slots = 0
    dry: bool

    def call_function(self, op: Op) -> None:
        site = CallSite(op)
        self.has_local = True
        if isinstance(site.target, FunctionName):
            callee = site.target.name
            if callee in QUESTIONS and callee not in self.program.functions:
                self.when_any(lambda: self.ask_system(site, callee))
                return
            self.when_any(lambda: self.invoke(site, self.callable(callee, site), self.mask))
            return
        assert site.target is not None
        self.indirect(site, self.read_register(site.target))

    def ask_system(self, site: CallSite, name: str) -> None:
        """A function that the system provides: the reference engine does it for the lanes."""
        given = [self.word(argument) for argument in site.arguments]
        self.ask(name, given)
        for wanted in site.results:
            self.deliver(wanted, (self.answered(),))

    def word(self, given: Operand) -> Bits:
        """An argument of at most 64 bits, from a register or a parameter variable."""
        if isinstance(given, Symbol) and given.variable.space == "frame":
            return self.load("frame", self.pointer(given), 8 * given.variable.size)[0]
        value = self.source(given, None)
        assert isinstance(value, Bits)
        return value

    def callable(self, name: str, site: CallSite) -> Function:
        if name not in self.program.functions:
            raise Fallback(f"`{name}`, which the module does not define")
        function = self.program.function(name)
        if (len(site.arguments), len(site.results)) != (len(function.parameters), len(function.returns)):
            raise Fallback(f"a call of `{name}` with other arguments than it has")
        return function

    def when_any(self, act: Callable[[], None]) -> None:
        """`act`, jumped over where no lane executes."""
        if not self.uncertain:
            act()
            return
        out = self.out
        yes, done = out.fresh(), out.fresh()
        self.vector(self.mask)
        out.branch(out.emit(f"icmp ne i{N} {self.mask_word()}, 0"), yes, done)
        out.start(yes)
        out.aside += 1
        self.uncertain = False
        before = dict(self.current)
        act()
        self.uncertain = True
        if self.current != before:
            raise Fallback("a guarded call with results in registers")
        out.aside -= 1
        out.jump(done)
        out.start(done)

    current: dict[int, Bits]

    # One function

    def top(self) -> Bits:
        """Where frames of callees begin."""
        size = self.const(self.frame_size_here, 64)
        return size if self.frame_base is None else self.frame_base + size

    frame_size_here = 0

    def invoke(self, site: CallSite, callee: Function, mask: Bits, keep: bool = True) -> None:
        out = self.out
        base = self.top()
        outer, self.mask = self.mask, mask
        for formal, given in zip(callee.parameters, site.arguments, strict=True):
            if isinstance(formal, Variable):
                self.give(given, formal, base)
        values = [
            self.taken(given, formal)
            for formal, given in zip(callee.parameters, site.arguments, strict=True)
            if isinstance(formal, Register)
        ]
        for (_, at, _), parts in zip(cells_of(callee.parameters), values, strict=True):
            for i, part in enumerate(parts):
                where = self.buffer("%in", at + i)
                out.line(f"store {vector_type(part.width)} {self.vector(part)}, ptr {where}, align 64")
        if not self.dry:
            symbol = self.callees.symbol(callee.name)
            status = out.emit(
                f"call i32 @{symbol}(ptr %w, ptr %in, ptr %out, i32 %index, <{N} x i1> {self.vector(mask)},"
                f" i64 {self.scalar(base)})"
            )
            bad, on = out.fresh(), out.fresh()
            out.unlikely(out.emit(f"icmp ne i32 {status}, 0"), bad, on)
            out.start(bad)
            out.line(f"call void @openptx.chain(ptr %w, i32 {self.site + self.site_base})")
            out.jump("failed")
            out.start(on)
        places = {id(f): (at, n) for f, at, n in cells_of(callee.returns)}
        for formal, wanted in zip(callee.returns, site.results, strict=True):
            self.receive(formal, wanted, base, places.get(id(formal)))
        self.mask = outer

    def buffer(self, name: str, slot: int) -> str:
        self.buffer_slots = max(self.buffer_slots, slot + 1)
        return self.out.emit(f"getelementptr i8, ptr {name}, i64 {slot * SLOT}")

    def within(self, limit: Bits, act: Callable[[], None]) -> None:
        """Accesses to frames of callees, which lie above our own."""
        outer, self.limit_here = self.limit_here, limit
        act()
        self.limit_here = outer

    limit_here: Bits | None = None

    def local_limit(self) -> str:
        return self.scalar(self.limit_here if self.limit_here is not None else self.top())

    def taken(self, given: Operand, formal: Register) -> tuple[Bits, ...]:
        """An argument as the bits of a register, in parts of at most 64."""
        w = formal.type.width
        if isinstance(given, Symbol) and given.variable.space == "frame":
            size = min(given.variable.size, 8)
            place = self.pointer(given)
            return tuple(
                self.fit(v, min(w, 64)) for v in self.load("frame", place, 8 * size, given.variable.size // size)
            )
        value = self.source(given, None)
        parts = cast("tuple[Bits, ...]", value if isinstance(value, tuple) else (value,))
        return tuple(self.fit(v, min(w, 64)) for v in parts)

    def fit(self, a: Bits, w: int) -> Bits:
        return a if a.width == w else self.resize(a, w)

    def give(self, given: Operand, formal: Variable, base: Bits) -> None:
        """An argument into the callee's parameter variable."""
        there = base + formal.offset
        limit = there + formal.size
        if isinstance(given, Symbol) and given.variable.space == "frame":
            self.within(
                limit, lambda: self.copy_local(there, self.pointer(given), min(formal.size, given.variable.size))
            )
            return
        value = self.source(given, None)
        parts = [self.fit(value, 8 * formal.size)] if isinstance(value, Bits) else list(value)
        self.within(limit, lambda: self.store("frame", there, parts))

    def receive(self, formal: Formal, wanted: Operand, base: Bits, place: tuple[int, int] | None) -> None:
        """A result, from the callee's return variable or register."""
        if isinstance(formal, Variable):
            here = base + formal.offset
            if isinstance(wanted, Symbol):
                size = min(formal.size, wanted.variable.size)
                self.within(here + formal.size, lambda: self.copy_local(self.pointer(wanted), here, size))
                return
            size = min(formal.size, 8)
            outer, self.limit_here = self.limit_here, here + formal.size
            parts = self.load("frame", here, 8 * size, formal.size // size)
            self.limit_here = outer
        else:
            assert place is not None
            w = min(formal.type.width, 64)
            parts = tuple(
                self.bits(self.out.emit(f"load {vector_type(w)}, ptr {self.buffer('%out', place[0] + i)}, align 64"), w)
                for i in range(place[1])
            )
        self.deliver(wanted, parts)

    def deliver(self, wanted: Operand, parts: tuple[Bits, ...]) -> None:
        """A result to where the caller wants it."""
        if isinstance(wanted, Reg):
            self.write((wanted, None), parts if wanted.width == 128 else parts[0])
        elif isinstance(wanted, Symbol):
            self.store("frame", self.pointer(wanted), [self.fit(p, min(64, 8 * wanted.variable.size)) for p in parts])

    def copy_local(self, to: Bits, origin: Bits, size: int) -> None:
        """Bytes from one place of each lane's local memory to another."""
        out = self.out
        if size in (1, 2, 4, 8):
            self.store("frame", to, self.load("frame", origin, 8 * size))
            return
        word = self.mask_word()
        out.line(
            f"call void @openptx.copy(ptr %w, i32 {word}, i64 {self.scalar(to)}, i64 {self.scalar(origin)},"
            f" i64 {size}, i32 %first32)"
        )

    # A function by its address

    def indirect(self, site: CallSite, address: Bits) -> None:
        names = [
            n for n in (site.prototype.functions if isinstance(site.prototype, Targets) else self.program.functions)
            if n in self.program.functions
        ]  # fmt: skip
        candidates = [f for f in map(self.program.function, names) if self.same_shape(f, site)]
        if len(candidates) > INDIRECT:
            raise Fallback("a call of one of too many functions")
        out = self.out
        address = self.held_bits(address)
        known = self.const(0, 1)
        before = dict(self.current)
        for callee in candidates:
            chosen = address == self.image.functions[callee.name]
            known = known | chosen
            mask = chosen & self.mask
            yes, done = out.fresh(), out.fresh()
            name = self.vector(mask)
            word = out.emit(f"bitcast <{N} x i1> {name} to i{N}")
            out.branch(out.emit(f"icmp ne i{N} {word}, 0"), yes, done)
            out.start(yes)
            out.aside += 1
            held = self.bits(name, 1)
            certain, self.uncertain = self.uncertain, False
            self.invoke(site, callee, held)
            self.uncertain = certain
            out.aside -= 1
            out.jump(done)
            out.start(done)
        if self.current != before:
            raise Fallback("an indirect call with results in registers")
        self.require(known, "invalid-call-target", "a call of an address that is no such function", address)

    def held_bits(self, a: Bits) -> Bits:
        return self.bits(self.vector(a), a.width) if isinstance(a.v, Value) and a.v.lanes is None else a

    def same_shape(self, f: Function, site: CallSite) -> bool:
        return (len(f.parameters), len(f.returns)) == (len(site.arguments), len(site.results))


__all__ = ["SLOT", "ZEROS", "Callees", "Calls", "cells_of", "layout"]
