"""Codes 01xx: tokens that do not form a statement (PTX ISA, Syntax and Directives)."""

from openptx.diagnostics.codes import Code

CODES = (
    Code(
        "PTX0101",
        "syntax",
        """
        Text that cannot be parsed as a statement.

        A statement is a directive, a declaration, a label, a block in braces, or an instruction with an optional guard.
        Instructions end with `;`.

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
        A `{` that no `}` closes. Often the file is truncated.

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
        A `}` without a matching `{`.

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
        An operand with a `[`, `(` or `{` that is not closed.

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
        Text that cannot be parsed as an operand.

        An operand is a name, a literal, a constant expression, an address `[a+4]`, an element `a[i]` or `v.x`, a vector
        `{a, b}`, a pair `p|q`, a negated predicate `!p` or the sink `_`.

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
        An address with a `-` instead of a `+`.

        An address is a base plus an offset. The offset may be negative (PTX ISA, Addresses as Operands).

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
        A declaration that cannot be parsed: the type or the name is missing, or its parts are in the wrong order.

        The order is state space, `.align`, vector, type, name, dimensions, initializer.

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
        A constant expression that cannot be evaluated: it divides by zero, applies an operator to the wrong kind of
        number, or contains a name.

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
        A directive whose arguments cannot be parsed.

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
        A directive in the wrong place: a module directive inside a function, or a function directive outside.

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

        A guard is `@p` or `@!p`. It cannot be a literal or an expression.

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
        An opcode that contains whitespace after a dot, or whitespace or a comment inside of its name.

        They are allowed before the dot of a modifier (`add .u32`), but not before that of one that belongs to the name
        (`mul .lo.u32`), nor after a dot.

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

        No compiler emits such code. For blocks and expressions these are the limits of the assembler, for lists that of
        this parser.

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
        An address that adds two registers or scales one.

        An address is a register or a variable plus a constant, `[reg+immOff]`. An address such as `[base+index*4]` in
        x86 or SASS has to be computed by an instruction of its own: by `mad.wide` if the index has 32 bits and the
        address 64.

            ld.global.f32 %f1, [%rd1+%r2*4];

        Instead:

            mad.wide.u32 %rd2, %r2, 4, %rd1;
            ld.global.f32 %f1, [%rd2];

        Rule: PTX ISA, Addresses as Operands (6.4.1)
        """,
    ),
)
