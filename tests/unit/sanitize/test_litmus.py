"""Litmus tests of chapter 8: data races by strength, scope, fences and placement of the threads.

What must come out is computed from the axioms: two conflicting accesses race unless they are morally strong (8.7) or
ordered by causality (8.9.5), which here is program order and release patterns that acquire patterns observe (8.9.4).
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import openptx

HEAD = ".version 8.8\n.target sm_90\n.address_size 64\n.global .align 8 .b64 d;\n.global .align 8 .b64 f;\n"
SCOPES = ("cta", "gpu", "sys")
FENCES = ("", "fence.acq_rel.cta;", "fence.acq_rel.gpu;", "fence.sc.gpu;")


def races(programs: list[str], same_block: bool) -> set[frozenset[str]]:
    """The pairs of marked statements that race. Each program is a thread's: of one block, or of a block each."""
    number = "%tid.x" if same_block else "%ctaid.x"
    body = ""
    for i, program in enumerate(programs):
        text = program.replace("$", f"$L{i}_")
        body += f"setp.ne.u32 p, i, {i * (32 if same_block else 1)};\n@p bra NEXT{i};\n{text}\nNEXT{i}:\n"
    kernel = (
        f".visible .entry k() {{ .reg .pred p; .reg .b32 i, k, r; .reg .b64 w;\nmov.u32 i, {number};\n{body}ret; }}\n"
    )
    text = HEAD + kernel
    grid, block = (1, 32 * len(programs)) if same_block else (len(programs), 1)
    found = openptx.sanitize(openptx.load(text)["k"], grid, block, tools="race", strict=True)
    lines = text.splitlines()
    rows = [
        (each.line, each.other.line if each.other is not None else each.line) for f in found for each in (f, *f.related)
    ]
    return {frozenset(lines[row - 1].rpartition("//")[2].strip() for row in both) for both in rows}


def waits_for(load: str) -> str:
    """Reads the flag until it is set, or gives up."""
    again = "add.u32 k, k, 1;\nsetp.eq.u32 p, r, 0;\nsetp.lt.and.u32 p, k, 300, p;\n@p bra $AGAIN;\n"
    return f"mov.u32 k, 0;\n$AGAIN: {load} // flag read\n{again}"


WRITES = {
    "weak": "st.global.u32 [f], 1;",
    "relaxed": "st.relaxed.{0}.global.u32 [f], 1;",
    "release": "st.release.{0}.global.u32 [f], 1;",
    "atom": "atom.relaxed.{0}.global.exch.b32 r, [f], 1;",
    "atom release": "atom.release.{0}.global.add.u32 r, [f], 1;",
    "red": "red.relaxed.{0}.global.or.b32 [f], 1;",
    "red release": "red.release.{0}.global.or.b32 [f], 1;",
}
READS = {
    "weak": "ld.global.u32 r, [f];",
    "relaxed": "ld.relaxed.{0}.global.u32 r, [f];",
    "acquire": "ld.acquire.{0}.global.u32 r, [f];",
    "atom": "atom.relaxed.{0}.global.or.b32 r, [f], 0;",
    "atom acquire": "atom.acquire.{0}.global.or.b32 r, [f], 0;",
}
ALL_WRITES = list(product(WRITES, SCOPES, FENCES))
ALL_READS = list(product(READS, SCOPES, FENCES))
GOOD_WRITES = [("release", "gpu", ""), ("relaxed", "sys", "fence.sc.gpu;"), ("red", "gpu", "fence.acq_rel.gpu;")]
GOOD_READS = [("acquire", "gpu", ""), ("relaxed", "sys", "fence.sc.gpu;"), ("atom", "gpu", "fence.acq_rel.gpu;")]
VARIANTS = [*product(ALL_WRITES, GOOD_READS), *product(GOOD_WRITES, ALL_READS)]


def reach(scope: str, same_block: bool) -> bool:
    return same_block or scope != "cta"


def patterns(kind: str, scope: str, fence: str, word: str) -> list[str]:
    """The scopes of the release (or acquire) patterns that an access and its fence make."""
    return ([scope] if word in kind else []) + ([fence.rpartition(".")[2][:-1]] if fence else [])


def expected(write: tuple[str, str, str], read: tuple[str, str, str], same_block: bool) -> tuple[bool, bool]:
    """Whether the flag races, and whether the data do."""
    strong = write[0] != "weak" and read[0] != "weak" and all(reach(a[1], same_block) for a in (write, read))
    pairs = product(patterns(*write, "release"), patterns(*read, "acquire"))
    ordered = any(reach(a, same_block) and reach(b, same_block) for a, b in pairs)
    return not strong, not (strong and ordered)


@pytest.mark.parametrize("same_block", [True, False], ids=["one-block", "two-blocks"])
@pytest.mark.parametrize(
    "chunk", [*range(0, 8, 2), *(pytest.param(c, marks=pytest.mark.sweep) for c in range(1, 8, 2))]
)
def test_message_passing(same_block: bool, chunk: int) -> None:
    for write, read in VARIANTS[chunk::8]:
        writer = f"st.global.u32 [d], 1; // data write\n{write[2]}\n{WRITES[write[0]].format(write[1])} // flag write\n"
        reader = waits_for(READS[read[0]].format(read[1])) + f"{read[2]}\nld.global.u32 r, [d]; // data read\n"
        found = races([writer, reader], same_block)
        flag, data = expected(write, read, same_block)
        assert (frozenset(("data write", "data read")) in found) == data, (write, read)
        assert (frozenset(("flag write", "flag read")) in found) == flag, (write, read)


@pytest.mark.parametrize("same_block", [True, False], ids=["one-block", "two-blocks"])
@pytest.mark.parametrize(("store", "load", "strong"), [
    ("st", "ld", False), ("st.relaxed.cta", "ld.relaxed.gpu", None), ("st.relaxed.gpu", "ld.relaxed.gpu", True),
    ("st.volatile", "ld.volatile", True), ("st.release.sys", "ld.acquire.gpu", True), ("st", "ld.relaxed.gpu", False),
])  # fmt: skip
def test_store_and_load_buffering_and_iriw(same_block: bool, store: str, load: str, strong: bool | None) -> None:
    """Nothing orders these: they race exactly where an access is weak or its scope is too small."""
    clean = strong if strong is not None else same_block

    def write(x: str) -> str:
        return f"{store}.global.u32 [{x}], 1; // {x} write\n"

    def read(x: str) -> str:
        return f"{load}.global.u32 r, [{x}]; // {x} read\n"

    tests = {
        "SB": [write("d") + read("f"), write("f") + read("d")],
        "LB": [read("d") + write("f"), read("f") + write("d")],
        "IRIW": [write("d"), write("f"), read("d") + read("f"), read("f") + read("d")],
    }
    for name, programs in tests.items():
        assert bool(races(programs, same_block)) == (not clean), name


RELEASES = "st.global.u32 [d], 1; // data write\nst.release.gpu.global.u32 [f], 1;\n"
ACQUIRES = waits_for("ld.acquire.gpu.global.u32 r, [f];") + "ld.global.u32 r, [d]; // data read\n"
SEES_TWO = ACQUIRES.replace("setp.eq.u32 p, r, 0", "setp.lt.u32 p, r, 2")


@pytest.mark.parametrize(("between", "race"), [
    ("atom.relaxed.gpu.global.add.u32 r, [f], 1;", False),  # a release sequence goes on through it (8.9.2)
    ("red.relaxed.gpu.global.add.u32 [f], 1;", False),
    ("st.relaxed.gpu.global.u32 [f], 2;", True),  # hides what was released
])  # fmt: skip
def test_a_third_thread_between_release_and_acquire(between: str, race: bool) -> None:
    third = waits_for("ld.relaxed.gpu.global.u32 r, [f];") + between
    found = races([RELEASES, third, SEES_TWO], False)
    assert (frozenset(("data write", "data read")) in found) == race


def test_reductions_form_no_acquire_pattern() -> None:
    """8.11.1: `red; fence` reads nothing."""
    reader = "mov.u32 k, 0;\n{0}\nfence.acq_rel.gpu;\nld.global.u32 r, [d]; // data read\n"
    for op, race in (
        ("red.relaxed.gpu.global.or.b32 [f], 0;", True),
        ("atom.relaxed.gpu.global.or.b32 r, [f], 0;", False),
    ):
        found = races([RELEASES, reader.format(op)], False)
        assert (frozenset(("data write", "data read")) in found) == race, op


def test_causality_is_transitive() -> None:
    """A releases to B by one location, B to C by another."""
    middle = ACQUIRES.replace("// data read", "") + "st.release.gpu.global.u32 [f+4], 1;\n"
    last = waits_for("ld.acquire.gpu.global.u32 r, [f+4];") + "ld.global.u32 r, [d]; // data read\n"
    assert races([RELEASES, middle, last], False) == set()
    assert races([RELEASES, middle.replace("release", "relaxed"), last], False) == {
        frozenset(("data write", "data read"))
    }


@pytest.mark.parametrize(("add", "read", "raced"), [
    ("red.relaxed.gpu", "ld.relaxed.gpu.global.u32 r, [f];", {"data"}),
    ("red.relaxed.gpu", "atom.relaxed.gpu.global.or.b32 r, [f], 0;", {"data"}),
    ("red.release.gpu", "ld.acquire.gpu.global.u32 r, [f];", set[str]()),
    ("red.relaxed.cta", "ld.relaxed.gpu.global.u32 r, [f];", {"data", "flag"}),
    ("red.relaxed.gpu", "ld.global.u32 r, [f];", {"data", "flag"}),
])  # fmt: skip
def test_an_observed_write_alone_precedes_what_follows(add: str, read: str, raced: set[str]) -> None:
    """8.9.5: the reader of a counter of arrivals may reset it by a plain store, and knows of nothing before them."""
    arrival = "st.global.u32 [d{0}], 1; // data\n" + add + ".global.add.u32 [f], 1; // flag\n"
    last = waits_for(read).replace("p, r, 0", "p, r, 2").replace(".eq.", ".ne.").replace("flag read", "")
    last += "ld.global.u32 r, [d]; // data\nst.global.u32 [f], 0; // flag\n"
    found = races([arrival.format(""), arrival.format("+4"), last], False)
    assert {name for names in found for name in names} - {""} == raced


def test_accesses_of_different_sizes_are_not_morally_strong() -> None:
    """8.7.2."""
    wide = "mov.b64 w, 1;\nst.relaxed.gpu.global.u64 [d], w; // wide\n"
    assert races([wide, "ld.relaxed.gpu.global.u32 r, [d]; // narrow\n"], False) == {frozenset(("wide", "narrow"))}
    assert races([wide, "ld.relaxed.gpu.global.u64 w, [d];\n"], False) == set()


def test_atomics_of_too_small_a_scope_race() -> None:
    """8.10.3, litmus test 2."""
    one, two = (f"atom.{scope}.global.inc.u32 r, [d], 100; // {scope}\n" for scope in ("cta", "gpu"))
    assert races([one, two], False) == {frozenset(("cta", "gpu"))}
    assert races([one, two], True) == set()


@pytest.mark.parametrize(
    ("fence", "race"), [("fence.sc.gpu;", False), ("membar.gl;", False), ("fence.acq_rel.gpu;", True)]
)
def test_a_fence_before_the_barrier_orders_only_if_sequentially_consistent(fence: str, race: bool) -> None:
    """The fence and the flag's write are of different threads: no release pattern, but a forced order of `fence.sc`."""
    text = (
        HEAD
        + f""".visible .entry k() {{ .reg .pred p; .reg .b32 i, k, r;
        mov.u32 i, %ctaid.x; setp.eq.u32 p, i, 1; @p bra READER;
        mov.u32 i, %tid.x; setp.ne.u32 p, i, 32; @p bra MEET;
        st.global.u32 [d], 1;
        {fence}
        MEET: bar.sync 0;
        setp.ne.u32 p, i, 0; @p bra DONE;
        st.relaxed.gpu.global.u32 [f], 1; bra DONE;
        READER: mov.u32 k, 0; AGAIN: ld.relaxed.gpu.global.u32 r, [f]; add.u32 k, k, 1;
        setp.eq.u32 p, r, 0; setp.lt.and.u32 p, k, 9000, p; @p bra AGAIN;
        {fence}
        ld.global.u32 r, [d];
        DONE: ret; }}"""
    )
    found = openptx.sanitize(openptx.load(text)["k"], 2, 64, tools="race")
    assert bool(found) == race
    assert np.array_equal([f.kind for f in found], ["race"] * len(found))
