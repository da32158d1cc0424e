"""Lists, addresses without brackets, and constants where a register is expected: verdicts of ptxas 13.5 on sm_100a."""

from __future__ import annotations

import pytest

import openptx
from openptx.check import lower
from openptx.program import Address
from openptx.source import File

MODULE = """.version 9.0
.target sm_100a
.address_size 64
.global .align 128 .b8 gv[1024];
.shared .align 128 .b8 sv[1024];
.global .texref tx;
.func fn() { ret; }
.visible .entry k() {
    .reg .pred %p<4>; .reg .b8 %c<4>; .reg .s8 %i<4>; .reg .b16 %h<4>; .reg .s16 %j<4>; .reg .b32 %r<8>;
    .reg .s32 %s<4>; .reg .u32 %u<4>; .reg .b64 %d<8>; .reg .b128 %w<2>; .reg .f16 %n<4>; .reg .f32 %f<4>;
    .reg .f16x2 %x<4>; .reg .v2 .b32 %v;
"""
TENSOR = "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes"
OUT = "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group"
REDUCED = "cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.bulk_group"

# fmt: off
PLACES = (  # a statement with @ for an operand; those that are taken, those that are not
    # Brackets of addresses in shared memory: copies of tensors do not need them.
    (f"{TENSOR} [%d0], [%d1, {{%r0}}], @;",                   "[%d2] %d2 %r2 %f2 %p2 %w1 sv sv+8 %d2+4",  "gv 1"),
    (f"{TENSOR} @, [%d1, {{%r0}}], [%d2];",                   "[%d2] %d2 %r2 sv",                          "gv 1"),
    (f"{OUT} [%d1, {{%r0}}], @;",                             "[%d2] %d2 %r2 sv",                          "gv 1"),
    (f"{REDUCED} [%d1, {{%r0}}], @;",                         "[%d2] %d2 %r2 sv",                          "gv 1"),
    (f"{OUT} @, [%d1];",                                      "[%d2,{%r0}] [%f2,{%r0}]",                   "%d2"),
    ("cp.async.bulk.global.shared::cta.bulk_group [%d0], @, 16;",  "[%d2]",                               "%d2 sv"),
    ("mbarrier.inval.b64 @;",                                 "[%d2]",                                     "%d2 sv"),
    # Integers in lists of floats.
    ("mov.v2.f32 @, {%f0, %f1};",             "{%f2,%f3} {%s0,%u1} {%r0,%u1}",           "{%f2,%u1}"),
    ("mov.v2.f32 {%f0, %f1}, @;",             "{%f2,%f3} {%s0,%u1} {%r0,%u1}",           "{%f2,%u1} {1,2}"),
    # Lists where one value is expected.
    ("mbarrier.arrive.b64 _, [%d0], @;",      "%r0 {%r0} {%r0,%r1} {%s0,%u1} %v",        "{%r0,%r1,%r2} {%h0} {%f0}"),
    ("mbarrier.arrive.expect_tx.b64 _, [%d0], @;",            "%r0",                                       "{%r0} %v"),
    ("multimem.st.f32 [%d0], @;",                             "%f0 {%f0} {%r0}",                           "{%f0,%f1}"),
    ("multimem.st.u32 [%d0], @;",                             "%u0",                                       "{%u0}"),
    ("multimem.ld_reduce.add.f16x2 @, [%d0];",                "%x0 {%x0}",                                 "%f0 {%f0}"),
    ("multimem.ld_reduce.add.e5m2x4 @, [%d0];",               "%r0 %s0 %f0 %x0 {%r0} {%f0}",               "%h0"),
    ("multimem.st.v2.e5m2x2 [%d0], {@, %h0};",                "%h1 %j1 %n1 1",                             "%r1 %c1"),
    # The first element decides about the type of a list of floats.
    ("red.global.add.v2.f32 [%d0], {@, %r0};",                "%f1 %s1 1 1.0",                             "%h1"),
    ("red.global.add.v2.f32 [%d0], {@, @};",                  "%f1 %s1 1.0",                               "1"),
    ("red.global.add.noftz.v2.f16 [%d0], {@, %h0};",          "%h1 %j1 1",                                 "1.0"),
    ("red.global.add.noftz.v2.f16 [%d0], {%h0, @};",          "%h1 %j1 1 1.0",                             "%r1"),
    ("red.global.add.noftz.v2.bf16 [%d0], {@, %h0};",         "%h1",                                       "1 1.0"),
    ("red.global.add.noftz.v2.f16x2 [%d0], {@, %r0};",        "%x1",                                       "1 1.0"),
    ("multimem.st.v2.bf16 [%d0], {@, %h0};",                  "%h1",                                       "1 1.0"),
    ("multimem.st.v2.bf16 [%d0], {%h0, @};",                  "%h1 1 1.0",                                 "%r1"),
    ("atom.global.add.v2.f32 {@, @}, [%d0], {%f0, %f1};",     "%f2 %s2 %r2",                               "%h2"),
    # Floats in lists of bits and of bytes.
    ("st.v2.b32 [%d0], {@, @};",                              "%r0 1 0f3F800000",                          "1.0"),
    ("st.v2.b32 [%d0], {@, %r0};",                            "%r1 1 1.0",                                 "%h0"),
    ("st.v2.b16 [%d0], {@, @};",                              "%h0 1",                                     "1.0"),
    ("st.v4.b8 [%d0], {%c0, %c1, @, %c2};",                   "%c3 1 1.0",                                 "%h0"),
    ("st.v4.b8 [%d0], {%c0, %i1, @, %i2};",                   "%c3 1",                                     "1.0"),
    # Elements of coordinates are scalars.
    ("tex.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [tx, {%f0, @}];",  "%f1 %r1 1.0",                               "fn %v"),
    # What may stand between texture and coordinates in a mode without samplers.
    ("tex.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [tx, @, {%f0, %f1}];",  "%d0 %f0 %r0 %v tx fn",        "%s0 %h0 1 %w0 gv"),
    ("tex.2d.v4.f32.s32 {%f0,%f1,%f2,%f3}, [tx, @, {%r0, %r1}];",  "%d0 %s0 %r0",                        "%f0 1.0"),
    ("tex.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [tx, @, %f1];",         "%d0 %f0",                            "%s0 %u0"),
    ("tex.grad.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [tx, @, {%f0, %f1}], {%f0, %f1}, {%f0, %f1};", "%d0 tx",  "%f0 %r0 fn"),
    ("tex.cube.v4.f32.f32 {%f0,%f1,%f2,%f3}, [tx, @, {%f0,%f1,%f2,%f3}];",  "",                        "%d0 %f0 tx"),
    # Predicates of comparisons of bf16 are registers.
    ("setp.eq.and.f16 %p0, %h0, %h1, @;",                     "%p1 !%p1 1",                                "%r0"),
    ("setp.eq.and.bf16 %p0, %h0, %h1, @;",                    "%p1 !%p1",                                  "1"),
    ("setp.eq.and.bf16x2 %p0|%p1, %r0, %r1, @;",              "%p2",                                       "0"),
    ("set.eq.and.u16.bf16 %h0, %h0, %h1, @;",                 "%p1",                                       "1"),
    ("set.eq.and.bf16.u64 %h0, %d0, %d1, @;",                 "%p1",                                       "1"),
    # Policies, states and descriptors are no addresses of variables; of 64 bits, they are not wider.
    ("ld.global.L2::cache_hint.u32 %r0, [%d0], @;",           "%d1 1 %d1+4",                               "gv+4 %w0"),
    ("mbarrier.test_wait.b64 %p0, [%d0], @;",                 "%d1 %d1+4",                                 "gv+4"),
    ("createpolicy.cvt.L2.b64 %d0, @;",                       "%d1 1",                                     "gv+4"),
    ("add.u64 %d0, @, 1;",                                    "%d1 gv+4",                                  "gv"),
    ("tcgen05.commit.cta_group::2.mbarrier::arrive::one.multicast::cluster.b64 [%d0], @;", "%h0 %h0+4 1",     "gv+4"),
    ("cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
     " [%d0], [%d1, {%r0}], [%d2], @;",                       "%h0 %h0+4 1",                               "gv+4"),
    # Addresses in shared memory that are generic, in narrow registers.
    ("ldmatrix.sync.aligned.m8n8.x1.b16 {%r0}, [@];",         "%d0 %r1",                                   "%h0 %c0"),
    ("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [@];",  "%d0 %r1 %h0 %c0",                           "%f0"),
    ("stmatrix.sync.aligned.m8n8.x1.b16 [@], {%r0};",         "%d0 %r1",                                   "%h0 %c0"),
    # Results that are read too can't be left out.
    ("wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%f0,%f1,%f2,@}, %d0, %d1, %p0, 1, 1;", "%f3 %r0",        "_"),
    ("wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%f0,%f1,%f2,%f3}, %d0, %d1, @, 1, 1;",
     "%p0 !%p0 1",                                            "%r0 !%r0"),
    # The registers of tensor memory are moved one by one.
    ("tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r0, @}, [%r1];",  "%r2 %f0 %u0",                 "_ %laneid %p0"),
    ("tcgen05.st.sync.aligned.32x32b.x2.b32 [%r1], {%r0, @};",  "%r2 %f0 1 0f3F800000",        "%laneid 1.0 %p0"),
    ("sured.p.add.1d.b32.trap [%d0, {%r0}], @;",              "%r1 %d1 %w0",                               "%h0"),
)
# fmt: on


@pytest.mark.parametrize(("statement", "taken", "refused"), PLACES)
def test_what_a_place_takes(statement: str, taken: str, refused: str) -> None:
    target = "sm_90a" if statement.startswith("wgmma") else "sm_100a"
    head = MODULE.replace("sm_100a", target)
    wrong = {
        operand
        for operand in (*taken.split(), *refused.split())
        for found in openptx.check(f"{head}{statement.replace('@', operand)}\nret; }}")
        if found.severity == "error"
    }
    assert wrong == set(refused.split())


@pytest.mark.parametrize(("operand", "same"), [("%d2", "[%d2]"), ("sv", "[sv]"), ("sv+16", "[sv+16]")])
def test_an_address_without_brackets_is_lowered_like_one_with_them(operand: str, same: str) -> None:
    assert repr(lowered(operand)) == repr(lowered(same))


def test_a_sum_without_brackets_is_added_first() -> None:
    assert isinstance(lowered("%d2+16"), Address)


def lowered(operand: str) -> object:
    """The address in shared memory of a copy."""
    text = f"{MODULE}mov.b64 %d1, 0; mov.b32 %r0, 0; mov.b64 %d2, 0; {OUT} [%d1, {{%r0}}], {operand}; ret; }}"
    ops = lower(File("k", text)).function("k").code
    return next(op.operands[1] for op in ops if op.form.instruction.name.startswith("cp.async"))
