"""The activation's frame in each thread's local memory."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from openptx.engines.native.analysis.lattice import ZEROS
from openptx.engines.native.emit.scope import Scope
from openptx.numerics import Bits


class LocalFrame:
    def __init__(self, scope: Scope) -> None:
        self.x, self.c = scope.x, scope.c
        self.base: Bits | None = None
        """Where it begins; None: at 0."""
        self._limit: Bits | None = None

    def begin_block(self) -> None:
        if self.c.is_function:
            self.base = self.x.bits("%base", 64, ZEROS, 4)

    def top(self) -> Bits:
        """Where frames of callees begin."""
        size = self.x.const(self.c.local_size, 64)
        return size if self.base is None else self.base + size

    def limit(self) -> str:
        """Where the local memory ends that may be accessed here."""
        return self.x.scalar(self._limit if self._limit is not None else self.top())

    @contextmanager
    def within(self, limit: Bits) -> Generator[None]:
        """Accesses to frames of callees, which lie above our own."""
        outer, self._limit = self._limit, limit
        yield
        self._limit = outer
