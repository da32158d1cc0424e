"""Traces of launches: what is recorded, filters, limits, comparison, and `openptx run --trace`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import openptx
from openptx.cli import main
from openptx.isa.types import find_type
from openptx.trace.values import show, type_of

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
SCALE = (
    HEAD
    + """.visible .entry scale(.param .u64 x, .param .u32 n) {
    .reg .b64 p; .reg .b32 i, k, t; .reg .f32 v; .reg .pred c;
    ld.param.u64 p, [x];
    ld.param.u32 k, [n];
    mov.u32 i, %ctaid.x;
    mov.u32 t, %tid.x;
    mad.lo.u32 i, i, 40, t;
    setp.ge.u32 c, i, k;
    @c bra done;
    mad.wide.u32 p, i, 4, p;
    ld.global.f32 v, [p];
    add.f32 v, v, 0f3F000000;
    @!c st.global.f32 [p+0], v;
done:
    ret;
}
"""
)


def traced(text: str = SCALE, count: int = 50, **options: Any) -> tuple[openptx.Trace, np.ndarray[Any, Any]]:
    x = np.arange(80, dtype=np.float32)
    return openptx.trace(openptx.load(text)["scale"], 2, 40, (x, count), **options), x


def test_every_instruction_of_every_warp_is_recorded() -> None:
    found, x = traced()
    assert (x[:50] == np.arange(50) + 0.5).all()
    assert (x[50:] == np.arange(50, 80)).all()
    add = [r for r in found if r.text.startswith("add.f32")]
    assert [(r.block[0], r.warp, r.mask) for r in add] == [(0, 0, 0xFFFFFFFF), (0, 1, 0xFF), (1, 0, 0x3FF)]
    assert [r.text for r in found if r.block == (1, 0, 0) and r.warp == 1][-2:] == ["bra done", "ret"]


def test_operands_and_results_have_the_types_of_the_instruction() -> None:
    found, _ = traced(threads=[3], blocks=[1])
    by_name = {r.text.split()[0]: r for r in found}
    assert str(by_name["mov.u32"].operands[0]) == "%tid.x=3"
    (i, t), (result,) = by_name["mad.lo.u32"].operands, by_name["mad.lo.u32"].results
    assert (str(i), str(t), str(result)) == ("i=1", "t=3", "i=43")
    (before,), (after,) = by_name["add.f32"].operands, by_name["add.f32"].results
    assert (str(before), str(after)) == ("v=43.0", "v=43.5")
    (address,) = by_name["ld.global.f32"].operands
    assert address.name == "[p]"
    assert by_name["mad.wide.u32"].results[0].bits == address.bits
    assert str(by_name["bra"].operands[0]) == "c=false"
    assert by_name["bra"].line == SCALE[: SCALE.index("@c bra")].count("\n") + 1


def test_a_thread_is_recorded_with_its_lane_alone() -> None:
    found, _ = traced(threads=[33])
    assert {r.mask for r in found} == {2}
    assert {(r.block[0], r.warp) for r in found} == {(0, 1), (1, 1)}


def test_lines_and_registers_are_filters() -> None:
    row = SCALE[: SCALE.index("add.f32")].count("\n") + 1
    assert {r.text.split()[0] for r in traced(lines=[row])[0]} == {"add.f32"}
    assert {r.text.split()[0] for r in traced(registers=["v"])[0]} == {"ld.global.f32", "add.f32", "st.global.f32"}
    assert {r.text.split()[0] for r in traced(registers=["c"])[0]} == {"setp.ge.u32", "bra", "st.global.f32"}


def test_a_limit_ends_the_trace_and_not_the_launch() -> None:
    found, x = traced(limit=5)
    assert len(found) == 5
    assert x[49] == 49.5
    assert "only the first 5 records" in found.notes[0]


def test_a_fault_ends_the_trace_with_the_access_that_faulted() -> None:
    found, _ = traced(count=80, text=SCALE.replace("mad.wide.u32 p, i, 4", "mad.wide.u32 p, i, 40"))
    assert found.fault is not None
    assert found.fault.name == "out-of-bounds"
    assert found[-1].text.startswith("ld.global.f32")
    assert found[-1].results == () or found.fault.thread is not None


def test_calls_barriers_and_exchanges_are_recorded() -> None:
    text = (
        HEAD
        + """.func (.reg .b32 r) twice(.reg .b32 a) { add.u32 r, a, a; ret; }
.visible .entry scale(.param .u64 x, .param .u32 n) {
    .reg .b32 i, j; .reg .b64 p; .reg .pred c;
    mov.u32 i, %tid.x;
    call (j), twice, (i);
    bar.sync 0;
    shfl.sync.bfly.b32 j, j, 1, 31, -1;
    bar.red.popc.u32 i, 0, c;
    ret;
}
"""
    )
    found = openptx.trace(openptx.load(text)["scale"], 1, 32, (None, 0))
    by_name = {r.text.split()[0]: r for r in found}
    assert [r.function for r in found if r.text == "add.u32 r, a, a"] == ["twice"]
    assert by_name["call"].results == ()
    assert by_name["shfl.sync.bfly.b32"].results[0].bits == tuple(2 * (i ^ 1) for i in range(32))
    assert by_name["bar.red.popc.u32"].results[0].bits == (0,) * 32


def test_the_first_difference_of_two_launches() -> None:
    x = np.arange(80, dtype=np.float32)
    kernel = openptx.load(SCALE)["scale"]
    a = openptx.trace(kernel, 2, 40, (x, 50))
    x[:] = np.arange(80)
    assert openptx.first_difference(a, openptx.trace(kernel, 2, 40, (x, 50))) is None
    x[:] = np.arange(80)
    x[35] = -1
    b = openptx.trace(kernel, 2, 40, (x, 50))
    found = openptx.first_difference(a, b)
    assert found is not None
    assert (found.name, found.lane) == ("v", 3)
    assert found.a is not None
    assert (found.a.text.split()[0], found.a.warp) == ("ld.global.f32", 1)
    assert "35.0, -1.0" in str(found)


TABLES = """.version 8.0
.target sm_80
.address_size 64
.global .u32 bias = 7;
.const .u32 other = 1;
.const .u32 scale[4] = {1, 2, 3, 4};
.global .u64 table[2] = {generic(bias), generic(scale)};
.func (.reg .u32 d) same(.reg .u32 a) { mov.u32 d, a; ret; }
.visible .entry k(.param .u64 out) {
    .reg .b64 p, q, f; .reg .u32 r, s;
    ld.param.u64 p, [out];
    sub.u64 p, p, 64;
    mov.u64 f, same;
    cvta.const.u64 q, scale;
    ld.u32 r, [q + 4];
    mov.u64 q, table;
    ld.global.u64 q, [q];
    ld.u32 s, [q];
    add.u32 r, r, s;
    st.global.u32 [p + 64], r;
    ret;
}
"""


def test_pointers_of_two_modules_are_the_same_where_they_point_to_the_same() -> None:
    def traced(text: str, size: int = 4) -> openptx.Trace:
        return openptx.trace(openptx.load(text)["k"], 1, 2, (np.zeros(size, np.uint32),))

    a = traced(TABLES)
    moved = TABLES.replace(".const .u32 other = 1;", ".const .u32 other[9] = {1};\n.global .u64 more[100];")
    assert openptx.first_difference(a, traced(moved)) is None
    for changed, name in (
        (TABLES.replace("bias = 7", "bias = 8"), "s"),
        (TABLES.replace("generic(bias)", "generic(bias) + 4").replace(".u32 bias = 7", ".u32 bias[2] = {7, 7}"), "q"),
        (TABLES.replace("generic(bias), generic(scale)", "generic(scale), generic(bias)"), "q"),
        (TABLES.replace("u32 scale[4] = {1, 2", "u32 scale[4] = {1, 3"), "r"),
    ):
        found = openptx.first_difference(a, traced(changed))
        assert found is not None
        assert found.name == name, found


def test_another_instruction_and_other_lanes_differ() -> None:
    x = np.zeros(80, np.float32)
    a = openptx.trace(openptx.load(SCALE)["scale"], 2, 40, (x, 50))
    x[:] = 0
    b = openptx.trace(openptx.load(SCALE.replace("add.f32", "sub.f32"))["scale"], 2, 40, (x, 50))
    found = openptx.first_difference(a, b)
    assert found is not None
    assert "another instruction" in found.what


@pytest.mark.parametrize(
    ("type", "bits", "shown"),
    [
        ("s32", 0xFFFFFFFF, "-1"), ("u32", 0xFFFFFFFF, "4294967295"), ("b32", 0x3F800000, "0x3f800000"),
        ("f32", 0x3F800000, "1.0"), ("f32", 0x7FC00000, "nan"), ("f16x2", 0x40003C00, "(1.0, 2.0)"),
        ("bf16", 0x3F80, "1.0"), ("e4m3x2", 0x3800, "(0.0, 1.0)"), ("e2m1", 0x7, "6.0"), ("pred", 1, "true"),
        ("f64", 0x8000000000000000, "-0.0"), ("s8", 0x1FF, "-1"), ("b128", 1 << 100, hex(1 << 100)),
        ("e5m2", 0xFC, "-inf"), ("s16x2", 0xFFFF0001, "(1, -1)"),
    ],
)  # fmt: skip
def test_values_are_written_by_type(type: str, bits: int, shown: str) -> None:
    assert show(bits, find_type(type)) == shown


def test_every_type_shows_every_bit_pattern_of_its_ends() -> None:
    from openptx.isa.types import TYPES

    for type in TYPES.values():
        if type.kind != "opaque":
            for bits in (0, 1, (1 << type.width) - 1, 1 << type.width - 1):
                assert show(bits, type)


def test_bad_requests_are_refused_by_name() -> None:
    requests: tuple[tuple[dict[str, Any], str], ...] = (
        ({"threads": [40]}, "no thread (40, 0, 0): there are 40 x 1 x 1"),
        ({"blocks": [(0, 1)]}, "no block (0, 1, 0)"),
        ({"registers": ["q"]}, "no register `q`"),
        ({"limit": 0}, "`limit` is a whole number from 1"),
        ({"threads": [-1]}, "a thread is one to three numbers from 0"),
    )
    for options, words in requests:
        with pytest.raises(openptx.ArgumentError, match=words.replace("(", r"\(").replace(")", r"\)")):
            traced(**options)
    with pytest.raises(openptx.InputError, match="no type `q`"):
        type_of("q")


def command(tmp_path: Path, *options: str, text: str = SCALE) -> int:
    path = tmp_path / "scale.ptx"
    path.write_text(text, "utf-8")
    return main(["run", str(path), "--grid", "2", "--block", "40", "--arg", "zeros:f32:80", "50", "--quiet", *options])


def test_run_prints_a_trace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(tmp_path, "--trace", "--trace-thread", "3", "--trace-register", "v") == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 6
    assert lines[1].endswith(
        "block 1,0,0 warp 0 00000008 line 14: ld.global.f32 v, [p]  [p]=" + lines[1].split("[p]=")[1]
    )
    assert "-> v=0.0" in lines[1]


def test_run_writes_a_trace_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "t.jsonl"
    assert command(tmp_path, "--trace-output", str(output), "--trace-limit", "7") == 0
    rows = [json.loads(line) for line in output.read_text().splitlines()]
    assert len(rows) == 7
    assert rows[0]["text"] == "ld.param.u64 p, [x]"
    assert "only the first 7 records" in capsys.readouterr().err


def test_run_compares_with_another_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "other.ptx"
    other.write_text(SCALE.replace("0f3F000000", "0f3F000001"), "utf-8")
    assert command(tmp_path, "--against", str(other)) == 1
    assert "another instruction is executed" in capsys.readouterr().out
    other.write_text(SCALE, "utf-8")
    assert command(tmp_path, "--against", str(other)) == 0
    assert "both execute the same" in capsys.readouterr().out


def test_run_says_that_no_instruction_was_chosen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(tmp_path, "--trace", "--trace-line", "999") == 0
    assert "nothing was recorded" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--trace-output", "--against"])
def test_run_opens_its_files_before_the_launch(tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str) -> None:
    missing = str(tmp_path / "missing" / "file")
    assert command(tmp_path, "--trace", option, missing) == 2
    assert capsys.readouterr() == ("", f"error: {missing}: No such file or directory\n")


def test_run_refuses_what_cannot_be_traced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for options, words in (
        (["--trace-thread", "3"], "write --trace as well"),
        (["--trace", "--engine", "native"], "leave out --engine native"),
        (["--trace", "--trace-line", "x"], "FILE:LINE"),
        (["--trace", "--trace-thread", "-1"], "positions are numbers from 0"),
    ):
        assert command(tmp_path, *options) == 2
        assert words in capsys.readouterr().err


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


def test_an_inlined_instruction_has_its_own_line_and_that_of_the_call() -> None:
    first, second, _ = map(str, openptx.trace(openptx.load(INLINED)["k"], 1, 1, ()))
    assert " a.cu:9: mov.u32 r, 1 " in first
    assert " a.cu:2, inlined at a.cu:9: add.u32 r, r, 1 " in second
