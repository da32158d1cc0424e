"""`openptx sanitize`, `openptx.sanitize` and `kernel(..., sanitize=)`: results and bad input."""

from __future__ import annotations

import json
from array import array
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import openptx
from openptx.cli import main
from openptx.diagnostics.codes import every_code
from openptx.runtime.parameters import Packed
from openptx.sanitize.checks.lost_memory import at_the_end
from openptx.sanitize.findings import CODES
from openptx.testing.discovery import run_test

HERE = Path(__file__).parent
RACY = """.version 8.0
.target sm_80
.address_size 64
.visible .entry racy(.param .u64 a, .param .u32 n) {
    .reg .b64 p, q; .reg .b32 i, v; .reg .pred c;
    ld.param.u64 p, [a];
    mov.u32 i, %tid.x;
    mul.wide.u32 q, i, 4;
    add.s64 q, p, q;
    ld.global.u32 v, [q+4];
    st.global.u32 [q], v;
    ret;
}
"""


@pytest.fixture
def racy(tmp_path: Path) -> str:
    path = tmp_path / "racy.ptx"
    path.write_text(RACY, "utf-8")
    return str(path)


def command(racy: str, *more: str) -> int:
    return main(["sanitize", racy, "--grid", "1", "--block", "64", "--arg", "zeros:u32:65", "7", *more])


def test_findings_have_all_fields_in_json(racy: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(racy, "--output-format", "json") == 1
    (found,) = json.loads(capsys.readouterr().out)
    assert (found["kind"], found["code"], found["name"], found["kernel"]) == ("race", "PTX8001", "data-race", "racy")
    assert (found["block"], found["line"], found["other"]["line"], found["count"]) == ([0, 0, 0], 11, 10, 1)
    assert found["source"].endswith("racy.ptx:11:5")
    assert abs(found["thread"][0] - found["other"]["thread"][0]) == 1
    assert found["message"].startswith("a write of")
    assert any("q = 0x" in note for note in found["notes"])


def test_a_case_folder_has_its_own_launch(capsys: pytest.CaptureFixture[str]) -> None:
    case = str(Path(__file__).parents[2] / "data" / "cases" / "block_reduce_sm80")
    assert main(["sanitize", case]) == 0
    assert main(["sanitize", case, "--grid", "2"]) == 2
    assert "which has its own launch" in capsys.readouterr().err
    assert main(["sanitize"]) == 2
    assert "name a PTX file, a case folder or a recording" in capsys.readouterr().err


@pytest.mark.parametrize("form", ["full", "concise", "sarif", "github"])
def test_every_format_names_the_code(racy: str, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(racy, "--output-format", form) == 1
    assert "PTX8001" in capsys.readouterr().out


def test_the_full_text_says_why_and_what_would_help(racy: str, capsys: pytest.CaptureFixture[str]) -> None:
    command(racy)
    text = capsys.readouterr().out
    for part in ("this write", "and this read", "why: ", "bar.sync 0", "between lines 10 and 11", "block (0, 0, 0)"):
        assert part in text


def test_nothing_found_is_nothing_said(racy: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(racy, "--tool", "sync,mem") == 0
    assert capsys.readouterr().out == ""


def test_a_fault_is_one_finding(racy: str, capsys: pytest.CaptureFixture[str]) -> None:
    status = main(
        ["sanitize", racy, "--grid", "1", "--block", "64", "--arg", "zeros:u32:64", "7", "--output-format", "json"]
    )
    found = json.loads(capsys.readouterr().out)
    assert status == 1
    assert [(f["kind"], f["name"], f["thread"]) for f in found] == [("mem", "out-of-bounds", [63, 0, 0])]


def test_bad_input_is_refused(racy: str, capsys: pytest.CaptureFixture[str]) -> None:
    for more in (
        ["--tool", "rice"], ["--schedules", "0"], ["--output", "1"], ["--kernel", "none"], ["--timeout", "-1"],
        ["--timeout", "nan"], ["--max-instructions", "0"], ["--schedules", "2", "--seed", "-1"],
    ):  # fmt: skip
        assert command(racy, *more) == 2
    assert "no tool `rice`" in capsys.readouterr().err


def test_a_launch_raises_what_is_found() -> None:
    kernel, a = openptx.load(RACY)["racy"], np.arange(65, dtype=np.uint32)
    with pytest.raises(openptx.SanitizerError, match="PTX8001") as caught:
        kernel(1, 64, (a, 0), sanitize="all")
    assert [f.kind for f in caught.value.findings] == ["race"]
    kernel(1, 64, (a, 0), sanitize=["init", "mem"])
    assert a[0] == 2, "arrays are written as by a launch"


def test_each_schedule_starts_from_the_arrays_as_they_were() -> None:
    a = np.arange(65, dtype=np.uint32)
    openptx.sanitize(openptx.load(RACY)["racy"], 1, 64, (a, 0), schedules=5, seed=3)
    assert a.max() == 64
    assert (np.diff(a.astype(np.int64)) >= 0).all()


def test_each_schedule_starts_with_what_was_undefined() -> None:
    kernel = openptx.load(""".version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 a) {
    .reg .b64 p; .reg .b32 v; .reg .pred c;
    ld.param.u64 p, [a];
    ld.global.u32 v, [p];
    setp.eq.u32 c, v, 0;
    @c bra DONE;
    DONE: st.global.u32 [p], 1;
    ret;
}
""")["k"]
    (found,) = openptx.sanitize(kernel, 1, 1, (openptx.empty(1, np.uint32),), schedules=3)
    assert (found.name, found.count) == ("undefined-value", 3)


TICKETS = """.version 8.0
.target sm_80
.address_size 64
.global .u32 next;
.visible .entry tickets(.param .u64 o) {
    .reg .b64 p, q; .reg .b32 i, v, b;
    ld.param.u64 p, [o];
    mov.u32 i, %tid.x;
    mov.u32 b, %ctaid.x;
    mad.lo.u32 i, b, 64, i;
    mul.wide.u32 q, i, 4;
    add.s64 q, p, q;
    bar.warp.sync -1;
    atom.global.add.u32 v, [next], 1;
    st.global.u32 [q], v;
    ret;
}
"""


def test_schedules_run_lanes_warps_and_blocks_in_other_orders() -> None:
    orders, descents = set[tuple[int, ...]](), 0
    for seed in range(3):
        o = np.zeros(256, np.uint32)
        assert openptx.sanitize(openptx.load(TICKETS)["tickets"], 4, 64, (o,), schedules=2, seed=seed) == []
        assert sorted(o.tolist()) == list(range(256)), "each run begins with the same counter"
        orders.add(tuple(o.tolist()))
        descents += int((np.diff(o.astype(np.int64)) < 0).sum())
    assert len(orders) == 3
    assert descents >= 10, "not in the order of lanes, nor of blocks"


@pytest.mark.parametrize("buffer", [np.zeros(65, np.uint32), array("I", [0] * 65)], ids=["numpy", "array"])
def test_each_run_of_a_schedule_begins_with_the_same_contents(buffer: Any) -> None:
    text = RACY.replace("[q+4]", "[q]").replace("st.global.u32", "add.u32 v, v, 1;\nst.global.u32")
    kernel = openptx.load(text)["racy"]
    assert openptx.sanitize(kernel, 1, 64, (buffer, 0), schedules=4) == []
    assert list(buffer) == [1] * 64 + [0]


def test_what_a_launch_writes_is_defined_for_the_next() -> None:
    text = RACY.replace("ld.global.u32 v, [q+4];", "mov.u32 v, i;").replace("racy", "fill")
    reads = RACY.replace("racy", "reads").replace(
        "st.global.u32 [q], v;", "setp.eq.u32 c, v, 1;\n@c st.global.u32 [p], 3;"
    )
    a = openptx.empty(65, np.uint32)
    before = openptx.sanitize(openptx.load(reads)["reads"], 1, 64, (a, 0), tools="init")
    assert [f.name for f in before] == ["undefined-value"]
    assert openptx.sanitize(openptx.load(text)["fill"], 1, 64, (a, 0), tools="init", outputs=[0]) != [], (
        "a[64] is not set"
    )
    assert openptx.sanitize(openptx.load(reads)["reads"], 1, 63, (a, 0), tools="init") == []


def test_packed_parameters_name_the_arrays_that_may_be_undefined() -> None:
    """Triton's and numba's launches pass bytes."""
    kernel = openptx.load(RACY)["racy"]
    for x, wanted in ((openptx.empty(65, np.uint32), {"unwritten-copy"}), (np.zeros(65, np.uint32), set[str]())):
        data = openptx.memory.address(x).to_bytes(8, "little") + bytes(4)
        found = openptx.sanitize(kernel, 1, 64, (Packed(data, arrays=[x]),), tools="init")
        assert {f.name for f in found} == wanted


def test_cases_can_be_watched(tmp_path: Path) -> None:
    (tmp_path / "kernel.ptx").write_text(RACY, "utf-8")
    np.save(tmp_path / "in.npy", np.zeros(65, np.uint32))
    params = [{"kind": "buffer", "file": "in.npy", "dtype": "u32"}, {"kind": "scalar", "dtype": "u32", "value": 1}]
    case = {"kernel": "racy", "grid": [1], "block": [64], "params": params}
    (tmp_path / "case.json").write_text(json.dumps(case), "utf-8")
    assert run_test(str(tmp_path)).status == "passed"
    result = run_test(str(tmp_path), "auto", "race")
    assert result.status == "failed"
    assert "PTX8001" in result.message


def test_an_interrupt_reports_what_was_found_so_far(racy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from openptx.sanitize.entry import watch
    from openptx.sanitize.options import Options
    from openptx.sanitize.session import Session

    def stop(self: Session, *_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Session, "ends", stop)
    report = watch(openptx.load(racy)["racy"], 1, 64, [np.zeros(65, np.uint32), 7], Options())
    assert report.interrupted
    assert [f.name for f in report.findings] == ["data-race"]
    assert "interrupted" in report.limits[0]


def test_warps_whose_lanes_come_to_a_shuffle_in_parts(racy: str) -> None:
    """Some warps are complete at an instruction where lanes of others are still missing."""
    text = TICKETS.replace(
        "bar.warp.sync -1;",
        """.reg .pred c; .reg .b32 m;
        or.b32 m, i, -1;
        setp.lt.u32 c, i, 37;
        mov.u32 v, i;
        @c bra LATE;
        add.u32 v, v, 1;
        LATE: shfl.sync.bfly.b32 v, v, 1, 31, m;
        add.u32 i, i, v;""",
    )
    for seed in range(4):
        kernel = openptx.load(text)["tickets"]
        assert openptx.sanitize(kernel, 1, 64, (np.zeros(64, np.uint32),), schedules=3, seed=seed) == []


TAKE = """.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b64 r) malloc(.param .b64 n);
.visible .entry take(.param .u64 out) {
    .reg .b64 o, p;
    ld.param.u64 o, [out];
    { .param .b64 n; .param .b64 r; st.param.b64 [n], 64; call (r), malloc, (n); ld.param.b64 p, [r]; }
    st.global.u64 [o], p; st.global.u32 [p], 7; ret;
}
"""
RELEASE = """.version 8.0
.target sm_80
.address_size 64
.extern .func free(.param .b64 p);
.visible .entry release(.param .u64 block, .param .u32 after) {
    .reg .b64 p; .reg .b32 v; .reg .pred c;
    ld.param.u64 p, [block]; ld.param.u32 v, [after]; setp.ne.u32 c, v, 0;
    { .param .b64 a; st.param.b64 [a], p; call free, (a); }
    @c ld.global.u32 v, [p];
    @c st.global.u32 [p+8], v;
    ret;
}
"""


def test_memory_is_lost_when_nothing_points_at_it() -> None:
    """What an array points at, or memory that it points at, a later launch may free."""
    out, here = np.zeros(2, np.uint64), "st.global.u64 [o], p; "
    assert openptx.sanitize(openptx.load(TAKE)["take"], 1, 1, (out,)) == []
    out[1] = out[0]
    inner = openptx.load(TAKE.replace(here, "ld.global.u64 o, [o+8]; " + here).replace("[p], 7", "[p+4], 7"))["take"]
    assert openptx.sanitize(inner, 1, 1, (out,)) == []  # its pointer is in the first block
    assert ["when the program ends" in unfreed.message for unfreed in at_the_end()] == [True, True]
    (found,) = openptx.sanitize(openptx.load(TAKE.replace(here, ""))["take"], 1, 1, (np.zeros(1, np.uint64),))
    assert found.name == "device-memory-leak"
    assert "nothing points at it" in found.message
    assert at_the_end() == []


def test_pointers_in_freed_memory_keep_nothing() -> None:
    """As of a list of which one node is not freed."""
    frees = "{ .param .b64 n; .param .b64 r; st.param.b64 [n], 16; call (r), malloc, (n); ld.param.b64 o, [r]; }"
    frees += "st.global.u64 [o], p; { .param .b64 a; st.param.b64 [a], o; call free, (a); }"
    head = ".extern .func (.param .b64 r) malloc"
    text = TAKE.replace(head, ".extern .func free(.param .b64 p);\n" + head)
    kernel = openptx.load(text.replace("st.global.u64 [o], p;", frees))["take"]
    assert [f.name for f in openptx.sanitize(kernel, 1, 1, (np.zeros(1, np.uint64),))] == ["device-memory-leak"]


def test_words_stored_before_do_not_point_at_memory() -> None:
    """Addresses of freed blocks stay in arrays, and a later launch is given the same memory."""
    out, here = np.zeros(2, np.uint64), "st.global.u64 [o], p; "
    assert openptx.sanitize(openptx.load(TAKE)["take"], 1, 1, (out,)) == []
    assert openptx.sanitize(openptx.load(RELEASE)["release"], 1, 1, (int(out[0]), 0)) == []
    out[1] = out[0]
    loses = openptx.load(TAKE.replace(here, "st.global.u64 [o], 0; "))["take"]
    assert [f.name for f in openptx.sanitize(loses, 1, 1, (out,))] == ["device-memory-leak"]


def test_memory_that_a_later_launch_frees_is_not_lost() -> None:
    out = np.zeros(1, np.uint64)
    assert openptx.sanitize(openptx.load(TAKE)["take"], 1, 1, (out,)) == []
    assert openptx.sanitize(openptx.load(RELEASE)["release"], 1, 1, (int(out[0]), 0)) == []
    assert at_the_end() == []


def test_blocks_of_earlier_launches_are_watched() -> None:
    """Freed in each schedule anew; used after that, the place of the `free` is named."""
    out, release = np.zeros(1, np.uint64), openptx.load(RELEASE)["release"]
    openptx.load(TAKE)["take"](1, 1, (out,))
    assert openptx.sanitize(release, 1, 1, (int(out[0]), 0), schedules=3) == []
    with pytest.raises(openptx.Fault, match="freed"):
        release(1, 1, (int(out[0]), 0))
    openptx.load(TAKE)["take"](1, 1, (out,))
    (found,) = openptx.sanitize(release, 1, 1, (int(out[0]), 1))
    assert found.name == "out-of-bounds"
    assert found.other is not None
    assert found.other.line == 8


def test_each_code_of_a_finding_has_one_kind() -> None:
    names = [name for codes in CODES.values() for name in codes]
    assert sorted(names) == sorted(row.name for row in every_code() if row.code.startswith("PTX8"))
