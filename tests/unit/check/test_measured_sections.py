"""Sections of debug data and line markers, with the verdicts of ptxas 13.5."""

from __future__ import annotations

import pytest

import openptx

HEAD = ".version 9.0\n.target sm_80\n.address_size 64\n"
KERNEL = ".visible .entry k() { ret; }\n"


def errors(text: str) -> list[str]:
    return [each.name for each in openptx.check(text) if each.severity == "error"]


# fmt: off
SECTIONS = (  # lines of a section of debug data
    (".b8 255, -128",                   None),
    (".b8 1\n, 0\n.b8 3",              None),
    (".b8 256",                         "initializer"),
    (".b8 1, 2, -129",                  "initializer"),
    (".b8 0777",                        "initializer"),
    (".b16 65536",                      "initializer"),
    (".b16 -32768\n.b32 4294967296",    None),
    (".b8 0b101, 0x1F, 7U, - 1",        None),
    (".b8 08",                          "invalid-directive"),
    (".b8 L",                           "invalid-directive"),
    (".b32 L+4\n.b64 L-M\n.b32 .debug_str", None),
    (".b32 L+-4",                       "invalid-directive"),
    (".b32 .b8",                        "invalid-directive"),
    (".b32 WARP_SZ",                    "invalid-directive"),
    (".b32 function_name",              "invalid-directive"),
    (".b32 .foo+4\n.b64 .debug_str + 0x10",  None),
    (".b32 $x-%x\n$x:\n%x:",             None),
    (".b32 .foo-x\nx:",                  "invalid-directive"),
    (".b64 x-.foo\nx:",                  "invalid-directive"),
    (".b32 .foo - .foo",                 "invalid-directive"),
    (".foo: .b8 1",                      "invalid-directive"),
    (".foo :\n",                         "invalid-directive"),
    ("L: .b8 1\nM:\n",                  None),
    ("L: .b8 1\nL: .b8 2",              "duplicate-label"),
    ("S: .b8 1",                        "duplicate-label"),  # of another section
)
NUMBERS = (  # of 8, of 32 and of 64 bits
    ("255",                     None,                   None,                   None),
    ("4294967296",              None,                   None,                   None),  # the low 32 bits count
    ("4294967295",              "initializer",          None,                   None),
    ("18446744073709551617",    None,                   None,                   None),
    ("99999999999999999999",    "initializer",          "initializer",          "initializer"),
    ("0x" + "0" * 40,           None,                   None,                   None),
    ("0" * 30,                  None,                   None,                   None),
    ("-1",                      None,                   None,                   None),
    ("-0",                      "initializer",          "initializer",          None),
    ("-1U",                     "initializer",          "initializer",          "initializer"),
    ("-2147483648",             "initializer",          None,                   None),
    ("-2147483649",             "initializer",          "initializer",          None),
    ("-9223372036854775807",    "initializer",          "initializer",          None),
    ("-9223372036854775808",    "initializer",          "initializer",          "initializer"),
)
COMMENTED = (  # with comments and line markers, which are blanks
    ('.b8 1\n#line 7 "a.cu"\n.b8 2\n',         None),
    ('# 7 "a}.cu"\n.b8 2\n',                   None),
    ('.b8 1,\n# 7 "a.cu"\n2\n',                None),
    ('.b8 1 # 7 "a.cu" 1 3\nq\n# 8 ""\n: .b8 1\n', None),
    ('.b32 q+\n# 7 "a.cu"\n4\nq:\n',           None),
    ('.b8 1\n# 7\n.b8 2\n',                    "invalid-directive"),
    ('.b8 1\n#pragma x\n.b8 2\n',              "invalid-directive"),
    ('.b8 1\n# 7 "a.cu"\n.b8 300\n',           "initializer"),
    ('.b8 1,\n# 7 "a.cu"\n300\n',              "initializer"),
    (".b8\n300\n",                             "initializer"),
    (".b8 1, /* 2 */ 300\n",                   "initializer"),
    (".b16 1, // 2\n70000\n",                  "initializer"),
    (".b8 -1 // .b8 300\n",                    None),
    ('.b8 -1\n# 7 "x .b8 300,"\n',             None),
    ("// see b: c\n.b8 1 // b: d\n",           None),
    ("/* b: */ b: .b8 1\n",                    None),
    ('# 7 "my b:c"\nb: .b8 1\n# 7 "x b: "\n',  None),
    ("// b:\nb: .b8 1 // b:\nb: .b8 1\n",      "duplicate-label"),
)
MARKERS = (  # lines; whether they are taken
    ('#line 7 "a.cu"', True), ('#line7 "a.cu"', True), ('# line 7 "a.cu"', True), ('#\tline\t7 "a.cu" 1', True),
    ('#7 "a.cu"', True), (' # 7 ""', True), ('# 7 "a.cu" 1 3 4', True), ('# 7 "a.cu" 1.5', False),
    ('# 7 "a.cu"1', False), ('# 7"a.cu"', False), ('# 7 "a.cu" }', False), ('#lines 7 "a.cu"', False),
    ('#LINE 7 "a.cu"', False), ('#line -7 "a.cu"', False), ("#line 7 a.cu", False), ('# 7 "a.cu" "b"', False),
    ('#line 7\n"a.cu"', False),
)
# fmt: on


@pytest.mark.parametrize(("lines", "wrong"), SECTIONS)
def test_sections(lines: str, wrong: str | None) -> None:
    text = f"{HEAD}{KERNEL}.section .debug_str {{\nS: .b8 1\n}}\n.section .debug_info {{\n{lines}\n}}\n"
    assert errors(text) == ([wrong] if wrong else [])


@pytest.mark.parametrize(("lines", "wrong"), COMMENTED)
def test_comments_and_markers_in_sections(lines: str, wrong: str | None) -> None:
    assert errors(f"{HEAD}{KERNEL}.section .debug_info {{\n{lines}}}\n") == ([wrong] if wrong else [])


@pytest.mark.parametrize(("line", "taken"), MARKERS)
def test_line_markers(line: str, taken: bool) -> None:
    section = f".section .debug_info {{\n{line}\n.b8 1 }}\n"
    for text in (f"{line}\n{KERNEL}", f".entry k() {{\n{line}\nret; }}\n", section):
        assert (not errors(HEAD + text)) is taken, text


@pytest.mark.parametrize(("number", "byte", "word", "double"), NUMBERS)
def test_numbers_in_sections(number: str, byte: str | None, word: str | None, double: str | None) -> None:
    for directives, name in ((".b8 .byte", byte), (".b32 .4byte", word), (".b64 .quad", double)):
        for directive in directives.split():
            data = f".section .debug_info\n{{\n{directive} 1, {number}\nL:\n{directive} {number}\n}}\n"
            assert errors(HEAD + KERNEL + data) == ([name] if name else []), directive


@pytest.mark.parametrize(
    ("names", "taken"),
    [
        (".debug_x .version .wide .tf32 .generic .b0", True),
        (".acquire .global .b8 .func .texref .section .v2 .m8n8k4 .unified .bf16 ._x .$x .%x", False),
    ],
)
def test_names_of_sections(names: str, taken: bool) -> None:
    for name in names.split():
        for data in (f".section {name}\n{{\n.b8 1\n}}\n", f".section .debug_x\n{{\n.b32 {name}\n}}\n"):
            assert errors(HEAD + KERNEL + data) == ([] if taken else ["invalid-directive"]), data


def test_places_of_inlined_code_are_read_since_4_0() -> None:
    kernel = ".entry k() { .loc 1 2 3, function_name L, inlined_at 1 2 3\nret; }\n"
    for version, found in (("3.2", []), ("4.0", ["needs-version"]), ("7.0", ["invalid-directive"])):
        names = errors(f".version {version}\n.target sm_30\n{kernel}")
        assert names[: len(found) or 1] == found, version


def test_a_place_that_no_code_has_is_one_error() -> None:
    line = ".loc 1 2 3, function_name L, inlined_at 1 2 4\n"
    kernel = f'.file 1 "a.cu"\n.entry k() {{\n{line}{line} ret; }}\n'
    assert errors(f"{HEAD}{kernel}.section .debug_str\n{{\nL:\n.b8 97, 0\n}}\n") == ["invalid-directive"]
