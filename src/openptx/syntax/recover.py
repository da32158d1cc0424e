"""Where reading goes on behind a statement that can't be read."""

from __future__ import annotations

from openptx.syntax.tokens import Cursor

_BEGIN = (
    ".reg", ".local", ".shared", ".param", ".global", ".const", ".visible", ".extern", ".weak", ".common", ".entry",
    ".func", ".loc", ".file", ".pragma", ".section", ".version", ".target", ".address_size",
)  # fmt: skip


def recover(c: Cursor) -> None:
    """Go behind the `;` that ends the statement, or before a brace, or before a statement on a later line."""
    while c.kind != "end" and c.word not in ("{", "}"):
        if c.take(";"):
            return
        c.advance()
        if "\n" in c.file.text[c.last : c.start] and _begins_statement(c):
            return


def _begins_statement(c: Cursor) -> bool:
    if c.kind != "word":
        return c.word in _BEGIN or c.word == "@"
    ahead = Cursor(c.file, c.end, c.limit)
    return ahead.kind in ("dot", "word") or ahead.word == ":"
