"""Process-wide tables of kinds: of constants by their text, of operands by the kinds of their parts."""

from __future__ import annotations

import re

from openptx.check.operand import kinds
from openptx.check.operand.kinds import Kind, address, composed
from openptx.isa.special_registers import SPECIAL_REGISTERS
from openptx.patterns import pattern
from openptx.syntax.lexical import FLOAT_BITS, SMALL_INTEGER

_INTEGER = pattern(SMALL_INTEGER, re.A)
_FLOAT_BITS = pattern(FLOAT_BITS, re.A)
_FLOAT_KINDS = {
    (some, 2 + width // 4): kinds.floating(int(some), width) for some in (False, True) for width in (32, 64)
}
"""By whether a bit is set, and the length of the text."""

CONSTANTS: dict[str, Kind] = {}
COMMON: dict[str, Kind] = {"": kinds.ABSENT_KIND}
"""The first of CONSTANTS: the initial contents of every function's symbol table."""
_ANYWHERE: dict[Kind, Kind] = {}
_PLACES: dict[tuple[Kind, int | None], Kind] = {}
_LISTS: dict[tuple[bool, tuple[Kind, ...]], Kind | None] = {}
_PAIRS: dict[tuple[Kind, Kind], Kind | None] = {}
_MAX_KINDS, _MAX_COMMON = 1 << 16, 1 << 7


def constant(text: str) -> Kind | None:
    """The kind of a plain literal, or of a component of a special register."""
    if _INTEGER.fullmatch(text):
        return kinds.integer(int(text, 0))
    if _FLOAT_BITS.fullmatch(text):
        return _FLOAT_KINDS[text.strip("0")[1:] != "", len(text)]
    if text[:1] == "%" and text[-2:-1] == "." and (special := SPECIAL_REGISTERS.get(text[1:-2])) is not None:
        return kinds.special(special, component=True) if special.vector and text[-1] in "xyzw" else None
    return None


def remember(text: str, kind: Kind) -> None:
    """Memoises the kind of a constant."""
    if len(CONSTANTS) < _MAX_KINDS:
        CONSTANTS[text] = kind
        if len(COMMON) < _MAX_COMMON:
            COMMON[text] = kind


def anywhere(base: Kind) -> Kind:
    """`[%rd1`, an address in a register with any offset."""
    found = _ANYWHERE.get(base)
    if found is None:
        found = address(base, 0) if base.sort == kinds.REGISTER else kinds.UNREADABLE_KIND
        if len(_ANYWHERE) < _MAX_KINDS:
            _ANYWHERE[base] = found
    return found


def place(base: Kind, offset: int | None) -> Kind:
    """An address at a constant distance from a base."""
    found = _PLACES.get((base, offset))
    if found is None:
        found = address(base, offset)
        if len(_PLACES) < _MAX_KINDS:
            _PLACES[base, offset] = found
    return found


def list_kind(repeated: bool, parts: tuple[Kind, ...]) -> Kind | None:
    """`{%r1, 0}`: nearly every list is new, but most have as many registers of one type as some other. None if it is
    more than a list of registers and literals."""
    key = repeated, parts
    try:
        return _LISTS[key]
    except KeyError:
        found = composed(kinds.LIST, parts, repeated) if all(map(_plain, parts)) else None
        if len(_LISTS) < _MAX_KINDS:
            _LISTS[key] = found
        return found


def pair(first: Kind, second: Kind) -> Kind | None:
    """`%r1|%p1`. None if these are not registers."""
    try:
        return _PAIRS[first, second]
    except KeyError:
        plain = first.sort == second.sort == kinds.REGISTER and not (first.space or second.space)
        found = composed(kinds.PAIR, (first, second)) if plain else None
        if len(_PAIRS) < _MAX_KINDS:
            _PAIRS[first, second] = found
        return found


def _plain(part: Kind) -> bool:
    return part.sort in (kinds.REGISTER, kinds.SINK, kinds.INTEGER, kinds.FLOAT) and not (
        part.space and part.sort == kinds.REGISTER
    )
