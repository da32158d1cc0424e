"""Codes 85xx: warnings of `openptx sanitize`, idioms that the manual forbids and GPUs tolerate."""

from openptx.diagnostics.codes import Code

CODES = (
    Code("PTX8501", "equal-value-race", """
        Several threads write the same value to the same bytes, and the writes are not ordered.

        By the manual this is a data race. On all known GPUs the bytes hold that value afterwards.

            .shared .u32 x;
            st.shared.u32 [x], 5;

        Instead:

            .shared .u32 x;
            mov.u32 %r1, %tid.x;
            setp.eq.u32 %p1, %r1, 0;
            @%p1 st.shared.u32 [x], 5;

        Rule: PTX ISA, Conflict and Data-races (8.7.1)
        """),
    Code("PTX8502", "tolerated-race", """
        A race that the manual forbids and common idioms contain: a plain load before a compare-and-swap loop, a
        `volatile` load of what plain stores write, or an atomic whose result is relied on without an acquire fence.
        Also unordered `volatile` accesses to shared memory by lanes of one warp, which rely on lock-step execution.

            .version 8.0
            .target sm_80
            .global .u32 x;
            .visible .entry k() {
                .reg .b32 a, b;
                .reg .pred p;
                ld.global.u32 a, [x];
                AGAIN: add.u32 b, a, 1;
                atom.global.cas.b32 b, [x], a, b;
                setp.ne.u32 p, a, b;
                mov.u32 a, b;
                @p bra AGAIN;
                ret;
            }

        Instead:

            .version 8.0
            .target sm_80
            .global .u32 x;
            .visible .entry k() {
                .reg .b32 a, b;
                .reg .pred p;
                ld.relaxed.gpu.global.u32 a, [x];
                AGAIN: add.u32 b, a, 1;
                atom.global.cas.b32 b, [x], a, b;
                setp.ne.u32 p, a, b;
                mov.u32 a, b;
                @p bra AGAIN;
                ret;
            }

        Rule: PTX ISA, Conflict and Data-races (8.7.1)
        """),
    Code("PTX8503", "ended-lane", """
        A member mask contains lanes that have exited. Votes and reductions ignore such lanes; the result of a shuffle
        from one of them is undefined.

            mov.u32 %r1, %laneid;
            setp.ge.u32 %p1, %r1, 16;
            @%p1 bra DONE;
            vote.sync.ballot.b32 %r2, %p1, -1;
            DONE: ret;

        Instead:

            mov.u32 %r1, %laneid;
            setp.ge.u32 %p1, %r1, 16;
            @%p1 bra DONE;
            vote.sync.ballot.b32 %r2, %p1, 0xffff;
            DONE: ret;
        """),
    Code("PTX8504", "early-exit", """
        Threads exited before a barrier that other threads of their warp execute. A GPU does not wait for threads that
        have exited, but the manual requires that all threads of a warp execute the barrier.

            mov.u32 %r1, %tid.x;
            setp.ge.u32 %p1, %r1, 40;
            @%p1 bra DONE;
            bar.sync 0;
            DONE: ret;

        Instead:

            mov.u32 %r1, %tid.x;
            setp.ge.u32 %p1, %r1, 40;
            bar.sync 0;
            @%p1 bra DONE;
            DONE: ret;

        Rule: PTX ISA, bar, barrier (9.7.13.1)
        """),
    Code("PTX8505", "unfinished-copy", """
        A thread exits before its asynchronous copies have been waited for, or between arriving at the cluster's barrier
        and waiting for it.

            .version 8.0
            .target sm_80
            .visible .entry k(.param .u64 a) {
                .reg .b64 p;
                .reg .b32 i, s;
                .shared .align 16 .b8 x[1024];
                mov.u32 i, %tid.x;
                shl.b32 i, i, 4;
                mov.u32 s, x;
                add.u32 s, s, i;
                ld.param.u64 p, [a];
                cp.async.cg.shared.global [s], [p], 16;
                cp.async.commit_group;
                ret;
            }

        Instead:

            .version 8.0
            .target sm_80
            .visible .entry k(.param .u64 a) {
                .reg .b64 p;
                .reg .b32 i, s;
                .shared .align 16 .b8 x[1024];
                mov.u32 i, %tid.x;
                shl.b32 i, i, 4;
                mov.u32 s, x;
                add.u32 s, s, i;
                ld.param.u64 p, [a];
                cp.async.cg.shared.global [s], [p], 16;
                cp.async.commit_group;
                cp.async.wait_group 0;
                ret;
            }
        """),
    Code("PTX8506", "device-memory-leak", """
        Memory that a kernel allocated by `malloc` was never freed: by no launch before the program ended, or not by
        this launch, which left no pointer to it in memory for a later one.

            .version 8.0
            .target sm_80
            .extern .func (.param .b64 p) malloc (.param .b64 n);
            .visible .entry k() {
                .reg .b64 a;
                call.uni (a), malloc, (16);
                ret;
            }

        Instead:

            .version 8.0
            .target sm_80
            .extern .func (.param .b64 p) malloc (.param .b64 n);
            .extern .func free (.param .b64 p);
            .visible .entry k() {
                .reg .b64 a;
                call.uni (a), malloc, (16);
                call.uni free, (a);
                ret;
            }
        """),
    Code("PTX8507", "unwritten-copy", """
        A kernel copies a word that was never written to global memory. Undefined bytes between written ones, such as
        the padding of a structure, are not reported: the load must read written words in other threads or rounds, or
        there must be no written bytes around the word. Padding beside members of eight bytes is not reported even in
        copies of structures word by word. A register that nothing wrote is reported if it is all that an instruction
        stores; an unwritten element beside written ones of a vector is not.

            .version 8.0
            .target sm_80
            .visible .entry k(.param .u64 out) {
                .reg .b64 p;
                .reg .b32 v;
                .reg .pred other;
                .shared .b32 s[64];
                mov.u32 v, %tid.x;
                setp.ne.u32 other, v, 0;
                @other ret;
                ld.shared.b32 v, [s];
                ld.param.u64 p, [out];
                st.global.b32 [p], v;
                ret;
            }

        Instead:

            .version 8.0
            .target sm_80
            .visible .entry k(.param .u64 out) {
                .reg .b64 p;
                .reg .b32 v;
                .reg .pred other;
                .shared .b32 s[64];
                mov.u32 v, %tid.x;
                setp.ne.u32 other, v, 0;
                @other ret;
                mov.b32 v, 0;
                st.shared.b32 [s], v;
                ld.shared.b32 v, [s];
                ld.param.u64 p, [out];
                st.global.b32 [p], v;
                ret;
            }
        """),
    Code("PTX8508", "skipped-barrier", """
        Some warps execute a barrier of the whole block, others skip it and go on after it. The barrier completes
        when those have exited, which the manual allows, but it does not order what they do. CUDA C++ requires that all
        threads of a block that have not exited execute `__syncthreads()`. Warps that return early are not reported.

            .version 8.0
            .target sm_80
            .visible .entry k(.param .u64 out) {
                .reg .b64 p;
                .reg .b32 t;
                .reg .pred skips;
                mov.u32 t, %tid.x;
                ld.param.u64 p, [out];
                mad.wide.u32 p, t, 1, p;
                setp.ge.u32 skips, t, 32;
                @skips bra ON;
                bar.sync 0;
            ON: st.global.u8 [p], t;
                ret;
            }

        Instead:

            .version 8.0
            .target sm_80
            .visible .entry k(.param .u64 out) {
                .reg .b64 p;
                .reg .b32 t;
                mov.u32 t, %tid.x;
                ld.param.u64 p, [out];
                mad.wide.u32 p, t, 1, p;
                bar.sync 0;
                st.global.u8 [p], t;
                ret;
            }

        Rule: PTX ISA, exit (9.7.12.7)
        """),
)  # fmt: skip
