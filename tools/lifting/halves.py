"""Instructions on pairs of f16 and bf16."""

from __future__ import annotations

import numpy as np
from contraction.listing import Instruction
from ml_dtypes import bfloat16

from lifting.floats import extremes
from lifting.operands import _NUMBER, Step, Unreadable, Writer, is_predicate

SWIZZLES = {"H0_H0": "0x1010", "H1_H1": "0x3232", "H1_H0": "0x3210", "H0_H1": "0x1032"}


def literal(text: str, format: str) -> int:
    type = np.float16 if format == "f16" else bfloat16
    return int(np.array(Writer.number(text), type).view(np.uint16))


def operand(w: Writer, operands: list[str], format: str) -> str:
    """The next operand, as a pair; of literals the first is the upper half."""
    text = operands.pop(0)
    if _NUMBER.match(text):
        return w.make("mov.b32", f"0x{literal(text, format) << 16 | literal(operands.pop(0), format):08X}")
    minus, text = text.startswith("-"), text.removeprefix("-")
    magnitude, text = text.startswith("|"), text.replace("|", "")
    register, _, swizzle = text.partition(".")
    value = w.word(register)
    value = w.make("mov.b32", value) if value[0] != "%" else value
    if swizzle and swizzle not in SWIZZLES:
        raise Unreadable(text)
    if swizzle and swizzle != "H1_H0":
        value = w.make("prmt.b32", value, "0", SWIZZLES[swizzle])
    if magnitude:
        value = w.make("and.b32", value, "0x7FFF7FFF")
    if minus:
        value = w.make("xor.b32", value, "0x80008000")
    return value


def arithmetic(name: str) -> Step:
    def step(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
        d, *rest = operands
        mods = [m for m in mods if m != "MMA"]
        if mods == ["F32"]:
            to_single(w, i, d, rest)
            return
        format = "bf16" if "BF16_V2" in mods else "f16"
        if any(m not in ("BF16_V2", "FTZ", "OOB", "SAT", "RELU") for m in mods):
            raise Unreadable(i.text)
        more = "".join(f".{m.lower()}" for m in mods if m != "BF16_V2")
        values = list[str]()
        while rest:
            values.append(operand(w, rest, format))
        if name == "fma" and all_zero(i):
            w.set(d, values[2])  # a constant
            return
        w.set(d, w.make(f"{name}.rn{more}.{format}x2", *values))

    return step


def all_zero(i: Instruction) -> bool:
    """Whether the product is of zeros and the addend is given: a move."""
    return i.operands[1].startswith("-RZ") and i.operands[2].startswith("RZ") and len(i.operands) == 5


def to_single(w: Writer, i: Instruction, d: str, rest: list[str]) -> None:
    if len(rest) != 2 or not {*rest} & {"-RZ", "-RZ.H0_H0"}:
        raise Unreadable(i.text)
    text = rest[1 if rest[0] in ("-RZ", "-RZ.H0_H0") else 0]
    minus, text = text.startswith("-"), text.removeprefix("-")
    magnitude, text = text.startswith("|"), text.replace("|", "")
    register, _, swizzle = text.partition(".")
    word = w.word(register)
    if swizzle == "H1_H1":
        word = w.make("shr.u32", word, "16")
    elif swizzle != "H0_H0":
        raise Unreadable(i.text)
    value = w.make("cvt.f32.f16", w.make("cvt.u16.u32", word, type="b16"))
    if magnitude:
        value = w.make("and.b32", value, "0x7FFFFFFF")
    if minus:
        value = w.make("xor.b32", value, "0x80000000")
    w.set(d, value)


def compare(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    format = "bf16" if "BF16_V2" in mods else "f16"
    ftz = ".ftz" if "FTZ" in mods else ""
    test, combine = (m.lower() for m in mods if m not in ("BF16_V2", "FTZ"))
    p, q, *rest = operands
    a, b = operand(w, rest, format), operand(w, rest, format)
    results = w.new("pred"), w.new("pred")
    w.emit(f"setp.{test}.{combine}{ftz}.{format}x2 {results[0]}|{results[1]}, {a}, {b}, {w.predicate(rest[0])}")
    w.set_predicate(p, results[0])
    w.set_predicate(q, results[1])


def set_halves(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    """`HSET2`: ones, or all bits, where a comparison holds."""
    format = "bf16x2" if "BF16_V2" in mods else "f16x2"
    result = format if "BF" in mods else "u32"
    ftz = ".ftz" if "FTZ" in mods else ""
    test, combine = (m.lower() for m in mods if m not in ("BF16_V2", "BF", "FTZ"))
    d, *rest = operands
    a, b = operand(w, rest, format[:-2]), operand(w, rest, format[:-2])
    w.set(d, w.make(f"set.{test}.{combine}{ftz}.{result}.{format}", a, b, w.predicate(rest[0])))


def extreme(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    format = "bf16" if "BF16_V2" in mods else "f16"
    d, *rest = operands
    if "XORSIGN" in mods:  # its operands are shown as magnitudes, but it takes their signs
        rest = [each.replace("|", "") for each in rest]
    a, b = operand(w, rest, format), operand(w, rest, format)
    if rest[0] not in ("PT", "!PT") or not is_predicate(rest[0]):
        raise Unreadable(i.text)
    more = extremes(i, [m for m in mods if m != "BF16_V2"])
    w.set(d, w.make(f"{'min' if rest[0] == 'PT' else 'max'}{more}.{format}x2", a, b))


STEPS: dict[str, Step] = {
    "HADD2": arithmetic("add"), "HMUL2": arithmetic("mul"), "HFMA2": arithmetic("fma"),
    "HSETP2": compare, "HSET2": set_halves, "HMNMX2": extreme,
}  # fmt: skip
