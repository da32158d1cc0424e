"""The machine of a profiled execution: it records the accesses of the meanings of `wmma.load` and `.store`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from openptx.engines.interp.machine import Threads
from openptx.numerics import Bits

Traced = tuple[str, NDArray[Any], int]
"""A space, the addresses of the executing lanes in it, and the bytes that each of them accesses."""


class ProfiledThreads(Threads):
    """`trace` collects the accesses of the executing instruction, if it is not None."""

    trace: list[Traced] | None = None

    def load(self, space: str, address: Bits, w: int, count: int = 1) -> tuple[Bits, ...]:
        if self.trace is not None:
            self.trace.append((space, address.v, w * count >> 3))
        return super().load(space, address, w, count)

    def store(self, space: str, address: Bits, values: Sequence[Bits]) -> None:
        if self.trace is not None:
            self.trace.append((space, address.v, values[0].width * len(values) >> 3))
        super().store(space, address, values)
