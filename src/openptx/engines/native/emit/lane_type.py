"""LLVM's types of values: one scalar where all lanes agree, else a vector with an element for each lane."""

from __future__ import annotations

from typing import NamedTuple

from openptx.engines.native.analysis.lattice import ZEROS, Lanes, N

FLOAT = {16: "half", 32: "float", 64: "double"}
"""LLVM's names, by width."""


class LaneType(NamedTuple):
    width: int
    uniform: bool

    def of(self, element: str) -> str:
        return element if self.uniform else f"<{N} x {element}>"

    @property
    def int(self) -> str:
        return self.of(f"i{self.width}")

    @property
    def float(self) -> str:
        return self.of(FLOAT[self.width])

    @property
    def predicate(self) -> str:
        return self.of("i1")

    @property
    def int_suffix(self) -> str:
        """Of overloaded intrinsics."""
        return f"i{self.width}" if self.uniform else f"v{N}i{self.width}"

    @property
    def float_suffix(self) -> str:
        return f"f{self.width}" if self.uniform else f"v{N}f{self.width}"

    @property
    def lanes(self) -> Lanes | None:
        """The offsets of such a value's lanes: none, or nothing is known of them."""
        return ZEROS if self.uniform else None
