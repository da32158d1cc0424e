"""The output of `printf` in a kernel: C's format, with arguments in memory as for `vprintf`."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite, isnan

from openptx.errors import Unsupported

_DIRECTIVE = re.compile(r"%([-+ #0]*)(\*|\d+)?(?:\.(\*|\d+)?)?(hh|h|ll|l|j|z|t|L)?([diouxXcsfFeEgGaApn%])|%", re.S)
WIDEST = 1 << 20
"""The maximum width of a field in characters: CUDA's default size of the buffer for all of a kernel's output."""
DIGITS = 12
"""Digits of a width that are parsed: all allowed widths have fewer."""
_WIDE = frozenset(("ll", "l", "j", "z", "t"))


@dataclass(frozen=True, slots=True)
class Directive:
    """`%-8.3llx`; a `width` or `precision` of -1 is a separate argument (`*`)."""

    flags: str
    width: int | None
    precision: int | None
    size: int  # of the argument, bytes
    kind: str


@dataclass(frozen=True, slots=True)
class Format:
    """A parsed format string. `layout` is (offset, bytes) of every argument."""

    parts: tuple[str | Directive, ...]
    layout: tuple[tuple[int, int], ...]

    def render(self, words: list[int], string: Callable[[int], str]) -> str:
        """The text for raw argument words; `string` reads the text at the address of a `%s` argument."""
        arguments, out = iter(words), list[str]()
        for part in self.parts:
            if isinstance(part, str):
                out.append(part)
                continue
            width = _require_small(_as_signed(next(arguments), 4) if part.width == -1 else part.width)
            precision = _require_small(_as_signed(next(arguments), 4) if part.precision == -1 else part.precision)
            out.append(_format_argument(part, width, precision, next(arguments), string))
        return "".join(out)


def read_format(text: str) -> Format:
    """Parses a format string; text outside directives is kept."""
    parts, layout, at, offset = list[str | Directive](), list[tuple[int, int]](), 0, 0

    def argument(size: int) -> None:
        nonlocal offset
        offset = -(-offset // size) * size
        layout.append((offset, size))
        offset += size

    for found in _DIRECTIVE.finditer(text):
        parts.append(text[at : found.start()])
        at = found.end()
        flags, width, precision, length, kind = found.groups()
        if kind is None or kind == "%":
            parts.append("%")
            continue
        star_width, dot = width == "*", "." in found[0]
        if star_width:
            argument(4)
        if precision == "*":
            argument(4)
        size = 8 if kind in "spnfFeEgGaA" or length in _WIDE else 4
        argument(size)
        wide = -1 if star_width else int(width[:DIGITS]) if width else None
        exact = -1 if precision == "*" else int((precision or "0")[:DIGITS]) if dot else None
        parts.append(Directive(flags, wide, exact, size, f"{length or ''}{kind}"))
    parts.append(text[at:])
    return Format(tuple(parts), tuple(layout))


def _require_small(number: int | None) -> int | None:
    """A width or a precision; Unsupported for one larger than any device buffer."""
    if number is not None and abs(number) > WIDEST:
        raise Unsupported(f"printf with a field of more than {WIDEST:,} characters")
    return number


def _as_signed(word: int, size: int) -> int:
    top = 1 << 8 * size - 1
    return (word & 2 * top - 1) - 2 * (word & top)


def _format_argument(
    d: Directive, width: int | None, precision: int | None, word: int, string: Callable[[int], str]
) -> str:
    """One argument in the format of its directive."""
    flags = d.flags
    if width is not None and width < 0:
        flags, width = flags + "-", -width
    precision = precision if precision is None or precision >= 0 else None
    kind = d.kind[-1]
    if kind in "diouxX":
        return _integer(d, flags, width or 0, precision, word)
    word &= (1 << 8 * d.size) - 1
    if kind in "fFeEgGaA":
        return _float(kind, flags, width or 0, precision, word)
    if kind == "c":
        return _padded("", chr(word & 0xFF), flags, width or 0)
    if kind == "s":
        return _padded("", (string(word) if word else "(null)")[:precision], flags, width or 0)
    return _padded("", f"0x{word:x}" if word else "(nil)", flags, width or 0) if kind == "p" else ""


def _padded(lead: str, text: str, flags: str, width: int, zeros: bool = False) -> str:
    """Filled up to the width: after it, before it, or with `zeros` between a sign or `0x` and the digits if a flag says
    so."""
    if "-" in flags:
        return (lead + text).ljust(width)
    return lead + text.rjust(width - len(lead), "0") if zeros and "0" in flags else (lead + text).rjust(width)


def _sign(negative: bool, flags: str) -> str:
    return "-" if negative else "+" if "+" in flags else " " if " " in flags else ""


def _integer(d: Directive, flags: str, width: int, precision: int | None, word: int) -> str:
    kind, size = d.kind[-1], {"hh": 1, "h": 2}.get(d.kind[:-1], d.size)
    number = _as_signed(word, size) if kind in "di" else word & (1 << 8 * size) - 1
    lead = _sign(number < 0, flags) if kind in "di" else ""
    digits = format(abs(number), kind if kind in "oxX" else "d") if number or precision != 0 else ""
    digits = digits.rjust(precision or 0, "0")
    if "#" in flags and kind == "o" and not digits.startswith("0"):
        digits = "0" + digits
    if "#" in flags and kind in "xX" and number:
        lead = "0" + kind
    return _padded(lead, digits, flags, width, zeros=precision is None)


def _float(kind: str, flags: str, width: int, precision: int | None, word: int) -> str:
    number, lead = _double(word & (1 << 63) - 1), _sign(word >> 63 == 1, flags)
    if not isfinite(number):
        text = "nan" if isnan(number) else "inf"
        return _padded(lead, text if kind.islower() else text.upper(), flags, width)
    if kind in "aA":
        text = _hexadecimal(word & (1 << 63) - 1, precision, "#" in flags)
        text = text if kind == "a" else text.upper()
        return _padded(lead + text[:2], text[2:], flags, width, zeros=True)
    text = f"%{'#' if '#' in flags else ''}{'' if precision is None else f'.{precision}'}{kind}" % number
    return _padded(lead, text, flags, width, zeros=True)


def _hexadecimal(word: int, precision: int | None, point: bool) -> str:
    """`%a` of a number that is not negative, rounded to so many digits; all that are needed if None."""
    exponent, digits = word >> 52, 13 if precision is None else precision
    significand = word & (1 << 52) - 1 | (exponent > 0) << 52
    if digits < 13:
        unit = 1 << 4 * (13 - digits)
        significand, rest = divmod(significand, unit)
        significand += rest > unit // 2 or (rest == unit // 2 and significand & 1)
    first, fraction = divmod(significand, 1 << 4 * min(digits, 13))
    after = f"{fraction:0{min(digits, 13)}x}".ljust(digits, "0") if digits else ""
    after = after.rstrip("0") if precision is None else after
    power = max(exponent, 1) - 1023 if word else 0
    return f"0x{first}{'.' if after or point else ''}{after}p{power:+d}"


def _double(word: int) -> float:
    return struct.unpack("<d", word.to_bytes(8, "little"))[0]
