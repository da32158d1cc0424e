"""`openptx debug` and `kernel(..., debug=True)`: commands, what they print, and bad input."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import openptx
from openptx.cli import main

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
REDUCE = (
    HEAD
    + """.func (.reg .u32 d) twice(.reg .u32 a) {
    add.u32 d, a, a;
    ret;
}
.visible .entry reduce(.param .u64 out, .param .u32 n) {
    .shared .align 4 .u32 tile[64];
    .reg .b64 p; .reg .u32 i, v, b, s, k; .reg .pred c; .reg .b32 h; .reg .v2 .u32 w;
    ld.param.u64 p, [out];
    ld.param.u32 k, [n];
    mov.u32 i, %tid.x;
    mov.b32 h, 0x40003C00;
    mov.u32 w.x, 3;
    mov.u32 w.y, 4;
    add.u32 b, w.x, h;
    call (v), twice, (i);
    mov.u32 s, tile;
    mad.lo.u32 s, i, 4, s;
    st.shared.u32 [s], v;
    bar.sync 0;
    setp.ge.u32 c, i, k;
    @c bra done;
    mad.wide.u32 p, i, 4, p;
    st.global.u32 [p], w.y;
done:
    ret;
}
"""
)


@pytest.fixture
def kernel(tmp_path: Path) -> str:
    path = tmp_path / "reduce.ptx"
    path.write_text(REDUCE, "utf-8")
    return str(path)


def debug(kernel: str, tmp_path: Path, *commands: str, count: int = 64) -> int:
    script = tmp_path / "commands.txt"
    script.write_text("\n".join(commands), "utf-8")
    options = ["--grid", "2", "--block", "64", "--arg", f"zeros:u32:{count}", "40"]
    return main(["debug", kernel, *options, "-x", str(script)])


def test_a_session(kernel: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    commands = (
        "break twice if a == 5", "continue", "where", "print a", "print/x a + 10", "up", "print v", "finish",
        "barrier", "print tile", "x/4u32 shared tile", "print/f16x2 h", "print w", "info threads", "info warps",
        "info blocks", "info registers", "thread 9", "block 1", "print i", "lanes i", "list",
    )  # fmt: skip
    assert debug(kernel, tmp_path, *commands) == 0
    out = capsys.readouterr().out
    for words in (
        "block (0, 0, 0) thread (0, 0, 0), step 1: reduce, line 11",
        "breakpoint 1: twice, line 5",
        "block (0, 0, 0) thread (5, 0, 0), step 9: twice, line 5\n     5  add.u32 d, a, a;",
        "> #0 twice, line 5: add.u32 d, a, a;\n  #1 reduce, line 18: call (v), twice, (i);",
        "\na = 5\na + 10 = 0xf\n",
        "v = 0 (undefined: this thread has not written it)",
        "tile = .shared 0x0 {0, 2, 4, 6,",
        "0x0: 0 2 4 6\n",
        "h = (1.0, 2.0)",
        "w = {3, 4}",
        "running    reduce, line 22: threads 0-63",
        "warp 1: ffffffff at reduce:22 running",
        "block (1, 0, 0): 64 of 64 threads run",
        "block (1, 0, 0) thread (9, 0, 0)",
        "\ni = 9\n",
        "thread (31, 0, 0): 31",
        ">    22      bar.sync 0;",
    ):
        assert words in out


def test_what_is_wrong_is_said_and_the_session_goes_on(
    kernel: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    commands = (
        "jump", "print", "print q", "print/q i", "x", "x/3f32 0", "break nowhere", "delete 4", "thread 64", "block 2",
        "lane 32", "warp 2", "frame 3", "down", "finish", "goto x", "goto 0", "info nothing", "help nothing", "reverse",
        "print i +", "watch", "enable 1", "print 1 << 100000000", "print tile[1.5]", "lanes", "lanes q", "list 999",
        "# a comment", "",
        "continue", "step", "print i", "continue", "lanes i", "back", "print i",
    )  # fmt: skip
    assert debug(kernel, tmp_path, *commands) == 0
    out = capsys.readouterr().out
    assert out.count("error: ") == 32
    assert "the launch has ended\n" in out
    assert "Traceback" not in out
    assert out.endswith("i = 0\n")


def test_every_command_has_help(kernel: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert debug(kernel, tmp_path, "help", "help b", "quit", "print never") == 0
    out = capsys.readouterr().out
    assert "None" not in out
    assert "break PLACE [thread N] [if CONDITION]" in out
    assert "never" not in out


def test_a_fault_is_explained_and_is_the_status(
    kernel: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert debug(kernel, tmp_path, "continue", "print i", "back", "continue", "continue", count=30) == 1
    out = capsys.readouterr().out
    assert "thread (30, 0, 0)" in out
    assert "i = 30" in out
    assert "the launch has ended in a fault" in out


def test_a_case_folder_is_a_launch(capsys: pytest.CaptureFixture[str]) -> None:
    case = Path(__file__).parents[2] / "kernels" / "shuffle_sum_sm80"
    assert main(["debug", str(case), "-e", "info blocks", "-e", "quit"]) == 0
    assert "threads run" in capsys.readouterr().out


def test_what_is_no_launch(kernel: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    binary = tmp_path / "binary"
    binary.write_bytes(b"\x93NUMPY")
    for arguments, words in (
        ([], "nothing to debug"),
        ([kernel, "--grid", "1", "--block", "1", "-x", str(binary)], "binary: not a text file in UTF-8"),
        (["--dap", "--port", "65536"], "write a number from 0 to 65535"),
        ([kernel], "--grid and --block"),
        (["-", "--grid", "1", "--block", "1"], "the commands come from stdin"),
        ([kernel, "--grid", "1", "--block", "1", "-x", str(tmp_path / "none")], "No such file"),
        ([kernel, "--grid", "1", "--block", "1"], "takes 2 arguments"),
    ):
        assert main(["debug", *arguments]) == 2
        assert words in capsys.readouterr().err


def endless_launch(tmp_path: Path) -> list[str]:
    """A command that debugs a launch without an end."""
    path = tmp_path / "endless.ptx"
    path.write_text(
        HEAD + ".visible .entry k() {\n.reg .u32 i;\nmov.u32 i, 0;\nl: add.u32 i, i, 1;\nbra l;\n}\n", "utf-8"
    )
    return [sys.executable, "-m", "openptx", "debug", str(path), "--grid", "1", "--block", "1"]


def test_an_interrupt_ends_commands_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "commands").write_text("continue\nprint i > 0\n", "utf-8")
    command = [*endless_launch(tmp_path), "-x", str(tmp_path / "commands")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as started:
        assert started.stdout is not None
        assert "at the first instruction" in started.stdout.readline()
        time.sleep(0.5)
        os.kill(started.pid, signal.SIGINT)
        out, errors = started.communicate(timeout=60)
    assert started.returncode == 130
    assert "error: interrupted" in errors
    assert "interrupted\nblock (0, 0, 0) thread (0, 0, 0)" in out
    assert "i > 0" not in out


def test_commands_from_a_pipe_and_the_interrupt_of_a_running_launch(tmp_path: Path) -> None:
    command = endless_launch(tmp_path)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as started:
        assert started.stdin is not None
        assert started.stdout is not None
        started.stdin.write("continue\nprint i > 0\nquit\n")
        started.stdin.flush()
        assert "at the first instruction" in started.stdout.readline()
        time.sleep(0.5)
        os.kill(started.pid, signal.SIGINT)
        out = started.stdout.read()
        assert started.wait(60) == 0
    assert "interrupted" in out
    assert "i > 0 = True" in out


def test_a_launch_from_python(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    x = np.zeros(64, np.uint32)
    kernel = openptx.load(REDUCE)["reduce"]
    monkeypatch.setattr(sys, "stdin", io.StringIO("break done\ncontinue\nprint i\ncontinue\n"))
    kernel(1, 64, (x, 40), debug=True)
    out = capsys.readouterr().out
    assert "breakpoint 1" in out
    assert out.endswith("i = 0\nthe launch has ended\n")
    assert x[39] == 4
    monkeypatch.setattr(sys, "stdin", io.StringIO("quit\n"))
    with pytest.raises(KeyboardInterrupt):
        kernel(1, 64, (x, 40), debug=True)
    monkeypatch.setattr(sys, "stdin", io.StringIO("continue\ncontinue\n"))
    with pytest.raises(openptx.Fault):
        kernel(1, 64, (x[:8], 40), debug=True)
