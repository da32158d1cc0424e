"""The lexical grammar is defined once, as in the manual (4.4, 4.5)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from openptx.syntax import lexical
from openptx.syntax.tokens import TOKEN

PACKAGE = Path(lexical.__file__).parents[1]


@pytest.mark.parametrize("text", ["a", "_a", "$x", "%r1", "_", "$1", "%p$", "a$b_9", "WARP_SZ"])
def test_identifiers(text: str) -> None:
    assert re.fullmatch(lexical.IDENTIFIER, text, re.A)
    assert lexical.words(f"[{text}+4], 0x1")[0] == text
    match = TOKEN.fullmatch(text)
    assert match is not None
    assert match.lastgroup == "word"
    assert bool(re.fullmatch(lexical.NEW_NAME, text, re.A)) == (text != "_")


@pytest.mark.parametrize("text", ["", "$", "%", "1a", "a.b", "a%", "a b", "\u00e4", "a\u00e4"])
def test_what_is_no_identifier(text: str) -> None:
    assert not re.fullmatch(lexical.IDENTIFIER, text, re.A)


@pytest.mark.parametrize(
    ("pattern", "largest", "too_large"),
    [("DECIMAL_32", 10**9 - 1, 10**9), ("DECIMAL_63", 10**18 - 1, 10**18), ("SMALL_INTEGER", 10**18 - 1, 10**18)],
)
def test_decimals_fit_their_width(pattern: str, largest: int, too_large: int) -> None:
    number = re.compile(getattr(lexical, pattern), re.A)
    assert number.fullmatch(str(largest))
    assert number.fullmatch("0")
    assert not number.fullmatch(str(too_large))
    assert not number.fullmatch("010")


def test_no_other_module_spells_identifiers_strings_or_comments() -> None:
    spelt = re.compile(r"""\[[^\]\n]*A-Za-z[^\]\n]*\$|\[\\w\$|\[\^"\\n\]\*|/\\\*\(\?>""")
    found = [
        f"{path.relative_to(PACKAGE)}:{number}: {line.strip()}"
        for part in ("syntax", "check")
        for path in sorted((PACKAGE / part).rglob("*.py"))
        if path.name != "lexical.py"
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if spelt.search(line)
    ]
    assert found == []
