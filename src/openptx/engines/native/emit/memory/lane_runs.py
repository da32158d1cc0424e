"""Loads by runs: lanes one after the other that load neighbouring elements, or the same one.

With `i / width` and `i % width`, or where a row of the block is no power of two, a warp's addresses are a few runs,
which begin at any lane. A run is a move under a mask, and its ends are checked instead of each of its lanes. Where
every lane is one, to look for them takes as long as to look for rows of half a warp.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import NamedTuple

from openptx.engines.native import abi
from openptx.engines.native.analysis.lattice import N, vector_type
from openptx.engines.native.emit.ir_builder import DATA, MASK, STATE, IRBuilder
from openptx.engines.native.emit.memory.access_functions import Shape, finish
from openptx.engines.native.emit.memory.all_lanes import splat
from openptx.engines.native.emit.memory.masked_lanes import element

MOST = 5
"""The number of runs above which elements are loaded one by one, which takes as long as five runs."""

NARROW, WIDE = vector_type(32), vector_type(64)


class Places(NamedTuple):
    """Places that are `base` plus 32 bits of each lane, extended and shifted left. Valid are the `room` places from
    `start` on; a place plus `host` is the address in this process."""

    narrow: str
    signed: bool
    shift: int
    base: str
    start: str
    room: str
    host: str

    def from_base(self, b: IRBuilder, name: str, lanes: bool) -> str:
        """How far a place with these 32 bits is from `base`, or those of all lanes are."""
        narrow, wide = (NARROW, WIDE) if lanes else ("i32", "i64")
        found = b.emit(f"{'sext' if self.signed else 'zext'} {narrow} {name} to {wide}")
        by = f"splat (i64 {self.shift})" if lanes else self.shift
        return b.emit(f"shl {wide} {found}, {by}") if self.shift else found

    def of_lane(self, b: IRBuilder, lane: str) -> str:
        """That of one lane; `load_runs` has stored the lanes' 32 bits."""
        own = b.load("i32", element(b, 32, b.field("%w", abi.SCRATCH), lane), 4, STATE)
        return b.emit(f"add i64 {self.from_base(b, own, lanes=False)}, {self.base}")


class Run(NamedTuple):
    lane: str
    """The first of its executing lanes."""
    mask: str
    """Its executing lanes, as an i32."""
    place: str
    """That of its first executing lane."""


def load_runs(b: IRBuilder, shape: Shape, places: Places, step: int, other: str) -> None:
    """Ends a function that loads an element for each of `%lanes`, if their places are few runs with `step` bytes from
    one to the next, the element's size or 0, and all are valid; else goes to the block `other`."""
    runs, t = b.fresh(), vector_type(shape.width)
    firsts = firsts_of_runs(b, places, step)
    count = b.emit(f"call i{N} @llvm.ctpop.i{N}(i{N} {firsts})")
    b.branch(b.emit(f"icmp ult i{N} {b.emit(f'sub i{N} {count}, 1')}, {MOST}"), runs, other)
    b.start(runs)
    b.store(NARROW, places.narrow, b.field("%w", abi.SCRATCH), 64, STATE)
    found, more = b.name(), b.name()
    with each_run(b, firsts, places, t, found, more) as run:
        check(b, shape, places, run, step, other)
        mask, at = b.emit(f"bitcast i{N} {run.mask} to {MASK}"), pointer(b, places, run, step)
        if step:
            given = f"ptr align {shape.step} {at}, {MASK} {mask}, {t} {found}"
            b.line(f"{more} = call {t} @llvm.masked.load.v{N}i{shape.width}.p0({given}){DATA}")
        else:
            one = splat(b, b.load(f"i{shape.width}", at, shape.step, DATA), shape.width)
            b.line(f"{more} = select {MASK} {mask}, {t} {one}, {t} {found}")
    finish(b, shape, [more])


def firsts_of_runs(b: IRBuilder, places: Places, step: int) -> str:
    """The executing lanes, as an i32, that do not continue what the lane before accesses: as that does not execute, or
    is elsewhere, or as the 32 bits wrap."""
    before = b.shuffle(NARROW, places.narrow, "poison", [max(i - 1, 0) for i in range(N)])
    apart = step >> places.shift
    expected = b.emit(f"add {NARROW} {before}, splat (i32 {apart})") if apart else before
    begins = b.emit(f"icmp ne {NARROW} {places.narrow}, {expected}")
    if apart:
        wraps = b.emit(f"icmp {'s' if places.signed else 'u'}lt {NARROW} {places.narrow}, {before}")
        begins = b.emit(f"or {MASK} {begins}, {wraps}")
    alone = b.emit(f"xor i{N} {b.emit(f'shl i{N} %lanes, 1')}, -1")
    either = b.emit(f"or i{N} {b.mask_bits(begins)}, {alone}")
    return b.emit(f"and i{N} {either}, %lanes")


@contextmanager
def each_run(b: IRBuilder, firsts: str, places: Places, t: str, found: str, more: str) -> Generator[Run]:
    """Code for each run, in their order: of `found`, at first zeros of the type `t`, it makes `more`, which is what the
    next one finds."""
    start, loop, done = b.label, b.fresh(), b.fresh()
    rest, later = b.name(), b.name()
    b.jump(loop)
    b.start(loop)
    head = len(b.lines)
    lane = b.emit(f"call i{N} @llvm.cttz.i{N}(i{N} {rest}, i1 true)")
    b.line(f"{later} = and i{N} {rest}, {b.emit(f'sub i{N} {rest}, 1')}")
    absent, below = b.emit(f"xor i{N} {later}, -1"), b.emit(f"sub i{N} {later}, 1")
    until = b.emit(f"and i{N} {absent}, {below}")  # lanes before the next run's, or all
    behind = b.emit(f"shl i{N} -1, {lane}")
    within = b.emit(f"and i{N} {until}, {behind}")
    mask = b.emit(f"and i{N} {within}, %lanes")
    yield Run(lane, mask, places.of_lane(b, lane))
    b.lines[head:head] = [
        f"{rest} = phi i{N} [ {firsts}, %{start} ], [ {later}, %{b.label} ]",
        f"{found} = phi {t} [ zeroinitializer, %{start} ], [ {more}, %{b.label} ]",
    ]
    b.branch(b.emit(f"icmp eq i{N} {later}, 0"), done, loop)
    b.start(done)


def check(b: IRBuilder, shape: Shape, places: Places, run: Run, step: int, other: str) -> None:
    """Goes to `other` unless the run's places are valid."""
    after = b.emit(f"call i{N} @llvm.ctlz.i{N}(i{N} {run.mask}, i1 true)")
    lanes = b.emit(f"sub i{N} {b.emit(f'sub i{N} {N - 1}, {after}')}, {run.lane}")
    size = b.emit(f"mul i64 {b.emit(f'zext i{N} {lanes} to i64')}, {step}")
    offset = b.emit(f"sub i64 {run.place}, {places.start}")
    end = b.emit(f"add i64 {offset}, {size}")
    good = b.emit(f"icmp ult i64 {offset}, {places.room}")
    good = b.emit(f"and i1 {good}, {b.emit(f'icmp ult i64 {end}, {places.room}')}")
    if shape.step > 1:
        low = b.emit(f"and i64 {run.place}, {shape.step - 1}")
        good = b.emit(f"and i1 {good}, {b.emit(f'icmp eq i64 {low}, 0')}")
    on = b.fresh()
    b.likely(good, on, other)
    b.start(on)


def pointer(b: IRBuilder, places: Places, run: Run, step: int) -> str:
    """To where lane 0 would be if it were in the run."""
    at = b.emit(f"add i64 {run.place}, {places.host}")
    if step:
        before = b.emit(f"mul i64 {b.emit(f'zext i{N} {run.lane} to i64')}, {step}")
        at = b.emit(f"sub i64 {at}, {before}")
    return b.emit(f"inttoptr i64 {at} to ptr")
