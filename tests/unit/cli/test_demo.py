"""`openptx demo`, the first command of a newcomer, shows what it announces."""

from __future__ import annotations

import openptx
from openptx import demo


def test_the_kernel_is_right():
    assert openptx.check(demo.kernel()) == []


def test_the_broken_kernel_has_one_error_at_the_wrong_register():
    (found,) = openptx.check(demo.broken())
    assert (found.code, found.operand, found.actual) == ("PTX0312", "b", ".b64")
    start, end = found.span
    assert found.file.text[start:end] == "%rd4"
