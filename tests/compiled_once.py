"""LLVM compiles each text once in a process: many tests make the same code, most of them without the disk's cache."""

from __future__ import annotations

import re
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
_hurried: list[bool] = [False]
_unoptimised: dict[str, bytes] = {}
"""What takes the place of `shared_functions._objects`."""
_OPTIMISED = re.compile("^define .* #1", re.MULTILINE)
"""Functions that are wrong without optimisation (`support.attributes`): the runtime library's."""


def install() -> None:
    """Before other modules import `codegen.compile`."""
    compile = codegen.compile

    @wraps(compile)
    def once(
        text: str, promotes: bool = True, fast: bool = False, lasting: bool = False, guard: Guard | None = None
    ) -> bytes:
        hurried = _hurried[-1] and not lasting and not _OPTIMISED.search(text)
        fast = fast or hurried or codegen.compiled_fast(text)
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


@contextmanager
def compiled_hurriedly() -> Generator[None]:
    """In this scope, in which most kernels run once, they and the functions that they share are not optimised: LLVM
    takes half of the time. What is made is neither stored on disk nor left to other tests."""
    from openptx.engines.native import settings
    from openptx.engines.native.rtlib import shared_functions  # after `install`

    others = shared_functions._objects
    _hurried.append(True)
    shared_functions._objects = _unoptimised
    try:
        with settings.cache_at(None):
            yield
    finally:
        shared_functions._objects = others
        _hurried.pop()
