"""Registers of other ranges with the number of one whose type is wrong: `%rd5` where `%r5` stands."""

from __future__ import annotations

import re
from collections.abc import Iterator

from openptx.check.names.scopes import split_number
from openptx.check.repairs.file_errors import FileErrors
from openptx.diagnostics import Diagnostic, Fix
from openptx.patterns import pattern
from openptx.syntax.lexical import LETTER, WORD

OF_REGISTERS = frozenset(("operand-type", "operand-size", "address-register", "vector-element"))
"""Errors of a register that another one may not have."""

_LONGEST = 1 << 17
"""Characters of a function whose ranges are looked for."""
_MOST = 4
"""The most registers that are tried in the place of one."""
_REGISTERS = pattern(r"\.reg\s+\.(\w+)\s+([^;{}]*);", re.A)
_RANGE = pattern(rf"({WORD})\s*<\s*([0-9]{{1,9}})\s*>", re.A)
_TYPE = pattern(r"\.(\w+)", re.A)


def other_registers(errors: FileErrors, error: Diagnostic) -> Iterator[Fix]:
    """The registers with the same number that the function uses, but not in this line, in the order of the expected
    types."""
    text, body = errors.file.text, errors.body(error)
    if error.name not in OF_REGISTERS or body is None or body[1] - body[0] > _LONGEST:
        return
    own, number = split_number(text[slice(*error.span)])
    if number is None:
        return
    expected = _TYPE.findall(error.expected or "")
    ranges = [
        (expected.index(registers[1]), range[1])
        for registers in _REGISTERS.finditer(text, *body)
        for range in _RANGE.finditer(registers[2])
        if registers[1] in expected and range[1] != own and number < int(range[2])
    ]
    for _, prefix in sorted(ranges)[:_MOST]:
        name = f"{prefix}{number}"
        used = re.compile(rf"(?<!{LETTER})(?<!%){re.escape(name)}(?!{LETTER})", re.A)
        if used.search(text, *errors.line(error)) is None and used.search(text, *body) is not None:
            yield Fix(error.span, name, f"write `{name}`, if that register is meant")
