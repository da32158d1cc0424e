"""What a declaration may say: types, vectors, arrays, alignments, initial values (5.2.1, 5.2.3, 5.4; measured)."""

from __future__ import annotations

import re

from openptx.check.foreign_spellings import TYPES as FOREIGN
from openptx.check.sizes import shape_of
from openptx.check.spelling import nearest
from openptx.isa.types import FUNDAMENTAL, TYPES
from openptx.syntax.declarations import InitialiserList, SymbolAddress
from openptx.syntax.operands import Float, Integer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.check.context import Context
    from openptx.source import Span
    from openptx.syntax.declarations import Declarator, Initialiser
    from openptx.syntax.declarations import Variable as Declaration

OPAQUE = frozenset(("texref", "samplerref", "surfref"))
# Types that the assembler lets into declarations of registers or arrays; its code generator then crashes.
_CRASHING_REGISTERS = frozenset(("e2m3x4", "e3m2x4", "e2m1x4"))
_CRASHING_ARRAYS = frozenset((
    "e4m3", "e5m2", "f32x2", "u16x2", "s16x2", "e4m3x2", "e5m2x2", "e2m3x2", "e3m2x2", "e2m1x2", "ue8m0x2",
    "e4m3x4", "e5m2x4", *_CRASHING_REGISTERS,
))  # fmt: skip


class Misfit:
    """One thing that is wrong with a declaration. `at` is "type" or "name" where there is no span."""

    __slots__ = ("about", "actual", "at", "expected", "help", "label", "message", "replacement", "rule", "span")

    def __init__(
        self,
        about: str,
        message: str,
        at: str = "type",
        label: str = "",
        *,
        span: Span | None = None,
        expected: str | None = None,
        actual: str | None = None,
        rule: str | None = None,
        help: str | None = None,
        replacement: str | None = None,
    ) -> None:
        self.about, self.message, self.at, self.label, self.span = about, message, at, label, span
        self.expected, self.actual, self.rule, self.help = expected, actual, rule, help
        self.replacement = replacement


def type_problem(
    declaration: Declaration, declarator: Declarator, context: Context, unsized: bool = False
) -> Misfit | None:
    """What is wrong with the type, vector, dimensions or alignment of a declared name. `unsized`: it may be `a[]`."""
    name, register = declaration.type, declaration.space == "reg"
    if name not in FUNDAMENTAL and name not in OPAQUE:
        return _not_fundamental(name, register, bool(declarator.dimensions), context, declaration.vector)
    type = TYPES[name]
    if name == "pred" and (not register or declaration.vector > 1):
        return Misfit(
            "register-type",
            "a predicate can only be a scalar register",
            label="no predicate here",
            expected=".reg .pred",
            rule="PTX ISA, Fundamental Types (5.2.1)",
        )
    if declaration.vector > 1 and name in OPAQUE:
        return Misfit("vector-declaration", f"there are no vectors of `.{name}`", label="opaque",
                      rule="PTX ISA, Vectors (5.4.2)")  # fmt: skip
    if declaration.vector > 1 and (declaration.vector > 4 or type.width * declaration.vector > 128):
        bits = type.width * declaration.vector
        return Misfit(
            "vector-declaration",
            f"a vector has at most 128 bits, and `.v{declaration.vector} .{name}` has {bits}",
            label="too large",
            expected="at most 128 bits",
            actual=f"{bits} bits",
            rule="PTX ISA, Vectors (5.4.2)",
        )
    if register and declarator.dimensions:
        return Misfit(
            "array-size",
            "registers can't be an array",
            "name",
            "an array",
            rule="PTX ISA, Parameterized Variable Names (5.4.6)",
            help=f"declare so many registers: `.reg .{name} {declarator.name.text}<...>;`",
        )
    if declaration.space == "param" and (declaration.vector > 1 or (name == "f16x2" and not declarator.dimensions)):
        what = "vector" if declaration.vector > 1 else "`.f16x2`"
        return Misfit("parameter", f"a parameter can't be a {what}", label=f"a {what}", rule="PTX ISA, 5.1.6")
    if declaration.space == "tex" and (name not in ("u32", "u64") or declaration.vector > 1 or declarator.dimensions):
        return Misfit(
            "register-type",
            "a texture is declared `.tex .u32` or `.tex .u64`",
            label="no texture",
            expected=".u32 or .u64",
            actual=f".{name}",
            rule="PTX ISA, Texture State Space (5.1.8)",
        )
    return _extent(declaration, declarator, unsized)


def _extent(declaration: Declaration, declarator: Declarator, unsized: bool) -> Misfit | None:
    pointed = declaration.pointer.align if declaration.pointer is not None else None
    for align in (declaration.align, pointed):
        if align is not None and not (0 < align.value < 1 << 32 and align.value & (align.value - 1) == 0):
            return Misfit(
                "alignment",
                f"an alignment is a power of two of at most 32 bits, not {align.value}"
                if align.value >> 32
                else f"an alignment is a power of two, not {align.value}",
                span=align.span,
                expected="a power of two",
                actual=str(align.value),
                rule="PTX ISA, Alignment (5.4.5)" if align is not pointed else "PTX ISA, 5.1.6.3",
            )
    count = declarator.count
    if count is not None and count.value >> 32:
        return Misfit(
            "array-size",
            f"so many names are too many: {count.value} does not fit 32 bits",
            "name",
            span=count.span,
            expected="at most 4294967295",
            actual=str(count.value),
            rule="PTX ISA, Parameterized Variable Names (5.4.6)",
        )
    if declaration.space == "reg" or declaration.linkage == "extern" or (unsized and shape_of(declarator) == (0,)):
        return None
    for position, length in enumerate(declarator.dimensions):
        if length is None and (position > 0 or declarator.initialiser is None) and declaration.linkage != "extern":
            return _size("this dimension is open, and no initialiser tells its length", None)
        if length is not None and length.value <= 0:
            return _size(f"an array has at least one element, not {length.value}", length.span)
    return None


def _size(message: str, span: Span | None) -> Misfit:
    return Misfit(
        "array-size",
        message,
        "name",
        span=span,
        expected="a positive integer",
        rule="PTX ISA, Array Declarations (5.4.3)",
    )


def _not_fundamental(name: str, register: bool, array: bool, context: Context, vector: int) -> Misfit:
    known = TYPES.get(name)
    if context.precedent and vector == 1:
        crashing = (array and not register and name in _CRASHING_ARRAYS) or (not array and name in _CRASHING_REGISTERS)
        if crashing:
            return Misfit(
                "assembler-crash" if context.crashes_measured else "document-disagrees",
                f"NVIDIA's assembler takes `.{name}` here and crashes when it generates code",
                label="no fundamental type",
                rule="PTX ISA, Packed Data Types (5.2.5)",
                expected=_held(name),
                replacement=f".{known.registers[-1]}" if known else None,
            )
    if known is None:
        guess = FOREIGN.get(name) or nearest(name, FUNDAMENTAL)
        return Misfit(
            "register-type",
            f"there is no type `.{name}`",
            label="no type",
            expected="a fundamental type",
            actual=f".{name}",
            rule="PTX ISA, Fundamental Types (5.2.1), Table 8",
            help=f"did you mean `.{guess}`?" if guess else None,
            replacement=f".{guess}" if guess else None,
        )
    return Misfit(
        "register-type",
        f"`.{name}` is an instruction type, nothing can be declared so",
        label=f"declare it `.{known.registers[-1]}`",
        expected=_held(name),
        actual=f".{name}",
        rule="PTX ISA, Table 9"
        if known.count > 1
        else "PTX ISA, Alternate Floating-Point Data Formats (5.2.3)"
        if known.kind == "f"
        else "PTX ISA, Fundamental Types (5.2.1), Table 8",
        replacement=f".{known.registers[-1]}",
    )


def _held(name: str) -> str | None:
    return " or ".join(f".{held}" for held in TYPES[name].registers) if name in TYPES else None


def initial_problem(declaration: Declaration, declarator: Declarator, shape: tuple[int, ...]) -> Misfit | None:
    """What is wrong with an initial value."""
    value = declarator.initialiser
    if value is None:
        return None
    if declaration.linkage == "extern" and declaration.space in ("global", "const"):
        return _value("an `.extern` variable has its initial value where it is defined", declarator.span)
    if declaration.space not in ("global", "const"):
        if declaration.type in OPAQUE:
            return None
        return _value(f"a variable in `.{declaration.space}` has no initial value", declarator.span)
    if declaration.type == "f16" or (declaration.type == "f16x2" and (shape or not isinstance(value, InitialiserList))):
        bits = TYPES[declaration.type].width
        return _value(
            f"a `.{declaration.type}` variable can't have an initial value",
            declarator.span,
            f"write its bits as `.b{bits}`",
        )
    if isinstance(value, InitialiserList):
        if declaration.type in OPAQUE:
            return None
        if not shape and declaration.vector == 1 and declaration.type != "f16x2":
            return _value("a list can't be the initial value of a scalar", value.span)
        dimensions = (*shape, declaration.vector) if declaration.vector > 1 else shape
        return _list(value, dimensions, declaration.type)
    if shape or declaration.vector > 1:
        return _value("the initial value of an array is a list in braces", declarator.span)
    return _element(value, declaration.type)


def _list(value: InitialiserList, dimensions: tuple[int, ...], type: str) -> Misfit | None:
    if value.plain and TYPES[type].kind in "bsu":
        room = 1
        for length in dimensions:
            room *= length
        if len(value) > room:
            return _value(f"more initial values than the {room} elements there are", value.span)
        return _plain_numbers(value, type)
    row = dimensions[1:]
    elements = 1
    for length in row:
        elements *= length
    room = (dimensions[0] if dimensions else 1) * elements
    used = 0
    for element in value.elements:
        if isinstance(element, InitialiserList):
            if not dimensions:
                return _value("lists are nested deeper than the array has dimensions", element.span)
            if (found := _list(element, row, type)) is not None:
                return found
            used = -(-used // elements) * elements + elements
        else:
            if (found := _element(element, type)) is not None:
                return found
            used += 1
        if used > room:
            return _value(f"more initial values than the {room} elements there are", value.span)
    return None


def _element(value: Initialiser, type: str) -> Misfit | None:
    kind = TYPES[type].kind if type != "f16x2" else "b"
    if isinstance(value, SymbolAddress):
        return _value(f"a `.{type}` can't hold an address", value.span) if kind not in "bsu" else None
    if isinstance(value, Integer) and kind == "f":
        return _value(
            f"the initial value of an `.{type}` is a floating-point constant", value.span, f"write `{value.text}.0`"
        )
    if isinstance(value, Float) and kind in "su":
        return _value(f"the initial value of a `.{type}` is an integer constant", value.span)
    return _truncated(value, type) if isinstance(value, Integer) and not holds(type, value.value) else None


def _plain_numbers(value: InitialiserList, type: str) -> Misfit | None:
    """The first number of a long list that its type doesn't hold; most lists are passed by their digits alone."""
    if "x" not in value.plain.lower() and not _LONG.get(TYPES[type].width, _NEVER)(value.plain):
        return None
    numbers = value.numbers
    if holds(type, min(numbers)) and holds(type, max(numbers)):
        return None
    return next(found for element in value.elements if (found := _element(element, type)) is not None)


_NEVER = re.compile(r"(?!)").search
_LONG = {
    8: re.compile(r"\d\d\d").search,
    **{bits: re.compile(rf"\d{{{len(str(1 << bits - 1))}}}").search for bits in (16, 32, 64)},
}
"""Whether some number in a text has as many digits as the least that a type of this width can't hold."""


def holds(type: str, number: int) -> bool:
    """Whether a type has all bits of an integer, read as signed or as unsigned."""
    width = TYPES[type].width
    return TYPES[type].kind not in "bsu" or -(1 << width >> 1) <= number < 1 << width


def _truncated(value: Integer, type: str) -> Misfit:
    width = TYPES[type].width
    kept = value.value & (1 << width) - 1
    return Misfit(
        "initializer-truncated",
        f"`{value.text}` has more bits than the {width} of `.{type}`",
        "name",
        "its upper bits are dropped",
        span=value.span,
        expected=f"{width} bits",
        actual=f"{value.value.bit_length() + (value.value < 0)} bits",
        rule="PTX ISA, Initializers (5.4.4)",
        help=f"the assembler stores {kept}",
    )


def _value(message: str, span: Span, help: str | None = None) -> Misfit:
    return Misfit("initializer", message, "name", span=span, rule="PTX ISA, Initializers (5.4.4)", help=help)
