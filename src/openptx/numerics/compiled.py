"""A machine that emits LLVM IR: the same definitions as loops over arrays, vectorised by the compiler."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cache

import llvmlite.binding as llvm

from openptx.array_types import Array
from openptx.llvm.jit import Library
from openptx.locks import LLVM
from openptx.numerics.bits import Bits, Signedness, U, wrapped
from openptx.numerics.dot import Arithmetic
from openptx.numerics.formats import BF16, F16, F32, TF32, Format
from openptx.numerics.rounding import RandomBits

_LLVM = {"shr": "lshr", "sar": "ashr", "eq": "icmp eq", "ult": "icmp ult", "slt": "icmp slt"}
_COMPARISONS = frozenset(("eq", "ult", "slt"))


class Trace(Arithmetic):
    """Values are names of LLVM integers, or Python integers; each operation appends a line to the body of a loop."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def emit(self, w: int, text: str) -> Bits:
        name = f"%v{len(self.lines)}"
        self.lines.append(f"  {name} = {text}")
        return Bits(self, w, name)

    def const(self, value: int, w: int) -> Bits:
        return Bits(self, w, wrapped(value, w))

    def binary(self, op: str, a: Bits, b: Bits) -> Bits:
        w = a.width
        if w != b.width:
            raise TypeError(f"`{op}` of {w} and {b.width} bits")
        if op in ("shl", "shr", "sar"):
            return self._shift(op, a, b)
        if op in ("udiv", "urem"):
            zero = b == 0
            safe = self.select(zero, self.const(1, w), b)
            d = self.emit(w, f"{op} i{w} {a.v}, {safe.v}")
            return self.select(zero, self.const(-1, w) if op == "udiv" else a, d)
        return self.emit(1 if op in _COMPARISONS else w, f"{_LLVM.get(op, op)} i{w} {a.v}, {b.v}")

    def _shift(self, op: str, a: Bits, n: Bits) -> Bits:
        """LLVM's shifts are undefined for amounts of the width or more."""
        w = a.width
        if isinstance(n.v, int):
            if n.v >= w and op != "sar":
                return self.const(0, w)
            return self.emit(w, f"{_LLVM.get(op, op)} i{w} {a.v}, {min(n.v, w - 1)}")
        fits = n < w
        if op == "sar":
            n = self.select(fits, n, self.const(w - 1, w))
            return self.emit(w, f"ashr i{w} {a.v}, {n.v}")
        return self.select(fits, self.emit(w, f"{_LLVM.get(op, op)} i{w} {a.v}, {n.v}"), self.const(0, w))

    def select(self, p: Bits, a: Bits, b: Bits) -> Bits:
        if a.width != b.width or p.width != 1:
            raise TypeError(f"select of {a.width} and {b.width} bits by {p.width}")
        return self.emit(a.width, f"select i1 {p.v}, i{a.width} {a.v}, i{b.width} {b.v}")

    def resize(self, a: Bits, w: int, signed: bool = False) -> Bits:
        if a.width == w:
            return a
        if isinstance(a.v, int):
            extended = a.v - (1 << a.width) if signed and a.v >> a.width - 1 else a.v
            return self.const(extended & (1 << w) - 1, w)
        how = "trunc" if w < a.width else "sext" if signed else "zext"
        return self.emit(w, f"{how} i{a.width} {a.v} to i{w}")

    def clz(self, a: Bits) -> Bits:
        return self.resize(self.emit(a.width, f"call i{a.width} @llvm.ctlz.i{a.width}(i{a.width} {a.v}, i1 false)"), 32)

    def popc(self, a: Bits) -> Bits:
        return self.resize(self.emit(a.width, f"call i{a.width} @llvm.ctpop.i{a.width}(i{a.width} {a.v})"), 32)

    def convert(
        self, d: Format, s: Format, a: Bits, rnd: str = "rn", *, ftz: bool = False, satfinite: bool = False,
        rbits: RandomBits | None = None,
    ) -> Bits:  # fmt: skip
        """Conversions that processors implement, or nearly so, take fewer operations."""
        if s is F32 and d.storage == 8 and d.gradual and satfinite and rnd == "rn":
            return self._narrow(d, self.flush(s, a, ftz))
        if s is F32 and d is TF32 and rnd == "rn" and not satfinite:
            a = self.flush(s, a, ftz)
            nan = (a & 0x7FFFFFFF) > 0x7F800000
            return self.pick(nan, 0x7FFFE000, (a + 0xFFF + ((a >> 13) & 1)) & 0xFFFFE000)
        if s is F32 and rnd == "rn" and not satfinite and d in (BF16, F16):
            a = self.flush(s, a, ftz)
            if d is BF16:
                v = self.resize((a + 0x7FFF + ((a >> 16) & 1)) >> 16, 16)
                return self.pick((a & 0x7FFFFFFF) > 0x7F800000, 0x7FFF, v)
            if has_half():
                single = self.emit(32, f"bitcast i32 {a.v} to float")
                half = self.emit(16, f"fptrunc float {single.v} to half")
                v = self.emit(16, f"bitcast half {half.v} to i16")
                return self.pick((a & 0x7FFFFFFF) > 0x7F800000, 0x7FFF, v)
        return super().convert(d, s, a, rnd, ftz=ftz, satfinite=satfinite, rbits=rbits)

    def _narrow(self, d: Format, a: Bits) -> Bits:
        """f32 to a format of at most eight bits, to nearest even, saturating.

        From its smallest normal number on, adding half a unit in the last place carries into the exponent as it should.
        Below it, a float whose last place is the step of d's subnormals is added: the processor rounds, and the code is
        the difference in the sum's code.
        """
        cut = F32.man - d.man
        least = (d.emin + F32.bias) << F32.man
        most = (d.emax + F32.bias << F32.man) + ((d.largest & d.hidden - 1) << cut)
        size = a & 0x7FFFFFFF
        clamped = self.min(U, size, most)
        normal = ((clamped + (1 << cut - 1) - 1 + ((clamped >> cut) & 1)) >> cut) - (F32.bias - d.bias << d.man)
        magic = self.const(d.emin - d.man + F32.man + F32.bias << F32.man, 32)
        total = self.emit(32, f"bitcast float {self._sum(size, magic)} to i32")
        code = self.select(size < least, total - magic, normal)
        sign = (a >> 31) << d.width - 1
        return self.resize(self.pick(size > 0x7F800000, d.nan if d.nan is not None else d.largest, code | sign), 8)

    def _sum(self, a: Bits, b: Bits) -> str:
        """The sum of two f32 in the processor's rounding mode, which is to nearest even."""
        names = [self.emit(32, f"bitcast i32 {bits.v} to float").v for bits in (a, b)]
        return self.emit(32, f"fadd float {names[0]}, {names[1]}").v

    def to_int(self, t: Signedness, f: Format, a: Bits, rnd: str, *, w: int, ftz: bool = False) -> Bits:
        """Processors convert f32 to 32-bit integers towards zero; operands out of range are handled here."""
        if f is F32 and w == 32 and rnd in ("rz", "rzi"):
            size, below = a & 0x7FFFFFFF, (a >> 31) != 0
            single = self.emit(32, f"bitcast i32 {a.v} to float")
            v = self.emit(32, f"fpto{'s' if t.signed else 'u'}i float {single.v} to i32")
            least, most = (1 << 31, (1 << 31) - 1) if t.signed else (0, (1 << 32) - 1)
            v = self.select(
                size >= (127 + (31 if t.signed else 32) << 23),
                self.select(below, self.const(least, 32), self.const(most, 32)),
                v,
            )
            none = size > 0x7F800000 if t.signed else (size > 0x7F800000) | below
            return self.pick(none, 0, v)
        return super().to_int(t, f, a, rnd, w=w, ftz=ftz)


def loop(
    function: Callable[..., Bits], widths: Sequence[int], result: int, together: int = 1, machine: type[Trace] = Trace
) -> str:
    """LLVM text of `f(sources..., result, count)`, which applies `function`, written against any machine, to arrays.

    The first source holds `together` consecutive operands for each result, each further source one.
    """
    x = machine()
    d = function(x, *(Bits(x, w, f"%a{i}") for i, w in enumerate(widths)))
    loads: list[str] = []
    for i, w in enumerate(widths):
        source, at = (0, "%first") if i < together else (i - together + 1, "%i")
        loads.append(f"  %p{i} = getelementptr i{w}, ptr %q{source}, i64 {at}")
        if 0 < i < together:
            loads[-1] = f"  %p{i} = getelementptr i{w}, ptr %p0, i64 {i}"
        loads.append(f"  %a{i} = load i{w}, ptr %p{i}")
    body = "\n".join([*loads, *x.lines])
    sources = "".join(f"ptr noalias %q{i}, " for i in range(len(widths) - together + 1))
    declarations = "\n".join(
        f"declare i{w} @llvm.ctlz.i{w}(i{w}, i1)\ndeclare i{w} @llvm.ctpop.i{w}(i{w})" for w in (8, 16, 32, 64)
    )
    return f"""{declarations}
define void @f({sources}ptr noalias %to, i64 %count) "prefer-vector-width"="512" {{
entry:
  %none = icmp eq i64 %count, 0
  br i1 %none, label %exit, label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %first = mul nuw i64 %i, {together}
{body}
  %place = getelementptr i{result}, ptr %to, i64 %i
  store i{result} {d.v}, ptr %place
  %next = add nuw i64 %i, 1
  %done = icmp eq i64 %next, %count
  br i1 %done, label %exit, label %body
exit:
  ret void
}}
"""


@cache
def has_half() -> bool:
    """Whether the processor itself converts f16; otherwise LLVM would call a library function that is not available."""
    with LLVM:
        return llvm.get_host_cpu_features().get("f16c", False) or "aarch64" in llvm.get_default_triple()


@cache
def _target() -> llvm.TargetMachine:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = llvm.get_host_cpu_features().flatten()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=features, opt=3, jit=True
    )


def vectorised_object(text: str) -> bytes:
    """Compiles LLVM text to an object file, with all optimisations and vectorisation.

    The caller holds LLVM's lock until the LLVM objects created here are gone.
    """
    target = _target()
    module = llvm.parse_assembly(text)
    module.verify()
    tuning = llvm.create_pipeline_tuning_options(speed_level=3)
    tuning.loop_vectorization = True
    tuning.slp_vectorization = False
    builder = llvm.create_pass_builder(target, tuning)
    builder.getModulePassManager().run(module, builder)
    return target.emit_object(module)


class Loop:
    """`function` compiled: called with contiguous arrays of unsigned integers."""

    def __init__(
        self, function: Callable[..., Bits], widths: Sequence[int], result: int, together: int = 1,
        machine: type[Trace] = Trace,
    ) -> None:  # fmt: skip
        with LLVM:
            self._library = Library(vectorised_object(loop(function, widths, result, together, machine)), ("f",))
        pointers = [ctypes.c_void_p] * (len(widths) - together + 2)
        self._call = ctypes.CFUNCTYPE(None, *pointers, ctypes.c_int64)(self._library["f"])

    def __call__(self, sources: Sequence[Array], result: Array) -> None:
        """Fills `result`, with the interpreter lock released."""
        self._call(*(a.ctypes.data for a in sources), result.ctypes.data, result.size)
