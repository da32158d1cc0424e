"""Hooks of emission for code that nobody watches: they do nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from openptx.numerics import Bits
    from openptx.program import Op


class Unwatched:
    """Hooks of emission, of code that nobody watches."""

    def enter(self) -> None:
        """A warp begins, or goes on after a barrier."""

    def arrives(self, number: Bits, generation: str, lanes: str) -> None:
        """A warp comes to a barrier of its CTA."""

    def converges(self, op: Op, members: Callable[[Op], Bits]) -> None:
        """An instruction of a warp, for the lanes of a mask."""

    def interpreted(self, op: Op) -> None:
        """An instruction that the reference engine executes."""
