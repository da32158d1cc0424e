"""Options of loading and linking: log buffers and the register limit. The others have no effect."""

from __future__ import annotations

import ctypes

from openptx.driver.calls import Failure, counted, get
from openptx.driver.results import Result
from openptx.errors import CheckError
from openptx.isa.targets import NEWEST
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
    """`CUjit_option` numbers at one pointer, their values at another. Values that are results have to remain there;
    the others are read at once."""

    def __init__(self, count: int, options: int, values: int) -> None:
        self._places = {get(options + 4 * i, ctypes.c_int): values + 8 * i for i in counted(count, "options")}
        sizes = (size for size in (INFO_SIZE, ERROR_SIZE) if size in self._places)
        self._most = get(self._places[MAX_REGISTERS], ctypes.c_uint32) if MAX_REGISTERS in self._places else 0
        self._room = {size: get(self._places[size], ctypes.c_uint32) for size in sizes}

    def limited(self, text: str) -> str:
        """The PTX, with the program's register limit, if any."""
        return with_register_limit(text, self._most) if self._most else text

    def report(self, words: str) -> None:
        """Writes errors to the program's buffer, as far as there is room; sizes become those of the written text."""
        self._write(ERROR_BUFFER, ERROR_SIZE, words)
        self._write(INFO_BUFFER, INFO_SIZE, "")

    def _write(self, buffer: int, size: int, words: str) -> None:
        if buffer not in self._places or size not in self._places:
            return
        where, room = get(self._places[buffer]), self._room[size]
        if where and room:
            data = words.encode("utf-8", "replace")[: room - 1] + b"\0"
            ctypes.memmove(where, data, len(data))
            ctypes.c_uint64.from_address(self._places[size]).value = len(data)


def refusal(error: CheckError, options: JitOptions | None, what: str) -> Failure:
    """The failure for errors in PTX, which are also written to the options.

    About a version that does not exist the program's log says it in ptxas's words first: XLA asks for the newest
    version by PTX of a version 99.99, and reads it there.
    """
    result, words = Result.INVALID_PTX, str(error)
    unknown = next((found for found in error.diagnostics if found.name == "unknown-version"), None)
    if unknown is not None:
        result, newest = Result.UNSUPPORTED_PTX_VERSION, f"current version is '{NEWEST[0]}.{NEWEST[1]}'"
        where = f"ptxas application ptx input, line {unknown.location[0]}"
        words = f"{where}; fatal   : Unsupported .version {unknown.actual}; {newest}\n{words}"
    if options is not None:
        options.report(words)
    return Failure(result, f"{what}:\n{error}")
