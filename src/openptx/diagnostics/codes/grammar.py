"""Codes 01xx: tokens that do not form a statement (PTX ISA, Syntax and Directives)."""

from openptx.diagnostics.codes import Code

CODES = (
    Code(
        "PTX0101",
        "syntax",
        """
        Text that is no statement.

        A statement is a directive, a declaration, a label, a block in braces, or an instruction with an optional guard,
        and instructions end with `;`.

            add.u32 %r1 %r2, %r3;

        Instead:

            add.u32 %r1, %r2, %r3;

        Rule: PTX ISA, Statements (4.3)
        """,
    ),
    Code(
        "PTX0102",
        "missing-semicolon",
        """
        An instruction or a declaration without the `;` that ends it.

            add.u32 %r1, %r2, %r3
            ret;

        Instead:

            add.u32 %r1, %r2, %r3;
            ret;

        Rule: PTX ISA, Statements (4.3): a statement ends with a semicolon
        """,
    ),
    Code(
        "PTX0103",
        "unclosed-brace",
        """
        A `{` without its `}`. Often the file was cut off.

            .version 8.0
            .target sm_80
            .visible .entry k() {
                ret;

        Instead:

            .version 8.0
            .target sm_80
            .visible .entry k() {
                ret;
            }

        Rule: PTX ISA, Kernel and Function Directives (11.2)
        """,
    ),
    Code(
        "PTX0104",
        "unmatched-brace",
        """
        A `}` that closes nothing.

            .version 8.0
            .target sm_80
            .visible .entry k() { ret; }
            }

        Instead:

            .version 8.0
            .target sm_80
            .visible .entry k() { ret; }

        Rule: PTX ISA, Kernel and Function Directives (11.2)
        """,
    ),
    Code(
        "PTX0105",
        "unclosed-bracket",
        """
        A `[`, `(` or `{` of an operand without its other half.

            ld.global.u32 %r1, [%rd1+16;

        Instead:

            ld.global.u32 %r1, [%rd1+16];

        Rule: PTX ISA, Instruction Operands (6)
        """,
    ),
    Code(
        "PTX0106",
        "unknown-directive",
        """
        A directive that PTX does not have.

            .version 8.0
            .target sm_80
            .visible .kernel k() { ret; }

        Instead:

            .version 8.0
            .target sm_80
            .visible .entry k() { ret; }

        Rule: PTX ISA, Directive Statements (4.3.1), Table 1
        """,
    ),
    Code(
        "PTX0107",
        "invalid-operand",
        """
        Text in the place of an operand that is none.

        Operands are names, literals, constant expressions, addresses `[a+4]`, elements `a[i]` and `v.x`, lists `{a,
        b}`, pairs `p|q`, negated predicates `!p` and the sink `_`.

            add.u32 %r1, %r2, ;

        Instead:

            add.u32 %r1, %r2, %r3;

        Rule: PTX ISA, Instruction Operands (6)
        """,
    ),
    Code(
        "PTX0108",
        "address-subtraction",
        """
        An address that subtracts.

        Addresses only add: the offset itself may be negative (PTX ISA, Addresses as Operands).

            ld.global.u32 %r1, [%rd1-8];

        Instead:

            ld.global.u32 %r1, [%rd1+-8];

        Rule: PTX ISA, Addresses as Operands (6.4.1)
        """,
    ),
    Code(
        "PTX0109",
        "invalid-declaration",
        """
        A declaration that cannot be read: a missing type or name, or parts in the wrong order.

        The order is state space, `.align`, vector, type, name, dimensions, initialiser.

            .reg %r20;

        Instead:

            .reg .b32 %r20;

        Rule: PTX ISA, Variable Declarations (5.4.1)
        """,
    ),
    Code(
        "PTX0110",
        "invalid-expression",
        """
        A constant expression without a value: a division by zero, an operator on the wrong kind of number, a name in
        it.

            mov.u32 %r1, 7/0;

        Instead:

            mov.u32 %r1, 7/1;

        Rule: PTX ISA, Constant Expressions (4.5.4)
        """,
    ),
    Code(
        "PTX0111",
        "invalid-directive",
        """
        A directive whose arguments cannot be read.

            .version eight
            .target sm_80
            .visible .entry k() { ret; }

        Instead:

            .version 8.0
            .target sm_80
            .visible .entry k() { ret; }

        Rule: PTX ISA, Directives (11)
        """,
    ),
    Code(
        "PTX0112",
        "misplaced-directive",
        """
        A directive where it has no meaning: one of the module inside a function, or the other way round.

            .version 8.0
            .target sm_80
            .visible .entry k() { .address_size 64 ret; }

        Instead:

            .version 8.0
            .target sm_80
            .address_size 64
            .visible .entry k() { ret; }

        Rule: PTX ISA, Directives (11)
        """,
    ),
    Code(
        "PTX0113",
        "misplaced-statement",
        """
        An instruction or a label outside a function.

            .version 8.0
            .target sm_80
            ret;

        Instead:

            .version 8.0
            .target sm_80
            .visible .entry k() { ret; }

        Rule: PTX ISA, Instruction Statements (4.3.2)
        """,
    ),
    Code(
        "PTX0114",
        "invalid-guard",
        """
        A guard that is not a predicate register.

        A guard is `@p` or `@!p`; it takes no literal and no expression.

            @1 add.u32 %r1, %r2, %r3;

        Instead:

            @%p1 add.u32 %r1, %r2, %r3;

        Rule: PTX ISA, Predicated Execution (9.3)
        """,
    ),
    Code(
        "PTX0115",
        "invalid-opcode",
        """
        An opcode with a comment, or blanks after a dot, inside it.

        A blank before a dot is allowed (`add .u32`), after it is not.

            add . u32 %r1, %r2, %r3;

        Instead:

            add.u32 %r1, %r2, %r3;

        Rule: PTX ISA, Instruction Statements (4.3.2)
        """,
    ),
    Code(
        "PTX0116",
        "nesting-too-deep",
        """
        Lists of initial values nested more than 48 levels deep, blocks more than 1663, or a constant expression deeper
        than 9,970 parentheses, 4,985 signs or 2,492 casts.

        No compiler writes such a thing. Blocks and expressions may be as deep as the assembler reads, lists as deep as
        this reader does.

            .version 8.0
            .target sm_80
            .global .u32 t[1] =
                {{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{1
                }}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}};
            .visible .entry k() { ret; }

        Instead:

            .version 8.0
            .target sm_80
            .global .u32 t[1] = {1};
            .visible .entry k() { ret; }

        Rule: PTX ISA, Constant Expressions (4.5.4); the limits are measured
        """,
    ),
    Code(
        "PTX0117",
        "address-sum",
        """
        An address that adds two registers, or scales one.

        An address is a register or a variable and a constant, `[reg+immOff]`. What C, x86 and SASS write as
        `[base+index*4]` is computed before: by `mad.wide` where the index has 32 bits and the address 64.

            ld.global.f32 %f1, [%rd1+%r2*4];

        Instead:

            mad.wide.u32 %rd2, %r2, 4, %rd1;
            ld.global.f32 %f1, [%rd2];

        Rule: PTX ISA, Addresses as Operands (6.4.1)
        """,
    ),
)
