"""Products of matrices of a warp (`mma`), and copies that do not wait (`cp.async`)."""

from __future__ import annotations

from contraction.listing import Instruction

from lifting.memory import place
from lifting.operands import Step, Unreadable, Writer, following

REGISTERS = {  # of A and of B, by the shape and the size of an element of A
    ("1688", 16): (2, 1), ("16816", 16): (4, 2), ("1684", 32): (2, 1), ("1688", 32): (4, 2),
    ("8816", 8): (1, 1), ("16816", 8): (2, 1), ("16832", 8): (4, 2), ("8x8x4", 64): (2, 2),
    ("884", 64): (2, 2), ("16x8x4", 64): (4, 2), ("16x8x8", 64): (8, 4), ("16x8x16", 64): (16, 8),
    ("88128", 1): (1, 1), ("168128", 1): (2, 1), ("168256", 1): (4, 2), ("8832", 4): (1, 1), ("16832", 4): (2, 1),
    ("16864", 4): (4, 2),
}  # fmt: skip
SPARSE = {
    ("16816", 16): (2, 2), ("16832", 16): (4, 4), ("1688", 32): (2, 2), ("16816", 32): (4, 4), ("16832", 8): (2, 2),
    ("16864", 8): (4, 4), ("16864", 4): (2, 2), ("168128", 4): (4, 4),
}  # fmt: skip
SHAPES = {
    "1684": "m16n8k4", "1688": "m16n8k8", "16816": "m16n8k16", "16832": "m16n8k32", "16864": "m16n8k64",
    "168128": "m16n8k128", "168256": "m16n8k256", "8816": "m8n8k16", "8832": "m8n8k32", "88128": "m8n8k128",
    "8x8x4": "m8n8k4", "884": "m8n8k4", "16x8x4": "m16n8k4", "16x8x8": "m16n8k8", "16x8x16": "m16n8k16",
}  # fmt: skip
SIZES = {
    "f16": 16, "bf16": 16, "tf32": 32, "s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1, "f64": 64,
    "e4m3": 8, "e5m2": 8, "e3m2": 8, "e2m3": 8, "e2m1": 8,
}  # fmt: skip


def product(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    """`HMMA`, `IMMA`, `BMMA`, `QMMA` and `DMMA`, of a sparse matrix as well."""
    sparse = mods[0] == "SP"
    shape, *types = mods[sparse:]
    accumulator, a, b, before, after = types_of(i, types)
    counts = (SPARSE if sparse else REGISTERS).get((shape, SIZES[a]))
    if counts is None or len(operands) != (6 if sparse else 4):
        raise Unreadable(i.text)
    rows = 8 if shape.startswith("8") else 16
    sums = rows * 8 // 32 * (2 if accumulator == "f64" else 1) // (2 if accumulator == "f16" else 1)
    names = [each.partition(".")[0] for each in operands]
    lists = [vector(w, name, count, accumulator) for name, count in zip(names[1:4], (*counts, sums), strict=True)]
    results = [w.new("b64" if accumulator == "f64" else "b32") for _ in range(sums // (2 if a == "f64" else 1))]
    if sparse:
        lists += [w.make("mov.b32", w.word(names[4])), str(int(names[5], 16))]
    opcode = f"mma{'.sp::ordered_metadata' if sparse else ''}.sync.aligned.{SHAPES[shape]}.row.col{before}"
    types_named = f"{accumulator}.{a}.{b}.{accumulator}{after}"
    w.emit(f"{opcode}.{types_named} {{{', '.join(results)}}}, {', '.join(lists)}")
    for n, each in enumerate(results):
        if accumulator == "f64":
            w.set_wide(following(names[0], 2 * n), each)
        else:
            w.set(following(names[0], n), each)


def types_of(i: Instruction, types: list[str]) -> tuple[str, str, str, str, str]:
    """The types of C and D, of A and of B, and further modifiers before and after these."""
    kinds = [t.lower() for t in types]
    match i.opcode[:4], kinds:
        case "DMMA", [] | ["rz" | "rm" | "rp"]:
            return "f64", "f64", "f64", "".join(f".{kind}" for kind in kinds), ""
        case "BMMA", ["and" | "xor" as operation, "popc"]:
            return "s32", "b1", "b1", "", f".{operation}.popc"
        case "HMMA", ["f16" | "f32" as sum_]:
            return sum_, "f16", "f16", "", ""
        case "HMMA", ["f32", "bf16" | "tf32" as factor]:
            return "f32", factor, factor, "", ""
        case "QMMA", ["f16" | "f32" as sum_, a, b] if a in SIZES and b in SIZES:
            small = a not in ("e4m3", "e5m2") or b not in ("e4m3", "e5m2")
            return sum_, a, b, ".kind::f8f6f4" if small else "", ""
        case "IMMA", [a, b, *rest] if a in SIZES and b in SIZES and rest in ([], ["sat"]):
            return "s32", a, b, ".satfinite" if rest else "", ""
        case _:
            raise Unreadable(i.text)


def vector(w: Writer, register: str, count: int, type: str) -> str:
    """Registers that follow each other, or zeros, as one operand."""
    wide = type == "f64"
    names = [following(register, n) for n in range(0, count, 2 if wide else 1)]
    if wide:
        values = [w.make("mov.b64", w.wide(name), type="b64") for name in names]
    else:
        values = [w.make("mov.b32", w.word(name)) for name in names]
    return f"{{{', '.join(values)}}}"


def copy(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    """`LDGSTS`, done at once. Where its predicate is false, zeros are stored."""
    target, source, *rest = operands
    bytes_ = next((int(m) // 8 for m in mods if m in ("64", "128")), 4)
    to, of = place(w, "shared", target, mods), place(w, "global", source, mods)
    values = [w.new("b32") for _ in range(bytes_ // 4)]
    for n, each in enumerate(values):
        w.emit(f"mov.b32 {each}, 0")
        guard = f"@{w.predicate(rest[0])} " if rest else ""
        w.emit(f"{guard}ld.global.b32 {each}, {of[:-1]}+{4 * n}]")
    for n, each in enumerate(values):
        w.emit(f"st.shared.b32 {to[:-1]}+{4 * n}], {each}")


def transpose(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    if mods != ["16", "MT88"]:
        raise Unreadable(i.text)
    d, a = operands
    w.set(d, w.make("movmatrix.sync.aligned.m8n8.trans.b16", w.make("mov.b32", w.word(a))))


STEPS: dict[str, Step] = {
    "HMMA": product, "IMMA": product, "BMMA": product, "QMMA": product, "DMMA": product, "LDGSTS": copy,
    "MOVM": transpose,
}  # fmt: skip
