"""Values that are computed once, in the entry block."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from openptx.engines.native import abi
from openptx.engines.native.analysis.lattice import N, vector_type
from openptx.engines.native.emit.arith.float_ops import FloatOps
from openptx.engines.native.emit.ir_builder import STATE, Section

_OF_CTA = frozenset((abi.CTAID, abi.CTAID + 4, abi.CTAID + 8, abi.LINEAR))


_NAME = re.compile(r"%[\w.]+")


def defined(lines: Iterable[str]) -> list[str]:
    """The names of the values that lines of the entry block (`%v1 = ...`) define."""
    return [line.split(" ", 1)[0] for line in lines]


def renamed(lines: Iterable[str], names: Mapping[str, str]) -> list[str]:
    """Lines of the entry block with other names, for another warp."""
    return [_NAME.sub(lambda found: names.get(found[0], found[0]), line) for line in lines]


class EntryValues:
    """Values that were computed in the entry block, by a key that identifies them. Only `field` is emitted where it is
    used."""

    def __init__(self, x: FloatOps, chains_warps: bool, variables: list[str]) -> None:
        """`chains_warps`: a warp's segments may begin elsewhere than at the function's entry, see `Segments`.
        `variables` are those whose addresses the module looks up, by number."""
        self.x, self.ir, self.chains_warps, self.variables = x, x.ir, chains_warps, variables
        self.values: dict[object, str] = {}
        self.slots = {"%index": "i32", "%frame": "ptr"} if chains_warps else {}
        """Per-warp values that are kept in memory, with their types, because segments of other warps follow."""
        self.reloaded: dict[str, str] = {}
        """Per-warp values that the block has loaded."""
        self.cold_label = ""
        self.reloaded_cold: dict[str, str] = {}
        """Per-warp values that cold code has loaded since `cold_label`."""

    def begin_block(self) -> None:
        self.reloaded.clear()

    def of_warp(self, name: str, t: str) -> str:
        """A value that is computed for each warp (`Section.WARP`), in a form that code may use."""
        if not self.chains_warps:
            return self.ir.own(name)
        self.slots[name] = t
        found = self.reloaded.get(name)
        if found is not None:
            return found
        known = self.reloaded
        if self.ir.cold:
            if self.cold_label != self.ir.label:
                self.cold_label, self.reloaded_cold = self.ir.label, {}
            known = self.reloaded_cold
        if name not in known:
            known[name] = self.ir.load(t, f"{name}.slot", 4)
        return known[name]

    def index(self) -> str:
        """The warp's number in its CTA."""
        return self.of_warp("%index", "i32")

    def first_lane(self) -> str:
        """The number of the warp's first thread, an i32."""
        return self.ir.emit(f"shl i32 {self.index()}, 5") if self.chains_warps else self.ir.own("%first32")

    def first_thread(self) -> str:
        """The number of the warp's first thread, an i64. Only slow paths need it, so it is computed there and not kept
        for each warp."""
        return self.ir.emit(f"zext i32 {self.first_lane()} to i64") if self.chains_warps else self.ir.own("%first")

    def state(self, offset: int, t: str) -> str:
        """A field of the worker's state when the function begins."""
        key = (offset, t)
        found = self.values.get(key)
        if found is None:
            section = Section.CTA if offset in _OF_CTA else Section.LAUNCH
            found = self.values[key] = self.load_field(t, "%w", offset, 4, section)
        return found

    def load_field(self, t: str, base: str, offset: int, align: int, section: Section = Section.LAUNCH) -> str:
        where = self.ir.first(f"getelementptr i8, ptr {base}, i64 {offset}")
        return self.ir.first(f"load {t}, ptr {where}, align {align}{STATE}", section)

    def field(self, offset: int) -> str:
        return self.ir.field("%w", offset)

    def added(self, offset: int, t: str, step: int) -> str:
        """Adds `step` to a number in the worker's state; returns the sum."""
        at = self.field(offset)
        found = self.ir.emit(f"add {t} {self.ir.load(t, at, 4)}, {step}")
        self.ir.store(t, found, at, 4)
        return found

    def frame_field(self, offset: int) -> str:
        """A pointer into the warp's frame."""
        return self.ir.field(self.of_warp("%frame", "ptr"), offset)

    def lane_offsets(self) -> str:
        """The offset of each lane's local memory in that of its CTA."""
        found = self.values.get("lane offsets")
        if found is None:
            ir, t = self.ir, vector_type(64)
            stride = self.state(abi.STRIDE, "i64")
            first = ir.first(f"mul i64 %first, {stride}", Section.WARP)
            lanes: list[str] = []
            for scalar, section in ((stride, Section.LAUNCH), (first, Section.WARP)):
                one = ir.first(f"insertelement {t} poison, i64 {scalar}, i32 0", section)
                all_lanes = f"shufflevector {t} {one}, {t} poison, <{N} x i32> zeroinitializer"
                lanes.append(ir.first(all_lanes, section))
            steps = ir.first(f"mul {t} {lanes[0]}, {self.x.literal_vector(tuple(range(N)), 64)}")
            found = self.values["lane offsets"] = ir.first(f"add {t} {steps}, {lanes[1]}", Section.WARP)
        return self.of_warp(found, vector_type(64))

    def pointer(self, origin: object) -> str:
        """The value of an origin (see `Fact`). A block may need it that is emitted before the one that loads it: that
        of a loop may be the first in the text."""
        match origin:
            case ("param", int(at), int(w)):
                return self.parameter(at, w)
            case ("variable", str(name)):
                return self.variable(name)
            case _:
                return self.values[origin]

    def parameter(self, at: int, w: int) -> str:
        """The kernel's parameter at an offset."""
        key = ("param", at, w)
        if key not in self.values:
            self.values[key] = self.load_field(f"i{w}", self.parameters(), at, w // 8)
        return self.values[key]

    def variable(self, name: str) -> str:
        """The address of a global variable, which each process loads anew."""
        if name not in self.variables:
            self.variables.append(name)
        key = ("variable", name)
        if key not in self.values:
            table = self.state(abi.GLOBALS, "ptr")
            where = self.ir.first(f"getelementptr i64, ptr {table}, i64 {self.variables.index(name)}")
            self.values[key] = self.ir.first(f"load i64, ptr {where}, align 8, !tbaa !5")
        return self.values[key]

    def parameters(self) -> str:
        """The host address of the parameter buffer."""
        if "parameters" not in self.values:
            ir = self.ir
            row = ir.first(f"getelementptr i8, ptr {self.state(abi.TABLE, 'ptr')}, i64 {4 * abi.ROW}")
            base = ir.first(f"load i64, ptr {row}, align 8{STATE}")
            host = ir.first(f"add i64 {base}, {self.load_field('i64', row, 24, 8)}")
            self.values["parameters"] = ir.first(f"inttoptr i64 {host} to ptr")
        return self.values["parameters"]
