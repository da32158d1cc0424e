"""Conversions between numbers."""

from __future__ import annotations

from contraction.listing import Instruction

from lifting.floats import ROUNDINGS
from lifting.operands import Step, Unreadable, Writer, is_number

TO_INTEGER = {"TRUNC": "rzi", "FLOOR": "rmi", "CEIL": "rpi"}


def round_to_integer(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    d, a = operands
    rounding = next((TO_INTEGER[m] for m in mods if m in TO_INTEGER), "rni")
    ftz = ".ftz" if "FTZ" in mods else ""
    if "F64" in mods:
        w.set_wide(d, w.make(f"cvt.{rounding}.f64.f64", w.double(a), type="b64"))
    elif "F16" in mods:
        raise Unreadable(i.text)
    else:
        w.set(d, w.make(f"cvt.{rounding}{ftz}.f32.f32", w.single(a)))


def from_integer(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    d, a = operands
    target = next((m.lower() for m in mods if m in ("F64", "F16", "F32", "BF16")), "f32")
    source = next((m.lower() for m in mods if m[0] in "SU" and m[1:].isdigit()), "s32")
    rounding = next((ROUNDINGS[m] for m in mods if m in ROUNDINGS), "rn")
    if source[1:] == "64":
        value = w.wide(a)
    else:
        value = w.integer(a)
        if source in ("u8", "s8", "u16", "s16"):
            value = w.make(f"cvt.{source}.u32", value, type="b16")
    convert = f"cvt.{rounding}.{target}.{source}"
    put_float(w, d, target, convert, value)


def put_float(w: Writer, d: str, target: str, convert: str, value: str) -> None:
    """Sets a register to a converted number of 16, 32 or 64 bits."""
    if target == "f64":
        w.set_wide(d, w.make(convert, value, type="b64"))
    elif target in ("f16", "bf16"):
        w.set(d, w.make("cvt.u32.u16", w.make(convert, value, type="b16")))
    else:
        w.set(d, w.make(convert, value))


def number_of(w: Writer, operand: str, type: str) -> str:
    """An operand of a conversion."""
    if type == "f64":
        return w.double(operand)
    return w.single(operand) if type == "f32" else w.make("cvt.u16.u32", w.integer(operand), type="b16")


def to_integer(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    d, a = operands
    source = next((m.lower() for m in mods if m in ("F64", "F16", "BF16")), "f32")
    target = next((m.lower() for m in mods if m[0] in "SU" and m[1:].isdigit()), "s32")
    rounding = next((TO_INTEGER[m] for m in mods if m in TO_INTEGER), "rni")
    ftz = ".ftz" if "FTZ" in mods else ""
    if source == "f32" and target[1:] == "32" and "NTZ" not in mods:
        raise Unreadable(i.text)
    value = number_of(w, a, source)
    convert = f"cvt.{rounding}{ftz}.{target}.{source}"
    if target[1:] == "64":
        w.set_wide(d, w.make(convert, value, type="b64"))
    else:
        w.set(d, w.make(convert, value))


def convert(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    d, a = operands
    ftz = ".ftz" if "FTZ" in mods else ""
    types = [m.lower() for m in mods if m in ("F64", "F32", "F16", "BF16")]
    rounding = next((ROUNDINGS[m] for m in mods if m in ROUNDINGS), "rn")
    target, source = types
    value = number_of(w, a, source)
    sizes = {"f64": 64, "f32": 32, "f16": 16, "bf16": 16}
    rounds = f".{rounding}" if sizes[target] < sizes[source] else ""
    put_float(w, d, target, f"cvt{rounds}{ftz}.{target}.{source}", value)


TYPES = {
    name: name.lower() for name in ("F16", "BF16", "F32", "TF32", "E4M3", "E5M2", "E2M3", "E3M2", "E2M1")
} | {"E8": "ue8m0", "S2_6": "s2f6"}  # fmt: skip
KEPT = {"RZ": ".rz", "RP": ".rp", "RS": ".rs", "RELU": ".relu", "SATFINITE": ".satfinite"}


def pack(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    """`F2FP`: two numbers become a pair, or one of them a number in the lower half."""
    types = [TYPES[m] for m in mods if m in TYPES]
    way = next((m for m in mods if "PACK" in m or "MERGE" in m), "")
    if any(m not in (*TYPES, *KEPT, way) for m in mods):
        raise Unreadable(i.text)
    if way in ("PACK_AB", "MERGE_C") and types in ([], ["bf16"]):
        types = [*(types or ["f16"]), "f32"]  # code for sm_80 names bf16 only
    target, source = types
    rounding = "".join(KEPT[m] for m in ("RZ", "RP", "RS") if m in mods) or ".rn"
    more = rounding + "".join(KEPT[m] for m in ("RELU", "SATFINITE") if m in mods)
    d, *values = operands
    small = target not in ("f16", "bf16", "tf32")
    if small or "MERGE_C" in way:
        if rounding == ".rs":  # it leaves random bits for another one
            raise Unreadable(i.text)
        c = values.pop()
        if target == "s2f6":
            more += ".scaled::n2::ue8m0"
            values.append(scale(w, c, 16))
        elif c != "RZ":
            raise Unreadable(i.text)
    match way, source:
        case "PACK_AB", "f32" if not small:
            rest = [w.integer(values[2])] if rounding == ".rs" else []
            w.set(d, w.make(f"cvt{more}.{target}x2.f32", *(w.single(each) for each in values[:2]), *rest))
        case "PACK_AB_MERGE_C", "f32" if small:
            put_pair(w, d, f"cvt{more}.{target}x2.f32", target, *map(w.single, values[:2]), *values[2:])
        case "MERGE_C", "f32" if not small:
            put_float(w, d, target, f"cvt{more}.{target}.f32", w.single(values[0]))
        case "PACK_B", "f32" if target == "tf32":
            w.set(d, w.make(f"cvt{more}.tf32.f32", w.single(values[0])))
        case "UNPACK_B_MERGE_C", "f16" | "bf16":
            put_pair(w, d, f"cvt{more}.{target}x2.{source}x2", target, w.integer(values[0]), *values[1:])
        case "UNPACK_B", _ if not small:
            unpack(w, d, more, target, source, values)
        case _:
            raise Unreadable(i.text)


def scale(w: Writer, operand: str, shift: int) -> str:
    """Two factors, in the lower or the upper half of a word."""
    operand = operand.removesuffix(".H0")
    word = str(w.immediate) if is_number(operand) else w.word(operand)
    return w.make("cvt.u16.u32", w.make("shr.u32", word, str(shift)), type="b16")


def put_pair(w: Writer, d: str, opcode: str, target: str, *values: str) -> None:
    """A pair of small numbers; of four bits each they are a byte."""
    size = 8 if target == "e2m1" else 16
    w.set(d, w.make(f"cvt.u32.u{size}", w.make(opcode, *values, type=f"b{size}")))


def unpack(w: Writer, d: str, more: str, target: str, source: str, values: list[str]) -> None:
    size = 8 if source == "e2m1" else 16
    factors = [scale(w, each, 0) for each in values[1:]]
    value = w.make(f"cvt.u{size}.u32", w.integer(values[0]), type=f"b{size}")
    scaled = ".scaled::n2::ue8m0" if factors else ""
    w.set(d, w.make(f"cvt{more}{scaled}.{target}x2.{source}x2", value, *factors))


def saturate(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    """`I2I`: to a smaller integer."""
    if mods[1:] != ["S32", "SAT"] or mods[0] not in ("U8", "S8", "U16", "S16"):
        raise Unreadable(i.text)
    w.set(operands[0], w.make(f"cvt.sat.{mods[0].lower()}.s32", w.integer(operands[1])))


def pack_integers(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    d, a, b, c = operands
    if mods[1:] != ["S32", "SAT"]:
        raise Unreadable(i.text)
    values = [w.integer(a), w.integer(b)]
    if mods[0] not in ("U16", "S16"):
        values.append(w.integer(c.partition(".")[0]))  # as many bits of it as stay
    elif c != "RZ":
        raise Unreadable(i.text)
    w.set(d, w.make(f"cvt.pack.sat.{mods[0].lower()}.s32{'.b32' if len(values) == 3 else ''}", *values))


STEPS: dict[str, Step] = {
    "FRND": round_to_integer, "I2F": from_integer, "I2FP": from_integer, "F2I": to_integer, "F2F": convert,
    "F2FP": pack, "I2I": saturate, "I2IP": pack_integers,
}  # fmt: skip
