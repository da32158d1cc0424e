"""The statement regex tiles every text, distinguishes the kinds, and is linear on hostile input."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest
from sample import SAMPLE  # type: ignore[import-not-found]

from openptx.source import File
from openptx.syntax import parse
from openptx.syntax import statement_lexer as kinds
from openptx.syntax.instruction_parser import read_operands
from openptx.syntax.operands import Operand
from openptx.syntax.statement_lexer import PLAIN, STATEMENT

CASES = Path(__file__).parents[2] / "data" / "cases"


def tiles(text: str) -> bool:
    return "".join(match[0] for match in STATEMENT.finditer(text)) == text


@pytest.mark.parametrize(("text", "kind", "fields"), [
    ("@!%p1 add.s32 %r1, %r2, %r3;",          kinds.INSTRUCTION, {2: "@!%p1", 3: "add.s32", 4: "%r1, %r2, %r3"}),
    ("ret;",                                   kinds.INSTRUCTION, {2: None, 3: "ret", 4: ""}),
    ("mov.b64 {%r1, %r2}, %rd1;",              kinds.INSTRUCTION, {3: "mov.b64", 4: "{%r1, %r2}, %rd1"}),
    ("cp.async.bulk.shared::cta.global [a], 1;", kinds.INSTRUCTION, {3: "cp.async.bulk.shared::cta.global"}),
    ("$L__BB0_2:",                             kinds.LABEL,       {5: "$L__BB0_2"}),
    ("ret : ",                                 kinds.LABEL,       {5: "ret"}),
    ("{",                                      kinds.BRACE,       {6: "{"}),
    (".reg .v4 .f32 a, b<4>;",                 kinds.REGISTERS,   {7: ".v4 .f32", 8: "a, b<4>"}),
    (".loc\t1 27 3",                           kinds.LINE,        {9: ".loc\t1 27 3"}),
    (".param .align 8 .b8 retval0[16];",       kinds.DECLARATION, {10: ".param .align 8 .b8 retval0[16];"}),
    (".global .u8 a[2][1] = {{1}, /*;*/ {2}};", kinds.DECLARATION, {}),
    (".visible .entry k(.param .u64 a)\n",     kinds.HEADER,      {}),
    (".extern .func f;",                       kinds.HEADER,      {11: ".extern .func f;"}),
    (".version 8.5",                           kinds.DIRECTIVE,   {12: ".version 8.5"}),
    ('.pragma "a;b";',                         kinds.DIRECTIVE,   {}),
    (".b8 1, 2\n.b32 .debug_info\n",           kinds.DATA,        {}),
    ('#line 1 "a.cu"\n',                       kinds.END,         {}),
    ("mov.u32 %r1, /* c */ %r2;",              kinds.OTHER,         {}),
    ("mov.u32 %r1, 1 ? 2 : 3;",                kinds.OTHER,         {}),
    ("/* only */ // a comment",                kinds.END,         {}),
])  # fmt: skip
def test_kinds(text: str, kind: int, fields: dict[int, str | None]) -> None:
    match = STATEMENT.match(text)
    assert match
    assert match.lastindex == kind
    assert match[0].strip() == text.strip()
    assert {group: match[group] for group in fields} == fields


def test_the_sample_is_tiled() -> None:
    assert tiles(SAMPLE)


def test_random_text_is_tiled() -> None:
    chance = random.Random(4)
    words = [*"{}()[];:,.@!|+-/*\"'#\\\n\t \0=", "//", "/*", "*/", "ret", ".reg", ".b32", "%r1", ".entry", "é", "0x"]
    for _ in range(2000):
        text = "".join(chance.choices(words, k=chance.randrange(40)))
        assert tiles(text), text
        assert str(parse(File("random.ptx", text))) == text


def test_kernels_of_the_compiler_are_tiled_and_never_odd() -> None:
    paths = sorted({path.read_bytes(): path for path in CASES.glob("*/kernel.ptx")}.values())
    assert len(paths) == 16  # 52 cases, of which many share a file
    for path in paths:
        text = path.read_text()
        assert tiles(text), path
        assert not [match[0] for match in STATEMENT.finditer(text) if match.lastindex == kinds.OTHER], path


@pytest.mark.parametrize("text", [
    "%r1, %r2", "[%rd1+16], {%f1, %f2}", "%r1, -5, 0f3F800000", "v.x, %tid.y", "LABEL", "", "[a+-8]", "_, %r1",
])  # fmt: skip
def test_plain_operands_are_right_for_certain(text: str) -> None:
    operands: tuple[tuple[Operand, ...], object] = read_operands(File("x", text), (0, len(text)), "mov")
    assert operands[1] is None
    assert PLAIN.fullmatch(text)


@pytest.mark.parametrize("text", [
    "08", "42u", "%r1 %r2", "[%rd1+16", "{%r1", "%r1,", ",", "0f3F8", "[%rd1-8]", "1.0f", "a.b", "{}", "[]", "%", "1 2",
    "{{a}}", "[[a]]", "a b", "v.xy", "0x", "-%r1", "9" * 30,
])  # fmt: skip
def test_other_operands_are_not_plain(text: str) -> None:
    """Some of them are right: `PLAIN` may refuse what is right, and never takes what is wrong."""
    assert not PLAIN.fullmatch(text)


HOSTILE = [
    "a ", "/*", "/* */", "//", "//\n", '"', '""', "{", "}", "{}", "{a}", "{a;}", "{{", "a{", "a {b} ", "mov {a}, ",
    ",{", ";", "a;", "a b;", ":", "a:", "@", "@p ", "@!p a ", ".", ".reg ", ".reg .b32 a, ", ".entry ", ".func f(",
    ".entry k(){", ".global .b8 a[] = {", "={", "= {1,", ".b8 1,", ".b8 1\n", "(", "((1", "-", "!", "[", "[a+", "1?",
    "a.b", "a .b ", "/", "\0", "\\", "#", "@@DWARF\n", ".section .a {", "\n", " ", "%", "$", "a,\n",
    "L: .branchtargets L, ", "ret\n", "{ /* */ ", "{{}}", "{}}", "{\"a\"}", "{/*}",
]  # fmt: skip


@pytest.mark.parametrize("size", [2_500, pytest.param(5_000, marks=pytest.mark.sweep)])
@pytest.mark.parametrize("piece", HOSTILE)
@pytest.mark.parametrize("prefix", ["", ".version 8.0\n.target sm_80\n.entry k() {\n"])
def test_hostile_input_takes_linear_time(prefix: str, piece: str, size: int) -> None:
    """Four times the text takes about four times as long, not sixteen. Measured relative to itself, with much room."""

    def seconds(size: int) -> float:
        text = prefix + piece * (size // len(piece))
        start = time.process_time()
        module = parse(File("hostile.ptx", text))
        assert module.diagnostics is not None
        assert tiles(text)
        return time.process_time() - start

    small, large = seconds(size), seconds(4 * size)
    for _ in range(5):
        if large <= 9 * small + 0.05:
            break
        # Noise, of other processes perhaps? Then the least of a few measurements says no.
        small, large = min(seconds(size), small), min(seconds(4 * size), large)
    assert large <= 9 * small + 0.05, (small, large)
