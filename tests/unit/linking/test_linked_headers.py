"""The header of a linked module: its target, and the headers that do not go together."""

from __future__ import annotations

import pytest

import openptx


@pytest.mark.parametrize(
    ("targets", "wanted"),
    [
        (("sm_80", "sm_90"), "sm_90"),
        (("sm_90a", "sm_80"), "sm_90a"),
        (("sm_100f", "sm_100"), "sm_100f"),
        (("sm_90, debug", "sm_80"), "sm_90"),
        (("sm_90, debug", "sm_80, debug"), "sm_90, debug"),
    ],
)
def test_a_target_with_the_features_of_all(targets: tuple[str, str], wanted: str) -> None:
    rest = "\n.address_size 64\n.section .debug_info\n{\n.b32 1\n}\n"
    text = openptx.link([f".version 8.8\n.target {target}{rest}" for target in targets])
    assert f"\n.target {wanted}\n" in text
    assert openptx.check(text) == []


@pytest.mark.parametrize(
    "heads",
    [
        (".target sm_90a\n.address_size 64", ".target sm_100\n.address_size 64"),
        (".target sm_90a\n.address_size 64", ".target sm_100a\n.address_size 64"),
        (".target sm_80\n.address_size 64", ".target sm_80\n.address_size 32"),
        (".target sm_80, texmode_independent\n.address_size 64", ".target sm_80\n.address_size 64"),
    ],
)
def test_headers_that_do_not_go_together(heads: tuple[str, str]) -> None:
    for order in (heads, heads[::-1]):
        with pytest.raises(openptx.CheckError) as caught:
            openptx.link([f".version 8.8\n{head}\n" for head in order])
        assert {found.name for found in caught.value.diagnostics} == {"incompatible-modules"}
