"""Shared memory at a separate offset of 32 bits per lane: the text of the functions that `CheckedLanes` calls for it.

An address in shared memory usually is a register of 32 bits, extended to 64. Two such offsets leave a vector register
at once, and half as many vectors are compared as of pointers: a warp's gather takes 5.0 ns on a Zen 5 instead of 8.9.
"""

from __future__ import annotations

from collections.abc import Iterator

from openptx.engines.native import abi
from openptx.engines.native.analysis.lattice import N, vector_type
from openptx.engines.native.emit.ir_builder import STATE

LANES, PLACES, OFFSETS = f"<{N} x i1>", f"<{N} x ptr>", vector_type(32)
HALF, PAIRS = N // 2, f"<{N // 2} x i64>"
PARAMETERS = (
    f"ptr %w, i32 %lanes, i32 %room, ptr %host, i64 %first, i64 %locals, i64 %what, {OFFSETS} %places"
)  # fmt: skip


def near_text(head: str, w: int, moves: str, whole: list[str], part: list[str], slow: str) -> str:
    """A function, from its `head` on. `moves`: two rows from `%one` and `%other` on; `whole` and `part`: what moves the
    elements of all lanes, and of those in `%mask`; `slow`: what calls the slow path."""
    steps = ", ".join(f"i32 {i % HALF * w // 8}" for i in range(N))
    begins = ", ".join(f"i32 {i // HALF * HALF}" for i in range(N))
    return f"""{head} {{
entry:
%mask = bitcast i32 %lanes to {LANES}
%room.one = insertelement {OFFSETS} poison, i32 %room, i32 0
%room.all = shufflevector {OFFSETS} %room.one, {OFFSETS} poison, <{N} x i32> zeroinitializer
%far = icmp uge {OFFSETS} %places, %room.all
%ends = and {OFFSETS} %places, splat (i32 {w // 8 - 1})
%odd = icmp ne {OFFSETS} %ends, zeroinitializer
%wrong = or {LANES} %far, %odd
%here = and {LANES} %wrong, %mask
%word = bitcast {LANES} %here to i32
%none = icmp eq i32 %word, 0
br i1 %none, label %fast, label %slow, !prof !1
fast:
%begins = shufflevector {OFFSETS} %places, {OFFSETS} poison, <{N} x i32> <{begins}>
%row.places = add {OFFSETS} %begins, <{steps}>
%alike = icmp eq {OFFSETS} %places, %row.places
%alike.word = bitcast {LANES} %alike to i32
%together = and i32 %alike.word, %lanes
%in.rows = icmp eq i32 %together, -1
br i1 %in.rows, label %rows, label %each
rows:
{place("one", 0)}
{place("other", HALF)}
{moves}
each:
%all = icmp eq i32 %lanes, -1
br i1 %all, label %whole, label %part
whole:
{chr(10).join(whole)}
part:
%at = getelementptr i8, ptr %host, {OFFSETS} %places
{chr(10).join(part)}
slow:
%scratch = getelementptr i8, ptr %w, i64 {abi.SCRATCH}
%addresses = zext {OFFSETS} %places to {vector_type(64)}
store {vector_type(64)} %addresses, ptr %scratch, align 64{STATE}
%wide = zext i32 %lanes to i64
{slow}
}}
"""


def place(name: str, lane: int) -> str:
    return f"""%{name}.near = extractelement {OFFSETS} %places, i32 {lane}
%{name}.offset = zext i32 %{name}.near to i64
%{name} = getelementptr i8, ptr %host, i64 %{name}.offset"""


def each_place(lines: list[str]) -> Iterator[str]:
    """A pointer for each lane; emits what computes it, from an element of 64 bits for two lanes."""
    lines.append(f"%pairs = bitcast {OFFSETS} %places to {PAIRS}")
    for i in range(N // 2):
        lines.append(f"%p{i} = extractelement {PAIRS} %pairs, i32 {i}")
        for lane, part in ((2 * i, f"and i64 %p{i}, 4294967295"), (2 * i + 1, f"lshr i64 %p{i}, 32")):
            lines.append(f"%o{lane} = {part}")
            lines.append(f"%a{lane} = getelementptr i8, ptr %host, i64 %o{lane}")
            yield f"%a{lane}"


def gathered(w: int, by_instruction: bool) -> tuple[list[str], list[str]]:
    """Lines that load `%whole0` for all lanes, and `%part0` for some."""
    t, found = vector_type(w), "poison"
    call = f"call {t} @llvm.masked.gather.v{N}i{w}.v{N}p0({PLACES} align {w // 8}"
    part = [f"%part0 = {call} %at, {LANES} %mask, {t} zeroinitializer), !tbaa !6"]
    if by_instruction:
        every = f"{LANES} splat (i1 true)"
        return [pointers(), f"%whole0 = {call} %every, {every}, {t} zeroinitializer), !tbaa !6"], part
    lines: list[str] = []
    for i, at in enumerate(each_place(lines)):
        lines.append(f"%e{i} = load i{w}, ptr {at}, align {w // 8}, !tbaa !6")
        name = f"%r{i}" if i < N - 1 else "%whole0"
        lines.append(f"{name} = insertelement {t} {found}, i{w} %e{i}, i32 {i}")
        found = name
    return lines, part


def scattered(w: int, by_instruction: bool) -> tuple[list[str], list[str]]:
    """Lines that store `%value0` in all lanes, and in some."""
    t = vector_type(w)
    call = f"call void @llvm.masked.scatter.v{N}i{w}.v{N}p0({t} %value0, {PLACES} align {w // 8}"
    part = [f"{call} %at, {LANES} %mask), !tbaa !6"]
    if by_instruction:
        return [pointers(), f"{call} %every, {LANES} splat (i1 true)), !tbaa !6"], part
    lines: list[str] = []
    for i, at in enumerate(each_place(lines)):
        lines.append(f"%e{i} = extractelement {t} %value0, i32 {i}")
        lines.append(f"store i{w} %e{i}, ptr {at}, align {w // 8}, !tbaa !6")
    return lines, part


def pointers() -> str:
    """Offsets of executing lanes have been checked, and so are below 2^31: it does not matter that they are extended
    with their sign."""
    return f"%every = getelementptr i8, ptr %host, {OFFSETS} %places"
