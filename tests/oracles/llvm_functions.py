"""Random functions in LLVM IR that mean the same on every machine: run as x86 code, and written as PTX to compare.

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
from dataclasses import dataclass, replace

import llvmlite.binding as llvm
import numpy as np
from llvm_operations import STEPS
from llvm_writer import FLOATS, INTEGERS, WIDTH, Value, Writer

INFINITE = {"half": 0x7C00, "float": 0x7F800000, "double": 0x7FF0000000000000}
QUIET = {"half": 0x7E00, "float": 0x7FC00000, "double": 0x7FF8000000000000}
TRIPLE = "nvptx64-nvidia-cuda"

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
