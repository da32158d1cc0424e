"""Accesses to the same offset in each thread's local memory, as functions shared by similar accesses.

Unoptimised code (`nvcc -G`) keeps its variables there. Inlined, with a vector of 32 equal offsets to check, such an
access was 1,800 characters of LLVM text, which dominated the compile time of such kernels.
"""

from __future__ import annotations

from collections.abc import Sequence

from openptx.engines.native import abi
from openptx.engines.native.analysis.activations import frame_top
from openptx.engines.native.analysis.lattice import ZEROS, N, vector_type
from openptx.engines.native.emit.ir_builder import DATA, STATE, IRBuilder
from openptx.engines.native.emit.memory.access_functions import Shape, finish, finish_exactly, function, lanes, mask
from openptx.engines.native.emit.memory.bounds_check import BoundsCheck
from openptx.engines.native.emit.memory.gather_scatter import LANES, PLACES, GatherScatter
from openptx.engines.native.emit.memory.slow_path import SlowPath
from openptx.numerics import Bits

PARAMETERS = "ptr %w, ptr %local, i32 %lanes, i64 %place, i64 %limit, i32 %warp, i64 %what"


class LocalSlots:
    def __init__(self, checks: BoundsCheck, slow: SlowPath, lanes: GatherScatter) -> None:
        self.x, self.ir, self.scope, self.tables = checks.x, checks.ir, checks.scope, checks.scope.tables
        self.checks, self.slow, self.lanes = checks, slow, lanes

    def serves(self, region: str, place: Bits) -> bool:
        """Whether an access is of this kind: lanes have the same offset, and code is to check it."""
        if region != "local" or not self.checks.c.options.checks:
            return False
        form = self.checks.form_of(place)
        return form is not None and form.lanes is ZEROS

    def load(self, space: str, place: Bits, w: int, count: int) -> tuple[Bits, ...]:
        shape = Shape("load", w, count)
        found = self.ir.emit(f"call {shape.result} @{self.function(shape)}({self.arguments(shape, space, place)})")
        if not self.surely_within(place, w * count // 8):
            self.slow.leave_if(self.ir.emit(f"extractvalue {shape.result} {found}, {count}"))
        return tuple(self.x.bits(self.ir.emit(f"extractvalue {shape.result} {found}, {i}"), w) for i in range(count))

    def store(self, space: str, place: Bits, values: Sequence[Bits]) -> None:
        shape = Shape("store", values[0].width, len(values))
        given = "".join(f", {vector_type(shape.width)} {self.x.vector(v)}" for v in values)
        name = self.function(shape)
        failed = self.ir.emit(f"call i1 @{name}({self.arguments(shape, space, place)}{given})")
        if not self.surely_within(place, shape.width * shape.elements // 8):
            self.slow.leave_if(failed)

    def surely_within(self, place: Bits, size: int) -> bool:
        """Whether the access is known to lie in the frame of the kernel or function, so that it needs no branch for its
        fault. A function has made sure that its whole frame fits when it begins."""
        form, c = self.checks.form_of(place), self.checks.c
        assert form is not None
        if c.is_function:
            form = form._replace(high=self.ir.in_frame.get(form.base, -1))
        return form.surely_within(frame_top(c.function, self.scope.site), size)

    def arguments(self, shape: Shape, space: str, place: Bits) -> str:
        form = self.checks.form_of(place)
        assert form is not None
        space = "local" if space == "generic" else space  # places have no window's number any more
        what = self.slow.what(space, shape.step, shape.elements)
        lanes, warp, limit = self.scope.mask_word(), self.scope.entry.index(), self.slow.frame.limit()
        local = self.checks.origin("local")
        return f"ptr %w, ptr {local}, i32 {lanes}, i64 {form.base}, i64 {limit}, i32 {warp}, i64 {what}"

    def function(self, shape: Shape) -> str:
        """The function for a shape, generated when it is first needed."""
        made = self.tables.functions.get(shape)
        if made is not None:
            return made.name
        name = f"local.{shape.name}.{shape.elements}.i{shape.width}"
        return function(self.tables, shape, name, shape, PARAMETERS, self.body(shape))

    def body(self, shape: Shape) -> IRBuilder:
        """The check of the offset, and the code for all lanes, for some of them, and for a failing check."""
        b, size, t = IRBuilder(), shape.step * shape.elements, vector_type(64)
        room = b.emit(f"call i64 @llvm.smax.i64(i64 {b.emit(f'sub i64 %limit, {size - 1}')}, i64 0)")
        aligned = b.emit(f"icmp eq i64 {b.emit(f'and i64 %place, {size - 1}')}, 0")
        good = b.emit(f"and i1 {b.emit(f'icmp ult i64 %place, {room}')}, {aligned}")
        stride = b.load("i64", b.field("%w", abi.STRIDE), 8, STATE)
        b.line(f"%first = zext i32 {b.emit(f'mul i32 %warp, {N}')} to i64")
        b.likely(good, "fast", "slow")
        b.start("fast")
        offset = b.emit(f"add i64 {b.emit(f'mul i64 %first, {stride}')}, %place")
        begin = b.emit(f"getelementptr i8, ptr %local, i64 {offset}")
        b.branch(b.emit("icmp eq i32 %lanes, -1"), "whole", "part")
        b.start("whole")
        finish(b, shape, [self.move_all(b, shape, i, begin, stride) for i in range(shape.elements)])
        b.start("part")
        b.line(f"%mask = bitcast i32 %lanes to {LANES}")
        one = b.emit(f"insertelement {t} poison, i64 {stride}, i32 0")
        steps = b.emit(f"mul {t} {b.shuffle(t, one, 'poison', [0] * N)}, {self.x.literal_vector(tuple(range(N)), 64)}")
        at = b.emit(f"getelementptr i8, ptr {begin}, {t} {steps}")
        finish(b, shape, [self.move_some(b, shape, i, at) for i in range(shape.elements)])
        b.start("slow")
        one = b.emit(f"insertelement {t} poison, i64 %place, i32 0")
        call = self.slow.call_of(shape.name, "%what", "%wide", "%first", "%limit")
        finish_exactly(b, shape, b.shuffle(t, one, "poison", [0] * N), call)
        return b

    def move_all(self, b: IRBuilder, shape: Shape, i: int, begin: str, stride: str) -> str:
        """Loads or stores an element of each lane; what was loaded."""
        w, t, found = shape.width, vector_type(shape.width), list[str]()
        at = b.field(begin, i * shape.step)
        for lane in range(N):
            if shape.name == "load":
                found.append(b.load(f"i{w}", at, shape.step, DATA))
            else:
                b.store(f"i{w}", b.emit(f"extractelement {t} %value{i}, i32 {lane}"), at, shape.step, DATA)
            at = b.emit(f"getelementptr i8, ptr {at}, i64 {stride}")
        return b.collect(w, found) if found else ""

    def move_some(self, b: IRBuilder, shape: Shape, i: int, places: str) -> str:
        """Moves one element of each lane in `%mask`."""
        w, t = shape.width, vector_type(shape.width)
        at = b.emit(f"getelementptr i8, {PLACES} {places}, i64 {i * shape.step}")
        if shape.name == "load":
            return b.emit(self.lanes.gather_call(t, w, at, mask, lanes))
        b.line(self.lanes.scatter_call(t, w, f"%value{i}", at, mask, lanes))
        return ""
