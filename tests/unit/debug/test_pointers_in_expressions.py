"""Casts of pointers, addresses, pointer arithmetic and `x@COUNT` as in gdb and cuda-gdb, with and without `nvcc -G`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

import openptx
from openptx.debug import Session
from openptx.debug.examine import at_location
from openptx.debug.formats import value_text
from openptx.debug.listing import in_warp
from openptx.errors import InputError

KERNEL = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out) {
    .shared .align 16 .b8 tile[16];
    .reg .b64 %rd<3>; .reg .u32 %r1; .reg .f32 %f1;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, 8;
    mov.f32 %f1, 0f3F800000;
    st.shared.v2.u32 [tile], {5, 6};
    st.shared.f32 [tile+8], 0f3FC00000;
    st.global.u32 [%rd1+4], %r1;
    mov.b64 %rd2, %rd1;
    ld.global.f32 %f1, [%rd2];
    st.global.f32 [%rd2], %f1;
    ret;
}
"""
VALUES = np.array([0x3FC00000, 7, 0x4000BC00, 0x40490FDB], np.uint32)


def stopped() -> Session:
    made = Session(openptx.load(KERNEL)["k"], 1, 1, (VALUES.copy(),))
    made.start()
    made.break_at(str(KERNEL[: KERNEL.index("st.global")].count("\n") + 1))
    made.cont()
    return made


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    made = stopped()
    yield made
    made.close()


@pytest.fixture(scope="module")
def compiled() -> Iterator[Session]:
    """Stopped in `outer`, where v is 3 and q points to {3, 4.5, {7, 3, -1}}."""
    file = Path(__file__).with_name("compiled_for_debugging.ptx")
    made = Session(openptx.load(str(file))["k"], 1, 32, (np.zeros(32, np.int32), 4))
    made.start()
    made.break_at("compiled_for_debugging.cu:18", "v == 3")
    made.cont()
    yield made
    made.close()


def shown(session: Session, text: str) -> str:
    return value_text(session.scope(), session.evaluate(text), "")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("*(float*)%rd1", "1.5"), ("*(float *)rd1 * 2", "3.0"), ("2 + *(int*)(%rd1 + 4)", "9"),
        ("((unsigned int*)%rd1)[1]", "7"), ("*((int*)%rd1 + 1)", "7"), ("*(1 + (int*)%rd1)", "7"),
        ("(long long*)%rd1 + 2 - (long long*)%rd1", "2"), ("*(half*)(%rd1 + 10)", "2.0"),
        ("*(__half2*)(%rd1 + 8)", "(-1.0, 2.0)"), ("*(__nv_bfloat16*)(%rd1 + 2) + 1", "2.5"),
        ("((unsigned char*)%rd1)[3]", "63"), ("*(signed char*)(%rd1 + 9)", "-68"),
        ("*(double*)(%rd1 + 8) > 3", "True"),
        ("*(long unsigned int*)%rd1 >> 32", "7"), ("*(.f16x2*)(%rd1 + 8)", "(-1.0, 2.0)"),
        ("((int*)tile)[1]", "6"), ("*(@shared float*)%r1", "1.5"), ("*(@shared const int *)0x4 + 0", "6"),
        ("*(@shared int2*)0", "{x = 5, y = 6}"), ("((@shared int2*)0)->y", "6"),
        ("&((@shared int2*)0)->y", ".shared 0x4"),
        ("&*(@shared int*)4 + 2", ".shared 0xc"), ("*(int*)&tile[4]", "6"), ("!*(int*)tile == 1", "False"),
        ("-*(int*)tile / 2", "-2"), ("-*(int*)tile % 3", "-2"), ("-5 // 2", "-3"), ("5 / 2.0", "2.5"),
        ("*(@shared int*)0@2", ".shared 0x0 {5, 6}"), ("tile[4]@2", ".shared 0x4 {0x6, 0x0}"),
        ("(@shared int*)4 == 4 && *(float*)%rd1 < 2", "True"),
        ("sizeof(int)", "4"), ("sizeof (double *) * 2", "16"), ("sizeof %r1 + 1", "5"), ("sizeof(float4)", "16"),
        ("sizeof((short*)tile)[0]", "2"), ("sizeof tile", "16"), ("-sizeof(char)", "-1"),
        ("%r1 > 4 ? %f1 : 2", "1.0"), ("%r1 == 4 ? 1 : %r1 == 8 ? (2 + 1) * 2 : 3", "6"),
        ("1 + (0 ? 1 : *(int*)tile ? 7 : 8)", "8"), ("tile[%r1 ? 4 : 0]", "0x6"), ("0 ? 1 ? 2 : 3 : 4", "4"),
    ],
)  # fmt: skip
def test_memory_is_read_through_casts(text: str, value: str, session: Session) -> None:
    assert shown(session, text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("*(Point*)q", "{x = 3, y = 4.5, tag = {7, 3, -1}}"), ("((struct Point *)q)->tag[1]", "3"),
        ("q->x + *(int*)q", "6"), ("*(arr + 1)", "4"), ("&arr[3] - arr", "3"), ("*arr@2", ".local 0x60 {3, 4}"),
        ("((Node*)q)->key", "3"), ("*(Color*)&tile[5]", "25"), ("(char*)q + 4 == &q->y", "True"),
        ("(Point*)q + 1 - q", "1"), ("v / 2", "1"), ("*&q->tag[2]", "-1"), ("*(float*)&tile[2] > 0", "True"),
        ("sizeof(Point)", "16"), ("sizeof *q == sizeof(Point)", "True"), ("sizeof q->tag / sizeof q->tag[0]", "3"),
        ("(q->x == 3 ? *q : q[1]).y", "4.5"),
    ],
)  # fmt: skip
def test_types_of_the_program(text: str, value: str, compiled: Session) -> None:
    assert shown(compiled, text) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("*(flaot*)%rd1", "no type `flaot`; did you mean `float`?"), ("*(void*)%rd1", "cast the pointer"),
        ("*(int*)(%rd1 + 16)", "cannot read 4 bytes at 0x"),
        ("*(@shared int*)14", "cannot read 4 bytes at 0xe in .shared"),
        ("*(@everywhere int*)0", "no state space `@everywhere`: write @global"),
        ("*%rd1", "cast it to a pointer first"),
        ("*(int*)%rd2", "the pointer is undefined: this thread has not written it"),
        ("(int*)%f1", "only integers, pointers and arrays"), ("%r1@2", "takes what is in memory"),
        ("*(int*)%rd1@0", "a count from 1 to"), ("(int*)1 + (int*)2", "only the difference"),
        ("1 - (int*)2", "a pointer takes the addition"), ("(int*)2 + 0.5", "a whole number"),
        ("1 ? 2", "lacks its `:`"), ("sizeof(void)", "no size"), ("sizeof(flaot)", "did you mean `float`?"),
        ("sizeof(1 + 2)", "neither an address"), ("1 : 2", "is not an expression"),
        ("sqrt (int*)2", "functions cannot be called"), ("&(%r1 + 1)", "neither an address"),
        ("&(int*)2", "it is a value, which has no address"), ("*(int*)%rd1->x", "no register or variable"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused(text: str, message: str, session: Session) -> None:
    with pytest.raises(InputError) as refused:
        session.evaluate(text)
    assert message in str(refused.value)


def test_memory_is_written_and_watched_through_casts() -> None:
    session = stopped()
    assert str(session.assign("*(float*)%rd1", "0.5")) == "0.5"
    assert str(session.assign("((short*)tile)[2]", "-1")) == "-1"
    assert (shown(session, "*(float*)%rd1"), shown(session, "((int*)tile)[1]")) == ("0.5", "65535")
    for target in ("(int*)%rd1", "(int)%rd1", "!%rd1", "*(void*)%rd1", "*(@constant int*)0"):
        with pytest.raises(InputError):
            session.assign(target, "1")
    session.watch("*((int*)%rd1 + 1)", "*((int*)%rd1 + 1) == 8")
    assert session.cont().message == "watchpoint 2: *((int*)%rd1 + 1): 7 -> 8"
    session.close()


def test_the_memory_where_something_is_now_is_watched() -> None:
    session = stopped()
    assert at_location(session, "tile[4]")[0] == "*(@shared .b8 *)0x4"
    assert at_location(session, "tile")[0] == "*(@shared .b8 *)0x0@16"
    text, scope = at_location(session, "((float*)%rd1)[0]")
    assert text.startswith("*(@generic float *)0x")
    session.watch(text, scope=scope)
    session.assign("%rd1", "%rd1 + 4")  # what it names has moved, the memory has not changed
    session.assign("%r1", "9")
    assert session.cont().kind == "exited"
    with pytest.raises(InputError):
        at_location(session, "%r1")
    session.close()


def test_lanes_have_their_own_memory(compiled: Session) -> None:
    arrays = dict(in_warp(compiled, "arr", ""))
    assert arrays["thread (3, 0, 0)"] == ".local 0x60 {3, 4, 5, 6}"
    assert arrays["thread (9, 0, 0)"] == ".local 0x60 {9, 10, 11, 12}"
    assert dict(in_warp(compiled, "*(Point*)q", ""))["thread (2, 0, 0)"] == "{x = 2, y = 3.0, tag = {7, 2, -1}}"


@pytest.mark.parametrize(
    ("text", "value"), [("not%rd1", "False"), ("0 or*(int*)%rd1 == 0", "False"), ("1 and&tile[0] == 0", "True")]
)
def test_words_may_stand_before_operators(text: str, value: str, session: Session) -> None:
    assert shown(session, text) == value


def test_elements_of_arrays_of_arrays_in_ptx() -> None:
    kernel = openptx.load(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {\n"
        ".shared .f32 rows[2][4];\nst.shared.f32 [rows+20], 0f3FC00000;\nret; }"
    )["k"]
    with closing(Session(kernel, 1, 1, ())) as session:
        session.start()
        session.watch("rows[1][1]")
        session.cont()
        assert str(session.evaluate("rows[1][1]")) == str(session.evaluate("rows[5]")) == "1.5"
        session.assign("rows[0][3]", "2.0")
        assert value_text(session.scope(), session.evaluate("rows"), "").endswith(
            "{{0.0, 0.0, 0.0, 2.0}, {0.0, 1.5, 0.0, 0.0}}"
        )
        with pytest.raises(InputError, match="the array has 4 elements"):
            session.evaluate("rows[0][4]")
