"""How the debugger writes values: formats such as gdb's (`p/x`, `x/4xw`), and the elements of arrays."""

from __future__ import annotations

import re
from math import prod
from typing import Any, cast

from openptx.debug.scope import Scope
from openptx.debug.source_values import SourceObject, shown
from openptx.debug.values import Array, TypedBits
from openptx.errors import InputError
from openptx.isa.types import Type
from openptx.trace.values import show, type_of

SHOWN = 64
"""Elements of an array that `print` shows."""
LETTERS = {"d": "s", "u": "u", "f": "f", "x": "b", "t": "b", "c": "s", "a": "b", "i": "s"}
"""gdb's letters for formats of bits; the register gives the width."""
UNITS = {"b": 8, "h": 16, "w": 32, "g": 64}
"""gdb's letters for widths in memory."""


def split_form(text: str) -> tuple[str, str]:
    """`/f32 expression` as its two parts. Raises InputError if there is no expression."""
    form = ""
    if text.startswith("/"):
        form, _, text = text[1:].partition(" ")
    if not text:
        raise InputError("the expression is missing: write one, such as a register's name")
    return form, text.strip()


def as_type(form: str, own: Type) -> Type:
    """The type that a format letter means for a value: gdb's letters take the value's width."""
    letter = LETTERS.get(form)
    if letter is None:
        return type_of(form)
    width = max(own.width, 8)
    return type_of(f"{letter}{max(width, 16) if letter == 'f' else width}")


def formatted(bits: int, form: str, own: Type) -> str:
    """Bits of a type in a format."""
    type = as_type(form, own)
    bits &= (1 << type.width) - 1
    if form == "t":
        return f"0b{bits:b}"
    text = show(bits, type)
    return f"{text} {chr(bits & 0xFF)!r}" if form == "c" and bits & 0xFF < 128 else text


def value_text(scope: Scope, found: Any, form: str) -> str:
    """A value of a thread as text, as another type if one is requested."""
    if isinstance(found, TypedBits):
        return formatted(found.bits, form, found.type) if form else str(found)
    if isinstance(found, SourceObject):
        return shown(scope, found, lambda value: value_text(scope, value, form))
    if isinstance(found, list):
        parts = [value_text(scope, part, form) for part in cast("list[TypedBits]", found)]
        return "{" + ", ".join(parts) + "}"
    if isinstance(found, Array):
        values = scope.elements(found, SHOWN)
        more = f" ... {found.count} elements" if found.count > SHOWN else ""
        parts = [value_text(scope, value, form) for value in values]
        for extent in found.shape[:0:-1] if prod(found.shape) == found.count else ():
            parts = ["{" + ", ".join(parts[i : i + extent]) + "}" for i in range(0, len(parts), extent)]
        return f".{found.space} 0x{found.address:x} {{" + ", ".join(parts) + "}" + more
    if form and isinstance(found, int):
        return formatted(found, form, type_of("b64"))
    return str(found)


def memory_form(form: str) -> tuple[int, str]:
    """The count and the type of `x/8f32`, or of gdb's `x/8xw`; the type is empty if it is the variable's own.

    Raises InputError for an unreadable format.
    """
    found = re.fullmatch(r"(\d*)\s*([a-z]\w*)?", form)
    if found is None:
        raise InputError(f"x/{form}: write x/COUNT TYPE, such as x/8f32")
    name = found[2] or ""
    if name and re.fullmatch(r"[xdufa]?[bhwg]?|[bhwg][xdufa]", name):
        unit = next((UNITS[letter] for letter in name if letter in UNITS), 64 if "a" in name else 32)
        name = f"{next((LETTERS[letter] for letter in name if letter in LETTERS and letter not in UNITS), 'b')}{unit}"
    return int(found[1] or 8), name
