"""Options of loading and linking: buffers for what there is to say; the others change nothing here."""

from __future__ import annotations

import ctypes

from openptx.driver.calls import get

INFO_BUFFER, INFO_SIZE, ERROR_BUFFER, ERROR_SIZE = 3, 4, 5, 6
WALL_TIME = 2


class JitOptions:
    """`CUjit_option` numbers at one pointer, their values at another."""

    def __init__(self, count: int, options: int, values: int) -> None:
        self._places = {get(options + 4 * i, ctypes.c_int): values + 8 * i for i in range(count)}

    def report(self, words: str) -> None:
        """Writes errors where the program wants them, as far as there is room; sizes become those of what there is."""
        self._write(ERROR_BUFFER, ERROR_SIZE, words)
        self._write(INFO_BUFFER, INFO_SIZE, "")

    def _write(self, buffer: int, size: int, words: str) -> None:
        if buffer not in self._places or size not in self._places:
            return
        where, room = get(self._places[buffer]), get(self._places[size], ctypes.c_uint32)
        if where and room:
            data = words.encode("utf-8", "replace")[: room - 1] + b"\0"
            ctypes.memmove(where, data, len(data))
            ctypes.c_uint64.from_address(self._places[size]).value = len(data)
