"""The line table of a file: the source position of each statement, through inlined calls."""

from __future__ import annotations

import re
from bisect import bisect_right
from pathlib import Path
from typing import NamedTuple
from weakref import WeakKeyDictionary

from openptx.dwarf import InlinedCall, inlined_calls, labelled_strings
from openptx.program import Op
from openptx.source import File

Place = tuple[str, int, int]
"""File, line, column."""
_PLACE = r"(\d+)[ \t]+(\d+)[ \t]+(\d+)"
_INLINED = rf"function_name[ \t]+([\w$]+)[^\n]*?inlined_at[ \t]+{_PLACE}"
_LOC = re.compile(rf'^(?:[^\n/"]*[\s;:{{}}])?(\.loc)[ \t]+{_PLACE}(?:[^\n]*?{_INLINED})?', re.M)
_ASM = re.compile(r"^[ \t]*// begin inline asm$(.*?)^[ \t]*// end inline asm$", re.M | re.S)
_FILE = re.compile(r'^[ \t]*\.file[ \t]+(\d+)[ \t]+"((?:[^"\\\n]|\\.)*)"', re.M)


class Chain(NamedTuple):
    """The position of statements, innermost first: where they are written, and where that was inlined. `functions` are
    the functions that were inlined, one fewer: their names, or the labels of these."""

    places: tuple[Place, ...] = ()
    functions: tuple[str, ...] = ()


Parsed = tuple[dict[int, str], list[int], list[Chain]]
"""Names of source files by number, offsets of the `.loc` and what each says."""
_PARSED: WeakKeyDictionary[File, Parsed] = WeakKeyDictionary()
"""One for each file, which its launches share: parsing the table of a large one takes longer than a small launch."""


def _parsed(text: str) -> Parsed:
    names = {int(number): name for number, name in _FILE.findall(text)}

    def place(numbers: tuple[str, ...]) -> Place:
        index, line, column = map(int, numbers)
        return names.get(index, ""), line, column

    found = list(_LOC.finditer(text)) if names else []
    skipped = within_asm(text) if found else set[int]()
    found = [match for match in found if (int(match[3]) or match[5]) and match.start(1) not in skipped]
    chains: list[Chain] = []
    known: dict[tuple[str, ...], Chain] = {}
    for match in found:
        own, function, outer = match.groups()[1:4], match[5], match.groups()[5:]
        chain = Chain()
        if function:
            chain = known.get(outer, Chain((place(outer),)))
        if int(own[1]):
            chain = Chain((place(own), *chain.places), (function, *chain.functions) if function else ())
        elif chains and chains[-1].places[1:] == chain.places:
            chain = chains[-1]
        known[own] = chain
        chains.append(chain)
    starts = [match.start(1) for match in found]
    if any(match[5] for match in found) or ".debug_info" not in text:
        return names, starts, chains
    return names, *with_callers(starts, chains, inlined_calls(text), names)


def within_asm(text: str) -> set[int]:
    """The offsets of the `.loc` within inline assembly.

    LLVM counts the lines of the assembly from that of the statement that contains it, which the `.loc` before it has,
    as if they were the source's: Triton writes a load as two lines of assembly, and the second one would be the line
    after the load.
    """
    return {at.start(1) for asm in _ASM.finditer(text) for at in _LOC.finditer(text, *asm.span(1))}


def with_callers(
    starts: list[int], chains: list[Chain], calls: list[InlinedCall], names: dict[int, str]
) -> tuple[list[int], list[Chain]]:
    """A line table without `inlined_at`, with the calls of the debug information: more places, and longer chains."""
    places, longer = (
        sorted({*starts, *(at for call in calls for at in (call.begin, call.end))}),
        list[Chain](),
    )
    waiting, active, number = list(reversed(calls)), list[InlinedCall](), -1
    for at in places:
        while number + 1 < len(starts) and starts[number + 1] <= at:
            number += 1
        active = [call for call in active if at < call.end]
        while waiting and waiting[-1].begin <= at:
            active.append(waiting.pop())
        inner = [call for call in reversed(active) if at < call.end]
        outer = [(names.get(call.file, ""), call.line, call.column) for call in inner]
        functions = tuple(call.function for call in inner)
        longer.append(Chain((*chains[number].places, *outer), functions) if number >= 0 else Chain())
    return places, longer


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
        self._strings: dict[str, str] | None = None

    def of(self, op: Op) -> tuple[Place, ...]:
        """The position of a statement, innermost first: where it is written, and where that was inlined."""
        if op.line is None:
            return ()
        at = bisect_right(self.starts, op.span[0]) - 1
        return self.chains[at].places if at >= 0 else (op.line,)

    def functions(self, op: Op) -> tuple[str, ...]:
        """The inlined functions that a statement is in, innermost first, by their names in the debug information."""
        at = bisect_right(self.starts, op.span[0]) - 1 if op.line is not None else -1
        found = self.chains[at].functions if at >= 0 else ()
        if found and self._strings is None:
            self._strings = labelled_strings(self.file.text)
        return tuple((self._strings or {}).get(name, name) for name in found)

    def line(self, op: Op) -> int:
        """The line that a reader of the source expects: that of the outermost call; without `.loc`, that of the PTX."""
        chain = self.of(op)
        return chain[-1][1] if chain else self.file.location(op.span[0])[0]

    def name(self, op: Op) -> str:
        """`kernel.cu:12:3`, or the position in the PTX."""
        chain = self.of(op)
        return described(chain[-1] if chain else (self.file.name, *self.file.location(op.span[0])))

    def text(self, place: Place) -> str | None:
        """The text of the source line, if its file exists."""
        lines = self.lines(place[0])
        return lines[place[1] - 1].strip() if 0 < place[1] <= len(lines) else None

    def lines(self, name: str) -> list[str]:
        """The lines of a source file; none if it does not exist."""
        if name not in self._lines:
            self._lines[name] = self._read(name)
        return self._lines[name]

    def _read(self, name: str) -> list[str]:
        for path in candidates(name, self.file.name):
            try:
                if path.is_file():  # reading a device or a pipe might never end
                    return path.read_text("utf-8", "replace").splitlines()
            except (OSError, ValueError):
                continue
        return []


def described(place: Place) -> str:
    """`kernel.cu:12:3`; without a column, which calls in debug information do not have, `kernel.cu:12`."""
    file, line, column = place
    return f"{file}:{line}:{column}" if column else f"{file}:{line}"


def candidates(name: str, beside: str) -> tuple[Path, Path]:
    """The two possible paths of a file that `.file` names: as named, or beside the PTX."""
    return Path(name), Path(beside).parent / Path(name).name
