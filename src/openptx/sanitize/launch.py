"""A launch on the reference engine whose batches report to the sanitizer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from openptx.engines.interp.geometry import Geometry
from openptx.engines.interp.launch import Launch, pieces
from openptx.sanitize.batch import SanitizedBatch
from openptx.sanitize.defined_memory import DefinedMemory
from openptx.sanitize.machine import SanitizedThreads
from openptx.sanitize.schedule import MOST_BATCHES

if TYPE_CHECKING:
    from openptx.sanitize.session import Session


@dataclass(frozen=True, slots=True)
class SanitizedLaunch(Launch):
    session: Session

    def batch(self, first: int, count: int) -> SanitizedBatch:
        machine = DefinedMemory if self.session.tracks else SanitizedThreads
        x = machine(Geometry(self.shape, first, count), self.memory, self.image, self.session)
        batch = SanitizedBatch(self.program, self.session.decoded(self.function), x, self.limits, self.session)
        self.session.waits.begin(batch)
        return batch

    def pieces(self, ctas: range) -> Iterator[tuple[int, int]]:
        order, size = self.session.order, self.shape.cluster_size
        if order is None or len(ctas) // size > MOST_BATCHES:
            return Launch.pieces(self, ctas)
        return iter(order.permutation(list(pieces(ctas, size))).tolist())
