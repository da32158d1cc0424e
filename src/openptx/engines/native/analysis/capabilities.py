"""What the processor and this engine support for floats and parameters, asked by the abstract machine and by emission,
so that both take the same path."""

from __future__ import annotations

from typing import Literal

from openptx.llvm.host import CPU
from openptx.numerics import Format
from openptx.program import Function

WHOLE_TYPES = ("f32", "f64")

NANS = {16: 0x7FFF, 32: 0x7FFFFFFF}
"""The NaN of operations on f16 and f32, by width; it is not the processor's. NaNs of f64 keep their payloads."""

Rounding = Literal["processor", "half", "bf16"]
Conversion = Literal["float", "bits"]


def has(cpu: CPU, f: Format) -> bool:
    """Whether the processor has arithmetic of the format."""
    return f.name in WHOLE_TYPES or (f.name == "f16" and cpu.fp16)


def rounding(cpu: CPU, op: str, f: Format, rnd: str, ftz: bool) -> Rounding | None:
    """How an operation is rounded: by the processor's own instruction, or by that of f32; None if by its definition."""
    if has(cpu, f) and not (ftz and f.name == "f64"):
        nearest = rnd == "rn" and (op != "fma" or cpu.fma)
        if nearest or (rnd != "rn" and cpu.rounds and f.storage != 16):
            return "processor"
    if f.name == "f16" and rnd == "rn" and cpu.f16c and op != "fsqrt":
        return "half"
    if f.name == "bf16" and rnd == "rn" and not ftz and (op in ("fadd", "fmul") or (op == "fma" and cpu.fma)):
        return "bf16"
    return None


def conversion(cpu: CPU, d: Format, s: Format, rnd: str) -> Conversion | None:
    """The form of the result of a conversion to `d` from `s` without modifiers, by the processor or by this engine;
    None if the definition is called."""
    pair = (s.name, d.name)
    if pair == ("f16", "f32") and cpu.f16c:
        return "float"
    if pair == ("f32", "f16") and rnd == "rn" and cpu.f16c:
        return "float" if cpu.fp16 else "bits"
    exact = pair in (("f32", "f64"), ("bf16", "f32"))
    return "bits" if exact or (pair in (("f64", "f32"), ("f32", "bf16")) and rnd == "rn") else None


def has_from_int(f: Format, width: int, rnd: str) -> bool:
    """Whether the processor converts integers of `width` bits with this rounding: with any, if the result is exact."""
    return f.name in WHOLE_TYPES and (rnd == "rn" or (f.name == "f64" and width <= 32))


def is_from_int_by_f32(cpu: CPU, f: Format, width: int, rnd: str) -> bool:
    """Whether an integer of `width` bits may be rounded to f32 first: that is exact, or the result is infinite."""
    return rnd == "rn" and ((f.name == "f16" and cpu.f16c) or (f.name == "bf16" and width <= 16))


def is_parameter(function: Function, offset: int, size: int) -> bool:
    """Whether a known address covers `size` bytes of the kernel's parameters."""
    return offset + size <= function.parameter_size and offset % size == 0
