"""The allocations at the addresses of a launch, so that pointers of two launches can be compared by their targets."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from openptx.engines.common.engine import PreparedLaunch
from openptx.isa.address_windows import window

MARGIN = 1 << 20
"""Bytes around a region: compilers compute pointers before the start of an array, or after its end."""


@dataclass(frozen=True, slots=True)
class Regions:
    """Arrays, variables and functions by generic address: base, size in bytes, name. `width` is that of a pointer."""

    rows: tuple[tuple[int, int, str], ...] = ()
    width: int = 64

    def target(self, address: int) -> tuple[str, int] | None:
        """The target of a pointer, or the region next to it: a name, and the offset in bytes. None if it is not an
        address."""
        i = bisect_right(self.rows, (address, 1 << 64, ""))
        for base, size, name in (*self.rows[max(i - 1, 0) : i], *self.rows[i : i + 1]):
            if -MARGIN <= address - base <= size + MARGIN:
                return name, address - base
        return None


def regions(prepared: PreparedLaunch) -> Regions:
    """The regions of a launch: its arguments, and the variables and functions of its module."""
    image = prepared.image
    bases = {place.base for place in image.allocations.values()}
    names = {f"`{name}`" for name in image.program.variables}
    rows = [
        (a.base, a.size, a.name) for a in prepared.memory.allocations() if a.base in bases or a.name not in names
    ]  # without other modules' variables of the same name
    size = image.program.address_size
    bank = window("const", size)
    rows = [row for row in rows if row[0] != bank]
    for name, variable in image.program.variables.items():
        if variable.space == "const" and name in image.addresses:
            rows.append((bank + image.addresses[name], variable.size, f"`{name}`"))
    rows += [(address, 0, f"function `{name}`") for name, address in image.functions.items()]
    return Regions(tuple(sorted(rows)), size)
