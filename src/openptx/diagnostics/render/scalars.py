"""Text for other programs: bytes that were not UTF-8 are U+FFFD there, since JSON with lone surrogates is refused."""

from __future__ import annotations

from openptx.patterns import pattern

TYPE_CHECKING = False  # importing typing would cost 7 ms
if TYPE_CHECKING:
    from typing import Any

_SURROGATE = pattern("[\ud800-\udfff]")


def scalars(data: Any) -> Any:
    """Lists, dictionaries and strings as they are, but for surrogates, which are no Unicode scalar values."""
    match data:
        case str(text):
            return text if text.isascii() else _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)
        case [*items]:
            return [scalars(item) for item in items]
        case {**items}:
            return {key: scalars(value) for key, value in items.items()}
        case _:
            return data
