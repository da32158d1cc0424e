"""Codes 80xx of asynchronous operations: what `openptx sanitize` finds in an execution."""

from openptx.diagnostics.codes import Code

CODES = (
    Code("PTX8011", "missing-proxy-fence", """
        A bulk copy accesses memory that ordinary instructions wrote, with no proxy fence between the two.

        Bulk copies use the async proxy, ordinary stores the generic proxy. A barrier does not make the writes of one
        proxy visible to the other. A `fence.proxy.async` does: in the writing threads before the barrier, or in the
        copying thread after it.

            .version 8.0
            .target sm_90
            .visible .entry k(.param .u64 a) {
                .reg .b64 p;
                .reg .b32 i, s;
                .reg .pred q;
                .shared .align 16 .u32 x[64];
                ld.param.u64 p, [a];
                mov.u32 i, %tid.x;
                setp.eq.u32 q, i, 0;
                shl.b32 i, i, 2;
                mov.u32 s, x;
                add.u32 s, s, i;
                st.shared.u32 [s], i;
                bar.sync 0;
                @!q bra DONE;
                cp.async.bulk.global.shared::cta.bulk_group [p], [x], 64;
                cp.async.bulk.commit_group;
                cp.async.bulk.wait_group 0;
            DONE:
                ret;
            }

        Instead:

            .version 8.0
            .target sm_90
            .visible .entry k(.param .u64 a) {
                .reg .b64 p;
                .reg .b32 i, s;
                .reg .pred q;
                .shared .align 16 .u32 x[64];
                ld.param.u64 p, [a];
                mov.u32 i, %tid.x;
                setp.eq.u32 q, i, 0;
                shl.b32 i, i, 2;
                mov.u32 s, x;
                add.u32 s, s, i;
                st.shared.u32 [s], i;
                fence.proxy.async.shared::cta;
                bar.sync 0;
                @!q bra DONE;
                cp.async.bulk.global.shared::cta.bulk_group [p], [x], 64;
                cp.async.bulk.commit_group;
                cp.async.bulk.wait_group 0;
            DONE:
                ret;
            }

        Rule: PTX ISA, Proxies (8.6)
        """),
    Code("PTX8013", "multiplication-order", """
        Registers of a `wgmma.mma_async` are accessed while it may still be running, or written without a fence before
        it.

        The multiplication is asynchronous. Its accumulators may be accessed once a `wgmma.wait_group` has waited for
        the group that it was committed to. A `wgmma.fence` must come before the first multiplication, and between other
        writes of its registers and the multiplication. Further multiplications into the same accumulators need neither.

            .version 8.0
            .target sm_90a
            .visible .entry k() {
                .reg .b64 d; .reg .f32 a, b, c, e; .reg .pred p;
                .shared .align 1024 .b8 x[8192];
                mov.u64 d, 0x4000008000080000;
                setp.ne.b64 p, d, d;
                wgmma.fence.sync.aligned;
                wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {a, b, c, e}, d, d, p, 1, 1;
                wgmma.commit_group.sync.aligned;
                add.f32 a, a, b;
                wgmma.wait_group.sync.aligned 0;
                ret;
            }

        Instead:

            .version 8.0
            .target sm_90a
            .visible .entry k() {
                .reg .b64 d; .reg .f32 a, b, c, e; .reg .pred p;
                .shared .align 1024 .b8 x[8192];
                mov.u64 d, 0x4000008000080000;
                setp.ne.b64 p, d, d;
                wgmma.fence.sync.aligned;
                wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {a, b, c, e}, d, d, p, 1, 1;
                wgmma.commit_group.sync.aligned;
                wgmma.wait_group.sync.aligned 0;
                add.f32 a, a, b;
                ret;
            }

        Rule: PTX ISA, wgmma.mma_async (9.7.15.5.2)
        """),
    Code("PTX8014", "tensor-memory-not-freed", """
        A block ends without freeing tensor memory that it allocated.

        Tensor memory belongs to the multiprocessor. Memory that stays allocated is not available to later blocks, which
        then wait in `tcgen05.alloc`.

            .version 8.6
            .target sm_100a
            .visible .entry k() {
                .reg .b32 i;
                .reg .pred p;
                .shared .b32 place;
                mov.u32 i, %tid.x;
                setp.ge.u32 p, i, 32;
                @p bra DONE;
                tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [place], 32;
                DONE: ret;
            }

        Instead:

            .version 8.6
            .target sm_100a
            .visible .entry k() {
                .reg .b32 i, t;
                .reg .pred p;
                .shared .b32 place;
                mov.u32 i, %tid.x;
                setp.ge.u32 p, i, 32;
                @p bra DONE;
                tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [place], 32;
                bar.warp.sync 0xffffffff;
                ld.shared.b32 t, [place];
                tcgen05.dealloc.cta_group::1.sync.aligned.b32 t, 32;
                DONE: ret;
            }

        Rule: PTX ISA, tcgen05.alloc, tcgen05.dealloc (9.7.16.7)
        """),
)  # fmt: skip
