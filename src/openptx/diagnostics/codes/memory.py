"""Codes 06xx: state spaces, variables, addresses and parameters (PTX ISA, State Spaces, Types, and Variables)."""

from openptx.diagnostics.codes import Code

CODES = (
    Code("PTX0601", "state-space", """
        A variable in another state space than the instruction's.

            .shared .u32 total;
            ld.global.u32 %r1, [total];

        Instead:

            .shared .u32 total;
            ld.shared.u32 %r1, [total];

        Rule: PTX ISA, State Spaces (5.1)
        """),
    Code("PTX0602", "state-space-place", """
        A variable in a state space that cannot be declared here.

            .version 8.0
            .target sm_80
            .local .u32 x;
            .visible .entry k() { ret; }

        Instead:

            .version 8.0
            .target sm_80
            .visible .entry k() { .local .u32 x; ret; }

        Rule: PTX ISA, State Spaces (5.1)
        """),
    Code("PTX0603", "alignment", """
        An alignment that is not a power of two, or not allowed here.

            .shared .align 3 .b8 x[12];

        Instead:

            .shared .align 4 .b8 x[12];

        Rule: PTX ISA, Alignment (5.4.5)
        """),
    Code("PTX0604", "array-size", """
        An array dimension that is not positive, or a register that is declared as an array.

            .shared .u32 x[0];

        Instead:

            .shared .u32 x[1];

        Rule: PTX ISA, Array Declarations (5.4.3)
        """),
    Code("PTX0605", "initializer", """
        An initializer that does not fit its variable, or on a variable that cannot have one.

        Only `.global` and `.const` variables can be initialized. Integers are initialized with integers, floats with
        floats, `.f16` not at all. There may not be more values than the array has elements.

            .version 8.0
            .target sm_80
            .global .u32 x[2] = {1, 2, 3};
            .visible .entry k() { ret; }

        Instead:

            .version 8.0
            .target sm_80
            .global .u32 x[3] = {1, 2, 3};
            .visible .entry k() { ret; }

        Rule: PTX ISA, Initializers (5.4.4)
        """),
    Code("PTX0606", "address-register", """
        A register that cannot hold an address: a float, a predicate, or one of the wrong size.

            ld.global.u32 %r1, [%fd1];

        Instead:

            ld.global.u32 %r1, [%rd1];

        Rule: PTX ISA, Addresses as Operands (6.4.1)
        """),
    Code("PTX0607", "address-form", """
        An address of a form that is not allowed in this state space.

        NVIDIA's assembler accepts a plain number as an address only for `.local`.

            ld.global.u32 %r1, [64];

        Instead:

            mov.u64 %rd1, 64;
            ld.global.u32 %r1, [%rd1];

        Rule: PTX ISA, Addresses as Operands (6.4.1)
        """),
    Code("PTX0608", "parameter", """
        A parameter of a type, a state space or a size that parameters cannot have.

            .version 8.0
            .target sm_80
            .visible .entry k(.param .v2 .b32 a) { ret; }

        Instead:

            .version 8.0
            .target sm_80
            .visible .entry k(.param .align 8 .b32 a[2]) { ret; }

        Rule: PTX ISA, Parameter State Space (5.1.6)
        """),
    Code("PTX0609", "vector-declaration", """
        A declaration of a vector of predicates, or of one wider than 128 bits.

            .reg .v4 .b64 x;

        Instead:

            .reg .v2 .b64 x;

        Rule: PTX ISA, Vectors (5.4.2)
        """),
    Code("PTX0610", "linkage", """
        A linking directive that contradicts the declaration: `.extern` with a body, `.common` outside `.global`.

            .version 8.0
            .target sm_80
            .extern .func helper() { ret; }
            .visible .entry k() { ret; }

        Instead:

            .version 8.0
            .target sm_80
            .visible .func helper() { ret; }
            .visible .entry k() { ret; }

        Rule: PTX ISA, Linking Directives (11.6)
        """),
    Code("PTX0611", "too-much-memory", """
        Variables that exceed the available memory: 65,536 bytes of `.const` in a file, 49,152 bytes of `.shared` in a
        kernel (232,448 for targets with a letter, such as sm_90a).

            .version 8.0
            .target sm_80
            .const .b8 x[70000];
            .visible .entry k() { ret; }

        Instead:

            .version 8.0
            .target sm_80
            .const .b8 x[60000];
            .visible .entry k() { ret; }

        Rule: PTX ISA, State Spaces (5.1)
        """),
)  # fmt: skip
