"""LLVM compiles each text once in a process: many tests make the same code, most of them without the disk's cache."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from functools import wraps

from openptx.digests import text_digest
from openptx.llvm import codegen
from openptx.llvm.recovery import Guard

ROOM = 64 << 20
"""Bytes of objects that are kept."""

_objects: dict[tuple[str, bool, bool, bool], bytes] = {}
_always: list[bool] = [False]


def install() -> None:
    """Before other modules import `codegen.compile`."""
    compile = codegen.compile

    @wraps(compile)
    def once(
        text: str, promotes: bool = True, fast: bool = False, lasting: bool = False, guard: Guard | None = None
    ) -> bytes:
        fast = fast or codegen.compiled_fast(text)
        key = text_digest(text), promotes, fast, lasting
        if _always[-1] or key not in _objects:
            if sum(map(len, _objects.values())) > ROOM:
                _objects.clear()
            _objects[key] = compile(text, promotes, fast, lasting, guard)
        return _objects[key]

    codegen.compile = once


@contextmanager
def compiled_again() -> Generator[None]:
    """In this scope, in which compiling is what is tested, LLVM compiles every text."""
    _always.append(True)
    try:
        yield
    finally:
        _always.pop()
