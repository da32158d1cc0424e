"""Every instruction type: its kind, its width in a register, what it packs, and the register types that may hold it."""

from __future__ import annotations


class Type:
    """A type as it stands in an opcode or a declaration, without its dot.

    `width` is in bits, as held in a register (`.pred` is 1, `.e2m1x2` is 8). `element` and `count` describe packed
    types (`f16x2` is two `f16`); a scalar is its own element. `format` names the number format of the element, None for
    integers and untyped bits. `registers` are the register types the manual asks for (Tables 8 and 9, section 5.2.3);
    for fundamental types the agreement rules say what else fits.
    """

    __slots__ = ("count", "element", "format", "fundamental", "kind", "name", "registers", "signed", "width")

    def __init__(
        self,
        name: str,
        kind: str,
        width: int,
        element: Type | None = None,
        count: int = 1,
        format: str | None = None,
        registers: tuple[str, ...] = (),
    ) -> None:
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
        return named, (self.name,)


def named(name: str) -> Type:
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
# name        kind    width  format     held in             section
_SCALARS = (
    ("pred",   "pred",    1, None,      "pred"),         # 5.2.1
    ("b8",     "b",       8, None,      "b8"),
    ("b16",    "b",      16, None,      "b16"),
    ("b32",    "b",      32, None,      "b32"),
    ("b64",    "b",      64, None,      "b64"),
    ("b128",   "b",     128, None,      "b128"),
    ("u8",     "u",       8, None,      "u8"),
    ("u16",    "u",      16, None,      "u16"),
    ("u32",    "u",      32, None,      "u32"),
    ("u64",    "u",      64, None,      "u64"),
    ("s8",     "s",       8, None,      "s8"),
    ("s16",    "s",      16, None,      "s16"),
    ("s32",    "s",      32, None,      "s32"),
    ("s64",    "s",      64, None,      "s64"),
    ("f16",    "f",      16, "f16",     "f16"),
    ("f32",    "f",      32, "f32",     "f32"),
    ("f64",    "f",      64, "f64",     "f64"),
    ("bf16",   "f",      16, "bf16",    "b16"),          # 5.2.3
    ("tf32",   "f",      32, "tf32",    "b32"),
    ("e4m3",   "f",       8, "e4m3",    "b8"),
    ("e5m2",   "f",       8, "e5m2",    "b8"),
    ("e2m3",   "f",       8, "e2m3",    "b8"),           # six bits, two zeros above them
    ("e3m2",   "f",       8, "e3m2",    "b8"),
    ("e2m1",   "f",       4, "e2m1",    "b8"),           # only ever packed
    ("ue8m0",  "f",       8, "ue8m0",   "b8"),
    ("ue4m3",  "f",       8, "ue4m3",   "b8"),
    ("ue5m3",  "f",       8, None,      "b8"),           # PTX 9.4; nothing is published about its encoding
    ("s2f6",   "f",       8, "s2f6",    "b8"),           # 5.2.4: fixed point
    ("b1",     "b",       1, None,      "b32"),          # elements of matrices (9.7.14) and of cvt.pack (9.7.9.22)
    ("u2",     "u",       2, None,      "b32"),
    ("s2",     "s",       2, None,      "b32"),
    ("u4",     "u",       4, None,      "b32"),
    ("s4",     "s",       4, None,      "b32"),
    ("texref",     "opaque", 64, None,  "u64"),          # 5.3
    ("samplerref", "opaque", 64, None,  "u64"),
    ("surfref",    "opaque", 64, None,  "u64"),
)
# name        element  count  held in                    Table 9, 5.2.5.2, 5.2.5.3
_PACKED = (
    ("f16x2",   "f16",    2, "f16x2 b32"),
    ("f32x2",   "f32",    2, "b64"),
    ("bf16x2",  "bf16",   2, "b32"),
    ("e4m3x2",  "e4m3",   2, "b16"),
    ("e5m2x2",  "e5m2",   2, "b16"),
    ("e2m3x2",  "e2m3",   2, "b16"),
    ("e3m2x2",  "e3m2",   2, "b16"),
    ("ue8m0x2", "ue8m0",  2, "b16"),
    ("ue5m3x2", "ue5m3",  2, "b16"),                     # PTX 9.4
    ("e2m1x2",  "e2m1",   2, "b8"),
    ("e4m3x4",  "e4m3",   4, "b32"),
    ("e5m2x4",  "e5m2",   4, "b32"),
    ("e2m3x4",  "e2m3",   4, "b32"),
    ("e3m2x4",  "e3m2",   4, "b32"),
    ("e2m1x4",  "e2m1",   4, "b32"),                     # sixteen bits: the assembler asks for .b16 (see deviations)
    ("s2f6x2",  "s2f6",   2, "b16"),
    ("u16x2",   "u16",    2, "b32"),
    ("s16x2",   "s16",    2, "b32"),
    ("u8x4",    "u8",     4, "b32"),                     # PTX 9.2
    ("s8x4",    "s8",     4, "b32"),
)
# fmt: on


def _types() -> dict[str, Type]:
    types = {
        name: Type(name, kind, width, format=format, registers=tuple(held.split()))
        for name, kind, width, format, held in _SCALARS
    }
    for name, element_name, count, held in _PACKED:
        element = types[element_name]
        width = element.width * count
        types[name] = Type(name, element.kind, width, element, count, element.format, tuple(held.split()))
    return types


TYPES: dict[str, Type] = _types()
"""All types by name, fundamental ones and those that only instructions may name."""

WIDE: dict[str, Type] = {f"{kind}{width}": TYPES[f"{kind}{2 * width}"] for kind in "us" for width in (8, 16, 32)}
"""The integer type of twice the width: the result of `.wide` multiplications."""
