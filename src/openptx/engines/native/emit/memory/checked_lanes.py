"""Checked accesses at a separate address per lane, as functions shared by similar accesses.

Inlined, such an access is 40 to 80 lines of LLVM text, for which LLVM needs up to 0.9 ms. A call takes 8 ns, beside 20
to 40 for a gather. In many tiles half a warp is a row, which two moves load in a tenth of that; so loops test for that
in place, and call for the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from openptx.engines.native import abi
from openptx.engines.native.analysis.lattice import N, vector_type
from openptx.engines.native.emit.arith.outlined import Outlined
from openptx.engines.native.emit.ir_builder import DATA, STATE
from openptx.engines.native.emit.memory import near_lanes
from openptx.engines.native.emit.memory.bounds_check import BoundsCheck
from openptx.engines.native.emit.memory.gather_scatter import LANES, PLACES, WIDEST, GatherScatter
from openptx.engines.native.emit.memory.near_lanes import OFFSETS
from openptx.engines.native.emit.memory.slow_path import SlowPath
from openptx.numerics import Bits

ADDRESSES = vector_type(64)
HALF = N // 2


class Kind(NamedTuple):
    """What accesses that share a function have in common."""

    name: str  # load, store
    same: bool
    """Whether the offsets in the region are the addresses themselves."""
    width: int
    elements: int
    near: bool = False
    """Whether they are in shared memory, at offsets of 32 bits (near_lanes.py)."""

    @property
    def step(self) -> int:
        """The bytes of an element."""
        return self.width // 8

    @property
    def result(self) -> str:
        t = vector_type(self.width)
        return "i1" if self.name == "store" else f"{{ {f'{t}, ' * self.elements}i1 }}"


class CheckedLanes:
    """Loads and stores of the elements of each lane."""

    def __init__(self, checks: BoundsCheck, slow: SlowPath, lanes: GatherScatter) -> None:
        self.x, self.ir, self.scope, self.tables = checks.x, checks.ir, checks.scope, checks.scope.tables
        self.checks, self.slow, self.lanes = checks, slow, lanes

    def serves(self, region: str) -> bool:
        """Whether an access is of this kind. (The same local address is a different place in each lane.)"""
        return region != "local" and self.checks.c.options.checks

    def tests_rows(self, count: int) -> bool:
        """Whether an access is to test in place for rows of half a warp."""
        return count == 1 and self.scope.block.index in self.checks.c.looped and not self.checks.c.options.baseline

    def rows(self, region: str, place: Bits, step: int, write: bool) -> tuple[str, Callable[[], list[str]]]:
        """Whether all lanes execute and either half of them accesses a row, which may be; and the rows' pointers."""
        ir = self.ir
        a = self.x.vector(place)
        begins = ir.shuffle(ADDRESSES, a, "poison", [i // HALF * HALF for i in range(N)])
        steps = self.x.constant_vector(tuple(i % HALF * step for i in range(N)), 64)
        alike = ir.emit(f"icmp eq {ADDRESSES} {a}, {ir.emit(f'add {ADDRESSES} {begins}, {steps}')}")
        word = ir.mask_bits(self.scope.within_mask(alike))
        good = ir.emit(f"icmp eq i{N} {word}, -1")
        start, room, host = self.checks.limits(region, place, HALF * step, write)
        firsts = [ir.emit(f"extractelement {ADDRESSES} {a}, i32 {i}") for i in (0, HALF)]
        for first in firsts:
            inside = ir.emit(f"icmp ult i64 {ir.emit(f'sub i64 {first}, {start}')}, {room}")
            good = ir.emit(f"and i1 {good}, {inside}")
        if step > 1:
            low = ir.emit(f"and i64 {ir.emit(f'or i64 {firsts[0]}, {firsts[1]}')}, {step - 1}")
            good = ir.emit(f"and i1 {good}, {ir.emit(f'icmp eq i64 {low}, 0')}")

        def pointers() -> list[str]:
            return [ir.emit(f"inttoptr i64 {ir.emit(f'add i64 {first}, {host}')} to ptr") for first in firsts]

        return good, pointers

    def load(self, space: str, region: str, address: Bits, place: Bits, w: int, count: int) -> tuple[Bits, ...]:
        kind = Kind("load", address is place, w, count, self.is_near(region, place, count))
        given = self.arguments(kind, space, region, address, place)
        found = self.ir.emit(f"call {kind.result} @{self.function(kind)}({given})")
        self.slow.leave_if(self.ir.emit(f"extractvalue {kind.result} {found}, {count}"))
        return tuple(self.x.bits(self.ir.emit(f"extractvalue {kind.result} {found}, {i}"), w) for i in range(count))

    def store(self, space: str, region: str, address: Bits, place: Bits, values: Sequence[Bits]) -> None:
        near = self.is_near(region, place, len(values))
        kind = Kind("store", address is place, values[0].width, len(values), near)
        given = self.arguments(kind, space, region, address, place)
        given += "".join(f", {vector_type(kind.width)} {self.x.vector(v)}" for v in values)
        self.slow.leave_if(self.ir.emit(f"call i1 @{self.function(kind)}({given})"))

    def arguments(self, kind: Kind, space: str, region: str, address: Bits, place: Bits) -> str:
        lanes, limit, first = self.scope.mask_word(), self.slow.frame.limit(), self.scope.entry.first_thread()
        what = self.slow.what(space, kind.step, kind.elements)
        if kind.near:
            host, room = self.checks.near_limits(kind.step)
            offsets = f"{OFFSETS} {self.checks.narrow(place)}"
            return f"ptr %w, i32 {lanes}, i32 {room}, ptr {host}, i64 {first}, i64 {limit}, i64 {what}, {offsets}"
        start, room, host = self.checks.limits(region, place, kind.step * kind.elements, kind.name == "store")
        places, addresses = self.x.vector(place), "" if kind.same else f", {ADDRESSES} {self.x.vector(address)}"
        return (
            f"ptr %w, i32 {lanes}, i64 {start}, i64 {room}, i64 {host}, i64 {first}, i64 {limit}, i64 {what},"
            f" {ADDRESSES} {places}{addresses}"
        )

    def is_near(self, region: str, place: Bits, count: int) -> bool:
        return region == "shared" and count == 1 and bool(self.checks.narrow(place))

    def function(self, kind: Kind) -> str:
        """The kind's function, generated when it is first needed."""
        made = self.tables.functions.get(kind)
        if made is None:
            name = f"lanes.{kind.name}.{len(self.tables.functions)}"
            made = self.tables.functions[kind] = Outlined(name, kind.width, self.text(kind, name))
        return made.name

    def text(self, kind: Kind, name: str) -> str:
        t, addresses = vector_type(kind.width), "%places" if kind.same else "%addresses"
        more = "" if kind.same else f", {ADDRESSES} %addresses"
        if kind.name == "store":
            more += "".join(f", {t} %value{i}" for i in range(kind.elements))
        call = self.slow.call_of(kind.name, "%what", "%wide", "%first", "%locals")
        if kind.near:
            head = f"define internal {kind.result} @{name}({near_lanes.PARAMETERS}{more}) noinline nounwind #0"
            return near_lanes.near_text(head, kind.width, moves(kind), *self.near(kind), exactly(kind, call))
        parameters = "ptr %w, i32 %lanes, i64 %start, i64 %room, i64 %host, i64 %first, i64 %locals, i64 %what"
        head = f"define internal {kind.result} @{name}({parameters}, {ADDRESSES} %places{more}) noinline nounwind #0"
        return f"""{head} {{
entry:
%mask = bitcast i32 %lanes to {LANES}
{splat("start")}
%offsets = sub {ADDRESSES} %places, %start.all
{splat("room")}
%far = icmp uge {ADDRESSES} %offsets, %room.all
%ends = and {ADDRESSES} %places, splat (i64 {kind.step * kind.elements - 1})
%odd = icmp ne {ADDRESSES} %ends, zeroinitializer
%wrong = or {LANES} %far, %odd
%here = and {LANES} %wrong, %mask
%word = bitcast {LANES} %here to i32
%none = icmp eq i32 %word, 0
br i1 %none, label %fast, label %slow, !prof !1
fast:
{splat("host")}
%hosts = add {ADDRESSES} %places, %host.all
%at = inttoptr {ADDRESSES} %hosts to {PLACES}
{by_rows(kind) if kind.elements == 1 else "br label %each"}
each:
{self.loads(kind) if kind.name == "load" else self.stores(kind)}
slow:
%scratch = getelementptr i8, ptr %w, i64 {abi.SCRATCH}
store {ADDRESSES} {addresses}, ptr %scratch, align 64{STATE}
%wide = zext i32 %lanes to i64
{exactly(kind, call)}
}}
"""

    def near(self, kind: Kind) -> tuple[list[str], list[str]]:
        """What moves the elements of all lanes in shared memory, and of some lanes."""
        w = kind.width
        if kind.name == "load":
            whole, part = near_lanes.gathered(w, self.lanes.gathers(w))
            return [*whole, returned(kind, "whole", "false")], [*part, returned(kind, "part", "false")]
        whole, part = near_lanes.scattered(w, self.lanes.scatters(w))
        return [*whole, "ret i1 false"], [*part, "ret i1 false"]

    def loads(self, kind: Kind) -> str:
        """Gathers the elements, as many at once as are moved in one word."""
        w, t, lines = kind.width, vector_type(kind.width), list[str]()
        together = min(kind.elements, WIDEST // w)
        word = vector_type(w * together)
        for i in range(0, kind.elements, together):
            lines.append(f"%at{i} = getelementptr i8, {PLACES} %at, i64 {i * kind.step}")
            lines.append(f"%word{i} = {self.lanes.gather_call(word, w * together, f'%at{i}', mask, lanes)}")
            for k in range(together):
                lines.append(f"%high{i + k} = lshr {word} %word{i}, splat (i{w * together} {k * w})")
                change = "bitcast" if together == 1 else "trunc"
                lines.append(f"%found{i + k} = {change} {word} %high{i + k} to {t}")
        return "\n".join([*lines, returned(kind, "found", "false")])

    def stores(self, kind: Kind) -> str:
        """Scatters the elements likewise."""
        w, t, lines = kind.width, vector_type(kind.width), list[str]()
        together = min(kind.elements, WIDEST // w)
        word = vector_type(w * together)
        for i in range(0, kind.elements, together):
            whole = f"%value{i}"
            for k in range(1, together):
                if k == 1:
                    lines.append(f"%whole{i} = zext {t} %value{i} to {word}")
                    whole = f"%whole{i}"
                lines.append(f"%part{i + k} = zext {t} %value{i + k} to {word}")
                lines.append(f"%high{i + k} = shl {word} %part{i + k}, splat (i{w * together} {k * w})")
                lines.append(f"%whole{i + k} = or {word} {whole}, %high{i + k}")
                whole = f"%whole{i + k}"
            lines.append(f"%at{i} = getelementptr i8, {PLACES} %at, i64 {i * kind.step}")
            lines.append(self.lanes.scatter_call(word, w * together, whole, f"%at{i}", mask, lanes))
        return "\n".join([*lines, "ret i1 false"])


def mask() -> str:
    return "%mask"


def lanes() -> str:
    return "%lanes"


def moves(kind: Kind) -> str:
    """Moves two rows, from `%one` and `%other` on."""
    w, t, half = kind.width, vector_type(kind.width), f"<{HALF} x i{kind.width}>"
    every = ", ".join(f"i32 {i}" for i in range(N))
    if kind.name == "load":
        align = f"align {w // 8}{DATA}"
        return (
            f"%low = load {half}, ptr %one, {align}\n%high = load {half}, ptr %other, {align}\n"
            f"%row0 = shufflevector {half} %low, {half} %high, <{N} x i32> <{every}>\n" + returned(kind, "row", "false")
        )
    low, high = ("<" + ", ".join(f"i32 {i}" for i in range(k, k + HALF)) + ">" for k in (0, HALF))
    return (
        f"%low = shufflevector {t} %value0, {t} poison, <{HALF} x i32> {low}\n"
        f"%high = shufflevector {t} %value0, {t} poison, <{HALF} x i32> {high}\n"
        f"store {half} %low, ptr %one, align {w // 8}{DATA}\nstore {half} %high, ptr %other, align {w // 8}{DATA}\n"
        "ret i1 false"
    )


def by_rows(kind: Kind) -> str:
    """In many tiles half a warp is a row: two moves are an order of magnitude faster than a gather."""
    begins = ", ".join(f"i32 {i // HALF * HALF}" for i in range(N))
    steps = ", ".join(f"i64 {i % HALF * kind.step}" for i in range(N))
    return f"""%begins = shufflevector {ADDRESSES} %places, {ADDRESSES} poison, <{N} x i32> <{begins}>
%row.places = add {ADDRESSES} %begins, <{steps}>
%alike = icmp eq {ADDRESSES} %places, %row.places
%alike.word = bitcast {LANES} %alike to i32
%together = and i32 %alike.word, %lanes
%in.rows = icmp eq i32 %together, -1
br i1 %in.rows, label %rows, label %each
rows:
%one = extractelement {PLACES} %at, i32 0
%other = extractelement {PLACES} %at, i32 {HALF}
{moves(kind)}"""


def exactly(kind: Kind, call: str) -> str:
    """The slow path: its call, with the values before it or after it."""
    t, lines = vector_type(kind.width), list[str]()
    for i in range(kind.elements):
        lines.append(f"%data{i} = getelementptr i8, ptr %w, i64 {abi.DATA + i * N * kind.step}")
        if kind.name == "store":
            lines.append(f"store {t} %value{i}, ptr %data{i}, align 4{STATE}")
    lines.append(f"%bad = {call}")
    if kind.name == "store":
        return "\n".join([*lines, "ret i1 %bad"])
    lines += [f"%exact{i} = load volatile {t}, ptr %data{i}, align 4{STATE}" for i in range(kind.elements)]
    return "\n".join([*lines, returned(kind, "exact", "%bad")])


def splat(name: str) -> str:
    """Lines that broadcast a scalar to all lanes, called %name.all."""
    return (
        f"%{name}.one = insertelement {ADDRESSES} poison, i64 %{name}, i32 0\n"
        f"%{name}.all = shufflevector {ADDRESSES} %{name}.one, {ADDRESSES} poison, <{N} x i32> zeroinitializer"
    )


def returned(kind: Kind, name: str, failed: str) -> str:
    """Lines that return the loaded elements, and whether a fault was recorded."""
    t, before, lines = vector_type(kind.width), "poison", list[str]()
    for i in range(kind.elements):
        lines.append(f"%{name}.r{i} = insertvalue {kind.result} {before}, {t} %{name}{i}, {i}")
        before = f"%{name}.r{i}"
    lines.append(f"%{name}.r = insertvalue {kind.result} {before}, i1 {failed}, {kind.elements}")
    return "\n".join([*lines, f"ret {kind.result} %{name}.r"])
