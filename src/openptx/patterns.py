"""Regular expressions compiled at first use: checking a small file needs a third of them.

`pattern_cache` keeps them on disk.
"""

from __future__ import annotations

import re
import sys

from openptx import pattern_cache

TYPE_CHECKING = False  # importing typing would cost 7 ms
if TYPE_CHECKING:
    from typing import Any

WRONG_POSSESSIVE = sys.version_info < (3, 11, 5)
"""Whether `re` matches `(...)*+` wrongly where something in the group backtracks (cpython issue 106052)."""
_PARTS = r"\\.|\[\^?\]?(?:\\.|[^\\\]])*\]|\(|\)(?:([*+?]|\{[0-9,]*\})\+)?|[^\\\[()]+"


def atomic(text: str) -> str:
    """A regular expression with `(?>(...)*)` for each `(...)*+`, which means the same."""
    found, opened = list[str](), list[int]()
    for part in re.finditer(_PARTS, text, re.DOTALL):
        word = part[0]
        if word == "(":
            opened.append(len(found))
        elif word[0] == ")":
            start = opened.pop()
            if part[1]:
                found[start], word = f"(?>{found[start]}", f"){part[1]})"
        found.append(word)
    return "".join(found)


def compiled(text: str, flags: int = 0) -> re.Pattern[str]:
    """A regular expression that is compiled at once and not kept: one whose text is made of a file's."""
    return re.compile(atomic(text) if WRONG_POSSESSIVE else text, flags)


if TYPE_CHECKING:
    pattern = re.compile
else:

    class pattern:
        """`re.compile`, later. The methods of the compiled pattern become its own, and cost what they cost there."""

        __slots__ = ("_flags", "_text", "findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn")

        def __init__(self, text: str, flags: int = 0) -> None:
            self._text, self._flags = text, flags

        def __getattr__(self, name: str) -> Any:
            key = self._text, int(self._flags), WRONG_POSSESSIVE
            if (found := pattern_cache.known(key)) is None:
                found = compiled(self._text, self._flags)
                pattern_cache.note(key, found)
            for method in self.__slots__[2:]:
                setattr(self, method, getattr(found, method))
            return getattr(found, name)
