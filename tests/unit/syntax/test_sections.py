"""Sections of debug data: what is read line by line is what the directive parser reads."""

from __future__ import annotations

import pytest

from openptx.check import check
from openptx.source import File
from openptx.syntax import parse, parser
from openptx.syntax.directives import Section
from openptx.syntax.sections import plain_section

HEAD = ".version 8.5\n.target sm_80, debug\n.address_size 64\n"
PLAIN = (
    "", ".b8 1", ".b8 255,0, 10", ".b16 65\n.b8 0", ".b32 4294967295", ".b64 18446744073709551616", "\t.b8 1\t",
    ".b32 .debug_abbrev", ".b64 $L__tmp1", "$L__x:\n.b8 1\n$L__y:", ".b32 $L__y-$L__x", ".b64 name+12",
    ".b8 1 // one\n.b8 2", ".b8 1\r\n.b8 2\r", "// nothing",
)  # fmt: skip
OTHER = (
    ".b8 256", ".b8 08", ".b8 0x10", ".b8 -1", ".b8 1,\n2", ".b8 1\n,2", ".b8 1 .b8 2", ".b8", ".b8 1;", ".b16 70000",
    ".b32 a b", ".b32 a\n:", ".b32 a - b", "x", ": x", ".b8: 1", "a: b:", ".b8 1 /* one\n */", ".b8 1 // }",
    ".b8 1 // }\n.b8 2", "add.u32 a;", ".b32 WARP_SZ", ".b64 entry", ".b8 1 }", ".b24 1", '"x"', ".b8 \u0661",
    "x:\nx:", ".quad 1", ".b32 1.5", "{", "\f",
)  # fmt: skip


def never(file: File, start: int) -> None:
    """In place of the quick reader."""


@pytest.mark.parametrize("end", ["\n", "", "\t"], ids=["a line of its own", "no line", "after a tab"])
@pytest.mark.parametrize("data", PLAIN + OTHER)
def test_both_readers_say_the_same(data: str, end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"{HEAD}.section\t.debug_info {{\n{data}{end}}}\n.section .debug_str\n{{\n.b8 1\n}}\n"

    def read() -> tuple[list[object], list[str]]:
        found = [item for item in parse(File("k.ptx", text)).items if isinstance(item, Section)]
        spans = [(item.span, item.name_span, item.section, item.body) for item in found]
        return [*spans], [str(each) for each in check(File("k.ptx", text))]

    quick = read()
    monkeypatch.setattr(parser, "plain_section", never)
    assert quick == read()


@pytest.mark.parametrize("data", PLAIN)
def test_what_compilers_write_is_plain(data: str) -> None:
    assert plain_section(File("k.ptx", f".section .debug_info {{\n{data}\n}}"), 0) is not None
