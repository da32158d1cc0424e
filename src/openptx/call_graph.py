"""The call graph of a kernel: the functions that it may call, indirect calls, and the local memory of all frames that
may be active at the same time."""

from __future__ import annotations

from collections.abc import Iterator

from openptx.control_flow import control_instructions
from openptx.errors import Unsupported
from openptx.program import Function, Op, Program, Reg

FRAME_ALIGN = 16


def reachable_functions(program: Program, *names: str, launches: bool = False) -> Iterator[Function]:
    """Kernels and functions, and those that they may call: if they call by address, all whose address the module takes.
    With `launches` also kernels that they may launch.
    """
    known = {*program.functions, *(program.kernels if launches else ())}
    seen, waiting = {*names}, [*names]
    while waiting:
        try:
            function = program.function(waiting.pop())
        except Unsupported:  # the call reports it
            continue
        yield function
        more = {name for name in function.callees if name in known}
        if calls_indirectly(function):
            more.update(program.address_taken)
        more -= seen
        seen |= more
        waiting += sorted(more)


def calls_by_address(op: Op) -> bool:
    return op.form.instruction.control == "call" and any(isinstance(operand, Reg) for operand in op.operands)


def calls_indirectly(function: Function) -> bool:
    """Whether the kernel calls functions by address."""
    return any(calls_by_address(op) for _, op in control_instructions(function))


def reached_directly(program: Program, kernel: Function) -> set[str] | None:
    """Names of the kernel and of all functions that it may call; None if it calls by address, so that the
    rest of the module decides."""
    found = set[str]()
    for function in reachable_functions(program, kernel.name):
        if calls_indirectly(function):
            return None
        found.add(function.name)
    return found


def stack_bytes(program: Program, kernel: Function) -> int | None:
    """Bytes of local memory that a thread needs for the deepest chain of direct calls; None if calls are recursive.
    Depth-first with an explicit stack, because a chain may exceed Python's recursion limit.
    """
    known: dict[str, int] = {}
    waiting, above = [kernel], set[str]()
    while waiting:
        function = waiting[-1]
        if function.name in known:
            waiting.pop()
            continue
        callees = [name for name in function.callees if name in program.functions]
        if function.name not in above:
            above.add(function.name)
            if not above.isdisjoint(callees):
                return None
            waiting += [program.function(name) for name in callees if name not in known]
            continue
        deepest = max((known[name] for name in callees), default=0)
        known[function.name] = -(-function.frame_size // FRAME_ALIGN) * FRAME_ALIGN + deepest
        above.discard(function.name)
        waiting.pop()
    return known[kernel.name]
