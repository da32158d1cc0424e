"""Codes 02xx: names that are undeclared, or declared as something else (PTX ISA, Identifiers and Labels)."""

from openptx.diagnostics.codes import Code

CODES = (
    Code("PTX0201", "unknown-name", """
        A name that is not declared.

        Registers, variables, parameters and functions must be declared before they are used, in the same block or in an
        enclosing one. `.reg .b32 %r<10>;` declares `%r0` to `%r9`.

            add.u32 %r1, %r2, %r40;

        Instead:

            .reg .b32 %r40;
            add.u32 %r1, %r2, %r40;

        Rule: PTX ISA, Variable Declarations (5.4.1): a name is declared before it is used
        """),
    Code("PTX0202", "duplicate-name", """
        A name that is declared twice in one scope.

            .reg .b32 %count;
            .reg .f32 %count;

        Instead:

            .reg .b32 %count;
            .reg .f32 %fcount;

        Rule: PTX ISA, Variable Declarations (5.4.1)
        """),
    Code("PTX0203", "unknown-label", """
        A branch to a label that is not visible there.

        A label is visible in the block that contains it and in the blocks nested in that one, never in another
        function.

            bra DNE;
            DONE: ret;

        Instead:

            bra DONE;
            DONE: ret;

        Rule: PTX ISA, Labels and Function Names as Operands (6.4.4)
        """),
    Code("PTX0204", "duplicate-label", """
        A label that is defined twice in one scope.

            DONE: ret;
            DONE: ret;

        Instead:

            DONE: ret;
            ALSO_DONE: ret;

        Rule: PTX ISA, Instruction Statements (4.3.2)
        """),
    Code("PTX0205", "unknown-function", """
        A call of a function that is not declared before the call.

            .version 8.0
            .target sm_80
            .visible .entry k() { call helper; ret; }

        Instead:

            .version 8.0
            .target sm_80
            .func helper() { ret; }
            .visible .entry k() { call helper; ret; }

        Rule: PTX ISA, .func (11.2.2): a function is declared before it is called
        """),
    Code("PTX0206", "wrong-kind-of-name", """
        A name that is declared as something that cannot be used here: a label as a value, a register as a function.

            HERE:
            mov.u64 %rd1, HERE;

        Instead:

            HERE:
            bra HERE;

        Rule: PTX ISA, Labels and Function Names as Operands (6.4.4)
        """),
    Code("PTX0207", "declaration-mismatch", """
        Two conflicting declarations of a function or variable.

            .version 8.0
            .target sm_80
            .func helper(.reg .b32 a);
            .func helper(.reg .b64 a) { ret; }

        Instead:

            .version 8.0
            .target sm_80
            .func helper(.reg .b64 a);
            .func helper(.reg .b64 a) { ret; }

        Rule: PTX ISA, Linking Directives (11.6)
        """),
    Code("PTX0208", "reserved-name", """
        A declaration of a predefined name: a special register or `WARP_SZ`.

            .reg .b32 WARP_SZ;

        Instead:

            .reg .b32 warp_size;

        Rule: PTX ISA, Identifiers (4.4), Table 3: predefined identifiers
        """),
    Code("PTX0209", "unknown-special-register", """
        A name that looks like a special register and is none of them, such as `%tid.q`.

            mov.u32 %r1, %tid.q;

        Instead:

            mov.u32 %r1, %tid.x;

        Rule: PTX ISA, Special Registers (10)
        """),
)  # fmt: skip
