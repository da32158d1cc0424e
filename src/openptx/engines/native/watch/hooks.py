"""Which hooks emission calls. What watched code needs is imported when there is any."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from openptx.engines.native.watch.unwatched import Unwatched

if TYPE_CHECKING:
    from openptx.engines.native.emit.llvm_machine import LlvmMachine, MemoryLowering
    from openptx.engines.native.options import Options
    from openptx.engines.native.watch.emission import WatchedMemory


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
