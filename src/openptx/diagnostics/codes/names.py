"""Codes 02xx: names that are undeclared, or declared as something else (PTX ISA, Identifiers and Labels)."""

from openptx.diagnostics.codes import Code

CODES = (
    Code("PTX0201", "unknown-name", """
        A name that nothing declares.

        Registers, variables, parameters and functions are declared before they are used, in the same block or one
        around it. `.reg .b32 %r<10>;` declares `%r0` to `%r9`.

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
        A branch to a label that its function does not have.

        Labels are visible in the function that they stand in, and in the block that they stand in or inside it.

            bra DNE;
            DONE: ret;

        Instead:

            bra DONE;
            DONE: ret;

        Rule: PTX ISA, Labels and Function Names as Operands (6.4.4)
        """),
    Code("PTX0204", "duplicate-label", """
        A label that stands twice in one scope.

            DONE: ret;
            DONE: ret;

        Instead:

            DONE: ret;
            ALSO_DONE: ret;

        Rule: PTX ISA, Instruction Statements (4.3.2)
        """),
    Code("PTX0205", "unknown-function", """
        A call of a function that nothing declares before it.

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
        A name that is known, but as something that cannot stand here: a label as a value, a register as a function.

            HERE:
            mov.u64 %rd1, HERE;

        Instead:

            HERE:
            bra HERE;

        Rule: PTX ISA, Labels and Function Names as Operands (6.4.4)
        """),
    Code("PTX0207", "declaration-mismatch", """
        Two declarations of one function or variable that do not agree.

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
        A declaration of a name that PTX keeps for itself: a special register or `WARP_SZ`.

            .reg .b32 WARP_SZ;

        Instead:

            .reg .b32 warp_size;

        Rule: PTX ISA, Identifiers (4.4), Table 3: predefined identifiers
        """),
    Code("PTX0209", "unknown-special-register", """
        A name like `%tid.q` that no special register has.

            mov.u32 %r1, %tid.q;

        Instead:

            mov.u32 %r1, %tid.x;

        Rule: PTX ISA, Special Registers (10)
        """),
)  # fmt: skip
