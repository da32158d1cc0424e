"""Floating-point instructions of f32 and f64 and conversions."""

from __future__ import annotations

from contraction.listing import Instruction

from lifting.operands import Step, Unreadable, Writer, is_number

ROUNDINGS = {"RM": "rm", "RP": "rp", "RZ": "rz"}
TO_INTEGER = {"TRUNC": "rzi", "FLOOR": "rmi", "CEIL": "rpi"}
FUNCTIONS = {
    "RCP": "rcp.approx.ftz.f32", "RSQ": "rsqrt.approx.ftz.f32", "SQRT": "sqrt.approx.ftz.f32",
    "EX2": "ex2.approx.ftz.f32", "LG2": "lg2.approx.ftz.f32", "TANH": "tanh.approx.f32",
}  # fmt: skip
TURN = "0.15915493667125701904"
"""What multiplies the operand of a sine, which `sin.approx` does too."""


def flags(mods: list[str]) -> str:
    """`.rm.ftz.sat`."""
    rounding = next((ROUNDINGS[m] for m in mods if m in ROUNDINGS), "rn")
    return f".{rounding}" + "".join(f".{m.lower()}" for m in mods if m in ("FTZ", "SAT"))


SCALES = {"M2": 2.0, "M4": 4.0, "M8": 8.0, "D2": 0.5, "D4": 0.25, "D8": 0.125}


def scaled_product(w: Writer, mods: list[str], d: str, values: list[str], scale: float) -> None:
    """A product and its scaling, rounded once. In f64 both are exact."""
    more = "".join(f".{m.lower()}" for m in mods if m in ("FTZ", "SAT"))
    ftz = ".ftz" if "FTZ" in mods else ""
    wide = [w.make(f"cvt{ftz}.f64.f32", each, type="b64") for each in values]
    product = w.make("mul.rn.f64", *wide, type="b64")
    scaled = w.make("mul.rn.f64", product, w.f64_literal(scale), type="b64")
    w.set(d, w.make(f"cvt.rn{more}.f32.f64", scaled))


def singles(name: str) -> Step:
    def step(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
        scale = next((SCALES[m] for m in mods if m in SCALES), 0.0)
        if name == "mul" and scale:
            scaled_product(w, mods, operands[0], [w.single(o) for o in operands[1:]], scale)
            return
        for m in mods:
            if m not in ("FTZ", "SAT", *ROUNDINGS):
                raise Unreadable(i.text)
        values = [w.single(o) for o in operands[1:]]
        if name == "mul" and "RZ" in mods and operands[2] == TURN:
            w.set(f"{operands[0]}_angle", values[0])
        w.set(operands[0], w.make(f"{name}{flags(mods)}.f32", *values))

    return step


def doubles(name: str) -> Step:
    def step(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
        values = [w.double(o) for o in operands[1:]]
        w.set_wide(operands[0], w.make(f"{name}{flags(mods)}.f64", *values, type="b64"))

    return step


def function(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    d, a = operands
    if mods[0] in ("RCP64H", "RSQ64H"):
        upper = str(w.immediate) if is_number(a) else w.word(a)  # of a number of f64
        pair = w.make("mov.b64", f"{{0, {upper}}}", type="b64")
        opcode = "rcp.approx.ftz.f64" if mods[0] == "RCP64H" else "rsqrt.approx.ftz.f64"
        result = w.make(opcode, pair, type="b64")
        low = w.new("b32")
        high = w.new("b32")
        w.emit(f"mov.b64 {{{low}, {high}}}, {result}")
        w.set(d, high)
    elif mods[0] in ("SIN", "COS"):
        w.set(d, w.make(f"{mods[0].lower()}.approx.ftz.f32", f"%{a}_angle"))
    elif mods in ([name] for name in FUNCTIONS):
        w.set(d, w.make(FUNCTIONS[mods[0]], w.single(a)))
    else:
        raise Unreadable(i.text)


def minimum(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    d, a, b, least = operands
    more = "".join({"FTZ": ".ftz", "NAN": ".NaN"}[m] for m in sorted(mods))
    values = w.single(a), w.single(b)
    if least in ("PT", "!PT"):
        w.set(d, w.make(f"{'min' if least == 'PT' else 'max'}{more}.f32", *values))
        return
    both = [w.make(f"{name}{more}.f32", *values) for name in ("min", "max")]
    w.set(d, w.make("selp.b32", *both, w.predicate(least)))


def select(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    d, a, b, p = operands
    w.set(d, w.make("selp.f32", w.single(a), w.single(b), w.predicate(p)))


def compare(type: str) -> Step:
    def step(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
        p, q, a, b, c = operands
        ftz = ".ftz" if "FTZ" in mods else ""
        test, *rest = (m.lower() for m in mods if m != "FTZ")
        if test not in ("lt", "le", "gt", "ge", "eq", "ne", "ltu", "leu", "gtu", "geu", "equ", "neu", "num", "nan"):
            raise Unreadable(i.text)
        read = w.single if type == "f32" else w.double
        results = w.new("pred"), w.new("pred")
        w.emit(f"setp.{test}.{rest[0]}{ftz}.{type} {results[0]}|{results[1]}, {read(a)}, {read(b)}, {w.predicate(c)}")
        w.set_predicate(p, results[0])
        w.set_predicate(q, results[1])

    return step


def set_number(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    d, a, b, c = operands
    if mods[0] != "BF":
        raise Unreadable(i.text)
    ftz = ".ftz" if "FTZ" in mods else ""
    test, combine = (m.lower() for m in mods[1:] if m != "FTZ")
    w.set(d, w.make(f"set.{test}.{combine}{ftz}.f32.f32", w.single(a), w.single(b), w.predicate(c)))


def needs_slow_quotient(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    """The subroutine divides any two numbers."""
    w.set_predicate(operands[0], w.predicate("PT"))


# Conversions.


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


def pack(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    if mods[-1] == "PACK_AB" and len(operands) == 3:
        d, a, b = operands
        mods = ["BF16" if "BF16" in mods else "F16", "F32", *(m for m in mods if m not in ("F16", "BF16", "F32"))]
        target = f"{mods[0].lower()}x2"  # code for sm_80 names bf16 only
        more = "".join(f".{m.lower()}" for m in mods if m in ("RELU", "SATFINITE"))
        if mods[0] not in ("F16", "BF16") or mods[1] != "F32" or len(mods) != 3:
            raise Unreadable(i.text)
        w.set(d, w.make(f"cvt.rn{more}.{target}.f32", w.single(a), w.single(b)))
    elif mods[-1] == "PACK_AB_MERGE_C":
        d, a, b, c = operands
        if mods[:1] != ["SATFINITE"] or mods[2] != "F32" or c != "RZ":
            raise Unreadable(i.text)
        pair = w.make(f"cvt.rn.satfinite.{mods[1].lower()}x2.f32", w.single(a), w.single(b), type="b16")
        w.set(d, w.make("cvt.u32.u16", pair))
    elif mods[-1] == "UNPACK_B":
        d, a = operands
        value = w.make("cvt.u16.u32", w.integer(a), type="b16")
        w.set(d, w.make(f"cvt.rn.{mods[0].lower()}x2.{mods[1].lower()}x2", value))
    else:
        raise Unreadable(i.text)


def choose_double(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    """`DSETP`, also those that precede the selection of an extreme."""
    if mods[0] in ("MIN", "MAX"):
        p, q, a, b, _ = operands
        test = "lt" if mods[0] == "MIN" else "gt"
        first, second = w.double(a), w.double(b)
        chosen = w.make(f"setp.{test}u.f64", first, second, type="pred")
        w.set_predicate(p, chosen)
        w.set_predicate(q, w.make("setp.nan.f64", first, second, type="pred"))
        return
    compare("f64")(w, i, mods, operands)


STEPS: dict[str, Step] = {
    "FADD": singles("add"), "FMUL": singles("mul"), "FFMA": singles("fma"), "MUFU": function,
    "FMNMX": minimum, "FSEL": select, "FSETP": compare("f32"), "FSET": set_number, "FCHK": needs_slow_quotient,
    "DADD": doubles("add"), "DMUL": doubles("mul"), "DFMA": doubles("fma"), "DSETP": choose_double,
    "FRND": round_to_integer, "I2F": from_integer, "I2FP": from_integer, "F2I": to_integer, "F2F": convert,
    "F2FP": pack,
}  # fmt: skip
