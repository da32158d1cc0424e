"""Assignments at a stop and after going back; watchpoints and the stack frame of their names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import openptx
from openptx.debug import Session
from openptx.errors import InputError

KERNEL = """.version 8.0
.target sm_80
.address_size 64
.func (.reg .f32 d) half(.reg .f32 a) {
    .reg .f32 f;
    mov.f32 f, 0f3F000000;
    mul.f32 d, a, f;
    ret;
}
.visible .entry k(.param .u64 out) {
    .shared .align 16 .f32 tile[8];
    .reg .b64 p; .reg .u32 i; .reg .f32 f; .reg .pred c; .reg .b32 h; .reg .b128 q; .reg .s32 n;
    ld.param.u64 p, [out];
    mov.u32 i, %tid.x;
    mov.f32 f, 0f40000000;
    setp.eq.u32 c, i, 99;
    mov.b32 h, 0;
    mov.s32 n, 0;
    mov.b128 q, {p, p};
    call (f), half, (f);
    mad.wide.u32 p, i, 4, p;
    @c mov.f32 f, 0f42000000;
    st.global.f32 [p], f;
    ret;
}
"""


@pytest.fixture
def given() -> Iterator[tuple[Session, Any]]:
    x = np.zeros(4, np.float32)
    made = Session(openptx.load(KERNEL.replace("sm_80", "sm_90").replace("8.0", "8.3"))["k"], 1, 4, (x,))
    made.start()
    yield made, x
    made.close()


def at(session: Session, text: str) -> int:
    return KERNEL[: KERNEL.index(text)].count("\n") + 1


def run_to(session: Session, text: str) -> None:
    session.break_at(str(at(session, text)), once=True)
    assert session.cont().kind == "breakpoint"


def test_one_lane_gets_the_value_and_no_other(given: tuple[Session, Any]) -> None:
    session, x = given
    run_to(session, "st.global")
    session.look_at(2)
    assert str(session.assign("f", "f * 4 + 0.5")) == "4.5"
    session.cont()
    assert x.tolist() == [1, 1, 4.5, 1]


def test_every_kind_of_register_and_memory(given: tuple[Session, Any]) -> None:
    session, _ = given
    run_to(session, "st.global")
    for target, value, wanted in (
        ("c", "true", "true"), ("c", "0", "false"), ("n", "-7", "-7"), ("h", "f32(1.5)", "0x3fc00000"),
        ("h", "-1", "0xffffffff"), ("f", "nan", "nan"), ("f", "-inf", "-inf"), ("f", "0f3E000000", "0.125"),
        ("f", "h", "nan"), ("h", "0fC0000000", "0xc0000000"), ("f", "h", "-2.0"),
        ("q", "1 << 100", hex(1 << 100)), ("tile[3]", "0.75", "0.75"), ("shared.b32[8]", "0f3F800000", "0x3f800000"),
        ("u32[p]", "0x40400000", str(0x40400000)),
    ):  # fmt: skip
        assert str(session.assign(target, value)) == wanted, (target, value)
        assert str(session.evaluate(target)) == wanted, (target, value)
    assert [v.number for v in session.scope().elements(session.evaluate("tile"))][:4] == [0, 0, 1, 0.75]


@pytest.mark.parametrize(
    ("target", "value", "words"),
    [
        ("i", "1 << 32", "not in the range"), ("i", "-1", "not in the range"), ("i", "0.5", "not an integer"),
        ("tile", "1", "can be assigned"), ("tile[8]", "1", "has 8 elements"), ("out", "1", "cannot be written"),
        ("u32[0]", "1", "cannot write"), ("%tid.x", "1", "can be assigned"), ("3", "1", "can be assigned"),
        ("f", "tile", "a number"), ("f", "1 +", "not an expression"), ("q", "1.5", "not an integer"),
    ],
)  # fmt: skip
def test_what_can_not_be_assigned(given: tuple[Session, Any], target: str, value: str, words: str) -> None:
    session, x = given
    session.step(count=3)
    with pytest.raises(InputError, match=words):
        session.assign(target, value)
    session.cont()
    assert x.tolist() == [1, 1, 1, 1]


def test_going_back_before_an_assignment_forgets_it_and_to_it_keeps_it(given: tuple[Session, Any]) -> None:
    session, x = given
    run_to(session, "st.global")
    step = session.stop.step
    session.assign("f", "8.0")
    session.assign("tile[0]", "3.0")
    session.step()
    session.back()
    assert (session.stop.step, str(session.evaluate("f")), str(session.evaluate("tile[0]"))) == (step, "8.0", "3.0")
    session.back(2)
    assert str(session.evaluate("f")) == "1.0"
    session.goto(step)
    assert (str(session.evaluate("f")), str(session.evaluate("tile[0]"))) == ("1.0", "0.0")
    session.assign("f", "9.0")
    session.cont()
    assert x.tolist() == [9, 1, 1, 1]
    session.start()
    session.cont()
    assert x.tolist() == [1, 1, 1, 1]


def test_a_caller_has_registers_of_its_own(given: tuple[Session, Any]) -> None:
    session, x = given
    run_to(session, "mul.f32 d")
    session.assign("n", "5", session.scope(1))
    assert str(session.evaluate("n", 1)) == "5"
    session.assign("a", "100.0")
    session.step(count=3)
    session.back()
    session.cont()
    assert x.tolist() == [50, 1, 1, 1]


def test_a_register_that_is_watched_is_that_of_one_function(given: tuple[Session, Any]) -> None:
    session, _ = given
    session.watch("f")
    messages = [session.cont().message for _ in range(2)]
    assert [m.rpartition(" -> ")[2] for m in messages] == ["2.0", "1.0"]  # not 0.5, of `half`


def test_a_watchpoint_may_have_a_condition(given: tuple[Session, Any]) -> None:
    session, _ = given
    session.watch("f", "f < 2")
    assert "2.0 -> 1.0" in session.cont().message
