"""Commands of breakpoints, `printf`, `until`, and other everyday commands of gdb and cuda-gdb."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator

import numpy as np
import pytest

import openptx
from openptx.debug import Session
from openptx.debug.logpoints import of_message
from openptx.debug.scripts import arguments, printed
from openptx.debug.terminal import Terminal
from openptx.errors import InputError

LOOP = """.version 8.0
.target sm_80
.address_size 64
.func (.reg .u32 d) twice(.reg .u32 a) {
    add.u32 d, a, a;
    add.u32 d, d, 0;
    ret;
}
.visible .entry k(.param .u64 out) {
    .reg .b64 p; .reg .u32 i, v; .reg .pred c;
    ld.param.u64 p, [out];
    mov.u32 i, 0;
more:
    call (v), twice, (i);
    add.u32 i, i, 1;
    setp.lt.u32 c, i, 4;
    @c bra more;
    st.global.u32 [p], v;
    ret;
}
"""


def row(text: str) -> int:
    return LOOP[: LOOP.index(text)].count("\n") + 1


def loop(*commands: str, interactive: bool = False) -> str:
    return run(Session(openptx.load(LOOP)["k"], 1, 1, (np.zeros(1, np.uint32),)), commands, interactive)


def run(session: Session, commands: tuple[str, ...], interactive: bool = False) -> str:
    out = io.StringIO()
    terminal = Terminal(session, io.StringIO(), out, interactive=interactive)
    session.start()
    terminal.execute([*commands])
    session.close()
    return out.getvalue()


def test_commands_of_a_breakpoint_are_executed_at_each_stop() -> None:
    out = loop(
        f"break {row('setp')}", "commands", "  silent", '  printf "i=%d v=%u%%\\n", i, v', "continue", "print 9", "end",
        "info breakpoints", "continue", "print 7",
    )  # fmt: skip
    assert out.partition(f"line {row('setp')}\n")[2] == (
        f'1: break {row("setp")}, 0 stops\n    silent\n    printf "i=%d v=%u%%\\n", i, v\n    continue\n    print 9\n'
        "i=1 v=0%\ni=2 v=2%\ni=3 v=4%\ni=4 v=6%\nthe launch has ended\n"
        "error: the launch has ended; `start` begins it again, `back` goes back\n"
    )


def test_commands_of_a_temporary_breakpoint_and_of_a_watchpoint() -> None:
    out = loop(
        f"tbreak {row('setp')}", "watch i == 3", "commands 1 2", "print i", "end", "continue", "continue",
    )  # fmt: skip
    assert out.count("i = 1\n") == 1
    assert out.endswith("i = 3\n")
    assert out.count("step ") == 2  # both stops are shown, too


def test_watchpoints_have_conditions_and_ignored_changes() -> None:
    out = loop(
        "goto 3", "watch i if i == 2", "info breakpoints", "continue", "print i", "condition 1", "ignore 1 1",
        "info breakpoints", "continue", "print i", "condition 1 1 +",
    )  # fmt: skip
    assert "1: watch i if i == 2, 0 stops\n" in out
    assert "watchpoint 1 does not stop the next 1 times\n1: watch i, 1 stops\n" in out
    assert [line for line in out.splitlines() if line.startswith("i = ")] == ["i = 2", "i = 4"]
    assert out.endswith("error: `1 +` is not an expression\n")


def test_dprintf_writes_and_does_not_stop() -> None:
    out = io.StringIO()
    session = Session(openptx.load(LOOP)["k"], 1, 1, (np.zeros(1, np.uint32),), print=out.write)
    shown = run(
        session,
        (
            f'dprintf {row("setp")}, "i=%d\\n", i', "info breakpoints", "nexti 5", "continue", "reverse", "dprintf 1",
            'dprintf k, "%d", 1 +',
        ),
    )  # fmt: skip
    assert out.getvalue() == "i=1\ni=2\ni=3\ni=4\n"
    assert f'\n1: dprintf {row("setp")}, 0 stops\n    printf "i=%d\\n", i\n' in shown
    assert f"line {row('@c bra')}\n" in shown  # a step is not interrupted
    assert shown.endswith(
        "the launch has ended\nerror: there is no earlier stop at a breakpoint\n"
        'error: write dprintf PLACE, "FORMAT", EXPRESSION, ...\nerror: `1 +` is not an expression\n'
    )


def test_a_message_has_values_in_braces(session: Session) -> None:
    assert of_message("i = {i}, {1 + 1}!")(session.scope()) == "i = 0, 2!\n"
    with pytest.raises(InputError):
        of_message("{1 +}")


def test_what_commands_need_is_said() -> None:
    assert loop("commands") == "error: there are no breakpoints\n"
    assert loop("break k", "commands 2", "commands x").endswith(
        "error: no breakpoint or watchpoint 2\nerror: write a number, not `x`\n"
    )
    assert loop("break k", "commands", "print 1").endswith("error: `commands` without `end`\n")


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    made = Session(openptx.load(LOOP)["k"], 1, 1, (np.zeros(1, np.uint32),))
    made.goto(3)
    yield made
    made.close()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('"%5.1f|%-3d|%c%%\\n", 1.25, i, 65', "  1.2|0  |A%\n"), ('"%p", 16', "0x10"), ('"%hhx", i - 1', "f" * 16),
        ('"%x", (int)-1', "f" * 8), ('"%s %lld", f32(0.5), 1 << 40', "0.5 1099511627776"), ('"a, b"', "a, b"),
    ],
)  # fmt: skip
def test_printf(text: str, shown: str, session: Session) -> None:
    assert printed(session, text) == shown


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('"%d"', "the format takes more values"), ('"", 1', "more values than"),
        ('"%d", threadIdx', "%d takes a number"),
        ('"%d", 1.5', "%d takes an integer, and 1.5 is none"), ('"%9999999999d", 1', "more values"),
        ("%d, 1", 'write printf "FORMAT", EXPRESSION'),
    ],
)  # fmt: skip
def test_printf_refuses(text: str, message: str, session: Session) -> None:
    with pytest.raises(InputError) as refused:
        printed(session, text)
    assert message in str(refused.value)


def test_commas_in_brackets_do_not_separate_values() -> None:
    assert arguments("f(1, 2), a[b, (c, d)] , e") == ["f(1, 2)", "a[b, (c, d)]", "e"]


def test_until_leaves_loops_and_functions() -> None:
    out = loop(f"tbreak {row('@c bra')}", "continue", "until", "print i")
    assert f"line {row('st.global')}\n" in out
    assert out.endswith("i = 4\n")
    out = loop(
        "tbreak twice", "continue", f"until {row('st.global')}", "print i", f"until {row('st.global')}", "print i"
    )
    assert out.endswith("i = 4\n")
    assert "\ni = 0\n" in out


def test_continue_past_stops_and_clear() -> None:
    at = row("setp")
    out = loop("continue 2", f"break {at}", "continue", "continue 2", "print i", f"clear {at}", "clear", "continue")
    assert out.startswith("error: continue 2: the launch has not stopped at a breakpoint\n")
    assert out.endswith(
        "i = 3\ndeleted breakpoint 1\nerror: no breakpoint is there; `info breakpoints` lists them\n"
        "the launch has ended\n"
    )


def test_print_assigns_and_memory_is_watched_by_its_place() -> None:
    out = loop("goto 3", "print i = 3", "print/x i == 3", "print 3 = 4", "watch -l u32[p]", "continue", "print i")
    assert "\ni = 3\ni == 3 = 0x1\nerror: a register, an element" in out
    assert re.search(r"watchpoint 1: \*\(@generic \.u32 \*\)0x[0-9a-f]+: 0 -> 6\n", out)
    assert out.endswith("i = 4\n")


def test_facts_of_the_launch_and_settings() -> None:
    out = loop(
        "cuda kernel block thread", "info cuda kernels", "info cuda devices", "info cuda sms", "info cuda barriers",
        f"info line {row('setp')}", "set cuda memcheck on", "set pagination off", "cuda kernel 1",
    ).splitlines()  # fmt: skip
    assert out == [
        "kernel 0, block (0, 0, 0), thread (0, 0, 0), warp 0, lane 0",
        "kernel 0: k, grid (1, 1, 1), block (1, 1, 1), 1 of 1 blocks are running",
        "device 0: the interpreter of OpenPTX, for .target sm_80",
        "the interpreter has no SMs: `info blocks` lists blocks, `info warps` the warps of the block",
        "no thread of the block waits", f"k, line {row('setp')}",
        "`set cuda memcheck` has no effect: every access is checked anyway; `openptx sanitize` finds more",
        "`set pagination` has no effect: it is a setting of gdb", "error: no kernel 1: there is kernel 0",
    ]  # fmt: skip


def test_instructions_and_strings_are_examined() -> None:
    session = Session(openptx.load(LOOP)["k"], 1, 1, (np.frombuffer(b'a"b\n\0c\0\xff', np.uint8).copy(),))
    out = run(session, ("x/2i $pc", "x/1i twice", "goto 2", "display/i $pc", "x/2s p", "x/s p + 7", "x/s p + 8", "si"))
    first = f"=> {row('ld.param'):>5}  ld.param.u64 p, [out];\n   {row('mov'):>5}  mov.u32 i, 0;\n"
    assert out.startswith(f"{first}   {row('add.u32 d, a'):>5}  add.u32 d, a, a;\n")
    assert f"1: => {row('mov'):>5}  mov.u32 i, 0;\n" in out
    assert ': "a\\"b\\n"\n' in out
    assert ': "c"\n' in out
    assert "error: cannot read 1 bytes at 0x" in out
    assert f"1: => {row('call'):>5}  call (v), twice, (i);\n" in out


def test_a_typed_body_has_a_prompt_of_its_own() -> None:
    session = Session(openptx.load(LOOP)["k"], 1, 1, (np.zeros(1, np.uint32),))
    terminal = Terminal(session, io.StringIO(), io.StringIO(), interactive=True)
    session.start()
    prompts = list[str]()
    for line in ("break k", "commands", "print i", "end", "break twice"):
        terminal.onecmd(line)
        prompts.append(terminal.prompt)
    assert prompts == ["(openptx) ", ">", ">", "(openptx) ", "(openptx) "]
    assert session.breakpoints.commands == {1: ["print i"]}
    session.close()
