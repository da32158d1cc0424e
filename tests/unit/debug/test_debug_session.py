"""The debugger's core: stops, stepping, breakpoints, inspection, going back."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import openptx
from openptx.debug import Session
from openptx.engines.common.engine import Running, alone

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
REDUCE = (
    HEAD
    + """.func (.reg .u32 d) twice(.reg .u32 a) {
    add.u32 d, a, a;
    ret;
}
.visible .entry reduce(.param .u64 out, .param .u32 n) {
    .shared .align 4 .u32 tile[64];
    .reg .b64 p; .reg .u32 i, v, b, s, k; .reg .pred c;
    ld.param.u64 p, [out];
    ld.param.u32 k, [n];
    mov.u32 i, %tid.x;
    mov.u32 b, %ctaid.x;
    call (v), twice, (i);
    mov.u32 s, tile;
    mad.lo.u32 s, i, 4, s;
    st.shared.u32 [s], v;
    bar.sync 0;
    setp.ge.u32 c, i, k;
    @c bra done;
    ld.shared.u32 v, [s];
    mad.wide.u32 p, i, 4, p;
    st.global.u32 [p], v;
done:
    ret;
}
"""
)
ROWS = {line.strip(): row for row, line in enumerate(REDUCE.splitlines(), 1)}


def session(
    text: str = REDUCE, name: str = "reduce", grid: Any = 2, block: Any = 64, args: Any = None, **options: Any
) -> Session:
    x = np.zeros(64, np.uint32)
    made = Session(openptx.load(text)[name], grid, block, (x, 40) if args is None else args, **options)
    made.start()
    return made


@pytest.fixture
def reduce() -> Iterator[Session]:
    made = session()
    yield made
    made.close()


def row(of: Session) -> int:
    op = of.lane_group().op
    assert op is not None
    return of.places.row(op)


def test_it_begins_at_the_first_instruction(reduce: Session) -> None:
    assert (reduce.stop.kind, reduce.stop.step, row(reduce)) == ("entry", 1, ROWS["ld.param.u64 p, [out];"])


def test_steps_by_instruction_enter_calls_and_over_them_do_not(reduce: Session) -> None:
    reduce.step(count=4)
    assert row(reduce) == ROWS["call (v), twice, (i);"]
    reduce.step()
    assert [activation.frame.plan.function.name for activation in reduce.frames()] == ["twice", "reduce"]
    reduce.finish()
    assert row(reduce) == ROWS["mov.u32 s, tile;"]
    reduce.goto(5)
    reduce.step(over=True)
    assert row(reduce) == ROWS["mov.u32 s, tile;"]


def test_registers_know_whether_they_were_written(reduce: Session) -> None:
    assert reduce.evaluate("i").undefined
    assert "undefined" in str(reduce.evaluate("v"))
    reduce.look_at(7)
    reduce.step(count=3)
    assert (str(reduce.evaluate("i")), reduce.evaluate("i").number) == ("7", 7)
    reduce.step(count=3)
    assert not reduce.evaluate("d").undefined
    reduce.step(count=1)
    assert str(reduce.evaluate("v")) == "14"


def test_a_breakpoint_with_a_condition_looks_at_the_thread_that_it_holds_for(reduce: Session) -> None:
    made = reduce.break_at(str(ROWS["mov.u32 s, tile;"]), "i == 37 and b == 1")
    stop = reduce.cont()
    assert (stop.kind, stop.breakpoints) == ("breakpoint", (made.number,))
    assert reduce.position(reduce.thread) == ((1, 0, 0), (37, 0, 0))
    assert reduce.cont().kind == "exited"


def test_breakpoints_by_label_function_line_and_thread(reduce: Session) -> None:
    assert reduce.break_at("done").places == {("reduce", 14)}
    assert reduce.break_at("twice").places == {("twice", 0)}
    assert reduce.break_at("reduce:done").places == {("reduce", 14)}
    assert reduce.break_at(str(ROWS["done:"])).places == {("reduce", 14)}
    for number in [*reduce.breakpoints]:
        reduce.delete(number)
    reduce.break_at("done", thread=64 + 50, once=True)
    reduce.cont()
    assert reduce.position(reduce.thread) == ((1, 0, 0), (50, 0, 0))
    assert reduce.breakpoints == {}


def test_unknown_places_and_names_say_what_is_near(reduce: Session) -> None:
    for call, words in (
        (lambda: reduce.break_at("dune"), "did you mean `done`"),
        (lambda: reduce.break_at("999"), "has 28 lines"),
        (lambda: reduce.break_at("k.cu:3"), "no debug information"),
        (lambda: reduce.evaluate("tyle"), "did you mean `tile`"),
        (lambda: reduce.evaluate("u32[0]"), "cannot read 4 bytes at 0x0"),
        (lambda: reduce.evaluate("tile[64]"), "has 64 elements"),
        (lambda: reduce.evaluate("1 +"), "not an expression"),
        (lambda: reduce.evaluate("1 / 0"), "division by zero"),
        (lambda: reduce.evaluate("__import__('os')"), "an expression has"),
        (lambda: reduce.delete(9), "no breakpoint"),
        (lambda: reduce.look_at(128), "no thread 128"),
        (lambda: reduce.finish(), "in the kernel itself"),
    ):
        with pytest.raises(openptx.InputError, match=words):
            call()


def test_memory_and_variables(reduce: Session) -> None:
    reduce.to_barrier()
    assert row(reduce) == ROWS["bar.sync 0;"]
    scope = reduce.scope()
    assert [v.number for v in scope.elements(scope.name("tile"))] == [2 * i for i in range(64)]
    assert str(reduce.evaluate("tile[3]")) == "6"
    assert str(reduce.evaluate("shared.f32[s]")) == "0.0"
    assert reduce.evaluate("u32[p]").number == 0
    assert reduce.evaluate("n").name == "n"
    assert reduce.evaluate("%tid.x + %ntid.x * 2") == 128
    assert str(reduce.evaluate("f32(0x3f800000)")) == "1.0"


def test_a_watchpoint_stops_after_the_store() -> None:
    x = np.zeros(64, np.uint32)
    one = session(args=(x, 40), grid=1)
    one.break_at("done", once=True)
    one.look_at(3)
    one.step(count=9)
    one.watch("tile[3]")
    stop = one.cont()
    assert stop.kind == "breakpoint" or "watchpoint" in stop.message
    one.close()
    one = session(args=(x, 40), grid=1)
    one.watch("tile[5]")
    one.watch("v")
    stop = one.cont()
    assert stop.kind == "watchpoint"
    one.delete(2)
    stop = one.cont() if "tile" not in stop.message else stop
    assert stop.message == "watchpoint 1: tile[5]: 0 -> 10"
    one.close()


def test_steps_back_and_to_an_earlier_step_set_memory_back() -> None:
    x = np.zeros(64, np.uint32)
    one = session(args=(x, 40), grid=1)
    stop = one.cont()
    assert stop.kind == "exited"
    assert x[39] == 78
    one.back()
    assert row(one) == ROWS["done:"] + 1
    one.look_at(0)
    one.back(1)
    one.back(2)
    assert x[39] == 0
    assert row(one) == ROWS["ld.shared.u32 v, [s];"]
    step = one.stop.step
    one.back(1000)
    assert one.stop.step == 1
    one.goto(step)
    assert row(one) == ROWS["ld.shared.u32 v, [s];"]
    one.cont()
    assert x[39] == 78


def test_back_to_a_breakpoint() -> None:
    one = session(grid=1)
    one.break_at("twice")
    one.cont()
    step = one.stop.step
    one.cont()
    one.back_to_breakpoint()
    assert one.stop.step == step
    with pytest.raises(openptx.InputError, match="no earlier stop"):
        one.back_to_breakpoint()
    assert one.stop.step == step
    one.close()


def test_a_fault_stops_with_everything_live() -> None:
    one = session(args=(np.zeros(8, np.uint32), 40), grid=1)
    stop = one.cont()
    assert (stop.kind, row(one)) == ("fault", ROWS["st.global.u32 [p], v;"])
    assert "out-of-bounds" in stop.message
    assert one.evaluate("i").number == 8
    assert one.evaluate("v").number == 16
    one.back()
    assert row(one) == ROWS["mad.wide.u32 p, i, 4, p;"]
    one.goto(stop.step)
    stop = one.cont()
    assert stop.kind == "fault"
    ended = one.cont()
    assert ended.kind == "exited"
    assert isinstance(ended.error, openptx.Fault)


DEADLOCK = (
    HEAD
    + """.visible .entry k() {
    .reg .u32 i; .reg .pred c;
    mov.u32 i, %tid.x;
    setp.lt.u32 c, i, 32;
    @c bra one;
    bar.sync 1, 64;
    ret;
one: bar.sync 0, 64;
    ret;
}
"""
)


def test_a_deadlock_says_who_waits_where() -> None:
    one = session(DEADLOCK, "k", 1, 64, ())
    stop = one.cont()
    assert stop.kind == "fault"
    assert "deadlock" in stop.message
    assert one.state_of(40) == "waits at barrier 1"
    assert one.state_of(0) == "waits at barrier 0"
    assert one.evaluate("i").number in (0, 32)
    one.close()


def test_a_trap() -> None:
    one = session(HEAD + ".visible .entry k() {\n.reg .u32 i;\nmov.u32 i, 7;\ntrap;\n}\n", "k", 1, 1, ())
    stop = one.cont()
    assert "trap" in stop.message
    assert one.evaluate("i").number == 7
    one.close()


def test_an_endless_kernel_is_interrupted_and_closed() -> None:
    one = session(HEAD + ".visible .entry k() {\n.reg .u32 i;\nl: add.u32 i, i, 1;\nbra l;\n}\n", "k", 1, 1, ())
    one.interrupt()
    assert one.cont().kind == "pause"
    first = one.evaluate("i").number
    one.step(count=4)
    assert one.evaluate("i").number == first + 2
    one.close()
    with pytest.raises(openptx.InputError, match="has ended"):
        one.cont()


def test_steps_by_line_of_the_source_and_breakpoints_there() -> None:
    text = (
        HEAD
        + """.file 1 "k.cu"
.visible .entry k() {
    .reg .u32 i;
    .loc 1 10 3
    mov.u32 i, 1;
    mov.u32 i, 2;
    .loc 1 11 3
    mov.u32 i, 3;
    ret;
}
"""
    )
    one = session(text, "k", 1, 1, ())
    one.step(line=True)
    assert one.evaluate("i").number == 2
    one.goto(1)
    one.break_at("k.cu:11")
    one.cont()
    assert one.evaluate("i").number == 2
    with pytest.raises(openptx.InputError, match=r"no instruction of k.cu:99; the sources are k.cu"):
        one.break_at("k.cu:99")
    one.close()


def test_the_step_of_a_thread_that_has_ended() -> None:
    one = session(grid=1)
    one.look_at(50)
    one.break_at("done", thread=3)
    one.cont()
    one.look_at(50)
    if one.state_of(50) == "has ended":
        with pytest.raises(openptx.InputError, match="has ended"):
            one.step()
    one.close()


def test_output_is_shown_once_though_the_launch_is_repeated() -> None:
    shown: list[str] = []
    text = (
        HEAD
        + """.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
.global .align 1 .b8 words[4] = {104, 105, 10, 0};
.visible .entry k() {
    .reg .b64 p; .reg .b32 q;
    .param .b64 f; .param .b64 a; .param .b32 r;
    cvta.global.u64 p, words;
    mov.u64 p, words;
    cvta.global.u64 p, p;
    st.param.b64 [f], p;
    st.param.b64 [a], 0;
    call (r), vprintf, (f, a);
    ret;
}
"""
    )
    one = session(text.replace("    cvta.global.u64 p, words;\n", ""), "k", 1, 1, (), print=shown.append)
    one.cont()
    one.back(3)
    one.cont()
    assert "".join(shown) == "hi\n"


def test_a_step_of_a_thousand_threads_is_quick() -> None:
    one = session(grid=4, block=1024, args=(np.zeros(4096, np.uint32), 40))
    one.step()
    start = time.perf_counter()
    for _ in range(8):
        one.step()
    print(f"{(time.perf_counter() - start) / 8 * 1e3:.2f} ms a step")
    assert one.stop.kind == "step"
    one.close()


def test_blocks_of_clusters_are_named_alike_before_and_after_they_begin() -> None:
    text = HEAD.replace("sm_80", "sm_90") + ".visible .entry k() {\n.reg .u32 i;\nmov.u32 i, %ctaid.x;\nret;\n}\n"
    one = Session(openptx.load(text)["k"], (4, 2), 1, (), cluster=(2, 2))
    before = [one.position(thread)[0] for thread in range(8)]
    assert [one.numbering.number_of_block(block) for block in before] == list(range(8))
    one.start()
    assert [one.position(thread)[0] for thread in range(8)] == before
    assert before[2:4] == [(0, 1, 0), (1, 1, 0)]
    one.close()


def test_a_launch_runs_alone_while_another_is_stopped(reduce: Session) -> None:
    with Running("other"):
        assert alone("other")
        reduce.step()
        assert not alone("other")


def test_the_launch_of_a_session_that_nobody_holds_ends() -> None:
    def launches() -> set[threading.Thread]:
        return {thread for thread in threading.enumerate() if thread.name == "openptx-launch"}

    before = launches()
    one = session()
    (thread,) = launches() - before
    gone = weakref.ref(one)
    del one
    assert gone() is None
    assert not thread.is_alive()
