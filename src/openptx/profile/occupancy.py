"""How many blocks a multiprocessor holds at a time, as far as PTX determines it: block size and shared memory.

The registers that the assembler allocates also limit it. They are unknown in PTX, except for the maximum that
`.maxntid`, `.minnctapersm` and `.maxnreg` leave each thread.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from openptx.isa.special_registers import allocation_unit
from openptx.isa.targets import number_of

WARP = 32
REGISTERS = 65536
"""32-bit registers of a multiprocessor."""
MOST_REGISTERS = 255
"""The maximum for a thread."""
SYSTEM_BYTES = 1024
"""Shared memory of each block that the system reserves, from compute capability 8.0 on."""


@dataclass(frozen=True, slots=True)
class Multiprocessor:
    """The maximum per multiprocessor: blocks, warps, kibibytes of shared memory."""

    blocks: int
    warps: int
    shared: int


# fmt: off
# CUDA C++ Programming Guide, technical specifications for each compute capability
#          compute        blocks  warps  shared
_ROWS = (
    ((50, 53),            (32,     64,     64)),
    ((52,),               (32,     64,     96)),
    ((60, 62),            (32,     64,     64)),
    ((61,),               (32,     64,     96)),
    ((70, 72),            (32,     64,     96)),
    ((75,),               (16,     32,     64)),
    ((80,),               (32,     64,    164)),
    ((86,),               (16,     48,    100)),
    ((87,),               (16,     48,    164)),
    ((89,),               (24,     48,    100)),
    ((90, 100, 103),      (32,     64,    228)),
    ((101, 110),          (24,     48,    228)),
    ((120, 121),          (24,     48,    100)),
)
# fmt: on
MULTIPROCESSORS = {number: Multiprocessor(*facts) for numbers, facts in _ROWS for number in numbers}
MULTIPROCESSOR_COUNTS = {75: 40, 80: 108, 86: 84, 89: 128, 90: 132, 100: 148, 103: 160, 120: 170}
"""Multiprocessors of the best-known product of each capability. Programs divide work by it; results do not depend on
it."""


@dataclass(frozen=True, slots=True)
class Occupancy:
    """Blocks of a launch that a multiprocessor of the target holds, by what limits them; None where it is not known.

    by_blocks           the maximum number of blocks of any size
    by_warps            the number of blocks whose warps fit
    by_shared_memory    the number of blocks whose shared memory fits
    registers_allowed   the maximum number of registers of a thread by the kernel's own directives
    """

    by_blocks: int | None
    by_warps: int | None
    by_shared_memory: int | None
    registers_allowed: int

    @property
    def blocks(self) -> int | None:
        """The smallest limit."""
        known = [n for n in (self.by_blocks, self.by_warps, self.by_shared_memory) if n is not None]
        return min(known) if known else None


def occupancy(target: str, threads: int, shared: int, directives: Mapping[str, tuple[int, ...]]) -> Occupancy:
    """The occupancy for blocks of this many threads with this many bytes of shared memory, static and dynamic."""
    number = number_of(target)
    machine, allowed = MULTIPROCESSORS.get(number), registers_allowed(directives)
    if machine is None:
        return Occupancy(None, None, None, allowed)
    unit = allocation_unit(target)
    taken = -(-(shared + (SYSTEM_BYTES if number >= 80 else 0)) // unit) * unit
    return Occupancy(
        machine.blocks,
        machine.warps // -(-threads // WARP),
        (machine.shared << 10) // taken if taken else machine.blocks,
        allowed,
    )


def registers_allowed(directives: Mapping[str, tuple[int, ...]]) -> int:
    """The registers that `.maxnreg`, and `.maxntid` or `.reqntid` with `.minnctapersm`, leave a thread, in units of
    8."""
    threads = math.prod(directives.get("maxntid") or directives.get("reqntid") or (1,))
    warps = -(-threads // WARP) * (directives.get("minnctapersm") or (1,))[0]
    most = min(REGISTERS // (warps * WARP) // 8 * 8, MOST_REGISTERS)
    return min(most, *(directives.get("maxnreg") or (most,)))
