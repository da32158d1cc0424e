"""A program's variables in device memory: initialised, with addresses resolved, and functions given addresses."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from openptx.device.allocation import Allocation, Bytes
from openptx.device.memory import Memory, device
from openptx.device.memory_view import MemoryView
from openptx.device.nested_launches import PARAMETERS
from openptx.device.textures.handles import Opaque
from openptx.device.textures.sampler import Sampler
from openptx.errors import Undefined
from openptx.isa.address_windows import FUNCTION, window
from openptx.program import Program, Relocation, Variable

FUNCTION_STEP = 16
ON_HEAP = frozenset(("malloc", PARAMETERS))
"""Functions that allocate from the heap of the device."""
WORKSPACE = 8
"""The data that CUDA's driver gives each cooperative launch, in bytes: its own size, and a barrier counter."""


class SymbolAddresses(dict[str, int]):
    """Addresses by name. The address of a symbol that a linker would resolve in another module is an error when it
    is taken."""

    def __missing__(self, name: str) -> int:
        raise Undefined("address", name)


class Image:
    """The result of loading a module. `addresses` are in the variable's own space; `functions` are generic.

    `memory` is where its variables lie and its launches run, by default the device's, which all modules share.
    """

    def __init__(self, program: Program, memory: Memory | None = None) -> None:
        self.program = program
        self.memory: Memory = memory or device(program.address_size)
        self.addresses = SymbolAddresses()
        self.allocations: dict[str, Allocation] = {}
        self.attached: dict[type[Any], Any] = {}  # what an engine keeps for the module, by its class
        self.bound: dict[int, Opaque] = {}  # by the address of the variable that stands for it
        self._kept: list[Bytes] = []
        if not program.external.isdisjoint(ON_HEAP):
            self.memory.device_heap()  # which must exist before a launch
        base = FUNCTION << self.memory.shift
        names = (*program.functions, *program.kernels)
        self.functions = SymbolAddresses((name, base + FUNCTION_STEP * (i + 1)) for i, name in enumerate(names))
        self.names = {address: name for name, address in self.functions.items()}
        self._place()

    def map(self, parameters: Bytes | None, whole: bool) -> MemoryView:
        """The memory of a launch. If the `whole` grid runs, its blocks can wait for each other.

        The driver passes kernels the address of their grid barrier in `%envreg1` (high half) and `%envreg2` (low half),
        as read by cooperative_groups/details/driver_abi.h; it is null unless a launch is cooperative. Here every launch
        is.
        """
        if not (self.program.reads_workspace and whole):
            return self.memory.map(self.const, parameters)
        data = np.array([WORKSPACE, 0], np.uint32).view(np.uint8)
        place = self.memory.add("workspace of the grid", data)
        found = self.memory.map(self.const, parameters)  # which keeps the data alive
        found.workspace = place.base
        return found

    def _place(self) -> None:
        variables = [v for v in self.program.variables.values() if v.linkage != "extern"]
        constants = [v for v in variables if v.space == "const"]
        size = 0
        for v in constants:
            size = -(-size // v.align) * v.align
            self.addresses[v.name] = size
            size += v.size
        self.const: Bytes = np.zeros(size, np.uint8)
        places: list[tuple[Variable, Bytes]] = [
            (v, self.const[self.addresses[v.name] : self.addresses[v.name] + v.size]) for v in constants
        ]
        for v in variables:
            if v.space == "global":
                found, data = self._global(v)
                self._kept.append(data)
                self.allocations[v.name] = found
                self.addresses[v.name] = self.allocations[v.name].base
                places.append((v, data))
            if v.type.name == "samplerref" and v.data is not None:
                self.bound[self.addresses[v.name]] = Sampler.of(v.data)
        for v, data in places:
            if v.data is not None:
                data[: len(v.data)] = np.frombuffer(v.data, np.uint8)
            for relocation in v.relocations:
                self._relocate(data, relocation)

    def _global(self, v: Variable) -> tuple[Allocation, Bytes]:
        """Zeros for a `.global` variable; a managed one has its device address on the host, too."""
        name = f"`{v.name}`"
        if not v.managed:
            data: Bytes = np.zeros(v.size, np.uint8)
            return self.memory.add(name, data), data
        found, data = self.memory.place(name, v.size)
        weakref.finalize(data, self.memory.remove, found).atexit = False
        return found, data

    def _relocate(self, data: Bytes, r: Relocation) -> None:
        # A symbol of another module is null: using it is a fault, listing it in a table is not.
        value = (self.address(r.symbol, r.generic) + r.addend) >> r.shift if self.defines(r.symbol) else 0
        word = (value & (1 << 8 * r.size) - 1).to_bytes(r.size, "little")
        data[r.offset : r.offset + r.size] = np.frombuffer(word, np.uint8)

    def defines(self, symbol: str) -> bool:
        v = self.program.variables.get(symbol)
        return symbol in self.functions or (v is not None and v.linkage != "extern")

    def address(self, symbol: str, generic: bool = False) -> int:
        """The address of a function or of a module-level variable (in its own state space unless `generic`)."""
        if symbol in self.functions:
            return self.functions[symbol]
        v = self.program.variables.get(symbol)
        if v is None:
            return self.functions[symbol]
        own = self.addresses[symbol] if v.space in ("global", "const") else v.offset
        return own + (window(v.space, self.program.address_size) if generic else 0)

    def bytes(self, name: str) -> Bytes:
        """The memory of a module-level variable, to read and write."""
        v = self.program.variables[name]
        if v.space == "const":
            return self.const[self.addresses[name] : self.addresses[name] + v.size]
        return self.allocations[name].bytes()
