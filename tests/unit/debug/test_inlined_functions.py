"""Functions that exist only inlined, in code with `.loc ... inlined_at` and no debug information."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from dap_client import Client

from openptx.cli import main

# Two calls of `_Z5scalei` in an unrolled loop, one of them mixed with other code, and one in `_Z5shifti`.
TEXT = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u32 n) {
    .reg .b32 r<9>;
    .loc 1 9 1
    ld.param.u32 r0, [n];
    .loc 1 10 1
    .loc 1 2 3, function_name $L__info_string0, inlined_at 1 10 1
    add.u32 r1, r0, 1;
    .loc 1 10 1
    mov.u32 r2, r1;
    .loc 1 3 3, function_name $L__info_string0, inlined_at 1 10 1
    add.u32 r3, r2, 1;
    .loc 1 10 1
    mov.u32 r4, r3;
    .loc 1 2 3, function_name $L__info_string0, inlined_at 1 10 1
    add.u32 r5, r4, 1;
    .loc 1 11 1
    .loc 1 6 3, function_name $L__info_string1, inlined_at 1 11 1
    .loc 1 2 3, function_name $L__info_string0, inlined_at 1 6 3
    add.u32 r6, r5, 1;
    .loc 1 0 3, function_name $L__info_string0, inlined_at 1 6 3
    add.u32 r7, r6, 1;
    .loc 1 6 3, function_name $L__info_string1, inlined_at 1 11 1
    add.u32 r8, r7, 1;
    .loc 1 12 1
    ret;
}
.file 1 "SOURCE"
.section .debug_str
{
$L__info_string0:
.b8 95,90,53,115,99,97,108,101,105,0 // _Z5scalei
$L__info_string1:
.b8 95,90,53,115,104,105,102,116,105
.b8 0
}
"""
PYTHON = """import triton
def scale(a):
    return a + (a
        + 1)

class Shift:
    def shift(a): return scale(a)
"""


def debug(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], *commands: str) -> str:
    script, file = tmp_path / "commands.txt", tmp_path / "k.ptx"
    script.write_text("\n".join(commands), "utf-8")
    file.write_text(text, "utf-8")
    assert (
        main(["debug", str(file), "--grid", "1", "--block", "1", "--arg", "1", "--kernel", "k", "-x", str(script)]) == 0
    )
    return capsys.readouterr().out


def rows(out: str) -> list[int]:
    return [int(row) for row in re.findall(r"^block .*, line (\d+) ", out, re.M)][1:]


def test_a_breakpoint_stops_where_each_inlined_call_begins(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = debug(TEXT, tmp_path, capsys, "break scale", *["continue"] * 4, "where", "break shfit", "tbreak shift")
    assert rows(out) == [10, 18, 22]  # not 14, the rest of the call that begins on line 10
    assert re.findall(r"^[> ] #\d (.*)$", out, re.M) == []  # the launch has ended
    assert "did you mean `shift`?" in out
    assert "breakpoint 2: scale inlined in k, line 22" in out


def test_inlined_calls_are_activations(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = debug(TEXT, tmp_path, capsys, "break shift", "continue", "where", "up", "finish", "step")
    assert re.findall(r"^  #\d (.*)$", out, re.M)[:2] == [
        "shift inlined in k, line 22 (SOURCE:6)",
        "k, line 22 (SOURCE:11)",
    ]
    assert rows(out) == [22, 28]


def test_steps_over_inlined_calls_and_out_of_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert rows(debug(TEXT, tmp_path, capsys, "tbreak scale", "continue", "next", "next", "next")) == [10, 12, 28]
    assert rows(debug(TEXT, tmp_path, capsys, "tbreak 22", "continue", "finish", "next")) == [22, 26, 28]


def test_triton_names_the_kernel_and_the_source_the_function(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "kernel.py"
    text = re.sub(r"\.b8 95,90.*", ".b8 107,0", TEXT).replace("\n.b8 0\n", "\n").replace("SOURCE", str(source))
    out = debug(text, tmp_path, capsys, "break scale")
    assert "no line, label or function `scale`" in out
    source.write_text(PYTHON, "utf-8")
    out = debug(text, tmp_path, capsys, "break scale", "continue", "where")
    assert rows(out) == [10]
    assert "> #0 scale inlined in k, line 10" in out


def test_an_editor_shows_inlined_calls_as_frames(client: Client, tmp_path: Path) -> None:
    file = tmp_path / "k.ptx"
    file.write_text(TEXT, "utf-8")
    client.launch(file, kernel="k", block=1, args=(1,))
    (made,) = client.ask("setFunctionBreakpoints", breakpoints=[{"name": "shift"}])["breakpoints"]
    assert made["verified"]
    client.ask("configurationDone")
    client.event("stopped")
    client.ask("continue", threadId=1)
    client.event("stopped")
    frames = client.ask("stackTrace", threadId=1)["stackFrames"]
    assert [frame["name"] for frame in frames] == ["scale", "shift", "k"]
