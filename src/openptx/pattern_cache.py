"""Compiled regular expressions on disk, as Python's matcher takes them: Python keeps none, and compiling those that
`openptx check` needs would take a fifth of its time for a small file.

What is kept has been compared with what `re.compile` makes (equal patterns have the same code), for this very version
of Python. Where its private parts are other than expected nothing is kept, and everything works as without the file.
"""

from __future__ import annotations

import marshal
import os
import sys
from importlib import import_module

from openptx.cache_folder import cache_folder
from openptx.private_files import folder_of, read, replace

TYPE_CHECKING = False  # importing typing would cost 7 ms
if TYPE_CHECKING:
    from collections.abc import Callable
    from re import Pattern
    from typing import Any

    Key = tuple[str, int, bool]
    Code = tuple[int, bytes, int, dict[str, int], tuple[str | None, ...]]

try:
    assembled: Callable[..., Pattern[str]] | None = import_module("_sre").compile
except (AttributeError, ImportError):  # no CPython
    assembled = None

PREFIX = "patterns-"
NAME = f"{PREFIX}{sys.implementation.cache_tag}-{sys.hexversion:x}"
LIMIT = 1 << 20
"""Bytes of the file."""
MOST = 512
"""Patterns. A file with more has those of older versions of OpenPTX, and is begun again."""

_known: dict[Key, Code] | None = None  # None until it has been read
_new: dict[Key, Pattern[str]] = {}
"""Patterns that this process had to compile."""


def known(key: Key) -> Pattern[str] | None:
    """The pattern of this text, these flags, and whether its possessive groups are atomic ones; if it has been kept."""
    global _known
    if _known is None:
        _known = _read()
    if (code := _known.get(key)) is None or assembled is None:
        return None
    try:
        return assembled(key[0], code[0], memoryview(code[1]).cast("I").tolist(), *code[2:])
    except (LookupError, RuntimeError, TypeError, ValueError):
        return None


def note(key: Key, compiled: Pattern[str]) -> None:
    """Keep a pattern that was compiled, once `save` is called."""
    _new[key] = compiled


def save() -> None:
    """Write what this process had to compile. Nothing happens where nobody can write."""
    folder = cache_folder()
    if folder is None or not _new or assembled is None:
        return
    found = {key: code for key, made in _new.items() if (code := _code(made.pattern, key[1], made)) is not None}
    _new.clear()
    path = os.path.join(folder, NAME)
    kept = _read() | found
    data = marshal.dumps(kept if len(kept) <= MOST else found)
    if found and len(data) <= LIMIT:
        try:
            folder_of(path)
            replace(path, data)
        except OSError:
            return


def _read() -> dict[Key, Code]:
    folder = cache_folder()
    data = read(os.path.join(folder, NAME), LIMIT) if folder is not None else b""
    try:
        found: dict[Key, Code] = marshal.loads(data) if data else {}
    except (EOFError, ValueError, TypeError):
        return {}
    return found if type(found) is dict else {}


def _code(text: str, flags: int, made: Pattern[str]) -> Code | None:
    """What the matcher of this Python takes for a pattern; None where that is not certain."""
    try:
        # Private, so what they make is compared with what is public.
        parser: Any = import_module("re._parser")
        compiler: Any = import_module("re._compiler")
        parsed = parser.parse(text, flags)
        code: list[int] = compiler._code(parsed, flags)
        groups: dict[str, int] = parsed.state.groupdict
        names: list[str | None] = [None] * parsed.state.groups
        for name, number in groups.items():
            names[number] = name
        found: Code = flags | parsed.state.flags, _words(code), parsed.state.groups - 1, dict(groups), tuple(names)
        assert assembled is not None
        again = assembled(text, found[0], code, *found[2:])
    except (AttributeError, ImportError, RuntimeError, TypeError, ValueError):
        return None
    return found if again == made else None


def _words(code: list[int]) -> bytes:
    return b"".join([int(word).to_bytes(4, sys.byteorder) for word in code])
