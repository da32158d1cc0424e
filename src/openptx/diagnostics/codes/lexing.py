"""Codes 00xx: characters that do not form a token (PTX ISA, Syntax)."""

from openptx.diagnostics.codes import Code

CODES = (
    Code("PTX0001", "invalid-character", """
        A character that PTX has no use for.

        A PTX file is ASCII: letters, digits, `_ $ %`, blanks and punctuation, without a byte order mark. The assembler
        takes other bytes in comments (the manual does not), control characters in comments and strings, and NUL
        nowhere, not even as the last byte of a file. `check`, `parse` and `load` leave NULs at the end of `bytes` out:
        NVRTC returns the end of a C string with its program.

            add.u32 %r1, %r2, #3;

        Instead:

            add.u32 %r1, %r2, 3;

        Rule: PTX ISA, Source Format (4.1)
        """),
    Code("PTX0002", "unterminated-comment", """
        A comment `/*` without its `*/`.

        Block comments do not nest: the first `*/` ends the comment. Without one, the rest of the file is comment.

            .version 8.0
            .target sm_80
            /* all that follows is lost
            .visible .entry k() { ret; }

        Instead:

            .version 8.0
            .target sm_80
            /* only this is comment */
            .visible .entry k() { ret; }

        Rule: PTX ISA, Comments (4.2)
        """),
    Code("PTX0003", "unterminated-string", """
        A string without its closing quote in the same line.

            .version 8.0
            .target sm_80
            .file 1 "saxpy.cu
            .visible .entry k() { ret; }

        Instead:

            .version 8.0
            .target sm_80
            .file 1 "saxpy.cu"
            .visible .entry k() { ret; }

        Rule: PTX ISA, Source Format (4.1)
        """),
    Code("PTX0004", "invalid-integer", """
        Digits that form no integer literal.

        Integers are decimal, octal (`017`), hexadecimal (`0x1F`) or binary (`0b101`), each with an optional `U` in
        upper case that makes it unsigned. `08` starts as octal and `42u` has the wrong case.

            mov.u32 %r1, 42u;

        Instead:

            mov.u32 %r1, 42U;

        Rule: PTX ISA, Integer Constants (4.5.1)
        """),
    Code("PTX0005", "invalid-float", """
        A floating-point literal of the wrong shape.

        `0f` takes exactly 8 hexadecimal digits (the bits of an `.f32`), `0d` exactly 16 (the bits of an `.f64`).
        Decimal literals need a point or an exponent: `1.0`, `1e5`.

            mov.f32 %f1, 0f3F80;

        Instead:

            mov.f32 %f1, 0f3F800000;

        Rule: PTX ISA, Floating-Point Constants (4.5.2)
        """),
    Code("PTX0006", "invalid-name", """
        A name of the wrong shape.

        Names start with a letter, or with one of `_ $ %` and at least one more character; letters, digits, `_` and `$`
        follow.

            mov.u32 %, 1;

        Instead:

            mov.u32 %r1, 1;

        Rule: PTX ISA, Identifiers (4.4)
        """),
    Code("PTX0007", "not-text", """
        A file that is no text: a cubin, an archive, compressed or encrypted data.

        PTX is ASCII text that begins with comments and `.version`. The example is text with control characters.

            \x01\x02\x03\x04

        Instead:

            .version 8.0
            .target sm_80
            .visible .entry k() { ret; }

        Rule: PTX ISA, Source Format (4.1): a file is ASCII text
        """),
    Code("PTX0010", "not-ptx", """
        A file in another language.

        CUDA C++, LLVM IR, Python, or SASS where PTX is expected. A compiler makes PTX of most of them; the diagnostic
        says which command does.

            extern "C" __global__ void k(float *x) { x[threadIdx.x] = 1.0f; }  // no .entry, no .func

        Instead:

            .version 8.0
            .target sm_80
            .address_size 64
            .visible .entry k() { ret; }

        Rule: PTX ISA, PTX Statements (4.2): a module begins with `.version`
        """),
)  # fmt: skip
