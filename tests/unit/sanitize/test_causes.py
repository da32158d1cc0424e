"""Findings with one cause are one finding, which lists the others; two defects are two."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import openptx
from openptx import Finding
from openptx.cli import main

HEAD = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out) {
    .reg .b64 o; .reg .b32 t, a, b, v, w; .reg .pred p;
    .shared .b32 s[66]; .shared .b32 u[66];
    ld.param.u64 o, [out]; mov.u32 t, %tid.x; mad.wide.u32 o, t, 4, o;
    shl.b32 a, t, 2; mov.u32 b, u; add.u32 b, b, a; mov.u32 v, s; add.u32 a, a, v; setp.eq.u32 p, t, 0;
"""
WRITE_S, READ_S = "st.shared.u32 [a], t;", "ld.shared.u32 v, [a+4];"
WRITE_U, READ_U = "st.shared.u32 [b], t;", "ld.shared.u32 w, [b+4];"
REST_S, REST_U, SYNC = "@p st.shared.u32 [s+256], t;", "@p st.shared.u32 [u+256], t;", "bar.sync 0;"
STORE = "st.global.u32 [o], v;"


def found(*lines: str) -> list[Finding]:
    """The findings in a kernel with these statements, from line 9 on."""
    text = HEAD + "\n".join(lines) + "\nret; }\n"
    return openptx.sanitize(openptx.load(text)["k"], 1, 64, (np.zeros(64, np.uint32),))


@pytest.mark.parametrize(
    ("lines", "between"),
    [
        ((WRITE_S, REST_S, READ_S, STORE), [(10, 11)]),  # a read races with two writes
        ((WRITE_S, REST_S, WRITE_U, REST_U, READ_S, READ_U, STORE), [(12, 13)]),  # one barrier orders both variables
        ((WRITE_S, REST_S, READ_S, WRITE_U, REST_U, READ_U, STORE), [(10, 11), (13, 14)]),
        ((WRITE_S, REST_S, READ_S, WRITE_S, STORE), [(10, 11), (11, 12)]),  # barriers before and after the read
        ((WRITE_S, REST_S, SYNC, READ_S, WRITE_S, STORE), [(12, 13)]),
    ],
)
def test_races_that_one_barrier_cures_are_one_finding(lines: tuple[str, ...], between: list[tuple[int, int]]) -> None:
    helps = [f.help for f in found(*lines)]
    assert helps == [f"a `bar.sync 0` between lines {low} and {high}" for low, high in between]


FIRST, SECOND = ".loc 1 3 1", ".loc 1 4 1"


@pytest.mark.parametrize(
    ("lines", "count"),
    [
        ((FIRST, WRITE_S, REST_S, SECOND, WRITE_U, REST_U, FIRST, READ_S, SECOND, READ_U, STORE), 1),
        ((FIRST, WRITE_S, REST_S, READ_S, SECOND, WRITE_U, REST_U, READ_U, STORE), 2),
    ],
)
def test_one_barrier_lacks_between_statements_that_a_compiler_moved(lines: tuple[str, ...], count: int) -> None:
    """As in Triton's kernels: one line of the source writes and reads an array, so lines do not tell the order."""
    text = HEAD + "\n".join(lines) + '\nret; }\n.file 1 "k.py"\n'
    assert len(openptx.sanitize(openptx.load(text)["k"], 1, 64, (np.zeros(64, np.uint32),))) == count


def test_a_missing_acquire_leaves_two_arrays_unordered() -> None:
    head = HEAD.replace("(.param .u64 out)", "(.param .u64 out, .param .u64 more)")
    text = f"""{head}
    .reg .b64 m; .reg .pred mine; ld.param.u64 m, [more]; mad.wide.u32 m, t, 4, m;
    mov.u32 w, %ctaid.x; setp.eq.u32 p, w, 0; mov.u32 v, 0;
    @p st.global.u32 [m], t;
TURN: setp.eq.u32 mine, v, w; @mine st.global.u32 [o], w; add.u32 v, v, 1; setp.lt.u32 mine, v, 2; @mine bra TURN;
    @!p ld.global.u32 v, [m];
    ret; }}"""
    arrays = np.zeros(64, np.uint32), np.zeros(64, np.uint32)
    (finding,) = openptx.sanitize(openptx.load(text)["k"], 2, 64, arrays, tools="race")
    messages = [each.message.split(",")[0] for each in (finding, *finding.related)]
    assert sorted(messages) == ["a read of array", "a write of array"]


def test_a_value_that_nobody_wrote_is_reported_once_with_all_its_uses() -> None:
    use = "setp.gt.u32 p, v, 5; @p bra NEXT; add.u32 v, v, 1;\nNEXT: add.u32 v, v, 2;"
    (finding,) = found("ld.shared.u32 v, [a];", use, STORE)
    assert (finding.name, finding.line, finding.other and finding.other.line) == ("undefined-value", 10, 9)
    assert [(each.name, each.line) for each in finding.related] == [("undefined-value", 12)]
    assert any(note.startswith("also: error[PTX8003]") for note in finding.facts)
    assert "never written: shared variable `s`, byte 0" in finding.facts


def test_an_access_outside_of_its_variable_is_not_a_race_too() -> None:
    (finding,) = found(
        "st.shared.u32 [b], t;", "st.shared.u32 [s+264], t;", "bar.sync 0;", "ld.shared.u32 v, [b];", STORE
    )
    assert finding.name == "variable-bounds"
    assert finding.kinds == {"mem", "race"}
    assert finding.lines == {9, 10}


def test_an_access_outside_of_every_allocation_is_not_a_race_too() -> None:
    finding = only(
        "ld.param.u64 o, [out]; and.b32 a, t, 31; mad.wide.u32 o, a, 4, o; mov.u32 v, 0;",
        "NEXT: st.global.u32 [o], t; add.u64 o, o, 128; add.u32 v, v, 1; setp.lt.u32 p, v, 4; @p bra NEXT;",
    )
    assert (finding.name, finding.kinds) == ("out-of-bounds", {"mem", "race"})


def test_a_value_of_an_absent_lane_explains_the_race_at_its_address() -> None:
    finding = only(
        "ld.param.u64 o, [out]; setp.lt.u32 p, t, 16;",
        "@p shfl.sync.idx.b32 v, t, 20, 31, 0xffff;",
        "@p mad.wide.u32 o, v, 4, o; @p st.global.u32 [o], t;",
    )
    assert (finding.name, finding.kinds) == ("inactive-lane", {"sync", "race"})


def only(*lines: str) -> Finding:
    (finding,) = found(*lines)
    return finding


def test_copies_that_one_wait_would_complete_are_one_finding() -> None:
    (finding,) = found("cp.async.ca.shared.global [a], [o], 4;", "cp.async.ca.shared.global [b], [o], 4;")
    assert (finding.name, len(finding.related)) == ("unfinished-copy", 1)


def test_related_findings_are_in_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "k.ptx"
    path.write_text(HEAD + "\n".join((WRITE_S, REST_S, READ_S, STORE)) + "\nret; }\n", "utf-8")
    launch = ["--grid", "1", "--block", "64", "--arg", "zeros:u32:64", "--output-format", "json"]
    assert main(["sanitize", str(path), *launch]) == 1
    (finding,) = json.loads(capsys.readouterr().out)
    (related,) = finding["related"]
    assert {finding["other"]["line"], related["other"]["line"]} == {9, 10}
    assert related["code"] == "PTX8001"


@pytest.mark.parametrize(("rounds", "findings"), [(2, 2), (3, 1), (8, 1)])
def test_copies_of_a_statement_are_one_finding_from_three_on(rounds: int, findings: int) -> None:
    races = found(WRITE_S, REST_S, SYNC, *[READ_S, "st.shared.u32 [a], v;", SYNC] * rounds, STORE)
    assert len(races) == findings
    assert races[0].help == "a `bar.sync 0` between lines 12 and 13"
    assert sum(1 + len(each.related) for each in races) == rounds
    noted = any(note.startswith(f"copies: the same instructions at {rounds - 1} ") for note in races[0].notes)
    assert noted == (findings == 1)


def test_copies_that_store_undefined_values_are_one_finding() -> None:
    copies = [f"ld.shared.u32 v, [a+{4 * i}]; add.u32 v, v, 1; st.global.u32 [o], v;" for i in range(4)]
    findings = [f for f in found(*copies) if f.kind == "init"]
    assert [(f.line, [each.line for each in f.related]) for f in findings] == [(9, [10, 11, 12])]


def test_one_barrier_of_the_block_orders_a_warp_in_one_variable_and_warps_in_another() -> None:
    (finding,) = found(
        "xor.b32 w, t, 1; shl.b32 w, w, 2; mov.u32 v, s; add.u32 w, w, v;", WRITE_S, WRITE_U, REST_U,
        "ld.shared.u32 v, [w];", READ_U, STORE,
    )  # fmt: skip
    assert finding.help == "a `bar.sync 0` between lines 12 and 13"


def test_a_barrier_after_the_exit_of_a_thread_explains_the_race_with_what_it_wrote() -> None:
    finding = only(WRITE_S, "setp.eq.u32 p, t, 1; @p ret;", SYNC, "ld.shared.u32 v, [s+4];", STORE)
    assert [each.name for each in (finding, *finding.related)] == ["data-race", "early-exit"]
    assert finding.help == "let all threads of the warp go on to the barrier, and guard the work instead"


def test_an_undefined_address_explains_its_fault() -> None:
    finding = only("ld.shared.u32 v, [a]; mad.wide.u32 o, v, 4096, o; st.global.u32 [o], t;")
    assert [each.kind for each in (finding, *finding.related)] == ["init", "mem"]


def test_a_race_that_makes_an_address_explains_its_fault() -> None:
    finding = only(
        "ld.shared.u32 v, [s];", "@p st.shared.u32 [s], t; mad.wide.u32 o, v, 4096, o; st.global.u32 [o], t;"
    )
    assert {finding.name, *(each.name for each in finding.related)} == {"data-race", "undefined-value", "out-of-bounds"}
    assert finding.name == "data-race"


def test_one_barrier_before_an_access_orders_it_with_what_precedes_the_loop_and_with_the_iteration_before() -> None:
    finding = only(
        WRITE_S, REST_S, "mov.u32 w, 0;", "NEXT: ld.shared.u32 v, [a+4];", SYNC, "st.shared.u32 [a], v;",
        "add.u32 w, w, 1; setp.lt.u32 p, w, 3; @p bra NEXT;", STORE,
    )  # fmt: skip
    assert finding.help == "a `bar.sync 0` directly before line 12, in the loop"


@pytest.mark.parametrize(
    ("offset", "help"), [(256, "let only those threads access it whose index"), (1 << 45, "no array is near")]
)
def test_an_access_outside_of_every_allocation_has_help(offset: int, help: str) -> None:
    finding = only(f"add.u64 o, o, {offset}; st.global.u32 [o], t;")
    assert (finding.help or "").startswith(help)


LATE_FLAG = (
    "@p bra SET; SEEN: {BARRIER}",
    "ld.shared.u32 v, [s]; setp.ne.u32 p, v, 0; @!p bra OUT; bra IN;",
    "SET: st.shared.u32 [s], 1; bra SEEN;",
)


@pytest.mark.parametrize(
    ("barrier", "names"), [("", ["data-race", "undefined-value", "data-race"]), (SYNC, ["data-race"])]
)
def test_what_an_undefined_flag_decides_is_no_cause_of_its_own(barrier: str, names: list[str]) -> None:
    """Threads that do not see the flag must not come there, as those of all blocks but the last."""
    flag = [line.replace("{BARRIER}", barrier) for line in LATE_FLAG]
    finding = only(*flag, "IN:", WRITE_U, READ_U, "OUT:")
    assert [each.name for each in (finding, *finding.related)] == names


def test_what_comes_after_an_undefined_branch_is_a_cause_of_its_own() -> None:
    flag = [line.replace("{BARRIER}", "") for line in LATE_FLAG]
    assert len(found(*flag, "IN: st.global.u32 [o], t;", "OUT:", WRITE_U, READ_U)) == 2


COUNTER = (
    "ld.param.u64 o, [out]; .reg .b64 q; .reg .b32 i;",
    "ld.global.u32 v, [o]; add.u32 w, v, 1; st.global.u32 [o], w;",
    "{GIVE}mad.wide.u32 q, {INDEX}, 4, o; st.global.u32 [q+4], t;",
)
GIVE = "@p st.shared.u32 [s], {VALUE}; bar.sync 0; ld.shared.u32 i, [s]; "


@pytest.mark.parametrize(
    ("give", "index", "findings"),
    [("", "v", 1), ("", "7", 2), (GIVE.format(VALUE="v"), "i", 1), (GIVE.format(VALUE="7"), "i", 2)],
)
def test_places_from_a_counter_that_races_are_no_cause_of_their_own(give: str, index: str, findings: int) -> None:
    """Nor are they if one thread counts and gives the place to the others."""
    assert len(found(*[line.replace("{GIVE}", give).replace("{INDEX}", index) for line in COUNTER])) == findings


@pytest.mark.parametrize(
    ("use", "findings"),
    [("ld.shared.u32 v, [a]; add.u32 v, v, 1;", 1), ("ld.shared.u32 v, [a];", 1), ("ld.shared.u32 v, [b];", 2)],
)
def test_what_a_store_with_a_wrong_index_leaves_unwritten_is_no_cause_of_its_own(use: str, findings: int) -> None:
    """Two threads each store to one word of `s`, so that every other word stays as it was; nothing writes `u`."""
    wrong = "and.b32 w, t, -2; shl.b32 w, w, 2; mov.u32 v, s; add.u32 w, w, v; st.shared.u32 [w], t;"
    races = found(wrong, SYNC, use, STORE)
    assert (len(races), races[0].name) == (findings, "data-race")


LOOP = (".reg .pred q; .reg .b32 n; mov.u32 n, 0;", "AGAIN:", WRITE_S, WRITE_U, REST_S, REST_U, SYNC, READ_S, READ_U)
NEXT = "add.u32 n, n, 1; setp.lt.u32 q, n, 3; @q bra AGAIN;"


def test_a_barrier_that_lacks_at_the_end_of_a_loop_is_asked_for_there() -> None:
    """Between the write of one iteration and the read of the same there is one."""
    assert found(*LOOP, SYNC, NEXT, STORE) == []
    assert only(*LOOP, NEXT, STORE).help == (
        "a `bar.sync 0` after line 17, before the next iteration of the loop reaches line 11"
    )


def test_the_end_of_an_unrolled_loop_and_what_comes_after_it_lack_one_barrier() -> None:
    """Line 3 of the source reads and line 5 writes; line 6, after the loop, reads as well."""
    read, write = ".loc 1 3 1\n" + READ_S + "\n.loc 1 4 1\n" + SYNC, ".loc 1 5 1\n" + WRITE_S
    lines = (WRITE_S, REST_S, SYNC, read, write, read, write, ".loc 1 6 1\n" + READ_S, STORE)
    text = HEAD + "\n".join(lines) + '\nret; }\n.file 1 "k.cu"\n'
    (finding,) = openptx.sanitize(openptx.load(text)["k"], 1, 64, (np.zeros(64, np.uint32),), tools="race")
    assert finding.help == "a `__syncthreads()` (`bar.sync 0`) between lines 5 and 6"
