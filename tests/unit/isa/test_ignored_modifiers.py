"""Modifiers that the assembler ignores on other instructions; every row was checked with ptxas 13.5.37."""

import numpy as np
import pytest

import openptx

MODULE = """.version 9.0
.target {target}
.address_size 64
.global .texref t;
.visible .entry k() {{
.reg .pred p, q; .reg .b32 r<4>; .reg .b64 d<4>; .reg .f32 f<4>; .reg .f64 g;
{statement}
L: ret; }}
"""

TAKEN = """
xor.finite.b32 r0, r1, r2;
xor.b32.rank r0, r1, r2;
xor.rank.finite.b8x16.b8x16.acc::f16.b32 r0, r1, r2;
mad.lo.swizzle_mode.s32 r0, r1, r2, r3;
testp.rank.finite.f32 p, f0;
bra.rank L;
ret.finite;
bar.rank.sync 0;
cvt.rn.f32.fill_mode.s32 f0, r0;
ld.global.v2.number.b32 {r0, r1}, [d1];
multimem.red.acc::f32.global.add.f16x2 [d0], r0;
tensormap.replace.tile.rank.finite.global.b1024.b32 [d0], r1;
mov.b2.u32 r0, r1;
mov.b32.b2.b2 r0, r1;
add.u32.pred.texref r0, r1, r2;
setp.eq.u32.surfref p, r0, r1;
red.global.add.u32.pred [d0], r1;
mul.lo.u32.b2 r0, r1, r2;
mul.f32.pred f0, f1, f2;
mma.sync.aligned.m8n8k4.row.col.f64.u4.f64.f64.f64 {g, g}, {g}, {g}, {g, g};
bar.sync.any 0;
tex.2d.v4.f32.f32.uni.uni {f0, f1, f2, f3}, [t, {f0, f1}];
ldmatrix.sync.aligned.m8n8.x1.row.row.b16 {r0}, [d0];
fence.sc.async.gpu;
fence.proxy.async.global.sync_restrict::shared::cluster;
fence.proxy.tensormap::generic.release.gpu.sync_restrict::shared::cluster.shared::cta;
cp.async.bulk.tensor.1d.global.shared::cta.bulk_group.gpu [d0, {r0}], [d1];
cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32.pred [d0], [d1], r0;
ldmatrix.sync.aligned.m8n8.x1.b16.texref {r0}, [d0];
mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32.b2 {r0, r1}, {r2}, {r3}, {r0, r1};
wmma.load.a.sync.aligned.row.m16n16k16.s8.b2 {r0, r1}, [d0];
wmma.load.b.sync.aligned.row.m8n8k4.b2.f64 {g}, [d0];
wmma.load.c.sync.aligned.row.m8n8k32.s32.u4 {r0, r1}, [d0];
wmma.store.d.sync.aligned.row.m16n16k16.f16.b2 [d0], {r0, r1, r2, r3};
wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64.pred {g, g}, {g}, {g}, {g, g};
""".strip().splitlines()

REFUSED = """
xor.finite.infinite.b32 r0, r1, r2;
xor.rank.rank.b32 r0, r1, r2;
xor.acc::f16.acc::f32.b32 r0, r1, r2;
mad.swizzle_mode.lo.s32 r0, r1, r2, r3;
cp.rank.async.commit_group;
bar.rank.arrive 0, 64;
tcgen05.rank.fence::before_thread_sync;
testp.finite.normal.f32 p, f0;
tensormap.replace.tile.rank.box_dim.global.b1024.b32 [d0], r1;
multimem.ld_reduce.acc::f32.acc::f16.global.add.f16x2 r0, [d0];
bar.sync.any.all 0;
bar.cta.sync.any 0;
bar.arrive.all 0, 64;
ldmatrix.sync.aligned.m8n8.x1.row.col.row.b16 {r0}, [d0];
fence.sc.async.async.gpu;
fence.proxy.alias.async;
fence.proxy.tensormap::generic.acquire.gpu.global [d0], 128;
fence.proxy.tensormap::generic.release.gpu.global.shared;
cp.async.bulk.tensor.1d.global.shared::cta.bulk_group.cta.gpu [d0, {r0}], [d1];
cp.async.bulk.prefetch.tensor.1d.L2.global.gpu [d0, {r0}];
mov.u32.pred r0, r1;
add.u32.b2 r0, r1, r2;
mul.lo.u32.pred r0, r1, r2;
mov.b32.b1 r0, r1;
mma.sync.aligned.m8n8k4.row.col.f64.s8.f64.f64.f64 {g, g}, {g}, {g}, {g, g};
cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32.b2 [d0], [d1], r0;
ldmatrix.sync.aligned.m8n8.x1.b16.b2 {r0}, [d0];
mma.sync.aligned.m8n8k16.row.col.b2.s32.u8.u8.s32 {r0, r1}, {r2}, {r3}, {r0, r1};
mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32.b2 {f0, f1, f2, f3}, {r0, r1}, {r2}, {f0, f1, f2, f3};
mma.sp.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32.b2 {r0, r1, r2, r3}, {r0, r1}, {r2, r3}, {r0, r1, r2, r3}, r0, 0;
wmma.load.b.sync.aligned.row.m32n8k16.bf16.b2 {r0, r1}, [d0];
wmma.load.a.sync.aligned.row.m16n16k16.b2.s8 {r0, r1}, [d0];
wmma.load.b.sync.aligned.col.m8n8k128.b1.b2 {r0}, [d0];
wmma.store.d.sync.aligned.row.m16n16k16.b2.f16 [d0], {r0, r1, r2, r3};
wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64.b2 {g, g}, {g}, {g}, {g, g};
""".strip().splitlines()


def said(statement: str, profile: str = "ptxas", target: str = "sm_100a") -> list[tuple[str, str]]:
    text = MODULE.format(statement=statement, target=target)
    return [(each.severity, each.message) for each in openptx.check(text, profile=profile)]


@pytest.mark.parametrize("statement", TAKEN)
def test_the_assembler_ignores_it_with_a_warning(statement: str) -> None:
    found = said(statement)
    assert [severity for severity, _ in found if severity == "error"] == []
    assert sum("the assembler ignores" in message for _, message in found) == 1


@pytest.mark.parametrize("statement", TAKEN)
def test_the_manual_refuses_it(statement: str) -> None:
    assert "error" in [severity for severity, _ in said(statement, "isa")]


@pytest.mark.parametrize("statement", REFUSED)
def test_the_assembler_refuses_it(statement: str) -> None:
    assert "error" in [severity for severity, _ in said(statement)]


def test_some_are_looked_at_before_they_are_ignored() -> None:
    """Ours for sm_80 as the assembler's: Modifier '.async' requires .target sm_90 or higher."""
    [found] = [message for severity, message in said("fence.sc.async.gpu;", target="sm_80") if severity == "error"]
    assert found.startswith("`.async` needs .target sm_90 or newer")


def test_the_warning_names_all_of_them_and_its_fix_leaves_them_out() -> None:
    text = MODULE.format(statement="xor.finite.rank.b32 r0, r1, r2;", target="sm_90")
    [found] = [each for each in openptx.check(text) if each.name == "document-disagrees"]
    assert found.message == "the assembler ignores `.finite` and `.rank`: `xor` has no such modifier"
    assert found.fix is not None
    assert found.fix.replacement == "xor.b32"


def test_it_runs_without_them() -> None:
    text = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p) {
.reg .u64 %rd; .reg .u32 %r;
ld.param.finite.u64 %rd, [p];
mov.b2.u32 %r, 7;
add.pred.u32 %r, %r, 5;
st.rank.global.u32 [%rd], %r;
ret.rank; }
"""
    for engine in ("interp", "native"):
        out = np.zeros(1, np.uint32)
        openptx.load(text)["k"](1, 1, (out,), engine=engine)
        assert out[0] == 12
