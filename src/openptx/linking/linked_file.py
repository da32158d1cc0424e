"""The text of linked modules: pieces of their files, each with its origin."""

from __future__ import annotations

from bisect import bisect_right

from openptx.source import File, Span

Edit = tuple[int, int, str]
"""The text between two offsets of a file is replaced."""


class LinkedFile(File):
    """A text composed of others. Faults name the file that a span was copied from."""

    __slots__ = ("_copied",)

    def __init__(self, name: str, parts: list[str | tuple[File, Span]]) -> None:
        self._copied: list[tuple[int, File, Span]] = []  # starting offset, and its origin; in text order
        texts: list[str] = []
        at = 0
        for part in parts:
            if isinstance(part, str):
                texts.append(part)
            else:
                file, (start, end) = part
                self._copied.append((at, file, (start, end)))
                texts.append(file.text[start:end])
            at += len(texts[-1])
        super().__init__(name, "".join(texts))

    def origin(self, span: Span) -> tuple[File, Span]:
        """The file that a span was copied from and its position there; the linked file if it was not copied as a
        whole."""
        number = bisect_right(self._copied, span[0], key=lambda copied: copied[0]) - 1
        if number >= 0:
            begin, file, (start, end) = self._copied[number]
            if span[1] - begin <= end - start:
                return file.origin((span[0] - begin + start, span[1] - begin + start))
        return self, span


def edited(file: File, edits: list[Edit]) -> list[str | tuple[File, Span]]:
    """The parts of a file with its edits, none of which may overlap."""
    parts: list[str | tuple[File, Span]] = []
    at = 0
    for start, end, text in sorted(edits):
        assert at <= start, (file, start, text)
        parts += [(file, (at, start)), text]
        at = end
    return [*parts, (file, (at, len(file.text)))]
