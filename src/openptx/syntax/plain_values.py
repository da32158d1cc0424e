"""Lists of initial values whose text alone shows that they are well-formed, of up to four dimensions.

Compilers write tables of many thousands of values. These are checked as text, and parsed on first access.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from operator import methodcaller

from openptx.patterns import pattern
from openptx.syntax.lexical import DECIMAL_32, DECIMAL_63, FLOAT, INITIAL_INTEGER, NEW_NAME

INTEGERS, SUMS, FLOATS, ADDRESSES, MASKED = "integers", "sums", "floats", "addresses", "masked addresses"
"""The kinds of plain lists. One of addresses, or of bytes of addresses, may hold integers, too."""

SYMBOL = rf"(?!WARP_SZ\b){NEW_NAME}"
ADDRESS = rf"(?:generic\({SYMBOL}\)|{SYMBOL})(?:\+{DECIMAL_63})?+(?![\w.$])"
LIST = r"\{[-+.\w$%(){},\ \t\r\n]*\}"
"""What may be a plain list."""

MOST_DIMENSIONS = 4
_BLANKS = r"[ \t\r\n]*+"


def _lists(value: str) -> str:
    """Lists of these values, and lists of such lists: all values have the same depth."""
    found, inside, next = list[str](), value, r"[^}]"
    for _ in range(MOST_DIMENSIONS):
        inside = rf"\{{{_BLANKS}(?:{inside}{_BLANKS}(?:,{_BLANKS}(?={next})|(?=\}})))++\}}"
        found.append(inside)
        next = r"\{"
    return "|".join(found)


_INTEGER = rf"{INITIAL_INTEGER}(?![\w.$])"
_SUM = rf"-?{DECIMAL_32}(?:[ ]?[-+][ ]?{DECIMAL_32})*+(?![\w.$])"
MASK = r"0[xX][fF]{2}(?:00){0,7}+"
_LISTS = {
    INTEGERS: pattern(_lists(_INTEGER), re.A),
    FLOATS: pattern(_lists(rf"{FLOAT}(?![\w.$])"), re.A),
    ADDRESSES: pattern(_lists(rf"(?:{ADDRESS}|{_INTEGER})"), re.A),
    MASKED: pattern(_lists(rf"(?:{MASK}\({ADDRESS}\)|{_INTEGER})"), re.A),
    SUMS: pattern(_lists(_SUM), re.A),
}
SHORT_INTEGERS = pattern(rf"\{{ ?{DECIMAL_32}(?:, ?{DECIMAL_32})*+ ?\}}")
"""A list of integers that fit 32 bits, whatever their sign."""
_FIRST_FLOAT = pattern(rf"[{{ \t\r\n]*+{FLOAT}", re.A)
_NO_DIGIT = pattern(r"[G-TVWYZg-wyz_$]", re.A)
"""Characters that most names contain, and no integer."""
_MASKS = pattern(rf"{MASK}\(", re.A)
_TERMS = pattern(r"[-+]?[0-9]++").findall
_NAMES = pattern(rf"(?<![.\w$])(?!generic\()({SYMBOL})", re.A)
_OPENED = pattern(r"(?:\{[ \t\r\n]*+)++")
_DIGITS = {8: 2, 16: 4, 32: 9, 64: 18}
"""The number of digits that certainly fits each width; a sign counts as a digit."""
_commas = methodcaller("count", ",")


def plain_list(text: str, start: int, limit: int) -> tuple[str, int] | None:
    """The kind of the plain list that begins at an offset, and its end; None if there is none."""
    for kind, listed in _LISTS.items():
        if (match := listed.match(text, start, limit)) is not None:
            return kind, match.end()
    return None


def likely_kind(text: str) -> str:
    """The kind of a list, if it is a plain one."""
    if _FIRST_FLOAT.match(text):
        return FLOATS
    if _NO_DIGIT.search(text):
        return MASKED if _MASKS.search(text) else ADDRESSES
    return SUMS if "+" in text else INTEGERS


def is_plain(kind: str, text: str) -> bool:
    """Whether a text is a plain list of this kind."""
    return _LISTS[kind].fullmatch(text) is not None


def names(text: str) -> list[str]:
    """The names in a plain list of addresses, or in one address."""
    return _NAMES.findall(text)


def split_names(text: str) -> tuple[list[str], str]:
    """The names in a list of addresses, and the text without them, which determines whether the list is plain and which
    arrays have room for it."""
    parts = _NAMES.split(text)
    return parts[1::2], "\0".join(parts[::2])


def depth(text: str) -> int:
    """The number of dimensions of a plain list."""
    opened = _OPENED.match(text)
    return opened[0].count("{") if opened is not None else 0


def length(text: str) -> int:
    """The number of values, or of rows, in a plain list."""
    return _compact(text).count(_between_rows(depth(text))) + 1


def fits(kind: str, text: str, shape: Sequence[int], width: int, *, whole_rows: bool = False) -> bool:
    """Whether an array of this shape certainly has room for a plain list, and its elements of `width` bits for the
    integers in it. `whole_rows`: the innermost lists must have as many values as there is room for."""
    if width == 8 and len(shape) == 1 and not whole_rows and bytes_fit(text, shape[0]):
        return True
    if depth(text) != len(shape):
        return False
    compact = _compact(text)
    if not _has_room(compact, shape, whole_rows):
        return False
    if kind == FLOATS:
        return True
    values = compact.replace("{", "").replace("}", "").split(",")
    if kind in (ADDRESSES, MASKED):
        values = [value for value in set(values) if value[0] in "-0123456789" and value[-1] != ")"]
    elif kind == SUMS:
        values = [str(total(value)) for value in set(values)]
    return not values or integers_fit(values, width)


def total(text: str) -> int:
    """The value of a sum."""
    return sum(map(int, _TERMS(text.replace(" ", ""))))


def bytes_fit(text: str, room: int) -> bool:
    """Whether a text is a list of at most so many bytes, with one blank or none after each comma."""
    values = text[1:-1].split(", " if " " in text else ",")
    return len(values) <= room and _texts_of_bytes().issuperset(values)


@cache
def _texts_of_bytes() -> frozenset[str]:
    """The integers of eight bits as compilers write them."""
    return frozenset(
        (*map(str, range(-128, 256)), *(f"0x{i:{form}}" for i in range(256) for form in ("x", "02x", "02X")))
    )


def integers_fit(values: Sequence[str], width: int) -> bool:
    """Whether a type of this width represents each integer, as signed or as unsigned; False for a width of 0."""
    if not width:
        return False
    longest = max(map(len, values))
    if longest <= _DIGITS.get(width, 0) or (longest <= 2 + width // 4 and all(map(_is_hexadecimal, values))):
        return True
    try:
        numbers = list(map(int, values))
    except ValueError:  # a hexadecimal or a suffix
        numbers = [int(value.rstrip("U"), 0) for value in values]
    return -(1 << width >> 1) <= min(numbers) and max(numbers) < 1 << width


_is_hexadecimal = methodcaller("startswith", "0x")


def _compact(text: str) -> str:
    """A plain list without its blanks."""
    text = text.replace(" ", "")
    return "".join(text.split()) if "\n" in text or "\t" in text or "\r" in text else text


def _between_rows(depth: int) -> str:
    """What separates the outermost rows of a list of several dimensions, or the values of one of one."""
    return "}" * (depth - 1) + "," + "{" * (depth - 1)


def _has_room(compact: str, shape: Sequence[int], whole_rows: bool) -> bool:
    """Whether no list has more values than its dimension."""
    room, *inner = shape
    if not inner:
        return compact.count(",") < room and (not whole_rows or compact.count(",") == room - 1)
    rows = compact.split(_between_rows(len(shape)))
    if len(rows) > room:
        return False
    if len(inner) > 1:
        return all(_has_room(row, inner, whole_rows) for row in rows)
    commas = list(map(_commas, rows))
    return max(commas) < inner[0] and (not whole_rows or min(commas) == inner[0] - 1)
