"""The line table of a file: the source position of each statement, through inlined calls."""

from __future__ import annotations

import re
from bisect import bisect_right
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from openptx.source import File

if TYPE_CHECKING:
    from openptx.program import Op

Place = tuple[str, int, int]
"""File, line, column."""
_PLACE = r"(\d+)[ \t]+(\d+)[ \t]+(\d+)"
_LOC = re.compile(rf'^(?:[^\n/"]*[\s;:{{}}])?(\.loc)[ \t]+{_PLACE}(?:[^\n]*?inlined_at[ \t]+{_PLACE})?', re.M)
_FILE = re.compile(r'^[ \t]*\.file[ \t]+(\d+)[ \t]+"((?:[^"\\\n]|\\.)*)"', re.M)

Parsed = tuple[dict[int, str], list[int], list[tuple[Place, ...]]]
"""Names of source files by number, offsets of the `.loc` and what each says, as `LineTable.of`."""
_PARSED: WeakKeyDictionary[File, Parsed] = WeakKeyDictionary()
"""One for each file, which its launches share: parsing the table of a large one takes longer than a small launch."""


def _parsed(text: str) -> Parsed:
    names = {int(number): name for number, name in _FILE.findall(text)}

    def place(numbers: tuple[str, ...]) -> Place:
        index, line, column = map(int, numbers)
        return names.get(index, ""), line, column

    found = list(_LOC.finditer(text)) if names else []
    found = [match for match in found if int(match[3]) or match[5]]
    chains: list[tuple[Place, ...]] = []
    known: dict[tuple[str, ...], tuple[Place, ...]] = {}
    for match in found:
        own, outer = match.groups()[1:4], match.groups()[4:]
        chain = known.get(outer, (place(outer),)) if outer[0] else ()
        if int(own[1]):
            chain = (place(own), *chain)
        known[own] = chain
        chains.append(chain)
    return names, [match.start(1) for match in found], chains


class LineTable:
    """The `.loc` of a file. Each applies to the statements up to the next one.

    Line 0 means that a statement belongs to no particular line: it counts as the previous line.
    """

    def __init__(self, file: File) -> None:
        self.file = file
        if (found := _PARSED.get(file)) is None:
            found = _PARSED[file] = _parsed(file.text)
        self.names, self.starts, self.chains = found
        self._lines: dict[str, list[str]] = {}

    def of(self, op: Op) -> tuple[Place, ...]:
        """The position of a statement, innermost first: where it is written, and where that was inlined."""
        if op.line is None:
            return ()
        at = bisect_right(self.starts, op.span[0]) - 1
        return self.chains[at] if at >= 0 else (op.line,)

    def line(self, op: Op) -> int:
        """The line that a reader of the source expects: that of the outermost call; without `.loc`, that of the PTX."""
        chain = self.of(op)
        return chain[-1][1] if chain else self.file.location(op.span[0])[0]

    def name(self, op: Op) -> str:
        """`kernel.cu:12:3`, or the position in the PTX."""
        chain = self.of(op)
        file, line, column = chain[-1] if chain else (self.file.name, *self.file.location(op.span[0]))
        return f"{file}:{line}:{column}"

    def text(self, place: Place) -> str | None:
        """The text of the source line, if its file exists."""
        name, line, _ = place
        if name not in self._lines:
            self._lines[name] = self._read(name)
        lines = self._lines[name]
        return lines[line - 1].strip() if 0 < line <= len(lines) else None

    def _read(self, name: str) -> list[str]:
        for path in candidates(name, self.file.name):
            try:
                if path.is_file():  # reading a device or a pipe might never end
                    return path.read_text("utf-8", "replace").splitlines()
            except (OSError, ValueError):
                continue
        return []


def candidates(name: str, beside: str) -> tuple[Path, Path]:
    """The two possible paths of a file that `.file` names: as named, or beside the PTX."""
    return Path(name), Path(beside).parent / Path(name).name
