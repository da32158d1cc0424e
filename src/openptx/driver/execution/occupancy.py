"""How many blocks of a kernel a multiprocessor holds (CUDA Driver API, Occupancy), as far as PTX determines it.

Registers are those of `functions.registers`, an estimate: the assembler decides how many a thread uses.
"""

from __future__ import annotations

import ctypes
import math

from openptx.driver.calls import initialized, invalid, put_int, put_size
from openptx.driver.devices.attributes import attributes
from openptx.driver.execution.functions import MAX_DYNAMIC, MAX_THREADS, OPT_IN, attribute, registers, static_shared
from openptx.driver.modules.module import Function
from openptx.driver.objects import driver
from openptx.profile.occupancy import MULTIPROCESSORS, REGISTERS, SYSTEM_BYTES, WARP, occupancy

MULTIPROCESSOR_COUNT = 16
"""An attribute of the device."""
REGISTER_UNIT = 256
"""The granularity of register allocation to a warp."""
DISABLE_CACHING_OVERRIDE = 1
"""CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE, which has no effect here."""
ITS_SIZE = ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_int)
"""CUoccupancyB2DSize: the bytes of dynamic shared memory of a block with this many threads."""


def blocks_of(found: Function, threads: int, dynamic: int) -> int:
    """How many blocks of this many threads a multiprocessor holds; 0 if not even one fits."""
    capability = driver().capability
    static = static_shared(found.kernel)
    if not 0 < threads <= attribute(found, MAX_THREADS) or static + dynamic > attributes(capability)[OPT_IN]:
        return 0
    fitting = occupancy(f"sm_{capability}", threads, static + dynamic, found.kernel.function.directives).blocks
    warp = -(-max(registers(found.kernel), 1) * WARP // REGISTER_UNIT) * REGISTER_UNIT
    by_registers = REGISTERS // warp // -(-threads // WARP)
    return by_registers if fitting is None else min(fitting, by_registers)


def most_together(found: Function, threads: int, dynamic: int) -> int:
    """How many blocks the whole device holds: the largest cooperative launch."""
    return attributes(driver().capability)[MULTIPROCESSOR_COUNT] * blocks_of(found, threads, dynamic)


@initialized("cuOccupancyMaxActiveBlocksPerMultiprocessor", "cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags")
def most_blocks(out: int, function: Function, threads: int, dynamic: int, flags: int = 0) -> None:
    if threads <= 0 or flags & ~DISABLE_CACHING_OVERRIDE:
        raise invalid(f"blocks of {threads} threads, with flags {flags}")
    put_int(out, blocks_of(function, threads, dynamic))


@initialized("cuOccupancyAvailableDynamicSMemPerBlock")
def dynamic_left(out: int, function: Function, blocks: int, threads: int) -> None:
    capability = driver().capability
    machine = MULTIPROCESSORS.get(capability)
    if blocks <= 0 or threads <= 0 or machine is None or blocks_of(function, threads, 0) < blocks:
        raise invalid(f"{blocks} blocks of {threads} threads do not fit")
    system = SYSTEM_BYTES if capability >= 80 else 0
    share = (machine.shared << 10) // blocks // 128 * 128 - system
    most = max(attribute(function, MAX_DYNAMIC), 0)
    put_size(out, max(min(min(share, attributes(capability)[OPT_IN]) - static_shared(function.kernel), most), 0))


@initialized("cuOccupancyMaxPotentialBlockSize", "cuOccupancyMaxPotentialBlockSizeWithFlags")
def best_block(
    grid: int, block: int, function: Function, size_of: int, dynamic: int, limit: int, flags: int = 0
) -> None:
    """The block size with the maximum number of resident warps, the largest if there are several, and a grid that fills
    the device."""
    size = ITS_SIZE(size_of) if size_of else None

    def needs(threads: int) -> int:
        return dynamic if size is None else size(threads)

    most = min(limit or math.inf, attribute(function, MAX_THREADS))
    sizes = range(WARP, int(most) + 1, WARP) or range(int(most), int(most) + 1)
    best = max(sizes, key=lambda threads: (blocks_of(function, threads, needs(threads)) * threads, threads))
    if not blocks_of(function, best, needs(best)):
        raise invalid(f"no block of kernel `{function.kernel.name}` fits")
    put_int(grid, most_together(function, best, needs(best)))
    put_int(block, best)
