"""The memo of headers: an accepted header is not checked again for a function of another name; its uses are."""

from __future__ import annotations

import pytest

import openptx
from openptx.check.names.declarations import Declarations
from openptx.check.names.scopes import Scope
from openptx.syntax import tree

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
REGISTERS = ".func (.reg .u32 r) f%d (.reg .u32 a, .reg .f32 f%d_x)\n{\n%s\nret;\n}\n"
VARIABLES = ".func (.param .u32 r) f%d (.param .u32 a, .param .f32 f%d_x)\n{\n%s\nret;\n}\n"


def module(function: str, first: str, second: str) -> str:
    return HEAD + function % (0, 0, first) + function % (1, 1, second)


COMMENTED = ".func /* f */ f%d // it, %d\n (.param .u32 a)  /* %s */\n{\nret;\n}\n"
PRAGMA = '.entry f%d(.param .u32 f%d_a)\n.pragma "nounroll";\n.maxntid 32\n{\n%s\nret;\n}\n'


@pytest.mark.parametrize("function", [REGISTERS, VARIABLES, COMMENTED, PRAGMA])
def test_a_header_is_checked_once(function: str, monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[str] = []
    whole = Declarations.header

    def header(self: Declarations, function: tree.Function, scope: object) -> None:
        checked.append(function.name.text)
        whole(self, function, scope)  # type: ignore[arg-type]

    monkeypatch.setattr(Declarations, "header", header)
    assert openptx.check(module(function, "", "")) == []
    assert checked == ["f0"]


@pytest.mark.parametrize("names", ["b2 r2", "_ r2", "WARP_SZ r2", "%tid r2", "r2 r2", "a r2", "f3 r2", "%x %y", "b2 a"])
def test_headers_with_other_names_of_parameters(names: str) -> None:
    header = ".func (.param .u32 %s) f%d (.param .u32 %s, .param .f32 %s)\n{\nret;\n}\n"
    two = HEAD + header % ("r", 0, "a", "b") + header % ("r", 3, *names.split())
    alone = HEAD + header % ("r", 0, "a", "b") + (header % ("r", 3, *names.split())).replace("f3", "f3 ", 1)
    assert [found.message for found in openptx.check(two)] == [found.message for found in openptx.check(alone)]


def test_headers_with_other_names_are_checked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[str] = []
    whole = Declarations.header

    def header(self: Declarations, function: tree.Function, scope: Scope) -> None:
        checked.append(function.name.text)
        whole(self, function, scope)

    monkeypatch.setattr(Declarations, "header", header)
    kernels = [f".entry k{i}(.param .u64 p{i}, .param .u32 n{i})\n{{ret;}}\n" for i in range(9)]
    assert openptx.check(HEAD + "".join(kernels)) == []
    assert checked == ["k0"]


@pytest.mark.parametrize(
    ("body", "name", "marked"),
    [
        ("add.u32 r, a, f1_x;", "operand-type", "f1_x"),
        (".reg .u32 a;", "duplicate-name", "a"),
        ("add.u32 r, a, f0_x;", "unknown-name", "f0_x"),
        ("call (f1_x), f0, (a, f1_x);", "argument-type", "f1_x"),
    ],
)
def test_what_uses_a_remembered_register(body: str, name: str, marked: str) -> None:
    text = module(REGISTERS, "add.u32 r, a, 1;", body)
    (found,) = openptx.check(text)
    assert (found.name, text[slice(*found.span)]) == (name, marked)
    assert found.span[0] > text.index("f1 (")
    (alone,) = openptx.check(text.replace("f1 (", "f1 ( "))  # a header of its own
    assert (found.message, labels(found)) == (alone.message, labels(alone))


def labels(found: openptx.Diagnostic) -> list[tuple[int, str]]:
    """Row and text of each."""
    return [(found.file.location(label.span[0])[0], label.text) for label in found.labels]
