"""Binds operands (Tables 27, 28): sources are truncated to the instruction's type, results extended by it to the
register."""

from __future__ import annotations

from typing import Any, Protocol

from openptx.control_flow import places
from openptx.device.image import Image
from openptx.engines.common.operands import as_pair, bind_destinations, bind_sources
from openptx.engines.native.analysis.cfg import Cells
from openptx.engines.native.analysis.context import FunctionContext
from openptx.engines.native.analysis.lattice import ZEROS, Value
from openptx.engines.native.analysis.transfer import CoreOperations
from openptx.engines.native.analysis.unsupported import InterpretInstruction
from openptx.errors import Bug
from openptx.isa.address_windows import window
from openptx.isa.fidelity import UNSUPPORTED
from openptx.isa.machine import Machine
from openptx.isa.types import Type
from openptx.numerics import Bits
from openptx.program import Address, FunctionName, Imm, Op, Operand, Reg, SharedLayout, Sink, Special, Symbol, Vector

Place = tuple[Operand, Type | None]


def place(operand: Operand | None, t: Type | None) -> Place | None:
    """Where a result goes; None if it is discarded."""
    return None if operand is None or isinstance(operand, Sink) else (operand, t)


class Environment(Protocol):
    """Supplies operands and takes results."""

    @property
    def frame_base(self) -> Bits | None:
        """The offset of the activation's frame in local memory; None: 0."""
        ...

    def get(self, cell: int) -> Bits: ...

    def store_cell(self, cell: int, value: Bits) -> None: ...

    def variable(self, name: str) -> Bits:
        """The address of a global variable."""
        ...


class Layout(Protocol):
    """The locations of a function's registers and a module's variables."""

    @property
    def cells(self) -> Cells: ...
    @property
    def image(self) -> Image: ...
    @property
    def address_size(self) -> int: ...
    @property
    def shared_layout(self) -> SharedLayout: ...


class OperandBinder:
    """Binds operands for machines that keep registers in cells: the abstract one, the emitting one, the symbolic
    one."""

    def __init__(self, x: Machine, environment: Environment, context: Layout) -> None:
        self.x, self.environment, self.cells, self.image = x, environment, context.cells, context.image
        self.address_size, self.shared_layout = context.address_size, context.shared_layout

    def execute(self, op: Op) -> None:
        """The results of the instruction's meaning are written to its destinations."""
        instruction, mean = op.form.instruction, op.form.instruction.meaning
        given = self.sources(op)
        if places(op.form).reads_carry:
            given.append(self.environment.get(self.cells.carry))
        if mean is None or instruction.fidelity(op.m) is UNSUPPORTED:
            raise InterpretInstruction("no meaning")
        found: Any = mean(self.x, op.m, *given)
        destinations = self.destinations(op)
        if len(destinations) < 2:
            found = (found,)
        for destination, value in zip(destinations, found or (), strict=False):
            if destination is not None:
                self.write(destination, value)

    def sources(self, op: Op) -> list[Any]:
        return bind_sources(op, self.source, self.address)

    def destinations(self, op: Op) -> list[Place | None]:
        found = bind_destinations(op, place)
        if op.m.cc and places(op.form).writes_carry:
            found.append((Reg(self.cells.carry, 1), None))
        return found

    def source(self, operand: Operand | None, t: Type | None, immediate: bool = False) -> Any:
        match operand:
            case Reg():
                return self.register(operand, t)
            case None | Sink():
                return None
            case Imm(value, width):
                if immediate:
                    return value
                if width == 128:
                    return self.x.const(value & (1 << 64) - 1, 64), self.x.const(value >> 64 & (1 << 64) - 1, 64)
                return self.x.const(value, width)
            case Special(name, width):
                return self.x.special(name, width if t is None or t.width >= width else t.width)
            case Vector((element,)):  # `{a}` is `a`
                return self.source(element, t, immediate)
            case Vector(elements):
                return tuple(self.source(e, t) for e in elements)
            case Symbol() | FunctionName():
                where = self.pointer(operand)
                if t is not None and t.width == 128:
                    return as_pair(self.x, where, None)
                return self.x.resize(where, t.width) if t is not None and t.width != 64 else where
            case _:
                raise Bug(f"an operand {operand!r} where a value is read")

    def read_register(self, r: Reg) -> Bits:
        value = self.environment.get(r.index)
        return self.x.invert(value) if r.negated else value

    def register(self, r: Reg, t: Type | None) -> Any:
        want = t.width if t is not None else r.width
        if r.width == 128:
            words = tuple(self.environment.get(cell) for cell in self.cells.of(r))
            return words if want == 128 else self.x.resize(words[0], max(want, 8))
        value = self.read_register(r)
        want = 8 if want == 4 else want
        return value if want >= r.width else self.x.resize(value, want)

    def pointer(self, operand: Symbol | FunctionName, generic: bool = False) -> Bits:
        """The address of a variable or function: in the variable's own space, or generic."""
        if isinstance(operand, FunctionName):
            return self.x.const(self.image.functions[operand.name], 64)
        v, at = operand.variable, operand.offset
        if generic or operand.generic:
            at += window(v.space, self.address_size)
        if v.space == "global":
            return self.environment.variable(v.name) + (at & (1 << 64) - 1)
        if v.space == "const":
            return self.x.const(self.image.addresses[v.name] + at & (1 << 64) - 1, 64)
        offset = self.shared_layout.offset(v) if v.space == "shared" else v.offset
        where = self.x.const(offset + at & (1 << 64) - 1, 64)
        if v.space in ("local", "frame") and self.environment.frame_base is not None:
            return self.environment.frame_base + where
        return where

    def address(self, operand: Address, space: str | None) -> Any:
        whole = self.plain_address(operand, space)
        return (whole, *[self.source(part, None) for part in operand.parts]) if operand.parts else whole

    def plain_address(self, operand: Address, space: str | None) -> Bits:
        offset = operand.offset
        if operand.base is None:
            return self.x.const(offset & (1 << 64) - 1, 64)
        if isinstance(operand.base, Symbol):
            where = self.pointer(operand.base, generic=space in (None, "generic"))
            return where + (offset & (1 << 64) - 1) if offset else where
        base, width = self.read_register(operand.base), operand.base.width
        if offset:
            base = base + (offset & (1 << width) - 1)
        return base if width == 64 else self.widened(base, space)

    def widened(self, a: Bits, space: str | None) -> Bits:
        """The 64-bit address that a 32-bit register holds."""
        return self.x.resize(a, 64)

    def write(self, place: Place, value: Any) -> None:
        operand, t = place
        if isinstance(operand, Vector):
            parts = (value,) if len(operand.elements) == 1 else value  # `{a}` is `a`
            for element, part in zip(operand.elements, parts, strict=True):
                if not isinstance(element, Sink):
                    self.write((element, t), part)
            return
        if not isinstance(operand, Reg):
            raise Bug(f"an operand {operand!r} where a result is written")
        if operand.width == 128:
            words: tuple[Bits, ...] = as_pair(self.x, value, t) if isinstance(value, Bits) else value
            for cell, part in zip(self.cells.of(operand), words, strict=True):
                self.environment.store_cell(cell, part)
            return
        if value.width != operand.width:
            value = self.x.resize(value, operand.width, t is not None and t.signed)
        self.environment.store_cell(operand.index, value)


HIGHEST = (1 << 32) - 1


class AffineBinder(OperandBinder):
    """For machines whose values may be a base plus offsets.

    If base plus offset wraps in some lane, the base is so large that the access fails its bounds check. So the address
    needs no side exit before the access: it is a vector whose `near` says that the lanes are base plus offset modulo
    2^32, and the slow path computes them that way.
    """

    def __init__(self, x: CoreOperations, environment: Environment, c: FunctionContext) -> None:
        super().__init__(x, environment, c)
        self.operations, self.watched = x, bool(c.options.watched)

    def widened(self, a: Bits, space: str | None) -> Bits:
        v = a.v
        if self.watched or space not in ("shared", "shared::cta") or not isinstance(v, Value):
            return super().widened(a, space)
        if v.lanes is None or v.lanes is ZEROS or 0 <= v.high <= HIGHEST - max(v.lanes):
            return super().widened(a, space)
        found = self.operations.plain_cast("zext", a, 64)
        found.v.near = Value(self.operations.cast_base("zext", v.name, 32, 64), v.lanes, v.tz, HIGHEST)
        return found
