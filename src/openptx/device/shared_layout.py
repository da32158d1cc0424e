"""The layout of a kernel's shared memory: the variables that it and the functions it may call use, then dynamic memory.

Each kernel has its own layout, so a CTA has only the memory its kernel needs, an access outside the kernel's variables
is an access outside the CTA's memory, and descriptors of matrices (18 bits) reach all of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from openptx.call_graph import reachable_functions
from openptx.program import Address, Op, Operand, Program, SharedLayout, Symbol, Variable, Vector
from openptx.source import Span

DYNAMIC_ALIGN = 16

NAMING = frozenset((Address, Symbol, Vector))
"""The operands that may name a variable: most are registers and numbers."""


def shared_layout(program: Program, kernel: str) -> SharedLayout:
    """The layout of a kernel. Memory reserved for the system comes first, in modules that read its location."""
    found = program.layouts.get(kernel)
    if found is None:
        found = program.layouts[kernel] = laid_out(program.reserved_shared, shared_variables(program, kernel))
    return found


def laid_out(reserved: int, variables: set[Variable]) -> SharedLayout:
    """Static variables in text order."""
    offsets: dict[tuple[str, Span], int] = {}
    end, align = reserved, DYNAMIC_ALIGN
    for v in sorted(variables, key=lambda v: (v.span, len(v.name), v.name)):
        if v.linkage == "extern":
            align = max(align, v.align)
            continue
        offsets[v.name, v.span] = begin = -(-end // v.align) * v.align
        end = begin + v.size
    names_dynamic = any(v.linkage == "extern" for v in variables)
    return SharedLayout(offsets, end, -(-end // align) * align, names_dynamic)


def shared_variables(program: Program, kernel: str) -> set[Variable]:
    """The shared variables that a kernel and the functions it may call declare or use."""
    found = set[Variable]()
    for function in reachable_functions(program, kernel):
        found.update(function.shared)
        found.update(variables_of(function.code))
    return found


def variables_of(code: Iterable[Op]) -> Iterator[Variable]:
    """The shared variables that instructions use."""
    waiting: list[Operand | None] = [each for op in code for each in op.operands if type(each) in NAMING]
    while waiting:
        operand = waiting.pop()
        if isinstance(operand, Address):
            waiting += [operand.base, *operand.parts]
        elif isinstance(operand, Vector):
            waiting += operand.elements
        elif isinstance(operand, Symbol) and operand.variable.space == "shared":
            yield operand.variable
