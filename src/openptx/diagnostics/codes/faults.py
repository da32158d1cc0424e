"""Codes 9xxx: faults of a kernel at run time."""

from openptx.diagnostics.codes import Code

CODES = (
    Code("PTX9001", "out-of-bounds", """
        An access outside every allocation of its state space.

        The size of every buffer that a kernel may access is known, and all bytes of an access are checked.

            mov.u64 %rd1, 4096;
            st.global.u32 [%rd1], 1;

        Instead:

            .shared .u32 x;
            st.shared.u32 [x], 1;
        """),
    Code("PTX9002", "misaligned-access", """
        An access whose address is not a multiple of its size. The size of a vector access is that of the whole vector.

            .shared .align 8 .b8 x[8];
            mov.u32 %r1, x;
            ld.shared.u32 %r2, [%r1+2];

        Instead:

            .shared .align 8 .b8 x[8];
            mov.u32 %r1, x;
            ld.shared.u32 %r2, [%r1+4];
        """),
    Code("PTX9003", "read-only", """
        A write to read-only memory: constants, a kernel's parameters, a read-only NumPy array.

            .version 8.0
            .target sm_80
            .const .u32 limit = 5;
            .visible .entry k() { .reg .b64 a; mov.u64 a, limit; cvta.const.u64 a, a; st.u32 [a], 6; ret; }

        Instead:

            .version 8.0
            .target sm_80
            .global .u32 limit = 5;
            .visible .entry k() { .reg .b64 a; mov.u64 a, limit; cvta.global.u64 a, a; st.u32 [a], 6; ret; }
        """),
    Code("PTX9004", "instruction-limit", """
        The kernel executed more instructions than `--max-instructions` allows, and was stopped.

            AGAIN: bra AGAIN;

        Instead:

            bra DONE;
            DONE: ret;
        """),
    Code("PTX9005", "timeout", """
        The kernel ran longer than `--timeout` allows, and was stopped; or it did not start within this time, since the
        file was being read or the kernel compiled. The time in which an engine is imported does not count.

            AGAIN: bra AGAIN;

        Instead:

            bra DONE;
            DONE: ret;
        """),
    Code("PTX9006", "deadlock", """
        Threads wait for something that can no longer happen: at a barrier that other threads never reach, for a phase
        of an mbarrier that nothing completes, or for a lock that is never released.

            mov.u32 %r1, %tid.x;
            setp.eq.u32 %p1, %r1, 0;
            @%p1 barrier.sync 0, 64;

        Instead:

            barrier.sync 0;
        """),
    Code("PTX9007", "trap", """
        The kernel executed `trap`.

            trap;

        Instead:

            ret;
        """),
    Code("PTX9008", "assertion", """
        An `assert` of the kernel's CUDA source failed: it called `__assertfail`.

            .version 8.0
            .target sm_80
            .extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);
            .visible .entry k() {
                call.uni __assertfail, (0, 0, 1, 0, 1);
                ret;
            }

        Instead:

            ret;
        """),
    Code("PTX9009", "invalid-call-target", """
        An indirect call of an address that is not a function, or of a function whose signature differs from the
        prototype's.

            .version 8.0
            .target sm_80
            .visible .entry k() { .reg .b64 f; mov.u64 f, 16; P: .callprototype _ (); call f, P; ret; }

        Instead:

            .version 8.0
            .target sm_80
            .func helper() { ret; }
            .visible .entry k() { .reg .b64 f; mov.u64 f, helper; P: .callprototype _ (); call f, P; ret; }
        """),
    Code("PTX9010", "branch-index", """
        An index of `brx.idx` beyond its list of targets.

            LIST: .branchtargets DONE;
            mov.u32 %r1, 1;
            brx.idx %r1, LIST;
            DONE: ret;

        Instead:

            LIST: .branchtargets DONE;
            mov.u32 %r1, 0;
            brx.idx %r1, LIST;
            DONE: ret;
        """),
    Code("PTX9011", "stack-overflow", """
        Calls nest deeper than the stack of a thread allows. Most often a recursion does not end.

            .version 8.0
            .target sm_80
            .func down() { call down; ret; }
            .visible .entry k() { call down; ret; }

        Instead:

            .version 8.0
            .target sm_80
            .func down() { ret; }
            .visible .entry k() { call down; ret; }
        """),
    Code("PTX9012", "invalid-barrier", """
        A barrier with an id above 15, or with a thread count that is zero or not a multiple of the warp size.

            mov.u32 %r1, 20;
            barrier.sync %r1;

        Instead:

            mov.u32 %r1, 2;
            barrier.sync %r1;
        """),
    Code("PTX9013", "invalid-mask", """
        The member mask of a warp-level instruction does not contain the thread that executes it.

            mov.u32 %r1, %laneid;
            vote.sync.any.pred %p1, %p2, 0;

        Instead:

            mov.u32 %r1, %laneid;
            vote.sync.any.pred %p1, %p2, -1;
        """),
    Code("PTX9014", "uninitialized-read", """
        A read of a register or of shared memory that has not been written. Reported only with `--initcheck`.

            .shared .u32 x;
            ld.shared.u32 %r1, [x];

        Instead:

            .shared .u32 x;
            st.shared.u32 [x], 0;
            ld.shared.u32 %r1, [x];
        """),
    Code("PTX9015", "undefined-behavior", """
        An operand value for which the manual leaves the result undefined, in an instruction that is checked for it.

            mov.u32 %r1, 40;
            activemask.b32 %r2;
            shfl.sync.idx.b32 %r3, %r4, 0, 31, 0;

        Instead:

            activemask.b32 %r2;
            shfl.sync.idx.b32 %r3, %r4, 0, 31, %r2;
        """),
    Code("PTX9016", "invalid-texture", """
        The operand of a texture or surface instruction is not a texture, sampler or surface, or one of the wrong kind.

        Textures, samplers and surfaces are not interchangeable, and the number of dimensions must be that of the
        instruction. A module's texture variable must have been bound before the launch (`module.bind`).

            .version 8.0
            .target sm_80
            .visible .entry k() { .reg .b32 a; .reg .b64 t; mov.b64 t, 5; txq.width.b32 a, [t]; ret; }

        Instead:

            .version 8.0
            .target sm_80
            .visible .entry k(.param .u64 t) {
                .reg .b32 a;
                .reg .b64 t1;
                ld.param.u64 t1, [t];
                txq.width.b32 a, [t1];
                ret;
            }
        """),
)  # fmt: skip
