"""A text is compiled once in a process, but where compiling is what is tested (tests/compiled_once.py)."""

from __future__ import annotations

import pytest

from compiled_once import compiled_again, compiled_hurriedly
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


@pytest.mark.parametrize(
    ("attributes", "lasting", "optimised"), [("", False, False), ("", True, True), (" #1 {", False, True)]
)
def test_kernels_that_are_compiled_hurriedly_are_not_optimised(
    attributes: str, lasting: bool, optimised: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But for routines that stay, and the runtime library, which would be wrong."""
    efforts: list[int] = []
    machine = codegen.machine
    monkeypatch.setattr(codegen, "machine", lambda effort: efforts.append(effort) or machine(effort))
    text = f"define i32 @hurried{lasting:d}(){attributes or ' {'} ret i32 1 }}"
    if attributes:
        text += "\nattributes #1 = { nounwind }"
    with compiled_hurriedly():
        codegen.compile(text, lasting=lasting)
    assert efforts[0] == (codegen.OPT_DEFAULT if optimised else codegen.OPT_NONE)
