"""Codes 70xx: findings of `openptx link` about several modules. The examples are consecutive files."""

from openptx.diagnostics.codes import Code

CODES = (
    Code(
        "PTX7001",
        "undefined-reference",
        """
        A module uses a function or variable that no module defines.

        `.extern` declares a name that another module in the link must define with `.visible`, `.weak` or `.common`. A
        name without any of these directives is local to its module.

            .version 8.0
            .target sm_80
            .address_size 64
            .extern .func scale();
            .visible .entry k() { call scale; ret; }

            .version 8.0
            .target sm_80
            .address_size 64
            .func scale() { ret; }

        Instead:

            .version 8.0
            .target sm_80
            .address_size 64
            .extern .func scale();
            .visible .entry k() { call scale; ret; }

            .version 8.0
            .target sm_80
            .address_size 64
            .visible .func scale() { ret; }

        Rule: PTX ISA, Linking Directives: .extern (11.6.1)
        """,
    ),
    Code(
        "PTX7002",
        "multiple-definition",
        """
        Two modules define the same name, and neither definition is weak.

        At most one definition of a name may be `.visible`, and it is the one that is linked. The others must be `.weak`
        or `.common`. The same holds for kernels.

            .version 8.0
            .target sm_80
            .address_size 64
            .visible .global .u32 counter = 1;

            .version 8.0
            .target sm_80
            .address_size 64
            .visible .global .u32 counter = 2;

        Instead:

            .version 8.0
            .target sm_80
            .address_size 64
            .visible .global .u32 counter = 1;

            .version 8.0
            .target sm_80
            .address_size 64
            .weak .global .u32 counter = 2;

        Rule: PTX ISA, Linking Directives: .visible, .weak (11.6.2, 11.6.3)
        """,
    ),
    Code(
        "PTX7003",
        "incompatible-modules",
        """
        Two modules have targets or modes that cannot be combined in one program.

        The linked module is for the newest of the targets, which must have the features of all the others. Features of
        an architecture-specific target (sm_90a) exist on that target only, those of a family-specific target (sm_100f)
        only in its family. All modules must have the same address size and the same texturing mode.

            .version 8.0
            .target sm_90a
            .address_size 64

            .version 8.6
            .target sm_100
            .address_size 64

        Instead:

            .version 8.0
            .target sm_90
            .address_size 64

            .version 8.6
            .target sm_100
            .address_size 64

        Rule: PTX ISA, PTX Module Directives: .target (11.1.2)
        """,
    ),
    Code(
        "PTX7004",
        "mismatched-declaration",
        """
        Two modules declare the same name with different types.

        A caller passes the arguments that its own module declares, and an access of a variable has the type that its
        module declares. The names of parameters may differ; their number, types and alignment may not.

            .version 8.0
            .target sm_80
            .address_size 64
            .extern .global .f32 limit;
            .visible .entry k() { .reg .f32 f; ld.global.f32 f, [limit]; ret; }

            .version 8.0
            .target sm_80
            .address_size 64
            .visible .global .f64 limit = 0d3FF0000000000000;

        Instead:

            .version 8.0
            .target sm_80
            .address_size 64
            .extern .global .f64 limit;
            .visible .entry k() { .reg .f64 d; ld.global.f64 d, [limit]; ret; }

            .version 8.0
            .target sm_80
            .address_size 64
            .visible .global .f64 limit = 0d3FF0000000000000;

        Rule: PTX ISA, Linking Directives: .extern (11.6.1)
        """,
    ),
)
