"""A value as a processor float and as bits: its NaNs are made canonical only when the bits are needed.

`.ftz` is here too: subnormal operands and results become zeros, which the processor would keep.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from functools import partial
from math import inf

from openptx.engines.native.analysis.capabilities import NANS
from openptx.engines.native.analysis.lattice import ZEROS, N, Value, as_lanes, is_finite
from openptx.engines.native.emit.arith.outlined import OutlinedFunction, OutlinedOps
from openptx.engines.native.emit.ir_builder import FLOAT, LaneType
from openptx.llvm.host import MXCSR
from openptx.numerics import Bits, Format
from openptx.numerics.formats import F16, F32, F64

_DIRECTION = {"rn": 8, "rm": 9, "rp": 10, "rz": 11}  # _MM_FROUND_..., with exceptions suppressed
_MODE = {"rn": 0, "rm": 1, "rp": 2, "rz": 3}  # in bits 13 and 14 of MXCSR
_AT_ONCE = 4
"""The number of AVX2 registers computed under one rounding mode: a fused operation on four needs twelve of the
sixteen."""

_X86 = {"fadd": "add", "fmul": "mul", "fdiv": "div", "fma": "vfmadd", "fsqrt": "sqrt"}
_FORMAT = {f.storage: f for f in (F16, F32, F64)}
_NANS_REPLACED = 0x11111100  # `fixed_up`: quiet and signalling NaNs, the first two kinds, are replaced


class FloatBits(OutlinedOps):
    def type_of(self, a: Bits) -> LaneType:
        return LaneType(a.width, self.uniform(a))

    def common_type(self, w: int, operands: Sequence[Bits]) -> LaneType:
        """The type of a result: a scalar if all operands are scalars."""
        return LaneType(w, self.uniform(*operands))

    def name_of(self, a: Bits, uniform: bool) -> str:
        return self.scalar(a) if uniform else self.vector(a)

    def typed(self, t: LaneType, name: str) -> Bits:
        return self.bits(name, t.width, t.lanes)

    def float(self, a: Bits, uniform: bool) -> str:
        """The value as a float, scalar or vector, with arbitrary NaNs."""
        v, t = a.v, LaneType(a.width, uniform)
        if isinstance(v, Value) and v.raw:
            return v.raw if uniform == (v.lanes is ZEROS) else self.splat(v.raw, FLOAT[a.width])
        name = self.ir.emit(f"bitcast {t.int} {self.name_of(a, uniform)} to {t.float}")
        if isinstance(v, Value) and not self.ir.cold and uniform == (v.lanes is ZEROS):
            v.raw = name
        return name

    def raw(self, name: str, w: int, uniform: bool, bound: float = inf, flushed: bool = False) -> Bits:
        """A float result of the processor, whose bits are computed when needed."""
        v = Value("", ZEROS if uniform else None, raw=name)
        v.bound, v.flushed = bound, flushed
        return Bits(self, w, v)

    def bits_of_float(self, t: LaneType, name: str) -> Bits:
        """The bits unchanged."""
        return self.typed(t, self.ir.emit(f"bitcast {t.float} {name} to {t.int}"))

    def bound(self, f: Format, a: Bits) -> float:
        """An upper bound of the magnitude."""
        if isinstance(a.v, Value):
            return a.v.bound
        codes = [e & f.magnitude for e in as_lanes(a.v)]
        return inf if max(codes) > f.largest else as_float(f, max(codes))

    def canonical_bits(self, a: Bits) -> Value:
        v, t = a.v, self.type_of(a)
        assert isinstance(v, Value)
        name = self.ir.emit(f"bitcast {t.float} {v.raw} to {t.int}")
        if a.width in NANS and v.bound == inf:
            nan = self.ir.emit(f"fcmp uno {t.float} {v.raw}, zeroinitializer")
            text = str(NANS[a.width]) if t.uniform else self.literal_vector(NANS[a.width], a.width)
            name = self.ir.emit(f"select {t.predicate} {nan}, {t.int} {text}, {t.int} {name}")
        if self.ir.cold:
            return Value(name, v.lanes)
        v.name = name
        v.vector = "" if t.uniform else name
        return v

    def select_by(self, p: str, a: Bits, b: Bits) -> Bits:
        w = a.width
        both = self.uniform(a, b) and p.startswith("i1")
        raw = [isinstance(e.v, Value) and bool(e.v.raw) and not e.v.name for e in (a, b)]
        if any(raw) and all(r or is_finite(e.v, w) for r, e in zip(raw, (a, b), strict=True)):
            t = LaneType(w, both).float
            name = self.ir.emit(f"select {p}, {t} {self.float(a, both)}, {t} {self.float(b, both)}")
            flushed = all(isinstance(e.v, Value) and e.v.flushed for e in (a, b))
            return self.raw(name, w, both, max(self.bound(_FORMAT[w], e) for e in (a, b)), flushed)
        if both:
            name = self.ir.emit(f"select {p}, i{w} {self.scalar(a)}, i{w} {self.scalar(b)}")
            return self.bits(name, w, ZEROS)
        return super().select_by(p, a, b)

    def settle_bits(self, a: Bits) -> Bits:
        """The value with canonical NaNs, for an instruction that propagates payloads."""
        v = a.v
        if isinstance(v, Value) and v.raw:
            return self.bits((v if v.name else self.canonical_bits(a)).name, a.width, v.lanes)
        return a

    def any_of(self, p: Bits) -> str:
        """An i1: whether `p` holds in some lane, active or not."""
        if self.uniform(p):
            return self.scalar(p)
        return self.ir.is_some(self.ir.mask_bits(self.vector(p)))

    def some_below(self, a: Bits, limit: int) -> str:
        """An i1: whether some lane, active or not, is less. By AVX2 only the minimum of the four registers is
        compared: loops of `.ftz` operations take 0.78 to 0.84 of the time."""
        if self.uniform(a) or a.width != 32 or self.cpu.avx512 or not self.cpu.avx2:
            return self.any_of(a < limit)
        out, n = self.ir, N // 4
        t, name = f"<{n} x i32>", self.vector(a)
        least, *rest = (out.shuffle(LaneType(32, False).int, name, "poison", range(i, i + n)) for i in range(0, N, n))
        for part in rest:
            least = out.emit(f"call {t} @llvm.umin.v{n}i32({t} {least}, {t} {part})")
        found = out.emit(f"icmp ult {t} {least}, splat (i32 {limit})")
        return out.emit(f"icmp ne i{n} {out.emit(f'bitcast <{n} x i1> {found} to i{n}')}, 0")

    def some_nan(self, t: LaneType, x: str) -> str:
        """An i1: whether some lane of a float, active or not, is NaN. By AVX2 one comparison serves two registers."""
        out = self.ir
        if t.uniform or self.cpu.avx512 or not self.cpu.avx2:
            zero = "0.0" if t.uniform else "zeroinitializer"
            return self.any_of(self.bits(out.emit(f"fcmp uno {t.float} {x}, {zero}"), 1, t.lanes))
        n = 256 // t.width
        part = f"<{n} x {FLOAT[t.width]}>"
        parts = [out.shuffle(t.float, x, "poison", range(i, i + n)) for i in range(0, N, n)]
        found, *rest = (out.emit(f"fcmp uno {part} {a}, {b}") for a, b in zip(parts[::2], parts[1::2], strict=True))
        for each in rest:
            found = out.emit(f"or <{n} x i1> {found}, {each}")
        return out.emit(f"icmp ne i{n} {out.emit(f'bitcast <{n} x i1> {found} to i{n}')}, 0")

    def with_nan(self, x: str, code: int) -> str:
        """32 f32 with the same NaN for all."""
        nan = f"bitcast (<16 x i32> splat (i32 {code}) to <16 x float>)"
        parts = [self.ir.shuffle(f"<{N} x float>", x, "poison", range(k, k + 16)) for k in (0, 16)]
        return self.ir.concatenate("float", 16, [self.fixed_up(nan, part, _NANS_REPLACED) for part in parts])

    def fixed_up(self, a: str, b: str, table: int) -> str:
        """Sixteen f32 by `vfixupimmps`: for each kind of number in `b`, four bits of the table give the result. 0 is
        a's element, 1 is b's, 2 is b's as a quiet NaN."""
        t, i = "<16 x float>", "<16 x i32>"
        call = f"call {t} @llvm.x86.avx512.mask.fixupimm.ps.512"
        return self.ir.emit(f"{call}({t} {a}, {t} {b}, {i} splat (i32 {table}), i32 0, i16 -1, i32 4)")

    # Subnormal numbers

    def flush(self, f: Format, a: Bits, ftz: bool = True) -> Bits:
        v = a.v
        if not ftz or not isinstance(v, Value) or not self.has(f):
            return super().flush(f, a, ftz)
        if v.flushed:
            return a
        if v.raw and not v.name:
            return self.float_flushed(f, v.raw, self.uniform(a), v.bound)
        d = super().flush(f, a)
        if isinstance(d.v, Value):
            d.v.flushed = True
        return d

    def float_flushed(self, f: Format, name: str, uniform: bool, bound: float = inf) -> Bits:
        """Flushes subnormals of a float whose NaNs are not canonical yet."""
        t = LaneType(f.storage, uniform)
        d = super().flush(f, self.bits_of_float(t, name))
        return self.raw(
            self.ir.emit(f"bitcast {t.int} {self.name_of(d, uniform)} to {t.float}"), t.width, uniform, bound, True
        )

    def flushed(self, op: str, f: Format, d: Bits, operands: tuple[Bits, ...], rnd: str) -> Bits:
        """A result whose subnormal numbers are flushed, which is rarely needed. PTX detects tininess before the
        exponent is bounded, so if the result is the smallest normal number, which is rarer still, the definition
        decides."""
        t = self.type_of(d)
        quick = self.float(d, t.uniform)
        size = self.magnitude(f, self.bits_of_float(t, quick))
        with self.ir.cold_block(self.some_below(size - 1, f.hidden)) as labels:
            given = [self.bits_of_float(t, quick), *[self.bits_unchanged(a) for a in operands]]
            exact = self.in_function(("flushed", op, f, rnd), given, partial(self.flushed_exactly, op, f, rnd))
            slow = self.float(exact, t.uniform)
        bound = d.v.bound if isinstance(d.v, Value) else inf
        return self.raw(self.ir.phi(t.float, labels, quick, slow), t.width, t.uniform, bound, True)

    def flushed_exactly(self, op: str, f: Format, rnd: str, d: Bits, *operands: Bits) -> Bits:
        """What `flushed` computes in a function that kernels share. The NaNs of all values are arbitrary."""
        t = self.type_of(d)
        quick = self.float(d, t.uniform)
        zeros = self.float(self.float_flushed(f, quick, t.uniform), t.uniform)
        with self.ir.cold_block(self.any_of(self.magnitude(f, d) == f.hidden)) as labels:
            floats = [self.raw(self.float(a, t.uniform), a.width, t.uniform) for a in operands]
            exact = self.float(self.outlined(op, f, *floats, rnd, True), t.uniform)
        return self.bits_of_float(t, self.ir.phi(t.float, labels, zeros, exact))

    def bits_unchanged(self, a: Bits) -> Bits:
        """The bits of a value; of a float with arbitrary NaNs, as they are."""
        if not isinstance(a.v, Value) or a.v.name:
            return a
        return self.bits_of_float(self.type_of(a), a.v.raw)

    # Directed roundings

    def directed(self, op: str, w: int, operands: Sequence[str], rnd: str) -> str:
        """An operation that the processor rounds in the given direction, register by register: AVX-512 instructions
        encode the rounding; for others the processor's mode is changed temporarily."""
        if not self.cpu.avx512:
            n = 256 // w
            return self.ir.concatenate(FLOAT[w], n, self.in_mode(op, w, self.registers(w, n, operands), rnd))
        kind, t, n = ("ps", "<16 x float>", 16) if w == 32 else ("pd", "<8 x double>", 8)
        done: list[str] = []
        for parts in self.registers(w, n, operands):
            x = ", ".join(f"{t} {e}" for e in parts)
            done.append(self.ir.emit(f"call {t} @llvm.x86.avx512.{_X86[op]}.{kind}.512({x}, i32 {_DIRECTION[rnd]})"))
        return self.ir.concatenate(FLOAT[w], n, done)

    def directed_scalar(self, op: str, w: int, operands: Sequence[str], rnd: str) -> str:
        """A directed rounding of scalars: the first element of one register."""
        n = (512 if self.cpu.avx512 else 256) // w
        lanes = [self.splat(e, FLOAT[w]) for e in operands]
        if self.cpu.avx512:
            return self.ir.emit(f"extractelement <{N} x {FLOAT[w]}> {self.directed(op, w, lanes, rnd)}, i32 0")
        found = self.in_mode(op, w, self.registers(w, n, lanes)[:1], rnd)[0]
        return self.ir.emit(f"extractelement <{n} x {FLOAT[w]}> {found}, i32 0")

    def registers(self, w: int, n: int, operands: Sequence[str]) -> list[tuple[str, ...]]:
        """The operands of each register of `n` elements."""
        whole = LaneType(w, False).float
        chunks = [[self.ir.shuffle(whole, e, "poison", range(i, i + n)) for i in range(0, N, n)] for e in operands]
        return list(zip(*chunks, strict=True))

    def in_mode(self, op: str, w: int, registers: list[tuple[str, ...]], rnd: str) -> list[str]:
        """An operation on AVX2 registers, up to four at a time, with the processor's mode set before and restored after
        them: one piece of assembly, so that the mode affects nothing else. Each change costs a cycle (Zen 3) or two
        (Zen 4), but 10 ns in some places where the instructions may lie: in 13 of 44 that were tried on a Zen 4, and in
        some on a Zen 5."""
        ir, n = self.ir, 256 // w
        t, suffix = f"<{n} x {FLOAT[w]}>", "ps" if w == 32 else "pd"
        name = ("vfmadd213" if op == "fma" else "v" + _X86[op]) + suffix
        modes = [self.mode(rnd), self.mode("rn")]
        each, done = len(registers[0]) - 1, list[str]()
        for i in range(0, len(registers), _AT_ONCE):
            parts = registers[i : i + _AT_ONCE]
            # The first operand's registers receive the results; then come the two modes and the other operands.
            first = [part[0] for part in parts]
            others = [e for part in parts for e in part[1:]]
            k = len(parts)
            lines = [f"vldmxcsr ${2 * k}"]
            for j in range(k):
                rest = [f"${2 * k + 2 + j * each + m}" for m in reversed(range(each))]
                # AT&T order: the last operand first. `vfmadd213` has its first factor, `vsqrt` its operand, in place.
                lines.append(f"{name} {', '.join([*rest, *([f'${j}'] if op != 'fma' else []), f'${j}'])}")
            lines.append(f"vldmxcsr ${2 * k + 1}")
            kinds = ["=&x"] * k + [str(j) for j in range(k)] + ["*m"] * 2 + ["x"] * len(others)
            given = [f"{t} {e}" for e in first] + [f"ptr elementtype(i32) {m}" for m in modes]
            given += [f"{t} {e}" for e in others]
            result = "{" + ", ".join([t] * k) + "}" if k > 1 else t
            text = "\\0A".join(lines)
            found = ir.emit(f'call {result} asm "{text}", "{",".join(kinds)}"({", ".join(given)})')
            done += [ir.emit(f"extractvalue {result} {found}, {j}") for j in range(k)] if k > 1 else [found]
        return done

    def mode(self, rnd: str) -> str:
        """A constant of the module: the processor's control word for this rounding."""
        key = ("mode", rnd)
        if key not in self.functions:
            name = f"mode.{rnd}"
            text = f"@{name} = internal constant i32 {MXCSR | _MODE[rnd] << 13}"
            self.functions[key] = OutlinedFunction(name, 32, text)
        return f"@{self.functions[key].name}"


def as_float(f: Format, code: int) -> float:
    """The number that a code of f16, f32 or f64 stands for."""
    size = f.storage // 8
    return struct.unpack({2: "<e", 4: "<f", 8: "<d"}[size], code.to_bytes(size, "little"))[0]
