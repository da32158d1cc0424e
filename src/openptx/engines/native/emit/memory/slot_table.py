"""The origins of addresses, and their rows in the table of slots.

In a correct program the sum of a pointer and a number lies in the pointer's allocation: a guess, made in the entry
block. The check of an access is exact nevertheless: if it fails, the slow path examines the address itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from openptx.engines.native import abi
from openptx.engines.native.emit.ir_builder import STATE
from openptx.engines.native.emit.scope import Scope
from openptx.isa.address_windows import FIRST, SHIFT


class Row(NamedTuple):
    """The names of a row's columns in the text."""

    start: str
    size: str
    writable: str
    delta: str


class AlignedRow(NamedTuple):
    """A row from its first aligned address on: that address, the bytes that exist, the bytes that may be written, the
    host address; and the pointer by which it was looked up, with its distance from the first address."""

    start: str
    size: str
    writable: str
    host: str
    origin: str
    lead: str


class SlotTable:
    def __init__(self, scope: Scope) -> None:
        self.x, self.ir, self.c, self.entry = scope.x, scope.ir, scope.c, scope.entry
        self.rows: dict[object, Row] = {}
        self.aligned: dict[object, AlignedRow] = {}

    def origin_row(self, origin: object, region: str) -> Row:
        """The columns of the row of a pointer, looked up in the entry block."""
        key = ("row", origin, region == "global")
        if key not in self.entry.values:
            self.entry.values[key] = ""
            self.rows[key] = Row(*self.looked_up(self.entry.pointer(origin), 1, region, (0, 1, 2, 4)))
        return self.rows[key]

    def aligned_row(self, origin: object, align: int, region: str) -> AlignedRow:
        """The row of a pointer, from its first aligned address on."""
        key = ("aligned", origin, align, region == "global")
        if key not in self.entry.values:
            self.entry.values[key] = ""
            pointer, first = self.entry.pointer(origin), self.ir.first
            start, size, writable, host = self.looked_up(pointer, align, region, (0, 1, 2, 3))
            host = first(f"inttoptr i64 {host} to ptr")
            lead = first(f"sub i64 {pointer}, {start}")
            self.aligned[key] = AlignedRow(start, size, writable, host, pointer, lead)
        return self.aligned[key]

    def looked_up(self, pointer: str, align: int, region: str, columns: Iterable[int]) -> list[str]:
        """What `openptx.row` (rtlib/warps.ll) finds for a pointer, in the entry block."""
        first = self.ir.first
        place = first("alloca [5 x i64], align 8")
        given = f"i64 {pointer}, i64 {align}, i64 {int(region == 'global')}, ptr {place}"
        self.ir.first_line(f"call void @openptx.row(ptr %w, {given})")
        places = [first(f"getelementptr i8, ptr {place}, i64 {8 * i}") for i in columns]
        return [first(f"load i64, ptr {at}, align 8{STATE}") for at in places]

    def row(self, address: str, region: str) -> str:
        """The table's row for a scalar address; the empty one if there is none, and for `.global` addresses in the
        windows of other spaces. (The parameter window is inside `.global`, which the slow path knows.)"""
        emit = self.ir.emit
        slot = emit(f"lshr i64 {address}, {SHIFT[self.c.address_size]}")
        number, slots = slot, self.entry.state(abi.SLOTS, "i64")
        if region == "global":
            number, slots = emit(f"sub i64 {slot}, {FIRST}"), self.slots_of_allocations()
        good = emit(f"icmp ult i64 {number}, {slots}")
        slot = emit(f"select i1 {good}, i64 {slot}, i64 0")
        return emit(f"getelementptr [{abi.ROW} x i8], ptr {self.entry.state(abi.TABLE, 'ptr')}, i64 {slot}")

    def slots_of_allocations(self) -> str:
        """The number of rows after those of the windows."""
        if "allocations" not in self.entry.values:
            self.entry.values["allocations"] = self.ir.first(f"sub i64 {self.entry.state(abi.SLOTS, 'i64')}, {FIRST}")
        return self.entry.values["allocations"]

    def column(self, row: str, i: int, t: str = "i64") -> str:
        return self.ir.load(t, self.ir.field(row, 8 * i), 8, STATE)
