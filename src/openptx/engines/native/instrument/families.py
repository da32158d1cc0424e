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


class Family(NamedTuple):
    """One kind of instrumentation: the parts that code is made with."""

    instrument: Callable[[LlvmMachine], None]
    """Gives a machine the hooks, and the layer that its accesses go through."""
    declarations: Callable[[], list[str]]
    """The LLVM declarations of the functions that the code calls."""
    functions: Callable[[int], Mapping[str, int]]
    """Their addresses by name, for a given address size."""


def counting(x: LlvmMachine) -> None:
    x.watch = count = Count(x)
    memory = CountedMemory(x.memory, count)
    x.load, x.store, x.atomic, x.copy = memory.load, memory.store, memory.atomic, memory.copy


def watching(x: LlvmMachine) -> None:
    x.watch = watch = Watch(x)
    memory = WatchedMemory(x.memory, watch)
    x.load, x.store, x.atomic, x.copy = memory.load, memory.store, memory.atomic, memory.copy


COUNTING = Family(counting, count_library.declarations, count_library.functions)
WATCHING = Family(watching, watch_library.declarations, watch_library.functions)
