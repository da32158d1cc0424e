"""Suggested replacements: the conversion, the literal, the register type that a mismatch calls for."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable

from openptx.check.operand import kinds
from openptx.check.operand.kinds import Kind
from openptx.check.operand.slot import Place
from openptx.check.problems import Path, Problem
from openptx.diagnostics import SAFE, Diagnostic, Fix
from openptx.isa.notation import resolve
from openptx.isa.types import Type
from openptx.numerics.python_floats import f32_bits, f32_value, f64_bits, f64_value
from openptx.syntax.foreign import SUM
from openptx.syntax.operands import Float, Integer, Minus, Vector
from openptx.syntax.tree import Instruction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.check.problems import Repair


def conversion(place: Place, wanted: Type, declared: Type) -> str | None:
    """The sentence that says how to convert the given register to the wanted type."""
    if wanted.kind == "pred" and declared.kind in "bsu" and not place.writes:
        return f"make it a predicate first: `setp.ne.{_number(declared)} %p, {{}}, 0;`"
    if declared.kind == "pred" and wanted.kind in "bsu" and not place.writes and wanted.width >= 16:
        return f"make it a number first: `selp.{wanted.name} %r, 1, 0, {{}};`"
    if not wanted.fundamental:
        return f"declare it `.reg .{place.rule.registers()[-1] if place.rule else wanted.registers[-1]}`"
    if place.writes:
        return f"declare it `.reg .{registers(wanted)}`"
    return converted(wanted, declared)


def converted(wanted: Type, declared: Type) -> str:
    """The sentence that says how to convert a register `{}` to the wanted type, or to use one of that type."""
    rounding = cvt_rounding(wanted, declared)
    if rounding is None:
        return f"use a register of type `.{registers(wanted)}`"
    target, source = _number(wanted), _number(declared)
    return f"convert it first: `cvt{rounding}.{target}.{source} %x, {{}};`"


def registers(wanted: Type) -> str:
    """The register type to declare for an instruction type."""
    return wanted.registers[-1] if not wanted.fundamental else wanted.name


def _number(type: Type) -> str:
    """The number type to read a register as: bits are unsigned integers."""
    return f"u{type.width}" if type.kind == "b" else type.name


def cvt_rounding(wanted: Type, declared: Type) -> str | None:
    """The rounding that `cvt` needs between two register types; None if there is no such conversion."""
    plain = ("u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f16", "f32", "f64")
    to, of = _number(wanted), _number(declared)
    if to not in plain or of not in plain or (wanted.kind == "b" and declared.kind == "f"):
        return None
    if to[0] == "f":
        return "" if of[0] == "f" and declared.width < wanted.width else ".rn"
    return ".rzi" if of[0] == "f" else ""


def wrong_constant(place: Place, kind: Kind, where: Path) -> Problem:
    """A constant that does not fit its type."""
    wanted = place.type
    assert wanted is not None
    help: str | None = None
    repair: Repair | None = None
    if wanted.kind == "f" and wanted.fundamental and wanted.width >= 32 and kind.sort == kinds.INTEGER:
        expected, help = "a floating-point constant", "write its value with a decimal point"
        if kind.literal:
            help, repair = f"write `{{f{wanted.width}}}`", _pointed
    elif wanted.kind == "f" and wanted.fundamental and wanted.width == kind.bits // 2 == 32:
        expected = "a floating-point constant of 32 bits"
        help, repair = ("write `{f32}`", _pointed) if kind.literal else (None, None)
    elif wanted.kind == "f" or wanted.count > 1:
        expected = f"a register: `.{wanted.name}` operands can't be constants"
        help = f"move it into a register first: `mov.b{wanted.width} %x, ...;`"
    else:
        expected, help = "an integer constant", "write an integer; an instruction on floats takes this one"
        if wanted.kind == "b" and kind.literal and wanted.width in (32, 64):
            help, repair = f"write its bits, `{{b{wanted.width}}}`", _as_bits(where, bits_of, wanted.width)
    return place.problem(
        "immediate-type", f"operand `{place.name}` of `{place.opcode}` can't be this constant", where, kind.described,
        expected=expected, actual=kind.text,
        rule="PTX ISA, Constants (4.5), and 6.1: there is no automatic conversion between types",
        help=help, repair=repair,
    )  # fmt: skip


def short_float(place: Place, where: Path) -> Problem:
    """The bits of a single where a double is wanted."""
    return place.problem(
        "short-float", SHORT_FLOAT, where, NOT_CONVERTED,
        expected="64 bits", actual="32 bits", rule="PTX ISA, Floating-Point Constants (4.5.2)",
        help="write `{f64}`", repair=_as_bits(where, as_float, 64),
    )  # fmt: skip


def _as_bits(where: Path, bits: Callable[[str, int], str], width: int) -> Repair:
    """A floating-point literal, written as the bits that its text gives."""

    def repair(statement: Instruction) -> Fix | None:
        operand = statement.operands[where[0]]
        constant = operand.elements[where[1]] if isinstance(operand, Vector) else operand
        if not isinstance(constant, Float) or not constant.literal:
            return None
        meant = bits(constant.text, width)
        return Fix(constant.span, meant, f"write `{meant}`")

    return repair


SHORT_FLOAT = "`{}` is the low 32 bits of an `.f64`"
NOT_CONVERTED = "its value is not converted"


def as_float(literal: str, width: int) -> str:
    """The float that a literal was meant to be: the value of an integer, the bits of a hexadecimal one, the value of
    `0f...` as 64 bits, of `1.0` and `0d...` as 32."""
    literal = literal.strip("()")
    if width == 32 and ("." in literal or literal[:2].lower() == "0d"):
        return f"0f{_short_bits(literal):08X}"
    if literal[:2].lower() == "0f":
        return f"0d{f64_bits(f32_value(int(literal[2:], 16))):016X}"
    if literal.lstrip("-").isdigit() or literal[:2].lower() != "0x":
        return f"{literal}.0"
    return f"0{'fd'[width == 64]}{int(literal.rstrip('uU'), 16):0{width // 4}X}"


def _short_bits(literal: str) -> int:
    """The bits of the `.f32` nearest to a double."""
    return f32_bits(f64_value(int(literal[2:], 16)) if literal[:2].lower() == "0d" else float(literal))


def bits_of(literal: str, width: int) -> str:
    """The bits of a floating-point literal as a hexadecimal integer."""
    literal = literal.strip("()")
    if literal[:2].lower() in ("0f", "0d"):
        return f"0x{literal[2:]}"
    try:
        return f"0x{struct.pack('>f' if width == 32 else '>d', float(literal)).hex().upper()}"
    except (ValueError, OverflowError):
        return "0x..."


def _pointed(statement: Instruction) -> Fix | None:
    """An integer literal among floats, written as a float."""
    for operand in statement.operands:
        for part in operand.elements if isinstance(operand, Vector) else (operand,):
            if isinstance(part, Integer) and part.literal and part.text.lstrip("-").isdigit():
                return Fix(part.span, f"{part.text}.0", f"write `{part.text}.0`", SAFE)
    return None


def computed_first(found: Diagnostic, known: Callable[[str], Kind]) -> Diagnostic:
    """The diagnostic about a sum of registers, with the instructions that compute it."""
    match = SUM.match(found.file.text, found.span[0])
    help = None
    if match is not None and (scale := _scale(match)) is not None:
        base, index = known(match["base"]), known(match["index"])
        steps = _steps(match["base"], base, match["index"], index, scale)
        rest = f"+{match['offset']}" if match["offset"] else ""
        help = steps and f"compute the address first: `{steps}`, then `[%x{rest}]`"
    return found.advising(help or found.help, None)


def _scale(match: re.Match[str]) -> str | None:
    """The factor of the index; None if it is not a constant."""
    factor = match["before"] or match["after"]
    if factor is None:
        return "1"
    if not factor.isdigit() or (match["before"] and match["after"]):
        return None
    return str(1 << min(int(factor), 63)) if match["operator"] == "<<" else factor


def _steps(base: str, address: Kind, index: str, number: Kind, scale: str) -> str | None:
    """The instructions that put the address into `%x`."""
    width = _width(number)
    if width is None or width < 32:
        return None
    if address.sort == kinds.VARIABLE:
        first, wide = f"mov.u{width} %x, {base}; ", width
        base = "%x"
    else:
        first, wide = "", _width(address)
    letter = "s" if number.type is not None and number.type.kind == "s" else "u"
    if wide == width:
        step = f"add.{letter}{wide} %x, {base}, {index};" if scale == "1" else None
        return first + (step or f"mad.lo.{letter}{wide} %x, {index}, {scale}, {base};")
    if (wide, width) == (64, 32):
        return f"{first}mad.wide.{letter}32 %x, {index}, {scale}, {base};"
    if (wide, width) == (32, 64):
        return f"cvt.u32.u64 %i, {index}; mad.lo.u32 %x, %i, {scale}, {base};"
    return None


def _width(kind: Kind) -> int | None:
    if kind.sort != kinds.REGISTER or kind.type is None or kind.type.kind not in "bsu":
        return None
    return kind.type.width


_BARE = (kinds.REGISTER, kinds.VARIABLE, kinds.INTEGER)


def added(address: Kind) -> str | None:
    """The help for an address of two parts, of which the second is a number."""
    number = len(address.parts) > 1 and address.parts[1].sort == kinds.INTEGER
    return "an offset is added to the register: `[%rd1+4]`" if number else None


def unbracketed(kind: Kind) -> str | None:
    """The help for an operand that should be an address in brackets."""
    if kind.sort == kinds.LIST:
        return "an address is in brackets, `[...]`; braces enclose lists"
    return "write `[{}]`" if kind.sort in _BARE else None


def bracketed(statement: Instruction, where: Path, kind: Kind) -> Fix | None:
    """The operand in brackets."""
    if len(where) != 1 or kind.sort not in _BARE:
        return None
    operand = statement.operands[where[0]]
    return Fix(operand.span, f"[{operand.text}]", f"write `[{operand.text}]`")


def as_subtraction(statement: Instruction, where: int) -> Fix | None:
    """`add d, a, -b` as a subtraction, and `mov d, -a` as a negation: the other instructions need two statements."""
    meant = {("add", 2): "sub", ("mov", 1): "neg"}.get((statement.mnemonic, where))
    operand, (start, end) = statement.operands[where], statement.opcode_span
    if meant is None or where != len(statement.operands) - 1 or not isinstance(operand, Minus):
        return None
    opcode = statement.file.text[start:end].replace(statement.mnemonic, meant, 1)
    opcode = opcode.replace(".u", ".s") if meant == "neg" else opcode
    between = statement.file.text[end : operand.span[0]]
    written = f"{opcode}{between}{operand.operand.text}"
    return Fix((start, operand.span[1]), written, f"write `{' '.join(written.split())}`") if resolve(opcode) else None
