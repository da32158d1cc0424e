"""How much local memory a thread needs for the frames of all functions that may be active at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from openptx.engines.common.call_site import CallSite
from openptx.engines.common.control_flow import control
from openptx.program import Reg

if TYPE_CHECKING:
    from openptx.engines.native.analysis.context import FunctionContext


class Stack(NamedTuple):
    """Local memory that a thread needs for all frames: `size` bytes at most, or the kernel's own where calls recur."""

    size: int
    recursive: bool

    @staticmethod
    def of(contexts: list[FunctionContext]) -> Stack:
        known = {c.function.name: c for c in contexts}
        depth: dict[str, int] = {}

        def below(name: str, path: frozenset[str]) -> int:
            if name in path:
                raise RecursionError
            if name not in depth:
                one = known[name]
                calls = [c for c in one.function.callees if c in known]
                depth[name] = one.local_size + max((below(c, path | {name}) for c in calls), default=0)
            return depth[name]

        kernel = contexts[0]
        try:
            indirect = any(map(calls_indirectly, contexts))
            return (
                Stack(below(kernel.function.name, frozenset()), False)
                if not indirect
                else Stack(kernel.local_size, True)
            )
        except RecursionError:
            return Stack(kernel.local_size, True)


def calls_indirectly(c: FunctionContext) -> bool:
    return any(control(op) == "call" and isinstance(CallSite(op).target, Reg) for op in c.function.code)
