"""Selects the hooks that emission calls. The parts of instrumented code are imported only when needed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from openptx.engines.native.emit.llvm_machine import LlvmMachine
    from openptx.engines.native.instrument.families import Family
    from openptx.engines.native.settings import Options

COUNT = ("count",)
"""The tools for counting code (count/); other tools are those of watch/."""


def instrument(x: LlvmMachine) -> None:
    """Gives a machine the hooks of the code that its options ask for, and the layer that its accesses go through."""
    if tools := x.c.options.watched:
        _family(tools).instrument(x)


def declarations(options: Options) -> list[str]:
    """Declarations of the functions that instrumented code calls."""
    return _family(options.watched).declarations() if options.watched else []


def addresses(tools: tuple[str, ...], address_size: int) -> Mapping[str, int]:
    """The addresses of the functions that instrumented code calls."""
    return _family(tools).functions(address_size) if tools else {}


def _family(tools: tuple[str, ...]) -> Family:
    from openptx.engines.native.instrument.families import COUNTING, WATCHING

    return COUNTING if tools == COUNT else WATCHING
