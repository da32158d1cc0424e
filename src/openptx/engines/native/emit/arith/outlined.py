"""Definitions that are too long to inline: one internal function for each, called wherever it is used."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple, cast

from openptx.engines.native.analysis.float_transfer import OutlinedCall, signature
from openptx.engines.native.analysis.lattice import ZEROS, Known, Value, vector_type
from openptx.engines.native.emit.arith.int_ops import IntOps
from openptx.engines.native.emit.ir_builder import CONSTANT, IRBuilder, LaneType
from openptx.isa.machine import Machine
from openptx.numerics import Bits

INLINE = 8
"""The number of uses of a definition that are inlined in a function; one outside of its loops, if it has some. Called
from an inner loop, `rsqrt` takes twice as long."""


class Outlined(NamedTuple):
    name: str
    width: int  # of its result
    text: str


class OutlinedOps(IntOps):
    """A machine that makes functions from definitions and puts them into the module's `functions`."""

    def __init__(self, functions: dict[object, Outlined]) -> None:
        super().__init__()
        self.functions = functions
        self.uses = Counter[tuple[object, ...]]()
        self.uses_inline = INLINE

    def constant_vector(self, v: Known, w: int) -> str:
        """Lane offsets are loaded from a table of the module, which is opaque to LLVM.

        As constants in the code they would be split into 512-bit registers, whose types differ from those of other
        constants. For each use LLVM compares a constant bit by bit with all of another type that the function has
        (`MachineConstantPool::getConstantPoolIndex`): half of the time that attention takes, at -O0 nine tenths.
        """
        if isinstance(v, int) or w != 64:
            return super().constant_vector(v, w)
        key, t = ("lanes", tuple(v)), vector_type(w)
        made = self.functions.get(key)
        if made is None:
            name = f"lanes.{len(self.functions)}"
            text = f"@{name} = internal global {t} {self.literal_vector(v, w)}, align 64"
            made = self.functions[key] = Outlined(name, w, text)
        return self.ir.emit(f"load {t}, ptr @{made.name}, align 64{CONSTANT}")

    def often(self, name: str, *arguments: Any, **keywords: Any) -> Bits:
        """The result of a definition: inlined for the first uses, so that loops with few of them stay free of calls;
        later ones call a function made from it."""
        key, operands = signature(name, arguments, keywords)
        if self.uses[key] < self.uses_inline or not any(isinstance(a.v, Value) for a in operands):
            self.uses[key] += 1
            return getattr(Machine, name)(self, *arguments, **keywords)
        return self.call_definition((key, operands), arguments, keywords)

    def call_definition(self, call: OutlinedCall, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Bits:
        """Calls a function made for these formats, on scalars if all operands are uniform, else on vectors."""
        key, operands = call
        uniform = self.uniform(*operands)
        made = self.functions.get((*key, uniform))
        if made is None:
            made = self.functions[*key, uniform] = self.define(call, uniform, arguments, keywords)
        given = ", ".join(
            f"{LaneType(a.width, uniform).int} {self.scalar(a) if uniform else self.vector(a)}" for a in operands
        )
        result = LaneType(made.width, uniform)
        return self.bits(self.ir.emit(f"call {result.int} @{made.name}({given})"), made.width, result.lanes)

    def define(
        self, call: OutlinedCall, uniform: bool, arguments: tuple[Any, ...], keywords: dict[str, Any]
    ) -> Outlined:
        key, operands = call
        outer, self.ir = self.ir, IRBuilder()
        inner = iter([Bits(self, a.width, Value(f"%a{i}", ZEROS if uniform else None)) for i, a in enumerate(operands)])

        def replace(a: Any) -> Any:
            if isinstance(a, Bits):
                return next(inner)
            return tuple([replace(e) for e in cast("tuple[Any, ...]", a)]) if isinstance(a, tuple) else a

        given = [replace(a) for a in arguments]
        named = {k: replace(a) for k, a in sorted(keywords.items())}
        d = getattr(Machine, str(key[0]))(self, *given, **named)
        t = LaneType(d.width, uniform).int
        result = self.scalar(d) if uniform else self.vector(d)
        name = f"{key[0]}.{len(self.functions)}"
        header = ", ".join(f"{LaneType(a.width, uniform).int} %a{i}" for i, a in enumerate(operands))
        body = "\n".join(["entry:", *self.ir.entry_lines(), *self.ir.lines, f"ret {t} {result}", "}"])
        self.ir = outer
        return Outlined(name, d.width, f"define internal {t} @{name}({header}) noinline nounwind #0 {{\n{body}\n")
