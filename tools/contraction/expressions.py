"""Hash-consed expressions of a kernel's results: equal ones are the same object, and signs are moved outside.

A word is what a 32-bit register holds: an f32, a pair of halves, or half of an f64. `half`, `pair`, `low` and `high`
take words apart and put them together, so that it does not matter in how many pieces something was loaded or stored.
"""

from __future__ import annotations

import struct
from typing import Any


class Expression:
    """What an operation computes of its arguments: other expressions, numbers and text."""

    __slots__ = ("args", "name", "number")

    def __init__(self, name: str, args: tuple[Any, ...], number: int) -> None:
        self.name, self.args, self.number = name, args, number

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.args))})" if self.args else self.name


_made: dict[tuple[Any, ...], Expression] = {}


def forget() -> None:
    """Between programs: numbers of expressions begin again."""
    _made.clear()


def make(name: str, *args: Any) -> Expression:
    key = (name, *args)
    found = _made.get(key)
    if found is None:
        found = _made[key] = Expression(name, args, len(_made))
    return found


def bits(value: int, width: int = 32) -> Expression:
    return make("bits", value & (1 << width) - 1, width)


def constant(value: float, format: str) -> Expression:
    """A number as the bits of its format."""
    if format == "bf16":
        return bits(struct.unpack("<I", struct.pack("<f", value))[0] >> 16, 16)
    code, width = {"f16": ("<eH", 16), "f32": ("<fI", 32), "f64": ("<dQ", 64)}[format]
    packed = struct.pack("<" + code[1], value)
    return bits(struct.unpack("<" + code[2], packed)[0], width)


def is_bits(e: Expression, value: int | None = None) -> bool:
    return e.name == "bits" and (value is None or e.args[0] == value)


# Signs.


def negated(e: Expression) -> Expression:
    if e.name == "neg":
        return e.args[0]
    if e.name == "bits":
        return bits(e.args[0] ^ 1 << e.args[1] - 1, e.args[1])
    if e.name == "high":
        return high(negated(e.args[0]))
    return make("neg", e)


def unsigned(e: Expression) -> tuple[bool, Expression]:
    """The sign in front of an expression, and the rest."""
    if e.name == "neg":
        return True, e.args[0]
    if e.name == "bits" and e.args[0] >> e.args[1] - 1:
        return True, negated(e)
    return False, e


def absolute(e: Expression) -> Expression:
    if e.name == "high":
        return high(absolute(e.args[0]))
    e = unsigned(e)[1]
    return e if is_never_negative(e) else make("abs", e)


def is_never_negative(e: Expression) -> bool:
    """Whether the sign of a number is known; the sign of a NaN is not told apart."""
    if e.name == "half":
        return False
    if e.name == "pair":
        return is_never_negative(e.args[1])
    if e.name in ("mul", "add", "fma") and ".sat" in e.args[1]:
        return True
    if e.name in ("max", "min"):
        return (any if e.name == "max" else all)(map(is_never_negative, e.args[1:]))
    if e.name == "fma" and not e.args[2] and is_never_negative(e.args[5]):
        return e.args[3] is e.args[4] or all(map(is_never_negative, e.args[3:5]))
    if e.name in ("add", "mul") and all(map(is_never_negative, e.args[-2:])):
        return True
    squared = e.name == "mul" and e.args[-1] is e.args[-2]
    return squared or e.name == "abs" or (e.name == "bits" and not unsigned(e)[0])


def is_zero(e: Expression, *, negative: bool | None = None) -> bool:
    return e.name == "bits" and unsigned(e)[1].args[0] == 0 and negative in (None, unsigned(e)[0])


# Words.


def half(word: Expression, i: int) -> Expression:
    """The lower (0) or upper (1) 16 bits."""
    if word.name == "in":
        return make("inh", word.args[0] + 2 * i)
    if word.name == "pack":
        return word.args[i]
    if word.name == "bits":
        return bits(word.args[0] >> 16 * i, 16)
    return make("half", i, word)


def pack(a: Expression, b: Expression) -> Expression:
    """A word of two halves."""
    if a.name == b.name == "inh" and a.args[0] % 4 == 0 and b.args[0] == a.args[0] + 2:
        return make("in", a.args[0])
    if a.name == b.name == "bits":
        return bits(b.args[0] << 16 | a.args[0])
    if a.name == b.name == "half" and a.args == (0, b.args[1]) and b.args[0] == 1:
        return a.args[1]
    return make("pack", a, b)


def pair(low: Expression, high: Expression) -> Expression:
    """A double of two words; the sign of the upper one is the double's."""
    minus, magnitude = unsigned(high)
    if low.name == magnitude.name == "bits":
        return bits(high.args[0] << 32 | low.args[0], 64)
    if minus:
        return negated(pair(low, magnitude))
    if high.name == "abs":
        return absolute(pair(low, high.args[0]))
    if high.name == "high" and high.args[0].name in ("neg", "abs"):
        sign = negated if high.args[0].name == "neg" else absolute
        return sign(pair(low, make("high", high.args[0].args[0])))
    if low.name == high.name == "in" and high.args[0] == low.args[0] + 4:
        return make("ind", low.args[0])
    if low.name == "low" and high.name == "high" and high.args[0] is low.args[0]:
        return high.args[0]
    return make("pair", low, high)


def signless(e: Expression) -> Expression:
    """A double without its signs."""
    while e.name in ("neg", "abs"):
        e = e.args[0]
    return e


def low(e: Expression) -> Expression:
    """The lower word of a double, which its sign is not in."""
    e = signless(e)
    if e.name == "ind":
        return make("in", e.args[0])
    if e.name == "bits":
        return bits(e.args[0])
    return e.args[0] if e.name == "pair" else make("low", e)


def high(e: Expression) -> Expression:
    """The upper word of a double, with its sign."""
    if e.name == "ind":
        return make("in", e.args[0] + 4)
    if e.name == "bits":
        return bits(e.args[0] >> 32)
    if e.name == "pair":
        return e.args[1]
    if e is not signless(e) and signless(e).name in ("ind", "pair"):
        return (negated if e.name == "neg" else absolute)(high(e.args[0]))
    return make("high", e)


WIDTHS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}

# Arithmetic. `format` is f16, bf16, f32 or f64, `flags` of .ftz, .sat and a scale.


IN_ORDER: set[str] = set()
"""Formats whose sums and products differ if their operands are exchanged, as their NaNs do."""


def ordered(format: str, a: Expression, b: Expression) -> tuple[Expression, Expression]:
    return (a, b) if a.number <= b.number or format in IN_ORDER else (b, a)


def factors(format: str, a: Expression, b: Expression) -> tuple[bool, Expression, Expression]:
    """The sign of a product, and its factors; the square of a magnitude is that of the number."""
    (p, a), (q, b) = unsigned(a), unsigned(b)
    if a is b and a.name == "abs":
        a = b = a.args[0]
    return (p != q, *ordered(format, a, b))


def product(format: str, flags: str, a: Expression, b: Expression) -> Expression:
    minus, a, b = factors(format, a, b)
    if is_zero(a) and is_zero(b):  # so machine code makes the pair of 0 and -0
        return bits(minus << WIDTHS[format] - 1, WIDTHS[format])
    if "sat" in flags:
        return make("mul", format, flags, minus, a, b)
    found = make("mul", format, flags, a, b)
    return negated(found) if minus else found


def total(format: str, flags: str, a: Expression, b: Expression) -> Expression:
    """A sum; with -0 a copy, and 0 where it is saturated and cannot be positive."""
    for one, other in ((a, b), (b, a)):
        if is_zero(one, negative=True) and "sat" not in flags:
            return other
    (p, x), (q, y) = unsigned(a), unsigned(b)
    if p and q and "sat" not in flags:
        return negated(make("add", format, flags, *ordered(format, x, y)))
    negative = p and q and is_never_negative(x) and is_never_negative(y)
    if "sat" in flags and (negative or (is_zero(x) and is_zero(y))):  # as a NaN is, too
        return bits(0, WIDTHS[format])
    return make("add", format, flags, *ordered(format, a, b))


def fused(format: str, flags: str, a: Expression, b: Expression, c: Expression) -> Expression:
    """A product and a sum; with -0 it is the product alone, of halves with a factor of 1 the sum.

    Machine code moves and negates halves by a product of zeros.
    """
    if is_zero(c, negative=True) and "sat" not in flags:
        return product(format, flags, a, b)
    if is_zero(a) and is_zero(b):
        return c
    if format in ("f16", "bf16") and constant(1.0, format) in (a, b):
        return total(format, flags, b if a is constant(1.0, format) else a, c)
    minus, a, b = factors(format, a, b)
    minus_c, c_unsigned = unsigned(c)
    if minus and minus_c and "sat" not in flags:
        return negated(make("fma", format, flags, False, a, b, c_unsigned))
    return make("fma", format, flags, minus, a, b, c)


def extreme(name: str, format: str, *values: Expression) -> Expression:
    """`min` or `max`, of as many as are nested; of equal ones it is a copy, and so is the larger of what is saturated
    and a negative number.

    That it may flush a subnormal number, and which of two NaN it gives, is not told apart.
    """
    inner = [e.args[1:] if e.name == name and e.args[0] == format else (e,) for e in values]
    found = sorted({e for each in inner for e in each}, key=lambda e: e.number)
    if name == "max" and any(e.name in ("mul", "add", "fma") and ".sat" in e.args[1] for e in found):
        found = [e for e in found if not (e.name == "bits" and unsigned(e)[0])]
    return found[0] if len(found) == 1 else make(name, format, *found)


# Truth, which decides where control goes.

SWAPPED = {"gt": "lt", "ge": "le"}
UNORDERED = {"ltu": "ge", "leu": "gt", "gtu": "le", "geu": "lt", "neu": "eq"}


def holds(trial: int, name: str, type: str, a: Expression, b: Expression) -> bool:
    """Whether a comparison holds in a trial: of known integers it is computed, of others one bit of the trial says so.

    Comparisons that are equal, or the opposite of each other, go together.
    """
    name = name.lower()
    if type[0] == "f" and name == "ne":
        name = "neu"
    if type[0] == "f" and name in UNORDERED:
        return not holds(trial, UNORDERED[name], type, a, b)
    if a.name == b.name == "bits" and type[0] in "us":
        x, y = (e.args[0] - (1 << 32 if type[0] == "s" and e.args[0] >> 31 else 0) for e in (a, b))
        return {"lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y, "eq": x == y, "ne": x != y}[name]
    if type[0] != "f" and name in ("ne", "ge", "gt"):
        return not holds(trial, {"ne": "eq", "ge": "lt", "gt": "le"}[name], type, a, b)
    if name in SWAPPED:
        name, a, b = SWAPPED[name], b, a
    key = repr((name, type[0], spelled(a), spelled(b)))
    return bool(trial >> sum(key.encode()) % 4 & 1)


def spelled(e: Expression) -> object:
    """An expression as deep as comparisons are told apart."""
    return (e.name, *(arg.name if isinstance(arg, Expression) else arg for arg in e.args))
