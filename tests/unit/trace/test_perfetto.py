"""Traces in the Trace Event Format: valid, ordered in time, and slices that lie in each other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import openptx
from openptx.cli import main
from openptx.trace.perfetto import as_perfetto

KERNEL = """.version 8.0
.target sm_80
.address_size 64
.func (.reg .u32 d) twice(.reg .u32 a) {
    add.u32 d, a, a;
    ret;
}
.visible .entry k(.param .u64 out) {
    .reg .b64 p; .reg .u32 i, v, n; .reg .pred c;
    ld.param.u64 p, [out];
    mov.u32 i, %tid.x;
    setp.ge.u32 c, i, 32;
    mov.u32 n, 2;
    @!c bra more;
    bar.sync 0;
    bra after;
more:
    call (v), twice, (i);
    sub.u32 n, n, 1;
    setp.ne.u32 c, n, 0;
    @c bra more;
    bar.sync 0;
after:
    mad.wide.u32 p, i, 4, p;
    st.global.u32 [p], v;
    ret;
}
"""
INLINED = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k() {
    .reg .b32 r;
    .loc 1 9 1
    mov.u32 r, 1;
    .loc 1 2 3, function_name $L__info_string0, inlined_at 1 9 1
    add.u32 r, r, 1;
    ret;
}
.file 1 "a.cu"
.section .debug_str
{
$L__info_string0:
.b8 102,0
}
"""


def events(text: str, *args: object, grid: int = 1, block: int = 64, **options: Any) -> list[dict[str, Any]]:
    trace = openptx.trace(openptx.load(text)["k"], grid, block, args, **options)
    found = json.loads(as_perfetto(trace))
    assert {"displayTimeUnit", "traceEvents", "otherData"} == {*found}
    recorded = [event for event in found["traceEvents"] if "args" in event and "line" in event["args"]]
    assert sorted((event["ts"], event["name"]) for event in recorded) == sorted((r.step, r.text) for r in trace)
    return found["traceEvents"]


def tracks(found: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """The slices of each warp, checked: in the order of time, each within the one before or after its end."""
    pids = {e["pid"]: e["args"]["name"] for e in found if e["name"] == "process_name"}
    tids = {(e["pid"], e["tid"]): e["args"]["name"] for e in found if e["name"] == "thread_name"}
    assert len({tid for _, tid in tids} | {*pids}) == len(tids) + len(pids)
    slices: dict[str, list[dict[str, Any]]] = {}
    for event in found:
        if event["ph"] == "X":
            slices.setdefault(f"{pids[event['pid']]} {tids[event['pid'], event['tid']]}", []).append(event)
    for track in slices.values():
        open_until, before = list[int](), 0
        for event in track:
            begin, end = event["ts"], event["ts"] + event["dur"]
            assert before <= begin < end
            before = begin
            while open_until and open_until[-1] <= begin:
                open_until.pop()
            assert not open_until or end <= open_until[-1]
            open_until.append(end)
    return slices


def test_a_process_for_each_block_and_a_thread_for_each_warp() -> None:
    found = tracks(events(KERNEL, np.zeros(64, np.uint32), grid=2))
    assert [*found] == [f"block {block},0,0 warp {warp}" for block in (0, 1) for warp in (0, 1)]


def test_a_warp_that_waits_has_a_slice_up_to_its_next_instruction() -> None:
    found = tracks(events(KERNEL, np.zeros(64, np.uint32)))
    track = found["block 0,0,0 warp 1"]
    (waits,) = [event for event in track if event["cat"] == "wait"]
    (after,) = [event for event in track if event["name"] == "bra after"]
    (last,) = [event for event in found["block 0,0,0 warp 0"] if event["cat"] == "wait"]
    assert waits["name"] == "bar.sync 0"
    assert waits["args"]["waits"] == f"{waits['dur']} steps"
    assert waits["ts"] + waits["dur"] == after["ts"] > last["ts"] > waits["ts"] + 1


def test_loops_and_calls_are_slices_and_instructions_have_values() -> None:
    track = tracks(events(KERNEL, np.zeros(64, np.uint32)))["block 0,0,0 warp 0"]
    assert [event["name"] for event in track if event["cat"] == "function"] == ["k", "twice", "twice"]
    rows = KERNEL[: KERNEL.index("call")].count("\n") + 1
    assert [event["name"] for event in track if event["cat"] == "lines"].count(f"lines {rows + 1}-{rows + 3}") == 1
    store = next(event for event in track if event["name"].startswith("st.global"))
    assert store["cat"] == "memory"
    assert store["args"]["operands"]["v"] == "[0 2 4 6 8 10 12 .. 62]"
    assert store["args"]["operands"]["[p]"].startswith("[0x")
    assert (store["args"]["lanes"], store["args"]["active"]) == ("ffffffff", 32)


def test_source_lines_contain_those_of_inlined_calls() -> None:
    found = events(INLINED, block=1)
    (track,) = tracks(found).values()
    source = [(event["name"], event["ts"], event["dur"]) for event in track if event["cat"] == "source"]
    assert source == [("a.cu:9", 1, 3), ("a.cu:2", 2, 2)]


def test_a_fault_is_an_event_and_the_limit_is_noted() -> None:
    found = events(KERNEL, np.zeros(8, np.uint32))
    (fault,) = [event for event in found if event["ph"] == "i"]
    assert fault["name"] == "fault: out-of-bounds"
    assert fault["ts"] == max(event["ts"] for event in found)
    assert sum("line" in event.get("args", {}) for event in events(KERNEL, np.zeros(64, np.uint32), limit=7)) == 7


@pytest.mark.parametrize(("file", "options"), [("t.json", []), ("t.txt", ["--trace-format", "perfetto"])])
def test_run_writes_it(file: str, options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kernel, output = tmp_path / "k.ptx", tmp_path / file
    kernel.write_text(KERNEL, "utf-8")
    command = ["run", str(kernel), "--grid", "1", "--block", "64", "--arg", "zeros:u32:64", "--trace-limit", "5"]
    assert main([*command, "--trace-output", str(output), *options, "--quiet"]) == 0
    found = json.loads(output.read_text())
    assert "only the first 5 records" in found["otherData"]["notes"][0]
    assert main([*command, "--trace-format", "perfetto"]) == 2
    assert "write --trace as well" in capsys.readouterr().err
