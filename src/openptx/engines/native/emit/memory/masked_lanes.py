"""Gathers and scatters by some lanes of a warp, in loops over these lanes, where the processor has no instruction.

Of a masked gather or scatter LLVM would make 32 branches, which takes it as long as a small kernel does.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager

from openptx.engines.native import abi
from openptx.engines.native.analysis.lattice import N, vector_type
from openptx.engines.native.emit.ir_builder import DATA, MASK, STATE, IRBuilder
from openptx.engines.native.emit.memory.all_lanes import splat

FEW = 4
"""The lanes up to which elements are collected in registers: a vector in memory can only be loaded once its elements
have been stored."""

Place = Callable[[str], str]
"""Emits the pointer of a lane."""


def load_some(b: IRBuilder, w: int, place: Place, has_mask_registers: bool) -> str:
    """The elements of the lanes in `%lanes`, zeros elsewhere."""
    if not has_mask_registers:
        return load_by_memory(b, w, place)
    few, some, done = b.fresh(), b.fresh(), b.fresh()
    before = b.emit(f"sub i{N} {b.emit(f'call i{N} @llvm.ctpop.i{N}(i{N} %lanes)')}, 1")
    b.branch(b.emit(f"icmp ult i{N} {before}, {FEW}"), few, some)
    b.start(few)
    found = load_few(b, w, place)
    few = b.label
    b.jump(done)
    b.start(some)
    more = load_by_memory(b, w, place)
    some = b.label
    b.jump(done)
    b.start(done)
    return b.phi(vector_type(w), [few, some], found, more)


def load_by_memory(b: IRBuilder, w: int, place: Place) -> str:
    """Element by element, as a vector in the worker's memory."""
    t, data = vector_type(w), b.field("%w", abi.DATA)
    b.store(t, "zeroinitializer", data, 64, STATE)
    with each_lane(b) as lane:
        b.store(f"i{w}", b.load(f"i{w}", place(lane), w // 8, DATA), element(b, w, data, lane), w // 8, STATE)
    return b.load(t, data, 64, STATE)


def load_few(b: IRBuilder, w: int, place: Place) -> str:
    """The elements under masks, of lanes of which there are some."""
    t, before, loop, done = vector_type(w), b.label, b.fresh(), b.fresh()
    rest, less, found, more = b.name(), b.name(), b.name(), b.name()
    b.jump(loop)
    b.start(loop)
    b.line(f"{rest} = phi i{N} [ %lanes, %{before} ], [ {less}, %{loop} ]")
    b.line(f"{found} = phi {t} [ zeroinitializer, %{before} ], [ {more}, %{loop} ]")
    at = place(b.emit(f"call i{N} @llvm.cttz.i{N}(i{N} {rest}, i1 true)"))
    one = splat(b, b.load(f"i{w}", at, w // 8, DATA), w)
    b.line(f"{less} = and i{N} {rest}, {b.emit(f'sub i{N} {rest}, 1')}")
    mask = b.emit(f"bitcast i{N} {rest} to {MASK}")  # later lanes get their own elements later
    b.line(f"{more} = select {MASK} {mask}, {t} {one}, {t} {found}")
    b.branch(b.emit(f"icmp eq i{N} {less}, 0"), done, loop)
    b.start(done)
    return more


def store_some(b: IRBuilder, w: int, value: str, place: Place) -> None:
    """Stores the elements of the lanes in `%lanes`, in order."""
    t, data = vector_type(w), b.field("%w", abi.DATA)
    b.store(t, value, data, 64, STATE)
    with each_lane(b) as lane:
        b.store(f"i{w}", b.load(f"i{w}", element(b, w, data, lane), w // 8, STATE), place(lane), w // 8, DATA)


def pointers_of(b: IRBuilder, places: str) -> Place:
    """The places of lanes that are a vector of pointers."""
    scratch = b.field("%w", abi.SCRATCH)
    b.store(f"<{N} x ptr>", places, scratch, 64, STATE)
    return lambda lane: b.load("ptr", element(b, 64, scratch, lane), 8, STATE)


def offsets_of(b: IRBuilder, offsets: str) -> Place:
    """The places of lanes that are offsets of 32 bits from `%host`."""
    scratch = b.field("%w", abi.SCRATCH)
    b.store(vector_type(32), offsets, scratch, 64, STATE)

    def place(lane: str) -> str:
        return b.field("%host", b.emit(f"zext i32 {b.load('i32', element(b, 32, scratch, lane), 4, STATE)} to i64"))

    return place


def element(b: IRBuilder, w: int, vector: str, lane: str) -> str:
    """Where a lane's element of a vector in memory is."""
    return b.emit(f"getelementptr i{w}, ptr {vector}, i{N} {lane}")


@contextmanager
def each_lane(b: IRBuilder) -> Generator[str]:
    """Code for each of the lanes in `%lanes`, of which there may be none."""
    before, loop, one, done = b.label, b.fresh(), b.fresh(), b.fresh()
    rest, less = b.name(), b.name()
    b.jump(loop)
    b.start(loop)
    b.line(f"{rest} = phi i{N} [ %lanes, %{before} ], [ {less}, %{one} ]")
    b.branch(b.emit(f"icmp eq i{N} {rest}, 0"), done, one)
    b.start(one)
    yield b.emit(f"call i{N} @llvm.cttz.i{N}(i{N} {rest}, i1 true)")
    b.line(f"{less} = and i{N} {rest}, {b.emit(f'sub i{N} {rest}, 1')}")
    b.jump(loop)
    b.start(done)
