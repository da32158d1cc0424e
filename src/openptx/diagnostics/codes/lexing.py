"""Codes 00xx: characters that do not form a token (PTX ISA, Syntax)."""

from openptx.diagnostics.codes import Code

CODES = (
    Code("PTX0001", "invalid-character", """
        A character that is not allowed in PTX.

        A PTX file is ASCII: letters, digits, `_ $ %`, whitespace and punctuation, without a byte order mark. The
        assembler also accepts non-ASCII bytes in comments (the manual does not) and control characters in comments and
        strings. It rejects NUL everywhere, even as the last byte of a file. `check`, `parse` and `load` ignore NULs at
        the end of a `bytes` object, because NVRTC returns a program with the terminating NUL of a C string.

            add.u32 %r1, %r2, #3;

        Instead:

            add.u32 %r1, %r2, 3;

        Rule: PTX ISA, Source Format (4.1)
        """),
    Code("PTX0002", "unterminated-comment", """
        A comment that `/*` opens and no `*/` closes.

        Block comments do not nest: the first `*/` ends the comment. Without one, the rest of the file is a comment.

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
        A string that is not closed on the line it begins on.

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
        A malformed integer literal.

        Integers are decimal, octal (`017`), hexadecimal (`0x1F`) or binary (`0b101`). An upper-case `U` at the end
        makes a literal unsigned. `08` is malformed because a leading 0 means octal, `42u` because the suffix is in
        lower case.

            mov.u32 %r1, 42u;

        Instead:

            mov.u32 %r1, 42U;

        Rule: PTX ISA, Integer Constants (4.5.1)
        """),
    Code("PTX0005", "invalid-float", """
        A malformed floating-point literal.

        `0f` takes exactly 8 hexadecimal digits (the bits of an `.f32`), `0d` exactly 16 (the bits of an `.f64`).
        Decimal literals need a point or an exponent: `1.0`, `1e5`.

            mov.f32 %f1, 0f3F80;

        Instead:

            mov.f32 %f1, 0f3F800000;

        Rule: PTX ISA, Floating-Point Constants (4.5.2)
        """),
    Code("PTX0006", "invalid-name", """
        A malformed identifier.

        An identifier is a letter followed by letters, digits, `_` and `$`, or one of `_ $ %` followed by at least one
        of these characters.

            mov.u32 %, 1;

        Instead:

            mov.u32 %r1, 1;

        Rule: PTX ISA, Identifiers (4.4)
        """),
    Code("PTX0007", "not-text", """
        A binary file: a cubin, an archive, compressed or encrypted data.

        PTX is ASCII text that begins with `.version`, possibly after comments. The example consists of control
        characters.

            \x01\x02\x03\x04

        Instead:

            .version 8.0
            .target sm_80
            .visible .entry k() { ret; }

        Rule: PTX ISA, Source Format (4.1): a file is ASCII text
        """),
    Code("PTX0010", "not-ptx", """
        A file in another language.

        The file contains CUDA C++, LLVM IR, Python or SASS instead of PTX. Most of these can be compiled to PTX; the
        diagnostic names the command.

            extern "C" __global__ void k(float *x) { x[threadIdx.x] = 1.0f; }  // no .entry, no .func

        Instead:

            .version 8.0
            .target sm_80
            .address_size 64
            .visible .entry k() { ret; }

        Rule: PTX ISA, PTX Statements (4.2): a module begins with `.version`
        """),
)  # fmt: skip
