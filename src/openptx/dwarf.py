"""The debug information in a PTX file (`nvcc -G`): DWARF 2 to 4, as lists of numbers and labels."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

_SECTION = re.compile(r"^[ \t]*\.section[ \t]+(\.\w+)[ \t]*\{?[ \t]*\n(?:[ \t]*\{)?([^}]*)\}", re.M)
_DATUM = re.compile(r"\.b(8|16|32|64)[ \t]+([^\n;]+)")
_COMMENT = re.compile(r"//[^\n]*")
_LABEL = re.compile(r"^[ \t]*([\w$]+):", re.M)
_VERSIONS = range(2, 5)
ADDRESS = 8
DEEPEST = 256
"""The most entries that lie in each other."""

# fmt: off
NAME, LOW_PC, HIGH_PC, ABSTRACT_ORIGIN, LINKAGE_NAME = 0x03, 0x11, 0x12, 0x31, 0x2007
PLACE = 0x58, 0x59, 0x57
"""Attributes; PLACE: file, line and column of a call."""
INLINED = 0x1D
"""Tags."""
_FIXED = {0x05: 2, 0x06: 4, 0x07: 8, 0x0B: 1, 0x0C: 1, 0x17: 4, 0x11: 1, 0x12: 2, 0x13: 4, 0x14: 8, 0x10: 4}
"""Forms of so many bytes: data, flags, offsets in sections, references."""
_RELATIVE = range(0x11, 0x16)
"""References that count from the beginning of their unit."""
_BLOCK_LENGTHS = {0x0A: 1, 0x03: 2, 0x04: 4}
# fmt: on


@dataclass(frozen=True, slots=True)
class Block:
    """An expression for a location, and the label that follows its first operation, if any."""

    data: bytes
    label: str | None = None


Value = int | str | Block
"""Of an attribute; labels are strings, too."""


class Malformed(Exception):
    """The sections are no DWARF that this module reads."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A debugging information entry."""

    offset: int
    tag: int
    attributes: Mapping[int, Value]
    children: list[Entry] = field(default_factory=list["Entry"])

    def walk(self) -> Iterator[Entry]:
        """The entry and all below it."""
        yield self
        for child in self.children:
            yield from child.walk()


class Reader:
    """A position in the bytes of a section, with the labels that stand in it."""

    def __init__(self, text: str) -> None:
        data, self.labels, self.at = bytearray(), dict[int, str](), 0
        for bits, values in _DATUM.findall(_COMMENT.sub("", text)):
            size = int(bits) // 8
            for value in values.split(","):
                word = value.strip()
                if word.lstrip("-").isdigit():
                    data += (int(word) % (1 << int(bits))).to_bytes(size, "little")
                else:
                    self.labels[len(data)] = word
                    data += bytes(size)
        self.data = bytes(data)

    def take(self, size: int) -> bytes:
        if self.at + size > len(self.data):
            raise Malformed
        self.at += size
        return self.data[self.at - size : self.at]

    def number(self, size: int) -> int:
        return int.from_bytes(self.take(size), "little")

    def leb(self) -> int:
        found = shift = 0
        while True:
            byte = self.number(1)
            found |= (byte & 127) << shift
            shift += 7
            if not byte & 128:
                return found

    def block(self, size: int) -> Block:
        return Block(self.take(size), self.labels.get(self.at - size + 1))

    def text(self) -> str:
        end = self.data.find(0, self.at)
        if end < 0:
            raise Malformed
        found = self.take(end - self.at).decode("utf-8", "replace")
        self.at += 1
        return found


def sections(text: str) -> dict[str, Reader]:
    """The sections of a PTX file, by name."""
    return {name: Reader(body) for name, body in _SECTION.findall(text)}


Abbreviations = dict[int, tuple[int, bool, list[tuple[int, int]]]]
"""By code: the tag, whether children follow, attributes with their forms."""


def abbreviations(section: Reader, at: int) -> Abbreviations:
    section.at, found = at, Abbreviations()
    while code := section.leb():
        tag, children, attributes = section.leb(), bool(section.number(1)), list[tuple[int, int]]()
        while (pair := (section.leb(), section.leb())) != (0, 0):
            attributes.append(pair)
        found[code] = tag, children, attributes
    return found


def entries(text: str) -> list[Entry]:
    """The units of a file; [] without debug information, or if it is malformed."""
    found = sections(text)
    info, strings = found.get(".debug_info"), found.get(".debug_str")
    if info is None or ".debug_abbrev" not in found:
        return []
    units = list[Entry]()
    try:
        while info.at + 11 <= len(info.data):
            begin = info.at
            end = info.number(4) + info.at
            if info.number(2) not in _VERSIONS:
                raise Malformed
            label = info.labels.get(info.at, "")
            known = abbreviations(found[".debug_abbrev"], info.number(4) + int(label.partition("+")[2] or 0))
            info.take(1)
            units += _Unit(info, strings, known, begin).read(end)
            info.at = end
    except (Malformed, KeyError, ValueError):
        return []
    return units


class _Unit:
    def __init__(self, info: Reader, strings: Reader | None, known: Abbreviations, begin: int) -> None:
        self.info, self.strings, self.known, self.begin = info, strings, known, begin

    def read(self, end: int) -> list[Entry]:
        """The entries up to the end of the unit, those that have no parent."""
        top, parents = list[Entry](), list[Entry]()
        while self.info.at < end:
            offset, code = self.info.at, self.info.leb()
            if not code:
                if parents:
                    parents.pop()
                continue
            tag, has_children, attributes = self.known[code]
            entry = Entry(offset, tag, {name: self.value(form) for name, form in attributes})
            (parents[-1].children if parents else top).append(entry)
            if has_children:
                parents.append(entry)
                if len(parents) > DEEPEST:
                    raise Malformed
        return top

    def value(self, form: int) -> Value:
        info = self.info
        label = info.labels.get(info.at)
        if form == 0x01:
            number = info.number(ADDRESS)
            return label if label is not None else number
        if form in _FIXED:
            number = info.number(_FIXED[form])
            return label if label is not None else number + self.begin if form in _RELATIVE else number
        if form in (0x0D, 0x0F):  # of signed numbers only the sign is wrong, which nothing here needs
            return info.leb()
        if form == 0x08:
            return info.text()
        if form == 0x0E and self.strings is not None:
            self.strings.at = info.number(4) + int((label or "").partition("+")[2] or 0)
            return self.strings.text()
        if form == 0x19:
            return 1
        if form in _BLOCK_LENGTHS or form in (0x09, 0x18):
            return info.block(info.number(_BLOCK_LENGTHS[form]) if form in _BLOCK_LENGTHS else info.leb())
        raise Malformed


def labelled_strings(text: str) -> dict[str, str]:
    """The strings of a file that have labels, which `.loc` names; without those that are cut off."""
    found = dict[str, str]()
    section = next((match[2] for match in _SECTION.finditer(text) if match[1] == ".debug_str"), "")
    for match in re.finditer(r"^[ \t]*([\w$]+):([^:]*)(?=^[ \t]*[\w$]+:|\Z)", _COMMENT.sub("", section), re.M):
        try:
            found[match[1]] = Reader(match[2]).text()
        except Malformed:
            continue
    return found


def label_offsets(text: str) -> dict[str, int]:
    """Where labels stand in the text."""
    return {match[1]: match.start() for match in _LABEL.finditer(text)}


@dataclass(frozen=True, slots=True)
class InlinedCall:
    """A call that was inlined: its code, from `begin` to `end` in the text, what was called, and where."""

    begin: int
    end: int
    function: str
    file: int
    line: int
    column: int


def inlined_calls(text: str) -> list[InlinedCall]:
    """The inlined calls of a file in text order, outer ones first."""
    every = [entry for unit in entries(text) for entry in unit.walk()]
    names = {entry.offset: entry.attributes.get(LINKAGE_NAME, entry.attributes.get(NAME)) for entry in every}
    inlined = [entry.attributes for entry in every if entry.tag == INLINED]
    labels = label_offsets(text) if inlined else {}
    found = list[InlinedCall]()
    for given in inlined:
        begin, end = (labels.get(str(given.get(pc))) for pc in (LOW_PC, HIGH_PC))
        if begin is None or end is None:
            continue
        file, line, column = (value if isinstance(value := given.get(a), int) else 0 for a in PLACE)
        callee = given.get(ABSTRACT_ORIGIN)
        name = names.get(callee) if isinstance(callee, int) else None
        found.append(InlinedCall(begin, end, name if isinstance(name, str) else "", file, line, column))
    return sorted(found, key=lambda call: (call.begin, -call.end))
