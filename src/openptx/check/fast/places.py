"""Where the full checker looks in a body that is right but for a few instructions and registers."""

from __future__ import annotations

import re

from openptx.isa.control import JUMPS, LEAVES, mnemonics
from openptx.patterns import pattern
from openptx.syntax.lexical import LETTER, WORD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from openptx.source import Span

_NUMBER = pattern(r"[0-9]++\Z", re.A)
_MOST = 64
"""Beginnings of names that are looked for one by one: a search for each of them costs more than one for all words."""


def mentions(text: str, body: Span, names: Collection[str]) -> Iterator[re.Match[str]]:
    """The places where one of these names stands."""
    beginnings = {_NUMBER.sub("", name) for name in names}
    wanted = rf"(?:{'|'.join(map(re.escape, beginnings))})[0-9]*+(?!{LETTER})" if len(beginnings) <= _MOST else WORD
    return (match for match in re.compile(wanted, re.A).finditer(text, *body) if match[0] in names)


def flowing(text: str, body: Span) -> Iterator[int]:
    """The places where a statement may transfer control.

    To find each of a few words is a hundred times as fast as one expression for all of them.
    """
    for word in mnemonics(*JUMPS, *LEAVES):
        at = text.find(word, *body)
        while at >= 0:
            yield at
            at = text.find(word, at + 1, body[1])
