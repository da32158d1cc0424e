"""Definitions that are too long to inline: one internal function for each, called wherever it is used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from openptx.engines.native.analysis.float_transfer import OutlinedCall, signature
from openptx.engines.native.analysis.lattice import ZEROS, Known, Value, vector_type
from openptx.engines.native.emit.arith.int_ops import IntOps
from openptx.engines.native.emit.ir_builder import CONSTANT, IRBuilder, LaneType
from openptx.engines.tensor_cores.term_loops import LoopedTerms
from openptx.isa.machine import Machine
from openptx.numerics import Bits

if TYPE_CHECKING:
    from openptx.numerics.dot import Terms
    from openptx.numerics.reals import Real

INLINE = 8
"""The number of uses of a definition that are inlined in a function with AVX-512; one outside of its loops, if it has
some. Called from an inner loop, `rsqrt` takes twice as long. Code for AVX2 is at least four times as long and leaves
nothing in registers that a call could lose, so there every use is a call: loops of one `ex2` or `rsqrt` take 0.88 and
0.98 of the time; `nbody` takes 0.95, `softmax` 1.00, `layer_norm` 1.01."""


OF_FLOATS = ("approx", "approx_div", "mufu", "power", "scaled")
"""Functions whose results do not depend on which NaN an operand is: of operands that are floats, they need no bits."""


class OutlinedFunction(NamedTuple):
    name: str
    width: int  # of its result
    text: str


class OutlinedOps(IntOps):
    """A machine that makes functions from definitions and puts them into the module's `functions`."""

    def __init__(self, functions: dict[object, OutlinedFunction]) -> None:
        super().__init__()
        self.functions = functions
        self.uses = Counter[tuple[object, ...]]()
        self.uses_inline = INLINE
        self.is_short = False
        """Whether code is to be short rather than fast, because it rarely runs."""
        self.scalars: bool | None = None
        """Whether the outlined function that is being made is one of scalars; None outside of outlined functions."""

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
            made = self.functions[key] = OutlinedFunction(name, w, text)
        return self.ir.emit(f"load {t}, ptr @{made.name}, align 64{CONSTANT}")

    def often(self, name: str, *arguments: Any, **keywords: Any) -> Bits:
        """The result of a definition: inlined for the first uses, so that loops with few of them stay free of calls;
        later ones call a function made from it."""
        key, operands = signature(name, arguments, keywords)
        if self.uses[key] < self.uses_inline or not any(isinstance(a.v, Value) for a in operands):
            self.uses[key] += 1
            return getattr(Machine, name)(self, *arguments, **keywords)
        return self.call_definition((key, operands), arguments, keywords)

    def of_launch(self, a: Bits) -> Bits | None:
        """The value, if it is computed once per launch, so that values derived from it may be in the entry block; else
        None. It has none of the forms that a block has computed of it, which do not exist there."""
        if not isinstance(a.v, Value) or a.v.name not in self.ir.of_launch or self.ir.cold:
            return None
        return self.bits(self.ir.of_launch[a.v.name], a.width, a.v.lanes, a.v.tz, a.v.high)

    def division(self, op: str, a: Bits, b: Bits) -> Bits:
        """Once per launch, if the operands are computed once per launch, as those of `n / gridDim.x` are. LLVM divides
        vectors of 64 bits by 32 divisions of scalars; a loop of one takes 1.1 of the time if it calls them. A quotient
        of 32 bits is as long by AVX2, where such a loop is as fast."""
        dividend, divisor = (self.of_launch(e) if isinstance(e.v, Value) else e for e in (a, b))
        if dividend is not None and divisor is not None and self.uniform(a, b):
            with self.ir.at_entry():
                return super().division(op, dividend, divisor)
        called = self.is_short if a.width == 64 else not self.cpu.avx512
        if not called or isinstance(b.v, int) or self.uniform(a, b):
            return super().division(op, a, b)
        return self.in_function((op, a.width), (a, b), partial(super().division, op))

    def call_definition(self, call: OutlinedCall, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Bits:
        """Calls a function made from a definition for these formats."""
        key, operands = call

        def definition(*given: Bits) -> Bits:
            inner = iter(given)

            def replace(a: Any) -> Any:
                if isinstance(a, Bits):
                    return next(inner)
                return tuple([replace(e) for e in cast("tuple[Any, ...]", a)]) if isinstance(a, tuple) else a

            first = [replace(a) for a in arguments]
            return getattr(Machine, str(key[0]))(self, *first, **{k: replace(a) for k, a in sorted(keywords.items())})

        return self.in_function(key, operands, definition)

    def in_function(self, key: tuple[object, ...], operands: Sequence[Bits], definition: Callable[..., Bits]) -> Bits:
        """The result of `definition` for operands: calls a function made from it, which is named by its `key`, on
        scalars if all operands are uniform, else on vectors."""
        uniform = self.uniform(*operands)
        floats = [raw_float(a, uniform) if key[0] in OF_FLOATS else "" for a in operands]
        raw = [bool(name) for name in floats]
        whole = (*key, uniform, *raw, *[isinstance(a.v, Value) and a.v.reduced for a in operands])
        made = self.functions.get(whole)
        if made is None:
            made = self.functions[whole] = self.define(str(key[0]), uniform, operands, raw, definition)
        bits = self.scalar if uniform else self.vector
        names = [name or bits(a) for name, a in zip(floats, operands, strict=True)]
        given = ", ".join(map(" ".join, zip(parameter_types(operands, raw, uniform), names, strict=True)))
        result = LaneType(made.width, uniform)
        return self.bits(self.ir.emit(f"call {result.int} @{made.name}({given})"), made.width, result.lanes)

    def define(
        self, name: str, uniform: bool, operands: Sequence[Bits], raw: list[bool], definition: Callable[..., Bits]
    ) -> OutlinedFunction:
        outer, self.ir, self.scalars = (self.ir, self.scalars), IRBuilder(), uniform
        lanes = ZEROS if uniform else None
        parameters = [Value("", lanes, raw=f"%a{i}") if r else Value(f"%a{i}", lanes) for i, r in enumerate(raw)]
        for v, a in zip(parameters, operands, strict=True):
            v.reduced = isinstance(a.v, Value) and a.v.reduced
        d = definition(*[Bits(self, a.width, v) for v, a in zip(parameters, operands, strict=True)])
        t = LaneType(d.width, uniform).int
        result = self.scalar(d) if uniform else self.vector(d)
        name = f"{name}.{len(self.functions)}"
        header = ", ".join(f"{t} %a{i}" for i, t in enumerate(parameter_types(operands, raw, uniform)))
        body = "\n".join(["entry:", *self.ir.entry_lines(), *self.ir.lines, f"ret {t} {result}", "}"])
        self.ir, self.scalars = outer
        return OutlinedFunction(
            name, d.width, f"define internal {t} @{name}({header}) noinline nounwind #0 {{\n{body}\n"
        )

    # Sums as loops

    def terms(self, function: Callable[..., list[Real]], *lines: Sequence[Bits]) -> Terms:
        return super().terms(function, *lines) if self.scalars is None else LoopedTerms(self, function, lines)

    def lane_type(self, w: int) -> LaneType:
        return LaneType(w, bool(self.scalars))

    def slot(self, w: int, count: int) -> str:
        return self.ir.first(f"alloca [{count} x {self.lane_type(w).int}], align 64")

    def read_slot(self, slot: str, w: int, i: int | str) -> Bits:
        t = self.lane_type(w)
        return self.bits(self.ir.load(t.int, self.place(slot, t, i), 4), w, t.lanes)

    def write_slot(self, slot: str, value: Bits, i: int | str) -> None:
        t = self.lane_type(value.width)
        self.ir.store(t.int, self.scalar(value) if t.uniform else self.vector(value), self.place(slot, t, i), 4)

    def place(self, slot: str, t: LaneType, i: int | str) -> str:
        return self.ir.emit(f"getelementptr {t.int}, ptr {slot}, i64 {i}")


def raw_float(a: Bits, uniform: bool) -> str:
    """The name of an f32 whose bits have not been computed; "" for others."""
    v = a.v
    is_float = a.width == 32 and isinstance(v, Value) and not v.name and uniform == (v.lanes is ZEROS)
    return v.raw if is_float else ""


def parameter_types(operands: Sequence[Bits], raw: list[bool], uniform: bool) -> list[str]:
    """LLVM's types of a function's parameters; `raw`: which are floats, see `OF_FLOATS`."""
    types = [LaneType(a.width, uniform) for a in operands]
    return [t.float if r else t.int for t, r in zip(types, raw, strict=True)]
