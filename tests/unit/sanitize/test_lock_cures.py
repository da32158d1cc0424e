"""The help of races that a lock would prevent: one that orders nothing, one that a side lacks, two for one word."""

from __future__ import annotations

import re

import numpy as np
import pytest

import openptx
from openptx.engines.interp import launch

LOCK = """.version 8.0
.target sm_80
.address_size 64
.global .b32 lock;
.visible .entry k(.param .u64 out) {{
    .reg .b64 p, l; .reg .b32 v, t; .reg .pred q;
    ld.param.u64 p, [out]; mov.u64 l, lock; mov.u32 t, %tid.x; setp.ne.u32 q, t, 0;
    @q bra WAIT;
TAKE: atom.global.{take}.cas.b32 v, [l], 0, 1; setp.ne.u32 q, v, 0;
    @q bra TAKE;
    {fence}
WAIT: bar.sync 0;
    setp.ne.u32 q, t, 32;
    @q bra DONE;
    ld.global.u32 v, [p]; add.u32 v, v, 1; st.global.u32 [p], v;
DONE: bar.sync 0;
    setp.ne.u32 q, t, 0;
    @q ret;
    {fence}
    {give_back};
    ret;
}}
"""


def lock(take: str, fence: str, give_back: str) -> list[openptx.Finding]:
    """The findings of a kernel whose thread 0 takes a lock for its block, in which another thread counts."""
    text = LOCK.format(take=take, fence=fence, give_back=give_back)
    return openptx.sanitize(openptx.load(text)["k"], 3, 64, (np.zeros(1, np.uint32),), tools="race")


@pytest.mark.parametrize("fence", ["membar.gl;", ""], ids=["fenced", "unfenced"])
def test_a_lock_that_is_given_back_by_a_plain_store_is_the_cause(fence: str) -> None:
    (found,) = lock("relaxed", fence, "st.global.u32 [l], 0")
    assert found.help is not None
    assert found.help.startswith("release the lock by `atom.release.gpu.exch`")
    assert (found.site.text, found.other and found.other.text) == (
        "st.global.u32 [l], 0",
        "atom.global.relaxed.cas.b32 v, [l], 0, 1",
    )
    assert found.related


@pytest.mark.parametrize(
    ("take", "give_back"),
    [
        ("relaxed", "atom.global.relaxed.exch.b32 v, [l], 0"),
        ("acquire", "st.relaxed.gpu.global.u32 [l], 0"),
        ("relaxed", "st.release.gpu.global.u32 [l], 0"),
        ("acquire", "red.global.relaxed.gpu.add.u32 [l], -1"),
    ],
)
def test_a_lock_that_orders_nothing_needs_fences(take: str, give_back: str) -> None:
    (found,) = lock(take, "", give_back)
    assert found.help is not None
    assert found.help.startswith("let the lock order what it guards: `.acquire.gpu`")


@pytest.mark.parametrize(
    ("take", "fence", "give_back"),
    [
        ("acquire", "", "st.release.gpu.global.u32 [l], 0"),
        ("relaxed", "membar.gl;", "atom.global.relaxed.exch.b32 v, [l], 0"),
        ("relaxed", "fence.acq_rel.gpu;", "st.relaxed.gpu.global.u32 [l], 0"),
    ],
)
def test_a_correct_lock_has_no_report(take: str, fence: str, give_back: str) -> None:
    assert not lock(take, fence, give_back)


def test_what_a_thread_does_before_it_takes_a_lock_is_not_the_locks_fault() -> None:
    early = LOCK.replace("@q bra WAIT;\nTAKE", "@q bra WAIT;\n    st.global.u32 [p], 0;\nTAKE")
    text = early.format(take="acquire", fence="", give_back="st.release.gpu.global.u32 [l], 0")
    found = openptx.sanitize(openptx.load(text)["k"], 3, 64, (np.zeros(1, np.uint32),), tools="race")
    assert found
    helps = [each.help or "" for each in found]
    assert not [help for help in helps if "let the lock order" in help or "release the lock" in help]


TICKETS = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 lock, .param .u64 out) {
    .reg .b32 mine, turn, v; .reg .b64 l, p; .reg .pred q;
    ld.param.u64 l, [lock];
    ld.param.u64 p, [out];
    atom.global.add.u32 mine, [l], 1;
    WAIT: ld.relaxed.gpu.global.u32 turn, [l+4];
    setp.ne.u32 q, turn, mine;
    @q bra WAIT;
    fence.acq_rel.gpu;
    ld.global.u32 v, [p];
    add.u32 v, v, 1;
    st.global.u32 [p], v;
    fence.acq_rel.gpu;
    add.u32 mine, mine, 1;
    st.relaxed.gpu.global.u32 [l+4], mine;
    ret;
}
"""


def ticket_lock(text: str) -> list[openptx.Finding]:
    arguments = np.zeros(2, np.uint32), np.zeros(1, np.uint32)
    return openptx.sanitize(openptx.load(text)["k"], 4, 1, arguments, tools="race")


def test_a_ticket_lock_orders_what_it_guards() -> None:
    assert not ticket_lock(TICKETS)


@pytest.mark.parametrize(
    ("old", "new", "help"),
    [
        ("    fence.acq_rel.gpu;\n    ld", "    ld", "let the lock order what it guards: `.acquire.gpu`, or a fence"),
        ("    fence.acq_rel.gpu;\n    add", "    add", "let the lock order what it guards: `.acquire.gpu`, or a fence"),
        ("    fence.acq_rel.gpu;\n", "", "let the lock order what it guards: `.acquire.gpu`, or a fence"),
        ("st.relaxed.gpu", "st", "release the lock by `atom.release.gpu.exch` or `st.release.gpu`"),
    ],
)
def test_a_wrong_ticket_lock_is_one_finding_with_the_cure_of_locks(old: str, new: str, help: str) -> None:
    assert TICKETS.count(old)
    (found,) = ticket_lock(TICKETS.replace(old, new))
    assert (found.help or "").startswith(help)


def test_atomics_of_two_blocks_need_a_scope_that_includes_both() -> None:
    text = TICKETS.replace("atom.global", "atom.relaxed.cta.global").partition("    WAIT:")[0] + "ret;\n}\n"
    (found,) = ticket_lock(text)
    assert (found.help or "").startswith("give both the scope `.gpu`")


GUARDED = """.version 8.0
.target sm_80
.address_size 64
// Block 0 adds to the word at 8 under the lock at 0; block 1 under the one at LOCK.
.visible .entry k(.param .u64 out) {
    .reg .b64 p, l; .reg .b32 n, v; .reg .pred q, own;
    ld.param.u64 p, [out]; mov.u32 n, %ctaid.x; setp.eq.u32 q, n, 0;
    @!q bra OTHER;
A:  atom.acquire.gpu.global.cas.b32 v, [p], 0, 1; setp.ne.u32 own, v, 0; @own bra A;
    ld.global.u32 v, [p+8]; add.u32 v, v, 1;
    st.global.u32 [p+8], v;
    atom.release.gpu.global.exch.b32 v, [p], 0;
    ret;
OTHER:
    TAKE
    ld.global.u32 v, [p+8]; add.u32 v, v, 2;
    st.global.u32 [p+8], v;
    GIVE
    ret;
}
"""


@pytest.mark.parametrize("lanes", [1, 1 << 15])
@pytest.mark.parametrize("lock", [0, 4, None])
def test_accesses_under_different_locks_need_the_same(
    lock: int | None, lanes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launch, "LANES", lanes)
    take = f"B: atom.acquire.gpu.global.cas.b32 v, [p+{lock}], 0, 1; setp.ne.u32 own, v, 0; @own bra B;"
    give = f"atom.release.gpu.global.exch.b32 v, [p+{lock}], 0;"
    text = GUARDED.replace("TAKE", take if lock is not None else "").replace("GIVE", give if lock is not None else "")
    found = openptx.sanitize(openptx.load(text)["k"], 2, 1, (np.zeros(4, np.uint32),), tools="race")
    helps = [each.help or "" for each in found]
    if lock == 0:
        assert not found
        return
    array = r"array, 16 bytes at 0x\w+, byte"
    expected = (
        f"two locks guard it: {array} 4 and {array} 0; take one"
        if lock
        else (f"is under the lock {array} 0, the one <string>:1[67]:5 is not: take it there too")
    )
    assert any(re.search(expected, help) for help in helps)


@pytest.mark.parametrize("first", [True, False])
def test_a_ticket_lock_may_be_polled_and_given_back_by_additions(first: bool) -> None:
    text = TICKETS.replace("ld.relaxed.gpu.global.u32 turn, [l+4]", "atom.global.add.u32 turn, [l+4], 0")
    text = text.replace("st.relaxed.gpu.global.u32 [l+4], mine", "atom.global.add.u32 v, [l+4], 1")
    assert not ticket_lock(text)
    fence = "    fence.acq_rel.gpu;\n"
    (found,) = ticket_lock(text.replace(fence + ("    ld" if first else "    add"), "    ld" if first else "    add"))
    assert (found.help or "").startswith("let the lock order what it guards: `.acquire.gpu`, or a fence")


FLAG = """
.version 8.0
.target sm_80
.address_size 64
// Warps set a flag and read it; thread 0 clears it, before a barrier or after one.
.visible .entry k() {
    .shared .b32 flag; .reg .b32 t, v; .reg .pred q;
    mov.u32 t, %tid.x; setp.ne.u32 q, t, 0;
    @!q st.shared.u32 [flag], 0;
    bar.sync 0;
    atom.shared.exch.b32 v, [flag], 1;
    bar.sync 0;
    ld.shared.u32 t, [flag];
    @!q st.shared.u32 [flag], 0;
    ret;
}
"""


def test_an_exchange_whose_result_is_unread_takes_no_lock() -> None:
    """A flag in a loop until nothing changes; the help was to release the lock."""
    (found,) = openptx.sanitize(openptx.load(FLAG)["k"], 1, 64, tools="race")
    assert found.help == "a `bar.sync 0` between lines 13 and 14"
