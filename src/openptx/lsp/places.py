"""The statement, and the part of it, at an offset of a document."""

from __future__ import annotations

from openptx.lsp.document import Document
from openptx.patterns import pattern
from openptx.syntax import tree
from openptx.syntax.lexical import COMMENT, OPEN_STRING

_NO_CODE = pattern(f"{COMMENT}|{OPEN_STRING}")


def is_code(document: Document, offset: int) -> bool:
    """Whether an offset is outside comments and strings."""
    item = document.symbols.item_at(offset)
    start = item.span[0] if item is not None else 0
    return not any(
        match.start() < offset <= match.end() for match in _NO_CODE.finditer(document.file.text, start, offset + 1)
    )


def statements_at(document: Document, offset: int) -> list[tree.Statement]:
    """The item of the module that contains an offset, its blocks, and the statement, outermost first."""
    item = document.symbols.item_at(offset)
    found: list[tree.Statement] = []
    while item is not None:
        found.append(item)
        inner: list[tree.Statement] = []
        if isinstance(item, tree.Function):
            inner = document.body(item)
        elif isinstance(item, tree.Block):
            inner = item.statements
        item = next((each for each in inner if each.span[0] <= offset <= each.span[1]), None)
    return found


def instruction_at(document: Document, offset: int) -> tree.Instruction | None:
    """The instruction at an offset."""
    found = statements_at(document, offset)
    return found[-1] if found and isinstance(found[-1], tree.Instruction) else None
