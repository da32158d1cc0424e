"""Floating-point instructions of f32 and f64."""

from __future__ import annotations

from contraction.listing import Instruction

from lifting.operands import Step, Unreadable, Writer, following, is_number

ROUNDINGS = {"RM": "rm", "RP": "rp", "RZ": "rz"}
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


def pairs(name: str) -> Step:
    """Instructions on two numbers of f32 in two registers."""

    def step(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
        d, *values = operands
        if any(m not in ("FTZ", *ROUNDINGS) for m in mods):
            raise Unreadable(i.text)
        results = list[str]()
        for n in (0, 1):
            lane = [lane_of(i, each, n) for each in values]
            results.append(w.make(f"{name}{flags(mods)}.f32", *map(w.single, lane)))
        for n, each in enumerate(results):
            w.set(following(d, n), each)

    return step


def lane_of(i: Instruction, operand: str, n: int) -> str:
    register, _, order = operand.partition(".")
    if order != "F32x2.HI_LO":
        raise Unreadable(i.text)
    sign = "-" if register.startswith("-") else ""
    return sign + following(register.removeprefix("-"), n)


def mixed(name: str) -> Step:
    """A sum of f32, one operand of it, or two factors, of f16 or bf16."""

    def step(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
        d, *halves, c = operands
        if any(m not in ("BF16", "SAT", *ROUNDINGS) for m in mods):
            raise Unreadable(i.text)
        type = "bf16" if "BF16" in mods else "f16"
        values = [w.make(f"cvt.f32.{type}", half(w, each)) for each in halves]
        w.set(d, w.make(f"{name}{flags(mods)}.f32", *values, w.single(c)))

    return step


def half(w: Writer, operand: str) -> str:
    """The lower half of a register, or the part that is named, with its sign."""
    register, _, part = operand.partition(".")
    minus, register = register.startswith("-"), register.removeprefix("-")
    word = w.word(register)
    if part in ("H1", "H1_H1"):
        word = w.make("shr.u32", word, "16")
    elif part not in ("", "H0", "H0_H0"):
        raise Unreadable(f"operand {operand}")
    if minus:
        word = w.make("xor.b32", word, "0x8000")
    return w.make("cvt.u16.u32", word, type="b16")


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
    elif mods[1:] in (["F16"], ["BF16"]) and mods[0] in ("EX2", "TANH"):
        of_half(w, mods, d, a)
    elif mods in (["EX2", "F16x2"], ["EX2", "BF16x2"]):
        w.set(d, w.make(f"ex2.approx{'.ftz' if mods[1][0] == 'B' else ''}.{mods[1].lower()}", w.integer(a)))
    elif mods in ([name] for name in FUNCTIONS):
        w.set(d, w.make(FUNCTIONS[mods[0]], w.single(a)))
    else:
        raise Unreadable(i.text)


def extremes(i: Instruction, mods: list[str]) -> str:
    """The modifiers of a minimum or maximum."""
    known = {"FTZ": ".ftz", "NAN": ".NaN", "XORSIGN": ".xorsign.abs"}
    if any(m not in known for m in mods):
        raise Unreadable(i.text)
    return "".join(spelt for m, spelt in known.items() if m in mods)


def of_half(w: Writer, mods: list[str], d: str, a: str) -> None:
    ftz = ".ftz" if mods == ["EX2", "BF16"] else ""
    result = w.make(f"{mods[0].lower()}.approx{ftz}.{mods[1].lower()}", half(w, a), type="b16")
    w.set(d, w.make("cvt.u32.u16", result))


def minimum(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    d, *operands, least = operands
    more = extremes(i, mods)
    if "XORSIGN" in mods:  # its operands are shown as magnitudes, but it takes their signs
        operands = [each.replace("|", "") for each in operands]
    values = [w.single(each) for each in operands]
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


def choose_double(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    """`DSETP`, also those that precede the selection of an extreme."""
    if mods[0] in ("MIN", "MAX"):
        p, q, a, b, _ = operands
        first, second = w.double(a), w.double(b)
        nans = [w.make("setp.nan.f64", each, each, type="pred") for each in (first, second)]
        both = w.make("and.pred", *nans, type="pred")
        extreme = w.make(f"{mods[0].lower()}.f64", first, second, type="b64")
        is_first = w.make("setp.eq.b64", extreme, first, type="pred")
        w.set_predicate(p, w.make("and.pred", is_first, w.make("not.pred", both, type="pred"), type="pred"))
        w.set_predicate(q, both)
        return
    compare("f64")(w, i, mods, operands)


STEPS: dict[str, Step] = {
    "FADD": singles("add"), "FMUL": singles("mul"), "FFMA": singles("fma"), "MUFU": function,
    "FMNMX": minimum, "FMNMX3": minimum, "FSEL": select, "FSETP": compare("f32"), "FSET": set_number,
    "FCHK": needs_slow_quotient,
    "FADD2": pairs("add"), "FMUL2": pairs("mul"), "FFMA2": pairs("fma"), "FHADD": mixed("add"), "FHFMA": mixed("fma"),
    "DADD": doubles("add"), "DMUL": doubles("mul"), "DFMA": doubles("fma"), "DSETP": choose_double,
}  # fmt: skip
