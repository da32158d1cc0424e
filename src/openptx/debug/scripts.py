"""What breakpoints execute at their stops (`commands N` ... `end`), and the text that commands write (`printf`)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from openptx.debug.arguments import number
from openptx.debug.session import Session
from openptx.debug.stops import Stop
from openptx.debug.values import TypedBits
from openptx.errors import InputError

SILENT = "silent"
"""As the first command: the stop itself is not shown."""
_CONVERSION = re.compile(r"%([-+ #0]*\d{0,3}(?:\.\d{1,3})?)(?:hh|h|ll|l|z|j|t)?([diuxXocsfFeEgGp%])")
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"\s*(?:,\s*(.*))?', re.S)
_ESCAPE = re.compile(r"\\(.)", re.S)
_ESCAPES = {"n": "\n", "t": "\t", "a": "\a", "r": "\r"}


@dataclass(slots=True)
class Body:
    """The commands between `commands N` and `end`, as far as they have been read."""

    numbers: list[int]
    lines: list[str] = field(default_factory=list[str])


def begin(session: Session, text: str) -> Body:
    """The body that `commands [N...]` begins; without a number it is that of the newest. Raises InputError for one that
    does not exist."""
    existing = [*session.breakpoints, *session.watchpoints]
    numbers = [number(word) for word in text.split()] or sorted(existing)[-1:]
    unknown = [each for each in numbers if each not in existing]
    if not numbers or unknown:
        raise InputError(f"no breakpoint or watchpoint {unknown[0]}" if unknown else "there are no breakpoints")
    return Body(numbers)


def at_stop(session: Session, stop: Stop) -> list[str]:
    """The commands of the breakpoints and watchpoints that a launch has stopped at."""
    return [line for each in stop.breakpoints for line in session.breakpoints.commands.get(each, ())]


def printed(session: Session, text: str) -> str:
    """The text of `printf "FORMAT", EXPRESSION, ...`. Raises InputError for a command that is none."""
    format, texts = format_and_values(text)
    return written(format, [session.evaluate(each) for each in texts])


def format_and_values(text: str) -> tuple[str, list[str]]:
    """The parts of `"FORMAT", EXPRESSION, ...`. Raises InputError for another text."""
    found = _STRING.fullmatch(text)
    if found is None:
        raise InputError('write printf "FORMAT", EXPRESSION, ..., such as printf "i = %d\\n", %r1')
    return unescaped(found[1]), arguments(found[2] or "")


def written(format: str, given: list[Any]) -> str:
    """Values in a format. Raises InputError for another number of values than it takes, and for values without a
    number."""
    values = iter(given)

    def converted(match: re.Match[str]) -> str:
        if match[2] == "%":
            return "%"
        value = next(values, None)
        if value is None:
            raise InputError("the format takes more values than there are")
        return one(match[1], match[2], value)

    result = _CONVERSION.sub(converted, format)
    if next(values, None) is not None:
        raise InputError("there are more values than the format takes")
    return result


def one(flags: str, letter: str, value: object) -> str:
    """A value as a conversion writes it."""
    if letter == "s":
        return f"%{flags}s" % value
    number = value.number if isinstance(value, TypedBits) else value
    if not isinstance(number, int | float):
        raise InputError(f"%{letter} takes a number: name an element or a member")
    if letter in "fFeEgG":
        return f"%{flags}{letter}" % number
    if isinstance(number, float):
        raise InputError(f"%{letter} takes an integer, and {number} is none: write %f, or (int)x")
    if letter in "uxXop" and number < 0:
        number &= (1 << (value.type.width if isinstance(value, TypedBits) else 64)) - 1
    if letter == "c":
        return f"%{flags}s" % chr(number & 0xFF)
    return f"%#{flags}x" % number if letter == "p" else f"%{flags}{'d' if letter == 'u' else letter}" % number


def arguments(text: str) -> list[str]:
    """Expressions between commas outside of parentheses and brackets."""
    found, depth = [""], 0
    for letter in text:
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and not depth:
            found.append("")
        else:
            found[-1] += letter
    return [each.strip() for each in found] if text.strip() else []


def unescaped(text: str) -> str:
    r"""`\n` and other escapes of C as what they mean."""
    return _ESCAPE.sub(lambda match: _ESCAPES.get(match[1], match[1]), text)
