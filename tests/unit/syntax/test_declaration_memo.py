"""Declarations parsed on demand, like an earlier one, equal those that are parsed at once."""

from __future__ import annotations

from typing import cast

import pytest
from forgetful import Forgetful

from openptx.check import check
from openptx.check.repairs import second_check
from openptx.source import File
from openptx.syntax import declaration_memo, parse
from openptx.syntax.declarations import Variable
from openptx.syntax.tree import Function

NAMES = (
    "first",
    "W",
    "WARP",
    "maxntid",
    "a",
    "b8",
    "param",
    "entry",
    "func",
    "u64",
    "p_0",
    "x_param_0",
    "_Zn",
    "WARP_SZ",
    "a$1",
    "_",
    "é",
    "%r",
)
VARIABLES = (
    ".global .align 1 .b8 NAME[1];", ".global .u32 NAME;", ".visible .global .align 4 .u32 NAME = 5;",
    ".global .u8 NAME = 300;", ".const .align 8 .f64 NAME[4][2];", ".extern .shared .align 16 .b8 NAME[];",
    ".shared .b8 NAME[4];", ".global .u32 NAME = q;", ".global .align 4 .b8 NAME[4] = {1, 2, 3, 4};",
    ".global\t.b32\tNAME;", ".global .b32 NAME ;", ".global .align 3 .b32 NAME;", ".local .b8 NAME[4];",
    ".weak .global .u32 NAME;", ".common .global .u32 NAME;", ".extern .global .u32 NAME;",
    ".global .b32 NAME[2 = 1];", ".global .b32 NAME = 1 = 2;", ".reg .b32 NAME;", ".global .b32 NAME, other;",
    ".global .b32 NAME, bNAME, cNAME;", ".shared .b8 sNAME[4], NAME[300], NAME;", ".global .b128 NAME, aNAME[2];",
    ".global .b32 aNAME = 1, NAME, NAME;", ".const .f16 aNAME, NAME = 1, cNAME;", ".extern .shared .b8 b[], NAME[];",
    ".global .b32 NAME[0], bNAME[0];", ".global .align 3 .b32 aNAME, NAME;", ".global .b8 aNAME = 256, NAME = 1;",
    ".global .b32 /* ; */ NAME; // it", ".global // it\n .b32 NAME;", ".global .b32 NAME /**/ = /* - */ 5;",
    ".global .texref aNAME; .global .texref NAME, bNAME;", ".const .b8 aNAME; .const .b8 NAME, bNAME, NAME;",
    ".global .b32 aNAME; .global .b32 NAME, bNAME[2]; .global .b32 _, cNAME;",
    ".reg .b32 aNAME; .reg .b32 NAME, bNAME;",
    ".common .global .u32 aNAME; .common .global .u32 NAME,\n bNAME;",
    ".global .b128 aNAME; .global .b128 NAME , bNAME;",
    ".extern .const .b32 aNAME; .extern .const .b32 NAME, bNAME;",
    ".global .v4 .f32 aNAME; .global .v4 .f32 NAME, bNAME;",
    ".global .f31 aNAME; .global .f31 NAME, bNAME;",
    ".const .b64 aNAME; .const .align 32768 .b64 NAME, bNAME;",
    ".weak .global .u32 NAME, bNAME;", ".reg .b32 NAME, rNAME;",
    ".tex .u32 NAME, tNAME;", ".local .b8 NAME[4], lNAME;",
)  # fmt: skip
HEADERS = (
    ".visible .entry NAME(\n\t.param .u64 NAME_param_0,\n\t.param .u32 NAME_param_1\n)\n{ ret; }",
    ".entry NAME ( .param .u64 .ptr .global .align 4 p ) .maxntid 64, 1, 1 { ret; }",
    ".func  (.param .b32 func_retval0) NAME\n(\n\t.param .b32 NAME_param_0\n)\n{ ret; }",
    ".extern .func NAME (.param .b32 NAME_param_0);", ".func NAME;", ".func NAME() .noreturn;",
    ".func (.reg .b32 NAMEr) NAME() { ret; }",
    ".func (.reg .b32 %x) NAME (.reg .b32 NAME_0) { mov.b32 %x, NAME_0; ret; }",
    ".weak .func NAME\n\n.global .u32 behindNAME;",
    ".entry NAME(.param .u64 NAME_param_0, .param .u64 NAME_param_0) { ret; }",
    ".entry NAME { .reg .b32 NAME; ret; }", ".entry NAME(.param .u64 x) /* NAME */ { ret; }",
    ".entry NAME(.param .u64 x) { @p bra NAME; NAME: ret; }",
    ".func (.param .b32 xNAME) NAME(.param .b32 NAMEx) { ret; }", ".func NAME(.param .b32 NAME_SZ) { ret; }",
    ".func NAME(.param .u64 a, .param .b64 u64) // NAME: NAMEu64\n { ret; }",
    ".func NAME(.param .b32 NAMENAME) { ret; }",
    ".func (.param .b32 value) NAME (.param .b32 NAME_0, .param .b32 NAME_1, .param .b32 other);",
    '.entry NAME() .pragma "NAME"; { ret; }', ".entry NAME(.param .b32 W, .param .b32 NAMEARP_SZ) { ret; }",
    ".entry NAME() .maxntid 1 { } .entry NAMEb() .maxntid 1\n{ bra NAME; } }",
)  # fmt: skip


def fields(node: object) -> object:
    """A tree as names and values, without what tells how it was read."""
    if isinstance(node, (tuple, list)):
        return [fields(element) for element in cast("list[object]", node)]
    if node is None or isinstance(node, (str, int, float)):
        return node
    names = {name for kind in type(node).__mro__ for name in getattr(kind, "__slots__", ())}
    names -= {"file", "form", "formals", "words", "length", "symbols", "_parsed"}
    names |= {"attributes", "returns", "parameters", "directives"} if isinstance(node, Function) else set()
    return type(node).__name__, [(name, fields(getattr(node, name))) for name in sorted(names)]


def read(text: str, patch: pytest.MonkeyPatch, memo: type[dict[str, object]]) -> tuple[object, list[str]]:
    """The tree and the findings, with new memos of this type.

    Nothing is checked again with a fix, which would take nine tenths of the time.
    """
    with patch.context() as context:
        context.setattr(second_check, "ROOM", 0)
        for name in ("_FORMS", "_HEADERS", "_EXACT"):
            context.setattr(declaration_memo, name, memo())
        module = parse(File("a.ptx", text))
        return fields(module.items), [str(found) for found in check(File("a.ptx", text))]


ITEMS = (*VARIABLES, *HEADERS)


def compare_after_first(item: str, others: tuple[str, ...], patch: pytest.MonkeyPatch) -> None:
    items = "\n".join(item.replace("NAME", name) for name in ("first", *others))
    text = f".version 8.5\n.target sm_80\n.address_size 64\n{items}\n"
    assert read(text, patch, dict) == read(text, patch, Forgetful), text


def orders(name: str) -> tuple[tuple[str, ...], ...]:
    return (name,), ("third", name), (name, name), (name, "first")


@pytest.mark.parametrize("item", ITEMS)
def test_one_after_another(item: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every name, in one of the orders; the next item has it in the next order."""
    for number, name in enumerate(NAMES):
        compare_after_first(item, orders(name)[(ITEMS.index(item) + number) % 4], monkeypatch)


@pytest.mark.sweep
@pytest.mark.parametrize("item", ITEMS)
def test_one_after_another_in_every_order(item: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        for others in orders(name):
            compare_after_first(item, others, monkeypatch)


VALUES = (
    "0", "7", "-7", "99", "100", "255", "256", "-129", "9999", "65536", "999999999", "4294967295", "4294967296", "0x1",
    "0xff", "0x1ff", "0XFF", "0xffffffff", "0x1ffffffff", "010", "09", "1u", "1.5", "0f3F800000", "x", "x+4", "y",
    "generic(x)", "nothing", "function", "-0x1", "- 1", "999999999999999999", "0x123456789abcdef",
    "18446744073709551615", "held", "generic(function)", "function+8", "x+0x4", "x+-4", "x + 4", "generic(held)",
    "WARP_SZ",    "generic", "register", "0xFF(x)", "1U", "0xffU", "-1U", "256U", "4294967296U", "U", "xU", "01U",
)  # fmt: skip
LISTS = (
    "#",
    "1, #",
    "#, 1",
    "1,#",
    "1,\n\t#",
    " 1 , # ",
    "0x1, #",
    "0xffff, 0x1, #",
    "2.5, #",
    "#, 0f00000000",
    "#, 2, 3",
    "1, 2, 3, #",
    "1 #",
    "#,",
)


@pytest.mark.parametrize("type", ["u8", "b8", "s16", "u32", "u64", "b64", "f32", "f16", "v2 .u32", "pred"])
@pytest.mark.parametrize("version", ["8.5\n.target sm_80", "2.3\n.target sm_20"])
def test_values_of_one_form(type: str, version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Declarations that differ in their values: one that the type does not hold is found after those that it holds."""
    compare_values(type, version, monkeypatch, 7)


@pytest.mark.sweep
@pytest.mark.parametrize("type", ["u8", "b8", "s16", "u32", "u64", "b64", "f32", "f16", "v2 .u32", "pred"])
@pytest.mark.parametrize("version", ["8.5\n.target sm_80", "2.3\n.target sm_20"])
def test_values_in_every_list(type: str, version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compare_values(type, version, monkeypatch, 1)


def compare_values(type: str, version: str, monkeypatch: pytest.MonkeyPatch, step: int) -> None:
    """Each value alone and in every `step`th list, the next value beginning with the next list."""
    head = f".version {version}\n.address_size 64\n.global .u32 x;\n.func function() {{ ret; }}\n.shared .u32 held;\n"
    plain = [f".global .{type} v# = {value};" for value in VALUES]
    pairs = [(value, text) for i, value in enumerate(VALUES) for text in LISTS[i % step :: step]]
    listed = [f".global .{type} v#[3] = {{{text.replace('#', value)}}};" for value, text in pairs]
    items = [item.replace("#", str(number)) for number, item in enumerate([*plain, *plain, *listed, *listed])]
    assert read(head + "\n".join(items), monkeypatch, dict) == read(head + "\n".join(items), monkeypatch, Forgetful)


TABLES = (
    "0, f, g", "0, g, f", "0, ace, f", "0, f, none", "0, f, held", "0, f, WARP_SZ", "0, f, _", "0, f, 1",
    "0, f, g, f", "0, generic(f), g", "0, generic(g), f", "0, generic, g", "0, f+8, g", "0, g+8, f", "0, f+x, g",
    "0, f g", "0, f, %g", "0, f, g$1", "256, f, g", "256, g, f", "0xFF(f), 0xFF00(f), 0", "0xFF(g), 0xFF00(g), 0",
    "0xFF(0), 0xFF00(g), 0",
)  # fmt: skip


@pytest.mark.parametrize("type", ["u64", "b32", "u8", "f64"])
def test_tables_that_differ_only_in_names(type: str, monkeypatch: pytest.MonkeyPatch) -> None:
    known = set[tuple[str, str, str]]()
    monkeypatch.setattr(declaration_memo, "_TABLES", known)
    head = ".version 8.5\n.target sm_80\n.address_size 64\n.shared .u32 held;\n"
    head += "".join(f".func {name}() {{ ret; }}\n" for name in ("f", "g", "ace", "g$1", "%g", "generic"))
    first = f".global .{type} v[3] = {{0, f, g}};\n"
    for number, table in enumerate(2 * TABLES):
        for size in (3, 2, 4):
            text = f"{head}{first}.global .{type} w{number}[{size}] = {{{table}}};\n"
            assert read(text, monkeypatch, dict) == read(text, monkeypatch, Forgetful), text
    assert type != "u64" or len(known) > 4  # those of the first form


def test_kinds_exclude_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        ".version 8.5\n.target sm_80\n.address_size 64\n.global .u32 a;\n.global .u32 b;\n.func c() { ret; }\n"
        ".func b() { ret; }\n.global .u32 c;\n.func d() { ret; }\n.extern .global .u32 d;\n"
    )
    assert read(text, monkeypatch, dict) == read(text, monkeypatch, Forgetful)
    assert len(read(text, monkeypatch, dict)[1]) == 3


def test_nothing_passes_for_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not the sign that stands for one, and not a name that is left out."""
    kernel = ".entry NAME(.param .u64 NAME_param_0) { ret; }\n"
    text = ".version 8.5\n.target sm_80\n.address_size 64\n" + kernel.replace("NAME", "first")
    for more in (
        kernel.replace("NAME_p", "\0_p").replace("NAME", "second"),
        kernel.replace("NAME_param_0", "\0").replace("NAME", "second"),
        ".func second() { .shared .b8 a[4]; .shared .b8 [4]; ret; }\n",
    ):
        assert read(text + more, monkeypatch, dict) == read(text + more, monkeypatch, Forgetful)
        assert read(text + more, monkeypatch, dict)[1]


@pytest.mark.parametrize(
    "header",
    [
        ".func NAME();",
        ".func (.param .b32 out) NAME (.param .b32 in0);",
        ".visible .func  (.param .b32 retval0) NAME(\n\t.param .b64 NAME_param_0\n)\n",
        ".extern .func NAME\n(\n\t.param .b64 NAME_param_0\n)\n;",
        ".weak .func NAME(.reg .b32 a) // @NAME\n",
        ".entry NAME(.param .u64 NAME_param_0)\n.maxntid 128, 1, 1\n",
    ],
)
def test_headers_that_differ_in_the_name_alone_are_compared_at_once(
    header: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever their linkage is, and where comments stand."""
    for memo in ("_HEADERS", "_EXACT"):  # which the files of other tests may have filled
        monkeypatch.setattr(declaration_memo, memo, {})
    items = [header.replace("NAME", name) + ("" if ";" in header else "{ ret; }") for name in ("first", "second_one")]
    parse(File("a.ptx", ".version 8.5\n.target sm_80\n" + items[0]))
    found = declaration_memo.repeated_exactly(f"\n// a comment\n{items[1]}", 0)
    assert found is not None
    assert found.name.text == "second_one"
    assert f"\n// a comment\n{items[1]}"[found.end] in "{;"


def test_a_comment_in_a_list_after_a_known_header() -> None:
    """The list is read again without it, and the function before it is not."""
    text = ".version 8.5\n.func one();\n.func two();\n.global .b8 a[2] = {1 /* x */, 2};\n"
    assert [item.span for item in parse(File("a.ptx", text)).items[2:]] == [(26, 38), (39, 73)]


def test_they_are_read_late() -> None:
    text = ".global .align 1 .b8 one[1];\n.global .align 1 .b8 two[1];\n"
    text += ".func one_(.param .b32 one__param_0);\n.func two_(.param .b32 two__param_0);\n"
    _, variable, _, function = parse(File("a.ptx", ".version 8.5\n" + text)).items[1:]
    assert isinstance(variable, Variable)
    assert isinstance(function, Function)
    with pytest.raises(AttributeError):
        object.__getattribute__(variable, "type")
    assert variable.type == object.__getattribute__(variable, "type") == "b8"
    assert not hasattr(variable, "colour")
    assert function._parsed is None  # pyright: ignore[reportPrivateUsage]
    assert function.directives == ()
    assert function._parsed is not None  # pyright: ignore[reportPrivateUsage]
    assert variable.names[0].name.span == (variable.span[0] + 21, variable.span[0] + 24)


def test_a_full_memo_is_cleared(monkeypatch: pytest.MonkeyPatch) -> None:
    """A language server parses more forms than a memo has room for."""
    monkeypatch.setattr(declaration_memo, "_MOST", 4)
    for memo in ("_FORMS", "_HEADERS", "_EXACT"):
        monkeypatch.setattr(declaration_memo, memo, {})
    for number in range(1, 7):
        kernel = f".entry k{number}({', '.join(f'.param .u64 k{number}_{each}' for each in range(number))}) {{ ret; }}"
        parse(File("a.ptx", f".global .u32 v[{number}][2];\n.global .u32 w[{number}][2];\n{kernel}\n"))
    assert 0 < len(declaration_memo._FORMS) <= 4
    assert 0 < len(declaration_memo._HEADERS) <= 4
    assert any(key[1].startswith("[6][2]") for key in declaration_memo._FORMS)
