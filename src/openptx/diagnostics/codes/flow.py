"""Codes 05xx: branches, calls and the ends of functions (PTX ISA, Control Flow Instructions)."""

from openptx.diagnostics.codes import Code

CODES = (
    Code("PTX0501", "branch-target", """
        A branch to something that is not a label of the same function.

            bra %r1;

        Instead:

            DONE:
            bra DONE;

        Rule: PTX ISA, bra (9.7.12.3)
        """),
    Code("PTX0502", "argument-count", """
        A call whose number of arguments or results differs from the function's.

            .version 8.0
            .target sm_80
            .func helper(.reg .b32 a) { ret; }
            .visible .entry k() { call helper, (1, 2); ret; }

        Instead:

            .version 8.0
            .target sm_80
            .func helper(.reg .b32 a) { ret; }
            .visible .entry k() { call helper, (1); ret; }

        Rule: PTX ISA, call (9.7.12.5)
        """),
    Code("PTX0503", "argument-type", """
        An argument or a result of a call that does not fit the function's parameter.

            .version 8.0
            .target sm_80
            .func helper(.reg .f32 a) { ret; }
            .visible .entry k() { .reg .b64 x; call helper, (x); ret; }

        Instead:

            .version 8.0
            .target sm_80
            .func helper(.reg .f32 a) { ret; }
            .visible .entry k() { .reg .f32 x; call helper, (x); ret; }

        Rule: PTX ISA, call (9.7.12.5)
        """),
    Code("PTX0504", "missing-prototype", """
        An indirect call without a prototype or a list of possible callees.

            .version 8.0
            .target sm_80
            .visible .entry k() { .reg .b64 f; call f; ret; }

        Instead:

            .version 8.0
            .target sm_80
            .visible .entry k() { .reg .b64 f; P: .callprototype _ (); call f, P; ret; }

        Rule: PTX ISA, call (9.7.12.5)
        """),
    Code("PTX0505", "target-list", """
        An indirect branch or call whose operand is not a list of targets, or a list of the wrong kind.

            brx.idx %r1, DONE;
            DONE: ret;

        Instead:

            LIST: .branchtargets DONE;
            brx.idx %r1, LIST;
            DONE: ret;

        Rule: PTX ISA, Control Flow Directives (11.3)
        """),
    Code("PTX0506", "call-of-entry", """
        A call of a kernel. Only functions declared by `.func` can be called.

            .version 8.0
            .target sm_80
            .entry other() { ret; }
            .visible .entry k() { call other; ret; }

        Instead:

            .version 8.0
            .target sm_80
            .func other() { ret; }
            .visible .entry k() { call other; ret; }

        Rule: PTX ISA, call (9.7.12.5)
        """),
)  # fmt: skip
