"""The output of `printf` in a kernel: C's format, with arguments in memory as for `vprintf`."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from dataclasses import dataclass

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
            width = _bounded(_signed(next(arguments), 4) if part.width == -1 else part.width)
            precision = _bounded(_signed(next(arguments), 4) if part.precision == -1 else part.precision)
            out.append(_one(part, width, precision, next(arguments), string))
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


def _bounded(number: int | None) -> int | None:
    """A width or a precision; Unsupported for one larger than any device buffer."""
    if number is not None and abs(number) > WIDEST:
        raise Unsupported(f"printf with a field of more than {WIDEST:,} characters")
    return number


def _signed(word: int, size: int) -> int:
    top = 1 << 8 * size - 1
    return (word & 2 * top - 1) - 2 * (word & top)


def _one(d: Directive, width: int | None, precision: int | None, word: int, string: Callable[[int], str]) -> str:
    """One argument in the format of its directive."""
    flags = d.flags
    if width is not None and width < 0:
        flags, width = flags + "-", -width
    precision = precision if precision is None or precision >= 0 else None
    field = f"%{flags}{'' if width is None else width}{'' if precision is None else f'.{precision}'}"
    plain = f"%{flags}{width or ''}s"  # of arguments that are text already
    kind = d.kind[-1]
    if kind in "diouxX":
        return _integer(d, field, plain, word)
    word &= (1 << 8 * d.size) - 1
    if kind in "fFeEgG":
        return f"{field}{kind}" % _double(word)
    if kind in "aA":
        text = _double(word).hex()
        return plain % (text.upper() if kind == "A" else text)
    if kind == "c":
        return f"%{flags.replace('0', '')}{width or ''}s" % chr(word & 0xFF)
    if kind == "s":
        return f"{field}s" % (string(word) if word else "(null)")
    return plain % (f"0x{word:x}" if word else "(nil)") if kind == "p" else ""


def _integer(d: Directive, field: str, plain: str, word: int) -> str:
    """An integer: `field` is its directive without the letter, `plain` the directive for text in its place."""
    kind, size = d.kind[-1], {"hh": 1, "h": 2}.get(d.kind[:-1], d.size)
    if kind in "di":
        return f"{field}d" % _signed(word, size)
    word &= (1 << 8 * size) - 1
    if kind == "o" and "#" in d.flags:
        return plain.replace("#", "") % f"0{word:o}"
    return f"{field}{kind if kind != 'u' else 'd'}" % word


def _double(word: int) -> float:
    return struct.unpack("<d", word.to_bytes(8, "little"))[0]
