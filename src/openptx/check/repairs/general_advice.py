"""What is written where a syntax error has no other advice."""

from __future__ import annotations

from openptx.check.repairs.errors import is_syntax
from openptx.diagnostics import Diagnostic
from openptx.diagnostics.kinds import CONSTANT, ELEMENT, OPERAND, STATEMENT

# fmt: off
_EXPECTED = {
    # mark or kind
    "]":       "an address is a register, a variable or a number, and at most one offset: `[a]`, `[a+4]`",
    CONSTANT:  "an offset is an integer constant: `[a+4]`; a sum with a register takes an `add` before",
    STATEMENT: "a statement is a directive, a label and its colon, or an instruction and its `;`",
    OPERAND:   "an operand is a register, a constant, a name, an `[address]` or a `{list}`",
    ELEMENT:   "an element of a list is a register, a constant or a name",
    ",":       "commas separate operands, and a `;` ends the statement",
}
# fmt: on


def advised(error: Diagnostic) -> Diagnostic:
    """An error without any advice with what is written in such a place, if it is of syntax (codes 00xx and 01xx)."""
    if error.help is not None or error.fix is not None or not is_syntax(error):
        return error
    help = next((help for expected, help in _EXPECTED.items() if expected in (error.kind, *error.marks)), None)
    return error if help is None else error.advising(help, None)
