"""The device properties that Triton queries, for each compute capability that it compiles for."""

from __future__ import annotations

from openptx.errors import ArgumentError
from openptx.isa.targets import target as find
from openptx.profile.occupancy import MOST_REGISTERS, MULTIPROCESSOR_COUNTS, MULTIPROCESSORS, REGISTERS, WARP

SYSTEM_KIB = 1
"""The part of a multiprocessor's shared memory that a block cannot have (CUDA C++ Programming Guide, technical
specifications)."""


def capability(target: str) -> int:
    """90 for "sm_90" and "sm_90a". Raises ArgumentError if it is not a target, or one that Triton has no code for."""
    found = find(target)
    if found is None or found.name != target:  # `compute_90` is no name for Triton
        raise ArgumentError(f"no target `{target}`: give one such as sm_90")
    if found.number not in MULTIPROCESSOR_COUNTS:
        known = ", ".join(f"sm_{n}" for n in MULTIPROCESSOR_COUNTS)
        raise ArgumentError(f"Triton's kernels run for {known}, not {target}")
    return found.number


def properties(number: int) -> dict[str, object]:
    """The properties that Triton's own driver returns; without frequencies and bus widths."""
    return {
        "max_shared_mem": MULTIPROCESSORS[number].shared - SYSTEM_KIB << 10,
        "max_num_regs": REGISTERS,
        "multiprocessor_count": MULTIPROCESSOR_COUNTS[number],
        "warpSize": WARP,
        "max_threads_per_sm": MULTIPROCESSORS[number].warps * WARP,
        "max_registers_per_thread": MOST_REGISTERS,
    }
