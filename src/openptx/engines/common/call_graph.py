"""The call graph of a kernel: indirect calls, and the local memory of all frames that may be active at the same
time."""

from __future__ import annotations

from openptx.device.shared_layout import calls_by_address, reachable_functions
from openptx.program import Function, Program

FRAME_ALIGN = 16


def calls_indirectly(function: Function) -> bool:
    """Whether the kernel calls functions by address."""
    return any(map(calls_by_address, function.code))


def reached_directly(program: Program, kernel: Function) -> set[str] | None:
    """Names of the kernel and of all functions that it may call; None if it calls by address, and so may call any."""
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
