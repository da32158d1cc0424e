"""Float operations on the processor or in this engine: the choice, which the abstract machine and emission share.

An operation that the processor does not support in this form becomes a call of a function generated from its definition
(`outlined`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

from openptx.engines.native.analysis import capabilities
from openptx.engines.native.analysis.lattice import Value
from openptx.engines.native.analysis.narrow_floats import is_narrow, narrowed, widened
from openptx.engines.native.analysis.transfer import CoreOperations
from openptx.engines.tensor_cores.library import supported
from openptx.isa.machine import Machine
from openptx.numerics import Bits, Format, Signedness
from openptx.numerics.formats import F16, F32

if TYPE_CHECKING:
    from openptx.llvm.host import CPU
    from openptx.numerics.dot import Tile
    from openptx.numerics.matrix_product import MatrixProduct

OutlinedCall = tuple[tuple[object, ...], list[Bits]]
"""The parameters of a function generated from a definition (`signature`), and the values that it is called with."""


class FloatTransfer(CoreOperations):
    cpu: CPU

    def has(self, f: Format) -> bool:
        """Whether the processor has arithmetic of the format."""
        return capabilities.has(self.cpu, f)

    def outlined(self, name: str, *arguments: Any, **keywords: Any) -> Bits:
        """The result of the definition `name`: folded for numbers, else by a function generated from it."""
        key, operands = signature(name, arguments, keywords)
        if not any(isinstance(a.v, Value | tuple) for a in operands):
            return getattr(Machine, name)(self, *arguments, **keywords)
        return self.call_definition((key, operands), arguments, keywords)

    # Arithmetic

    def dot(self, *arguments: Any, **keywords: Any) -> Bits:
        return self.outlined("dot", *arguments, **keywords)

    def block_dot(self, *arguments: Any, **keywords: Any) -> Bits:
        return self.outlined("block_dot", *arguments, **keywords)

    def matrix_product(
        self, p: MatrixProduct, a: Sequence[Bits], b: Sequence[Bits], addends: Tile, by_lanes: Callable[[], Tile]
    ) -> Tile:
        if not supported(p):
            return by_lanes()
        return self.call_product(p, a, b, addends)

    def fadd(self, f: Format, a: Bits, b: Bits, rnd: str = "rn", ftz: bool = False) -> Bits:
        return self.rounded("fadd", f, (a, b), rnd, ftz)

    def fsub(self, f: Format, a: Bits, b: Bits, rnd: str = "rn", ftz: bool = False) -> Bits:
        if self.folds(f, a, b):
            return self.outlined("fsub", f, a, b, rnd, ftz)
        return self.fadd(f, a, b ^ f.sign, rnd, ftz)

    def fsubr(self, f: Format, a: Bits, b: Bits, rnd: str = "rn", ftz: bool = False) -> Bits:
        if self.folds(f, a, b):
            return self.outlined("fsubr", f, a, b, rnd, ftz)
        return self.fadd(f, a ^ f.sign, b, rnd, ftz)

    def fmul(self, f: Format, a: Bits, b: Bits, rnd: str = "rn", ftz: bool = False) -> Bits:
        return self.rounded("fmul", f, (a, b), rnd, ftz)

    def fma(self, f: Format, a: Bits, b: Bits, c: Bits, rnd: str = "rn", ftz: bool = False) -> Bits:
        return self.rounded("fma", f, (a, b, c), rnd, ftz)

    def fdiv(self, f: Format, a: Bits, b: Bits, rnd: str = "rn", ftz: bool = False) -> Bits:
        return self.rounded("fdiv", f, (a, b), rnd, ftz)

    def fsqrt(self, f: Format, a: Bits, rnd: str = "rn", ftz: bool = False) -> Bits:
        return self.rounded("fsqrt", f, (a,), rnd, ftz)

    def rounded(self, op: str, f: Format, operands: tuple[Bits, ...], rnd: str, ftz: bool) -> Bits:
        how = capabilities.rounding(self.cpu, op, f, rnd, ftz)
        if how is None or self.folds(f, *operands):
            return self.outlined(op, f, *operands, rnd, ftz)
        return self.float_operation(how, op, f, operands, rnd, ftz)

    def folds(self, f: Format, *operands: Bits) -> bool:
        """Whether an operation on numbers is computed here: LLVM's result may be a NaN of another sign (f64)."""
        return f.name == "f64" and all(isinstance(a.v, int) for a in operands)

    def mufu(self, op: str, a: Bits) -> Bits:
        return self.outlined("mufu", op, a)

    def lookup(self, table: Sequence[int], index: Bits, w: int) -> Bits:
        if not isinstance(index.v, Value):
            return super().lookup(table, index, w)
        return self.table_element(table, index, w)

    def saturate(self, f: Format, a: Bits) -> Bits:
        if not self.has(f) or f.name == "f64" or not isinstance(a.v, Value):
            return super().saturate(f, a)
        return self.saturated(f, a, a.v)

    def extreme(self, f: Format, operands: tuple[Bits, ...], largest: bool, nan: bool, xorsign: bool) -> Bits:
        known = not any(isinstance(a.v, Value) for a in operands)
        if xorsign or known or not self.has(f) or f.name == "f64":
            return super().extreme(f, operands, largest, nan, xorsign)
        return self.float_extreme(f, operands, largest, nan)

    # Comparisons

    def compares(self, f: Format, a: Bits, b: Bits) -> bool:
        return self.has(f) and (isinstance(a.v, Value) or isinstance(b.v, Value))

    def fless(self, f: Format, a: Bits, b: Bits) -> Bits:
        return self.float_comparison("olt", f, a, b) if self.compares(f, a, b) else super().fless(f, a, b)

    def fequal(self, f: Format, a: Bits, b: Bits) -> Bits:
        return self.float_comparison("oeq", f, a, b) if self.compares(f, a, b) else super().fequal(f, a, b)

    def isnan(self, f: Format, a: Bits) -> Bits:
        return self.float_comparison("uno", f, a, a) if self.compares(f, a, a) else super().isnan(f, a)

    def unordered(self, f: Format, a: Bits, b: Bits) -> Bits:
        return self.float_comparison("uno", f, a, b) if self.compares(f, a, b) else super().unordered(f, a, b)

    # Conversions

    def convert(self, d: Format, s: Format, a: Bits, rnd: str = "rn", *, ftz: bool = False, **more: object) -> Bits:
        if isinstance(a.v, Value) and d is not s and not ftz and not any(more.values()):
            how = capabilities.conversion(self.cpu, d, s, rnd)
            if how is not None:
                return self.converted(how, d, s, a)
            if d is F16 and is_narrow(s) and capabilities.rounding(self.cpu, "fmul", F16, "rn", False) is not None:
                return widened(self, s, a)
        if isinstance(a.v, Value) and is_narrow(d) and rnd == "rn" and not more.get("rbits"):
            satfinite = bool(more.get("satfinite"))
            if s is F32 and not ftz:
                return narrowed(self, d, a, satfinite)
            if s is F16 and self.cpu.f16c:
                return narrowed(self, d, self.convert(F32, F16, a), satfinite)
        if d is s and not (ftz and s.name == "f32"):
            return a
        return self.outlined("convert", d, s, a, rnd, ftz=ftz, **more)

    def from_int(
        self, f: Format, t: Signedness, a: Bits, rnd: str = "rn", *, ftz: bool = False, satfinite: bool = False
    ) -> Bits:
        if isinstance(a.v, Value) and capabilities.has_from_int(f, a.width, rnd):
            return self.int_to_float(f, t, a)
        if isinstance(a.v, Value) and not satfinite and capabilities.is_from_int_by_f32(self.cpu, f, a.width, rnd):
            return self.convert(f, F32, self.from_int(F32, t, a, rnd), rnd)
        return self.outlined("from_int", f, t, a, rnd, ftz=ftz, satfinite=satfinite)

    def to_int(self, t: Signedness, f: Format, a: Bits, rnd: str, *, w: int, ftz: bool = False) -> Bits:
        if isinstance(a.v, Value) and f.name in capabilities.WHOLE_TYPES and w != 1:
            return self.float_to_int(t, f, a, rnd, w, ftz)
        if isinstance(a.v, Value) and f.name == "f16" and self.cpu.f16c:
            return self.to_int(t, F32, self.convert(F32, f, a), rnd, w=w)
        return self.outlined("to_int", t, f, a, rnd, w=w, ftz=ftz)

    def integral(self, f: Format, a: Bits, rnd: str, ftz: bool = False) -> Bits:
        if isinstance(a.v, Value) and f.name in capabilities.WHOLE_TYPES:
            return self.float_integral(f, a, rnd, ftz)
        return self.outlined("integral", f, a, rnd, ftz)

    # Hooks

    def call_definition(self, call: OutlinedCall, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Bits:
        raise NotImplementedError

    def call_product(self, p: MatrixProduct, a: Sequence[Bits], b: Sequence[Bits], addends: Tile) -> Tile:
        """The product of whole fragments by a routine on vectors."""
        raise NotImplementedError

    def float_operation(
        self, how: capabilities.Rounding, op: str, f: Format, operands: tuple[Bits, ...], rnd: str, ftz: bool
    ) -> Bits:
        """Rounded by the processor, or in vectors of f32 for "half" and "bf16"."""
        raise NotImplementedError

    def table_element(self, table: Sequence[int], index: Bits, w: int) -> Bits:
        raise NotImplementedError

    def saturated(self, f: Format, a: Bits, v: Value) -> Bits:
        raise NotImplementedError

    def float_extreme(self, f: Format, operands: tuple[Bits, ...], largest: bool, nan: bool) -> Bits:
        raise NotImplementedError

    def float_comparison(self, condition: str, f: Format, a: Bits, b: Bits) -> Bits:
        raise NotImplementedError

    def converted(self, how: capabilities.Conversion, d: Format, s: Format, a: Bits) -> Bits:
        raise NotImplementedError

    def int_to_float(self, f: Format, t: Signedness, a: Bits) -> Bits:
        raise NotImplementedError

    def float_to_int(self, t: Signedness, f: Format, a: Bits, rnd: str, w: int, ftz: bool) -> Bits:
        raise NotImplementedError

    def float_integral(self, f: Format, a: Bits, rnd: str, ftz: bool) -> Bits:
        """An f32 or f64 rounded to an integer."""
        raise NotImplementedError


def signature(name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[tuple[object, ...], list[Bits]]:
    """The parameters of a function generated from the definition `name`, and the values among its arguments."""
    operands: list[Bits] = []

    def scan(a: Any) -> Any:
        if isinstance(a, Bits):
            operands.append(a)
            return ("bits", a.width)
        if isinstance(a, tuple):
            return tuple([scan(e) for e in cast("tuple[Any, ...]", a)])
        return getattr(a, "signed", a) if hasattr(a, "signed") and not hasattr(a, "man") else a

    key = [name, *[scan(a) for a in arguments], *[(k, scan(a)) for k, a in sorted(keywords.items())]]
    return tuple(key), operands
