"""Constants as bits (manual 4.5), and variables: their sizes, alignment, places in frames and initial bytes (5.4)."""

from __future__ import annotations

import struct
from math import prod

from openptx.check.sizes import element_bytes, rounded_up, shape_of
from openptx.errors import Unsupported
from openptx.isa.sampler_state import encoded
from openptx.isa.types import TYPES, Type
from openptx.numerics.python_floats import f32_bits
from openptx.program import Relocation, Variable
from openptx.syntax import declarations
from openptx.syntax.declarations import Declarator, Initialiser, InitialiserList, Member, SymbolAddress
from openptx.syntax.operands import Float, Integer, Name
from openptx.syntax.plain_values import INTEGERS


def half_bits(value: float) -> int:
    """The `.f16` nearest to a double, as bits; overflow becomes infinity."""
    try:
        return struct.unpack("<H", struct.pack("<e", value))[0]
    except OverflowError:
        return 0x7C00 | (value < 0) << 15


def float_bits(constant: Float, width: int) -> int:
    """A floating-point constant in a float type of this width. `0f` literals keep their 32 bits as they are, also in
    one of 64 bits: the assembler makes a subnormal number of `mov.f64 d, 0f3F800000`."""
    if width in (constant.width, 64):
        return constant.bits
    return half_bits(constant.value) if width == 16 else f32_bits(constant.value)


def constant_bits(constant: Integer | Float, type: Type) -> int:
    """The bits of a constant where the instruction wants this type.

    Integers wrap. A float takes the width of the type, or its own if the type is wider: `mov.b64 d, 1.0`.
    """
    if type.kind == "pred":
        return int(constant.value != 0)
    if isinstance(constant, Integer):
        return constant.value & ((1 << type.width) - 1)
    return float_bits(constant, min(type.width, 64))


def element_bits(constant: Float, type: Type) -> int:
    """The bits of a floating-point constant in a list of this type.

    A list of bits or of unsigned integers takes the low bits of the literal, a double unless it begins with `0f`. Lists
    of signed integers and of narrower types take a zero (measured).
    """
    if type.kind not in "bsu":
        return constant_bits(constant, type)
    return constant.bits & ((1 << type.width) - 1) if type.width >= 32 and type.kind != "s" else 0


LARGEST = 1 << 36
"""The maximum size in bytes of an executable variable. The format allows more than the address space has."""


class Frame:
    """Memory that is allocated from offset 0 upwards; `size` and `align` are those of what has been placed."""

    __slots__ = ("align", "size")

    def __init__(self, size: int = 0) -> None:
        self.size = size
        self.align = 1

    def place(self, size: int, align: int) -> int:
        """The offset of the next `size` bytes."""
        offset = rounded_up(self.size, align)
        self.size = offset + size
        self.align = max(self.align, align)
        return offset


def variable(
    declaration: declarations.Variable, declarator: Declarator, space: str, frame: Frame | None, name: str | None = None
) -> Variable:
    """One variable of a declaration, placed in a frame if its space has one."""
    type = TYPES["texref" if declaration.space == "tex" else declaration.type]  # (5.1.8)
    shape = shape_of(declarator)
    vector = max(1, declaration.vector)
    element = element_bytes(type)
    size = element * vector * prod(shape)
    if size > LARGEST:
        what = f"a variable of {size:,} bytes"
        raise Unsupported(what, file=declaration.file, span=declarator.name.span, help=f"at most {LARGEST:,} bytes")
    align = declaration.align.value if declaration.align else element * vector
    data, relocations = initial(declarator.initialiser, shape, vector, type)
    return Variable(
        name or declarator.name.text,
        space,
        type,
        size,
        align,
        frame.place(size, align) if frame else 0,
        vector,
        shape,
        data,
        relocations,
        declaration.linkage,
        declarator.name.span,
        any(attribute.name == "managed" for attribute in declaration.attributes),
    )


def initial(
    initialiser: Initialiser | None, shape: tuple[int, ...], vector: int, type: Type
) -> tuple[bytes | None, tuple[Relocation, ...]]:
    """The bytes of an initialiser and the addresses in it. Omitted parts are zero, or a sampler's default."""
    if initialiser is None:
        return None, ()
    if type.kind == "opaque" and isinstance(initialiser, InitialiserList):
        members = [e for e in initialiser.elements if isinstance(e, Member)]
        values = {e.name.text: e.value.text if isinstance(e.value, Name) else int(e.value.value) for e in members}
        return encoded(values), ()
    dimensions = (*shape, vector) if vector > 1 else shape
    size = element_bytes(type)
    plain = isinstance(initialiser, InitialiserList) and initialiser.kind == INTEGERS and not initialiser.nested
    if isinstance(initialiser, InitialiserList) and plain and type.kind in "bsu":
        mask = (1 << type.width) - 1
        table = b"".join([(number & mask).to_bytes(size, "little") for number in initialiser.numbers])
        return table.ljust(size * prod(dimensions), b"\0"), ()
    data = bytearray(size * prod(dimensions))
    relocations: list[Relocation] = []
    for position, value in _elements(initialiser, dimensions, 0):
        at = position * size
        if isinstance(value, SymbolAddress):
            relocations.append(_relocation(value, at, size))
        elif isinstance(value, (Integer, Float)) and at < len(data):
            data[at : at + size] = _bits(value, type).to_bytes(size, "little")
    return bytes(data), tuple(relocations)


def _bits(value: Integer | Float, type: Type) -> int:
    """The bits of an element. As in the assembler only elements of 32 bits convert floating-point values; others take
    the low bits of the literal: `.f64 v = 0f3F800000` is 0x000000003F800000, `.b16 v = 1.5` is 0."""
    if isinstance(value, Float):
        return float_bits(value, 32) if type.width == 32 else value.bits & ((1 << type.width) - 1)
    return int(value.value != 0) if type.kind == "pred" else value.value & ((1 << type.width) - 1)


def _relocation(address: SymbolAddress, offset: int, size: int) -> Relocation:
    shift = 0
    if address.mask is not None and address.mask.value:
        shift = (address.mask.value & -address.mask.value).bit_length() - 1
    return Relocation(offset, size, address.name.text, address.offset, address.generic, shift)


def _elements(initialiser: Initialiser, dimensions: tuple[int, ...], at: int) -> list[tuple[int, Initialiser]]:
    """Positions and values in row-major order as in C: an inner list starts a new row."""
    if not isinstance(initialiser, InitialiserList):
        return [(at, initialiser)]
    row = prod(dimensions[1:])
    found: list[tuple[int, Initialiser]] = []
    position = at
    for element in initialiser.elements:
        if isinstance(element, InitialiserList):
            position = at + rounded_up(position - at, row)
            found += _elements(element, dimensions[1:], position)
            position += row
        else:
            found.append((position, element))
            position += 1
    return found
