"""Reads of registers that no path has written, on the fast path and in the full checker."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openptx.check import check
from openptx.check.fast.rows import FastPath
from openptx.check.function_checker import FunctionChecker
from openptx.source import File

HEAD = ".version 9.0\n.target sm_100a\n.address_size 64\n"
SET = "setp.eq.u32 p, 1, 2;"
BACK = f"{SET} bra S; R: add.u32 b, a, 1; exit;"
"""Begins with a read that stands before all writes."""
BLOCKS = "{\n bra L;\n L: exit; } {\n L: bra R; }"
TABLE = "T: .branchtargets R, W; mov.u32 b, 0; brx.idx b, T;"


REGISTERS = ".reg .pred p; .reg .b32 a, b, c; .reg .b64 q;"


def never(_: FastPath) -> bool:
    """Accepts nothing."""
    return False


def numbered(text: str) -> str:
    """The same with registers that are declared as compilers do, a range at a time, and a statement a line."""
    text = text.replace(REGISTERS, ".reg .pred %p<9>; .reg .b32 %a<9>, %b<9>, %c<9>; .reg .b64 %q<9>;")
    text = re.sub(r"\.reg \.b32 ([ac]);", r".reg .b32 %\1<9>;", text)
    return re.sub(r"(?<=[;:]) |(?<=\{) (?=\.)", "\n", re.sub(r"(?<![%\w.])([abcpq])(?!\w)", r"%\g<1>1", text))


def names(body: str, selected: frozenset[str] = frozenset(), *, lines: bool = False) -> list[str]:
    text = f"{REGISTERS}\n {body}\n ret;"
    text = f"{HEAD}.visible .entry k()\n{{\n{numbered(text) if lines else text}\n}}\n"
    found = check(File("k.ptx", text), selected=selected)
    assert {d.name for d in found} <= {"uninitialized-register"}
    return [text[d.span[0] : d.span[1]] for d in found]


# fmt: off
CASES: dict[str, tuple[str, list[str]]] = {
    "straight on":                      ("add.u32 a, b, 1; mov.u32 b, 1;", ["b"]),
    "itself":                           ("add.u32 a, a, 1;", ["a"]),
    "in an address":                    ("ld.global.u32 a, [q+8]; mov.u64 q, 1;", ["q"]),
    "in a list":                        ("mov.u32 a, 1; st.shared.v2.b32 [q], {b, a}; mov.u32 b, 1;", ["q", "b"]),
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
    "after a jump to what writes it":  ("bra W; R: add.u32 b, a, 1; bra E; W: mov.u32 a, 1; bra R; E:", []),
    "labels of one name in blocks":     ("{ bra L; L: } mov.u32 b, a; bra E; { L: mov.u32 a, 1; } E:", ["a"]),
    "a semicolon in a comment":         ("bra E; // mov.u32 a, 1;\n exit; E: mov.u32 b, a; mov.u32 a, 1;", ["a"]),
    "a branch in a comment":            ("bra E; E: mov.u32 b, a; bra R; L: mov.u32 a, 1; /* bra E; */ R:", ["a"]),
    "between branches and other words": (f"{SET} @p bra E; bra.uni L; E: add.u32 b, a, 1; L: mov.u32 a, 1;", ["a"]),
    "after what leaves":               (f"{BACK} W: mov.u32 a, 1; exit; Y: bra R; S: @p bra W; bra Y;", ["a"]),
    "after what may leave":            (f"{BACK} W: mov.u32 a, 1; @p exit; bra R; S: @p bra W; bra R;", []),
    "in the statement that writes it":  (f"{SET} mov.u32 b, 1; L: @p bra M; bra E; M: add.u32 a, b, a; E:", ["a"]),
    "itself, in a loop":                (f"{SET} mov.u32 b, 1; L: add.u32 a, b, a; @p bra L;", []),
    "after what leaves in its line":   (f"{BACK} W: mov.u32 a, 1;\texit; Y: bra R; S: @p bra W; bra Y;", ["a"]),
    "after a branch in a comment":     (f"{BACK} W: mov.u32 a, 1; /*\n bra R;\n*/\n exit; S: @p bra W; bra R;", ["a"]),
    "after a label in another block":  (f"{BACK} S: @p bra W; bra R; W: mov.u32 a, 1; {BLOCKS}", ["a"]),
    "through a table":                  (f"{TABLE} R: add.u32 b, a, 1; exit; W: mov.u32 a, 1;", ["a"]),
    "who is called":                    ("P: .callprototype _ (); call q, P;", ["q"]),
    "written under a guard":            (f"{SET} @p mov.u32 a, 1; add.u32 b, a, 1;", []),
}
# fmt: on


@pytest.mark.parametrize("lines", [False, True], ids=["in one line", "a statement a line"])
@pytest.mark.parametrize(("body", "expected"), CASES.values(), ids=CASES.keys())
def test_a_read_that_no_write_reaches(
    body: str, expected: list[str], lines: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if lines:
        expected = [f"%{name}1" for name in expected]
    assert names(body, lines=lines) == expected
    assert names(body, frozenset(("uninitialized-register",)), lines=lines) == expected
    monkeypatch.setattr(FastPath, "accepts", never)
    assert names(body, lines=lines) == expected


STATEMENTS = [
    "mov.u32 a, b;", "add.u32 a, a, 1;", "@p mov.u32 b, 1;", "mov.u32 b, 2;", "mov.u32 c, 1; mov.u32 b, c;",
    "mov.b64 {a, b}, q;", "mov.b64 q, {a, c};", "ld.shared.u32 a, [q+4];", "ld.shared.v2.u32 {c, a}, [q];",
    "@p exit;", "exit;", "shfl.sync.idx.b32 c|p, a, b, 31, -1;", "shfl.sync.idx.b32 a, c, 0, 31, -1;",
    "mov.u32\tc,a;", "setp.eq.u32 p, a, b;", "mov.u32 c,\n a;", "mov.u32 c, %a2;", "mov.u32 %a2, a;",
    "// mov.u32 a, 1;",
    *(f"{guard}bra{way} L{i};" for guard in ("", "@p ", "@!p ") for way in ("", ".uni") for i in range(4)),
]  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(STATEMENTS), max_size=12), st.lists(st.integers(0, 12), min_size=4, max_size=4))
def test_random_paths_are_found_on_both_ways(statements: list[str], places: list[int]) -> None:
    for i, place in enumerate(places):
        statements.insert(min(place, len(statements)), f"L{i}:")
    body = numbered("\n".join([REGISTERS, *statements, "ret;"]))
    file = File("k.ptx", f"{HEAD}.visible .entry k()\n{{\n{body}\n}}\n")
    quick = [(d.name, d.span) for d in check(file)]
    assert {name for name, _ in quick} <= {"uninitialized-register"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FastPath, "accepts", never)
        assert [(d.name, d.span) for d in check(file)] == quick


def test_a_function_that_is_called_without_arguments_is_no_register() -> None:
    assert check(File("k.ptx", f"{HEAD}.func f () {{ call f; ret; }}\n.func g () {{\ncall f;\nret;\n}}\n")) == []


def test_names_that_end_alike_are_other_registers() -> None:
    lines = ".reg .b32 r<3>, %r<3>;", SET, "L:", "add.u32 %r2, r1, 1;", "mov.b64 {%r1, r2}, 5;", "@p bra L;"
    assert names("\n".join(lines)) == ["r1"]


def test_every_path_is_followed_when_it_is_selected() -> None:
    body = f"{SET} @p bra L; mov.u32 a, 1; bra E; L: add.u32 b, a, 1; E:"
    assert names(body) == []
    assert names(body, frozenset(("uninitialized-register",))) == ["a"]


def test_a_half_that_is_packed_unwritten_is_no_read() -> None:
    """As nvcc emits it if that half is not used."""
    assert names("mov.b32 a, 1; mov.b64 q, {a, b}; mov.b64 {c, _}, q;") == []
    assert names("mov.b32 a, b;") == ["b"]


def test_a_byte_that_is_put_into_a_word_unwritten_is_no_read() -> None:
    """As LLVM writes vectors of three bytes."""
    for put in ("bfi.b32 c, b, a, 24, 8;", "prmt.b32 c, a, b, 0x3340;", "prmt.b32 c, b, a, 0x3340;"):
        assert names(f"mov.b32 a, 1; {put}") == names(f"mov.b32 a, 1; {put}", lines=True) == []
    assert names("mov.b32 a, 1; bfi.b32 c, a, b, 24, 8;") == ["b"]


def test_padding_that_is_stored_is_no_read() -> None:
    """As LLVM writes it for vectors of three."""
    stored = "mov.b64 q, 0; mov.b32 a, 1; st.shared.v2.b32 [q], {a, b};"
    assert names(stored) == names(stored, lines=True) == []
    assert names(stored.replace("{a, b}", "{b, a}")) == ["b"]
    assert names(stored.replace(".v2.b32 [q], {a, b}", ".b32 [q], b")) == ["b"]


def test_an_empty_argument_is_no_read() -> None:
    """As nvcc writes it in debug code, where a class without members is passed."""
    call = ".reg .b16 e; .param .align 1 .b8 x[1]; st.param.b8 [x], e;"
    assert names(call) == []
    assert names(call.replace("st.param.b8 [x], e", "st.global.b8 [q], e")) == ["q", "e"]


@pytest.mark.parametrize("fast", [True, False])
def test_another_function_may_write_a_register_of_the_module(fast: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not fast:
        monkeypatch.setattr(FastPath, "accepts", never)
    text = """.version 2.3
        .target sm_20
        .reg .u32 %g<4>, h;
        .func w () { mov.u32 %g1, 5; mov.u32 h, 1; ret; }
        .entry k () { .reg .u32 r, s, t; call w; add.u32 r, %g1, h; add.u32 t, s, 1; ret; }
        """
    (found,) = check(File("k.ptx", text))
    assert (found.name, text[slice(*found.span)]) == ("uninitialized-register", "s")


def test_many_registers_are_followed_without_the_full_checker(monkeypatch: pytest.MonkeyPatch) -> None:
    count = 1500
    body = "".join(f".reg .b32 v_{i}_w;\n" for i in range(count))
    body += "".join(f"add.u32 v_{i}_w, v_{(7 * i) % count}_w, 1;\n" for i in range(count))
    full = names(body, selected=frozenset(("uninitialized-register",)), lines=False)
    monkeypatch.setattr(FunctionChecker, "check", None)
    assert names(body, lines=False) == full
    assert len(full) > 500
