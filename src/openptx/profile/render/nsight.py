"""The counters of a launch under the names that Nsight Compute has for them.

Memory counters have the same definitions. If the assembler merges, widens or removes accesses, an H100 counts those of
the machine code, and this module those of the PTX. Executed instructions have no such name, because a PTX instruction
is not a machine instruction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from openptx.profile.counters import of_space

if TYPE_CHECKING:
    from openptx.profile.counted_launch import CountedLaunch
    from openptx.profile.counters import Counters


def totals(profile: CountedLaunch) -> dict[str, int]:
    """Counter by name."""
    launch, occupancy = profile.launch, profile.occupancy
    found = {
        "launch__grid_size": launch.all_blocks,
        "launch__block_size": launch.threads,
        "launch__shared_mem_per_block_static": launch.static,
        "launch__shared_mem_per_block_dynamic": launch.dynamic,
        "sm__ctas_launched.sum": launch.blocks,
        "smsp__warps_launched.sum": launch.warps,
        **memory(profile.counters),
        "smsp__sass_branch_targets.sum": profile.counters.branches,
        "smsp__sass_branch_targets_threads_divergent.sum": profile.counters.divergent,
    }
    limits = {
        "launch__occupancy_limit_blocks": occupancy.by_blocks,
        "launch__occupancy_limit_warps": occupancy.by_warps,
        "launch__occupancy_limit_shared_mem": occupancy.by_shared_memory,
    }
    return found | {name: limit for name, limit in limits.items() if limit is not None}


def memory(counters: Counters) -> dict[str, int]:
    """The counters of the load/store unit."""
    found: dict[str, int] = {}
    for space, kinds in ("global", ("ld", "st", "red", "atom")), ("local", ("ld", "st")):
        for kind in kinds:
            counted = of_space(counters, space, kind)
            found[f"l1tex__t_requests_pipe_lsu_mem_{space}_op_{kind}.sum"] = counted.requests
            found[f"l1tex__t_sectors_pipe_lsu_mem_{space}_op_{kind}.sum"] = counted.sectors
    for kind in ("ld", "st", "atom"):
        counted = of_space(counters, "shared", kind)
        if kind == "atom":
            counted.add(of_space(counters, "shared", "red"))
        found[f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{kind}.sum"] = counted.wavefronts
        found[f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{kind}.sum"] = counted.conflicts
    return found
