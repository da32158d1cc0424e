"""Commands and expressions as gdb, cuda-gdb and C have them, in code of `nvcc -G`."""

from __future__ import annotations

from pathlib import Path

import pytest

from openptx.cli import main

HERE = Path(__file__).parent
STOP = ("break compiled_for_debugging.cu:18 if(v == 3 && !(v < 1))", "continue")


def debug(tmp_path: Path, capsys: pytest.CaptureFixture[str], *commands: str) -> str:
    script = tmp_path / "commands.txt"
    script.write_text("\n".join(commands), "utf-8")
    launch = ["--grid", "2", "--block", "32", "--arg", "zeros:s32:64", "4"]
    assert main(["debug", str(HERE / "compiled_for_debugging.ptx"), *launch, "-x", str(script)]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("v == 3 && !(v > 4) || v == 9", "True"), ("v % 2", "1"), ("v%v", "0"), ("(int)2.7 + v", "5"),
        ("-(int)-2.7", "2"), ("(unsigned char) 300", "44"), ("(float)v / 2", "1.5"), ("(long long)q->y", "4"),
        ("2 * (int)(float)q->x", "6"), ("GREEN == 5", "True"), ("arr[v % 2]", "4"), ("%r1 != 5 and not 0", "True"),
    ],
)  # fmt: skip
def test_expressions_of_c(expression: str, value: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert f"\n{expression} = {value}\n" in debug(tmp_path, capsys, *STOP, f"print {expression}")


def test_types_formats_and_memory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = debug(
        tmp_path, capsys, *STOP, "whatis q", "ptype q", "whatis %r1", "p/t v", "p/c v + 94", "p/x v + 94",
        "x/2dw &arr[2]", "x/1xb &arr", "x/2hx &arr", "whatis", "info registers v", "set var v = 4", "p v",
        "whatis (@shared float4*)0", "ptype (Node*)q", "x/2dw (@shared int*)8", "x/2 &arr",
    )  # fmt: skip
    for words in (
        "type = Point *\ntype = Point * {\n    int x;  // at 0\n    float y;  // at 4\n    short tag[3];  "
        "// at 8\n}\n",
        "type = .b32\nv = 0b11\nv + 94 = 97 'a'\nv + 94 = 0x61\n0x68: 5 6\n0x60: 0x3\n",
        "0x60: 0x3 0x0\n", "v = 3\nv = 4\nv = 4\n", "type = @shared float4 *\ntype = Node * {\n    int key;  // at 0\n",
        "0x8: 4 9\n0x60: 3 4\n",
    ):  # fmt: skip
        assert words in out


def test_names_of_types(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = debug(
        tmp_path, capsys, *STOP, "ptype struct Point", "whatis Node *", "ptype float2", "whatis int", "whatis void",
        "print sizeof(struct Point)", "whatis Pont",
    )  # fmt: skip
    for words in (
        "type = Point {\n    int x;  // at 0\n", "type = Node *\ntype = float2 {\n    float x;  // at 0\n",
        "type = int\ntype = void\nsizeof(struct Point) = 16\n", "no register or variable `Pont`",
    ):  # fmt: skip
        assert words in out


def test_blocks_of_a_launch_that_has_ended(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = debug(tmp_path, capsys, "info blocks", "continue", "info blocks")
    assert "block (1, 0, 0): 32 of 32 threads run\nthe launch has ended\nall blocks have ended\n" in out


def test_focus(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = debug(
        tmp_path, capsys, *STOP, "cuda block (1,0,0) thread (2,0,0)", "cuda warp 0 lane 5", "thread (7,0,0)", "cuda x",
        "cuda kernel 0 block 0", "info cuda warps", "info lanes",
    )  # fmt: skip
    names = [line.partition(", step")[0] for line in out.splitlines() if line.startswith("block")]
    assert names[2:] == [
        "block (1, 0, 0) thread (2, 0, 0)", "block (1, 0, 0) thread (5, 0, 0)", "block (1, 0, 0) thread (7, 0, 0)",
        "block (0, 0, 0) thread (7, 0, 0)",
    ]  # fmt: skip
    assert "error: write cuda block" in out
    assert out.count("warp 0: ffffffff at outer:") == 2


def test_everyday_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = debug(
        tmp_path, capsys, *STOP, "display v", "display nothing", "next", "undisplay 1",
        "advance compiled_for_debugging.cu:34", "ignore 1 1", "info functions", "disable", "enable 1", "cont", "pint v",
        "con", "info watch", "delete 8",
    )  # fmt: skip
    for words in (
        "1: v = 3\nerror: no register or variable `nothing`\nblock", "\ninner, inlined\n",
        "compiled_for_debugging.cu:34)\n",
        "the launch has ended\n", "error: no command `pint`; did you mean `print`?\n",
        "error: `con` may be condition or continue\n1: break compiled_for_debugging.cu:18 if (v == 3",
    ):  # fmt: skip
        assert words in out
    assert out.count("1: v = 3\n") == 2


def test_the_source_is_listed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(HERE)
    out = debug(tmp_path, capsys, "list compiled_for_debugging.cu:9", "list x.cu:1", "list outer")
    assert "\n      9    int w = v * 3;\n" in out
    assert "error: no source `x.cu`; the sources are compiled_for_debugging.cu\n" in out
    assert "add.s32 \t%r3, %r1, 2;" in out


TWO_WARPS = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k() {
    .shared .u32 a[64];
    .reg .u32 i, p;
    mov.u32 i, %tid.x;
    mov.u32 p, a;
    mad.lo.u32 p, i, 4, p;
    bar.sync 0;
    .reg .pred c;
    setp.ge.u32 c, i, 32;
    @c st.shared.u32 [p], i;
    bar.sync 0;
    ret;
}
"""


def test_a_watchpoint_stops_in_a_thread_that_wrote(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, script = tmp_path / "k.ptx", tmp_path / "commands.txt"
    file.write_text(TWO_WARPS, "utf-8")
    script.write_text("watch a[40]\ncontinue\n", "utf-8")
    assert main(["debug", str(file), "--grid", "1", "--block", "64", "-x", str(script)]) == 0
    out = capsys.readouterr().out
    assert "watchpoint 1: a[40]: 0 -> 40\nblock (0, 0, 0) thread (32, 0, 0), step" in out


def test_a_breakpoint_at_the_first_instruction_and_a_watchpoint_without_a_value(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, script = tmp_path / "k.ptx", tmp_path / "commands.txt"
    file.write_text(TWO_WARPS, "utf-8")
    script.write_text("break k\ncontinue\nwatch nothing\ninfo breakpoints\ncontinue\n", "utf-8")
    assert main(["debug", str(file), "--grid", "1", "--block", "64", "-x", str(script)]) == 0
    out = capsys.readouterr().out
    assert "\nbreakpoint 1\nblock (0, 0, 0) thread (0, 0, 0), step 1: k, line 7\n" in out
    assert out.endswith("error: no register or variable `nothing`\n1: break k, 1 stops\nthe launch has ended\n")


def test_run_begins_again_and_runs_to_a_breakpoint(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = debug(tmp_path, capsys, STOP[0], "run", "delete", "continue", "break outer", "r")
    assert out.count("step 1:") == 1  # the start of the session: `run` shows only where it stops
    before, ended, after = out.partition("the launch has ended\n")
    assert "\nbreakpoint 1\n" in before
    assert ended
    assert "\nbreakpoint 2\n" in after
