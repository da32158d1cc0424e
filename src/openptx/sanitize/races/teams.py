"""The CTA, warp and cluster of a thread: threads of a launch are numbered CTA by CTA, clusters together."""

from __future__ import annotations

from typing import Any

import numpy as np

from openptx.array_types import Array
from openptx.engines.interp.geometry import WARP, Geometry, Shape, block_number
from openptx.errors import Triple

AGENT = 1 << 31
"""Numbers from here on are not threads but agents of asynchronous copies."""


class Teams:
    """The shape of a launch."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.threads = shape.threads
        self.warps = -(-shape.threads // WARP)
        self.ctas = shape.ctas
        self.cluster_size = shape.cluster_size
        self.count = shape.ctas * shape.threads

    def cta(self, threads: Any) -> Any:
        """The CTA of a thread, or of each thread of an array."""
        return threads // self.threads

    def warp(self, threads: Any) -> Any:
        """The warp of a thread, or of each thread of an array."""
        cta = threads // self.threads
        return cta * self.warps + (threads - cta * self.threads) // WARP

    def block_of(self, thread: int) -> Array:
        """The threads of a thread's CTA."""
        first = thread - thread % self.threads
        return np.arange(first, first + self.threads)

    def members(self, warp: int) -> range:
        """The threads of a warp."""
        cta, number = divmod(warp, self.warps)
        first = cta * self.threads
        return range(first + number * WARP, first + min((number + 1) * WARP, self.threads))

    def warp_size(self, warps: Array) -> Array:
        """The number of lanes of each warp: the last one of a CTA may have fewer."""
        return np.minimum(self.threads - warps % self.warps * WARP, WARP)

    def number(self, block: Triple, thread: Triple) -> int:
        """The thread at a position."""
        a, b, c = thread
        own = a + self.shape.block[0] * (b + self.shape.block[1] * c)
        return block_number(block, self.shape.grid, self.shape.cluster) * self.threads + own

    def place(self, thread: int) -> tuple[Triple, Triple]:
        """The block and the thread in it, as `%ctaid` and `%tid`."""
        cta, own = divmod(int(thread), self.threads)
        geometry = Geometry(self.shape, cta, 1)
        return geometry.block_of(0), geometry.thread_of(own)
