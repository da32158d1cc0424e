"""Objects that refer to memory of this process: a copy is the same object, and they cannot be pickled."""

from __future__ import annotations

from typing import NoReturn, Self


class Handle:
    __slots__ = ()

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            f"{self!r} cannot be pickled: its variables and arrays are memory of this process; hand over the PTX, and"
            " `openptx.load` it in the other one"
        )
