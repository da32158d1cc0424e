"""Loops whose trip count may depend on the order in which threads execute atomics: counts of such a kernel apply to one
order."""

from __future__ import annotations

from collections.abc import Iterator

from openptx.call_graph import calls_by_address, reachable_functions
from openptx.control_flow import control, is_written
from openptx.engines.native.analysis.cfg import Cells, Graph
from openptx.engines.native.analysis.spin_loops import cycles, guard_cells, slice_back
from openptx.isa.memory_consistency import strong
from openptx.program import FunctionName, Op, Program

OWN = frozenset(("local", "frame", "generic"))
"""The space in which unoptimised code keeps its variables."""


def kernel_depends_on_order(program: Program, kernel: str) -> bool:
    """Whether counts of a kernel, or of a function that it may call, may depend on the order of threads."""
    functions = [*reachable_functions(program, kernel)]
    if not any(is_answered(op) for f in functions for op in f.code):
        return False
    return any(depends_on_order(program, Graph(f, Cells(f), (), False)) for f in functions)


def depends_on_order(program: Program, graph: Graph) -> str:
    """Why counts of a function may depend on the order of threads; "" if they do not."""
    code = graph.function.code
    for cycle in cycles(graph.blocks):
        pcs = [pc for b in sorted(cycle) for pc in range(graph.blocks[b].start, graph.blocks[b].stop)]
        suspects = [
            pc for pc in pcs if is_answered(code[pc]) or any(map(is_answered, reachable_ops(program, code[pc])))
        ]
        if not suspects:
            continue
        decides = slice_back(graph, pcs, {cell for pc in pcs for cell in guard_cells(graph, pc)})
        through_memory = any(
            code[pc].form.instruction.access == "load"
            and code[pc].m.space in OWN
            and graph.cells.writes(code[pc]) & decides
            for pc in pcs
        )
        for pc in suspects:
            if through_memory or graph.cells.writes(code[pc]) & decides:
                return f"a loop that depends on what other threads do, at `{code[pc].one_line}`"
    return ""


def is_answered(op: Op) -> bool:
    """Whether an instruction may return values that other threads have written meanwhile: atomics, strong loads."""
    shared = op.form.instruction.access == "update" or strong(op.m)
    return shared and any(is_written(op, i) for i in range(len(op.operands)))


def reachable_ops(program: Program, op: Op) -> Iterator[Op]:
    """All operations that a call may execute; none for other instructions."""
    if control(op) != "call":
        return
    if calls_by_address(op):
        names = [*program.address_taken]
    else:
        names = [o.name for o in op.operands if isinstance(o, FunctionName) and o.name in program.functions]
    for name in names:
        for function in reachable_functions(program, name):
            yield from function.code
