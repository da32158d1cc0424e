"""Types by their names in C, CUDA and PTX, and pointers to them: `float`, `Node *`, `@shared float4 *`.

Types that the file's debug information lacks are entries of the same form, with two attributes of their own: the type
of PTX, and the state space that a pointer points into.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from openptx.debug.source_variables import (
    ARRAY,
    BASE_TYPE,
    BYTE_SIZE,
    COUNT,
    MEMBER,
    OFFSET,
    POINTER,
    PTX_TYPE,
    SPACE,
    STRUCT,
    SUBRANGE,
    TYPE,
    DebugInformation,
)
from openptx.dwarf import NAME, Entry
from openptx.errors import InputError
from openptx.isa.types import TYPES, Type
from openptx.keywords import did_you_mean

# fmt: off
NUMBERS = {
    "char": "s8", "signed char": "s8", "unsigned char": "u8", "bool": "u8", "short": "s16", "unsigned short": "u16",
    "int": "s32", "signed": "s32", "signed int": "s32", "unsigned": "u32", "unsigned int": "u32", "long": "s64",
    "unsigned long": "u64", "long long": "s64", "unsigned long long": "u64", "size_t": "u64", "float": "f32",
    "double": "f64", **{f"{u}int{n}_t": f"{u or 's'}{n}" for u in ("", "u") for n in (8, 16, 32, 64)},
    "half": "f16", "__half": "f16", "__half2": "f16x2", "half2": "f16x2", "nv_bfloat16": "bf16",
    "__nv_bfloat16": "bf16", "__nv_bfloat162": "bf16x2", "nv_bfloat162": "bf16x2", "__nv_fp8_e4m3": "e4m3",
    "__nv_fp8_e5m2": "e5m2",
}
"""Types of PTX by their names in C and CUDA."""
VECTORS = {
    f"{u}{name}{n}": (f"{'unsigned ' if u else ''}{name.replace('longlong', 'long long')}", n)
    for name in ("char", "short", "int", "long", "longlong", "float", "double") for n in (1, 2, 3, 4)
    for u in (("", "u") if name not in ("float", "double") else ("",))
}
"""CUDA's vector types: the type of the elements, and their number."""
SPACES = {
    "global": "global", "shared": "shared", "local": "local", "generic": "generic", "constant": "const",
    "const": "const", "parameter": "param", "param": "param",
}
"""State spaces by their names in cuda-gdb."""
# fmt: on
_QUALIFIERS = frozenset(("const", "volatile", "struct", "union", "class", "enum", "__restrict__", "restrict"))
_PART = re.compile(r"@\s*\w+|\*|[^\s*@]+")


class Cast(NamedTuple):
    """The type of a cast: a name, and for each `*` after it, the state space that this pointer points into."""

    name: str
    pointers: tuple[str, ...]


@lru_cache(maxsize=256)
def parsed(text: str) -> Cast:
    """`(@shared float*)` in parts. Raises InputError for an unknown state space."""
    words, pointers, space = list[str](), list[str](), ""
    for part in _PART.findall(text.strip("() ")):
        if part == "*":
            pointers.append(space)
            space = ""
        elif part[0] == "@":
            name = part[1:].strip()
            if name not in SPACES:
                raise InputError(f"no state space `@{name}`: write @{', @'.join(SPACES)}")
            space = SPACES[name]
        elif part not in _QUALIFIERS:
            words.append(part)
    name = " ".join(words)
    return Cast(_ordered(name) if name not in NUMBERS else name, tuple(pointers))


def _ordered(name: str) -> str:
    """`long unsigned int` as `unsigned long`, `short int` as `short`."""
    words = name.split()
    if len(words) < 2 or not {*words} <= {"signed", "unsigned", "char", "short", "long", "int"}:
        return name
    kept = [word for word in words if word not in ("int", "signed", "unsigned")] or ["int"]
    return " ".join((["unsigned"] if "unsigned" in words else []) + kept)


def number_type(information: DebugInformation, type: Type, name: str = "") -> Entry:
    """A type of PTX as an entry, under a name in C."""
    size = max(type.width // 8, 1)
    return information.entry(BASE_TYPE, {NAME: name or f".{type.name}", BYTE_SIZE: size, PTX_TYPE: type.name})


def pointer_to(information: DebugInformation, type: Entry | None, space: str = "") -> Entry:
    """The type of pointers to another, to `void` if None, which may point into one state space only."""
    target = {} if type is None else {TYPE: type.offset}
    return information.entry(POINTER, target | ({SPACE: space} if space not in ("", "generic") else {}))


def array_of(information: DebugInformation, type: Entry, extents: Iterable[int]) -> Entry:
    """The type of arrays of another."""
    children = [information.entry(SUBRANGE, {COUNT: count}) for count in extents]
    return information.entry(ARRAY, {TYPE: type.offset}, children)


def vector_of(information: DebugInformation, name: str) -> Entry:
    """One of CUDA's vector types."""
    element, count = VECTORS[name]
    type = number_type(information, TYPES[NUMBERS[element]], element)
    size = information.size(type)
    members = [information.entry(MEMBER, {NAME: "xyzw"[i], TYPE: type.offset, OFFSET: i * size}) for i in range(count)]
    return information.entry(STRUCT, {NAME: name, BYTE_SIZE: count * size}, members)


def named(information: DebugInformation, name: str) -> Entry | None:
    """The type of a name in C, CUDA, the program or PTX; None for `void`. Raises InputError for any other name."""
    if name == "void":
        return None
    if name in NUMBERS:
        return number_type(information, TYPES[NUMBERS[name]], name)
    if name in VECTORS:
        return vector_of(information, name)
    if (found := information.type_named(name)) is not None:
        return found
    ptx = TYPES.get(name.removeprefix("."))
    if ptx is not None and ptx.kind not in ("opaque", "pred"):
        return number_type(information, ptx)
    known = [*NUMBERS, *VECTORS, *information.type_names()]
    raise InputError(f"no type `{name}`{did_you_mean(name, known) or ' in C, in the program or in PTX'}")


def type_of_cast(information: DebugInformation, cast: Cast, space: str = "") -> Entry:
    """The pointer type of a cast; `space` is that of the value, unless the cast names one. Raises InputError for an
    unknown type."""
    type = named(information, cast.name)
    for own in cast.pointers[:-1]:
        type = pointer_to(information, type, own)
    return pointer_to(information, type, cast.pointers[-1] or space)


def type_of_text(information: DebugInformation, text: str) -> Entry | None:
    """The type that a text names: `int`, `(float *)`, `struct Node`; None for `void`. Raises InputError for any other
    text."""
    cast = parsed(text)
    return type_of_cast(information, cast) if cast.pointers else named(information, cast.name)


def size(information: DebugInformation, text: str) -> int:
    """The bytes of a type. Raises InputError for an unknown type and for `void`."""
    type = type_of_text(information, text)
    if type is None:
        raise InputError("`void` has no size")
    return information.size(type)
