"""Only the blocks that machine code does not prove clean run again on the reference engine."""

from __future__ import annotations

import re

import numpy as np
import pytest

import openptx
from openptx.sanitize.findings import Finding

BLOCKS, DEFECT = 64, 37

# Each block sums what its threads store in shared memory; %r is 1 in one block alone.
TEXT = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 at) {{
    .reg .b64 %a, %o, %q; .reg .b32 %t, %b, %i, %v, %w, %s, %n; .reg .pred %p, %r;
    .shared .b32 tile[64];
    ld.param.u64 %a, [in];
    ld.param.u64 %o, [out];
    ld.param.u32 %n, [at];
    mov.u32 %t, %tid.x;
    mov.u32 %b, %ctaid.x;
    setp.eq.u32 %r, %b, %n;
    mad.lo.u32 %i, %b, 64, %t;
    mul.wide.u32 %q, %i, 4;
    add.u64 %a, %a, %q;
    add.u64 %o, %o, %q;
    ld.global.u32 %v, [%a];
    mov.u32 %s, tile;
    mad.lo.u32 %s, %t, 4, %s;
    {body}
    st.global.u32 [%o], %v;
    ret;
}}
"""
BARRIER = "@%r bra OVER; bar.sync 0; OVER:"
READ = "xor.b32 %t, %t, 63; mov.u32 %s, tile; mad.lo.u32 %s, %t, 4, %s; ld.shared.u32 %w, [%s]; add.u32 %v, %v, %w;"
BODIES = {
    "a race in shared memory": f"st.shared.u32 [%s], %v; {BARRIER} {READ}",
    "an undefined word": f"setp.eq.u32 %p, %t, 9; and.pred %p, %p, %r; @!%p st.shared.u32 [%s], %v; bar.sync 0; {READ}",
    "a barrier that lanes skip": f"""
        st.shared.u32 [%s], %v; bar.sync 0; {READ} setp.eq.u32 %p, %t, 9; and.pred %p, %p, %r;
        @%p bra OVER; bar.sync 1; OVER:""",
    "a warp that exits": f"""
        st.shared.u32 [%s], %v; bar.sync 0; {READ} setp.lt.u32 %p, %t, 32; and.pred %p, %p, %r;
        @%p bra OVER; bar.sync 1; OVER:""",
    "no defect": f"st.shared.u32 [%s], %v; bar.sync 0; {READ}",
    "two blocks": f"""
        shr.u32 %b, %b, 1; shr.u32 %w, %n, 1; setp.eq.u32 %r, %b, %w; st.shared.u32 [%s], %v; {BARRIER} {READ}""",
    "a race of blocks, too": f"""
        st.shared.u32 [%s], %v; {BARRIER} {READ} setp.eq.u32 %p, %b, 60; setp.eq.or.u32 %p, %b, 3, %p;
        ld.param.u64 %q, [out]; setp.eq.and.u32 %p, %t, 5, %p; @%p st.global.u32 [%q+16384], %b;""",
    "half of the blocks": f"and.b32 %b, %b, 1; setp.eq.u32 %r, %b, 1; st.shared.u32 [%s], %v; {BARRIER} {READ}",
}


def run(text: str, engine: str) -> tuple[list[Finding], list[int]]:
    a, o = np.arange(BLOCKS * 64, dtype=np.uint32), openptx.empty(BLOCKS * 64 + 1, np.uint32)
    found = openptx.sanitize(openptx.load(text)["k"], BLOCKS, 64, (a, o, DEFECT), engine=engine)
    return found, o[:-1].tolist()


def described(found: list[Finding]) -> list[str]:
    """All but the addresses of arrays."""
    facts = [(f.one_line, f.block, f.thread, f.count, f.notes, f.help) for f in found]
    return [re.sub(r"0x[0-9a-f]{10}", "", str(each)) for each in facts]


@pytest.mark.parametrize("body", BODIES)
def test_findings_and_results_are_those_of_the_reference_engine(body: str) -> None:
    text = TEXT.format(body=BODIES[body])
    (native, written), (interp, expected) = run(text, "native"), run(text, "interp")
    assert [f.name for f in native] == [f.name for f in interp]
    assert described(native) == described(interp)
    if not {f.name for f in native} & {"data-race", "undefined-value"}:
        assert written == expected
    assert bool(native) == (body != "no defect")


def test_only_the_doubtful_block_runs_on_the_reference_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    from openptx.sanitize.watched_launch import SanitizedLaunch

    started: list[tuple[int, int]] = []
    batch = SanitizedLaunch.batch

    def noted(self: SanitizedLaunch, first: int, count: int) -> object:
        started.append((first, count))
        return batch(self, first, count)

    monkeypatch.setattr(SanitizedLaunch, "batch", noted)
    for body, expected in (("a race in shared memory", [(DEFECT, 1)]), ("two blocks", [(DEFECT - 1, 2)])):
        started.clear()
        run(TEXT.format(body=BODIES[body]), "native")
        assert started == expected


def test_later_launches_know_what_all_blocks_have_written() -> None:
    """Arrays that began undefined are defined afterwards, whichever engine ran the blocks."""
    kernel = openptx.load(TEXT.format(body=BODIES["a race in shared memory"]))["k"]
    a, o = np.arange(BLOCKS * 64, dtype=np.uint32), openptx.empty(BLOCKS * 64, np.uint32)
    assert len(openptx.sanitize(kernel, BLOCKS, 64, (a, o, DEFECT), engine="native")) == 1
    assert openptx.sanitize(kernel, BLOCKS, 64, (o, a, BLOCKS), engine="native") == []
