"""Debug sections and source files: reading line by line equals the directive parser."""

from __future__ import annotations

import pytest

from openptx.check import check
from openptx.source import File
from openptx.syntax import parse, parser
from openptx.syntax.directives import Section, SourceFile
from openptx.syntax.sections import debug_data
from openptx.syntax.tree import Statement

HEAD = ".version 8.5\n.target sm_80, debug\n.address_size 64\n"
PLAIN = (
    "", ".b8 1", ".b8 255,0, 10", ".b16 65\n.b8 0", ".b32 4294967295", ".b64 18446744073709551616", "\t.b8 1\t",
    ".b32 .debug_abbrev", ".b64 $L__tmp1", "$L__x:\n.b8 1\n$L__y:", ".b32 $L__y-$L__x", ".b64 name+12",
    ".b8 1 // one\n.b8 2", ".b8 1\r\n.b8 2\r", "// nothing", ".b8 1 // }",
    ".b8 1 // }\n.b8 2", ".b8 0x10, 0XfF, 0x0", ".b16 65535, 65529, 59999, 10000, 0xFFFF", ".b32 0x123456789, 0x1",
    ".b64 0xFFFFFFFFFFFFFFFF",
)  # fmt: skip
OTHER = (
    ".b8 256", ".b8 08", ".b8 -1", ".b8 1,\n2", ".b8 1\n,2", ".b8 1 .b8 2", ".b8", ".b8 1;", ".b16 70000",
    ".b32 a b", ".b32 a\n:", ".b32 a - b", "x", ": x", ".b8: 1", "a: b:", ".b8 1 /* one\n */",
    "add.u32 a;", ".b32 WARP_SZ", ".b64 entry", ".b8 1 }", ".b24 1", '"x"', ".b8 \u0661",
    ".b8 0x100", ".b16 65536", ".b16 65540", ".b16 66000", ".b16 0x10000", ".b16 100000", ".b32 0x", ".b8 0xg",
    ".b32 999999999999999999999", ".b64 0x12345678901234567",
    "x:\nx:", ".quad 1", ".b32 1.5", "{", "\f",
)  # fmt: skip


SOURCES = (
    '1 "a.cu"', '0 "a b"\t', '999999999 ""', '1 "a.cu", 1, 2', '1 "a", 1700000000, 123456789012345678', "4 'a'",
    '1234567890 "a"', '01 "a"', '1 "a" // one', '1 "a",1,2', '1 "a", 1', '1 "a";', '1 "a\n"', '1"a"', '1U "a"',
    '1 "a" .b8', '2 "a"\n.file 2 "b"', '1 "é"', '-1 "a"', '1 "a", -1, 2',
)  # fmt: skip


def never(file: File, start: int, items: list[Statement]) -> int:
    """In place of the quick reader."""
    return 0


@pytest.mark.parametrize("end", ["\n", "", "\t"], ids=["a line of its own", "no line", "after a tab"])
@pytest.mark.parametrize("data", PLAIN + OTHER)
def test_both_readers_say_the_same(data: str, end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"{HEAD}.section\t.debug_info {{\n{data}{end}}}\n.section .debug_str\n{{\n.b8 1\n}}\n"

    def read() -> tuple[list[object], list[str]]:
        found = [item for item in parse(File("k.ptx", text)).items if isinstance(item, Section)]
        spans = [(item.span, item.name_span, item.section, item.body) for item in found]
        return [*spans], [str(each) for each in check(File("k.ptx", text))]

    quick = read()
    monkeypatch.setattr(parser, "debug_data", never)
    assert quick == read()


@pytest.mark.parametrize("data", PLAIN)
def test_what_compilers_write_is_plain(data: str) -> None:
    assert debug_data(File("k.ptx", f".section .debug_info {{\n{data}\n}}"), 0, [])


@pytest.mark.parametrize("line", SOURCES)
def test_both_readers_read_source_files(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"{HEAD}.file {line}\n.file 1{line}\n.global .b32 x;\n"

    def read() -> tuple[list[object], list[str]]:
        spans = [
            (
                item.span,
                item.name_span,
                item.path.span,
                item.path.value,
                [(v.value, v.text, v.span) for v in item.values],
            )
            for item in parse(File("k.ptx", text)).items
            if isinstance(item, SourceFile)
        ]
        return [*spans], [str(each) for each in check(File("k.ptx", text))]

    quick = read()
    monkeypatch.setattr(parser, "debug_data", never)
    assert quick == read()


def test_source_files_of_compilers_are_read_by_one_expression() -> None:
    lines = '.file\t1 "a.cu"\n.file 2 "b.cu", 1339013327, 64118\n'
    assert debug_data(File("k.ptx", lines), 0, []) == len(lines) - 1
