"""Products of matrices of a warp (`mma`), and copies that do not wait (`cp.async`)."""

from __future__ import annotations

from contraction.listing import Instruction

from lifting.memory import place
from lifting.operands import Step, Unreadable, Writer, following

REGISTERS = {  # of A, B and of C and D, by the shape and the size of an element of A
    ("1688", 16): (2, 1), ("16816", 16): (4, 2), ("1684", 32): (2, 1), ("1688", 32): (4, 2),
    ("8816", 8): (1, 1), ("16816", 8): (2, 1), ("16832", 8): (4, 2), ("8x8x4", 64): (2, 2),
}  # fmt: skip
SHAPES = {
    "1684": "m16n8k4", "1688": "m16n8k8", "16816": "m16n8k16", "16832": "m16n8k32", "8816": "m8n8k16",
    "8x8x4": "m8n8k4",
}  # fmt: skip
SIZES = {"f16": 16, "bf16": 16, "tf32": 32, "s8": 8, "u8": 8, "f64": 64}


def product(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    """`HMMA`, `IMMA` and `DMMA`."""
    shape, *types = mods
    accumulator, a, b, more = types_of(i, types)
    counts = REGISTERS.get((shape, SIZES[a]))
    if counts is None:
        raise Unreadable(i.text)
    rows = 8 if shape.startswith("8") else 16
    sums = rows * 8 // 32 * (2 if accumulator == "f64" else 1) // (2 if accumulator == "f16" else 1)
    names = [each.partition(".")[0] for each in operands]
    lists = [vector(w, name, count, accumulator) for name, count in zip(names[1:], (*counts, sums), strict=True)]
    results = [w.new("b64" if accumulator == "f64" else "b32") for _ in range(sums // (2 if a == "f64" else 1))]
    types_named = f"{accumulator}.{a}.{b}.{accumulator}"
    w.emit(f"mma.sync.aligned.{SHAPES[shape]}.row.col{more}.{types_named} {{{', '.join(results)}}}, {', '.join(lists)}")
    for n, each in enumerate(results):
        if accumulator == "f64":
            w.set_wide(following(names[0], 2 * n), each)
        else:
            w.set(following(names[0], n), each)


def types_of(i: Instruction, types: list[str]) -> tuple[str, str, str, str]:
    """The types of C and D, of A and of B, and further modifiers."""
    if i.opcode.startswith("DMMA"):
        return "f64", "f64", "f64", ""
    if i.opcode.startswith("HMMA"):
        kinds = [t.lower() for t in types]
        if kinds[0] not in ("f16", "f32") or kinds[1:] not in ([], ["bf16"], ["tf32"]):
            raise Unreadable(i.text)
        multiplied = kinds[1] if len(kinds) == 2 else "f16"
        return kinds[0], multiplied, multiplied, ""
    a, b = (t.lower() for t in types[:2])
    if a not in SIZES or b not in SIZES or types[2:] not in ([], ["SAT"]):
        raise Unreadable(i.text)
    return "s32", a, b, ".satfinite" if types[2:] else ""


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


STEPS: dict[str, Step] = {"HMMA": product, "IMMA": product, "DMMA": product, "LDGSTS": copy}
