"""Memory operations that no tool checks. A run lists them, because silence would look like a clean result."""

from __future__ import annotations

from collections.abc import Iterator

from openptx.call_graph import reachable_functions
from openptx.isa.instructions import multimem, surface
from openptx.isa.notation import Instruction
from openptx.program import Function, Program

# Reads of surfaces are not listed, nor are textures: both race only with writes of surfaces.
UNWATCHED: dict[str, frozenset[Instruction]] = {
    "surfaces": frozenset((surface.sust, surface.sust_p, surface.sured, surface.sured_p)),
    "multimem addresses": frozenset(
        (
            multimem.multimem_ld_reduce, multimem.multimem_st, multimem.multimem_red,
            multimem.multimem_cp_async_bulk, multimem.multimem_cp_reduce_async_bulk,
        )
    ),
}  # fmt: skip
"""Memory without shadow cells, and the instructions whose accesses to it may race."""


def unwatched_races(program: Program, kernel: Function, tools: frozenset[str]) -> Iterator[str]:
    """A sentence for each kind of memory in which races are not watched although the kernel may have some."""
    if "race" not in tools:
        return
    ops = [op for function in reachable_functions(program, kernel.name) for op in function.code]
    for memory, instructions in UNWATCHED.items():
        first = next((op for op in ops if op.form.instruction in instructions), None)
        if first is not None:
            line = program.file.location(first.span[0])[0]
            yield f"races in {memory} are not watched: line {line}, `{first.text}`"
