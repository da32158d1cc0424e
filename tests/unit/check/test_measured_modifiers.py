"""Modifiers of single instructions, their order and repetition: statements that ptxas 13.5 accepts or rejects."""

from __future__ import annotations

import pytest
from measured_module import MODULE

import openptx

# fmt: off
STATEMENTS = (  # a statement, what is wrong with it
    # Modifiers.
    ("mbarrier.arrive.expect_tx.expect_tx.b64 %d0, [mb], %r0;",            "repeated-modifier"),
    ("mbarrier.arrive.noComplete.noComplete.b64 %d0, [mb], 3;",            "repeated-modifier"),
    ("ld.weak.weak.global.u32 %r0, [%d0];",                                "repeated-modifier"),
    ("ld.global.nc.nc.u32 %r0, [%d0];",                                    "repeated-modifier"),
    ("ldmatrix.sync.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%d0];",        None),
    ("ldmatrix.sync.aligned.aligned.m8n8.x1.shared.b16 {%r0}, [%d0];",     "repeated-modifier"),
    # `.uni` may stand twice.
    ("vote.sync.uni.uni.pred %p0, %p1, %r0;",                              None),
    ("ret.uni.uni;",                                                       None),
    # What belongs to the mnemonic comes first.
    ("dp2a.lo.u32.s32 %r0, %r1, %r2, %r3;",                                None),
    ("dp2a.u32.lo.s32 %r0, %r1, %r2, %r3;",                                "modifier-order"),
    ("div.full.ftz.f32 %f0, %f1, %f2;",                                    None),
    ("div.f32.approx %f0, %f1, %f2;",                                      None),
    ("div.f32.full %f0, %f1, %f2;",                                        "modifier-order"),
    ("div.ftz.full.f32 %f0, %f1, %f2;",                                    "modifier-order"),
    ("barrier.aligned.sync 0;",                                            None),
    ("barrier.aligned.arrive 0, 32;",                                      "modifier-order"),
    ("barrier.red.aligned.popc.u32 %r0, 0, %p0;",                          None),
    ("barrier.aligned.red.popc.u32 %r0, 0, %p0;",                          "modifier-order"),
    ("barrier.cta.aligned.red.popc.u32 %r0, 0, %p0;",                      "modifier-order"),
    ("setmaxnreg.inc.u32.aligned.sync 128;",                               None),
    ("setmaxnreg.sync.inc.aligned.u32 128;",                               "modifier-order"),
    ("setmaxnreg.inc.sync.aligned.s32 128;",                               None),
    ("setmaxnreg.inc.sync.aligned.b32 128;",                               "no-such-form"),
    ("mbarrier.arrive.shared.noComplete.b64 %d0, [mb], 3;",                None),
    ("mbarrier.arrive.shared.expect_tx.b64 %d0, [mb], %r0;",               "modifier-order"),
    ("mbarrier.test_wait.shared.parity.b64 %p0, [mb], %r0;",               "modifier-order"),
    ("mbarrier.try_wait.acquire.parity.cta.b64 %p0, [mb], %r0;",           "modifier-order"),
    ("clusterlaunchcontrol.query_cancel.pred.is_canceled.b128 %p0, %w0;",  None),
    ("tcgen05.mma.cta_group::1.kind::f16.sp [%r0], %d1, %d0, [%r1], %r3, %p0;",   None),
    ("tcgen05.mma.ws.cta_group::1.sp.kind::f16 [%r0], %d1, %d0, [%r1], %r3, %p0;", None),
    ("tcgen05.mma.sp.ws.cta_group::1.kind::f16 [%r0], %d1, %d0, [%r1], %r3, %p0;", "modifier-order"),
    ("tcgen05.alloc.cta_group::2.exclusive.sync.aligned.shared::cta.b32 [%d0], %r1;", "needs-version"),
    ("tcgen05.alloc.cta_group::2.exclusive.sync.aligned.shared.b32 [%d0], %r1;", "unknown-modifier"),
    ("mma.xor.popc.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32 {%r0, %r1}, {%r2}, {%r3}, {%r0, %r1};", None),
    ("mma.popc.xor.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32 {%r0, %r1}, {%r2}, {%r3}, {%r0, %r1};",
     "modifier-order"),
    ("tcgen05.mma.cta_group::1.kind::f16 [%u0], %d1, %d0, %r3, %p0;",      "address-register"),
    ("tcgen05.mma.cta_group::1.kind::f16 [%r0], [%u0+4], %d0, %r3, %p0;",  "address-register"),
    ("tcgen05.shift.cta_group::1.down [%u0];",                             None),
    # Layouts and formats are told apart by their order.
    ("tcgen05.cp.b8x16.cta_group::1.4x256b.b4x16_p64 [%r0], %d0;",         None),
    ("tcgen05.cp.b4x16_p64.cta_group::1.4x256b.b8x16 [%r0], %d0;",         "modifier-order"),
    ("mma.row.sync.aligned.m16n8k8.col.f16.f16.f16.f16 {%r0, %r1}, {%r0, %r1}, {%r2}, {%r0, %r1};", None),
    ("mma.sync.aligned.m16n8k8.col.row.f16.f16.f16.f16 {%r0, %r1}, {%r0, %r1}, {%r2}, {%r0, %r1};", "modifier-order"),
    ("clusterlaunchcontrol.try_cancel.multicast::cluster::all.async.mbarrier::complete_tx::bytes.b128 [%d0], [%d1];",
     "modifier-order"),
    # No blank stands in a name, in others than names it may.
    ("mul .lo.u32 %r0, %r1, %r2;",                                         "invalid-opcode"),
    ("mul/* */.lo.u32 %r0, %r1, %r2;",                                     "invalid-opcode"),
    ("mul.lo .u32 %r0, %r1, %r2;",                                         None),
    ("mbarrier .init.b64 [mb], %r0;",                                      "invalid-opcode"),
    ("barrier.cluster .arrive;",                                           "invalid-opcode"),
    ("barrier.cluster.arrive .aligned;",                                   None),
    ("bar .warp.sync 1;",                                                  "invalid-opcode"),
    ("bar.warp .sync 1;",                                                  None),
    ("bar .sync 0;",                                                       None),
    ("bar .arrive 0, 32;",                                                 "invalid-opcode"),
    ("pmevent .mask 1;",                                                   "invalid-opcode"),
    ("wmma.mma .sync.aligned.row.row.m8n8k4.f64.f64.f64.f64 {%g0, %g1}, {%g0}, {%g0}, {%g0, %g1};", None),
    ("ld .global.u32 %r0, [%d0];",                                         None),
)
# fmt: on


@pytest.mark.parametrize(("statement", "wrong"), STATEMENTS)
def test_statements(statement: str, wrong: str | None) -> None:
    found = [d.name for d in openptx.check(f"{MODULE}    {statement}\n    ret;\n}}\n") if d.severity == "error"]
    assert found == ([wrong] if wrong else [])


@pytest.mark.parametrize("opcode", ["wgmma.fence", "wgmma.commit_group", "wgmma.wait_group 0"])
def test_the_assembler_does_without_aligned_in_instructions_of_a_warpgroup(opcode: str) -> None:
    name, _, operand = opcode.partition(" ")
    module = MODULE.replace("sm_100a", "sm_90a")
    for modifiers, wrong in ((".sync", []), (".sync.aligned", []), (".aligned", ["missing-modifier"])):
        found = openptx.check(f"{module}    {name}{modifiers} {operand};\n    ret;\n}}\n")
        assert [d.name for d in found if d.severity == "error"] == wrong


_PUT = "fabric.try_put.async.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric"
_ATOM = "fabric.try_atom.async.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric"
_PULL = "fabric.try_pullred.async.multimem.shared::cta.mbarrier::complete_tx::bytes.mbarrier::report::fabric"
_COPY = "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast"
_SIZES = ".override::global_address.override::global_dim [%d0], [%d1, %d2, {%h0}, {%r0}], [%d3], "
# fmt: off
FABRIC = (  # a statement of PTX 9.5 for sm_107a, what is wrong with it
    (f"{_PUT}.relaxed.sys.b128 [%r0, %d0], [%d1], %r1, [%d2];",                       None),
    (f"{_PUT}.sys.b128 [%r0, %d0], [%d1], %r1, [%d2];",                               None),
    (f"{_PUT}.relaxed.b128 [%r0, %d0], [%d1], %r1, [%d2];",                           "modifier-forbidden"),
    (f"{_PUT}.L2::cache_hint.cp_mask.b128 [%r0, %d0], [%d1], %r1, [%d2], %h0, %d3;",  None),
    (f"{_PUT}.L2::cache_hint.cp_mask.b128 [%r0, %d0], [%d1], %r1, [%d2], %d3, %h0;",  "operand-size"),
    (f"{_ATOM}.relaxed.sys.add.u32 [%r0, %d0], [%d1], [%d2], [%d3];",                 None),
    (f"{_ATOM}.add.u32 [%r0, %d0], [%d1], [%d2], [%d3];",                             "missing-modifier"),
    (f"{_ATOM}.relaxed.sys.add.f16 [%r0, %d0], [%d1], [%d2], [%d3];",                 "no-such-form"),
    (f"{_PULL}.add.u32.sync [%d0], [%r0, %d1], %r1, [%d2], -1;",                      None),
    (f"{_PULL}.add.u32.sync [%d0], [%r0, %d1], %r1, [%d2], 1;",                       "immediate-range"),
    (f"{_PULL}.add.u32.sync [%d0], [%r0, %d1], %r1, [%d2], %r2;",                     "operand-kind"),
    (f"{_COPY}::cluster::32b{_SIZES}%r1;",                                            None),
    (f"{_COPY}::cluster{_SIZES}%h1;",                                                 "modifier-forbidden"),
)
# fmt: on


@pytest.mark.parametrize(("statement", "wrong"), FABRIC)
def test_copies_between_gpus_and_overrides(statement: str, wrong: str | None) -> None:
    module = MODULE.replace("9.0", "9.5").replace("sm_100a", "sm_107a")
    found = [d.name for d in openptx.check(f"{module}    {statement}\n    ret;\n}}\n") if d.severity == "error"]
    assert found == ([wrong] if wrong else [])
