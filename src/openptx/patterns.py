"""Regular expressions compiled at first use: checking a small file needs a third of them."""

from __future__ import annotations

import re

TYPE_CHECKING = False  # importing typing would cost 7 ms
if TYPE_CHECKING:
    from typing import Any

    pattern = re.compile
else:

    class pattern:
        """`re.compile`, later. The methods of the compiled pattern become its own, and cost what they cost there."""

        __slots__ = ("_flags", "_text", "findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn")

        def __init__(self, text: str, flags: int = 0) -> None:
            self._text, self._flags = text, flags

        def __getattr__(self, name: str) -> Any:
            compiled = re.compile(self._text, self._flags)
            for method in self.__slots__[2:]:
                setattr(self, method, getattr(compiled, method))
            return getattr(compiled, name)
