"""The call graph of a kernel: indirect calls, and the local memory of all frames that may be active at the same
time."""

from __future__ import annotations

from openptx.control_flow import control
from openptx.engines.common.call_site import CallSite
from openptx.program import Function, Program, Reg

FRAME_ALIGN = 16


def calls_indirectly(function: Function) -> bool:
    """Whether the kernel calls functions by address."""
    return any(control(op) == "call" and isinstance(CallSite(op).target, Reg) for op in function.code)


def reached(program: Program, function: Function) -> set[str] | None:
    """Names of the kernel and of all functions that it may call; None if it calls by address, and so may call any."""
    found, waiting = {function.name}, [function]
    while waiting:
        one = waiting.pop()
        if calls_indirectly(one):
            return None
        for name in one.callees & {*program.functions}:
            if name not in found:
                found.add(name)
                waiting.append(program.function(name))
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
