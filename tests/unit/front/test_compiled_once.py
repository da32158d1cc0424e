"""A text is compiled once in a process, but where compiling is what is tested (tests/compiled_once.py)."""

from __future__ import annotations

import pytest

from compiled_once import compiled_again
from openptx.llvm import codegen

TEXT = "define i32 @compiled_once() { ret i32 1 }"


def test_a_text_is_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    optimised = codegen.optimised
    monkeypatch.setattr(codegen, "optimised", lambda text, promotes: made.append(text) or optimised(text, promotes))
    first = codegen.compile(TEXT)
    assert codegen.compile(TEXT) is first
    assert made == [TEXT]
    codegen.compile(TEXT, fast=True)  # otherwise
    with compiled_again():
        codegen.compile(TEXT)
    assert made == [TEXT] * 3
