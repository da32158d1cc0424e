"""Where the operands of a statement stand in the text."""

from __future__ import annotations

from mutants.text import Statement


def operand_spans(statement: Statement) -> list[tuple[int, int]]:
    """Where each operand starts and ends, the commas between them excluded."""
    found: list[tuple[int, int]] = []
    depth, begin = 0, -1
    for token in statement.operands:
        depth += (token.text in "{[(") - (token.text in "}])") if len(token.text) == 1 else 0
        if token.text == "," and not depth:
            begin = -1
        elif begin < 0:
            begin = token.start
            found.append((begin, token.end))
        else:
            found[-1] = (begin, token.end)
    return found
