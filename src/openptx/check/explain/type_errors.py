"""Problems with mismatched operands: the rule, and the suggested replacement."""

from __future__ import annotations

from openptx.check.explain.suggestions import conversion
from openptx.check.operand import kinds
from openptx.check.operand.kinds import Kind
from openptx.check.operand.slot import Place, words
from openptx.check.problems import Path, Problem
from openptx.isa.types import Type


def wrong_kind(place: Place, kind: Kind, where: Path, wanted: str, about: str = "operand-kind") -> Problem:
    """An operand of a kind that is not allowed in this place."""
    return place.problem(
        about, f"operand `{place.name}` of `{place.opcode}` must be {wanted}", where,
        kind.described if kind.sort != kinds.REGISTER else f"this is a `{kind.text}` register",
        expected=wanted, actual=kind.text,
        help=_of_kind(place, kind),
    )  # fmt: skip


def _of_kind(place: Place, kind: Kind) -> str | None:
    """What to write in this place instead of an operand of this kind."""
    if kind.sort == kinds.REGISTER and place.template.role == "immediate":
        return "its value is part of the instruction: write the number"
    if kind.sort == kinds.FLOAT and place.template.role == "immediate":
        return "write an integer, without a point or exponent"
    return _loaded(place) if kind.sort == kinds.ADDRESS and len(kind.parts) == 1 else None


def _loaded(place: Place) -> str | None:
    """How to use what an address refers to where a value is wanted."""
    wanted = place.type
    if place.writes or wanted is None or wanted.kind == "pred":
        return None
    load = f"`ld.{wanted.name if wanted.fundamental and wanted.name != 'f16' else f'b{wanted.width}'} %x, {{}};`"
    if place.name.endswith("desc"):
        return (
            f"it is a descriptor of a matrix in shared memory, a value of {wanted.width} bits: compute it in a register"
        )
    if place.allows.address:
        return f"{load} reads memory; without brackets, the name of a variable is its address"
    return f"only `ld` and `st` access memory: {load} first"


def what(place: Place) -> str:
    """The requirements of a place, in words."""
    if place.count:
        return f"a list of {place.count} registers"
    return f"a register of type {place.expected()}"


def mismatch(place: Place, declared: Type, where: Path, help: str | None = None) -> Problem:
    """A register of a type that does not agree."""
    wanted = place.type
    names = place.expected()
    size = wanted is not None and wanted.kind in "bsu" and declared.kind in "bsu" and wanted.width != declared.width
    return place.problem(
        "operand-size" if size else "operand-type",
        f"operand `{place.name}` of `{place.opcode}` must be a register of type {names}", where,
        f"this is `.{declared.name}`",
        expected=names.replace("`", ""), actual=f".{declared.name}", rule=rule_of(place, wanted, declared),
        help=help or help_for(place, wanted, declared),
    )  # fmt: skip


def rule_of(place: Place, wanted: Type | None, declared: Type) -> str:
    """The section of the document that states the rule."""
    if wanted is None:
        return "PTX ISA, Instruction Operands (6)"
    if place.context.follows_ptxas and wanted.name == "e2m1x4":
        return "four values of 4 bits; PTX ISA, Table 9, says `.b32`, and the assembler refuses it (measured)"
    if place.form.instruction.converts and wanted.width < declared.width and "bf16" in place.m.written:
        return (
            "no operand of a `cvt` from or to `.bf16` may be wider than its type (measured), "
            "though PTX ISA, Tables 27 and 28, let it"
        )
    if not wanted.fundamental or wanted.count > 1:
        where = "Table 9" if wanted.count > 1 else "Alternate Floating-Point Data Formats (5.2.3)"
        return f"PTX ISA, {where}: `.{wanted.name}` is held in {words([f'`.{n}`' for n in wanted.registers])}"
    if place.rule is not None and place.rule.relaxed:
        table = "28" if place.writes else "27"
        return f"PTX ISA, Operand Size Exceeding Instruction-Type Size, Table {table}"
    return f"PTX ISA, Type Information for Instructions and Operands, Table 26: {_AGREEMENT[wanted.kind]}"


_AGREEMENT = {
    "b": "a bit type agrees with any type of its size",
    "s": "a signed type agrees with integer and bit types of its size",
    "u": "an unsigned type agrees with integer and bit types of its size",
    "f": "a floating-point type agrees with itself and with the bit type of its size",
    "pred": "predicates agree with predicates alone",
}


def help_for(place: Place, wanted: Type | None, declared: Type) -> str | None:
    """The suggested replacement."""
    if wanted is None or place.count:
        return None
    return conversion(place, wanted, declared)
