"""Lanes that loop forever end in a deadlock as soon as that is proved; those that may go on do not."""

from __future__ import annotations

import numpy as np
import pytest

import openptx
from openptx.engines.interp import batch, endless_loops, launch

KERNEL = """.version 8.4
.target sm_90
.address_size 64
.visible .entry k(.param .u64 x) {{
.reg .b32 i, t; .reg .b64 s, a, c; .reg .b128 w; .reg .pred p, q, r; .shared .b64 m; .shared .b32 f;
ld.param.u64 a, [x]; mov.u32 i, %tid.x; mov.u32 t, 0; setp.eq.u32 r, i, 0;
@r mbarrier.init.shared.b64 [m], {count}; @r st.shared.u32 [f], 0; bar.sync 0; {body} END: ret; }}"""
LOST = "mbarrier.arrive.shared.b64 s, [m]; AGAIN: mbarrier.try_wait.shared.b64 p, [m], s; {} @!p bra AGAIN;"
SPIN = "AGAIN: ld.volatile.shared.u32 t, [f]; setp.eq.u32 p, t, 0; {} @p bra AGAIN;"


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch, "SLICE", 1 << 18)
    monkeypatch.setattr(batch, "LONG", 1 << 18)
    monkeypatch.setattr(endless_loops, "WINDOW", 1 << 17)


def run(body: str, count: int = 65, max_instructions: int | None = None) -> None:
    kernel = openptx.load(KERNEL.format(body=body, count=count))["k"]
    kernel(1, 64, (np.zeros(64, np.uint32),), engine="interp", timeout=30, max_instructions=max_instructions)


ENDLESS = {
    "nothing else": LOST.format(""),
    "a counter": LOST.format("add.u32 t, t, 1;"),
    "a sleep that grows": LOST.format("mov.u64 c, %clock64; setp.lt.u64 q, c, 50; @q bra AGAIN; nanosleep.u32 t;"),
    "an exit that none takes": LOST.format("setp.gt.u32 q, t, 9; @q trap; @q st.shared.u64 [m], 0;"),
    "a flag": SPIN.format(""),
    "128 bits": SPIN.format("mov.b128 w, {a, a};"),
    "others at a barrier": "@r bra L; bar.sync 1; L: " + LOST.format(""),
}


@pytest.mark.parametrize("name", ENDLESS)
def test_lanes_that_loop_forever_are_a_deadlock(name: str) -> None:
    with pytest.raises(openptx.Fault) as found:
        run(ENDLESS[name])
    assert found.value.name == "deadlock"


ENDING = {
    "a counter of 128 bits": SPIN.format(
        "mov.b128 {s, c}, w; add.u64 c, c, 1; mov.b128 w, {s, c}; setp.gt.u64 q, c, 200; @q bra END;"
    ),
    "a limit": LOST.format("add.u32 t, t, 1; setp.gt.u32 q, t, 200; @q bra END;"),
    "a time": LOST.format("mov.u64 c, %clock64; setp.gt.u64 q, c, 900; @q bra END;"),
    "a store that counts": LOST.format("add.u32 t, t, 1; setp.gt.u32 q, t, 200; @q st.shared.u64 [m], -1;"),
    "another lane's store": SPIN.format("add.u32 i, i, 32; setp.eq.u32 q, i, 9600; @q st.shared.u32 [f], 1;"),
}


@pytest.mark.parametrize("name", ENDING)
def test_lanes_that_end_may_go_on(name: str) -> None:
    run(ENDING[name])


@pytest.mark.parametrize("read", ["ld.volatile.global.u32 t, [a]", "mov.u32 t, %clock_hi"])
def test_what_may_change_without_the_lanes_proves_nothing(read: str) -> None:
    with pytest.raises(openptx.Fault) as found:
        run(LOST.format(f"{read}; setp.ne.u32 q, t, 0; @q bra END;"), max_instructions=1000)
    assert found.value.name == "instruction-limit"


@pytest.mark.parametrize(
    ("body", "count", "progress", "remedy"),
    [
        (LOST.format(""), 65, "64 of 65 arrivals came", "1 more, or count fewer"),
        ("@r mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [m], 16; " + LOST.format(""), 64, "16 bytes are missing",
         "as many bytes as the copies bring"),
        ("mov.u64 s, 0; AGAIN: mbarrier.test_wait.parity.shared.b64 p, [m], 0; @!p bra AGAIN;", 64,
         "0 of 64 arrivals came", "parity 0 is that of the first"),
    ],
)  # fmt: skip
def test_a_deadlock_at_an_mbarrier_says_what_it_lacks(body: str, count: int, progress: str, remedy: str) -> None:
    with pytest.raises(openptx.Fault) as found:
        run(body, count)
    waits, exited, help = found.value.notes
    assert waits.startswith("64 threads wait for the phase of parity 0 of the mbarrier at 0x0 in .shared")
    assert progress in waits
    assert exited == "none of the block's 64 threads has exited"
    assert help.startswith("help: ")
    assert remedy in help


def test_the_cause_comes_before_waits_that_follow_from_it() -> None:
    """The first warp waits for arrivals of the second, which waits for one more thread."""
    second = "WAIT: mbarrier.test_wait.parity.shared.b64 p, [n], 0; @!p bra WAIT; mbarrier.arrive.shared.b64 s, [m];"
    first = "FIRST: mbarrier.test_wait.parity.shared.b64 p, [m], 0; @!p bra FIRST;"
    body = f"""{{ .shared .b64 n; @r mbarrier.init.shared.b64 [n], 33; bar.sync 0; setp.lt.u32 q, i, 32; @q bra FIRST;
        mbarrier.arrive.shared.b64 s, [n]; {second} bra END; {first} }}"""
    with pytest.raises(openptx.Fault) as found:
        run(body, 32)
    cause, effect, _, help = found.value.notes
    assert found.value.thread == (32, 0, 0)
    assert "32 of 33 arrivals came" in cause
    assert "0 of 32 arrivals came" in effect
    assert "1 more, or count fewer" in help
