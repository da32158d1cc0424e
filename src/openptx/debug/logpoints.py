"""Breakpoints that write a text and do not stop: `dprintf` of gdb, and logpoints of editors."""

from __future__ import annotations

import re
from collections.abc import Callable

from openptx.debug.expressions import parse
from openptx.debug.formats import value_text
from openptx.debug.scope import Scope
from openptx.debug.scripts import format_and_values, written
from openptx.errors import InputError

Log = Callable[[Scope], str]
"""The text for a thread that reaches the place."""
_VALUE = re.compile(r"\{([^{}]*)\}")


def of_format(text: str) -> Log:
    """The log of `"FORMAT", EXPRESSION, ...`. Raises InputError for a text that is none."""
    format, texts = format_and_values(text)
    expressions = [parse(each) for each in texts]
    return reporting(lambda scope: written(format, [each.evaluate(scope) for each in expressions]))


def of_message(text: str) -> Log:
    """The log of a text with expressions in braces: `i = {i}`. Raises InputError for a text in braces that is none."""
    parts = _VALUE.split(text)
    expressions = [parse(each) for each in parts[1::2]]

    def log(scope: Scope) -> str:
        values = [value_text(scope, each.evaluate(scope), "") for each in expressions]
        return "".join(part + value for part, value in zip(parts[::2], [*values, "\n"], strict=True))

    return reporting(log)


def reporting(log: Log) -> Log:
    """The log, or why a value does not exist."""

    def reported(scope: Scope) -> str:
        try:
            return log(scope)
        except InputError as error:
            return f"error: {error}\n"

    return reported
