"""Instructions on parts of registers, sums and extremes that have an instruction of their own."""

from __future__ import annotations

from contraction.listing import Instruction

from lifting.operands import Step, Unreadable, Writer

SUMS: dict[tuple[str, ...], str] = {
    (): "s32", ("16x2",): "u16x2", ("16x2", "ISAT"): "sat.u16x2", ("S16x2", "ISAT"): "sat.s16x2",
    ("32", "ISAT"): "sat.u32", ("S32", "ISAT"): "sat.s32",
    ("U8x4",): "u8x4", ("S8x4",): "s8x4", ("U8x4", "ISAT"): "sat.u8x4", ("S8x4", "ISAT"): "sat.s8x4",
}  # fmt: skip
"""Types of `VIADD` by its modifiers."""


def add(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    d, *values = operands
    type = SUMS.get(tuple(mods))
    minus = [each.startswith("-") and not each.startswith("-0x") for each in values]
    if type is None or all(minus):
        raise Unreadable(i.text)
    if minus[0]:
        values.reverse()
    words = [
        w.make("mov.b32", w.integer(each if each.startswith("-0x") else each.removeprefix("-"))) for each in values
    ]
    w.set(d, w.make(f"{'sub' if any(minus) else 'add'}.{type}", *words))


def extreme(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    """The smaller or the larger of two numbers, or of a sum and a number."""
    d, *values, least = operands
    while values[0] == "PT":
        del values[0]
    mods = [m for m in mods if m != "S32"]
    if any(m not in ("U32", "U16x2", "S16x2", "U8x4", "S8x4", "RELU") for m in mods):
        raise Unreadable(i.text)
    type = next((m.lower() for m in mods if m != "RELU"), "s32")
    relu = ".relu" if "RELU" in mods else ""
    if i.opcode.startswith("VIADDMNMX"):
        if "x" in type:
            raise Unreadable(i.text)
        values = [w.make("add.u32", w.integer(values[0]), w.integer(values[1])), w.integer(values[2])]
    else:
        values = [w.integer(each) for each in values]
    if len(values) != 2:
        raise Unreadable(i.text)
    both = [w.make(f"{name}{relu}.{type}", *values) for name in ("min", "max")]
    w.set(d, w.make("selp.b32", *both, w.predicate(least)))


def wide_extreme(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    """`IMNMX` of 64 bits, which have one more predicate."""
    if mods not in (["S64"], ["U64"]):
        extreme(w, i, mods, operands)
        return
    p, q, d, a, b, least, more = operands
    if (p, q, more) != ("PT", "PT", "!PT"):
        raise Unreadable(i.text)
    both = [w.make(f"{name}.{mods[0].lower()}", w.wide(a), w.wide(b), type="b64") for name in ("min", "max")]
    w.set_wide(d, w.make("selp.b64", *both, w.predicate(least), type="b64"))


def difference(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    """`VABSDIFF`: a magnitude and a sum."""
    d, *values = operands
    if mods not in ([], ["U32"]):
        raise Unreadable(i.text)
    w.set(d, w.make(f"sad.{'u32' if mods else 's32'}", *map(w.integer, values)))


def differences(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    """`VABSDIFF4`, of bytes."""
    d, *values = operands
    if mods not in ([], ["U8"], ["ACC"], ["U8", "ACC"]):
        raise Unreadable(i.text)
    kinds = "u32.u32" if "U8" in mods else "s32.s32"
    w.set(d, w.make(f"vabsdiff4.u32.{kinds}{'.add' if 'ACC' in mods else ''}", *map(w.integer, values)))


def dot(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    """Sums of products of bytes, or of bytes and halves."""
    d, *values = operands
    way, *kinds = mods
    half = f".{kinds.pop(0).lower()}" if way == "2A" else ""
    types = ".".join(f"{kind[0].lower()}32" for kind in kinds)
    sizes = [kind[1:] for kind in kinds]
    if (way, sizes) not in (("4A", ["8", "8"]), ("2A", ["16", "8"])):
        raise Unreadable(i.text)
    w.set(d, w.make(f"dp{way.lower()}{half}.{types}", *map(w.integer, values)))


def carryless(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    d, *values = operands
    if mods not in (["LO"], ["HI"]):
        raise Unreadable(i.text)
    w.set_wide(d, w.make(f"clmad.{mods[0].lower()}.u64", *map(w.wide, values), type="b64"))


STEPS: dict[str, Step] = {
    "VIADD": add, "VIMNMX": extreme, "IMNMX": wide_extreme, "VIADDMNMX": extreme,
    "VABSDIFF": difference, "VABSDIFF4": differences, "IDP": dot, "CLMAD": carryless,
}  # fmt: skip
