"""Checked accesses at a separate address per lane, as functions shared by similar accesses.

Such an access is 40 to 80 lines of LLVM text; a step of `wgmma` has 32 of them. The first four accesses of a kind are
inlined, later ones call the function, so loops with few accesses have no calls.
"""

from __future__ import annotations

from typing import NamedTuple

from openptx.engines.native import abi
from openptx.engines.native.analysis.lattice import N, vector_type
from openptx.engines.native.emit.arith.outlined import Outlined
from openptx.engines.native.emit.ir_builder import DATA, STATE
from openptx.engines.native.emit.memory.bounds_check import BoundsCheck
from openptx.engines.native.emit.memory.gather_scatter import LANES, PLACES, GatherScatter
from openptx.engines.native.emit.memory.slow_path import SlowPath
from openptx.numerics import Bits

INLINE = 4
"""The number of accesses of a kind that a module inlines."""

ADDRESSES = vector_type(64)
HALF = N // 2


class Kind(NamedTuple):
    """What accesses that share a function have in common."""

    name: str  # load, store
    space: str
    same: bool
    """Whether the offsets in the region are the addresses themselves."""
    width: int


class CheckedLanes:
    """Loads and stores of one element for each lane."""

    def __init__(self, checks: BoundsCheck, slow: SlowPath, lanes: GatherScatter) -> None:
        self.x, self.ir, self.scope, self.tables = checks.x, checks.ir, checks.scope, checks.scope.tables
        self.checks, self.slow, self.lanes = checks, slow, lanes

    def shares(self, kind: Kind, region: str, count: int) -> bool:
        """Whether one more access of the kind is to call a function."""
        if count > 1 or region == "local" or not self.checks.c.options.checks:
            return False
        uses = self.tables.lane_accesses
        uses[kind] = uses.get(kind, 0) + 1
        return uses[kind] > (1 if self.checks.c.options.baseline else INLINE)

    def load(self, kind: Kind, region: str, address: Bits, place: Bits) -> Bits:
        t = vector_type(kind.width)
        given = self.arguments(region, address, place, kind, False)
        pair = self.ir.emit(f"call {{ {t}, i1 }} @{self.function(kind)}({given})")
        self.slow.faults.leave_if(self.ir.emit(f"extractvalue {{ {t}, i1 }} {pair}, 1"))
        return self.x.bits(self.ir.emit(f"extractvalue {{ {t}, i1 }} {pair}, 0"), kind.width)

    def store(self, kind: Kind, region: str, address: Bits, place: Bits, value: Bits) -> None:
        given = self.arguments(region, address, place, kind, True)
        given += f", {vector_type(kind.width)} {self.x.vector(value)}"
        self.slow.faults.leave_if(self.ir.emit(f"call i1 @{self.function(kind)}({given})"))

    def arguments(self, region: str, address: Bits, place: Bits, kind: Kind, write: bool) -> str:
        start, room, host = self.checks.limits(region, place, kind.width // 8, write)
        places, addresses = self.x.vector(place), "" if kind.same else f", {ADDRESSES} {self.x.vector(address)}"
        lanes, limit, first = self.scope.mask_word(), self.slow.frame.limit(), self.scope.entry.first_thread()
        return (
            f"ptr %w, i32 {lanes}, i64 {start}, i64 {room}, i64 {host}, i64 {first}, i64 {limit},"
            f" {ADDRESSES} {places}{addresses}"
        )

    def function(self, kind: Kind) -> str:
        """The kind's function, generated when it is first needed."""
        made = self.tables.functions.get(kind)
        if made is None:
            name = f"lanes.{kind.name}.{len(self.tables.functions)}"
            made = self.tables.functions[kind] = Outlined(name, kind.width, self.text(kind, name))
        return made.name

    def text(self, kind: Kind, name: str) -> str:
        w, t, store = kind.width, vector_type(kind.width), kind.name == "store"
        size, half, addresses = w // 8, f"<{HALF} x i{w}>", "%places" if kind.same else "%addresses"
        steps = ", ".join(f"i64 {i % HALF * size}" for i in range(N))
        rows, every = (", ".join(f"i32 {i}" for i in some) for some in ([i // HALF * HALF for i in range(N)], range(N)))
        low, high = ("<" + ", ".join(f"i32 {i}" for i in range(k, k + HALF)) + ">" for k in (0, HALF))
        more = ("" if kind.same else f", {ADDRESSES} %addresses") + (f", {t} %value" if store else "")
        result = "i1" if store else f"{{ {t}, i1 }}"
        if store:
            by_rows = (
                f"%low = shufflevector {t} %value, {t} poison, <{HALF} x i32> {low}\n"
                f"%high = shufflevector {t} %value, {t} poison, <{HALF} x i32> {high}\n"
                f"store {half} %low, ptr %one, align {size}{DATA}\nstore {half} %high, ptr %other, align {size}{DATA}\n"
                "ret i1 false"
            )
            by_lanes = (
                f"{self.lanes.scatter_call(t, w, '%value', '%at', lambda: '%mask', lambda: '%lanes')}\nret i1 false"
            )
            before, after = f"store {t} %value, ptr %data, align 4{STATE}\n", "ret i1 %bad"
        else:
            by_rows = (
                f"%low = load {half}, ptr %one, align {size}{DATA}\n"
                f"%high = load {half}, ptr %other, align {size}{DATA}\n"
                f"%row = shufflevector {half} %low, {half} %high, <{N} x i32> <{every}>\n" + returned(t, "%row", "r")
            )
            call = self.lanes.gather_call(t, w, "%at", lambda: "%mask", lambda: "%lanes")
            by_lanes = f"%found = {call}\n" + returned(t, "%found", "g")
            before = ""
            after = (
                f"%exact = load volatile {t}, ptr %data, align 4{STATE}\n"
                f"%s0 = insertvalue {result} poison, {t} %exact, 0\n"
                f"%s1 = insertvalue {result} %s0, i1 %bad, 1\nret {result} %s1"
            )
        call = self.slow.call_of(kind.name, self.slow.what(kind.space, size, 1, 0), "%wide", "%first", "%locals")
        parameters = "ptr %w, i32 %lanes, i64 %start, i64 %room, i64 %host, i64 %first, i64 %locals"
        return f"""define internal {result} @{name}({parameters}, {ADDRESSES} %places{more}) noinline nounwind #0 {{
entry:
%mask = bitcast i32 %lanes to {LANES}
{splat("start")}
%offsets = sub {ADDRESSES} %places, %start.all
{splat("room")}
%far = icmp uge {ADDRESSES} %offsets, %room.all
%ends = and {ADDRESSES} %places, splat (i64 {size - 1})
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
%begins = shufflevector {ADDRESSES} %places, {ADDRESSES} poison, <{N} x i32> <{rows}>
%row.places = add {ADDRESSES} %begins, <{steps}>
%alike = icmp eq {ADDRESSES} %places, %row.places
%alike.word = bitcast {LANES} %alike to i32
%together = and i32 %alike.word, %lanes
%in.rows = icmp eq i32 %together, -1
br i1 %in.rows, label %rows, label %each
rows:
%one = extractelement {PLACES} %at, i32 0
%other = extractelement {PLACES} %at, i32 {HALF}
{by_rows}
each:
{by_lanes}
slow:
%scratch = getelementptr i8, ptr %w, i64 {abi.SCRATCH}
store {ADDRESSES} {addresses}, ptr %scratch, align 64{STATE}
%data = getelementptr i8, ptr %w, i64 {abi.DATA}
{before}%wide = zext i32 %lanes to i64
%bad = {call}
{after}
}}
"""


def splat(name: str) -> str:
    """Lines that broadcast a scalar to all lanes, called %name.all."""
    return (
        f"%{name}.one = insertelement {ADDRESSES} poison, i64 %{name}, i32 0\n"
        f"%{name}.all = shufflevector {ADDRESSES} %{name}.one, {ADDRESSES} poison, <{N} x i32> zeroinitializer"
    )


def returned(t: str, value: str, prefix: str) -> str:
    """Lines that return a value, and that nothing went wrong."""
    pair = f"{{ {t}, i1 }}"
    return (
        f"%{prefix}0 = insertvalue {pair} poison, {t} {value}, 0\n"
        f"%{prefix}1 = insertvalue {pair} %{prefix}0, i1 false, 1\n"
        f"ret {pair} %{prefix}1"
    )
