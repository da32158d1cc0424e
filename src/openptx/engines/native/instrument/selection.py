"""Which hooks emission calls. What instrumented code needs is imported when there is any."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from openptx.engines.native.instrument.hooks import Hooks

if TYPE_CHECKING:
    from openptx.engines.native.emit.llvm_machine import LlvmMachine, MemoryLowering
    from openptx.engines.native.instrument.count.emission import CountedMemory
    from openptx.engines.native.instrument.watch.emission import WatchedMemory
    from openptx.engines.native.options import Options

COUNT = ("count",)
"""The tools of code that counts (count/); others are those of watch/."""


def hooks_of(x: LlvmMachine) -> tuple[Hooks, MemoryLowering | WatchedMemory | CountedMemory]:
    """The hooks for a machine's code, and what its accesses go through."""
    tools = x.c.options.watched
    if not tools:
        return Hooks(), x.memory
    if tools == COUNT:
        emission, _ = _counting()
        count = emission.Count(x)
        return count, emission.CountedMemory(x.memory, count)
    emission, _, _ = _watching()
    watch = emission.Watch(x)
    return watch, emission.WatchedMemory(x.memory, watch)


def declarations(options: Options) -> list[str]:
    """Of the functions that instrumented code calls."""
    if not options.watched:
        return []
    if options.watched == COUNT:
        _, library = _counting()
        return library.declarations()
    _, functions, _ = _watching()
    return functions.declarations()


def addresses(tools: tuple[str, ...], address_size: int) -> Mapping[str, int]:
    """Where they are."""
    if not tools:
        return {}
    if tools == COUNT:
        _, library = _counting()
        return library.functions(address_size)
    _, _, library = _watching()
    return library.functions(address_size)


def _watching():
    """The modules that only watched code needs."""
    from openptx.engines.native.instrument.watch import emission, functions, library

    return emission, functions, library


def _counting():
    """The modules that only counting code needs."""
    from openptx.engines.native.instrument.count import emission, library

    return emission, library
