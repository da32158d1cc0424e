"""Lists of initial values checked as text give the same verdicts as parsing value by value."""

from __future__ import annotations

import random
from itertools import product

import pytest
from forgetful import Forgetful
from initial_lists import HEAD, declaration, mutated

from openptx.check import check, lower
from openptx.source import File
from openptx.syntax import declaration_fast_parser, declaration_memo, initial_values
from openptx.syntax.plain_values import fits, plain_list


def found(text: str) -> list[str]:
    """The findings, or the initial contents of the variables of a correct file."""
    said = [f"{d} {d.span} {d.help}" for d in check(File("k.ptx", text))]
    if said:
        return said
    variables = lower(File("k.ptx", text)).variables.values()
    return [f"{variable.name} {variable.size} {variable.data} {variable.relocations}" for variable in variables]


def agree(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As text, and again where all forms are known, as value by value."""
    usual = found(text)
    assert usual == found(text), text
    with monkeypatch.context() as patch:
        patch.setattr(declaration_memo, "_FORMS", Forgetful())
        patch.setattr(initial_values, "plain_list", lambda *_: None)
        patch.setattr(declaration_fast_parser, "plain_list", lambda *_: None)
        assert usual == found(text), text


def test_random_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(23)
    for _ in range(30):
        items = [declaration(chance, f"v{i}") for i in range(4)]
        agree(HEAD + "\n".join(chance.choice((str, mutated(chance)))(item) for item in items) + "\n", monkeypatch)


@pytest.mark.sweep
def test_many_random_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random()
    for _ in range(20_000):
        items = [declaration(chance, f"v{i}") for i in range(4)]
        agree(HEAD + "\n".join(chance.choice((str, mutated(chance)))(item) for item in items) + "\n", monkeypatch)


@pytest.mark.parametrize("type", ["b8", "u8", "s8", "b64", "u64", "s64"])
@pytest.mark.parametrize(
    "values",
    [
        "-128", "-129", "255", "256", "0xff", "0xFF", "0x0f", "0x00f", "0xfF", "0x100", "-0x1", "0377", "255U", "-0",
        "18446744073709551615", "18446744073709551616", "-9223372036854775808", "0xFFFFFFFFFFFFFFFF", "1, 2, 3, 4",
    ],
)  # fmt: skip
def test_spellings_of_integers(values: str, type: str, monkeypatch: pytest.MonkeyPatch) -> None:
    agree(f"{HEAD}.global .{type} v[3] = {{0, 0x7f, {values}}};\n", monkeypatch)


@pytest.mark.parametrize(
    "text",
    [
        "{1, 2}", "{ 1,2 }", "{{1, 2}, {3}}", "{{{1}}, {{2, 3}}}", "{{{{0x1F}}}}", "{1.5, 0f3F800000}",
        "{y, generic(y)+4, 0}", "{{y}, {0}}", "{-9123372036854775807, 17999999999999999999, 0xFFFFFFFFFFFFFFFFU}",
        "{\n\t1 ,\r\n 2 }", "{1+2, 3 - 4}", "{0xFF(y)}", "{1, 0xFF00(generic(y)+4)}", "{18446744073709551615}",
    ],
)  # fmt: skip
def test_plain(text: str) -> None:
    assert plain_list(text, 0, len(text)) is not None


@pytest.mark.parametrize(
    "text",
    [
        "{}", "{1,}", "{,1}", "{1 2}", "{1, 2", "{{1}, 2}", "{1, {2}}", "{{{{{1}}}}}", "{{1},}", "{{1} {2}}",
        "{{}, {1}}", "{1.5, 1}", "{y, 1.5}", "{01}", "{0x1+2}", "{1++2}", "{y+0x4}", "{0xFFF(y)}", "{-1U}",
        "{-9223372036854775808}", "{a.b}", "{18446744073709551616}", "{WARP_SZ}", "{/**/1}", "{1u}", "{generic(y}",
        "{generic(generic(y))}",
    ],
)  # fmt: skip
def test_not_plain(text: str) -> None:
    assert plain_list(text, 0, len(text)) is None


def test_room() -> None:
    for rows, columns, long in product(range(1, 4), range(1, 4), range(1, 4)):
        row = "{" + ", ".join(["7"] * long) + "}"
        text = "{" + ", ".join([row] * rows) + "}"
        kind, _ = plain_list(text, 0, len(text)) or ("", 0)
        for most in range(1, 4):
            assert fits(kind, text, (most, columns), 8) == (rows <= most and long <= columns)
            assert fits(kind, text, (most, columns), 8, whole_rows=True) == (rows <= most and long == columns)
            assert fits(kind, "{" + text + "}", (1, most, columns), 8) == (rows <= most and long <= columns)
        assert not fits(kind, text, (9,), 8)
        assert not fits(kind, text, (9, 9, 9), 8)
