"""Explains codes of diagnostics: their text stands in the registry, differences to the assembler in the deviations."""

from __future__ import annotations

import sys

from openptx.cli.terminal import paint
from openptx.diagnostics.codes import code


def explain_code(word: str) -> str | None:
    """The text of a code, under a title."""
    try:
        row = code(word.upper() if word.upper().startswith("PTX") else word.lower())
    except KeyError:
        return None
    more = "\n\n`openptx explain deviations` lists them." if row.name == "document-disagrees" else ""
    return f"{paint('bold', f'{row.code} {row.name}', sys.stdout)} ({row.severity})\n\n{row.doc}{more}"
