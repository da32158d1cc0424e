"""Checked accesses at a separate address per lane, as functions shared by similar accesses.

Inlined, such an access is 40 to 80 lines of LLVM text, for which LLVM needs up to 0.9 ms. A call takes 8 ns, beside 20
to 40 for a gather. In many tiles half a warp is a row, which two moves load in a tenth of that; so loops test for that
in place, and call for the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import NamedTuple

from openptx.engines.native.analysis.lane_patterns import LOADED, VARYING, Pattern
from openptx.engines.native.analysis.lattice import N, Value, vector_type
from openptx.engines.native.emit.ir_builder import IRBuilder, Spread
from openptx.engines.native.emit.memory.access_functions import Shape, finish, finish_exactly, function, lanes, mask
from openptx.engines.native.emit.memory.all_lanes import all_valid, splat
from openptx.engines.native.emit.memory.bounds_check import BoundsCheck
from openptx.engines.native.emit.memory.gather_scatter import (
    LANES,
    OFFSETS,
    PLACES,
    WIDEST,
    GatherScatter,
    load_near,
    store_near,
)
from openptx.engines.native.emit.memory.lane_runs import Places, load_runs
from openptx.engines.native.emit.memory.masked_lanes import offsets_of, pointers_of, store_some
from openptx.engines.native.emit.memory.rows import (
    HALF,
    Row,
    expected,
    in_rows,
    load_rows,
    neighbours,
    steps_of,
    store_rows,
)
from openptx.engines.native.emit.memory.slow_path import SlowPath
from openptx.engines.native.emit.memory.spread_lanes import places_of
from openptx.numerics import Bits

ADDRESSES = vector_type(64)

FEW = 4
"""The lanes up to which they are stored one by one, not by a scatter."""


class Kind(NamedTuple):
    """What accesses that share a function have in common."""

    shape: Shape
    same: bool
    """Whether the offsets in the region are the addresses themselves."""
    near: bool
    """Whether they are in shared memory, at offsets of 32 bits (`load_near`)."""
    extended: tuple[bool, int] | None = None
    """If runs are looked for: whether the offsets' 32 bits are signed, and by how many they are shifted left."""


class CheckedLanes:
    """Loads and stores of the elements of each lane."""

    def __init__(
        self, checks: BoundsCheck, slow: SlowPath, lanes: GatherScatter, patterns: Mapping[int, Pattern]
    ) -> None:
        """`patterns`: see `Facts`."""
        self.patterns = patterns
        self.x, self.ir, self.scope, self.tables = checks.x, checks.ir, checks.scope, checks.scope.tables
        self.checks, self.slow, self.lanes = checks, slow, lanes

    def serves(self, region: str) -> bool:
        """Whether an access is of this kind. (The same local address is a different place in each lane.)"""
        return region != "local" and self.checks.c.options.checks

    def row(self, region: str, count: int, step: int, write: bool = False) -> Row | None:
        """The rows for which an access is to test in place: as its pattern expects, or in loops those of half a warp.
        (Those of `ldmatrix` and the like, whose places the instruction computes, are rows of four lanes.)"""
        c = self.checks.c
        plain = bool(c.function.code[self.scope.site].form.instruction.access) and not c.options.baseline
        if not plain or region == "local" or count > 1 or self.scope.step_lane:
            return None
        found = expected(self.patterns.get(self.scope.site, VARYING), step)
        if found is not None and (found.step or not write):
            return found
        return neighbours(step) if self.scope.block.index in c.looped else None

    def rows(self, region: str, place: Bits, row: Row, write: bool) -> tuple[str, Callable[[], list[str]]]:
        """An i1, whether all lanes access rows of valid memory, and execute if they write (`and_full`); and a function
        that emits the rows' pointers. What lanes that do not execute would read does not matter."""
        ir = self.ir
        if self.is_near(region, place, 1):
            return self.near_rows(place, row, write)
        good, firsts = self.spread_rows(place, row) or self.wide_rows(place, row)
        good = self.and_full(good, write)
        start, room, host = self.checks.limits(region, place, row.size, write)
        for first in firsts if self.checks.c.options.checks else ():
            inside = ir.emit(f"icmp ult i64 {ir.emit(f'sub i64 {first}, {start}')}, {room}")
            good = ir.emit(f"and i1 {good}, {inside}")
        good = self.and_aligned(good, 64, firsts, row)

        def pointers() -> list[str]:
            return [ir.emit(f"inttoptr i64 {ir.emit(f'add i64 {first}, {host}')} to ptr") for first in firsts]

        return good, pointers

    def wide_rows(self, place: Bits, row: Row) -> tuple[str, list[str]]:
        """An i1, whether all lanes access rows, and the rows' first places."""
        a = self.x.vector(place)
        firsts = [self.ir.emit(f"extractelement {ADDRESSES} {a}, i32 {i}") for i in row.firsts]
        return self.all_in_rows(64, a, row), firsts

    def spread_rows(self, place: Bits, row: Row) -> tuple[str, list[str]] | None:
        """The same, if places are one number plus 32 bits of each lane: tested are those bits, once for all accesses of
        a block that have them in common."""
        ir, (s, more) = self.ir, self.spread_of(place)
        if s is None or row.step % (1 << s.shift):
            return None
        key = s.narrow, s.signed, s.shift, row
        found = self.checks.lanes_here.get(key)
        if found is None:
            found = self.narrow_rows(s, row)
            if not ir.cold:
                self.checks.lanes_here[key] = found
        base = ir.emit(f"add i64 {s.base}, {more}") if more else s.base
        return found[0], [ir.emit(f"add i64 {base}, {first}") if base else first for first in found[1]]

    def spread_of(self, place: Bits) -> tuple[Spread | None, int]:
        """Of which 32 bits per lane places are made, if they are, and a number to add."""
        name = place.v.name if isinstance(place.v, Value) else ""
        s, more = self.ir.displaced.get(name) or (self.ir.spread.get(name), 0)
        return (s, more) if s is not None and s.shift < N else (None, 0)

    def recomputed(self, place: Bits) -> Bits:
        """Places computed once more, for code that rarely runs: LLVM would compute those that exist before it."""
        s, more = self.spread_of(place)
        if s is None or self.checks.narrow(place):  # of those that are 32 bits, only these are used
            return place
        base = self.ir.emit(f"add i64 {s.base}, {more}") if more else s.base
        return places_of(self.checks, s._replace(base=base), place)

    def narrow_rows(self, s: Spread, row: Row) -> tuple[str, list[str]]:
        """Whether the 32 bits of lanes are rows, none of which wraps, and what the rows' first ones contribute."""
        ir, step = self.ir, row.step >> s.shift
        good = self.all_in_rows(32, s.narrow, row._replace(step=step))
        firsts = [ir.emit(f"extractelement {OFFSETS} {s.narrow}, i32 {i}") for i in row.firsts]
        if step:
            most, sign = (31, "s") if s.signed else (32, "u")
            last = reduce(lambda i, j: ir.emit(f"call i32 @llvm.{sign}max.i32(i32 {i}, i32 {j})"), firsts)
            whole = ir.emit(f"icmp {sign}le i32 {last}, {(1 << most) - 1 - step * (row.length - 1)}")
            good = ir.emit(f"and i1 {good}, {whole}")
        wide = [ir.emit(f"{'sext' if s.signed else 'zext'} i32 {first} to i64") for first in firsts]
        return good, [ir.emit(f"shl i64 {first}, {s.shift}") if s.shift else first for first in wide]

    def near_rows(self, place: Bits, row: Row, write: bool) -> tuple[str, Callable[[], list[str]]]:
        """Whether the lanes' places in shared memory are rows, and pointers to these. A place has 32 bits."""
        ir, a = self.ir, self.checks.narrow(place)
        host, room = self.checks.near_limits(row.size)
        good = self.and_full(self.all_in_rows(32, a, row), write)
        firsts = [ir.emit(f"extractelement {OFFSETS} {a}, i32 {i}") for i in row.firsts]
        if self.checks.c.options.checks:
            last = reduce(lambda i, j: ir.emit(f"call i32 @llvm.umax.i32(i32 {i}, i32 {j})"), firsts)
            good = ir.emit(f"and i1 {good}, {ir.emit(f'icmp ult i32 {last}, {room}')}")
        good = self.and_aligned(good, 32, firsts, row)

        def pointers() -> list[str]:
            return [ir.emit(f"getelementptr i8, ptr {host}, i64 {ir.emit(f'zext i32 {i} to i64')}") for i in firsts]

        return good, pointers

    def all_in_rows(self, w: int, places: str, row: Row) -> str:
        ir = self.ir
        steps = tuple(i % row.length * row.step for i in range(N))
        made = "" if not row.step else self.x.constant_vector(steps, w) if w == 64 else self.x.literal_vector(steps, w)
        alike = in_rows(ir, vector_type(w), places, made, row.length)
        return ir.emit(f"icmp eq i{N} {ir.mask_bits(alike)}, -1")

    def and_full(self, good: str, write: bool) -> str:
        """Whether a condition holds, and all lanes execute if they write, unless rows are stored under masks."""
        if not write or self.scope.full or self.x.cpu.avx512:
            return good
        return self.ir.emit(f"and i1 {good}, {self.ir.emit(f'icmp eq i{N} {self.scope.mask_word()}, -1')}")

    def and_aligned(self, good: str, w: int, firsts: list[str], row: Row) -> str:
        if row.align == 1 or not self.checks.c.options.checks:
            return good
        ir = self.ir
        every = reduce(lambda i, j: ir.emit(f"or i{w} {i}, {j}"), firsts)
        low = ir.emit(f"and i{w} {every}, {row.align - 1}")
        return ir.emit(f"and i1 {good}, {ir.emit(f'icmp eq i{w} {low}, 0')}")

    def load(self, space: str, region: str, address: Bits, place: Bits, w: int, count: int) -> tuple[Bits, ...]:
        kind = self.kind_of(Shape("load", w, count), region, address, place)
        result, given = kind.shape.result, self.arguments(kind, space, region, address, place)
        found = self.ir.emit(f"call {result} @{self.function(kind)}({given})")
        self.slow.leave_if(self.ir.emit(f"extractvalue {result} {found}, {count}"))
        return tuple(self.x.bits(self.ir.emit(f"extractvalue {result} {found}, {i}"), w) for i in range(count))

    def store(self, space: str, region: str, address: Bits, place: Bits, values: Sequence[Bits]) -> None:
        shape = Shape("store", values[0].width, len(values))
        kind = self.kind_of(shape, region, address, place)
        given = self.arguments(kind, space, region, address, place)
        given += "".join(f", {vector_type(shape.width)} {self.x.vector(v)}" for v in values)
        self.slow.leave_if(self.ir.emit(f"call i1 @{self.function(kind)}({given})"))

    def kind_of(self, shape: Shape, region: str, address: Bits, place: Bits) -> Kind:
        kind = Kind(shape, address is place, self.is_near(region, place, shape.elements))
        s, _ = self.spread_of(place)
        extended = (False, 0) if kind.near else (s.signed, s.shift) if s is not None else None
        computed = self.patterns.get(self.scope.site, LOADED) != LOADED  # elsewhere, runs are rare
        single = shape.name == "load" and shape.elements == 1 and kind.same
        if extended is None or not computed or not single or shape.step % (1 << extended[1]):
            return kind
        return kind._replace(extended=extended) if self.x.cpu.avx512 else kind

    def arguments(self, kind: Kind, space: str, region: str, address: Bits, place: Bits) -> str:
        shape, lanes = kind.shape, f"ptr %w, i32 {self.scope.mask_word()}"
        warp, limit = self.scope.entry.index(), self.slow.frame.limit()
        exact = f"i32 {warp}, i64 {limit}, i64 {self.slow.what(space, shape.step, shape.elements)}"
        if kind.near:
            host, room = self.checks.near_limits(shape.step)
            return f"{lanes}, i32 {room}, ptr {host}, {exact}, {OFFSETS} {self.checks.narrow(place)}"
        start, room, host = self.checks.limits(region, place, shape.step * shape.elements, shape.name == "store")
        s, more = self.spread_of(place)
        if kind.extended is not None and s is not None:
            base = self.ir.emit(f"add i64 {s.base}, {more}") if s.base and more else s.base or more
            return f"{lanes}, i64 {start}, i64 {room}, i64 {host}, i64 {base}, {exact}, {OFFSETS} {s.narrow}"
        places, addresses = self.x.vector(place), "" if kind.same else f", {ADDRESSES} {self.x.vector(address)}"
        return f"{lanes}, i64 {start}, i64 {room}, i64 {host}, {exact}, {ADDRESSES} {places}{addresses}"

    def is_near(self, region: str, place: Bits, count: int) -> bool:
        return region == "shared" and count == 1 and bool(self.checks.narrow(place))

    def function(self, kind: Kind) -> str:
        """The kind's function, generated when it is first needed."""
        made = self.tables.functions.get(kind)
        if made is not None:
            return made.name
        # Parameters that only the slow path reads come last, where they are passed on the stack.
        exact = "i32 %warp, i64 %locals, i64 %what"
        if kind.near:
            parameters = f"ptr %w, i32 %lanes, i32 %room, ptr %host, {exact}, {OFFSETS} %places"
        elif kind.extended is not None:
            valid = "i64 %start, i64 %room, i64 %host, i64 %base"
            parameters = f"ptr %w, i32 %lanes, {valid}, {exact}, {OFFSETS} %narrow"
        else:
            more = "" if kind.same else f", {ADDRESSES} %addresses"
            valid = "i64 %start, i64 %room, i64 %host"
            parameters = f"ptr %w, i32 %lanes, {valid}, {exact}, {ADDRESSES} %places{more}"
        name = f"lanes.{kind.shape.name}.{len(self.tables.functions)}"
        return function(self.tables, kind, name, kind.shape, parameters, self.body(kind))

    # The function: `%lanes` access `%places`. Valid are the `%room` places from `%start` on; a place plus `%host` is
    # the address in this process.

    def body(self, kind: Kind) -> IRBuilder:
        b, shape, w = IRBuilder(), kind.shape, 32 if kind.near else 64
        t = vector_type(w)
        if kind.extended is not None:
            self.by_runs(b, kind, *kind.extended)
        b.line(f"%mask = bitcast i32 %lanes to {LANES}")
        offsets = "%places" if kind.near else b.emit(f"sub {t} %places, {splat(b, '%start', w)}")
        if not self.x.cpu.avx512:
            good = all_valid(b, w, offsets, "%places", "%room", shape.step * shape.elements)
            b.likely(good, "fast", "check")
            b.start("check")
        far = b.emit(f"icmp uge {t} {offsets}, {splat(b, '%room', w)}")
        low = b.emit(f"and {t} %places, splat (i{w} {shape.step * shape.elements - 1})")
        wrong = b.emit(f"or {LANES} {far}, {b.emit(f'icmp ne {t} {low}, zeroinitializer')}")
        word = b.emit(f"and i{N} {b.mask_bits(wrong)}, %lanes")
        b.likely(b.emit(f"icmp eq i32 {word}, 0"), "fast", "slow")
        b.start("fast")
        if shape.elements == 1 and kind.extended is None:
            self.by_rows(b, kind)
        if self.has_scatter(shape):
            self.by_few_lanes(b, kind)
        if kind.near:
            b.branch(b.emit("icmp eq i32 %lanes, -1"), "whole", "part")
            for label in ("whole", "part"):
                b.start(label)
                self.move_near(b, shape, label == "whole")
        else:
            at = b.emit(f"add {t} %places, {splat(b, '%host', w)}")
            self.move(b, shape, b.emit(f"inttoptr {t} {at} to {PLACES}"))
        b.start("slow")
        addresses = "%places" if kind.same else "%addresses"
        if kind.near:
            addresses = b.emit(f"zext {OFFSETS} %places to {ADDRESSES}")
        b.line(f"%first = zext i32 {b.emit(f'mul i32 %warp, {N}')} to i64")
        call = self.slow.call_of(shape.name, "%what", "%wide", "%first", "%locals")
        finish_exactly(b, shape, addresses, call)
        return b

    def by_runs(self, b: IRBuilder, kind: Kind, signed: bool, shift: int) -> None:
        """Returns if the lanes' places are few runs; else defines `%places`."""
        start, room, host = "%start", "%room", "%host"
        if kind.near:
            start, room, host = "0", b.emit("zext i32 %room to i64"), b.emit("ptrtoint ptr %host to i64")
        narrow, base = ("%places", "0") if kind.near else ("%narrow", "%base")
        places = Places(narrow, signed, shift, base, start, room, host)
        load_runs(b, kind.shape, places, kind.shape.step, "alike")
        b.start("alike")
        load_runs(b, kind.shape, places, 0, "apart")
        b.start("apart")
        if not kind.near:
            b.line(f"%places = add {ADDRESSES} {places.from_base(b, narrow, lanes=True)}, {splat(b, base, 64)}")

    def by_rows(self, b: IRBuilder, kind: Kind) -> None:
        shape, w = kind.shape, 32 if kind.near else 64
        steps = self.x.literal_vector(steps_of(shape.step), w)
        word = b.mask_bits(in_rows(b, vector_type(w), "%places", steps))
        b.branch(b.emit(f"icmp eq i32 {b.emit(f'and i32 {word}, %lanes')}, -1"), "rows", "each")
        b.start("rows")
        firsts = [b.emit(f"extractelement {vector_type(w)} %places, i32 {i}") for i in (0, HALF)]
        if kind.near:
            far = [b.emit(f"zext i32 {first} to i64") for first in firsts]
            pointers = [b.emit(f"getelementptr i8, ptr %host, i64 {first}") for first in far]
        else:
            pointers = [b.emit(f"inttoptr i64 {b.emit(f'add i64 {first}, %host')} to ptr") for first in firsts]
        if shape.name == "load":
            finish(b, shape, [load_rows(b, shape.width, pointers)])
        else:
            store_rows(b, shape.width, "%value0", pointers)
            finish(b, shape, ())
        b.start("each")

    def has_scatter(self, shape: Shape) -> bool:
        return shape.name == "store" and shape.elements == 1 and self.lanes.scatters(shape.width)

    def by_few_lanes(self, b: IRBuilder, kind: Kind) -> None:
        """Stores what few lanes have one by one: a scatter takes as long for one of them as for all."""
        b.branch(b.emit(f"icmp ule i32 {b.emit('call i32 @llvm.ctpop.i32(i32 %lanes)')}, {FEW}"), "few", "many")
        b.start("few")
        if kind.near:
            place = offsets_of(b, "%places")
        else:
            at = b.emit(f"add {ADDRESSES} %places, {splat(b, '%host', 64)}")
            place = pointers_of(b, b.emit(f"inttoptr {ADDRESSES} {at} to {PLACES}"))
        store_some(b, kind.shape.width, "%value0", place)
        finish(b, kind.shape, ())
        b.start("many")

    def move_near(self, b: IRBuilder, shape: Shape, every: bool) -> None:
        if shape.name == "load":
            finish(b, shape, [load_near(b, self.lanes, shape.width, every)])
        else:
            store_near(b, self.lanes, shape.width, every)
            finish(b, shape, ())

    def move(self, b: IRBuilder, shape: Shape, places: str) -> None:
        """Gathers or scatters the elements, as many at once as are moved in one word."""
        w, t = shape.width, vector_type(shape.width)
        together = min(shape.elements, WIDEST // w)
        word, found = vector_type(w * together), list[str]()
        for i in range(0, shape.elements, together):
            at = b.emit(f"getelementptr i8, {PLACES} {places}, i64 {i * shape.step}")
            if shape.name == "load":
                whole = b.emit(self.lanes.gather_call(word, w * together, at, mask, lanes))
                for k in range(together):
                    high = b.emit(f"lshr {word} {whole}, splat (i{w * together} {k * w})") if k else whole
                    found.append(high if together == 1 else b.emit(f"trunc {word} {high} to {t}"))
            else:
                whole = self.word_of(b, shape.values[i : i + together], w)
                b.line(self.lanes.scatter_call(word, w * together, whole, at, mask, lanes))
        finish(b, shape, found)

    def word_of(self, b: IRBuilder, values: list[str], w: int) -> str:
        """Several values as one word per lane, the first in the low bits."""
        if len(values) == 1:
            return values[0]
        t, word = vector_type(w), vector_type(w * len(values))
        wide = [b.emit(f"zext {t} {value} to {word}") for value in values]
        whole = wide[0]
        for k, part in enumerate(wide[1:], 1):
            whole = b.emit(f"or {word} {whole}, {b.emit(f'shl {word} {part}, splat (i{w * len(values)} {k * w})')}")
        return whole
