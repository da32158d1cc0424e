"""Labels and names of sections in debug data with comments, in the style of compilers: a line each."""

from __future__ import annotations

import pytest

import openptx

# fmt: off
DATA = (
    ("L1: // L1: again",                     set[str]()),
    ("// L1:\nL1:\n.b32 L1 // L1:",          set[str]()),
    ("L1: // one\n.b8 1 // .b32 .local",     set[str]()),
    ("L1: // one\n.b8 1 // two\nL1:",        {"the label `L1` occurs twice"}),
    ("\tL1:\n.b8 1 // two\n  L1: // again",  {"the label `L1` occurs twice"}),
    (".b32 .debug_str // a section",         set[str]()),
    (".b8 1 // a byte\n.b32 .local",         {"`.local` can't name a section"}),
    (".b8 1 // a byte\n  .b64 .local+4",     {"`.local` can't name a section"}),
)
# fmt: on


@pytest.mark.parametrize("opened", ["{\n", "{ // data\n", "{", "{ "])
@pytest.mark.parametrize(("data", "messages"), DATA)
def test_names_in_commented_sections(opened: str, data: str, messages: set[str]) -> None:
    text = f".version 9.0\n.target sm_80, debug\n.address_size 64\n.section .debug_info {opened}{data}\n}}\n"
    found = openptx.check(text)
    assert {each.message for each in found if each.severity == "error"} == messages
    for each in found:
        assert text[slice(*each.span)] in each.message
