"""Operands of single instructions: statements that ptxas 13.5 accepts or rejects."""

from __future__ import annotations

import pytest
from measured_module import MODULE

import openptx

# fmt: off
STATEMENTS = (  # a statement, what is wrong with it
    # Addresses in the shared memory of another CTA.
    ("mapa.shared::cluster.u32 %r0, sv, 1;",                               None),
    ("mapa.shared::cluster.u64 %d0, sv+4, %r1;",                           None),
    ("mapa.u64 %d0, sv, %r1;",                                             None),
    ("mapa.u64 %d0, gv, %r1;",                                             "state-space"),
    ("getctarank.shared::cluster.u32 %r0, sv;",                            None),
    ("getctarank.u64 %r0, gv;",                                            "state-space"),
    # Two addresses, a space each.
    ("cp.async.ca.shared.global [sv], [gv], 4;",                           None),
    ("cp.async.ca.shared.global [gv], [gv], 4;",                           "state-space"),
    ("cp.async.ca.shared.global [sv], [sv], 4;",                           "state-space"),
    ("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [sv], [gv], 32, [mb];", None),
    ("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [sv], [gv], 32, [gv];", "state-space"),
    ("cp.async.bulk.global.shared::cta.bulk_group [sv], [sv], 32;",        "state-space"),
    ("cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [gv, {%r0}], [sv];", None),
    ("cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [pb, {%r0}], [sv];", "state-space"),
    # Generic addresses of what is in shared or global memory.
    ("mbarrier.init.b64 [mb], 1;",                                         None),
    ("mbarrier.init.b64 [gv], 1;",                                         "state-space"),
    ("mbarrier.arrive.b64 _, [lv];",                                       "state-space"),
    ("prefetchu.L1 [gv];",                                                 None),
    ("prefetchu.L1 [sv];",                                                 "state-space"),
    # Addresses of one width.
    ("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r0}, [%r1];",                None),
    ("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r0}, [%d1];",                "address-register"),
    ("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r0}, [sv];",                 "address-register"),
    ("suq.width.b32 %r0, [%d0];",                                          None),
    ("suq.width.b32 %r0, [%r1];",                                          "address-register"),
    ("txq.width.b32 %r0, [tx];",                                           None),
    ("txq.width.b32 %r0, [sf];",                                           "operand-kind"),
    ("txq.level.width.b32 %r0, [tx], {%r1};",                              None),
    ("txq.level.width.b32 %r0, [tx], {1, %r1};",                           None),
    ("txq.level.width.b32 %r0, [tx], {%f0};",                              "operand-type"),
    ("mov.u64 %d0, tx;",                                                   None),
    ("mov.b64 %d0, tx;",                                                   "operand-type"),
    ("cvta.to.shared.u64 %d0, sv;",                                        "operand-kind"),
    # Nothing is added to what has coordinates, nor to a handle.
    ("suq.width.b32 %r0, [%d0+0];",                                        "address-form"),
    ("txq.width.b32 %r0, [%d0+16];",                                       "address-form"),
    ("suld.b.1d.b32.trap %r0, [%d0+8, {%r1}];",                            "address-form"),
    ("tex.1d.v4.s32.s32 {%r0, %r1, %r2, %r3}, [%d0+0, {%r1}];",            "address-form"),
    ("cp.async.bulk.prefetch.tensor.1d.L2.global [gv+64, {%r1}];",         "address-form"),
    ("cp.async.bulk.prefetch.tensor.1d.L2.global [gv, {%r1}];",            None),
    ("multimem.red.add.u32 [%d0], %r1;",                                   None),
    ("multimem.red.add.u32 [%r0], %r1;",                                   "address-register"),
    ("multimem.ld_reduce.add.u32 %r1, [%r0];",                             None),
    # Each coordinate is compared with the one before it, and all of one type with the form's.
    ("suld.b.2d.b32.trap %r0, [%d0, {%f0, %r1}];",                         None),
    ("suld.b.2d.b32.trap %r0, [%d0, {%f0, %f1}];",                         "operand-type"),
    ("suld.b.3d.b32.trap %r0, [%d0, {%f0, %r1, 1, 1}];",                   None),
    ("suld.b.3d.b32.trap %r0, [%d0, {%r1, 1, %f0, %r1}];",                 "operand-type"),
    ("suld.b.1d.b32.trap %r0, [%d0, {%x0}];",                              "operand-type"),
    ("tex.1d.v4.s32.s32 {%r0, %r1, %r2, %r3}, [%d0, {%x0}];",              None),
    ("tex.1d.v4.s32.f32 {%r0, %r1, %r2, %r3}, [%d0, {%x0}];",              "operand-type"),
    ("tex.1d.v4.s32.f32 {%r0, %r1, %r2, %r3}, [%d0, {1}];",                "operand-type"),
    ("tex.2d.v4.s32.f32 {%r0, %r1, %r2, %r3}, [%d0, {%tid.x, %f0}];",      None),
    ("tex.2d.v4.s32.f32 {%r0, %r1, %r2, %r3}, [%d0, {%f0, %tid.x}];",      None),
    ("tex.2d.v4.s32.f32 {%r0, %r1, %r2, %r3}, [%d0, {%f0, %clock64}];",    "operand-size"),
    ("tex.a1d.v4.s32.s32 {%r0, %r1, %r2, %r3}, [%d0, {1, %f0}];",          None),
    ("tex.a1d.v4.s32.s32 {%r0, %r1, %r2, %r3}, [%d0, {%f0, %r1}];",        "operand-type"),
    ("tex.1d.v4.s32.s32 {%r0, %r1, %r2, %r3}, [%d0, {%d1}, {%r1}];",       "operand-kind"),
    # Sizes.
    ("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [gv], [sv], 128;", None),
    ("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [gv], [sv], 64;",
     "immediate-range"),
    # Pairs of halves, where integers and predicates may stand; not with a minus before them.
    ("vset.u32.u32.ne %r0, %x0.b0, %x1;",                                  None),
    ("vset.u32.u32.ne %r0, %f0, %r1;",                                     "operand-type"),
    ("vset.u32.u32.ne %r0, -%x0, -%x1;",                                   "operand-type"),
    ("vmad.u32.s32.s32 %r0, %r1, -%x0, %r2;",                              "operand-type"),
    ("clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %f0, %w0;", None),
    ("clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%x0, %x0, %x1, %x1}, %w0;", None),
    # A predicate alone is negated.
    ("mov.u64 %d0, !gv;",                                                  "operand-kind"),
    ("mov.b64 {%r0, %r1}, !gv;",                                           "operand-kind"),
    ("mov.pred %p0, !fn;",                                                 "operand-kind"),
    ("and.b32 %r0, %r0, !fn;",                                             "operand-kind"),
    ("tcgen05.mma.cta_group::1.kind::f16 [%r0], %d1, %d0, %r3, !%p0;",     None),
    ("tcgen05.mma.ws.sp.cta_group::1.kind::f16 [%r0], %d1, %d0, [%r1], %r3, !%p0;", None),
    ("cp.async.ca.shared.global [sv], [%d0], 4, !%p0;",                    None),
    ("cp.async.ca.shared.global [sv], [%d0], 4, !%r0;",                    "negation"),
    ("mov.pred %p0, !%p1;",                                                None),
    # The assembler moves the constant to a register of 32 bits first.
    ("cvt.rna.tf32.f32 %r0, 1.0;",                                         "immediate-type"),
    ("cvt.rna.tf32.f32 %r0, 0d3FF0000000000000;",                          "immediate-type"),
    ("cvt.rna.satfinite.tf32.f32 %r0, 0f3F800000;",                        None),
    ("cvt.rn.tf32.f32 %r0, 1.0;",                                          None),
    ("cvt.rn.relu.relu.satfinite.satfinite.e4m3x2.f32 %h0, %f0, %f1;",     None),
    ("barrier.cluster.aligned.arrive;",                                    "modifier-order"),
    ("red.shared.add.L2::cache_hint.u32 [sv], %r0, %d0;",                  "modifier-forbidden"),
    # Fragments: any 32 bits, in registers alone.
    ("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%f0, %f1}, [%r1];",        None),
    ("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%x0}, [%r1];",             None),
    ("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%h0}, [%r1];",             "operand-size"),
    ("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r1], {%r0, %f0};",        None),
    ("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r1], {3};",               "vector-element"),
    ("movmatrix.sync.aligned.m8n8.trans.b16 %r0, %f0;",                    None),
    ("movmatrix.sync.aligned.m8n8.trans.b16 %r0, 1;",                      "operand-kind"),
    # Names of functions: the code generator dies of those in `cvt` alone.
    ("cvt.pack.sat.u8.s32.b32 %r0, fn, %r1, %r2;",                         None),
    ("cvt.s32.u32 %r0, fn;",                                               "assembler-crash"),
    ("mov.b64 %d0, fn;",                                                   None),
    # Types that are the operand's own.
    ("mbarrier.arrive.b64 %d0, [mb];",                                     None),
    ("mbarrier.arrive.b64 %g0, [mb];",                                     "operand-type"),
    ("ld.global.L2::cache_hint.u32 %r0, [%d0], %d1;",                      None),
    ("ld.global.L2::cache_hint.u32 %r0, [%d0], %g1;",                      "operand-type"),
    ("createpolicy.cvt.L2.b64 %d0, 5;",                                    None),
    ("createpolicy.cvt.L2.b64 %d0, 1.0;",                                  "immediate-type"),
    ("nanosleep.u32 fn;",                                                  "operand-kind"),
    ("shfl.sync.down.b32 %r0, %r1, 0f3F800000, 31, -1;",                   None),
    ("shfl.sync.down.b32 %r0, %r1, 3, 31, 0f3F800000;",                    "immediate-type"),
    # Constants that another one limits.
    ("cp.async.ca.shared.global [sv], [gv], 8, 8;",                        None),
    ("cp.async.ca.shared.global [sv], [gv], 8, 9;",                        "immediate-range"),
    ("createpolicy.range.global.L2::evict_last.b64 %d0, [gv], 8, 16;",     None),
    ("createpolicy.range.global.L2::evict_last.b64 %d0, [gv], 3, -3;",     None),
    ("createpolicy.range.global.L2::evict_last.b64 %d0, [gv], 16, 8;",     "immediate-range"),
    ("createpolicy.fractional.L2::evict_last.b64 %d0, 1.0;",               None),
    ("createpolicy.fractional.L2::evict_last.b64 %d0, 0.0;",               "immediate-range"),
    ("createpolicy.fractional.L2::evict_last.b64 %d0, 1.5;",               "immediate-range"),
    # Results that may be left out.
    ("match.all.sync.b32 _, %r1, %r2;",                                    None),
    ("match.all.sync.b64 _|%p0, %d1, %r2;",                                None),
    ("match.any.sync.b32 _, %r1, %r2;",                                    "sink"),
    ("match.any.sync.b64 _, %d1, %r2;",                                    "sink"),
    ("shfl.sync.down.b32 %r0|_, %r1, 1, 31, -1;",                          None),
    ("shfl.sync.down.b32 _|%p0, %r1, 1, 31, -1;",                          "sink"),
    ("vote.sync.any.pred _, %p0, -1;",                                     "sink"),
    ("elect.sync _|%p0, -1;",                                              None),
    ("elect.sync %r0|_, -1;",                                              "sink"),
    ("lop3.or.b32 _|%p0, %r0, %r1, %r2, 3, %p1;",                          None),
    # Lists where one value is taken, registers where an instruction is expanded.
    ("sust.b.1d.b32.trap [sf, {%r0}], {%r1, %r2};",                        None),
    ("vadd4.s32.s32.s32 %r0, %r1, %r2, %r3;",                              None),
    ("vadd4.s32.s32.s32 %r0, %r1, 1, %r3;",                                "operand-kind"),
    ("stackrestore.u64 16;",                                               "operand-kind"),
    # Unpacked like registers: special ones, addresses, functions.
    ("mov.b64 {%r0, %r1}, %clock64;",                                      None),
    ("mov.b32 {%h0, %h1}, %tid.x;",                                        None),
    ("mov.b64 {%r0, %r1}, sv+4;",                                          None),
    ("mov.b32 {%h0, %h1}, gv;",                                            None),
    ("mov.b64 {%r0, %r1}, fn;",                                            None),
    ("mov.b64 {%r0, %r1}, tx;",                                            "operand-type"),
    ("mov.b64 {%r0, %r1}, %tid;",                                          "operand-size"),
    # Elements of lists: neighbours agree, a variable has its declared type, what has no type is none.
    ("st.global.v2.b64 [%d0], {mb, %d1};",                                 None),
    ("st.global.v2.b32 [%d0], {mb, %r1};",                                 "vector-element"),
    ("mov.b64 %d0, {fn, %r1};",                                            "vector-element"),
    ("st.global.v2.b64 [%d0], {tx, %d1};",                                 "vector-element"),
    ("st.global.v2.u32 [%d0], {%r0, %f0};",                                None),
    ("st.global.v2.u32 [%d0], {%f0, %f1};",                                "operand-type"),
    ("ld.global.v4.b32 {%f0, %r0, %r1, %f1}, [%d0];",                      None),
    ("st.global.v2.b32 [%d0], {5, %f0};",                                  "vector-element"),
    ("st.global.v2.b32 [%d0], {5.0, %f0};",                                None),
    ("st.global.v2.b8 [%d0], {0, %h1};",                                   None),
    ("st.global.v4.u8 [%d0], {%r0, 1, -2, %r1};",                          None),
    ("st.global.v4.b16 [%d0], {%r0, 1, %h1, 5};",                          "vector-element"),
    ("red.global.v2.f32.add [%d0], {gv, %f1};",                            "vector-element"),
    ("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r1], {%r0, 5};",          None),
    ("wmma.store.d.sync.aligned.row.m8n8k32.global.s32 [%d0], {5, %r1};",  None),
    # 256 bits at once: sinks leave memory as it is; generic addresses do.
    ("st.global.v8.b32 [%d0], {%r0, _, %r1, _, 5, %r2, _, %r3};",          None),
    ("st.v4.b64 [%d0], {%d0, _, %d1, %d1};",                               None),
    ("ld.v4.b64 {%d0, %d1, %d2, %d3}, [%d0];",                             None),
    ("ld.shared.v4.b64 {%d0, %d1, %d2, %d3}, [%d0];",                      "modifier-forbidden"),
    ("st.global.v4.b32 [%d0], {%r0, _, %r1, %r1};",                        "vector-element"),
    # Fields of tensor maps for one dimension are integers; the rank and addresses may be floats.
    ("tensormap.replace.tile.box_dim.global.b1024.b32 [%d0], 1, %r0;",     None),
    ("tensormap.replace.tile.box_dim.global.b1024.b32 [%d0], 1, %x0;",     None),
    ("tensormap.replace.tile.box_dim.global.b1024.b32 [%d0], 1, %f0;",     "operand-type"),
    ("tensormap.replace.tile.global_dim.b1024.b32 [%d0], 1, 0f3F800000;",  "immediate-type"),
    ("tensormap.replace.tile.element_stride.b1024.b32 [%d0], 1, %f0;",     "operand-type"),
    ("tensormap.replace.tile.rank.global.b1024.b32 [%d0], %f0;",           None),
    ("tensormap.replace.tile.global_stride.b1024.b64 [%d0], 1, %g0;",      None),
    # The largest bulk copy is one of 1 MiB less 16 bytes.
    ("cp.async.bulk.global.shared::cta.bulk_group [gv], [sv], 1048560;",   None),
    ("cp.async.bulk.global.shared::cta.bulk_group [gv], [sv], 1048576;",   "immediate-range"),
    ("cp.async.bulk.prefetch.L2.global [gv], 1048576;",                    "immediate-range"),
    ("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [gv], [sv], 1048576;", "immediate-range"),
    # Masks of CTAs have 16 bits, and a bulk store at most 16 MiB, in words of 8 bytes.
    ("tcgen05.commit.cta_group::1.mbarrier::arrive::one.multicast::cluster.b64 [%d0], 65535;", None),
    ("tcgen05.commit.cta_group::1.mbarrier::arrive::one.multicast::cluster.b64 [%d0], -1;", "immediate-range"),
    ("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
     " [%d0], [%d1], 16, [%d2], 65536;",                                   "immediate-range"),
    ("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster"
     " [%d0], [%d1, {%r0}], [%d2], -1;",                                   "immediate-range"),
    ("st.bulk.weak.shared::cta [%d0], 16777216, 0;",                       None),
    ("st.bulk.weak.shared::cta [%d0], 16777224, 0;",                       "immediate-range"),
    ("st.bulk [%d0], 4, 0;",                                               "immediate-range"),
    # Four values of eight bits are any 32 bits; there are no lists of nothing but constants.
    ("multimem.st.global.e5m2x4 [%d0], -1;",                               None),
    ("multimem.st.weak.global.e4m3x4 [%d0], 0x100000000;",                 None),
    ("multimem.st.global.e4m3x4 [%d0], 0f3F800000;",                       None),
    ("multimem.st.global.e4m3x4 [%d0], 1.0;",                              "immediate-type"),
    ("multimem.st.global.e5m2x4 [%d0], %f0;",                              None),
    ("multimem.st.global.e5m2x4 [%d0], %x0;",                              None),
    ("multimem.st.global.e5m2x4 [%d0], %h0;",                              "operand-size"),
    ("multimem.st.global.v2.e4m3x4 [%d0], {0, %r0};",                      None),
    ("multimem.st.global.v2.e4m3x4 [%d0], {%f0, %f1};",                    None),
    ("multimem.st.global.v2.f32 [%d0], {1.0, %f0};",                       None),
    ("multimem.st.global.v2.f32 [%d0], {1.0, 1.0};",                       "vector-element"),
    ("multimem.st.global.v2.f16x2 [%d0], {1.0, 1.0};",                     "vector-element"),
    ("multimem.st.global.v4.bf16 [%d0], {1.0, 1.0, 1.0, 1.0};",            "vector-element"),
    ("multimem.st.global.v2.e4m3x4 [%d0], {0f3F800000, 0f3F800000};",      None),
    ("multimem.st.global.v2.e4m3x4 [%d0], {1.0, 1.0};",                    "vector-element"),
    ("multimem.st.global.f32 [%d0], 1.0;",                                 None),
    ("multimem.st.global.f16x2 [%d0], 1;",                                 "immediate-type"),
    # Lists of tcgen05.st: a register or `0f...` says that the elements have 32 bits.
    ("tcgen05.st.sync.aligned.32x32b.x2.b32 [%r0], {1, %r1};",             None),
    ("tcgen05.st.sync.aligned.32x32b.x2.b32 [%r0], {%r1, 0x100000000};",   None),
    ("tcgen05.st.sync.aligned.32x32b.x2.b32 [%r0], {0f3F800000, %f1};",    None),
    ("tcgen05.st.sync.aligned.32x32b.x1.b32 [%r0], {0f3F800000};",         None),
    ("tcgen05.st.sync.aligned.32x32b.x1.b32 [%r0], {5};",                  "vector-element"),
    ("tcgen05.st.sync.aligned.32x32b.x2.b32 [%r0], {1, -1};",              "vector-element"),
    ("tcgen05.st.sync.aligned.32x32b.x2.b32 [%r0], {%f0, 1.0};",           "vector-element"),
    ("tcgen05.st.sync.aligned.32x32b.x2.b32 [%r0], {0d3FF0000000000000, %r1};", "vector-element"),
    # Wider sources of two floats, but not of bf16.
    ("cvt.rn.f16x2.f32 %r0, %d0, %r1;",                                    None),
    ("cvt.rs.f16x2.f32 %r0, %r1, %d0, %r2;",                               None),
    ("cvt.rn.bf16x2.f32 %r0, %d0, %r1;",                                   "operand-type"),
)
# fmt: on


def test_statements() -> None:
    for statement, wrong in STATEMENTS:
        found = [d.name for d in openptx.check(f"{MODULE}    {statement}\n    ret;\n}}\n") if d.severity == "error"]
        assert found == ([wrong] if wrong else []), statement


# fmt: off
NEWEST = (  # statements of PTX 9.5 on sm_107a
    ("tcgen05.alloc.exclusive.cta_group::1.sync.aligned.b32 [gv], 96;",            None),
    ("tcgen05.alloc.exclusive.cta_group::1.sync.aligned.b32 [sv], 0;",             "immediate-range"),
    ("tcgen05.alloc.exclusive.cta_group::1.sync.aligned.b32 [sv], 48;",            "immediate-range"),
    ("tcgen05.dealloc.exclusive.cta_group::1.sync.aligned.b32 %r0, 8;",            "immediate-range"),
    ("tcgen05.commit.cta_group::2.mbarrier::arrive::one.multicast::cluster::32b.b64 [gv], 0xffffffff;", None),
    ("tcgen05.commit.cta_group::2.mbarrier::arrive::one.multicast::cluster::32b.b64 [gv], -1;", "immediate-range"),
    ("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster::32b "
     "[%r0], [%d0], 64, [%r1], %r2;",                                              None),
    ("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster::32b "
     "[%r0], [%d0], 64, [%r1], %f0;",                                              "operand-type"),
    ("mbarrier.expect_tx.multicast::cluster::32b.b64 [%d0], %r2, -1;",             "immediate-range"),
    ("mbarrier.try_wait.parity.phase_type::primary.b64 %p0, [mb], 3;",             "immediate-range"),
    ("mbarrier.try_wait.parity.phase_type::primary.b64 %p0, %b0, [mb], 3;",        None),
    ("clmad.lo.u64 %d0, %d1+4, 1, %d2;",                                           None),
    ("clmad.lo.s64 %d0, gv+4, 1, %d2;",                                            "operand-kind"),
    ("clmad.hi.u64 %d0, %d1, %d2, fn;",                                            "operand-kind"),
    ("tcgen05.ld.red.sync.aligned.32x32b.x2.min.s32 {%r0, %r1}, %f0, [%r2];",      None),
    ("tcgen05.ld.red.sync.aligned.32x32b.x2.max.f32 {%r0, %r1}, %u0, [%r2];",      None),
    ("tcgen05.ld.red.sync.aligned.32x32b.x2.max.f32 {%r0, %r1}, %x0, [%r2];",      None),
    ("tcgen05.ld.red.sync.aligned.32x32b.x2.max.f32 {%r0, %r1}, %d0, [%r2];",      "operand-type"),
    ("tcgen05.alloc.exclusive.cta_group::1.sync.aligned.b32 [%h0], 96;",           "address-register"),
    ("trace.mark 4095;",                                                           None),
    ("trace.mark 4096;",                                                           "immediate-range"),
)
# fmt: on


@pytest.mark.parametrize(("statement", "wrong"), NEWEST)
def test_the_newest_statements(statement: str, wrong: str | None) -> None:
    module = MODULE.replace(".version 9.0", ".version 9.5").replace("sm_100a", "sm_107a")
    found = openptx.check(f"{module}    .reg .b8 %b0;\n    {statement}\n    ret;\n}}\n")
    assert [d.name for d in found if d.severity == "error"] == ([wrong] if wrong else [])


@pytest.mark.parametrize(("version", "wrong"), [("9.2", ["needs-version"]), ("9.3", [])])
def test_ordered_accesses_to_devices_need_a_version(version: str, wrong: list[str]) -> None:
    for statement in ("ld.mmio.acquire.sys.global.b32 %r0, [gv];", "st.mmio.release.sys.b32 [gv], %r0;"):
        found = openptx.check(f"{MODULE}    {statement}\n    ret;\n}}\n".replace("9.0", version))
        assert [d.name for d in found if d.severity == "error"] == wrong


@pytest.mark.parametrize(
    ("left", "right", "taken"), [(0, 15, 1), (15, 0, 1), (16, 1, 0), (1, 16, 0), (-1, 1, 0), (1, -1, 0)]
)
def test_bytes_ignored_out_of_bounds_are_fewer_than_sixteen(left: int, right: int, taken: int) -> None:
    opcode = "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob"
    for size in ("16", "32", "%r0"):
        text = f"{MODULE}    {opcode} [sv], [gv], {size}, {left}, {right}, [mb];\n    ret;\n}}\n"
        found = openptx.check(text.replace(".version 9.0", ".version 9.2"))
        assert [d.name for d in found if d.severity == "error"] == ([] if taken else ["immediate-range"])


@pytest.mark.parametrize(("version", "most"), [("8.6", 12), ("8.7", 15)])
def test_the_newest_elements_of_tensor_maps_need_a_version(version: str, most: int) -> None:
    for value in (12, 13, 15, 16):
        text = f"{MODULE}    tensormap.replace.tile.elemtype.global.b1024.b32 [%d0], {value};\n    ret;\n}}\n"
        found = openptx.check(text.replace(".version 9.0", f".version {version}"))
        assert [d.name for d in found if d.severity == "error"] == ([] if value <= most else ["immediate-range"])


def test_all_of_a_special_register_is_no_single_one() -> None:
    """The message names the component to write, not a conversion of `.u32` to `.u32`."""
    text = f"{MODULE}    mov.u32 %r0, %tid;\n    ret;\n}}\n"
    (found,) = (d for d in openptx.check(text) if d.severity == "error")
    assert (found.name, found.help) == ("operand-type", "write `%tid.x`")


def test_a_constant_in_parentheses_is_an_operand_and_no_call() -> None:
    head = ".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n"
    for statement in ("bar.sync (0);", "bar.sync(0);", "bar.sync (0), (32);", "pmevent (1);"):
        assert openptx.check(f"{head}{statement}\nret;\n}}") == [], statement


TENSORMAP = """.version 9.0
.target sm_100a
.address_size 64
.visible .entry k() {{
    .reg .b64 a; .reg .pred p; .reg .f32 f<4>; .reg .f64 g; .reg .f16 h; .reg .f16x2 hx; .reg .b128 q;
    .reg .u32 u<4>; .reg .b32 b<4>; .reg .u16 w<4>; .reg .b16 v<4>;
    {statement}
    ret;
}}
"""


def _refused(statement: str, profile: str = "ptxas") -> bool:
    found = openptx.check(TENSORMAP.format(statement=statement), profile=profile)
    return any(each.severity == "error" for each in found)


@pytest.mark.parametrize(
    ("register", "refused"), [("p", False), ("f0", False), ("g", False), ("h", False), ("hx + 4", False), ("q", True)]
)
def test_any_register_is_an_address_of_a_tensor_map_fence(register: str, refused: bool) -> None:
    statement = f"fence.proxy.tensormap::generic.acquire.gpu [{register}], 128;"
    assert _refused(statement) == refused
    assert _refused(statement, "isa")


@pytest.mark.parametrize(("address", "refused"), [("0", False), ("-1", False), ("0+4", False), ("1.0", True)])
def test_a_constant_is_an_address_of_a_tensor_map_fence(address: str, refused: bool) -> None:
    assert _refused(f"fence.proxy.tensormap::generic.acquire.gpu [{address}], 128;") == refused
    assert _refused(f"prefetch.tensormap [{address}];")


@pytest.mark.parametrize(
    "operation", ["multimem.st.global", "multimem.red.global.add", "multimem.ld_reduce.global.add"]
)
@pytest.mark.parametrize(
    ("type", "register", "refused"),
    [
        ("f32", "u", False), ("f32", "b", False), ("f32", "w", True), ("f16", "w", False), ("f16", "v", False),
        ("f16", "u", True), ("bf16", "w", True), ("f16x2", "u", True), ("bf16x2", "u", True),
    ],
)  # fmt: skip
def test_integers_in_lists_of_multimem(operation: str, type: str, register: str, refused: bool) -> None:
    operands = ["[a]", f"{{{register}0, {register}1}}"]
    if "ld_reduce" in operation:
        operands.reverse()
    assert _refused(f"{operation}.v2.{type} {', '.join(operands)};") == refused


@pytest.mark.parametrize(("version", "wrong"), [("7.0", ["needs-version"]), ("7.1", [])])
def test_a_state_that_is_left_out_needs_a_version(version: str, wrong: list[str]) -> None:
    head = f".version {version}\n.target sm_80\n.address_size 64\n.shared .b64 mb;\n.entry k() {{ .reg .b64 d;\n"
    for statement, missing in (
        ("mbarrier.arrive.shared.b64 _, [mb];", wrong),
        ("mbarrier.arrive.noComplete.shared.b64 _, [mb], 3;", wrong),
        ("mbarrier.arrive.shared.b64 d, [mb];", []),
        ("mbarrier.arrive_drop.b64 _, [mb];", []),
    ):
        found = openptx.check(f"{head}{statement}\nret; }}\n")
        assert [d.name for d in found if d.severity == "error"] == missing, statement
