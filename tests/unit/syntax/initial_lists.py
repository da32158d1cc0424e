"""Random declarations of arrays with initial values, and mutants of them."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

HEAD = (
    ".version 8.5\n.target sm_80\n.address_size 64\n.global .u32 x;\n.global .b8 ab[9];\n.func function() { ret; }\n"
    ".shared .u32 held;\n"
)
_INTEGERS = (
    "0", "1", "-1", "7", "99", "127", "128", "-128", "-129", "255", "256", "65535", "65536", "4294967295", "4294967296",
    "0xff", "0x1FF", "0XFF", "0xFFFFFFFF", "9223372036854775807", "-9223372036854775807", "-9223372036854775808",
    "9223372036854775808", "13096744586834688815", "18446744073709551615", "18446744073709551616", "0xFFFFFFFFFFFFFFFF",
    "1U", "0xFFU", "256U", "01", "010", "0b11", "1+2", "(7)", "~0", "WARP_SZ",
)  # fmt: skip
_FLOATS = (
    "0.0",
    "1.5",
    "-1.5",
    "0f3F800000",
    "0d3FF0000000000000",
    "1.5e3",
    "2.5E-3",
    "1.",
    ".5",
    "1e5",
    "-0f3F800000",
)
_ADDRESSES = (
    "x",
    "ab",
    "ab+4",
    "generic(x)",
    "generic(ab)+8",
    "function",
    "held",
    "nothing",
    "x+0x4",
    "x + 4",
    "0xFF(x)",
)
_SUMS = ("1+2", "-3 - 4", "100+27", "250+9", "65535 + 1-1")
_BYTES = ("0xFF(x)", "0xff00(generic(ab)+8)", "0XFF0000(ab+4)", "0xFF(function)", "0xFFFF(x)")
_TYPES = ("b8", "u8", "s8", "b16", "u16", "b32", "u32", "s32", "b64", "u64", "s64", "f32", "f64", "f16", "pred", "b128")
_TOKEN = re.compile(r"\w+|[^\w\s]")


def declaration(chance: random.Random, name: str) -> str:
    """A declaration, most of whose values fit."""
    type = chance.choice(_TYPES)
    vector = chance.choice((0, 0, 0, 0, 2, 4))
    shape = [chance.randrange(1, 4) for _ in range(chance.choice((0, 1, 1, 1, 2, 2, 3, 4)))]
    more = chance.random()
    numbers = (
        _SUMS[:4] + _INTEGERS[:4]
        if more < 0.1
        else _BYTES[:4] + _INTEGERS[:2]
        if more > 0.8 and type[0] == "u"
        else _FLOATS[:5]
        if type[0] == "f"
        else _ADDRESSES[:6]
        if type == "u64" and chance.random() < 0.5
        else _INTEGERS[:4]
    )
    odd = chance.random() < 0.3

    def value() -> str:
        return chance.choice(
            _INTEGERS + _FLOATS + _ADDRESSES + _SUMS + _BYTES if odd and chance.random() < 0.3 else numbers
        )

    between = chance.choice((", ", ", ", ",", " , ", ",\n\t"))

    def listed(sizes: list[int]) -> str:
        if not sizes:
            return value()
        count = sizes[0] if chance.random() < 0.8 else chance.randrange(sizes[0] + 2)
        return "{" + between.join(listed(sizes[1:]) for _ in range(count)) + "}"

    dimensions = "".join(f"[{size}]" for size in shape)
    if shape and chance.random() < 0.1:
        dimensions = "[]" + "".join(f"[{size}]" for size in shape[1:])
    values = listed([*shape, vector] if vector else shape)
    return f".global {f'.v{vector} ' * (vector > 0)}.{type} {name}{dimensions} = {values};"


def mutated(chance: random.Random) -> Callable[[str], str]:
    """Replaces, doubles or removes a token."""

    def mutant(text: str) -> str:
        tokens = list(_TOKEN.finditer(text))
        place, other = chance.choice(tokens), chance.choice(tokens)
        new = chance.choice((other[0], "", place[0] * 2, f"{place[0]} {other[0]}", chance.choice("{}[],;=+-")))
        return text[: place.start()] + new + text[place.end() :]

    return mutant
