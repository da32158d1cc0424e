"""Codes 03xx: no form of the instruction fits, or an operand does not fit its form (PTX ISA, 6 and 9.4)."""

from openptx.diagnostics.codes import Code

CODES = (
    Code("PTX0301", "no-such-form", """
        The instruction exists, but not with this combination of modifiers.

        A form is one line of the instruction's syntax in the manual. `openptx isa MNEMONIC` lists the forms.

            neg.u32 %r1, %r2;

        Instead:

            neg.s32 %r1, %r2;

        Rule: PTX ISA, Instruction Set (9.7)
        """),
    Code("PTX0302", "unknown-instruction", """
        An opcode that PTX does not have.

            ad.u32 %r1, %r2, %r3;

        Instead:

            add.u32 %r1, %r2, %r3;

        Rule: PTX ISA, Instruction Set (9.7)
        """),
    Code("PTX0303", "unknown-modifier", """
        A modifier that no form of the instruction has.

            add.u33 %r1, %r2, %r3;

        Instead:

            add.u32 %r1, %r2, %r3;

        Rule: PTX ISA, Instruction Set (9.7)
        """),
    Code("PTX0304", "missing-modifier", """
        A required modifier is missing.

            mul.u32 %r1, %r2, %r3;

        Instead:

            mul.lo.u32 %r1, %r2, %r3;

        Rule: PTX ISA, Instruction Set (9.7)
        """),
    Code("PTX0305", "repeated-modifier", """
        A modifier that occurs twice in one opcode, or two modifiers that exclude each other.

            add.rn.rz.f32 %f1, %f2, %f3;

        Instead:

            add.rz.f32 %f1, %f2, %f3;

        Rule: PTX ISA, Instruction Set (9.7)
        """),
    Code("PTX0306", "modifier-forbidden", """
        A modifier that the instruction has, but not for this type.

            cvt.ftz.f64.f16 %fd1, %h1;

        Instead:

            cvt.f64.f16 %fd1, %h1;

        Rule: PTX ISA, Instruction Set (9.7)
        """),
    Code("PTX0307", "modifier-order", """
        A modifier that must follow the mnemonic directly comes later in the opcode.

        Most modifiers may come in any order. The exceptions are `mul.lo`, `mul.hi`, `mul.wide`, `mad.lo`, `shf.l`,
        `shf.r` and `cvta.to`, whose first modifier is a part of the instruction's name.

            mul.u32.lo %r1, %r2, %r3;

        Instead:

            mul.lo.u32 %r1, %r2, %r3;

        Rule: PTX ISA, Instruction Set (9.7)
        """),
    Code("PTX0308", "operand-count", """
        Too many or too few operands.

            add.u32 %r1, %r2;

        Instead:

            add.u32 %r1, %r1, %r2;

        Rule: PTX ISA, Instruction Set (9.7)
        """),
    Code("PTX0309", "missing-type", """
        The opcode has no type, and all forms that fit need one.

            add %r1, %r2, %r3;

        Instead:

            add.u32 %r1, %r2, %r3;

        Rule: PTX ISA, Instruction Set (9.7)
        """),
    Code("PTX0310", "rounding-required", """
        A rounding modifier is missing from an instruction whose result can be inexact.

        Conversions between floats and integers and conversions to a narrower float need a rounding modifier, as do
        `fma`, `div`, `rcp` and `sqrt` (PTX ISA, Rounding Modifiers, Tables 17 and 18).

            cvt.f16.f32 %h1, %f1;

        Instead:

            cvt.rn.f16.f32 %h1, %f1;

        Rule: PTX ISA, Rounding Modifiers (6.5.2)
        """),
    Code("PTX0311", "rounding-forbidden", """
        A rounding modifier on an operation that is always exact, or one that this conversion does not have.

            cvt.rn.f64.f32 %fd1, %f1;

        Instead:

            cvt.f64.f32 %fd1, %f1;

        Rule: PTX ISA, Rounding Modifiers (6.5.2)
        """),
    Code("PTX0312", "operand-type", """
        An operand's declared type does not agree with the instruction's type.

        `.bX` agrees with every type of its size. Signed and unsigned integers of one size agree with each other. A
        float type agrees only with itself and with the `.bX` of its size (PTX ISA, Type Information for Instructions
        and Operands, Table 26).

            .reg .s32 n;
            fma.rn.f32 %f1, %f2, n, %f3;

        Instead:

            .reg .s32 n;
            cvt.rn.f32.s32 %f4, n;
            fma.rn.f32 %f1, %f2, %f4, %f3;

        Rule: PTX ISA, Type Information for Instructions and Operands (9.4), Table 26
        """),
    Code("PTX0313", "operand-size", """
        An operand's declared type has the right kind and the wrong size.

        Only `ld`, `st` and `cvt` accept registers that are wider than the instruction's type (PTX ISA, Operand Size
        Exceeding Instruction-Type Size, Tables 27 and 28).

            .reg .u64 n;
            add.u32 %r1, %r2, n;

        Instead:

            .reg .u64 n;
            cvt.u32.u64 %r3, n;
            add.u32 %r1, %r2, %r3;

        Rule: PTX ISA, Type Information for Instructions and Operands (9.4), Table 26
        """),
    Code("PTX0314", "operand-kind", """
        An operand of the wrong kind: a literal instead of a register, a vector instead of a scalar.

            add.u32 %r1, [%rd1], %r2;

        Instead:

            ld.global.u32 %r3, [%rd1];
            add.u32 %r1, %r3, %r2;

        Rule: PTX ISA, Instruction Operands (6)
        """),
    Code("PTX0315", "immediate-type", """
        A literal of a kind that the operand's type does not accept.

        Float types accept `1.0`, `1e5`, `0f...` and `0d...`. Integer types accept integers. `.f16`, `.bf16` and the
        packed types accept no literals.

            add.f32 %f1, %f2, 1;

        Instead:

            add.f32 %f1, %f2, 1.0;

        Rule: PTX ISA, Constants (4.5)
        """),
    Code("PTX0316", "immediate-range", """
        A literal outside the operand's range.

            bfe.u32 %r1, %r2, 300, 4;

        Instead:

            bfe.u32 %r1, %r2, 30, 2;

        Rule: PTX ISA, Instruction Set (9.7)
        """),
    Code("PTX0317", "vector-length", """
        A vector operand whose number of elements differs from the instruction's `.v2`, `.v4` or `.v8`.

            ld.global.v4.u32 {%r1, %r2}, [%rd1];

        Instead:

            ld.global.v2.u32 {%r1, %r2}, [%rd1];

        Rule: PTX ISA, Vectors as Operands (6.4.3)
        """),
    Code("PTX0318", "vector-element", """
        An invalid element of a vector operand: its type differs from that of the first, or it is a destination and not
        a register.

            ld.global.v2.u32 {%r1, 5}, [%rd1];

        Instead:

            ld.global.v2.u32 {%r1, %r2}, [%rd1];

        Rule: PTX ISA, Vectors as Operands (6.4.3)
        """),
    Code("PTX0319", "vector-selector", """
        A selector that vectors do not have.

        The elements of a vector are `.x .y .z .w` or `.r .g .b .a`. A selector names one of them.

            .reg .v2 .u32 pair;
            mov.u32 %r1, pair.q;

        Instead:

            .reg .v2 .u32 pair;
            mov.u32 %r1, pair.x;

        Rule: PTX ISA, Vectors as Operands (6.4.3)
        """),
    Code("PTX0320", "destination", """
        A destination that cannot be written: a literal, a special register, a parameter.

            mov.u32 5, %r1;

        Instead:

            mov.u32 %r1, 5;

        Rule: PTX ISA, Destination Operands (6.3)
        """),
    Code("PTX0321", "special-register-place", """
        A special register as an operand of an instruction that accepts ordinary registers only.

        Special registers are read by `mov` and by an integer `cvt`.

            add.u32 %r1, %tid.x, 1;

        Instead:

            mov.u32 %r1, %tid.x;
            add.u32 %r1, %r1, 1;

        Rule: PTX ISA, Special Registers (10)
        """),
    Code("PTX0322", "register-type", """
        A declaration with a type that only instructions may have.

        Variables have fundamental types. Values of `.bf16`, `.tf32`, the 8-, 6- and 4-bit floats and the packed types
        are held in registers of the type `.bX` of their size (PTX ISA, Fundamental Types, Table 8, and Packed Data
        Types, Table 9).

            .reg .bf16 x;

        Instead:

            .reg .b16 x;

        Rule: PTX ISA, Fundamental Types (5.2.1)
        """),
    Code("PTX0323", "no-such-conversion", """
        A `cvt` between two types for which there is no conversion (PTX ISA, Type Conversion, Tables 15 and 16).

            cvt.rn.tf32.f64 %r1, %fd1;

        Instead:

            cvt.rn.f32.f64 %f1, %fd1;
            cvt.rn.tf32.f32 %r1, %f1;

        Rule: PTX ISA, Scalar Conversions (6.5.1), Tables 15 and 16
        """),
    Code("PTX0324", "saturation", """
        `.sat` on a conversion whose result is always in range.

            cvt.sat.u8.u8 %h1, %h2;

        Instead:

            cvt.sat.u8.s8 %h1, %h2;

        Rule: PTX ISA, Scalar Conversions (6.5.1)
        """),
    Code("PTX0325", "negation", """
        A `!` before an operand that is not a predicate, or that this instruction does not negate.

            add.u32 %r1, !%r2, %r3;

        Instead:

            not.b32 %r2, %r2;
            add.u32 %r1, %r2, %r3;

        Rule: PTX ISA, Predicated Execution (9.3)
        """),
    Code("PTX0326", "sink", """
        A sink `_` as a source operand, or as a destination whose result cannot be discarded.

            add.u32 %r1, _, %r2;

        Instead:

            add.u32 %r1, %r1, %r2;

        Rule: PTX ISA, Destination Operands (6.3)
        """),
    Code("PTX0327", "not-an-array", """
        An indexed operand that is not an array.

            .shared .u32 total;
            ld.shared.u32 %r1, total[2];

        Instead:

            .shared .u32 totals[4];
            ld.shared.u32 %r1, totals[2];

        Rule: PTX ISA, Arrays as Operands (6.4.2)
        """),
    Code("PTX0328", "assembler-crash", """
        A statement that NVIDIA's assembler accepts, and then crashes on when it generates code.

            .version 9.0
            .target sm_100a
            .shared .e4m3 x[4];
            .visible .entry k() { ret; }

        Instead:

            .version 9.0
            .target sm_100a
            .shared .b8 x[4];
            .visible .entry k() { ret; }

        Rule: PTX ISA, Instruction Set (9.7); the assembler crashes (measured)
        """),
)  # fmt: skip
