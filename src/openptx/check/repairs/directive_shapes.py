"""Directives and signatures with other punctuation than theirs, and how they are written."""

from __future__ import annotations

import re
from collections.abc import Iterator

from openptx.check.repairs.line_shapes import Rewritten
from openptx.isa.directives import NAMES
from openptx.isa.targets import TARGETS
from openptx.patterns import pattern
from openptx.source import Span
from openptx.syntax.lexical import IDENTIFIER, STRING

_LINES = {
    # what a line holds, however written                                          how it is written
    pattern(r"\.?version\D*?([0-9])\W*([0-9])\b.*", re.A):                        r".version \1.\2",
    pattern(r"\.?version\D*?([0-9]+)\W*", re.A):                                  r".version \1.0",
    pattern(r"([0-9])\.([0-9])", re.A):                                           r".version \1.\2",
    pattern(r"(?:\.?address[\W_]?size\D*)?(32|64)\b\D*", re.A):                   r".address_size \1",
    pattern(r"\.?address[\W_]?size\b.*", re.A):                                   r".address_size 64",
    pattern(rf"\.?file\W*([0-9]+)\W*({STRING}).*", re.A):                         r".file \1 \2",
    pattern(rf"\.?file\b[^\"]*({STRING})\W*", re.A):                              r".file 1 \1",
    pattern(r"\.?(?:loc|line)\W+([0-9]+)\W+([0-9]+)\W+([0-9]+)\b.*", re.A):       r".loc \1 \2 \3",
    pattern(rf"\.?(?:loc|line)\s+{STRING}\W*([0-9]+)\W+([0-9]+)\b.*", re.A):      r".loc 1 \1 \2",
    pattern(r"\.?(?:loc|line)\W+([0-9]+)\W+([0-9]+)\W*", re.A):                   r".loc \1 \2 0",
    pattern(r"""\.?pragma\W*(\w[^"'();]*)\W*""", re.A):                           r'.pragma "\1";',
}  # fmt: skip
"""Directives that take a line."""
_TARGET = pattern(
    r"(?:\.?(?:target|arch)\W*(?:sm|compute)?|(?:sm|compute))[-_ ]?([0-9]+[af]?)\b\W*(?:\.target)?", re.A | re.I
)

_TYPED = r"\.(?:reg|param)\s*\.\w+"
_ENTRY = r"(?:entry|kernel|function|void|__global__|\.visible|\.weak)"
"""Words that stand for `.entry`."""
_SIGNATURES = {
    pattern(rf"\.func\s+({_TYPED}\s+{IDENTIFIER})\s+({IDENTIFIER})", re.A):                         r".func (\1) \2",
    pattern(rf"\.func\s+(\.\w+)\s+({IDENTIFIER})(?=\s*\()", re.A):                             r".func (.reg \1 r) \2",
    pattern(rf"\.func\s*({IDENTIFIER})\s*(\([^()]*\))\s*(\([^()]*\))", re.A):                       r".func \3 \1\2",
    pattern(rf"\.func\s*({IDENTIFIER})\s*(\([^()]*\))\s*->\s*(\.\w+)\s+({IDENTIFIER})", re.A):
        r".func (.reg \3 \4) \1\2",
    pattern(rf"\.func\s*(\([^()]*\))\s*,\s*({IDENTIFIER})\s*,\s*\(", re.A):                         r".func \1 \2(",
    pattern(r"\.entry(?=\s*\()", re.A):                                                             r".func",
    pattern(r"\.(extern|visible|weak)(?=\s*\()", re.A):                                             r".\1 .func",
    pattern(rf"\.(visible|weak)\s+(?:{_ENTRY}\s+)*(?={IDENTIFIER}\s*\()", re.A):                   r".\1 .entry ",
    pattern(r"\.(?:global|device|kernel)\s+(?=\.entry|\.func)", re.A):                              r".visible ",
    pattern(r"\.callprototype\s+(\.\w+\s*\.\w+\s+_)\s*\)?(?=\s+_)", re.A):                   r".callprototype (\1)",
    pattern(r"(\.callprototype\b.*?\s_)\s+(\.[^()]*)\)", re.A):                                      r"\1 (\2)",
    pattern(rf"\.callprototype\s*(\([^()]*\))\s*(?:{IDENTIFIER})?\s*(?=\()", re.A):           r".callprototype \1 _ ",
    pattern(rf"\.(callprototype|branchtargets|calltargets)\s+({IDENTIFIER})\s*:?(?=\s*[\w(.])", re.A): r"\2: .\1",
    pattern(r"\[([^\[\]]*)\](?=\s*[{;]?\s*\Z)", re.A):                                                   r"(\1)",
    pattern(r"__launch_bounds__\s*\(\s*([0-9]+)[^)]*\)", re.A):                                     r".maxntid \1",
}  # fmt: skip
"""Parts of the headers of functions, and of prototypes."""
_NAMELESS = pattern(r"(\.\w+)(\s*[,)])", re.A)
_MARKED = pattern(r"\s*([@#$&*/\\:,a-z-])([a-z_]+)", re.A)
_SPACELESS = pattern(r"([(,]\s*)(?=\.?[busf](?:8|16|32|64)\b)", re.A)


def without_dot(text: str, line: Span) -> Iterator[Rewritten]:
    """A directive that begins with another mark than its dot."""
    match = _MARKED.match(text, *line)
    if match is not None and f".{match[2]}" in NAMES:
        yield Rewritten(match.span(1), ".", f"`{match[1]}` stands where the dot of `.{match[2]}` belongs")


def as_directive(text: str, line: Span) -> Iterator[tuple[Span, str]]:
    """The line of an error as the directive that it resembles."""
    words = text[slice(*line)].split("//")[0].strip()
    first = text.find(words, *line)
    span = first, first + len(words)
    for shape, meant in _LINES.items():
        if (match := shape.fullmatch(words)) is not None:
            yield span, match.expand(meant)
    if (match := _TARGET.fullmatch(words)) is not None and (name := f"sm_{match[1].lower()}") in TARGETS:
        yield span, f".target {name}"


def in_signature(text: str, line: Span) -> Iterator[tuple[Span, str]]:
    """The signature in the line of an error as it is written."""
    for shape, meant in _SIGNATURES.items():
        if (match := shape.search(text, *line)) is not None:
            yield match.span(), match.expand(meant)
    words = text[slice(*line)]
    if "callprototype" in words:
        yield line, _NAMELESS.sub(r"\1 _\2", words)
    for space in (".reg ", ".param "):
        meant = _SPACELESS.sub(rf"\1{space}.", words).replace("..", ".")
        if meant != words:
            yield line, meant
