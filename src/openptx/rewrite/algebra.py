"""The algebraic view of an instruction in floating-point rewriting, from declarations alone (`Instruction.algebra`)."""

from __future__ import annotations

from functools import cache

from openptx.isa.contracted import quotient_sum, scaled_product
from openptx.isa.mnemonics import ALGEBRA
from openptx.isa.notation import Form, Instruction, Modifiers
from openptx.isa.notation.registry import instructions_of
from openptx.isa.types import Type
from openptx.program import Imm, Op, Operand, Reg

SIGNS = frozenset(("copy", "negation", "magnitude"))
"""Instructions that copy all bits of a number, or all but its sign."""

Made = tuple["Form", "Modifiers"]


def algebra(op: Op) -> str:
    """`product`, `sum`, `difference`, `fused`, `quotient`, `copy`, `negation`, `magnitude`, or nothing."""
    found = op.form.instruction.algebra
    return found if isinstance(found, str) else found(op.m)


def splits_block(op: Op) -> bool:
    """Whether the assembler ends a basic block at the instruction, though control flow does not branch there."""
    found = op.form.instruction.splits_block
    return found if isinstance(found, bool) else found(op.m)


def leaves_rounding_open(op: Op) -> bool:
    """`mul` without `.rn`: the assembler may contract it."""
    return not any(choice in ("rn", "rz", "rm", "rp") for choice in op.m.written)


@cache
def form_of(kind: str, *modifiers: str) -> Made | None:
    """The form of an instruction with this algebra that has these modifiers."""
    for instruction in (each for mnemonic in ALGEBRA[kind].split() for each in instructions_of(mnemonic)):
        if isinstance(instruction.algebra, str) and instruction.algebra != kind:
            continue
        for form in instruction.forms:
            m = form.match(modifiers)
            if m is None:
                continue
            found = instruction.algebra
            if (found if isinstance(found, str) else found(m)) == kind:
                return form, m
    return None


def form_in(instruction: Instruction, *modifiers: str) -> Made | None:
    """The form of an instruction that has these modifiers."""
    return next(((form, m) for form in instruction.forms if (m := form.match(modifiers)) is not None), None)


def flags(m: Modifiers, *names: str) -> tuple[str, ...]:
    """The modifiers that are spelled out."""
    return tuple(name for name in names if m.values.get(name))


@cache
def fused_form(kind: str, product: Modifiers, sum: Modifiers) -> Made | None:
    """The fused instruction for a product or a quotient and a sum."""
    more = flags(sum, "ftz", "sat")
    if kind == "quotient":
        return form_in(quotient_sum, *product.written, *flags(sum, "sat"))
    return form_of("fused", "rn", *more, sum.type.name)


def scaled_form(product: Modifiers) -> Made | None:
    """The instruction for a product that another product scales by a power of two."""
    return form_in(scaled_product, *flags(product, "ftz", "sat"), product.type.name)


def make_op(form: Made, operands: tuple[Operand | None, ...], of: Op, guard: Reg | None, rule: str) -> Op:
    """An instruction that replaces another, and keeps its text and line."""
    return Op(form[0], form[1], guard, operands, form[0].types(form[1]), of.span, of.text, of.line, rule)


def copy(to: Reg, source: Operand, of: Op, rule: str) -> Op:
    """A copy of all bits."""
    form = form_of("copy", f"b{to.width}")
    assert form is not None
    return make_op(form, (to, source), of, None, rule)


def sign_bits(type: Type) -> int:
    """The sign of each element of a register."""
    w = type.width // type.count
    return sum(1 << i * w + w - 1 for i in range(type.count))


def negated(operand: Operand, type: Type) -> Imm | None:
    """The immediate with its sign changed; None for other operands."""
    return Imm(operand.value ^ sign_bits(type), operand.width) if isinstance(operand, Imm) else None


def negation(to: Reg, source: Operand, type: Type, of: Op, rule: str) -> Op:
    """The value with its sign changed: by `neg`, or as -0 minus it if there is no `neg`."""
    form = form_of("negation", type.name)
    if form is not None:
        return make_op(form, (to, source), of, None, rule)
    form = form_of("difference", "rn", type.name)
    assert form is not None
    return make_op(form, (to, Imm(sign_bits(type), type.width), source), of, None, rule)
