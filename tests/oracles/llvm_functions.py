"""Random functions in LLVM IR that mean the same on every machine: run here as x86 code, given out as PTX to compare.

Nothing that a function does is undefined or left to the target: shift amounts are masked, divisors guarded, conversions
saturate, and a NaN is made the one NaN before its bits can be seen. So bits that differ are somebody's bug.

    f = Function(seed)
    f.ptx("sm_80", "+ptx78")       a module with one kernel: k(in0, in1, ..., out, n), one thread an element
    f.inputs(count)                NumPy arrays, one a parameter, edge cases first
    f.host(inputs)                 what must come out: 64 bits an element
    f.values, f.watching(i)        the same function giving out value `i` instead: find the first that differs
"""

from __future__ import annotations

import ctypes
import functools
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import llvmlite.binding as llvm
import numpy as np

INTEGERS = ("i8", "i16", "i32", "i64")
FLOATS = ("half", "float", "double")
WIDTH = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "i128": 128, "half": 16, "float": 32, "double": 64}
INFINITE = {"half": 0x7C00, "float": 0x7F800000, "double": 0x7FF0000000000000}
QUIET = {"half": 0x7E00, "float": 0x7FC00000, "double": 0x7FF8000000000000}
SUFFIX = {"half": "f16", "float": "f32", "double": "f64"}
TRIPLE = "nvptx64-nvidia-cuda"


@dataclass(frozen=True, slots=True)
class Value:
    name: str
    type: str


@dataclass(slots=True)
class Writer:
    """IR under construction: lines, the values that may be used, and the intrinsics that were called."""

    dice: random.Random
    lines: list[str] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)
    declared: dict[str, str] = field(default_factory=dict)
    count: int = 0

    def fresh(self, prefix: str = "v") -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    def let(self, type_: str, text: str) -> Value:
        value = Value(f"%{self.fresh()}", type_)
        self.lines.append(f"  {value.name} = {text}")
        return value

    def keep(self, value: Value) -> Value:
        self.values.append(value)
        return value

    def label(self, name: str) -> None:
        self.lines.append(f"{name}:")

    def jump(self, text: str) -> None:
        self.lines.append(f"  br {text}")

    def pick(self, *types: str) -> Value:
        """A value of one of the types: one there is, rather the younger, or a constant."""
        found = [v for v in self.values if v.type in types]
        if found and self.dice.random() < 0.9:
            return found[-1 - min(int(self.dice.expovariate(0.25)), len(found) - 1)]
        return self.constant(self.dice.choice(types))

    def constant(self, type_: str) -> Value:
        if type_ in FLOATS:
            return self.let(type_, f"bitcast i{WIDTH[type_]} {self._float_bits(type_)} to {type_}")
        bits = WIDTH[type_]
        edges = [0, 1, -1, -(2 ** (bits - 1)), 2 ** (bits - 1) - 1, 2, 7, 10]
        v = (
            self.dice.choice(edges)
            if self.dice.random() < 0.5
            else self.dice.randrange(-(2 ** (bits - 1)), 2 ** (bits - 1))
        )
        return Value(str(v), type_)

    def _float_bits(self, type_: str) -> int:
        dtype = {"half": np.float16, "float": np.float32, "double": np.float64}[type_]
        v = self.dice.choice([0.0, -0.0, 1.0, -1.5, 0.1, 3.0, 65504.0, 1e-7, self.dice.gauss(0, 100)])
        return int(np.array(v, dtype).view(f"u{WIDTH[type_] // 8}"))

    def call(self, type_: str, name: str, *arguments: str) -> Value:
        types = ", ".join(a.split()[0] for a in arguments)
        self.declared[name] = f"declare {type_} @{name}({types})"
        return self.let(type_, f"call {type_} @{name}({', '.join(arguments)})")

    def one_nan(self, v: Value) -> Value:
        """The bits of a float as an integer, every NaN made the one NaN: by a function of integers that is not inlined,
        for to LLVM the bits of a NaN are nobody's business, and it folds away whatever cares."""
        whole = f"i{WIDTH[v.type]}"
        raw = self.let(whole, f"bitcast {v.type} {v.name} to {whole}")
        return self.let(whole, f"call {whole} @one_nan_{v.type}({whole} {raw.name})")

    def quiet(self, v: Value) -> Value:
        """The float with every NaN made the one NaN."""
        return self.let(v.type, f"bitcast i{WIDTH[v.type]} {self.one_nan(v).name} to {v.type}")

    def bits(self, v: Value) -> Value:
        """Any value as an i64."""
        if v.type in FLOATS:
            v = self.one_nan(v)
        if v.type == "i64":
            return v
        return self.let("i64", f"{'trunc' if v.type == 'i128' else 'zext'} {v.type} {v.name} to i64")


def integer_operation(w: Writer) -> Value:
    t = w.dice.choice((*INTEGERS, "i32", "i64", "i128"))
    a, b = w.pick(t), w.pick(t)
    op = w.dice.choice(("add", "sub", "mul", "and", "or", "xor", "add", "mul"))
    return w.let(t, f"{op} {t} {a.name}, {b.name}")


def shift(w: Writer) -> Value:
    t = w.dice.choice((*INTEGERS, "i128"))
    a, by = w.pick(t), w.let(t, f"and {t} {w.pick(t).name}, {WIDTH[t] - 1}")
    return w.let(t, f"{w.dice.choice(('shl', 'lshr', 'ashr'))} {t} {a.name}, {by.name}")


def division(w: Writer) -> Value:
    t = w.dice.choice(INTEGERS)
    a, b = w.pick(t), w.pick(t)
    bad = w.let("i1", f"icmp eq {t} {b.name}, 0")
    minus = w.let("i1", f"icmp eq {t} {b.name}, -1")
    either = w.let("i1", f"or i1 {bad.name}, {minus.name}")
    safe = w.let(t, f"select i1 {either.name}, {t} 3, {t} {b.name}")
    return w.let(t, f"{w.dice.choice(('udiv', 'sdiv', 'urem', 'srem'))} {t} {a.name}, {safe.name}")


def comparison(w: Writer) -> Value:
    if w.dice.random() < 0.5:
        t = w.dice.choice((*INTEGERS, "i128"))
        how = w.dice.choice(("eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle"))
        return w.let("i1", f"icmp {how} {t} {w.pick(t).name}, {w.pick(t).name}")
    t = w.dice.choice(FLOATS)
    how = w.dice.choice(
        ("oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno")
    )
    return w.let("i1", f"fcmp {how} {t} {w.pick(t).name}, {w.pick(t).name}")


def selection(w: Writer) -> Value:
    t = w.dice.choice((*INTEGERS, *FLOATS, "i128"))
    return w.let(t, f"select i1 {w.pick('i1').name}, {t} {w.pick(t).name}, {t} {w.pick(t).name}")


def bit_intrinsic(w: Writer) -> Value:
    t = w.dice.choice(INTEGERS)
    a, b, c = (f"{t} {w.pick(t).name}" for _ in "abc")
    name = w.dice.choice(
        ("ctpop", "ctlz", "cttz", "bswap", "bitreverse", "fshl", "fshr", "abs", *(["smin", "smax", "umin", "umax"]))
    )
    if name == "bswap" and t == "i8":
        name = "bitreverse"
    if name in ("ctlz", "cttz", "abs"):
        return w.call(t, f"llvm.{name}.{t}", a, "i1 false")
    if name in ("ctpop", "bswap", "bitreverse"):
        return w.call(t, f"llvm.{name}.{t}", a)
    return w.call(t, f"llvm.{name}.{t}", a, b, c) if name in ("fshl", "fshr") else w.call(t, f"llvm.{name}.{t}", a, b)


def saturation(w: Writer) -> Value:
    t = w.dice.choice(INTEGERS)
    name = w.dice.choice(("uadd", "sadd", "usub", "ssub"))
    return w.call(t, f"llvm.{name}.sat.{t}", f"{t} {w.pick(t).name}", f"{t} {w.pick(t).name}")


def overflow(w: Writer) -> Value:
    t = w.dice.choice(("i32", "i64"))
    name = w.dice.choice(("uadd", "sadd", "usub", "ssub", "umul", "smul"))
    pair = w.call(f"{{ {t}, i1 }}", f"llvm.{name}.with.overflow.{t}", f"{t} {w.pick(t).name}", f"{t} {w.pick(t).name}")
    w.keep(w.let("i1", f"extractvalue {pair.type} {pair.name}, 1"))
    return w.let(t, f"extractvalue {pair.type} {pair.name}, 0")


def widening(w: Writer) -> Value:
    """The upper half of a product, signed or not."""
    t, wide = w.dice.choice((("i32", "i64"), ("i64", "i128"), ("i16", "i32")))
    how = w.dice.choice(("zext", "sext"))
    a, b = (w.let(wide, f"{how} {t} {w.pick(t).name} to {wide}") for _ in "ab")
    product = w.let(wide, f"mul {wide} {a.name}, {b.name}")
    high = w.let(wide, f"lshr {wide} {product.name}, {WIDTH[t]}")
    return w.let(t, f"trunc {wide} {high.name} to {t}")


def resizing(w: Writer) -> Value:
    a = w.pick("i1", *INTEGERS, "i128")
    t = w.dice.choice([t for t in (*INTEGERS, "i128") if t != a.type])
    op = "trunc" if WIDTH[t] < WIDTH[a.type] else w.dice.choice(("zext", "sext"))
    return w.let(t, f"{op} {a.type} {a.name} to {t}")


def joining(w: Writer) -> Value:
    """128 bits of two times 64, and carries between them."""
    low, high = (w.let("i128", f"zext i64 {w.pick('i64').name} to i128") for _ in "ab")
    raised = w.let("i128", f"shl i128 {high.name}, 64")
    return w.let("i128", f"{w.dice.choice(('or', 'add', 'sub'))} i128 {raised.name}, {low.name}")


def float_operation(w: Writer) -> Value:
    t = w.dice.choice((*FLOATS, "float", "double"))
    a, b = w.pick(t), w.pick(t)
    return w.let(t, f"{w.dice.choice(('fadd', 'fsub', 'fmul', 'fdiv', 'fadd', 'fmul'))} {t} {a.name}, {b.name}")


def float_intrinsic(w: Writer) -> Value:
    t = w.dice.choice(("float", "double"))
    a, b, c = (f"{t} {w.pick(t).name}" for _ in "abc")
    name = w.dice.choice(
        (
            "fma",
            "sqrt",
            "floor",
            "ceil",
            "trunc",
            "rint",
            "roundeven",
            "fabs",
            "copysign",
            "minimum",
            "maximum",
            "minnum",
            "maxnum",
        )
    )
    if name == "fma":
        return w.call(t, f"llvm.fma.{SUFFIX[t]}", a, b, c)
    if name == "copysign":
        sign = w.quiet(Value(b.split()[1], t))
        return w.call(t, f"llvm.copysign.{SUFFIX[t]}", a, f"{t} {sign.name}")
    if name in ("minimum", "maximum"):
        return w.call(t, f"llvm.{name}.{SUFFIX[t]}", a, b)
    if name in (
        "minnum",
        "maxnum",
    ):  # which zero is left open: adding +0 makes both +0; a NaN must be quiet to be ignored
        x, y = (f"{t} {w.quiet(Value(v.split()[1], t)).name}" for v in (a, b))
        either = w.call(t, f"llvm.{name}.{SUFFIX[t]}", x, y)
        return w.let(t, f"fadd {t} {either.name}, 0.0")
    return w.call(t, f"llvm.{name}.{SUFFIX[t]}", a)


def negation(w: Writer) -> Value:
    t = w.dice.choice(FLOATS)
    return w.let(t, f"fneg {t} {w.pick(t).name}")


def float_conversion(w: Writer) -> Value:
    kind = w.dice.randrange(4)
    t = w.dice.choice(("float", "double"))
    if kind == 0:
        a = w.pick("i8", "i16", "i32", "i64")
        return w.let(t, f"{w.dice.choice(('sitofp', 'uitofp'))} {a.type} {a.name} to {t}")
    if kind == 1:
        i = w.dice.choice(("i32", "i64"))
        name = w.dice.choice(("fptosi", "fptoui"))
        return w.call(i, f"llvm.{name}.sat.{i}.{SUFFIX[t]}", f"{t} {w.pick(t).name}")
    if kind == 2:
        a, to = w.dice.choice((("half", "float"), ("float", "double"), ("half", "double")))
        return w.let(to, f"fpext {a} {w.pick(a).name} to {to}")
    a, to = w.dice.choice((("double", "float"), ("float", "half")))
    return w.let(to, f"fptrunc {a} {w.pick(a).name} to {to}")


def reinterpretation(w: Writer) -> Value:
    t = w.dice.choice(FLOATS)
    if w.dice.random() < 0.5:
        return w.one_nan(w.pick(t))
    whole = f"i{WIDTH[t]}"
    return w.quiet(w.let(t, f"bitcast {whole} {w.pick(whole).name} to {t}"))


def local_array(w: Writer) -> Value:
    """Eight slots: three stores, and a load, at places that the data decide."""
    t = w.dice.choice(("i8", "i16", "i32", "i64", "float", "double"))
    slots = w.let("ptr", f"alloca [8 x {t}], align 8")
    zero = f"[{', '.join([f'{t} ' + ('0.0' if t in FLOATS else '0')] * 8)}]"
    w.lines.append(f"  store [8 x {t}] {zero}, ptr {slots.name}")
    for _ in range(3):
        w.lines.append(f"  store {t} {w.pick(t).name}, ptr {_slot(w, slots, t).name}")
    return w.let(t, f"load {t}, ptr {_slot(w, slots, t).name}")


def _slot(w: Writer, slots: Value, t: str) -> Value:
    at = w.let("i32", f"and i32 {w.pick('i32').name}, 7")
    return w.let("ptr", f"getelementptr [8 x {t}], ptr {slots.name}, i32 0, i32 {at.name}")


def table(w: Writer) -> Value:
    at = w.let("i32", f"and i32 {w.pick('i32').name}, 15")
    place = w.let("ptr", f"getelementptr [16 x i32], ptr @table, i32 0, i32 {at.name}")
    return w.let("i32", f"load i32, ptr {place.name}")


def helper_call(w: Writer) -> Value:
    """A call that is not inlined, of a function that calls itself a few times."""
    n = w.let("i32", f"and i32 {w.pick('i32').name}, 7")
    return w.let(
        "i64", f"call i64 @helper(i32 {n.name}, i64 {w.pick('i64').name}, double {w.quiet(w.pick('double')).name})"
    )


def diamond(w: Writer) -> Value:
    """If and else, each with a few steps of its own."""
    t = w.dice.choice((*INTEGERS, "float", "double"))
    names = [w.fresh(p) for p in ("then", "other", "join")]
    w.jump(f"i1 {w.pick('i1').name}, label %{names[0]}, label %{names[1]}")
    ends = []
    for name in names[:2]:
        w.label(name)
        ends.append(f"[ {_branch(w, t).name}, %{_last_label(w)} ]")
        w.jump(f"label %{names[2]}")
    w.label(names[2])
    return w.let(t, f"phi {t} {', '.join(ends)}")


def multiway(w: Writer) -> Value:
    """A switch over five to nine neighbours: a branch table."""
    t, cases = w.dice.choice(("i32", "i64", "float")), w.dice.randrange(5, 10)
    names, join = [w.fresh("case") for _ in range(cases + 1)], w.fresh("join")
    key = w.let("i32", f"and i32 {w.pick('i32').name}, 15")
    arms = " ".join(f"i32 {i}, label %{name}" for i, name in enumerate(names[1:]))
    w.lines.append(f"  switch i32 {key.name}, label %{names[0]} [ {arms} ]")
    ends = []
    for name in names:
        w.label(name)
        ends.append(f"[ {_branch(w, t).name}, %{_last_label(w)} ]")
        w.jump(f"label %{join}")
    w.label(join)
    return w.let(t, f"phi {t} {', '.join(ends)}")


def loop(w: Writer) -> Value:
    """A loop of up to fifteen rounds, as many as the data say, carrying one value."""
    t = w.dice.choice((*INTEGERS, "float", "double"))
    limit, first = w.let("i32", f"and i32 {w.pick('i32').name}, 15"), w.pick(t)
    before, head, body, done = _last_label(w), w.fresh("head"), w.fresh("body"), w.fresh("done")
    next_count, next_value = f"%{w.fresh('n')}", f"%{w.fresh('c')}"
    w.jump(f"label %{head}")
    w.label(head)
    hole = len(w.lines)
    count, carried = Value(f"%{w.fresh()}", "i32"), Value(f"%{w.fresh()}", t)
    w.lines += ["", ""]
    more = w.let("i1", f"icmp ult i32 {count.name}, {limit.name}")
    w.jump(f"i1 {more.name}, label %{body}, label %{done}")
    w.label(body)
    known = list(w.values)
    w.values += [count, carried]
    result = _branch(w, t)
    again = _last_label(w)
    identity = {"float": "fadd", "double": "fadd"}.get(t, "xor")
    w.lines.append(f"  {next_value} = {identity} {t} {result.name}, {carried.name}")
    w.lines.append(f"  {next_count} = add i32 {count.name}, 1")
    w.jump(f"label %{head}")
    w.values[:] = known
    w.lines[hole] = f"  {count.name} = phi i32 [ 0, %{before} ], [ {next_count}, %{again} ]"
    w.lines[hole + 1] = f"  {carried.name} = phi {t} [ {first.name}, %{before} ], [ {next_value}, %{again} ]"
    w.label(done)
    return w.let(t, f"select i1 true, {t} {carried.name}, {t} {carried.name}")


def _branch(w: Writer, t: str) -> Value:
    """A few steps whose values are forgotten afterwards, but for a last one of type `t`."""
    known = list(w.values)
    for _ in range(w.dice.randrange(1, 4)):
        w.keep(w.dice.choice(SIMPLE)(w))
    v = w.pick(t)
    if not v.name.startswith("%"):
        op = "fadd" if t in FLOATS else "add"
        v = w.let(t, f"{op} {t} {v.name}, {v.name}")
    w.values[:] = known
    return v


def _last_label(w: Writer) -> str:
    return next(line[:-1] for line in reversed(w.lines) if line.endswith(":"))


Step = Callable[[Writer], Value]
SIMPLE: tuple[Step, ...] = (
    integer_operation, shift, division, comparison, selection, bit_intrinsic, saturation, overflow, widening, resizing,
    joining, float_operation, float_intrinsic, negation, float_conversion, reinterpretation, table,
)  # fmt: skip
STEPS: tuple[Step, ...] = (*SIMPLE, *SIMPLE, local_array, helper_call, diamond, multiway, loop)

PRELUDE = """
@table = internal constant [16 x i32] [{numbers}]
declare double @llvm.fma.f64(double, double, double)

define internal i64 @helper(i32 %n, i64 %v, double %d) noinline {{
entry:
  %stop = icmp eq i32 %n, 0
  br i1 %stop, label %last, label %more
last:
  %big = fcmp ogt double %d, 1.0
  %bonus = select i1 %big, i64 {bonus}, i64 -1
  %r = xor i64 %v, %bonus
  ret i64 %r
more:
  %m = sub i32 %n, 1
  %w = mul i64 %v, {factor}
  %e = call double @llvm.fma.f64(double %d, double 0.5, double 1.25)
  %s = call i64 @helper(i32 %m, i64 %w, double %e)
  %x = lshr i64 %s, 3
  %y = add i64 %x, %v
  ret i64 %y
}}
"""
ONE_NAN = """
define internal {whole} @one_nan_{type}({whole} %v) noinline {{
  %a = and {whole} %v, {mask}
  %n = icmp ugt {whole} %a, {infinite}
  %r = select i1 %n, {whole} {quiet}, {whole} %v
  ret {whole} %r
}}
"""
KERNEL = """
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()

define ptx_kernel void @k({pointers}, ptr %out, i32 %n) {{
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %base = mul i32 %b, %d
  %i32 = add i32 %base, %t
  %there = icmp ult i32 %i32, %n
  br i1 %there, label %work, label %leave
work:
  %i = zext i32 %i32 to i64
{body}
  br label %leave
leave:
  ret void
}}
"""
DRIVER = """
define void @drive({pointers}, ptr %out, i64 %n) {{
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %work ]
  %more = icmp ult i64 %i, %n
  br i1 %more, label %work, label %leave
work:
{body}
  %next = add i64 %i, 1
  br label %head
leave:
  ret void
}}
"""


@dataclass(frozen=True)
class Function:
    """A function made from a seed; `steps` is about its length."""

    seed: int
    steps: int = 24
    watched: int | None = None

    @functools.cached_property
    def parameters(self) -> tuple[str, ...]:
        dice = random.Random(self.seed)
        return ("i32", "i64", "float", "double", *(dice.choice((*INTEGERS, *FLOATS)) for _ in range(2)))

    @functools.cached_property
    def _built(self) -> tuple[str, tuple[str, ...]]:
        """The IR of `f` with what it calls, and the lines that made its values."""
        w = Writer(random.Random(self.seed))
        w.label("entry")
        for i, t in enumerate(self.parameters):
            v = Value(f"%p{i}", t)
            w.keep(v)
        first = len(w.values)
        for _ in range(self.steps):
            w.keep(w.dice.choice(STEPS)(w))
        made = w.values[first:]
        definitions = {line.split(" = ")[0].strip(): line.strip() for line in w.lines if " = " in line}
        if self.watched is None:
            total = Value("0", "i64")
            for v in made:
                turned = w.let("i64", f"mul i64 {total.name}, 6364136223846793005")
                total = w.let("i64", f"add i64 {turned.name}, {w.bits(v).name}")
        else:
            total = w.bits(made[self.watched])
        numbers = ", ".join(f"i32 {w.dice.randrange(-(2**31), 2**31)}" for _ in range(16))
        prelude = PRELUDE.format(numbers=numbers, bonus=w.dice.randrange(2**62), factor=w.dice.randrange(2**62) | 1)
        for t in FLOATS:
            mask = 2 ** (WIDTH[t] - 1) - 1
            prelude += ONE_NAN.format(whole=f"i{WIDTH[t]}", type=t, mask=mask, infinite=INFINITE[t], quiet=QUIET[t])
        head = ", ".join(f"{t} %p{i}" for i, t in enumerate(self.parameters))
        body = "\n".join(w.lines)
        declared = "\n".join(text for name, text in sorted(w.declared.items()) if name != "llvm.fma.f64")
        text = (
            f"{prelude}\n{declared}\ndefine internal i64 @f({head}) noinline {{\n{body}\n  ret i64 {total.name}\n}}\n"
        )
        return text, tuple(definitions[v.name] for v in made)

    @property
    def values(self) -> tuple[str, ...]:
        """The line of IR after each value that can be watched."""
        return self._built[1]

    def watching(self, index: int) -> Function:
        """The same function, giving out one of its values."""
        return replace(self, watched=index)

    def ir(self, frame: str) -> str:
        """The module: the function inside the kernel or the driver."""
        load = [
            line
            for i, t in enumerate(self.parameters)
            for line in (f"  %a{i} = getelementptr {t}, ptr %in{i}, i64 %i", f"  %l{i} = load {t}, ptr %a{i}")
        ]
        arguments = ", ".join(f"{t} %l{i}" for i, t in enumerate(self.parameters))
        call = [
            f"  %r = call i64 @f({arguments})",
            "  %o = getelementptr i64, ptr %out, i64 %i",
            "  store i64 %r, ptr %o",
        ]
        pointers = ", ".join(f"ptr %in{i}" for i in range(len(self.parameters)))
        return self._built[0] + frame.format(pointers=pointers, body="\n".join(load + call))

    def ptx(self, target: str = "sm_80", version: str = "+ptx78", optimise: bool = True) -> str:
        """A module with the kernel `k`."""
        machine = _target(TRIPLE).create_target_machine(cpu=target, features=version, opt=2)
        return machine.emit_assembly(_module(self.ir(KERNEL), TRIPLE, machine, optimise))

    def inputs(self, count: int = 64) -> list[np.ndarray]:
        """One array a parameter, with its edges among anything; a NaN is the one NaN."""
        r = np.random.default_rng(self.seed)
        return [_numbers(r, t, count) for t in self.parameters]

    def host(self, inputs: Sequence[np.ndarray], optimise: bool = False) -> np.ndarray:
        """What x86 code gives, 64 bits an element."""
        machine = _target(llvm.get_default_triple()).create_target_machine(
            cpu=llvm.get_host_cpu_name(), opt=2, jit=True
        )
        module = _module(self.ir(DRIVER), llvm.get_default_triple(), machine, optimise)
        out = np.zeros(len(inputs[0]), np.uint64)
        with llvm.create_mcjit_compiler(module, machine) as engine:
            engine.finalize_object()
            signature = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * (len(inputs) + 1), ctypes.c_int64)
            drive = signature(engine.get_function_address("drive"))
            drive(*(a.ctypes.data for a in inputs), out.ctypes.data, len(out))
        return out


def _numbers(r: np.random.Generator, t: str, count: int) -> np.ndarray:
    bits = WIDTH[t]
    raw = r.integers(0, 2**bits, count, dtype=f"u{bits // 8}")
    if t in FLOATS:
        dtype = f"f{bits // 8}"
        edges = np.array([0, -0.0, 1, -1, 0.5, 3, np.inf, -np.inf, np.nan, 1e-7, 65504, 2**-24], dtype)
        mild = (r.normal(size=count) * 10.0 ** r.integers(-3, 5, count)).astype(dtype)
        values = np.where(r.random(count) < 0.6, mild, raw.view(dtype))
        with np.errstate(invalid="ignore"):
            values = np.where(np.isnan(values), np.array(np.nan, dtype), values)
    else:
        edges = np.array([0, 1, 2**bits - 1, 2 ** (bits - 1), 2 ** (bits - 1) - 1, 2, 10], raw.dtype)
        values = np.where(r.random(count) < 0.4, raw >> r.integers(0, bits, count).astype(raw.dtype), raw)
    places = r.permutation(count)[: min(len(edges), count)]
    values[places] = edges[: len(places)]
    return np.ascontiguousarray(values)


@functools.cache
def _target(triple: str) -> llvm.Target:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    return llvm.Target.from_triple(triple)


def _module(ir: str, triple: str, machine: llvm.TargetMachine, optimise: bool) -> llvm.ModuleRef:
    module = llvm.parse_assembly(ir)
    module.triple, module.data_layout = triple, str(machine.target_data)
    module.verify()
    if optimise:
        passes = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=2))
        passes.getModulePassManager().run(module, passes)
    return module


Launch = Callable[[str, list[np.ndarray], np.ndarray], None]
"""Runs kernel `k` of a PTX text over the inputs and fills the output: yours."""


def difference(
    function: Function, launch: Launch, *, count: int = 64, target: str = "sm_80", version: str = "+ptx78"
) -> str:
    """Nothing where both agree; else the first value that differs, the line of IR that made it, and both results."""
    inputs = function.inputs(count)

    def results(f: Function) -> tuple[np.ndarray, np.ndarray]:
        got = np.zeros(count, np.uint64)
        launch(f.ptx(target, version), inputs, got)
        return got, f.host(inputs)

    got, expected = results(function)
    if (got == expected).all():
        return ""
    for index, line in enumerate(function.values):
        got, expected = results(function.watching(index))
        if (got != expected).any():
            at = int(np.flatnonzero(got != expected)[0])
            given = ", ".join(f"{t} {a[at]!r}" for t, a in zip(function.parameters, inputs, strict=True))
            verdict = f"{got[at]:#x}, expected {expected[at]:#x}"
            return f"seed {function.seed}, value {index}: {line}\n  element {at}: {verdict}\n  inputs {given}"
    return f"seed {function.seed}: the whole differs, no single value does"
