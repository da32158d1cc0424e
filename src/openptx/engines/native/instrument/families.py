"""The families of observers, with what emission and linking need of each. Imported when code is instrumented."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from openptx.engines.native.instrument.count import library as count_library
from openptx.engines.native.instrument.count.emission import Count, CountedMemory
from openptx.engines.native.instrument.watch import library as watch_library
from openptx.engines.native.instrument.watch.emission import Watch, WatchedMemory

if TYPE_CHECKING:
    from openptx.engines.native.emit.llvm_machine import LlvmMachine
    from openptx.engines.native.instrument.hooks import Hooks

    Hooked = tuple[Hooks, CountedMemory | WatchedMemory]


class Family(NamedTuple):
    """One kind of instrumentation: the parts that code is made with."""

    hooks: Callable[[LlvmMachine], Hooked]
    """Makes the hooks for a machine's code, and the layer that its accesses go through."""
    declarations: Callable[[], list[str]]
    """The LLVM declarations of the functions that the code calls."""
    functions: Callable[[int], Mapping[str, int]]
    """Their addresses by name, for a given address size."""


def counting(x: LlvmMachine) -> Hooked:
    count = Count(x)
    return count, CountedMemory(x.memory, count)


def watching(x: LlvmMachine) -> Hooked:
    watch = Watch(x)
    return watch, WatchedMemory(x.memory, watch)


COUNTING = Family(counting, count_library.declarations, count_library.functions)
WATCHING = Family(watching, watch_library.declarations, watch_library.functions)
