"""Finds where statements that are no instructions may begin, without parsing those before them."""

from __future__ import annotations

import re

from openptx.syntax.lexical import WORD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from openptx.source import Span

_LANDMARK = rf"[;{{}}:\n][ \t\r]*+(?=[{{}}]|\.(?!loc\b)|{WORD}[ \t]*+:(?!:))"
"""What ends before something else than an instruction begins. Compiled when it is needed."""


def landmarks(text: str, body: Span) -> Iterator[int]:
    """Where a label, a brace or a directive may begin; `Function.read` can skip the instructions between them."""
    return (match.end() for match in re.compile(_LANDMARK, re.A).finditer(text, body[0] - 1, body[1]))
