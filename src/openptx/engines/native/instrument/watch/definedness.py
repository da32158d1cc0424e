"""Code beside accesses that follows which bytes have been written: it marks what is stored and looks at what is loaded.

Shared and local memory have a byte of definedness for each byte, laid out like the memory itself, so the code that
loads and stores serves for them as well. What generic and global addresses lead to is looked up by a function.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from openptx.engines.native import abi
from openptx.engines.native.analysis.accesses import Form, locate
from openptx.engines.native.analysis.lattice import N, vector_type
from openptx.engines.native.emit.guarded_paths import GOOD
from openptx.engines.native.emit.memory.bounds_check import BoundsCheck, Check, Checked, Wanted
from openptx.engines.native.emit.memory.gather_scatter import GatherScatter
from openptx.engines.native.emit.memory.loads import LoadLowering
from openptx.engines.native.emit.memory.slow_path import Span
from openptx.engines.native.emit.memory.stores import StoreLowering
from openptx.engines.native.instrument.watch import layout

if TYPE_CHECKING:
    from collections.abc import Callable

    from openptx.engines.native.emit.llvm_machine import LlvmMachine
    from openptx.numerics import Bits

LOOKED_UP = {"generic": frozenset[str](), "global": frozenset((layout.ARRAYS,))}
"""State spaces whose bytes of definedness a function finds, with what the code must be watched for, besides."""


class DefinednessBytes(BoundsCheck):
    """Where bytes of definedness of shared and local memory are. The accesses have been made: nothing is checked."""

    def origin(self, region: str) -> str:
        key = ("definedness", region)
        if key not in self.entry.values:
            offset = layout.DEFINED_SHARED if region == "shared" else layout.DEFINED_LOCAL
            self.entry.values[key] = self.entry.loaded("ptr", self.entry.state(abi.WATCH, "ptr"), offset, 8)
        return self.entry.values[key]

    def check_span(self, region: str, form: Form, size: int, write: bool) -> Checked:
        return self.in_shared(form, size, None)

    def in_shared(self, form: Form, size: int, wanted: Wanted | None) -> Checked:
        pointer = partial(self.ir.emit, f"getelementptr i8, ptr {self.origin('shared')}, i64 {form.base}")
        return Checked(GOOD, pointer, Span(form.base, form.lanes, offset=form.base))

    def check_lanes(self, region: str, place: Bits, size: int, write: bool) -> Check:
        ir, t, origin = self.ir, vector_type(64), self.origin(region)
        a = self.x.vector(place)

        def pointers() -> str:
            index = a if region == "shared" else ir.emit(f"add {t} {a}, {self.entry.lane_offsets()}")
            return ir.emit(f"getelementptr i8, ptr {origin}, {t} {index}")

        return "false", pointers

    def limits(self, region: str, place: Bits, size: int, write: bool) -> tuple[str, str, str]:
        return "0", str((1 << 63) - 1), self.ir.emit(f"ptrtoint ptr {self.origin(region)} to i64")


class Definedness:
    """Emits what follows an access. `call` emits a call of one of the functions of watched code, `suspect` one that
    tells of a doubt."""

    def __init__(self, x: LlvmMachine, call: Callable[..., None], block: Callable[[], str]) -> None:
        self.x, self.ir, self.scope, self.c = x, x.ir, x.scope, x.c
        self.call, self.block = call, block
        checks, lanes = DefinednessBytes(x.scope, x.frame), GatherScatter(x.scope)
        self.load = LoadLowering(checks, x.memory.slow, lanes, x.memory.paths).load
        self.store = StoreLowering(checks, x.memory.slow, lanes, x.memory.paths).store

    def read(self, space: str, address: Bits, w: int, count: int, site: str) -> None:
        """All bytes that lanes have loaded must have been written."""
        region, _ = locate(self.x, space, address, self.c.address_size, stepping=False)
        if region in ("shared", "local"):
            bad = self.x.const(0, 1)
            for word in self.load(space, address, w, count):
                bad = bad | (word != (1 << w) - 1)
            with self.ir.cold_block(self.x.any_of(bad & self.scope.mask)):
                self.call("suspect", f"i64 {layout.UNWRITTEN}", site)
        elif self.looks_up(space):
            self.hand_over(address)
            self.call("loaded", f"i64 {self.scope.wide_mask()}", f"i64 {w * count // 8}", site)

    def write(self, space: str, address: Bits, w: int, count: int) -> None:
        """The bytes that lanes have stored are written from now on."""
        region, _ = locate(self.x, space, address, self.c.address_size, stepping=False)
        if region in ("shared", "local"):
            self.store(space, address, [self.x.const(-1, w)] * count)
        elif self.looks_up(space):
            self.hand_over(address)
            self.call("stored", f"i64 {self.scope.wide_mask()}", f"i64 {w * count // 8}")

    def undefine(self, base: Bits, size: int) -> None:
        """Nobody has written so many bytes of the lanes' local memory from `base` on."""
        self.call("undefines", f"i64 {self.scope.wide_mask()}", f"i64 {self.x.scalar(base)}", f"i64 {size}")

    def copy(self, to: Bits, origin: Bits, size: int) -> None:
        """Bytes of local memory are as defined as those that they were copied from."""
        places = f"i64 {self.x.scalar(to)}", f"i64 {self.x.scalar(origin)}"
        self.call("copied", f"i64 {self.scope.wide_mask()}", *places, f"i64 {size}")

    def looks_up(self, space: str) -> bool:
        return space in LOOKED_UP and LOOKED_UP[space] <= frozenset(self.c.options.watched)

    def hand_over(self, address: Bits) -> None:
        """The addresses, to the watch block."""
        self.ir.store(vector_type(64), self.x.vector(address), self.ir.field(self.block(), layout.LANES), 8)


assert N == 32  # definedness.ll
