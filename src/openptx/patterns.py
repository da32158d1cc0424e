"""Regular expressions that are compiled on first use: checking a small file needs a third of them."""

from __future__ import annotations

import re
import sys

TYPE_CHECKING = False  # importing typing would cost 7 ms
if TYPE_CHECKING:
    from typing import Any

WRONG_POSSESSIVE = sys.version_info < (3, 11, 5)
"""Whether `re` matches `(...)*+` incorrectly if something in the group backtracks (cpython issue 106052)."""
_PARTS = r"\\.|\[\^?\]?(?:\\.|[^\\\]])*\]|\(|\)(?:([*+?]|\{[0-9,]*\})\+)?|[^\\\[()]+"


def atomic(text: str) -> str:
    """A regular expression with `(?>(...)*)` for each `(...)*+`, which is equivalent."""
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


if TYPE_CHECKING:
    pattern = re.compile
else:

    class pattern:
        """`re.compile`, delayed. The methods of the compiled pattern become its own, at no extra cost."""

        __slots__ = ("_flags", "_text", "findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn")

        def __init__(self, text: str, flags: int = 0) -> None:
            self._text, self._flags = text, flags

        def __getattr__(self, name: str) -> Any:
            compiled = re.compile(atomic(self._text) if WRONG_POSSESSIVE else self._text, self._flags)
            for method in self.__slots__[2:]:
                setattr(self, method, getattr(compiled, method))
            return getattr(compiled, name)
