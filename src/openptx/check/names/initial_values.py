"""The allowed initial values of a variable (5.4.4; measured)."""

from __future__ import annotations

import re

from openptx.check.explain.suggestions import NOT_CONVERTED, SHORT_FLOAT, as_float
from openptx.check.names.declared_types import OPAQUE, Misfit
from openptx.check.names.opaque_values import opaque_problem
from openptx.check.sizes import shape_of
from openptx.isa.types import TYPES
from openptx.patterns import pattern
from openptx.source import Span
from openptx.syntax.declarations import Declarator, Initialiser, InitialiserList, MaskedInteger, SymbolAddress
from openptx.syntax.declarations import Variable as Declaration
from openptx.syntax.operands import Float, Integer
from openptx.syntax.plain_values import ADDRESSES, FLOATS, INTEGERS, MASKED, SUMS, fits

_MASKS = frozenset(0xFF << shift for shift in range(0, 64, 8))
TRUNCATED = "initializer-truncated"
SHORT = "short-float"
"""Both are warnings: misfits of values that the assembler accepts."""
_SINGLE = pattern(r"\b0[fF]", re.A)


def initial_problem(declaration: Declaration, declarator: Declarator, shape: tuple[int, ...]) -> Misfit | None:
    """The problems with an initial value."""
    value, type, vector = declarator.initialiser, declaration.type, declaration.vector
    if value is None or (declaration.space not in ("global", "const") and type in OPAQUE and not shape):
        return None
    if misplaced := _without_value(declaration, declarator):
        return misplaced
    if type in OPAQUE and (isinstance(value, InitialiserList) or not shape):
        return opaque_problem(value, type, bool(shape))
    if type == "f16" and not (shape and _empty(value)):
        return _value("a `.f16` variable can't have an initial value", declarator.span, "write its bits as `.b16`")
    if isinstance(value, InitialiserList) and not len(value) and shape[:1] == (0,):
        return _value("an empty list does not determine the length of the array", value.span)
    if type == "f16x2":
        return _packed(value, shape, type, vector)
    if isinstance(value, InitialiserList):
        return _check_list(value, type, shape, vector)
    if shape or vector > 1:
        text = getattr(value, "text", "...")
        help = f"write `{{{text}}}`" if vector == 1 else f"write `{{{', '.join([text] * vector)}}}`"
        return _value("the initial value of an array must be a list in braces", declarator.span, help)
    return _element(value, type)


def _without_value(declaration: Declaration, declarator: Declarator) -> Misfit | None:
    """The problem of an initial value where none may be: of variables in other state spaces, and external ones."""
    if declaration.space not in ("global", "const"):
        how = f"`st.{declaration.space}`" if declaration.space in ("shared", "local") else "`mov`"
        help = f"give it its value in the kernel, by {how}; only `.global` and `.const` variables are initialised"
        return _value(f"a variable in `.{declaration.space}` can't have an initial value", declarator.span, help)
    if declaration.linkage == "extern":
        help = "leave out the value, or `.extern`"
        return _value("an `.extern` variable can have an initial value only where it is defined", declarator.span, help)
    return None


def packed_problem(declaration: Declaration, declarator: Declarator) -> Misfit | None:
    """The problem with the values of an array of packed elements, which the assembler reads as vectors (measured)."""
    value, type = declarator.initialiser, TYPES.get(declaration.type)
    if type is None or type.fundamental or type.kind == "opaque" or not declarator.dimensions or value is None:
        return None
    shape = shape_of(declarator)
    if isinstance(value, InitialiserList) and not len(value) and not shape[0]:
        return _value("an empty list does not determine the length of the array", value.span)
    return _without_value(declaration, declarator) or _packed(value, shape, declaration.type)


def _packed(value: Initialiser, shape: tuple[int, ...], type: str, vector: int = 1) -> Misfit | None:
    """A constant in place of an element, or too many elements. What is listed for an element is not looked at."""
    if not isinstance(value, InitialiserList):
        return _value(f"`.{type}` has no constants", value.span, f"write its bits as `.b{TYPES[type].width}`")
    if not shape and vector > 1:
        return _of_vector(value, vector) or _packed(value, (vector,), type)
    if not shape:
        return None
    if shape[0] and len(value) > shape[0]:
        return _too_many(value, shape[0])
    return next(filter(None, (_packed(each, shape[1:], type, vector) for each in value.elements)), None)


def _of_vector(value: InitialiserList, vector: int) -> Misfit | None:
    """Another number of elements than a vector has."""
    message = f"the initial value of a vector of {vector} must have {vector} elements, not {len(value)}"
    return _value(message, value.span) if len(value) != vector else None


def _too_many(value: InitialiserList, room: int) -> Misfit:
    help = f"make it longer: {len(value)} elements"
    return _value(f"more initial values than elements, of which there are {room}", value.span, help)


def _check_list(value: InitialiserList, type: str, shape: tuple[int, ...], vector: int) -> Misfit | None:
    if not shape and vector == 1:
        one = "leave out the braces" if len(value) == 1 else f"make it an array: `.{type} name[{len(value)}] = ...`"
        return _value("a list can't be the initial value of a scalar", value.span, one)
    return _list(value, ((*shape, vector) if vector > 1 else shape) or (1,), type, vector)


def _list(value: InitialiserList, dimensions: tuple[int, ...], type: str, vector: int) -> Misfit | None:
    """A list of at most as many elements as the first dimension has; of lists, if there are further dimensions."""
    room, row = dimensions[0], dimensions[1:]
    if len(value) > room:
        return _too_many(value, room)
    if vector > 1 and not row and (misfit := _of_vector(value, vector)):
        return misfit
    if value.plain and _fits(value, dimensions, type, vector):
        return None
    truncated: Misfit | None = None
    for element in value.elements:
        if isinstance(element, InitialiserList):
            if not row:
                return _value("lists are nested deeper than the array has dimensions", element.span)
            found = _list(element, row, type, vector)
        elif row:
            help = f"write a list for each of the {room} rows: `{{{{...}}, {{...}}}}`"
            return _value("the elements of an array of arrays or vectors must be lists in braces", element.span, help)
        else:
            found = _element(element, type)
        if found is not None and found.about not in (TRUNCATED, SHORT):
            return found
        truncated = truncated or found
    return truncated


def _empty(value: Initialiser) -> bool:
    """Whether a list holds no value."""
    return isinstance(value, InitialiserList) and all(map(_empty, value.elements))


def _element(value: Initialiser, type: str) -> Misfit | None:
    kind = TYPES[type].kind if type != "f16x2" else "b"
    mask = value.mask if isinstance(value, SymbolAddress | MaskedInteger) else None
    if mask is not None and mask.value not in _MASKS:
        return _value("a mask selects one byte: `0xFF`, `0xFF00` and so on", mask.span)
    if isinstance(value, SymbolAddress):
        if type in ("u32", "u64") or (type == "u8" and mask is not None):
            return None
        help = "declare it as `.u64`, or as `.u8` for one byte of an address, as in `0xFF(a)`"
        return _value(f"a `.{type}` can't hold an address", value.span, help)
    if isinstance(value, Integer) and kind == "f":
        return _value(
            f"the initial value of an `.{type}` must be a floating-point constant",
            value.span,
            f"write `{value.text}.0`",
        )
    if isinstance(value, Float) and kind in "su":
        help = (
            f"write an integer, or declare it `.f{TYPES[type].width}`" if TYPES[type].width > 16 else "write an integer"
        )
        return _value(f"the initial value of a `.{type}` must be an integer constant", value.span, help)
    if isinstance(value, Float) and value.width == 32 and value.bits and type == "f64":
        return _short(value)
    return _truncation(value, type) if isinstance(value, Integer) and not holds(type, value.value) else None


def _fits(value: InitialiserList, dimensions: tuple[int, ...], type: str, vector: int) -> bool:
    """Whether a plain list is certainly correct, judged by its text."""
    kind, width = TYPES[type].kind, TYPES[type].width
    held = {
        INTEGERS: kind in "bsu", SUMS: kind in "bsu", FLOATS: kind not in "su", ADDRESSES: type in ("u32", "u64"),
        MASKED: type in ("u8", "u32", "u64"),
    }  # fmt: skip
    if type == "f64" and _SINGLE.search(value.plain):
        return False
    return held[value.kind] and fits(value.kind, value.plain, dimensions, width, whole_rows=vector > 1)


def holds(type: str, number: int) -> bool:
    """Whether a type has all bits of an integer, read as signed or as unsigned."""
    width = TYPES[type].width
    return TYPES[type].kind not in "bsu" or -(1 << width >> 1) <= number < 1 << width


def _truncation(value: Integer, type: str) -> Misfit:
    width = TYPES[type].width
    kept = value.value & (1 << width) - 1
    return Misfit(
        TRUNCATED, f"`{value.text}` has more bits than the {width} of `.{type}`", "name", "its upper bits are dropped",
        span=value.span,
        expected=f"{width} bits", actual=f"{value.value.bit_length() + (value.value < 0)} bits",
        rule="PTX ISA, Initializers (5.4.4)",
        help=f"the assembler stores {kept}",
    )  # fmt: skip


def _short(value: Float) -> Misfit:
    text = value.text
    return Misfit(
        SHORT, SHORT_FLOAT.format(text), "name", NOT_CONVERTED, span=value.span,
        expected="64 bits", actual="32 bits", rule="PTX ISA, Initializers (5.4.4)",
        help=f"write `{as_float(text, 64)}`" if value.literal else None,
        replacement=as_float(text, 64) if value.literal else None,
    )  # fmt: skip


def _value(message: str, span: Span, help: str | None = None) -> Misfit:
    return Misfit("initializer", message, "name", span=span, rule="PTX ISA, Initializers (5.4.4)", help=help)
