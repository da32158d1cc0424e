"""Declarations of names that PTX itself predefines (4.4, Table 3)."""

from __future__ import annotations

from openptx.diagnostics import Diagnostic
from openptx.source import File, Span

_RULE = "PTX ISA, Identifiers (4.4), Table 3: predefined identifiers"


def predefined(file: File, name: str, span: Span, hides: bool) -> Diagnostic:
    """The finding of such a declaration. `hides`: the assembler takes it, and the special register cannot be read in
    its scope (measured, ptxas 13.5)."""
    if not hides:
        return Diagnostic("reserved-name", f"`{name}` is predefined", file, span, "can't be declared", rule=_RULE)
    message = f"`{name}` is predefined: what is declared here hides the special register"
    help = "give it another name"
    return Diagnostic("document-disagrees", message, file, span, "hides a special register", rule=_RULE, help=help)
