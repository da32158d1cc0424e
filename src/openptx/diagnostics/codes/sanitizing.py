"""Codes 80xx: what `openptx sanitize` finds in an execution."""

from openptx.diagnostics.codes import Code

CODES = (
    Code("PTX8001", "data-race", """
        Two threads access the same bytes, at least one of them writes, and the accesses are not ordered.

        Neither access happens before the other: no barrier that both threads take part in, no release and acquire, and
        no wait for an asynchronous copy lies between them. What the reader sees is undefined on a GPU, whichever order
        a run happens to take.

            .shared .align 256 .u32 x[64];
            mov.u32 %r1, %tid.x;
            shl.b32 %r2, %r1, 2;
            mov.u32 %r3, x;
            add.u32 %r3, %r3, %r2;
            st.shared.u32 [%r3], %r1;
            xor.b32 %r3, %r3, 252;
            ld.shared.u32 %r5, [%r3];

        Instead:

            .shared .align 256 .u32 x[64];
            mov.u32 %r1, %tid.x;
            shl.b32 %r2, %r1, 2;
            mov.u32 %r3, x;
            add.u32 %r3, %r3, %r2;
            st.shared.u32 [%r3], %r1;
            bar.sync 0;
            xor.b32 %r3, %r3, 252;
            ld.shared.u32 %r5, [%r3];

        Rule: PTX ISA, Conflict and Data-races (8.7.1)
        """),
    Code("PTX8002", "shared-memory-lifetime", """
        A block accesses the shared memory of another block of its cluster that may not have started, or may have ended.

        The lifetime of shared memory is that of its block. An access from another block must come after the start of
        the block and before its end. A cluster barrier before and one after the access guarantee that.

            .version 8.0
            .target sm_90
            .visible .entry k() .reqnctapercluster 2, 1, 1 {
                .reg .b32 r, a;
                .shared .u32 x;
                st.shared.u32 [x], 1;
                barrier.cluster.arrive.aligned;
                barrier.cluster.wait.aligned;
                mov.u32 r, %cluster_ctarank;
                xor.b32 r, r, 1;
                mov.u32 a, x;
                mapa.shared::cluster.u32 a, a, r;
                ld.shared::cluster.u32 r, [a];
                ret;
            }

        Instead:

            .version 8.0
            .target sm_90
            .visible .entry k() .reqnctapercluster 2, 1, 1 {
                .reg .b32 r, a;
                .reg .pred p;
                .shared .u32 x;
                mov.u32 r, %tid.x;
                setp.eq.u32 p, r, 0;
                @p st.shared.u32 [x], 1;
                barrier.cluster.arrive.aligned;
                barrier.cluster.wait.aligned;
                mov.u32 r, %cluster_ctarank;
                xor.b32 r, r, 1;
                mov.u32 a, x;
                mapa.shared::cluster.u32 a, a, r;
                ld.shared::cluster.u32 r, [a];
                barrier.cluster.arrive.aligned;
                barrier.cluster.wait.aligned;
                ret;
            }

        Rule: PTX ISA, Shared State Space (5.1.7)
        """),
    Code("PTX8003", "undefined-value", """
        A branch, a predicate, an address, a barrier or an atomic operation depends on a value that was never written.

        Registers, shared memory, local memory and memory from `malloc` start undefined, tracked bit by bit. Copying
        undefined bits or masking them out is allowed; a decision that depends on them is an error.

            .shared .u32 x;
            ld.shared.u32 %r1, [x];
            setp.eq.u32 %p1, %r1, 0;
            @%p1 bra DONE;
            mov.u32 %r2, 1;
            DONE: ret;

        Instead:

            .shared .u32 x;
            mov.u32 %r3, %tid.x;
            setp.eq.u32 %p2, %r3, 0;
            @%p2 st.shared.u32 [x], 0;
            bar.sync 0;
            ld.shared.u32 %r1, [x];
            setp.eq.u32 %p1, %r1, 0;
            @%p1 bra DONE;
            mov.u32 %r2, 1;
            DONE: ret;
        """),
    Code("PTX8004", "undefined-output", """
        A checked output has bytes that were never written, or that were written with undefined bits.

            .version 8.0
            .target sm_80
            .visible .entry k(.param .u64 o) {
                .reg .b64 a;
                .reg .b32 v;
                ld.param.u64 a, [o];
                st.global.u32 [a], v;
                ret;
            }

        Instead:

            .version 8.0
            .target sm_80
            .visible .entry k(.param .u64 o) {
                .reg .b64 a;
                .reg .b32 i;
                .reg .pred p;
                ld.param.u64 a, [o];
                mov.u32 i, %tid.x;
                setp.eq.u32 p, i, 0;
                @p st.global.u32 [a], 7;
                ret;
            }
        """),
    Code("PTX8005", "unequal-barriers", """
        The threads of a warp do not execute the same barrier instruction together, or not the same number of times.

        All threads of a warp must execute `bar.sync` and `barrier.sync.aligned` together. If such a barrier is in a
        branch that only some of them take, or in a loop that some leave earlier, a GPU may hang or let threads pass
        that should wait.

        Nor may warps mix `bar.red` with other forms at one barrier, or give different thread counts.

            mov.u32 %r1, %tid.x;
            and.b32 %r2, %r1, 1;
            setp.eq.u32 %p1, %r2, 0;
            .shared .u32 x[64];
            mov.u32 %r4, x;
            shl.b32 %r3, %r1, 2;
            add.u32 %r4, %r4, %r3;
            @%p1 bra SKIP;
            bar.sync 0;
            SKIP: st.shared.u32 [%r4], %r1;

        Instead:

            mov.u32 %r1, %tid.x;
            .shared .u32 x[64];
            mov.u32 %r4, x;
            shl.b32 %r3, %r1, 2;
            add.u32 %r4, %r4, %r3;
            bar.sync 0;
            st.shared.u32 [%r4], %r1;

        Rule: PTX ISA, bar, barrier (9.7.13.1)
        """),
    Code("PTX8006", "inactive-lane", """
        A lane reads the value of a lane that does not execute the instruction, or that is not in its member mask.

            mov.u32 %r1, %laneid;
            setp.ge.u32 %p1, %r1, 16;
            @%p1 bra DONE;
            shfl.sync.idx.b32 %r2, %r1, 20, 31, 0xffff;
            setp.eq.u32 %p2, %r2, 0;
            @%p2 bra DONE;
            DONE: ret;

        Instead:

            mov.u32 %r1, %laneid;
            setp.ge.u32 %p1, %r1, 16;
            @%p1 bra DONE;
            shfl.sync.idx.b32 %r2, %r1, 4, 31, 0xffff;
            setp.eq.u32 %p2, %r2, 0;
            @%p2 bra DONE;
            DONE: ret;

        Rule: PTX ISA, shfl.sync (9.7.9.6)
        """),
    Code("PTX8007", "mbarrier-misuse", """
        An mbarrier object is used before `mbarrier.init` or after an ordinary store to it, is initialized while in use,
        receives more arrivals than it expects, or a `.noComplete` operation completes its phase.

            .version 8.0
            .target sm_80
            .visible .entry k() {
                .reg .b64 s;
                .shared .b64 m;
                mbarrier.arrive.shared.b64 s, [m];
                ret;
            }

        Instead:

            .version 8.0
            .target sm_80
            .visible .entry k() {
                .reg .b64 s;
                .reg .b32 i;
                .reg .pred p;
                .shared .b64 m;
                mov.u32 i, %tid.x;
                setp.eq.u32 p, i, 0;
                @p mbarrier.init.shared.b64 [m], 64;
                bar.sync 0;
                mbarrier.arrive.shared.b64 s, [m];
                ret;
            }

        Rule: PTX ISA, mbarrier (9.7.13.15)
        """),
    Code("PTX8008", "endless-wait", """
        Threads wait for an event that can no longer happen.

            .version 8.0
            .target sm_80
            .visible .entry k() {
                .reg .b64 s;
                .reg .b32 i;
                .reg .pred p;
                .shared .b64 m;
                mov.u32 i, %tid.x;
                setp.eq.u32 p, i, 0;
                @p mbarrier.init.shared.b64 [m], 65;
                bar.sync 0;
                mbarrier.arrive.shared.b64 s, [m];
                AGAIN: mbarrier.test_wait.shared.b64 p, [m], s;
                @!p bra AGAIN;
                ret;
            }

        Instead:

            .version 8.0
            .target sm_80
            .visible .entry k() {
                .reg .b64 s;
                .reg .b32 i;
                .reg .pred p;
                .shared .b64 m;
                mov.u32 i, %tid.x;
                setp.eq.u32 p, i, 0;
                @p mbarrier.init.shared.b64 [m], 64;
                bar.sync 0;
                mbarrier.arrive.shared.b64 s, [m];
                AGAIN: mbarrier.test_wait.shared.b64 p, [m], s;
                @!p bra AGAIN;
                ret;
            }
        """),
    Code("PTX8009", "variable-bounds", """
        An address that was computed from one variable accesses memory of another variable.

            .shared .u32 x[64];
            .shared .u32 y[64];
            mov.u32 %r1, %tid.x;
            shl.b32 %r2, %r1, 2;
            mov.u32 %r3, x;
            add.u32 %r3, %r3, %r2;
            st.shared.u32 [%r3+4], 1;
            mov.u32 %r4, y;

        Instead:

            .shared .u32 x[65];
            .shared .u32 y[64];
            mov.u32 %r1, %tid.x;
            shl.b32 %r2, %r1, 2;
            mov.u32 %r3, x;
            add.u32 %r3, %r3, %r2;
            st.shared.u32 [%r3+4], 1;
            mov.u32 %r4, y;
        """),
    Code("PTX8010", "non-coherent-read", """
        `ld.global.nc` reads data that the same kernel writes. The non-coherent cache may still hold the old values.

            .version 8.0
            .target sm_80
            .visible .entry k(.param .u64 o) {
                .reg .b64 a; .reg .b32 i; .reg .pred p;
                ld.param.u64 a, [o];
                mov.u32 i, %tid.x;
                setp.eq.u32 p, i, 0;
                @p st.global.u32 [a], 1;
                bar.sync 0;
                ld.global.nc.u32 i, [a];
                ret;
            }

        Instead:

            .version 8.0
            .target sm_80
            .visible .entry k(.param .u64 o) {
                .reg .b64 a; .reg .b32 i; .reg .pred p;
                ld.param.u64 a, [o];
                mov.u32 i, %tid.x;
                setp.eq.u32 p, i, 0;
                @p st.global.u32 [a], 1;
                bar.sync 0;
                ld.global.u32 i, [a];
                ret;
            }

        Rule: PTX ISA, ld.global.nc (9.7.9.9)
        """),
    Code("PTX8012", "foreign-local-address", """
        A thread uses the address of another thread's local memory, which that thread has stored.

        Local memory is private to a thread, and the same address refers to different memory in each thread. The access
        goes to the thread's own local memory at that address.

            .local .u32 x;
            .shared .u64 s;
            mov.u64 %rd1, x;
            cvta.local.u64 %rd1, %rd1;
            st.u32 [%rd1], 1;
            mov.u32 %r1, %tid.x;
            setp.eq.u32 %p1, %r1, 0;
            @%p1 st.shared.u64 [s], %rd1;
            bar.sync 0;
            ld.shared.u64 %rd2, [s];
            ld.u32 %r2, [%rd2];

        Instead:

            .shared .u32 s;
            mov.u32 %r1, %tid.x;
            setp.eq.u32 %p1, %r1, 0;
            @%p1 st.shared.u32 [s], 1;
            bar.sync 0;
            ld.shared.u32 %r2, [s];

        Rule: PTX ISA, Local State Space (5.1.5)
        """),
)  # fmt: skip
