"""Hooks of emission for code that nobody watches, which do nothing. What takes their place is imported when wanted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from openptx.engines.native.emit.llvm_machine import LlvmMachine
    from openptx.engines.native.emit.memory.lowering import MemoryLowering
    from openptx.engines.native.options import Options
    from openptx.engines.native.watch.emission import WatchedMemory
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


def hooks_of(x: LlvmMachine) -> tuple[Unwatched, MemoryLowering | WatchedMemory]:
    """The hooks for a machine's code, and what its accesses go through."""
    if not x.c.options.watched:
        return Unwatched(), x.memory
    from openptx.engines.native.watch.emission import Watch, WatchedMemory

    watch = Watch(x)
    return watch, WatchedMemory(x.memory, watch)


def declarations(options: Options) -> list[str]:
    """Of the functions that watched code calls."""
    if not options.watched:
        return []
    from openptx.engines.native.watch import functions

    return functions.declarations()


def addresses(watched: bool, address_size: int) -> Mapping[str, int]:
    """Where they are."""
    if not watched:
        return {}
    from openptx.engines.native.watch.library import functions

    return functions(address_size)
