"""The base class of everything that has a place of its own in a tree."""

from __future__ import annotations

TYPE_CHECKING = False  # importing typing would cost 7 ms
if TYPE_CHECKING:
    from openptx.source import File, Span


class Statement:
    """Common attributes of all statements."""

    __slots__ = ("file", "span")

    file: File
    span: Span

    @property
    def text(self) -> str:
        """The statement as written."""
        return self.file.text[self.span[0] : self.span[1]]

    def __repr__(self) -> str:
        text = " ".join(self.text.split())
        return f"<{type(self).__name__} {text if len(text) <= 60 else text[:57] + '...'}>"
