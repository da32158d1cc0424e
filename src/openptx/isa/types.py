"""Every instruction type: its kind, its width in a register, what it packs, and the register types that may hold it."""

from __future__ import annotations

from openptx.numerics.formats import FORMATS, S2F6
from openptx.numerics.type_names import PACKED


class Type:
    """A type as written in an opcode or a declaration, without its dot.

    `width` is in bits, as held in a register (`.pred` is 1, `.e2m1x2` is 8). `element` and `count` describe packed
    types (`f16x2` is two `f16`); a scalar is its own element. `format` names the number format of the element, None for
    integers and untyped bits. `registers` are the register types the manual requires (Tables 8 and 9, section 5.2.3);
    for fundamental types the agreement rules say which others fit.
    """

    __slots__ = ("count", "element", "format", "fundamental", "kind", "name", "registers", "signed", "width")

    def __init__(
        self, name: str, kind: str, width: int, element: Type | None = None, count: int = 1, format: str | None = None,
        registers: tuple[str, ...] = (),
    ) -> None:  # fmt: skip
        self.name = name
        self.kind = kind
        self.width = width
        self.signed = kind == "s"
        self.element = element or self
        self.count = count
        self.format = format
        self.fundamental = name in FUNDAMENTAL
        self.registers = registers or (name,)

    def __repr__(self) -> str:
        return f".{self.name}"

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return find_type, (self.name,)


def find_type(name: str) -> Type:
    """The type called `name`; raises KeyError if there is none."""
    return TYPES[name]


# 5.2.1, Table 8: what a register or variable may be declared as.
# fmt: off
FUNDAMENTAL = frozenset((
    "s8", "s16", "s32", "s64", "u8", "u16", "u32", "u64", "f16", "f16x2", "f32", "f64",
    "b8", "b16", "b32", "b64", "b128", "pred",
))
# fmt: on

# fmt: off
# name        kind    width  held in                     section
_SCALARS = (
    ("pred",   "pred",    1, "pred"),                  # 5.2.1
    ("b8",     "b",       8, "b8"),
    ("b16",    "b",      16, "b16"),
    ("b32",    "b",      32, "b32"),
    ("b64",    "b",      64, "b64"),
    ("b128",   "b",     128, "b128"),
    ("u8",     "u",       8, "u8"),
    ("u16",    "u",      16, "u16"),
    ("u32",    "u",      32, "u32"),
    ("u64",    "u",      64, "u64"),
    ("s8",     "s",       8, "s8"),
    ("s16",    "s",      16, "s16"),
    ("s32",    "s",      32, "s32"),
    ("s64",    "s",      64, "s64"),
    ("b1",     "b",       1, "b32"),                   # elements of matrices (9.7.14) and of cvt.pack (9.7.9.22)
    ("u2",     "u",       2, "b32"),
    ("s2",     "s",       2, "b32"),
    ("u4",     "u",       4, "b32"),
    ("s4",     "s",       4, "b32"),
    ("texref",     "opaque", 64, "u64"),               # 5.3
    ("samplerref", "opaque", 64, "u64"),
    ("surfref",    "opaque", 64, "u64"),
)
# name        element  count  held in                    5.2.5: packed types that are not of a number format
_PACKED = (
    ("u16x2",   "u16",    2, "b32"),
    ("s16x2",   "s16",    2, "b32"),
    ("u8x4",    "u8",     4, "b32"),                     # PTX 9.2
    ("s8x4",    "s8",     4, "b32"),
    ("ue8m0x4", "ue8m0",  4, "b32"),                     # PTX 9.4
)
# fmt: on

# Table 9, where the registers are not those of untyped bits of the same width.
_HELD_IN = {
    "f16x2": ("f16x2", "b32"),
    "e2m1x4": ("b32",),  # sixteen bits: the assembler asks for .b16 (isa/deviations.py)
}


def _types() -> dict[str, Type]:
    types = {name: Type(name, kind, width, registers=(held,)) for name, kind, width, held in _SCALARS}
    for f in (*FORMATS.values(), S2F6):  # 5.2.1, 5.2.3, 5.2.4
        held = f.name if f.name in FUNDAMENTAL else f"b{f.storage}"
        types[f.name] = Type(f.name, "f", f.field, format=f.name, registers=(held,))
    for name, element, count, held in _PACKED:
        types[name] = Type(
            name, types[element].kind, types[element].width * count, types[element], count, None, (held,)
        )
    for packed in PACKED.values():  # 5.2.5
        held = _HELD_IN.get(packed.name, (f"b{packed.storage}",))
        element = types[packed.element.name]
        types[packed.name] = Type(packed.name, "f", packed.storage, element, packed.count, element.format, held)
    return types


TYPES: dict[str, Type] = _types()
"""All types by name, fundamental ones and those that only instructions may name."""

WIDE: dict[str, Type] = {f"{kind}{width}": TYPES[f"{kind}{2 * width}"] for kind in "us" for width in (8, 16, 32)}
"""The integer type of twice the width: the result of `.wide` multiplications."""
