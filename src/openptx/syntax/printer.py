"""Prints a module: its statements, and between them what the text holds between them."""

from __future__ import annotations

TYPE_CHECKING = False  # importing typing would cost 7 ms
if TYPE_CHECKING:
    from openptx.syntax.tree import SyntaxTree


def text_of(module: SyntaxTree) -> str:
    """The text of a module, put together from its items."""
    text, pieces, last = module.file.text, list[str](), 0
    for item in module.items:
        start, end = item.span
        pieces += text[last:start], item.text
        last = end
    return "".join(pieces) + text[last:]
