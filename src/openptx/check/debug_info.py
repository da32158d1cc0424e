"""Rules for debug information (manual 11.5; measured): positions of inlined code, labels and data of sections."""

from __future__ import annotations

import re
from collections.abc import Iterator

from openptx.diagnostics import Collector, Diagnostic, Label
from openptx.isa.notation.gates import Gate, gate
from openptx.patterns import pattern
from openptx.source import File, Span
from openptx.syntax.assembler_words import may_name_section
from openptx.syntax.directives import Location, Section, SourceFile
from openptx.syntax.lexical import COMMENT, DECIMAL_32, LETTER, SECTION_NAME
from openptx.syntax.literals import literal
from openptx.syntax.operands import Integer

_PLACE = f"({DECIMAL_32} {DECIMAL_32} {DECIMAL_32})"
_BEGINS = pattern(rf"\.loc(?!{LETTER})", re.A)
_PLAIN = pattern(
    rf"\.loc[ \t]++{_PLACE}(?:,[ \t]function_name[ \t](?!%){SECTION_NAME}(?:\+[0-9]{{1,9}})?+,"
    rf"[ \t]inlined_at[ \t]{_PLACE})?+[ \t]*+(?://[^\n]*+)?+\r?+\n",
    re.A,
)
_LABEL = pattern(rf"(?:^|(?<=[\s{{]))({SECTION_NAME})[ \t]*+:", re.M | re.A)  # searched for in the line of a colon only
_DATA = pattern(r"\.(b8|b16|b32|b64|byte|4byte|quad)\b([^.}:]*+)", re.A)
_REFERENCE = pattern(rf"\.(?:b32|b64|4byte|quad)\s++(\.%?+{LETTER}*+)", re.A)
_NAMING_LINE = pattern(rf"^[ \t]*+(?:({SECTION_NAME}):|\.b(?:32|64)[ \t]++(\.%?+{LETTER}*+))", re.M | re.A)
"""A line with a label, or with the name of a section, in the style of compilers: no comment stands before them."""
_NUMBER = pattern(rf"(?<!%)(?<!{LETTER})(-\s*+)?([0-9]\w*+)", re.A)
_WIDTHS = {"b8": 8, "byte": 8, "b16": 16, "b32": 32, "4byte": 32, "b64": 64, "quad": 64}
_COMMENT = pattern(COMMENT, re.A)
_VISIBLE = pattern(r"[^\n]")
_RULE = "PTX ISA, Debugging Directives (11.5)"

# fmt: off
_SECTION_FEATURES = (  # measured, ptxas 13.5: sections have neither `:`, `+` nor `-` elsewhere
    ("a label in a section",                  gate("PTX 7.0"), pattern(rf"{SECTION_NAME}\s*+:", re.A)),
    ("a sum in a section",                    gate("PTX 3.2"), pattern(r"\+")),
    ("a negative number in a section",        gate("PTX 7.5"), pattern(r"-\s*+[0-9]", re.A)),
    ("a difference of labels in a section",   gate("PTX 7.5"), pattern(r"-\s*+[^0-9\s]", re.A)),
)
# fmt: on
_ALL_FEATURES = (7, 5)
POSITIONS_SINCE = (4, 0)
"""In older files the assembler does not look at where code is inlined (ptxas 13.5)."""


class DebugInfo:
    """The debug information of one file, in the order of its text."""

    __slots__ = ("collector", "file", "files", "inlined", "labels", "places")

    def __init__(self, file: File, collector: Collector, version: tuple[int, int]) -> None:
        self.file, self.collector = file, collector
        self.inlined = version >= POSITIONS_SINCE and "inlined_at" in file.text  # otherwise positions are not needed
        self.places: set[str] = set()  # named by an earlier `.loc`: numbers separated by a blank
        self.labels: dict[str, Span] = {}  # of sections
        self.files: dict[int, Span] = {}

    def plain(self, body: Span) -> bool:
        """Whether every `.loc` of a body is certainly correct, given that its rows are. Records their positions if
        so."""
        text = self.file.text
        if not self.inlined or text.find(".loc", *body) < 0:
            return True
        found: list[tuple[str, str]] = _PLAIN.findall(text, *body)
        begun = text.count(".loc", *body) - text.count(".local", *body)
        if len(found) != begun and len(found) != len(_BEGINS.findall(text, *body)):
            return False
        if found:
            places, inlined = zip(*found, strict=True)
            if not self.places.issuperset(filter(None, inlined)) and not self._in_order(places, inlined):
                return False
            self.places.update(places)
        return True

    def _in_order(self, places: tuple[str, ...], inlined: tuple[str, ...]) -> bool:
        """Whether the position of inlined code is that of an earlier `.loc`."""
        numbers = range(len(places) - 1, -1, -1)
        first = dict(zip(reversed(places), numbers, strict=True))
        asked = dict(zip(reversed(inlined), numbers, strict=True))
        return all(
            place in self.places or first.get(place, number) < number for place, number in asked.items() if place
        )

    def location(self, location: Location) -> None:
        """A `.loc`: the position where code is inlined must be that of an earlier `.loc`."""
        inlined = location.inlined_at
        for value in (*location.values, *inlined):
            if value.value >> 32:
                self._add("invalid-integer", f"`{value.text}` does not fit 32 bits", value.span, "too large")
                return
        if inlined and self.inlined and (place := " ".join(str(value.value) for value in inlined)) not in self.places:
            self.places.add(place)  # one error for all code that is inlined there
            where = " ".join(value.text for value in inlined)
            self._add(
                "invalid-directive", f"no earlier `.loc` has the position `{where}`",
                (inlined[0].span[0], inlined[-1].span[1]), "code is inlined into code that has a `.loc`",
                help=f"write `.loc {where}` before it",
            )  # fmt: skip
        self.places.add(" ".join(str(value.value) for value in location.values))

    def source(self, source: SourceFile) -> None:
        """A `.file`: its number must be unique."""
        index = source.values[0]
        if index.value >> 32:
            self._add("invalid-integer", f"`{index.text}` does not fit 32 bits", index.span, "too large")
        elif (first := self.files.get(index.value)) is not None:
            self._add("repeated-directive", f"`.file {index.value}` occurs twice", index.span, "again", first)
        else:
            self.files[index.value] = index.span

    def section(self, section: Section) -> None:
        """A section of debug data: labels are unique in the file, values fit into their type."""
        self._name(section.section, self.file.text.index(section.section, section.name_span[1]))
        (start, end), at = section.body, 0
        text = self.file.text[start:end]
        commented = "/" in text or "#" in text
        if commented and section.narrow and text[0] in "\r\n":
            for match in _NAMING_LINE.finditer(self.file.text, start, end):
                if match[1]:
                    self._label(match[1], match.span(1))
                else:
                    self._name(match[2], match.start(2))
            return
        text = _without_comments(text) if commented else text
        while (colon := text.find(":", at)) >= 0:
            if match := _LABEL.search(text, max(at, text.rfind("\n", at, colon)), colon + 1):
                self._label(match[1], (start + match.start(1), start + match.end(1)))
            at = colon + 1
        if not section.narrow:
            self._values(text, start)
        for match in _REFERENCE.finditer(text):
            self._name(match[1], start + match.start(1))

    def _label(self, name: str, span: Span) -> None:
        if (first := self.labels.get(name)) is not None:
            self._add("duplicate-label", f"the label `{name}` occurs twice", span, "again", first)
        else:
            self.labels[name] = span

    def _name(self, name: str, start: int) -> None:
        """The name of a section, which the assembler must not know as something else."""
        if not may_name_section(name):
            self._add(
                "invalid-directive", f"`{name}` can't name a section", (start, start + len(name)), "a word of PTX"
            )

    def _values(self, text: str, start: int) -> None:
        for match in _DATA.finditer(text):
            width = _WIDTHS[match[1]]
            for value in _NUMBER.finditer(text, *match.span(2)):
                if _fits(value[1] is not None, value[2], width):
                    continue
                least = 1 << width - 1
                self._add(
                    "initializer", f"`{value[0]}` does not fit the {width} bits of `.{match[1]}`",
                    (start + value.start(), start + value.end()), "too wide",
                    expected=f"{-least} to {2 * least - 1}", actual=value[0],
                )  # fmt: skip
                return

    def _add(
        self, about: str, message: str, span: Span, label: str, first: Span | None = None, **facts: str | None
    ) -> None:
        labels = (Label(first, "first here"),) if first is not None else ()
        self.collector.add(
            Diagnostic(
                about, message, self.file, span, label, rule=_RULE, labels=labels, help=facts.get("help"),
                expected=facts.get("expected"), actual=facts.get("actual"),
            )
        )  # fmt: skip


def section_features(file: File, section: Section, version: tuple[int, int]) -> Iterator[tuple[str, Gate, Span]]:
    """What the data of a section has that older versions do not, and where it first occurs; nothing for newer files."""
    if version >= _ALL_FEATURES:
        return
    start, end = section.body
    text = _without_comments(file.text[start:end])
    for what, since, wanted in _SECTION_FEATURES:
        if match := wanted.search(text):
            yield what, since, (start + match.start(), start + match.end())


def _without_comments(text: str) -> str:
    """The text with blanks in the place of comments and line markers."""
    return _COMMENT.sub(lambda match: _VISIBLE.sub(" ", match[0]), text)


def _fits(negative: bool, digits: str, width: int) -> bool:
    """Whether the assembler takes a number as a value of this many bits: it looks at the low 32 bits of a positive one,
    and refuses -0 below 64 bits (measured, ptxas 13.5)."""
    number = literal(digits, (0, 0))
    if not isinstance(number, Integer):
        return False
    if negative:
        signed = digits[-1] != "U" and number.value < 1 << 63
        return signed and (width == 64 or 0 < number.value <= 1 << width - 1)
    return width >= 32 or number.value & 0xFFFFFFFF < 1 << width
