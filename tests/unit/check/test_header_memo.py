"""The memo of headers: an accepted header is not checked again for a function of another name; its uses are."""

from __future__ import annotations

import pytest

import openptx
from openptx.check import lower
from openptx.check.names.declarations import Declarations
from openptx.check.names.scopes import Scope
from openptx.source import File
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


@pytest.mark.parametrize("name", ["%", "$"])
def test_a_header_with_a_name_of_one_mark(name: str) -> None:
    header = ".func f%d (.reg .b32 %s)\n{\nret;\n}\n"
    found = openptx.check(HEAD + header % (0, "a") + header % (1, name))
    assert [each.message for each in found] == [f"`{name}` alone is not a name"]


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


LIMITED = ".entry f%d()\n%s\n{\nret;\n}\n"


def test_headers_of_other_limits_are_checked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[str] = []
    whole = Declarations.header

    def header(self: Declarations, function: tree.Function, scope: Scope) -> None:
        checked.append(function.name.text)
        whole(self, function, scope)

    monkeypatch.setattr(Declarations, "header", header)
    limits = [
        ".maxntid 256, 1, 1\n.minnctapersm 2",
        ".maxntid 32, 1, 1\n.minnctapersm 9",
        ".maxntid 2,1,1 .minnctapersm 1",
    ]
    module = lower(File("k.ptx", HEAD + "".join(LIMITED % each for each in enumerate(limits))))
    assert checked == ["f0", "f2"]
    assert [module.function(f"f{i}").directives["maxntid"] for i in range(3)] == [(256, 1, 1), (32, 1, 1), (2, 1, 1)]


@pytest.mark.parametrize(
    "limit",
    [
        ".maxntid 0", ".maxntid 7-7", ".maxntid 7 - 7", ".maxntid 4294967296", ".maxntid 99999999999", ".maxntid -7",
        ".maxntid 7, 0", ".maxntid 7, 7, 7, 7", ".maxntid 7.5", ".maxntid 7 .maxntid", ".maxntid 7 .reqntid 7",
    ],
)  # fmt: skip
def test_wrong_limits_after_right_ones(limit: str) -> None:
    right = LIMITED % (0, ".maxntid 7") + LIMITED % (1, ".maxntid 7, 7") + LIMITED % (2, ".maxntid 7 .maxnreg 9")
    alone = [found.message for found in openptx.check(HEAD + LIMITED % (9, limit))]
    assert alone
    assert [found.message for found in openptx.check(HEAD + right + LIMITED % (9, limit))] == alone


def test_a_block_of_one_thread_after_one_of_many() -> None:
    body = ".reg .b32 a; .reg .pred p;\nmov.u32 a, %tid.x;\nsetp.eq.u32 p, a, 1;\n@p bar.sync 0;"
    one, many = (LIMITED % (threads, f".maxntid {threads}") for threads in (1, 7))
    for text, number in ((one + many, 1), (many + one, 1)):
        assert len(openptx.check(HEAD + text.replace("ret;", f"{body}\nret;"))) == number


def test_parameters_in_braces_are_found_after_a_header_without_parameters() -> None:
    head = ".version 8.0\n.target sm_80\n.address_size 64\n"
    mistaken = f"{head}.entry k {{ .param .u64 a }} {{ .reg .u64 r; ld.param.u64 r, [a]; ret; }}\n"
    openptx.check(f"{head}.entry k {{ ret; }}\n")
    assert [found.message for found in openptx.check(mistaken)] == ["parameters are in parentheses"]
