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
    emission, _, _ = _watching()
    watch = emission.Watch(x)
    return watch, emission.WatchedMemory(x.memory, watch)


def declarations(options: Options) -> list[str]:
    """Of the functions that watched code calls."""
    if not options.watched:
        return []
    _, functions, _ = _watching()
    return functions.declarations()


def addresses(watched: bool, address_size: int) -> Mapping[str, int]:
    """Where they are."""
    if not watched:
        return {}
    _, _, library = _watching()
    return library.functions(address_size)


def _watching():
    """The modules that only watched code needs."""
    from openptx.engines.native.watch import emission, functions, library

    return emission, functions, library
