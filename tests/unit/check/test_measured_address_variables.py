"""Textures, parameters and elements of arrays as addresses, with the verdicts of ptxas 13.5 on sm_100a."""

from __future__ import annotations

import pytest

import openptx

NAMES = """
.global .texref t; .global .surfref u; .global .align 16 .b8 g[64];
.entry k(.param .align 64 .b8 p[128])
{
    .shared .align 8 .b8 s[64]; .param .align 8 .b8 c[8]; .reg .b32 r; .reg .b64 q; .reg .pred p1;
"""

# fmt: off
STATEMENTS = (
    # What the assembler expands into other instructions takes no texture.
    ("cp.async.mbarrier.arrive.b64 [t];",                               False),
    ("cp.async.mbarrier.arrive.noinc.b64 [u];",                         False),
    ("prefetch.tensormap [t];",                                         False),
    ("createpolicy.range.global.L2::evict_last.b64 q, [t], 16, 16;",    False),
    ("wmma.load.a.sync.aligned.row.m16n16k16.f16 {r, r, r, r, r, r, r, r}, [t];", False),
    ("tcgen05.alloc.cta_group::1.sync.aligned.b32 [t], 32;",            False),
    ("tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [u];",      False),
    ("prefetch.global.L1 [t];",                                         True),
    ("prefetch.tensormap [g];",                                         True),
    ("prefetch.param.tensormap [p];",                                   True),
    ("prefetch.param.tensormap [c];",                                   False),
    ("ldu.global.b32 r, g[4];",                                         True),
    ("ld.global.b32 r, g[4];",                                          True),
    ("st.bulk s[0], 16, 0;",                                            False),
    ("st.bulk [s], 16, 0;",                                             True),
    ("st.bulk.shared::cta [s], 16, 0;",                                 False),
    ("st.bulk.weak.shared::cta [s+8], 16, 0;",                          False),
    ("ld.global.u32 r, [t];",                                           False),
    ("red.async.relaxed.cluster.mbarrier::complete_tx::bytes.inc.u32 [t], r, [q];", False),
    ("isspacep.global p1, g+4;",                                        True),
    ("isspacep.shared p1, g+4;",                                        True),
    ("isspacep.global p1, g;",                                          False),
    ("isspacep.global p1, g[1];",                                       False),
)
# fmt: on


@pytest.mark.parametrize(("statement", "accepted"), STATEMENTS)
def test_variables_as_addresses(statement: str, accepted: bool) -> None:
    text = f".version 9.5\n.target sm_100a\n.address_size 64{NAMES}{statement} ret; }}\n"
    found = [each.name for each in openptx.check(text) if each.severity == "error"]
    assert (not found) == accepted, found
