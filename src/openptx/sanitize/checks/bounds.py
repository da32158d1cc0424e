"""Accesses outside the variable that an address was derived from, though inside memory that the thread may access."""

from __future__ import annotations

import numpy as np

from openptx.array_types import Array
from openptx.device.allocation import in_bytes
from openptx.engines.common.provenance import copied_variables_of, variables_of
from openptx.engines.interp import lane_sets
from openptx.isa.address_windows import CTA_SHIFT
from openptx.program import Function, Op, Variable
from openptx.sanitize.executing import Executing
from openptx.sanitize.numbered import NumberedThreads
from openptx.sanitize.reporter import Reporter


class Bounds:
    """Compares accesses with the extent of the variable that their address derives from."""

    def __init__(self, reporter: Reporter, executing: Executing, active: bool) -> None:
        self.reporter, self.executing, self.active = reporter, executing, active
        self._known: dict[Function, dict[Op, dict[str, Variable]]] = {}
        self._copied: dict[Function, dict[Op, dict[str, Variable]]] = {}

    def variables(self, op: Op) -> dict[str, Variable] | None:
        """The variables that an instruction's addresses derive from."""
        if not self.active:
            return None
        function = self.executing.function
        if function not in self._known:
            self._known[function] = variables_of(function)
        return self._known[function].get(op)

    def extent(self, x: NumberedThreads, v: Variable) -> tuple[int, int]:
        """The start of a variable in its space, and its size."""
        if v.space == "shared":
            start = x.geometry.shape.layout.offset(v)
            return start, v.size if v.linkage != "extern" else x.shared_size - start
        if v.space == "const":
            return x.image.addresses[v.name], v.size
        return x.base + v.offset, v.size

    def check(self, x: NumberedThreads, space: str, address: Array, size: int) -> None:
        """Accesses of `size` bytes by the executing lanes."""
        known = self.variables(x.op)
        v = known.get(space) or known.get(space.replace("::cta", "")) if known else None
        if v is not None:
            self.compare(x, v, address, size)

    def check_copy(self, x: NumberedThreads, operand: str, address: Array, size: int) -> None:
        """A bulk copy of `size` bytes from or to the address of an operand, by one lane."""
        if not self.active:
            return
        function = self.executing.function
        if function not in self._copied:
            self._copied[function] = copied_variables_of(function)
        v = self._copied[function].get(x.op, {}).get(operand)
        if v is not None:
            self.compare(x, v, address, size)

    def compare(self, x: NumberedThreads, v: Variable, address: Array, size: int) -> None:
        start, extent = self.extent(x, v)
        width = CTA_SHIFT if v.space == "shared" else x.shift
        offsets = (address & np.uint64((1 << width) - 1)).astype(np.int64) - start
        bad = (offsets < 0) | (offsets + size > extent)
        if not bad.any() or self.reporter.collector.count_if_known(("bounds", x.op)):
            return
        first = int(np.flatnonzero(bad)[0])
        lanes = lane_sets.positions(x.executing, x.n)
        thread = x.first + int(lanes[first if bad.size > 1 else 0])
        at = int(offsets[first])
        past = f"ends {in_bytes(at + size - extent)} past its end" if at >= 0 else f"begins {in_bytes(-at)} before it"
        why = f"why: the access {past}, at offset {at} of its {in_bytes(extent)}"
        notes = why, *self.executing.registers(x.op, thread)
        message = f"an access of {in_bytes(size)} outside of `{v.name}`, in memory that belongs to something else"
        self.reporter.add(("bounds", x.op), "variable-bounds", message, x.op, thread, notes=notes)
