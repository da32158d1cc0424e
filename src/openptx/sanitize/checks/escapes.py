"""Local addresses that one thread stores and another uses: every thread's local memory has the same addresses."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from openptx.array_types import Array
from openptx.control_flow import registers
from openptx.engines.interp import lane_sets
from openptx.engines.interp.memory.views import Plane
from openptx.isa.address_windows import LOCAL, SHIFT
from openptx.numerics import Bits
from openptx.program import Address, Function, Op
from openptx.sanitize.executing import Executing
from openptx.sanitize.numbered import NumberedThreads
from openptx.sanitize.reporter import Reporter

POINTER = 64
"""Bits of a generic address."""


def is_local(addresses: Array) -> Array:
    return addresses >> np.uint64(SHIFT[POINTER]) == LOCAL


def loads_of_addresses(function: Function) -> dict[Op, frozenset[Op]]:
    """For each instruction, the loads whose results may be in its addresses, on any path."""
    written: dict[int, list[Op]] = {}
    for op in function.code:
        for template, operand in op.operands_by_template():
            if template.role == "write":
                for register in registers(operand):
                    written.setdefault(register.index, []).append(op)
    found: dict[Op, frozenset[Op]] = {}
    for op in function.code:
        left = [r.index for operand in op.operands if isinstance(operand, Address) for r in registers(operand)]
        seen = set(left)
        loads: set[Op] = set()
        while left:
            for source in written.get(left.pop(), ()):
                if source.form.instruction.access:
                    loads.add(source)
                    continue
                more = {r.index for operand in source.operands for r in registers(operand)} - seen
                seen |= more
                left += more
        found[op] = frozenset(loads)
    return found


class Escapes:
    """Local addresses that reach other threads: by word of memory, the thread whose local address is stored there; by
    load, the lanes that received another thread's address."""

    def __init__(self, reporter: Reporter, executing: Executing, active: bool) -> None:
        self.reporter, self.executing, self.active = reporter, executing, active
        self._owners: dict[Plane, Array] = {}
        self._foreign: dict[tuple[NumberedThreads, Op], Array] = {}
        self._loads: dict[Function, dict[Op, frozenset[Op]]] = {}

    def stored(
        self, x: NumberedThreads, plane: Plane, chosen: Array | None, offsets: Array, values: list[Array]
    ) -> None:
        """Executing lanes, or those of them at the positions `chosen`, store words."""
        if not self.active or plane is x.local or values[0].itemsize * 8 != POINTER:
            return
        local = [is_local(v) for v in values]
        if plane not in self._owners:
            if not any(mask.any() for mask in local):
                return
            self._owners[plane] = np.full(plane.size // 8 + 1, -1, np.int64)
        threads = x.threads() if chosen is None else x.threads()[chosen]
        for i, mask in enumerate(local):
            self._owners[plane][(offsets >> 3) + i] = np.where(mask, threads, -1)[-offsets.size :]

    def loaded(
        self, x: NumberedThreads, plane: Plane, chosen: Array | None, offsets: Array, values: Sequence[Bits]
    ) -> None:
        """Executing lanes, or those of them at the positions `chosen`, have loaded words."""
        if plane not in self._owners or values[0].width != POINTER:
            return
        lanes = lane_sets.positions(x.executing, x.n)
        lanes = lanes if chosen is None else lanes[chosen]
        foreign = np.zeros(lanes.size, np.bool_)
        for i, b in enumerate(values):
            v = b.v if chosen is None or b.v.size == 1 else b.v[chosen]
            owners = self._owners[plane][(offsets >> 3) + i]
            foreign |= is_local(v) & (owners >= 0) & (owners != x.numbers[lanes])
        table = self._foreign.setdefault((x, x.op), np.zeros(x.n, np.bool_))
        table[lanes] = foreign

    def used(self, x: NumberedThreads, address: Array) -> None:
        """Executing lanes access memory at generic addresses."""
        if not self._foreign:
            return
        function = self.executing.function
        if function not in self._loads:
            self._loads[function] = loads_of_addresses(function)
        for load in self._loads[function].get(x.op, ()):
            table = self._foreign.get((x, load))
            if table is None:
                continue
            bad = np.flatnonzero(lane_sets.take(table, x.executing) & is_local(address))
            if bad.size and not self.reporter.collector.count_if_known(("foreign", x.op)):
                self.report(x, load, x.first + int(lane_sets.positions(x.executing, x.n)[bad[0]]))

    def report(self, x: NumberedThreads, load: Op, thread: int) -> None:
        self.reporter.add(
            ("foreign", x.op), "foreign-local-address", "an address of another thread's local memory is used",
            x.op, thread,
            notes=self.executing.registers(x.op, thread),
            other=self.reporter.site(load, thread),
            other_label="the address comes from here",
            help="threads have local memory of their own at the same addresses: share what others use",
        )  # fmt: skip
