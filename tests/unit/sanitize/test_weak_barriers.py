"""Races whose barrier is there, but is relaxed, or one at which a thread does not wait: the help names it."""

from __future__ import annotations

import numpy as np
import pytest

import openptx
from openptx import Finding

KERNEL = """.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out) {{
    .reg .b64 o, w; .reg .b32 t, a, b, v; .reg .pred first, done;
    .shared .align 8 .b64 bar; .shared .align 4 .b32 s[64];
    ld.param.u64 o, [out]; mov.u32 t, %tid.x; setp.eq.u32 first, t, 0; mad.wide.u32 o, t, 4, o;
    mov.u32 b, s; mad.lo.u32 a, t, 4, b; @first mbarrier.init.shared.b64 [bar], 64;
    {before}
    st.shared.u32 [a], t; xor.b32 a, t, 32; mad.lo.u32 a, a, 4, b; // the same lane of the other warp
    {code}
    ld.shared.u32 v, [a]; st.global.u32 [o], v;
    ret;
}}
"""
WAIT = "AGAIN: mbarrier.try_wait.parity{sem}.shared.b64 done, [bar], 0; @!done bra AGAIN;"


def findings(code: str, before: str = "bar.sync 0;") -> list[Finding]:
    kernel = openptx.load(KERNEL.format(before=before, code=code))["k"]
    return openptx.sanitize(kernel, 1, 64, (np.zeros(64, np.uint32),), tools="race")


@pytest.mark.parametrize(
    ("code", "why", "help"),
    [
        (
            "barrier.cluster.arrive.relaxed; barrier.cluster.wait;",
            "the arrival, `barrier.cluster.arrive.relaxed` at",
            "or put `fence.acq_rel.cluster` before it, after line 10",
        ),
        (
            "mbarrier.arrive.relaxed.cta.shared.b64 w, [bar];" + WAIT.format(sem=""),
            "the arrival, `mbarrier.arrive.relaxed` at",
            "write `.release` (the default) in place of `.relaxed` at",
        ),
        (
            "mbarrier.arrive.shared.b64 w, [bar];" + WAIT.format(sem=".relaxed.cta"),
            "the wait, `mbarrier.try_wait.relaxed` at",
            "write `.acquire` (the default) in place of `.relaxed` at",
        ),
        (
            "setp.lt.u32 done, t, 32; @done bra A; bar.sync 1, 64; bra B; A: bar.arrive 1, 64; B:",
            "`bar.arrive` at",
            "let the thread arrive after its access, or wait: `bar.sync` with the same number and count at",
        ),
    ],
)
def test_what_is_weak(code: str, why: str, help: str) -> None:
    (found,) = findings(code)
    assert help in (found.help or "")
    assert any(note.startswith(f"why: {why}") for note in found.notes)


def test_another_barrier_that_lacks_is_not_blamed_on_a_relaxed_one() -> None:
    (found,) = findings("", before="barrier.cluster.arrive.relaxed; barrier.cluster.wait; bar.sync 0;")
    assert "relaxed" not in (found.help or "")


def test_an_mbarrier_and_a_relaxed_barrier_of_the_cluster() -> None:
    """CUB initialises mbarriers like this."""
    meet = "barrier.cluster.arrive.relaxed; barrier.cluster.wait;"
    arrive = "mbarrier.arrive.shared.b64 w, [bar];" + WAIT.format(sem="")
    (found,) = findings(arrive, before=meet)
    assert "put `fence.mbarrier_init.release.cluster` or `fence.acq_rel.cluster` before it" in (found.help or "")
    assert not findings(arrive, before=f"fence.mbarrier_init.release.cluster; {meet}")


def test_a_barrier_at_which_both_only_arrive_before_their_accesses_is_not_blamed() -> None:
    (found,) = findings("", before="bar.sync 0; bar.arrive 1, 96;")
    assert (found.help or "").startswith("a `bar.sync 0` between lines ")
