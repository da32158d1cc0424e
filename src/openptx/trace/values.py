"""Values of registers as text: the bits of a type as a number."""

from __future__ import annotations

import struct

import numpy as np

from openptx.errors import InputError
from openptx.isa.types import TYPES, Type
from openptx.numerics.codec import FINITE, INFINITE, decode
from openptx.numerics.formats import FORMATS, S2F6

# fmt: off
#         struct codes of the bits and of the value; the NumPy type that writes it with the fewest digits that identify
# it
NATIVE = {
    "f16": ("<H", "<e", np.float16),
    "f32": ("<I", "<f", np.float32),
    "f64": ("<Q", "<d", np.float64),
}
# fmt: on
ELEMENTS = {**FORMATS, S2F6.name: S2F6}


def type_of(name: str) -> Type:
    """A type of PTX by its name, with or without its dot; raises InputError for another name."""
    found = TYPES.get(name.removeprefix("."))
    if found is None or found.kind == "opaque":
        raise InputError(f"no type `{name}`: write one of PTX, such as s32, f32, f16x2 or b64")
    return found


def show(bits: int, type: Type) -> str:
    """`bits`, truncated to a type's width, as its value: `-1`, `0.5`, `(1.0, 2.0)`, `0x3f800000`, `true`."""
    if type.kind == "pred":
        return "true" if bits & 1 else "false"
    bits &= (1 << type.width) - 1
    if type.count > 1:
        width = type.width // type.count
        parts = (bits >> width * i & (1 << width) - 1 for i in range(type.count))
        return f"({', '.join(scalar(part, type.element) for part in parts)})"
    return scalar(bits, type)


def scalar(bits: int, type: Type) -> str:
    """One value."""
    if type.name in NATIVE:
        code, value, numpy_type = NATIVE[type.name]
        return str(numpy_type(struct.unpack(value, struct.pack(code, bits))[0]))
    if type.format in ELEMENTS:
        found = decode(ELEMENTS[type.format], bits)
        if found.kind == FINITE:
            return str(-float(found.magnitude) if found.sign else float(found.magnitude))
        return ("-" if found.sign else "") + ("inf" if found.kind == INFINITE else "nan")
    if type.signed:
        return str(bits - (1 << type.width) if bits >> type.width - 1 else bits)
    return str(bits) if type.kind == "u" else f"0x{bits:x}"
