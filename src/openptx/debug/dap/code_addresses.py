"""Addresses of instructions for the protocol's disassembly: PTX has none, so they are numbered in the file's order."""

from __future__ import annotations

from openptx.debug.places import Place, Places
from openptx.errors import InputError
from openptx.program import Op

BASE = 1 << 32
"""Address of the first instruction: clients subtract from addresses, which must not become negative."""
STEP = 16
"""Bytes per instruction, as in machine code since Volta."""


class CodeAddresses:
    """The addresses of the instructions that a kernel may execute."""

    def __init__(self, places: Places) -> None:
        self.places = places
        functions = sorted(places.functions.values(), key=lambda function: function.span)
        self.code = [(function.name, pc) for function in functions for pc in range(len(function.code))]
        self._starts: dict[str, int] = {}
        for i, (name, _) in enumerate(self.code):
            self._starts.setdefault(name, i)

    def of(self, place: Place) -> int:
        """The address of an instruction."""
        return BASE + (self._starts[place[0]] + place[1]) * STEP

    def place(self, address: int) -> Place:
        """The instruction at an address; InputError if there is none."""
        place = self.at(address)
        if place is None:
            raise InputError(f"no instruction at 0x{address:x}")
        return place

    def at(self, address: int) -> Place | None:
        """The instruction at an address; None if there is none."""
        i, rest = divmod(address - BASE, STEP)
        return self.code[i] if not rest and 0 <= i < len(self.code) else None

    def op(self, place: Place) -> Op:
        """The instruction."""
        return self.places.functions[place[0]].code[place[1]]

    def label(self, place: Place) -> str | None:
        """The label before an instruction, or the function that it begins."""
        name, pc = place
        labels = self.places.functions[name].labels
        return name if not pc else next((label for label, at in labels.items() if at == pc), None)
