"""Error recovery: where parsing continues after a statement with a syntax error."""

from __future__ import annotations

from openptx.patterns import pattern
from openptx.syntax.brace_matcher import OPERAND_END
from openptx.syntax.tokens import Cursor

_MODULE = (
    ".visible", ".extern", ".weak", ".common", ".entry", ".func", ".loc", ".file", ".pragma", ".section", ".version",
    ".target", ".address_size", ".alias",
)  # fmt: skip
_GROUP = pattern(r"\{[^{};\n]*+\}")
_OPERAND_END = pattern(OPERAND_END)
_SPACES = (".reg", ".local", ".shared", ".param", ".global", ".const")


def recover(c: Cursor, start: int) -> None:
    """Skips to after the `;` that ends the statement begun at `start`, or before a brace that is not an operand's, or
    before the start of the next statement: a word that begins nothing else, or on a later line, anything that looks
    like a start.
    """
    text = c.file.text
    depth = text.count("{", start, c.start) - text.count("}", start, c.start)
    parentheses = text.count("(", start, c.start) - text.count(")", start, c.start)
    while c.kind != "end":
        if c.start > start and (c.word in _MODULE or (parentheses <= 0 and _begins_statement(c))):
            return
        parentheses += (c.word == "(") - (c.word == ")")
        if c.word == "{" and c.kind == "op":
            operand = text[c.last - 1 : c.last] in (",", "[", "(", "=", "|") or _GROUP.match(text, c.start)
            if depth <= 0 and not operand:
                return
            depth += 1
        elif c.word == "}":
            if depth <= 0 and _OPERAND_END.match(text, c.start) is None:
                return
            depth -= 1
        elif c.word == ";":
            c.advance()
            return
        c.advance()


def _begins_statement(c: Cursor) -> bool:
    if "\n" not in c.file.text[c.last : c.start]:
        return False
    if c.kind != "word":
        return c.word in _SPACES or c.word == "@"
    ahead = c.peek()
    return ahead.kind in ("dot", "word") or ahead.word == ":"
