"""Codes 1xxx: text that NVIDIA's assembler accepts, although the document forbids it or leaves it undefined."""

from openptx.diagnostics.codes import Code

CODES = (
    Code("PTX1001", "immediate-truncated", """
        A literal that does not fit its type. The assembler silently drops the upper bits.

            mov.u16 %h1, 70000;

        Instead:

            mov.u16 %h1, 4464;

        Rule: PTX ISA, Integer Constants (4.5.1)
        """),
    Code("PTX1002", "duplicate-destination", """
        A register that occurs twice in a destination vector. Which of the two values it gets is undefined (PTX ISA,
        Vectors as Operands).

            ld.global.v2.u32 {%r1, %r1}, [%rd1];

        Instead:

            ld.global.v2.u32 {%r1, %r2}, [%rd1];

        Rule: PTX ISA, Vectors as Operands (6.4.3)
        """),
    Code("PTX1003", "selector-out-of-range", """
        A selector beyond the end of a vector. The assembler accepts it; `--profile isa` reports it as PTX0319.

            .reg .v2 .u32 pair;
            mov.u32 %r1, pair.z;

        Instead:

            .reg .v4 .u32 quad;
            mov.u32 %r1, quad.z;

        Rule: PTX ISA, Vectors as Operands (6.4.3)
        """),
    Code("PTX1004", "index-out-of-bounds", """
        A constant index or offset beyond the end of its variable.

            .shared .u32 x[4];
            ld.shared.u32 %r1, [x+16];

        Instead:

            .shared .u32 x[4];
            ld.shared.u32 %r1, [x+12];

        Rule: PTX ISA, Arrays as Operands (6.4.2)
        """),
    Code("PTX1005", "misaligned-address", """
        A constant address that is not a multiple of the access size. The access faults when it is executed.

            .shared .align 4 .u32 x[4];
            ld.shared.u32 %r1, [x+2];

        Instead:

            .shared .align 4 .u32 x[4];
            ld.shared.u32 %r1, [x+4];

        Rule: PTX ISA, Addresses as Operands (6.4.1): an access is aligned to its size
        """),
    Code("PTX1006", "parameter-past-end", """
        A read or write of a parameter beyond its end.

            .version 8.0
            .target sm_80
            .visible .entry k(.param .u32 n) { .reg .b32 x; ld.param.u32 x, [n+4]; ret; }

        Instead:

            .version 8.0
            .target sm_80
            .visible .entry k(.param .u32 n) { .reg .b32 x; ld.param.u32 x, [n]; ret; }

        Rule: PTX ISA, Parameter State Space (5.1.6)
        """),
    Code("PTX1007", "offset-too-large", """
        An address offset that does not fit in 32 bits, signed. The document forbids it, the assembler accepts it.
        `--profile isa` reports it as PTX0607.

            ld.global.u32 %r1, [%rd1+4294967296];

        Instead:

            add.s64 %rd2, %rd1, 4294967296;
            ld.global.u32 %r1, [%rd2];

        Rule: PTX ISA, Addresses as Operands (6.4.1)
        """),
    Code("PTX1008", "uninitialized-register", """
        A read of a register that is not written on any path to the read. Its value is undefined.

        By default only reads that precede every write in the text are analysed. With `--extend-select
        uninitialized-register`, all reads are.

            .reg .b32 x;
            add.u32 %r1, x, 1;

        Instead:

            .reg .b32 x;
            mov.u32 x, 0;
            add.u32 %r1, x, 1;

        Rule: PTX ISA, Register State Space (5.1.1)
        """),
    Code("PTX1009", "narrow-address", """
        An address register of 8 or 16 bits. The document requires 32 or 64; `--profile isa` reports it as PTX0606.

            ld.shared.u32 %r1, [%h1];

        Instead:

            cvt.u32.u16 %r2, %h1;
            ld.shared.u32 %r1, [%r2];

        Rule: PTX ISA, Addresses as Operands (6.4.1)
        """),
    Code("PTX1010", "deprecated", """
        An instruction that the document deprecates and later targets do not have: `vote` and `shfl` without `.sync`.
        Reported only with `--extend-select deprecated`.

            .version 6.0
            .target sm_60
            .visible .entry k() { .reg .pred p, q; setp.eq.u32 q, 1, 2; vote.all.pred p, q; ret; }

        Instead:

            .version 6.0
            .target sm_60
            .visible .entry k() { .reg .pred p, q; setp.eq.u32 q, 1, 2; vote.sync.all.pred p, q, -1; ret; }

        Rule: PTX ISA, Release Notes (13)
        """),
    Code("PTX1011", "document-disagrees", """
        A statement that the assembler accepts and the document forbids.

        The message names the deviation, which `openptx explain` describes. `--profile isa` reports it as an error.

            .version 8.0
            .target sm_80
            .func helper() { ret; }
            .visible .entry k() { .reg .b64 a; add.u64 a, helper, 16; ret; }

        Instead:

            .version 8.0
            .target sm_80
            .func helper() { ret; }
            .visible .entry k() { .reg .b64 a; mov.u64 a, helper; add.u64 a, a, 16; ret; }

        Rule: the document and the assembler disagree (measured)
        """),
    Code("PTX1012", "initializer-truncated", """
        An initial value that does not fit its variable. The assembler drops the upper bits.

            .version 8.0
            .target sm_80
            .global .u8 z = 256;
            .visible .entry k() { ret; }

        Instead:

            .version 8.0
            .target sm_80
            .global .u8 z = 255;
            .visible .entry k() { ret; }

        Rule: PTX ISA, Initializers (5.4.4)
        """),
    Code("PTX1013", "unused", """
        An unused declaration of a register, a variable, or a function without linkage. Reported only with
        `--extend-select unused`.

            .version 8.0
            .target sm_80
            .visible .entry k() { .reg .b32 never; ret; }

        Instead:

            .version 8.0
            .target sm_80
            .visible .entry k() { .reg .b32 once; mov.u32 once, 1; ret; }

        Rule: PTX ISA, Variable Declarations (5.4.1)
        """),
    Code("PTX1014", "unreachable", """
        Unreachable statements. Reported only with `--extend-select unreachable`.

            ret;
            mov.u32 %r1, 1;

        Instead:

            mov.u32 %r1, 1;

        Rule: PTX ISA, Control Flow Instructions (9.7.12)
        """),
    Code("PTX1015", "divergent-barrier", """
        An aligned barrier, which all threads of a warp must execute together, that only some of them reach.

        It is found if a guard, or a branch with no label between it and the barrier, compares `%tid.x` or `%laneid`
        with a constant below 32. Kernels with `.maxntid 1` are exempt.

            mov.u32 %r1, %tid.x;
            setp.eq.u32 %p1, %r1, 0;
            @%p1 bar.sync 0;

        Instead:

            bar.sync 0;

        Rule: PTX ISA, bar and barrier (9.7.13.1): .aligned
        """),
    Code("PTX1016", "fall-through", """
        A function whose end can be reached: its last statement is not `ret`, `exit`, `trap` or a branch.

            .version 8.0
            .target sm_80
            .visible .entry k() { .reg .b32 x; mov.u32 x, 1; }

        Instead:

            .version 8.0
            .target sm_80
            .visible .entry k() { .reg .b32 x; mov.u32 x, 1; ret; }

        Rule: PTX ISA, ret (9.7.12.6) and exit (9.7.12.7)
        """),
    Code("PTX1017", "displaced-vector", """
        A vector modifier after the type. The assembler accepts it with a warning.

            ld.global.u32.v2 {%r1, %r2}, [%rd1];

        Instead:

            ld.global.v2.u32 {%r1, %r2}, [%rd1];

        Rule: PTX ISA, ld and st (9.7.9): .vec
        """),
    Code("PTX1018", "unknown-pragma", """
        A pragma string that PTX does not define. The assembler ignores it.

            .version 8.0
            .target sm_80
            .visible .entry k() { .pragma "noroll"; ret; }

        Instead:

            .version 8.0
            .target sm_80
            .visible .entry k() { .pragma "nounroll"; ret; }

        Rule: PTX ISA, Descriptions of .pragma Strings (12)
        """),
    Code("PTX1019", "short-float", """
        The 32 bits of a single-precision literal where a double is wanted. The assembler does not convert them: they
        become the low half of the double, here the subnormal number 5.26e-315.

            mov.f64 %fd1, 0f3F800000;

        Instead:

            mov.f64 %fd1, 0d3FF0000000000000;

        Rule: PTX ISA, Floating-Point Constants (4.5.2)
        """),
)  # fmt: skip
