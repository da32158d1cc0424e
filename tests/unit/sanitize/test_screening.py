"""Launches that are screened as machine code: findings are those of the reference engine, and no race is accepted."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest
import test_defect_pairs as pairs
import test_known_defects as defects

import openptx
from openptx.engines.native.instrument.watch.launch import Watch
from openptx.engines.native.runtime.launch import launch
from openptx.sanitize.entry import Report, watch
from openptx.sanitize.options import Options

TOOLS = frozenset(("race", "init", "sync", "mem"))
HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
BEGIN = """.visible .entry k(.param .u64 a) {
    .reg .b64 p, q, s; .reg .b32 i, j, t, v, w; .reg .pred c;
    .shared .align 16 .b8 tile[4096]; .shared .align 16 .b8 other[64];
    ld.param.u64 p, [a];
    mov.u32 t, %tid.x;
    mov.u32 i, %ctaid.x;
    mov.u32 v, %ntid.x;
    mad.lo.u32 i, i, v, t;
    mul.wide.u32 q, i, 4;
    add.s64 q, p, q;
    shl.b32 j, t, 2;
    mov.u32 w, tile;
    add.u32 w, w, j;
"""


def screened(body: str, grid: int = 1, block: int = 64, tools: str = "race", size: int = 1024) -> Report:
    """What becomes of a kernel: `q` is the thread's word of an array, `w` its word in shared memory."""
    kernel = openptx.load(HEAD + BEGIN + body + "\nret;\n}\n")["k"]
    return watch(
        kernel, grid, block, [np.zeros(size, np.uint32)], Options(frozenset(tools.split(",")), engine="native")
    )


CLEAN = {
    "own words": "ld.global.u32 v, [q]; st.global.u32 [q], v; st.shared.u32 [w], v; ld.shared.u32 v, [w];",
    "barrier of the block": "st.shared.u32 [w], t; bar.sync 0; ld.shared.u32 v, [tile+128]; ld.shared.u32 v, [tile];",
    "barrier of the warp": "st.shared.u32 [w], t; bar.warp.sync -1; xor.b32 w, w, 64; ld.shared.u32 v, [w];",
    "all read one word": "ld.global.u32 v, [p]; ld.global.u32 v, [p+64];",
    "atomics meet": "atom.global.add.u32 v, [p], 1; red.global.add.u32 [p], 1;",
    "atomics, then a barrier": "red.shared.add.u32 [tile], 1; bar.sync 0; ld.shared.u32 v, [tile];",
    "a guarded store": "setp.eq.u32 c, t, 0; @c st.shared.u32 [tile], t; bar.sync 0; ld.shared.u32 v, [tile];",
    "a barrier, then stores": "ld.shared.u32 v, [tile]; bar.sync 0; st.shared.u32 [w], v;",
    "scattered words": "xor.b32 t, t, 5; shl.b32 t, t, 3; mov.u32 w, tile; add.u32 w, w, t; st.shared.u32 [w], t;",
    "bytes side by side": "mov.u32 w, tile; add.u32 w, w, t; st.shared.u8 [w], t;",
    "vectors": "shl.b32 j, t, 4; mov.u32 w, tile; add.u32 w, w, j; st.shared.v4.u32 [w], {t, t, t, t};",
    "generic addresses": "cvta.to.global.u64 q, q; st.u32 [q], t; ld.u32 v, [q];",
}  # fmt: skip
RACES = {
    "a neighbour": "ld.global.u32 v, [q+4]; st.global.u32 [q], v;",
    "a neighbour, other order": "st.global.u32 [q], t; ld.global.u32 v, [q+4];",
    "no barrier": "st.shared.u32 [w], t; ld.shared.u32 v, [tile+128];",
    "no barrier of the warp": "st.shared.u32 [w], t; xor.b32 w, w, 64; ld.shared.u32 v, [w];",
    "another warp": "st.shared.u32 [w], t; bar.warp.sync -1; xor.b32 w, w, 128; ld.shared.u32 v, [w];",
    "another warp, before a barrier": "st.shared.u32 [w], t; xor.b32 w, w, 128; ld.shared.u32 v, [w]; bar.sync 0;",
    "one word": "st.shared.u32 [tile], t;",
    "an atomic and a load": "atom.global.add.u32 v, [p], 1; ld.global.u32 v, [p];",
    "an atomic and a store": "st.global.u32 [q], t; red.global.add.u32 [p], 1;",
    "read by all, written by one": "ld.shared.u32 v, [tile]; setp.eq.u32 c, t, 40; @c st.shared.u32 [tile], t;",
    "read by one, written by another": (
        "setp.eq.u32 c, t, 40; @c ld.shared.u32 v, [tile]; setp.eq.u32 c, t, 41; @c st.shared.u32 [tile], t;"
    ),
    "written before the barrier by one, after it by two": "bar.sync 0; st.shared.u32 [tile], t; bar.sync 0;",
    "a word and its byte": "st.shared.u32 [w], t; setp.eq.u32 c, t, 9; @c ld.shared.u8 v, [tile+1];",
    "scattered to one word": "shr.u32 t, t, 1; shl.b32 t, t, 2; st.shared.u32 [t], i;",
    "vectors that overlap": "shl.b32 j, t, 3; and.b32 w, j, -16; st.shared.v4.u32 [w], {t, t, t, t};",
    "volatile in lock-step": "st.volatile.shared.u32 [w], t; xor.b32 w, w, 4; ld.volatile.shared.u32 v, [w];",
    "volatile in lock-step, generic addresses": (
        "cvt.u64.u32 s, w; cvta.shared.u64 s, s; st.volatile.u32 [s], t; xor.b64 s, s, 4; ld.volatile.u32 v, [s];"
    ),
    "generic addresses": "cvta.to.global.u64 q, q; st.u32 [q], t; ld.global.u32 v, [q+8];",
}  # fmt: skip
BETWEEN_BLOCKS = {
    "one word": "setp.eq.u32 c, t, 0; @c st.global.u32 [p], i;",
    "written, then read": "ld.global.u32 v, [p+12]; st.global.u32 [q], v;",
    "narrow atomics": "red.relaxed.cta.global.add.u32 [p], 1;",
    "an atomic after a plain store": (
        "setp.eq.u32 c, i, 0; @c st.global.u32 [p], i; bar.sync 0; red.global.add.u32 [p], 1;"
    ),
    "a row of atomics after a plain row": (
        "setp.lt.u32 c, i, 64; mul.wide.u32 s, t, 4; add.u64 s, p, s; @c st.global.u32 [s], i; bar.sync 0;"
        "red.global.add.u32 [s], 1;"
    ),
    "a row of atomics after a plain read row": (
        "setp.lt.u32 c, i, 64; mul.wide.u32 s, t, 4; add.u64 s, p, s; @c ld.global.u32 v, [s]; bar.sync 0;"
        "red.global.add.u32 [s], 1;"
    ),
    "an atomic after a plain load": "setp.eq.u32 c, i, 0; @c ld.global.u32 v, [p]; red.global.add.u32 [p], 1;",
}  # fmt: skip


@pytest.mark.parametrize("name", CLEAN)
def test_machine_code_clears_what_is_clean(name: str) -> None:
    report = screened(CLEAN[name])
    assert (report.reason, report.findings) == ("", [])


@pytest.mark.parametrize("name", RACES)
def test_no_race_is_accepted(name: str) -> None:
    report = screened(RACES[name])
    assert report.reason.startswith("accesses that no barrier orders, line "), report.reason
    assert {f.kind for f in report.findings} == {"race"}


@pytest.mark.parametrize("body", ["st.global.u32 [q], t;", "setp.eq.u32 c, t, 0; @c st.global.u32 [p], t;"])
def test_a_non_coherent_load_of_what_was_written_before_a_barrier_is_not_accepted(body: str) -> None:
    report = screened(f"{body} bar.sync 0; ld.global.nc.u32 v, [{'p' if 'p]' in body else 'q'}];")
    assert [f.name for f in report.findings] == ["non-coherent-read"]


@pytest.mark.parametrize("name", BETWEEN_BLOCKS)
def test_blocks_are_ordered_by_nothing(name: str) -> None:
    report = screened(BETWEEN_BLOCKS[name], grid=2)
    assert report.reason.startswith("accesses that no barrier orders, line "), report.reason
    assert {f.kind for f in report.findings} == {"race"}


def test_blocks_that_share_nothing_but_reads_and_atomics_are_clean() -> None:
    body = "ld.global.u32 v, [p+2048]; red.global.add.u32 [p+4092], v; st.global.u32 [q], v;"
    assert screened(body, grid=4).reason == ""


def test_lanes_outside_of_an_array_do_not_hide_what_the_others_do() -> None:
    """The first lane's place lies before the array, where there is no shadow memory."""
    body = "setp.gt.u32 c, t, 0; @c ld.global.u32 v, [q+-4]; setp.eq.u32 c, t, 9; @c st.global.u32 [q], t;"
    assert screened(body).findings


@pytest.mark.parametrize(
    ("tools", "body", "reason"),
    [
        ("mem", "ld.shared.u32 v, [w]; ld.global.u32 v, [q+4096];", "a load of 4 bytes outside of every allocation"),
        ("mem", "st.shared.u32 [w+3900], t;", "an access outside of its variable, line"),
        ("sync", "shfl.sync.idx.b32 v, t, 0, 31, 0xffff;", "with mask 0x0000ffff, which does not include it"),
        ("sync", "setp.lt.u32 c, t, 5; @c bra ON; bar.sync 0; ON:", "an instruction of the warp that not all"),
    ],
)
def test_other_doubts(tools: str, body: str, reason: str) -> None:
    report = screened(body, tools=tools)
    assert report.reason
    assert reason in report.reason


def test_memory_is_put_back_before_the_reference_engine_runs() -> None:
    body = "ld.global.u32 v, [p]; add.u32 v, v, 1; st.global.u32 [p], v;"
    kernel = openptx.load(HEAD + BEGIN + body + "\nret;\n}\n")["k"]
    once, reference = np.zeros(4, np.uint32), np.zeros(4, np.uint32)
    assert openptx.sanitize(kernel, 1, 32, (once,), tools="race", engine="native")
    openptx.sanitize(kernel, 1, 32, (reference,), tools="race", engine="interp")
    assert once.tolist() == reference.tolist() == [1, 0, 0, 0]


def test_what_is_too_large_to_be_watched_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    from openptx.engines.native.instrument.watch import launch

    monkeypatch.setattr(launch, "LIMIT", 1 << 12)
    report = screened(CLEAN["own words"])
    assert report.reason == ""
    assert ["were not watched" in line for line in report.limits] == [True]
    assert screened(CLEAN["barrier of the block"]).limits == [], "an array that nobody touches"


def test_bad_engines_are_refused() -> None:
    kernel = openptx.load(HEAD + BEGIN + "ret; }")["k"]
    with pytest.raises(openptx.ArgumentError, match="no engine `gpu`: choose auto, native or interp"):
        openptx.sanitize(kernel, 1, 32, (np.zeros(4, np.uint32),), engine="gpu")


def essence(report: Report) -> list[tuple[object, ...]]:
    """The findings; addresses of arrays are others in each run."""
    return [
        (f.name, f.kind, re.sub("0x[0-9a-f]+", "", f.message), f.lines, f.count, f.block, f.thread)
        for f in report.findings
    ]


SLOW = ("race_grid_sync", "race_producer_consumer")
KERNELS = [row["name"] for row in defects.ROWS if not row["name"].startswith(SLOW)]
KERNELS += [row.name for row in pairs.rows() if row.file == "basics" and row.name not in pairs.SLOW]
SWEPT = [row.name for row in pairs.rows() if row.name not in KERNELS] + [
    name for i, name in enumerate(KERNELS) if i % 5
]


@cache
def watched(name: str, engine: str) -> Report:
    """A kernel of the known defects or of the pairs."""
    a, b, o = np.arange(1024, dtype=np.int32), np.zeros(1024, np.int32), openptx.empty(1024, np.int32)
    if row := next((row for row in defects.ROWS if row["name"] == name), None):
        shape, shared, cluster = (row["grid"], row["block"]), 0, row["cluster"]
        kernel = defects.module()[name]
    else:
        pair = next(row for row in pairs.rows() if row.name == name)
        launch = pair.launch
        shape = launch.get("grid", 1), launch.get("block", 64)
        shared, cluster = launch.get("dyn", 0), launch.get("cluster")
        kernel = pairs.module(pair.file)[name]
    return watch(kernel, *shape, [a, b, o, 1024], Options(TOOLS, shared, cluster, timeout=100, engine=engine))


@pytest.mark.parametrize("name", [*KERNELS[::5], *(pytest.param(name, marks=pytest.mark.sweep) for name in SWEPT)])
def test_findings_do_not_depend_on_the_engine(name: str) -> None:
    native, interp = watched(name, "native"), watched(name, "interp")
    assert essence(native) == essence(interp)
    assert not (native.findings and not native.reason)


@pytest.mark.parametrize(("every", "least"), [(3, 14), pytest.param(1, 40, marks=pytest.mark.sweep)])
def test_most_correct_kernels_are_cleared_by_machine_code(every: int, least: int) -> None:
    """Those that are not have asynchronous copies, clusters, fences, or warps of which some lanes are elsewhere."""
    correct = [name for name in KERNELS if name.endswith("_ok")][::every]
    cleared = [name for name in correct if not watched(name, "native").reason]
    assert len(cleared) >= least, len(cleared)


def test_small_launches_are_not_compiled() -> None:
    kernel = openptx.load(HEAD + BEGIN + CLEAN["own words"] + "\nret;\n}\n")["k"]
    reports = [watch(kernel, grid, 64, [np.zeros(1 << 18, np.uint32)], Options(TOOLS)) for grid in (1, 1 << 12)]
    assert [report.reason for report in reports] == ["it ends before machine code would be compiled", ""]


BYTES = (
    HEAD
    + """.visible .entry k(.param .u64 a, .param .u64 b) {
    .reg .b64 p, q, r; .reg .b32 t, v; .reg .pred c;
    ld.param.u64 p, [a];
    ld.param.u64 q, [b];
    mov.u32 t, %tid.x;
    cvt.u64.u32 r, t;
    add.u64 p, p, r;
    mad.wide.u32 q, t, 4, q;
    st.global.u32 [q], t;
    BYTE
    ret;
}
"""
)


@pytest.mark.parametrize(
    ("byte", "lines"),
    [
        ("st.global.u8 [p], t;", set[int]()),
        ("ld.global.u8 v, [p+1]; setp.eq.u32 c, t, 7; @c st.global.u8 [p], v;", {13}),
        ("ld.global.u8 v, [q+6]; st.global.u8 [p], v;", {12, 13}),
    ],
)
def test_bytes_of_one_array_beside_words_of_another(byte: str, lines: set[int]) -> None:
    """A launch begins again where an array that is watched by words turns out to be accessed by bytes."""
    for engine in ("native", "interp"):
        arrays = [np.zeros(64, np.uint8), np.zeros(65, np.uint32)]
        kernel = openptx.load(BYTES.replace("BYTE", byte))["k"]
        report = watch(kernel, 1, 64, [*arrays], Options(TOOLS, engine=engine))
        assert {line for f in report.findings for line in f.lines} == lines
        assert bool(report.reason) == (bool(lines) and engine == "native")


def test_only_launches_with_an_observer_are_watched() -> None:
    kernel = openptx.load(HEAD + BEGIN + "st.global.u32 [q], t;" + "\nret;\n}\n")["k"]
    array, observers = np.zeros(64, np.uint32), [Watch(frozenset(("race",)), 4) for _ in range(2)]
    for observer in observers:
        launch(kernel.prepare(1, 64, (array,)), workers=1, observer=observer)
        assert observer.block.any()
        before = observer.block.copy()
        kernel(1, 64, (array,), engine="native", workers=1)
        assert np.array_equal(observer.block, before)
    assert array[63] == 63
