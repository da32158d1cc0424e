"""Addresses with `.unified`, with the verdicts of ptxas 13.5 on sm_90a."""

from __future__ import annotations

import pytest

import openptx

# fmt: off
STATEMENTS = (
    ("ld.b32 r, [p].unified;",                          True),
    ("ld.global.nc.b32 r, [p+4].unified;",              True),
    ("ld.acquire.gpu.global.b32 r, [p].unified;",       True),
    ("ldu.global.b32 r, [p].unified;",                  True),
    ("atom.global.add.u32 r, [p].unified, 1;",          True),
    ("mbarrier.arrive.b64 q, [p].unified;",             True),
    ("multimem.ld_reduce.add.f32 f, [p].unified;",      True),
    ("ldmatrix.sync.aligned.m8n8.x1.b16 {r}, [p].unified;", True),
    ("ld.shared.b32 r, [p].unified;",                   False),
    ("ld.local.b32 r, [p].unified;",                    False),
    ("ld.const.b32 r, [p].unified;",                    False),
    ("ld.param::entry.b32 r, [p].unified;",             False),
    ("atom.shared::cluster.add.u32 r, [p].unified, 1;", False),
    ("mbarrier.arrive.shared.b64 q, [p].unified;",      False),
    ("st.global.b32 [p].unified, r;",                   False),
    ("red.global.add.u32 [p].unified, 1;",              False),
    ("prefetch.global.L1 [p].unified;",                 False),
    ("mbarrier.inval.b64 [p].unified;",                 False),
    ("cp.async.ca.shared.global [s], [p].unified, 4;",  False),
    ("cp.async.bulk.prefetch.L2.global [p].unified, 16;", False),
    ("multimem.red.global.add.f32 [p].unified, f;",     False),
    ("tex.1d.v4.f32.s32 {f, f, f, f}, [p, {s}].unified;", False),
)
# fmt: on


@pytest.mark.parametrize(("statement", "accepted"), STATEMENTS)
def test_unified_addresses(statement: str, accepted: bool) -> None:
    registers = ".reg .b32 r, s; .reg .b64 p, q; .reg .f32 f;"
    text = f".version 9.5\n.target sm_90a\n.address_size 64\n.entry k() {{ {registers} {statement} ret; }}\n"
    assert any(found.severity == "error" for found in openptx.check(text)) != accepted
