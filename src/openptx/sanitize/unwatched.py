"""What a kernel does that no tool watches: a run says so, rather than let silence pass for a clean result."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from openptx.isa.instructions import multimem, surface, tensor_memory, tensor_multiply

if TYPE_CHECKING:
    from openptx.isa.notation import Instruction
    from openptx.program import Function, Op, Program

# Reads without a write race with nothing; what a texture reads is written through surfaces.
RACES: dict[str, frozenset[Instruction]] = {
    "surfaces": frozenset((surface.sust, surface.sust_p, surface.sured, surface.sured_p)),
    "multimem addresses": frozenset(
        (
            multimem.multimem_ld_reduce, multimem.multimem_st, multimem.multimem_red,
            multimem.multimem_cp_async_bulk, multimem.multimem_cp_reduce_async_bulk,
        )
    ),
    "tensor memory": frozenset(
        (
            tensor_memory.st, tensor_memory.cp, tensor_memory.shift,
            tensor_multiply.mma, tensor_multiply.mma_sp, tensor_multiply.mma_ws, tensor_multiply.mma_ws_sp,
        )
    ),
}  # fmt: skip
"""Memory without shadow cells, and the instructions that write it."""


def unwatched(program: Program, kernel: Function, tools: frozenset[str]) -> Iterator[str]:
    """A sentence for each kind of memory in which races are not watched although the kernel may write it."""
    if "race" not in tools:
        return
    ops = [op for function in reachable(program, kernel) for op in function.code]
    for memory, writes in RACES.items():
        first = next((op for op in ops if op.form.instruction in writes), None)
        if first is not None:
            yield f"races in {memory} are not watched, which line {line(program, first)} writes: `{first.text}`"


def reachable(program: Program, kernel: Function) -> Iterator[Function]:
    """The kernel and all functions that it may call, also by their addresses."""
    found, waiting = {kernel.name}, [kernel]
    while waiting:
        function = waiting.pop()
        yield function
        more = sorted(function.callees & {*program.functions} - found)
        found.update(more)
        waiting += map(program.function, more)


def line(program: Program, op: Op) -> int:
    return program.file.location(op.span[0])[0]
