"""Tables shared by the functions of one LLVM module: rows are added when code refers to them."""

from __future__ import annotations

from dataclasses import dataclass, field

from openptx.engines.native.emit.arith.outlined import Outlined
from openptx.program import Function


@dataclass(slots=True)
class ModuleTables:
    symbols: dict[str, str]
    """The LLVM names of the device functions that the kernel calls."""
    globals: list[str]
    """Variables whose addresses the code looks up, by number."""
    messages: list[tuple[str, str]]
    """Codes and words of faults that the code names by number."""
    kernel: Function
    functions: dict[object, Outlined] = field(default_factory=dict[object, Outlined])
    """Outlined functions, by their parameters."""
    products: list[str] = field(default_factory=list[str])
    """Keys of the matrix products whose routines the code calls."""
