"""A memo that is always empty, with which what memos change is compared."""

from __future__ import annotations

from typing import Any


class Forgetful(dict[Any, Any]):
    """A memo that is always empty."""

    def __setitem__(self, key: Any, value: Any) -> None:
        pass

    def setdefault(self, key: Any, default: Any = None) -> Any:
        return default
