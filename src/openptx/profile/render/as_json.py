"""A profile as JSON (docs/profile.md describes every field)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from openptx.profile.counted_launch import class_of
from openptx.profile.operand_costs import costliest
from openptx.profile.render.nsight import totals

if TYPE_CHECKING:
    from openptx.errors import Fault
    from openptx.profile.counted_launch import CountedLaunch
    from openptx.profile.counters import Counters, MemoryCounters
    from openptx.profile.examples import Example
    from openptx.profile.flow import BasicBlock, FunctionFlow
    from openptx.profile.lines import Instruction, LaunchShape, Line, Place
    from openptx.profile.operand_costs import OperandCost

SCHEMA = "openptx-profile-1"
ROW = 128
"""Bytes of one word in each bank of shared memory, and of four sectors."""
Json = dict[str, Any]


def as_json(profile: CountedLaunch) -> Json:
    """The profile in objects that `json.dumps` takes."""
    return {
        "schema": SCHEMA,
        "kernel": profile.kernel,
        "filename": profile.file,
        "target": profile.target,
        "ended": profile.ended,
        "fault": of_fault(profile.fault),
        "notes": list(profile.notes),
        "launch": of_launch(profile.launch),
        "totals": totals(profile),
        "counters": of_counters(profile.counters),
        "registers_live": profile.live,
        "occupancy": of_occupancy(profile),
        "findings": [
            {
                "kind": f.kind,
                "filename": f.file,
                "lines": list(f.lines),
                "message": f.message,
                "cure": f.cure,
                "waste": round(f.waste, 3),
            }
            for f in profile.findings
        ],
        "lines": [of_line(line) for line in profile.lines],
        "instructions": [of_instruction(each) for each in profile.instructions],
        "functions": [of_function(function) for function in profile.functions],
        "classes": [
            {"class": each.name, "warps": each.warps, "active_threads": each.active} for each in profile.classes
        ],
        "operand_costs": [of_operand_cost(each) for each in profile.operand_costs],
    }


def of_launch(launch: LaunchShape) -> Json:
    return {
        "grid": list(launch.grid),
        "block": list(launch.block),
        "cluster": list(launch.cluster) if launch.cluster else None,
        "shared_memory": {"static": launch.static, "dynamic": launch.dynamic},
        "blocks": launch.all_blocks,
        "blocks_executed": launch.blocks,
    }


def of_fault(fault: Fault | None) -> Json | None:
    if fault is None:
        return None
    place = None
    if fault.file is not None and fault.span is not None:
        row, column = fault.file.location(fault.span[0])
        place = {"row": row, "column": column}
    return {
        "code": fault.code,
        "name": fault.name,
        "message": fault.message,
        "block": list(fault.block) if fault.block else None,
        "thread": list(fault.thread) if fault.thread else None,
        "location": place,
    }


def of_occupancy(profile: CountedLaunch) -> Json:
    found = profile.occupancy
    return {
        "limit_blocks": found.by_blocks,
        "limit_warps": found.by_warps,
        "limit_shared_memory": found.by_shared_memory,
        "blocks": found.blocks,
        "registers_allowed": found.registers_allowed,
    }


def of_counters(counters: Counters) -> Json:
    return {
        "warps": counters.warps,
        "threads": counters.threads,
        "active_threads": counters.active,
        "mean_active_lanes": round(counters.mean_active, 3),
        "branches": counters.branches,
        "divergent_branches": counters.divergent,
        "barrier_wait": counters.waited,
        "tensor_steps": counters.tensor_steps,
        "memory": [of_memory(*kind, counted) for kind, counted in sorted(counters.memory.items())],
    }


def of_memory(space: str, kind: str, width: int, counted: MemoryCounters) -> Json:
    shared = space == "shared"
    return {
        "space": space,
        "op": kind,
        "width": width,
        "requests": counted.requests,
        "lanes": counted.lanes,
        "bytes": counted.bytes,
        "sectors": None if shared else counted.sectors,
        "ideal_sectors": None if shared else counted.ideal,
        "wavefronts": counted.wavefronts if shared else None,
        "ideal_wavefronts": counted.ideal if shared else None,
        "bank_conflicts": counted.conflicts if shared else None,
        "collisions": counted.collisions if kind in ("red", "atom") else None,
        "example": of_example(counted.example) if counted.example else None,
    }


def of_example(example: Example) -> Json:
    """Addresses are relative to a multiple of 128 bytes, so that banks and sectors are visible in them."""
    base = min(address for address in example.addresses if address is not None) & -ROW
    return {
        "base": f"{base:#x}",
        "offsets": [None if address is None else address - base for address in example.addresses],
        "size": example.size,
        "taken": example.cost.taken,
        "ideal": example.cost.ideal,
    }


def of_function(function: FunctionFlow) -> Json:
    return {"function": function.name, "kind": function.kind, "blocks": [of_block(block) for block in function.blocks]}


def of_block(block: BasicBlock) -> Json:
    return {
        "start": block.start,
        "stop": block.stop,
        "label": block.label,
        "warps": block.warps,
        "threads": block.threads,
        "divergent_branches": block.divergent,
        "edges": [{"kind": edge.kind, "to": edge.to, "threads": edge.threads} for edge in block.edges],
    }


def of_operand_cost(found: OperandCost) -> Json:
    cost = found.cost
    return {
        "space": found.space,
        "reads": found.reads,
        "clocks": cost.clocks,
        "more": cost.more,
        "note": cost.note or None,
    }


def of_place(place: Place) -> Json:
    file, row, column = place
    return {"filename": file, "row": row, "column": column}


def of_line(line: Line) -> Json:
    return {"filename": line.file, "line": line.line, "text": line.text, "counters": of_counters(line.counters)}


def of_instruction(each: Instruction) -> Json:
    return {
        "function": each.function,
        "text": each.text,
        "class": class_of(each),
        "location": of_place(each.at),
        "source": [of_place(place) for place in each.source],
        "registers_live": each.live,
        "operand_cost": of_operand_cost(costliest_operand) if (costliest_operand := costliest(each)) else None,
        "counters": of_counters(each.counters),
    }
