"""Values of expressions that have a type of PTX."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

from openptx.trace.values import NATIVE, show

if TYPE_CHECKING:
    from openptx.isa.types import Type


@dataclass(frozen=True, slots=True)
class Typed:
    """Bits of a type. `undefined`: nothing has been written there in this thread."""

    bits: int
    type: Type
    undefined: bool = False

    @property
    def number(self) -> bool | int | float:
        """What arithmetic takes: integers of untyped bits are unsigned, and so are packed values."""
        if self.type.kind == "pred":
            return bool(self.bits & 1)
        if self.type.name in NATIVE:
            code, value, _ = NATIVE[self.type.name]
            return struct.unpack(value, struct.pack(code, self.bits))[0]
        if self.type.signed and self.bits >> self.type.width - 1:
            return self.bits - (1 << self.type.width)
        return self.bits

    def __str__(self) -> str:
        text = show(self.bits, self.type)
        return f"{text} (undefined: this thread has not written it)" if self.undefined else text


@dataclass(frozen=True, slots=True)
class Array:
    """A variable in memory: `count` elements of a type from an address of its state space on, in rows of `shape`."""

    name: str
    space: str
    address: int
    type: Type
    count: int
    shape: tuple[int, ...]
