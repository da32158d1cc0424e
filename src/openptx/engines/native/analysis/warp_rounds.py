"""Warp rounds: in a loop over the grid's stride, all warps of a CTA run one iteration before any runs the next.

The next iteration of such a loop is as far away in memory as the whole grid is wide, so a warp that ran its loop alone
would read one row of lanes here and another there, and caches and processor foresee nothing. The rows of a CTA's warps
lie side by side. So a warp waits for the others where it goes back to the loop's beginning, at a barrier that is added
behind the function's code, where no position changes. It orders what kernels leave open; kernels in which threads may
wait for others in any way of their own are left as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from openptx.control_flow import END, control, converges, falls_through, targets
from openptx.engines.native.analysis.cfg import Block
from openptx.engines.native.analysis.context import FunctionContext
from openptx.engines.native.analysis.spin_loops import slice_back
from openptx.isa.instructions.barrier import bar
from openptx.isa.memory_consistency import strong
from openptx.program import Function, Imm, Op, Special, Target

OF_GRID = "nctaid"
"""The special register from which the grid's stride is computed."""
OF_CTA = frozenset(("shared", "shared::cta", "local", "param", "const", "frame"))
"""Spaces whose data does not lie in rows that warps of a CTA share."""


def in_rounds(c: FunctionContext) -> Function | None:
    """The kernel with a barrier in its loop over the grid's stride; None if it has no such loop, or several."""
    if not may_be_in_rounds(c):
        return None
    loops = [(c.graph.blocks[s], b) for b in c.graph.blocks for s in b.successors if s != END and s <= b.index]
    found = [(first, last) for first, last in loops if has_stride_of_grid(c, first, last)]
    if len(found) != 1 or any(overlap(*found[0], *other) for other in loops if other != found[0]):
        return None
    ((first, last),) = found
    return with_barrier(c.function, last.stop - 1, first.start)


def may_be_in_rounds(c: FunctionContext) -> bool:
    """Whether a kernel has several warps that never wait for each other, and room behind its code for a barrier."""
    options, code = c.options, c.function.code
    if c.is_function or c.warps == 1 or options.baseline or options.watched or options.deoptimize_after:
        return False
    if not any(map(reads_grid, code)) or any(map(may_wait, code)) or falls_through(code[-1]):
        return False
    return all(goal != len(code) for op in code for goal in targets(op))


def reads_grid(op: Op) -> bool:
    return any(isinstance(o, Special) and o.name.startswith(OF_GRID) for o in op.operands)


def may_wait(op: Op) -> bool:
    """Whether threads may wait for each other at an instruction, or by what it does to memory."""
    if control(op) is not None:
        return control(op) not in ("branch", "return", "exit")
    instruction = op.form.instruction
    return converges(op) or instruction.across_lanes or instruction.access == "update" or strong(op.m)


def overlap(first: Block, last: Block, other_first: Block, other_last: Block) -> bool:
    return first.index <= other_last.index and other_first.index <= last.index


def has_stride_of_grid(c: FunctionContext, first: Block, last: Block) -> bool:
    """Whether a loop that lanes leave only to end accesses memory at addresses that advance by a multiple of the grid's
    width, and control comes back from one place."""
    inside = c.graph.blocks[first.index : last.index + 1]
    if any(s != END and not first.index <= s <= last.index for b in inside for s in b.successors):
        return False
    pcs = list(range(first.start, last.stop))
    if not any(map(accesses_rows, c.function.code[first.start : last.stop])):
        return False
    written = frozenset[int]().union(*(c.graph.writes(b.index) for b in inside))
    return any(is_grids(c, step) for step in steps(c, pcs, first.live_in & written & c.address_cells, written))


def accesses_rows(op: Op) -> bool:
    return op.form.instruction.access in ("load", "store") and op.m.space not in OF_CTA


def steps(c: FunctionContext, pcs: list[int], carried: frozenset[int], written: frozenset[int]) -> Iterator[set[int]]:
    """For each register that one iteration leaves to the next, those from before the loop that change it."""
    for cell in sorted(carried):
        yield slice_back(c.graph, pcs, {cell}) - written


def is_grids(c: FunctionContext, cells: set[int]) -> bool:
    """Whether the grid's width is among what registers are computed from."""
    code = c.function.code
    found = slice_back(c.graph, list(range(len(code))), cells)
    return any(reads_grid(op) and c.cells.writes(op) & found for op in code)


def with_barrier(function: Function, pc: int, goal: int) -> Function:
    """The branch at `pc` goes to its `goal` by way of a barrier behind the code."""
    code = function.code
    branch, end = code[pc], len(code)
    to_barrier = replace(branch, operands=tuple(Target(end) if o == Target(goal) else o for o in branch.operands))
    back = replace(branch, guard=None)
    form, m = next((form, m) for form in bar.forms if (m := form.match(("sync",))) is not None)
    operands = tuple(Imm(0, 32) if template.name == "a" else None for template in form.operands)
    kinds = tuple(t if o is not None else None for t, o in zip(form.types(m), operands, strict=True))
    barrier = Op(form, m, None, operands, kinds, branch.span, branch.text, branch.line)
    return replace(function, code=(*code[:pc], to_barrier, *code[pc + 1 :], barrier, back))
