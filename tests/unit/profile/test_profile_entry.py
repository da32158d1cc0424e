"""`openptx profile` and `openptx.profile`: results and bad input."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import openptx
from openptx.cli import main
from openptx.engines.interp.batch import Batch
from openptx.profile import entry
from openptx.profile.counting.launch import sample_pieces
from openptx.profile.findings import Finding, merge_lines
from openptx.profile.render.text import short
from openptx.testing.case import argument, read_case

DATA = Path(__file__).parents[2] / "data"
HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
COPY = (
    HEAD
    + """.visible .entry strided(.param .u64 x, .param .u64 y, .param .u32 step) {
    .reg .b64 p, q; .reg .b32 i, j, s, v; .reg .pred c;
    ld.param.u64 p, [x];
    ld.param.u64 q, [y];
    ld.param.u32 s, [step];
    mov.u32 i, %ctaid.x;
    mov.u32 j, %tid.x;
    mad.lo.u32 i, i, 64, j;
    setp.ge.u32 c, i, 96;
    @c bra done;
    mul.lo.u32 j, i, s;
    mad.wide.u32 p, i, 4, p;
    mad.wide.u32 q, j, 4, q;
    ld.global.u32 v, [p];
    st.global.u32 [q], v;
done:
    ret;
}
"""
)
LOAD = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
STORE = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"


@pytest.fixture
def copy(tmp_path: Path) -> str:
    path = tmp_path / "strided.ptx"
    path.write_text(COPY, "utf-8")
    return str(path)


def profile(step: int, **options: Any) -> openptx.Profile:
    x, y = np.arange(96, dtype=np.uint32), np.zeros(96 * step, np.uint32)
    found = openptx.profile(openptx.load(COPY)["strided"], 2, 64, (x, y, step), **options)
    if found.ended == "finished" and not options:
        assert (y[::step] == x).all()
    return found


def command(*arguments: str) -> int:
    return main(["profile", *arguments])


def test_a_launch_is_counted() -> None:
    found = profile(1)
    assert (found.totals[LOAD], found.totals[STORE]) == (12, 12)
    assert found.totals["smsp__warps_launched.sum"] == 4
    by_text = {each.text.split()[0]: each.counters for each in found.instructions}
    assert (by_text["st.global.u32"].warps, by_text["st.global.u32"].active) == (3, 96)
    assert (by_text["mov.u32"].warps, by_text["mov.u32"].threads) == (4, 128)
    assert (by_text["@c"].branches, by_text["@c"].divergent) == (4, 0)


def test_a_stride_is_a_finding_in_words() -> None:
    (worst, *_) = profile(256).findings
    assert (worst.kind, worst.lines) == ("uncoalesced", (18,))
    assert worst.message == "store: 32 sectors per request, 4 would do: lanes 1 024 bytes apart"


def test_lanes_that_are_left_out_are_a_finding() -> None:
    """Blocks of 40 threads have a warp of 8 lanes; the store is executed by every fourth lane."""
    body = (
        ".visible .entry k(.param .u64 y) {\n .reg .b64 q; .reg .b32 i, j; .reg .pred c;\n ld.param.u64 q, [y];\n"
        " mov.u32 i, %tid.x;\n and.b32 j, i, 3;\n setp.eq.u32 c, j, 0;\n mad.wide.u32 q, i, 4, q;\n"
        + " @c add.u32 j, j, i;\n" * 20
        + " @c st.global.u32 [q], j;\n ret;\n}\n"
    )
    found = openptx.profile(openptx.load(HEAD + body)["k"], 8, 40, (np.zeros(40, np.uint32),))
    said = {finding.kind: str(finding) for finding in found.findings}
    assert said["partial-warp"] == "blocks of 40 threads: the last of 2 warps has 8 of 32 lanes"
    assert said["idle-lanes"] == (
        "lines 11 to 16: 5.0 of 20 lanes are active: branches and guards leave out the others"
    )


def test_findings_that_say_the_same_are_one() -> None:
    found = [Finding("uncoalesced", "k.ptx", (line,), "m", 2.0) for line in (9, 2, 3, 4, 7)]
    found.append(Finding("uncoalesced", "k.ptx", (5,), "other", 1.0))
    first, second = merge_lines(found)
    assert (str(first), first.waste, str(second)) == ("lines 2 to 4, 7, 9: m", 10.0, "line 5: other")


def test_nothing_wasted_is_said() -> None:
    assert "none: memory accesses and lanes are used well" in str(profile(1))


def test_the_text_fits_80_columns() -> None:
    text = str(profile(256))
    assert max(map(len, text.splitlines())) <= 80
    for part in ("profile of `strided`", "global store", "1. line 18: store", "hot lines"):
        assert part in text


def test_json_has_all_parts(copy: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = (copy, "--grid", "2", "--block", "64", "--arg", "zeros:u32:96", "zeros:u32:96", "1")
    assert command(*arguments, "--output-format", "json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["schema"], found["kernel"], found["ended"]) == ("openptx-profile-1", "strided", "finished")
    assert found["totals"][LOAD] == 12
    assert [m["op"] for m in found["counters"]["memory"]] == ["ld", "st"]
    assert found["counters"]["memory"][0]["ideal_sectors"] == 12
    store = next(each for each in found["instructions"] if each["text"].startswith("st."))
    assert (store["location"]["row"], store["counters"]["warps"], store["source"]) == (18, 3, [])
    assert sum(line["counters"]["warps"] for line in found["lines"]) == found["counters"]["warps"]


def test_a_case_folder_has_its_launch(capsys: pytest.CaptureFixture[str]) -> None:
    case = str(DATA / "cases" / "saxpy4_sm80")
    assert command(case) == 0
    assert "profile of `saxpy4`" in capsys.readouterr().out
    assert command(case, "--grid", "1") == 2
    assert "is a case, which has its own launch" in capsys.readouterr().err


def test_a_fault_ends_the_profile_and_is_told(copy: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = (copy, "--grid", "2", "--block", "64", "--arg", "zeros:u32:96", "zeros:u32:10", "1")
    assert command(*arguments) == 1
    told = capsys.readouterr()
    assert "note: the kernel was stopped by a fault" in told.out
    assert "out-of-bounds" in told.err or "PTX9" in told.err
    assert command(*arguments, "--output-format", "json") == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["ended"], found["fault"]["name"], found["fault"]["location"]["row"]) == ("fault", "out-of-bounds", 18)
    counted = {each["text"].split()[0]: each["counters"]["warps"] for each in found["instructions"]}
    assert (counted["ld.global.u32"], counted["st.global.u32"]) == (3, 0)


def test_time_and_instruction_limits_end_the_profile() -> None:
    endless = openptx.load(HEAD + ".visible .entry k() {\nl:\n    bra l;\n}\n")["k"]
    found = openptx.profile(endless, 1, 32, max_instructions=1000)
    assert (found.ended, found.fault is not None and found.fault.name) == ("fault", "instruction-limit")
    assert found.counters.branches > 0


def test_an_interrupt_leaves_a_partial_profile(
    copy: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(*_: object) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(Batch, "execute_control", stop)
    arguments = (copy, "--grid", "2", "--block", "64", "--arg", "zeros:u32:96", "zeros:u32:96", "1")
    assert command(*arguments) == 130
    assert "note: interrupted: the counters are of what came before" in capsys.readouterr().out
    with pytest.raises(KeyboardInterrupt):
        profile(1)


def test_a_sample_of_blocks_says_so() -> None:
    found = profile(1, blocks=1)
    assert (found.launch.blocks, found.launch.all_blocks, found.totals[LOAD]) == (1, 2, 8)
    assert found.notes[0].startswith("a sample: 1 of 2 blocks were executed")


def test_huge_launches_are_sampled() -> None:
    quick = openptx.load(HEAD + ".visible .entry k() { ret; }\n")["k"]
    found = openptx.profile(quick, (1 << 31) - 1, 1024, engine="interp")
    assert (found.launch.blocks, found.counters.warps) == (1024, 1024 * 32)
    text = " ".join(str(found).split())
    assert "note: a sample: 1024 of 2147483647 blocks" in text
    assert "32 768 warps of the 1 024 blocks that were executed" in text


def test_huge_launches_are_sampled_as_machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """A block of one thread counts as a warp: it takes as long."""
    monkeypatch.setattr(entry, "MOST_LANES", 1 << 17)
    monkeypatch.setattr(entry, "SAMPLE_LANES", 1 << 15)
    quick = openptx.load(HEAD + ".visible .entry k() { ret; }\n")["k"]
    found = openptx.profile(quick, (1 << 31) - 1, 1, engine="native")
    assert (found.launch.blocks, found.counters.warps) == (1024, 1024)
    said = "a sample: 1024 of 2147483647 blocks were executed"
    assert said in str(found)
    assert said in found.as_json()["notes"][0]
    assert said in found._repr_html_()
    assert openptx.profile(quick, 1 << 12, 1, engine="native").notes == ()
    assert openptx.profile(quick, 1 << 13, 1, engine="native", blocks=1 << 13).launch.blocks == 1 << 13


@pytest.mark.parametrize(
    ("number", "width", "text"),
    [(1024, 9, "    1 024"), (16777216, 11, " 16 777 216"), (16777216, 10, "   16 777k"), (1 << 62, 9, "   4 612P")],
)
def test_columns_have_blanks_between_them(number: int, width: int, text: str) -> None:
    assert short(number, width) == text


@pytest.mark.parametrize(
    ("ctas", "cluster", "wanted"), [(5, 1, 4), (100, 1, 99), (64, 4, 6), (1 << 31, 8, 4096), (7, 1, 7)]
)
def test_pieces_of_a_sample_do_not_overlap(ctas: int, cluster: int, wanted: int) -> None:
    pieces = [*sample_pieces(ctas, cluster, wanted, 128)]
    assert sum(count for _, count in pieces) == -(-wanted // cluster) * cluster
    ends = [first + count for first, count in pieces]
    assert all(end <= first for end, (first, _) in zip(ends, pieces[1:], strict=False))
    assert (pieces[0][0], ends[-1]) == (0, ctas)
    assert all(count <= 128 and not first % cluster for first, count in pieces)


def test_the_document_describes_every_field_of_the_json() -> None:
    text = (Path(__file__).parents[3] / "docs" / "profile.md").read_text("utf-8").split("## JSON")[1]
    words = {word for span in re.findall("`([^`]+)`", text) for word in span.split()}

    def names(part: object) -> set[str]:
        if isinstance(part, list):
            return {name for each in cast("list[object]", part) for name in names(each)}
        if not isinstance(part, dict):
            return set()
        fields = cast("dict[str, object]", part)
        return {*fields, *(name for each in fields.values() for name in names(each))}

    found = profile(256).as_json()
    assert names({**found, "totals": {}}) - words - {"row", "column"} == set()


def test_samples_have_whole_clusters() -> None:
    quick = openptx.load(HEAD.replace("sm_80", "sm_90") + ".visible .entry k() { ret; }\n")["k"]
    assert openptx.profile(quick, 64, 32, cluster=4, blocks=6).launch.blocks == 8


@pytest.mark.parametrize("blocks", [0, -1, 1.5, True])
def test_wrong_samples_are_refused(blocks: Any) -> None:
    with pytest.raises(openptx.ArgumentError, match="blocks"):
        profile(1, blocks=blocks)


def test_what_cannot_be_executed_is_named() -> None:
    head = HEAD.replace("sm_80", "sm_100a").replace("8.0", "8.6")
    body = ".visible .entry k() {\n .reg .b16 h;\n mov.b16 h, 0;\n fma.rz.bf16 h, h, h, h;\n ret;\n}\n"
    with pytest.raises(openptx.Unsupported) as found:
        openptx.profile(openptx.load(head + body)["k"], 1, 32)
    assert found.value.form == "fma.rz.bf16"


def test_options_of_other_libraries_are_named() -> None:
    kernel = openptx.load(HEAD + ".visible .entry k() { ret; }\n")["k"]
    with pytest.raises(openptx.ArgumentError, match="write `shared_mem=`"):
        openptx.profile(kernel, 1, 32, shared=4)  # pyright: ignore


def test_what_a_kernel_prints_is_no_part_of_the_output(capsys: pytest.CaptureFixture[str]) -> None:
    case = Path(__file__).parents[2] / "kernels" / "print_threads_sm80"
    assert command(str(case), "--output-format", "json") == 0
    told = capsys.readouterr()
    json.loads(told.out)
    assert told.err


LOOP = """.visible .entry k(.param .u64 y) {
    .reg .b64 q; .reg .b32 i, j; .reg .pred c;
    ld.param.u64 q, [y];
    mov.u32 i, %tid.x;
    mul.lo.u32 j, i, 1000;
    mad.wide.u32 q, i, 4, q;
l:
    sub.u32 j, j, 1;
    setp.gt.s32 c, j, 0;
    @c bra l;
    st.global.u32 [q], i;
    ret;
}
"""


def test_lanes_that_leave_a_loop_early_wait_for_the_rest_of_their_warp() -> None:
    """A warp stores once, however long the last lane takes."""
    found = openptx.profile(openptx.load(HEAD + LOOP)["k"], 1, 32, (np.zeros(32, np.uint32),))
    assert found.totals["l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"] == 1


UNEVEN = """.visible .entry k() {
    .reg .b32 i, w; .reg .pred c;
    mov.u32 i, %tid.x;
    shr.u32 w, i, 5;
    setp.ne.u32 c, w, 0;
    @c bra meet;
    add.u32 i, i, 1;
    add.u32 i, i, 1;
    add.u32 i, i, 1;
meet:
    bar.sync 0;
    add.u32 i, i, 1;
    bar.sync 0;
    ret;
}
"""


def test_warps_wait_for_the_slowest_of_their_block() -> None:
    """Three of four warps skip three instructions before the first barrier, and none before the second."""
    found = openptx.profile(openptx.load(HEAD + UNEVEN)["k"], 5, 128)
    assert [each.counters.waited for each in found.instructions if each.text.startswith("bar")] == [5 * 3 * 3, 0]
    assert "waits at barriers" in str(found)


def test_matrix_multiplications_are_counted() -> None:
    case = str(DATA / "cases" / "mma_m16n8k16_sm80")
    read = read_case(case)
    kernel = openptx.load(f"{case}/kernel.ptx")[read.kernel]
    found = openptx.profile(kernel, read.grid, read.block, [argument(read, param) for param in read.params])
    assert found.counters.tensor_steps == 1


INLINED = (
    HEAD
    + """.visible .entry k(.param .u64 y) {
    .reg .b64 q; .reg .b32 i;
    .loc 1 10 3
    ld.param.u64 q, [y];
    mov.u32 i, %tid.x;
    .loc 1 12 5
    .loc 2 99 1, function_name $n, inlined_at 1 12 5
    mad.wide.u32 q, i, 4, q;
    .loc 1 20 5
    .loc 1 3 2, function_name $n, inlined_at 1 20 5
    .loc 2 98 1, function_name $n, inlined_at 1 3 2
    st.global.u32 [q], i;
    .loc 1 21 1
    ret;
}
.file 1 "k.cu"
.file 2 "/usr/include/helper.h"
.section .debug_str {
$n:
    .b8 104
    .b8 0
}
"""
)


def test_lines_are_those_of_the_kernels_own_file() -> None:
    """A header's instructions belong to the line that calls it; a function of the same file has lines of its own."""
    found = openptx.profile(openptx.load(INLINED)["k"], 1, 32, (np.zeros(32, np.uint32),))
    lines = {(line.file, line.line): [each.text.split()[0] for each in line.instructions] for line in found.lines}
    assert lines == {
        ("k.cu", 3): ["st.global.u32"],
        ("k.cu", 10): ["ld.param.u64", "mov.u32"],
        ("k.cu", 12): ["mad.wide.u32"],
        ("k.cu", 21): ["ret"],
    }
    store = next(each for each in found.instructions if each.text.startswith("st"))
    assert [place[:2] for place in store.source] == [("/usr/include/helper.h", 98), ("k.cu", 3), ("k.cu", 20)]
