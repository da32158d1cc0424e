"""What the functions of one LLVM module share: rows appear as code names them."""

from __future__ import annotations

from dataclasses import dataclass, field

from openptx.engines.native.emit.arith.outlined import Outlined


class Callees:
    """The device functions that a kernel needs, each with its symbol."""

    def __init__(self) -> None:
        self.symbols: dict[str, str] = {}
        self.names: list[str] = []  # by number; faults name places by it

    def symbol(self, name: str) -> str:
        if name not in self.symbols:
            self.names.append(name)
            self.symbols[name] = f"function{len(self.names)}"
        return self.symbols[name]


@dataclass(slots=True)
class ModuleTables:
    globals: list[str] = field(default_factory=list[str])
    """Variables whose addresses the code looks up, by number."""
    messages: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Codes and words of faults that the code names by number."""
    functions: dict[object, Outlined] = field(default_factory=dict[object, Outlined])
    """Outlined functions, by what they were made for."""
    callees: Callees = field(default_factory=Callees)
