"""How much local memory a thread needs for the frames of all functions that may be active at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from openptx.engines.native.body import Body


class Stack(NamedTuple):
    """Local memory that a thread needs for all frames: `size` bytes at most, or the kernel's own where calls recur."""

    size: int
    recursive: bool

    @staticmethod
    def of(bodies: list[Body]) -> Stack:
        known = {b.function.name: b for b in bodies}
        depth: dict[str, int] = {}

        def below(name: str, path: frozenset[str]) -> int:
            if name in path:
                raise RecursionError
            if name not in depth:
                b = known[name]
                calls = [c for c in b.function.callees if c in known]
                depth[name] = b.local_size + max((below(c, path | {name}) for c in calls), default=0)
            return depth[name]

        kernel = bodies[0]
        try:
            indirect = any(b.calls_indirectly() for b in bodies)
            return (
                Stack(below(kernel.function.name, frozenset()), False)
                if not indirect
                else Stack(kernel.local_size, True)
            )
        except RecursionError:
            return Stack(kernel.local_size, True)
