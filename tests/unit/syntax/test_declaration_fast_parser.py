"""Plain declarations: one regular expression reads the same as the declaration parser."""

from __future__ import annotations

from typing import cast

import pytest

from openptx.diagnostics import Diagnostic
from openptx.source import File
from openptx.syntax import body_parser, constants, declaration_fast_parser, declaration_parser, parse, parser
from openptx.syntax.declarations import InitialiserList, Variable
from openptx.syntax.operands import Float, Integer
from openptx.syntax.tokens import Cursor

HEADS = (
    ".global .align 4 .u32",
    ".visible .const .b8",
    ".reg .b32",
    ".param .b64",
    ".shared .align 16 .b8",
    ".local .f64",
)
NAMES = (
    "a", "%a", "_1", "a<3>", "a[2]", "a[]", "a[ ]", "a[][2]", "a = 3", "a=3", "a = -3", "a = - 3", "a = -0", "a = 03",
    "a = 8999999999999999999", "a = 9223372036854775807", "a = 9223372036854775808", "a = -9223372036854775808",
    "a = 18446744073709551615", "a = 3u", "a = 3.0", "a[2] = {1, 2}", "a[3] = { -1, 2 }", "a[2] = {1,2,}", "a<3> = 3",
    "a = x", "a=x", "a = x+4", "a = x + 4", "a = x+-4", "a = x-4", "a = x+4u", "a = x+4*2", "a = x+0x4", "a<3> = x",
    "a = generic(x)", "a = generic(x)+4", "a = generic( x )", "a = generic", "a = generic(WARP_SZ)", "a = WARP_SZ",
    "a = WARP_SZ+1", "a = WARP_SZ$", "a = x = 3", "a = _", "a = %r", "a = $x", "a = x.y", "a = 0xF(x)",
    "a = 0xF", "a = 0xFu", "a = -0xF", "a = 0X0F",
    "a = generic(x", "a = generic(x)+", "a = generic(generic)", "a = generic(x) + 4", "a[2] = x",
    "a[2] = {0x1, 0XFf}", "a[2] = {0x1u, 2}", "a[2] = {\n1,\t2\r\n}", "a[2] = {1 2}", "a[2] = {0x1.8, 2}",
    "a[2] = {x, 2}",
    "a[2] = {0x, 2}", "a[2] = {-0x1, 2}", "a[2] = {0xFFFFFFFFFFFFFFFF, 2}", "a[2] = {1, /* 2 */ 3}", "a[2] = {}",
    "a = 0f3F800000", "a = 0f3F80000", "a = 0d3FF0000000000000", "a = -0f3F800000", "a = -1.5", "a = 1.5e3", "a = 1e5",
    "a = 1.", "a = .5", "a = 1.5f", "a = 1.5E-300", "a = 1.5e-30", "a = 1.5+1", "a[2] = {0f3F800000, 1.5}",
    "a[2] = {-1.5,\n2.5e-3}", "a[2] = {1.5, 2}", "a[2] = {1, 2.5}", "a[2] = {1.5,}", "a[2] = {1.5e999, 1.5}",
    "a[2] = {-0f3F800000, 1.5}", "a[2] = {0xdf, 1}", "a[2] = {1.5 2.5}", "a[2] = {1.5, x}", "a[2] = {1.5e, 1.0}",
    "a = 3U", "a = 0xFFU", "a = -3U", "a = 03U", "a = 3UU", "a = 1.5U", "a = 9223372036854775807U", "a[2] = {1U, 0xFU}",
    "a[2] = {-1U, 2}", "a[2] = {1U, 01U}", "a[2] = {1UU}", "a[2] = {U, 1}", "a[2] = {1.5, 1U}",
    "_", "a, b", "a,b , c", "a,\n\tb", "a\n, b", "a, b,", "a, , b", "a, _", "_, b", "a, %tid", "a, a", "a b",
    "a[2], b[3], c", "a, b[], c<3>", "a, b<99999>", "a<2>, b", "a = 3, b", "a[2] = {1, 2}, b", "a = x, b",
    "a = x+4, b", "a, b = 3",
    "a, b[2][2]", "a, b[2] = {1, 2}", "a, WARP_SZ", "a, b[ 2 ]", "a, b /* c */, c", "a, .b",
)  # fmt: skip

PARAMETERS = (
    ".param .u64 a, .param .b32 b", ".param .u64 a,\n\t.reg .pred p , .param .f32 c,.param .b8 _",
    ".param .u64 a, .param .b8 b[4], .u32 c", ".param .u64 a, ", ".param .u64 a, , .param .u64 b",
    ".param .u64 _, .param .u64 b", ".param .u64 a.b, .param .u64 c", ".param .u64 a,\n .param .u64 b",
    ".param .u64 a, .param .u64 b /* c */, .param .u64 c", ".param .u64 a,\n .param .u64 b c, .param .u64 d",
)  # fmt: skip


def fields(node: object) -> object:
    """A tree as names and values, to compare it."""
    if isinstance(node, tuple):
        return [fields(element) for element in cast("tuple[object, ...]", node)]
    if node is None or isinstance(node, (str, int, float)):
        return node
    names = {name for kind in type(node).__mro__ for name in getattr(kind, "__slots__", ())} - {"file"}
    return type(node).__name__, [(name, fields(getattr(node, name))) for name in sorted(names)]


@pytest.mark.parametrize("head", HEADS)
def test_declarations(head: str) -> None:
    for name in NAMES:
        file = File("a.ptx", f"{head} {name};")
        found = declaration_fast_parser.simple(file, 0, len(file.text))
        if found is not None:
            problems: list[Diagnostic] = []
            expected = declaration_parser.declaration(Cursor(file, 0, len(file.text)), problems)
            assert fields(found) == fields(expected), file.text
            assert problems == [], file.text


@pytest.mark.parametrize("end", [")", "", "{"])
@pytest.mark.parametrize("text", PARAMETERS)
def test_parameters_of_scalar_types(text: str, end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def parsed() -> object:
        file, problems = File("a.ptx", f"({text}{end}"), list[Diagnostic]()
        c = Cursor(file, 0, len(file.text))
        found = declaration_parser.parameters(c, problems)
        return fields(found), c.start, c.last, [(each.message, each.span) for each in problems]

    def none(_: Cursor) -> list[Variable]:
        return []

    short = parsed()
    monkeypatch.setattr(declaration_parser, "_scalars", none)
    assert short == parsed()


def test_numbers_of_plain_lists_are_the_nodes_that_the_parser_reads() -> None:
    for values in (
        ["1", "-2", "0x1F", "0", "7U", "0x1FU"],
        ["1.5", "-1.5", "0.0", "-0.0", "12.", "1.25e-3", "3.5E+20", "0f3F800000", "0D3ff0000000000000", "0fdeadbeef"],
    ):
        text = f".global .f32 a[9] = {{{', '.join(values)}}};"
        found = declaration_fast_parser.simple(File("a.ptx", text), 0, len(text))
        assert found is not None
        given = found.names[0].initialiser
        assert isinstance(given, InitialiserList)
        assert given.plain
        for element in given.elements:
            cursor = Cursor(found.file, element.span[0], len(text))
            assert fields(element) == fields(constants.constant(cursor))
        assert [element.text for element in given.elements if isinstance(element, (Integer, Float))] == values


def test_the_commonest_are_plain() -> None:
    for text in (
        ".global .u32 a = 3;",
        ".global .u32 a = 0x3;",
        ".global .u64 a = x;",
        ".global .u64 a = generic(x)+4;",
        ".global .b32 a[2] = {0x1, 2};",
        ".global .f32 a = 0f3F800000;",
        ".global .f64 a[2] = {0d3FF0000000000000, -2.5};",
        ".const .align 4 .b8 a[2] = {1, 2};",
        ".global .u32 a, b[4], c;",
        ".global .u32 a = 3U;",
        ".global .u32 a[2] = {1U, 0x2U};",
        ".reg .b32 %r<9>;",
        ".shared .b8 a[4];",
    ):
        assert declaration_fast_parser.simple(File("a.ptx", text), 0, len(text)) is not None


@pytest.mark.parametrize(
    "values", ["1, 2", "1,2", " 1, 2 ", "1,  2", "1 , 2", "1, 2,3", "1,2, 3", "1, 2,", "01, 2", "1, 256"]
)
def test_strings_like_earlier_ones(values: str) -> None:
    text = f".global .b8 a[4] = {{3, 4}};\n.global .b8 b[4] = {{{values}}};\n.global .u8 c[2] = {{1, 2, 3}};\n"
    variables = [item for item in parse(File("a.ptx", text)).items if isinstance(item, Variable)]
    problems: list[Diagnostic] = []
    for variable in variables:
        cursor = Cursor(variable.file, variable.span[0], len(text))
        assert variable.names[0].initialiser is not None
        assert fields(variable.names) == fields(declaration_parser.declaration(cursor, problems).names)


@pytest.mark.parametrize(
    "text",
    [
        ".global /* it */ .b32 a; // one\n.global .b32 b /* ; */;\n.global .b32 // c\n c;\n.global .b32 d, /* e */ e;",
        ".global .b32 /* it */ a = 1U;\n.global .b32 /* it */ b = /* - */ 1;\n.global .b32 /* it */ c = - /* 1 */ 1;",
        ".global .b8 /* it */ a[2] = {1, /* 2, */ 2};\n.global .u64 b /**/ = /**/ a /**/ + /**/ 4;",
        '.global .b32 /* it */ a;\n.file 1 "/*"\n.global .b32 /* it */ b;\n.file 2 "*/"\n.global .b32 /* it */ c;',
        ".global .b32 /* it */ a;\n# 1 /*\n.global .b32 /* it */ b;\n# */\n.global .b32 /* it */ c;",
        ".global .b32 /* it */ a;\n@@DWARF /*\n.global .b32 /* it */ b;\n@@DWARF */\n.global .b32 /* it */ c;",
        '.global .b32 /* it */ a;\n" /*\n// */ .global .b32 /* it */ b;\n.global .b32 /* it */ c;',
        ".global .b32 /* it */ a;\n.global .b32 /* it */ b;\n/* .global .b32 c;",
        ".global .b32 a // b;\n;\n.global .b32/**/c;\n.global .b32 d/**/e;\n.global /* it */ .b32 f;",
    ],
)
def test_comments_in_declarations(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is read without its comments is what the declaration parser reads with them."""
    found = parse(File("a.ptx", text))
    again = parse(File("a.ptx", text))  # all forms are known
    monkeypatch.setattr(parser, "_without_comments", str)
    full = parse(File("a.ptx", text))
    assert len(full.items) > 1
    for each in (found, again):
        assert [item.span for item in each.items] == [item.span for item in full.items]
        assert [str(d) for d in each.problems] == [str(d) for d in full.problems]
        for one, other in zip(each.items, full.items, strict=True):
            if isinstance(one, Variable) and isinstance(other, Variable):
                assert (one.type, one.space_span, one.type_span) == (other.type, other.space_span, other.type_span)
                assert values(one) == values(other)


def values(variable: Variable) -> object:
    """Its names and values, without how a list of numbers was read."""
    found = [(fields((each.name, each.dimensions)), each.span, each.initialiser) for each in variable.names]
    return [
        (*rest, fields(value.elements) if isinstance(value, InitialiserList) else fields(value))
        for *rest, value in found
    ]


def test_declarations_with_comments_take_the_fast_path(monkeypatch: pytest.MonkeyPatch) -> None:
    def declaration(*_: object) -> Variable:
        raise AssertionError("parsed in full")

    monkeypatch.setattr(body_parser, "declaration", declaration)
    found = parse(File("a.ptx", ".global .b32 /* it */ a;\n.global .b32 // it\n b;\n")).items
    assert [item.words for item in found if isinstance(item, Variable)] == [("a",), ("b",)]
