"""Which bits of tensor memory are defined: those that were written since their columns were allocated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from openptx.isa.semantics.tensor_memory import COLUMNS, LANES
from openptx.numerics import Bits
from openptx.sanitize.races.tensor_memory import WatchedTensorMemory
from openptx.sanitize.undefined_bits.masked import EVERYTHING, Masked, Use, mask

if TYPE_CHECKING:
    from openptx.sanitize.undefined_bits.defined_memory import DefinedMemory


class DefinedTensorMemory(WatchedTensorMemory):
    """Reads return undefined bits, writes make bits defined."""

    def __init__(self, x: DefinedMemory) -> None:
        super().__init__(x)
        self.x: DefinedMemory = x
        places = x.geometry.count, LANES, COLUMNS
        self.undefined = np.full(places, EVERYTHING[32], np.uint32)
        self.used = np.zeros(places, np.int32)
        """By word, how undefined bits were used before they were written: the statement and its `Use`, as `1 +
        statement * len(Use) + use`; 0 where nothing was written."""

    def forget(self, cta: int, columns: slice) -> None:
        super().forget(cta, columns)
        self.undefined[cta, :, columns] = EVERYTHING[32]
        self.used[cta, :, columns] = 0

    def read(self, address: Bits, count: int = 1, rank: Bits | None = None) -> tuple[Bits, ...]:
        found = super().read(address, count, rank)
        cta, lane, column = self.accessed
        where = cta[:, None], lane[:, None], column[:, None] + np.arange(count)
        masks = self.undefined[where]
        if not masks.any():
            return found
        number, x = int(self.used[where].max()), self.x
        origin = x.session.reporter.ops[(number - 1) // len(Use)] if number else x.op
        use = Use((number - 1) % len(Use)) if number else Use.COPIED
        return tuple(
            x.marked(word, np.ascontiguousarray(masks[:, i]), use=use, origin=origin) for i, word in enumerate(found)
        )

    def write(self, address: Bits, values: Sequence[Bits], rank: Bits | None = None) -> None:
        super().write(address, values, rank)
        cta, lane, column = self.accessed
        if not any(isinstance(value, Masked) for value in values):
            places = cta[:, None], lane[:, None], column[:, None] + np.arange(len(values))
            self.undefined[places] = self.used[places] = 0
            return
        for i, value in enumerate(values):
            where = cta, lane, column + i
            self.undefined[where] = mask(value)
            self.used[where] = self.number(value)

    def number(self, value: Bits) -> int:
        """What `used` keeps of a value."""
        if not isinstance(value, Masked) or value.origin is None:
            return 0
        return 1 + self.x.session.reporter.statement(value.origin) * len(Use) + value.use
