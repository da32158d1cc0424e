"""Reads of registers that no path has written, on both ways through a function."""

from __future__ import annotations

import pytest

from openptx.check import check
from openptx.check.plain.walk import Plain
from openptx.source import File

HEAD = ".version 9.0\n.target sm_100a\n.address_size 64\n"
SET = "setp.eq.u32 p, 1, 2;"


def names(body: str, selected: frozenset[str] = frozenset()) -> list[str]:
    registers = ".reg .pred p; .reg .b32 a, b, c; .reg .b64 q;"
    text = f"{HEAD}.visible .entry k()\n{{ {registers} {body} ret; }}\n"
    found = check(File("k.ptx", text), selected=selected)
    assert {d.name for d in found} <= {"uninitialized-register"}
    return [text[d.span[0] : d.span[1]] for d in found]


# fmt: off
CASES = {
    "straight on":                      ("add.u32 a, b, 1; mov.u32 b, 1;", ["b"]),
    "itself":                           ("add.u32 a, a, 1;", ["a"]),
    "in an address":                    ("ld.global.u32 a, [q+8]; mov.u64 q, 1;", ["q"]),
    "in a list":                        ("mov.u32 a, 1; st.shared.v2.b32 [q], {a, b}; mov.u32 b, 1;", ["q", "b"]),
    "padding that is shuffled":         ("mov.u32 b, 1; shfl.sync.idx.b32 c, a, b, 31, -1;", []),
    "the lane of a shuffle":            ("mov.u32 a, 1; shfl.sync.idx.b32 c|p, a, b, 31, -1;", ["b"]),
    "a guard":                          (f"@p mov.u32 a, 1; {SET}", ["p"]),
    "written in a list":                ("mov.b64 q, 1; mov.b64 {a, b}, q; add.u32 c, a, b;", []),
    "before a loop that writes it":     (f"mov.u32 a, 0; {SET} add.u32 c, b, 1; L: mov.u32 b, a; @p bra L;", ["b"]),
    "in a loop, written further on":    (f"mov.u32 a, 0; {SET} L: @p add.u32 c, b, 1; mov.u32 b, a; @p bra L;", []),
    "in a block that hides another":    ("{ .reg .b32 a; mov.u32 a, 1; mov.u32 b, a; } add.u32 c, b, b;", []),
    "in a hiding block alone":          ("{ .reg .b32 a; mov.u32 a, 1; } add.u32 c, a, 1;", ["a"]),
    "a list in a hiding block":         ("{ .reg .b32 c; mov.b64 q, 1; mov.b64 {a, b}, q; } mov.b64 q, {a, b};", []),
    "where a branch skips the write":   (f"{SET} @p bra L; mov.u32 a, 1; L: add.u32 b, a, 1;", []),
    "behind a jump to what writes it":  ("bra W; R: add.u32 b, a, 1; bra E; W: mov.u32 a, 1; bra R; E:", []),
    "labels of one name in blocks":     ("{ bra L; L: } mov.u32 b, a; bra E; { L: mov.u32 a, 1; } E:", ["a"]),
    "a semicolon in a comment":         ("bra E; // mov.u32 a, 1;\n exit; E: mov.u32 b, a; mov.u32 a, 1;", ["a"]),
    "a branch in a comment":            ("bra E; E: mov.u32 b, a; bra R; L: mov.u32 a, 1; /* bra E; */ R:", ["a"]),
    "between branches and other words": (f"{SET} @p bra E; bra.uni L; E: add.u32 b, a, 1; L: mov.u32 a, 1;", ["a"]),
    "written under a guard":            (f"{SET} @p mov.u32 a, 1; add.u32 b, a, 1;", []),
}
# fmt: on


@pytest.mark.parametrize(("body", "expected"), CASES.values(), ids=CASES.keys())
def test_a_read_that_no_write_reaches(body: str, expected: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert names(body) == expected
    assert names(body, frozenset(("uninitialized-register",))) == expected
    monkeypatch.setattr(Plain, "accepts", lambda self: False)
    assert names(body) == expected


def test_every_path_is_followed_when_it_is_selected() -> None:
    body = f"{SET} @p bra L; mov.u32 a, 1; bra E; L: add.u32 b, a, 1; E:"
    assert names(body) == []
    assert names(body, frozenset(("uninitialized-register",))) == ["a"]


def test_a_half_that_is_packed_unwritten_is_no_read() -> None:
    """As nvcc writes it where nobody uses that half."""
    assert names("mov.b32 a, 1; mov.b64 q, {a, b}; mov.b64 {c, _}, q;") == []
    assert names("mov.b32 a, b;") == ["b"]


def test_an_empty_argument_is_no_read() -> None:
    """As nvcc writes it in debug code, where a class without members is passed."""
    call = ".reg .b16 e; .param .align 1 .b8 x[1]; st.param.b8 [x], e;"
    assert names(call) == []
    assert names(call.replace("st.param.b8 [x], e", "st.global.b8 [q], e")) == ["q", "e"]
