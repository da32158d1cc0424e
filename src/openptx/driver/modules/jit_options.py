"""Options of loading and linking: log buffers and the register limit. The others have no effect."""

from __future__ import annotations

import ctypes

from openptx.driver.calls import counted, get
from openptx.source import File
from openptx.syntax.parser import parse
from openptx.syntax.tree import Function


def with_register_limit(text: str, most: int) -> str:
    """The PTX with `.maxnreg` at each kernel that has none."""
    parts, done = list[str](), 0
    for item in parse(File("<module>", text)).items:
        if not isinstance(item, Function) or item.kind != "entry" or item.body is None:
            continue
        if all(directive.name != "maxnreg" for directive in item.directives):
            brace = text.rindex("{", 0, item.body[0])
            parts += text[done:brace], f".maxnreg {most}\n"
            done = brace
    return "".join((*parts, text[done:]))


MAX_REGISTERS = 0
INFO_BUFFER, INFO_SIZE, ERROR_BUFFER, ERROR_SIZE = 3, 4, 5, 6


class JitOptions:
    """`CUjit_option` numbers at one pointer, their values at another."""

    def __init__(self, count: int, options: int, values: int) -> None:
        self._places = {get(options + 4 * i, ctypes.c_int): values + 8 * i for i in counted(count, "options")}

    def limited(self, text: str) -> str:
        """The PTX, with the program's register limit, if any."""
        if MAX_REGISTERS not in self._places:
            return text
        most = get(self._places[MAX_REGISTERS], ctypes.c_uint32)
        return with_register_limit(text, most) if most else text

    def report(self, words: str) -> None:
        """Writes errors to the program's buffer, as far as there is room; sizes become those of the written text."""
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
