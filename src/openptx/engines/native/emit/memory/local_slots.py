"""Accesses to the same offset in each thread's local memory, as functions shared by similar accesses.

Unoptimised code (`nvcc -G`) keeps its variables there. Inlined, with a vector of 32 equal offsets to check, such an
access was 1,800 characters of LLVM text, which dominated the compile time of such kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from openptx.engines.native import abi
from openptx.engines.native.analysis.lattice import ZEROS, N, vector_type
from openptx.engines.native.emit.arith.outlined import Outlined
from openptx.engines.native.emit.ir_builder import STATE
from openptx.engines.native.emit.memory.bounds_check import BoundsCheck
from openptx.engines.native.emit.memory.gather_scatter import LANES, PLACES, GatherScatter
from openptx.engines.native.emit.memory.slow_path import SlowPath
from openptx.numerics import Bits

PARAMETERS = "ptr %w, ptr %local, i32 %lanes, i64 %place, i64 %limit, i64 %first, i64 %what"


class Kind(NamedTuple):
    """What accesses that share a function have in common."""

    name: str  # load, store
    width: int
    elements: int


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
        kind = Kind("load", w, count)
        result = result_of(kind)
        pair = self.ir.emit(f"call {result} @{self.function(kind)}({self.arguments(kind, space, place)})")
        if not self.surely_within(place, w * count // 8):
            self.slow.leave_if(self.ir.emit(f"extractvalue {result} {pair}, {count}"))
        return tuple(self.x.bits(self.ir.emit(f"extractvalue {result} {pair}, {i}"), w) for i in range(count))

    def store(self, space: str, place: Bits, values: Sequence[Bits]) -> None:
        kind = Kind("store", values[0].width, len(values))
        t = vector_type(kind.width)
        given = "".join(f", {t} {self.x.vector(v)}" for v in values)
        name = self.function(kind)
        failed = self.ir.emit(f"call i1 @{name}({self.arguments(kind, space, place)}{given})")
        if not self.surely_within(place, kind.width * kind.elements // 8):
            self.slow.leave_if(failed)

    def surely_within(self, place: Bits, size: int) -> bool:
        """Whether the access is known to lie in the frame of the kernel or function, so that it needs no branch for its
        fault. A function has made sure that its whole frame fits when it begins."""
        form, c = self.checks.form_of(place), self.checks.c
        assert form is not None
        if c.is_function:
            form = form._replace(high=self.ir.in_frame.get(form.base, -1))
        return form.surely_within(c.local_size, size)

    def arguments(self, kind: Kind, space: str, place: Bits) -> str:
        form = self.checks.form_of(place)
        assert form is not None
        space = "local" if space == "generic" else space  # places have no window's number any more
        what = self.slow.what(space, kind.width // 8, kind.elements)
        lanes, first, limit = self.scope.mask_word(), self.scope.entry.first_thread(), self.slow.frame.limit()
        local = self.checks.origin("local")
        return f"ptr %w, ptr {local}, i32 {lanes}, i64 {form.base}, i64 {limit}, i64 {first}, i64 {what}"

    def function(self, kind: Kind) -> str:
        """The kind's function, generated when it is first needed."""
        made = self.tables.functions.get(kind)
        if made is None:
            name = f"local.{kind.name}.{kind.elements}.i{kind.width}"
            text = self.load_text(kind) if kind.name == "load" else self.store_text(kind)
            head = f"define internal {result_of(kind)} @{name}({PARAMETERS}{values_of(kind)}) noinline nounwind #0"
            made = self.tables.functions[kind] = Outlined(name, kind.width, f"{head} {{\n{text}\n}}\n")
        return made.name

    def load_text(self, kind: Kind) -> str:
        w, t = kind.width, vector_type(kind.width)
        result = result_of(kind)
        loaded, parts, exact = list[str](), list[str](), list[str]()
        for i in range(kind.elements):
            emit = numbered(loaded, f"e{i}")
            found = "poison"
            for lane, at in enumerate(pointers(emit, i * w // 8)):
                element = emit(f"load i{w}, ptr {at}, align {w // 8}, !tbaa !6")
                found = emit(f"insertelement {t} {found}, i{w} {element}, i32 {lane}")
            loaded.append(f"%whole{i} = bitcast {t} {found} to {t}")
            call = self.lanes.gather_call(t, w, numbered(parts, f"p{i}")(farther(i * w // 8)), mask, lanes)
            parts.append(f"%part{i} = {call}")
            exact.append(f"%data{i} = getelementptr i8, ptr %w, i64 {abi.DATA + i * N * w // 8}")
            exact.append(f"%exact{i} = load volatile {t}, ptr %data{i}, align 4{STATE}")
        loaded += returned(kind, result, "whole", "false")
        parts += returned(kind, result, "part", "false")
        exact += returned(kind, result, "exact", "%bad")
        return self.body(kind, loaded, parts, [], exact)

    def store_text(self, kind: Kind) -> str:
        w, t = kind.width, vector_type(kind.width)
        stored, parts, given = list[str](), list[str](), list[str]()
        for i in range(kind.elements):
            emit = numbered(stored, f"e{i}")
            for lane, at in enumerate(pointers(emit, i * w // 8)):
                element = emit(f"extractelement {t} %value{i}, i32 {lane}")
                stored.append(f"store i{w} {element}, ptr {at}, align {w // 8}, !tbaa !6")
            at = numbered(parts, f"p{i}")(farther(i * w // 8))
            parts.append(self.lanes.scatter_call(t, w, f"%value{i}", at, mask, lanes))
            given.append(f"%data{i} = getelementptr i8, ptr %w, i64 {abi.DATA + i * N * w // 8}")
            given.append(f"store {t} %value{i}, ptr %data{i}, align 4{STATE}")
        return self.body(kind, [*stored, "ret i1 false"], [*parts, "ret i1 false"], given, ["ret i1 %bad"])

    def body(self, kind: Kind, whole: list[str], part: list[str], given: list[str], exact: list[str]) -> str:
        """The check of the offset, and the code for all lanes, for some of them, and for a failing check."""
        size, t = kind.width * kind.elements // 8, vector_type(64)
        call = self.slow.call_of(kind.name, "%what", "%wide", "%first", "%limit")
        check = f"""entry:
%room = sub i64 %limit, {size - 1}
%places = call i64 @llvm.smax.i64(i64 %room, i64 0)
%inside = icmp ult i64 %place, %places
%low = and i64 %place, {size - 1}
%aligned = icmp eq i64 %low, 0
%good = and i1 %inside, %aligned
%stride.at = getelementptr i8, ptr %w, i64 {abi.STRIDE}
%stride = load i64, ptr %stride.at, align 8{STATE}
br i1 %good, label %fast, label %slow, !prof !1
fast:
%before = mul i64 %first, %stride
%offset = add i64 %before, %place
%begin = getelementptr i8, ptr %local, i64 %offset
%all = icmp eq i32 %lanes, -1
br i1 %all, label %whole, label %part
whole:"""
        pointers_of_lanes = f"""part:
%mask = bitcast i32 %lanes to {LANES}
%stride.one = insertelement {t} poison, i64 %stride, i32 0
%strides = shufflevector {t} %stride.one, {t} poison, <{N} x i32> zeroinitializer
%steps = mul {t} %strides, <{", ".join(f"i64 {i}" for i in range(N))}>
%at = getelementptr i8, ptr %begin, {t} %steps"""
        addresses = f"""slow:
%place.one = insertelement {t} poison, i64 %place, i32 0
%addresses = shufflevector {t} %place.one, {t} poison, <{N} x i32> zeroinitializer
%scratch = getelementptr i8, ptr %w, i64 {abi.SCRATCH}
store {t} %addresses, ptr %scratch, align 64{STATE}"""
        slow = [addresses, *given, "%wide = zext i32 %lanes to i64", f"%bad = {call}", *exact]
        return "\n".join([check, *whole, pointers_of_lanes, *part, *slow])


def result_of(kind: Kind) -> str:
    t = vector_type(kind.width)
    return "i1" if kind.name == "store" else f"{{ {f'{t}, ' * kind.elements}i1 }}"


def values_of(kind: Kind) -> str:
    t = vector_type(kind.width)
    return "" if kind.name == "load" else "".join(f", {t} %value{i}" for i in range(kind.elements))


def mask() -> str:
    return "%mask"


def lanes() -> str:
    return "%lanes"


def farther(distance: int) -> str:
    return f"getelementptr i8, {PLACES} %at, i64 {distance}"


def numbered(lines: list[str], prefix: str) -> Callable[[str], str]:
    """A function that appends an operation to lines, and returns its name."""

    def emit(text: str) -> str:
        name = f"%{prefix}.{len(lines)}"
        lines.append(f"{name} = {text}")
        return name

    return emit


def pointers(emit: Callable[[str], str], distance: int) -> list[str]:
    """Each lane's pointer to an element."""
    at = emit(f"getelementptr i8, ptr %begin, i64 {distance}")
    found = [at]
    for _ in range(N - 1):
        found.append(emit(f"getelementptr i8, ptr {found[-1]}, i64 %stride"))
    return found


def returned(kind: Kind, result: str, name: str, failed: str) -> list[str]:
    """Lines that return the loaded value, and whether a fault was recorded."""
    t, before, lines = vector_type(kind.width), "poison", list[str]()
    for i in range(kind.elements):
        lines.append(f"%{name}.r{i} = insertvalue {result} {before}, {t} %{name}{i}, {i}")
        before = f"%{name}.r{i}"
    lines.append(f"%{name}.r = insertvalue {result} {before}, i1 {failed}, {kind.elements}")
    return [*lines, f"ret {result} %{name}.r"]
