"""Ten statements with unspecific messages of ptxas 13.5 (measured with `-arch=compute_100a`)."""

from __future__ import annotations

from dataclasses import dataclass

MODULE = """\
.version 9.0
.target sm_100a
.address_size 64

.visible .entry example()
{{
{declarations}    {statement}
    ret;
}}
"""


@dataclass(frozen=True, slots=True)
class Example:
    """A statement, the registers that it names, and the assembler's whole message."""

    statement: str
    registers: str  # of type=names, names separated by commas
    message: str

    @property
    def module(self) -> str:
        """A module that holds the statement."""
        rows = (row.split("=") for row in self.registers.split())
        declarations = "".join(f"    .reg .{type} {names.replace(',', ', ')};\n" for type, names in rows)
        return MODULE.format(declarations=declarations, statement=self.statement)


MISMATCH = "Arguments mismatch for instruction"
# fmt: off
EXAMPLES = (
    Example("add.f32 d, s32_a, f32_b;", "f32=d,f32_b s32=s32_a", f"{MISMATCH} 'add'"),
    Example("fma.rn.f16x2 d, b32_a, u32_b, b32_c;", "b32=d,b32_a,b32_c u32=u32_b", f"{MISMATCH} 'fma'"),
    Example("cvt.rs.satfinite.e2m1x4.f32 b32_d, {a, b, c, e}, r;", "b32=b32_d,r f32=a,b,c,e", f"{MISMATCH} 'cvt'"),
    Example("cvt.rzi.s16.bf16 s32_d, b16_a;", "s32=s32_d b16=b16_a", f"{MISMATCH} 'cvt'"),
    Example("mul.wide.s32 s32_d, s32_a, s32_b;", "s32=s32_d,s32_a,s32_b", f"{MISMATCH} 'mul.wide'"),
    Example("add.f32 f32_d, f32_a, 1;", "f32=f32_d,f32_a", f"{MISMATCH} 'add'"),
    Example("ld.f16 f16_d, [b64_p];", "f16=f16_d b64=b64_p", "Unexpected instruction types specified for 'ld'"),
    Example("ld.global.u32 u32_d, [u64_p-8];", "u32=u32_d u64=u64_p", "Parsing error near '-': syntax error"),
    Example(".reg .bf16 x;", "", "Parsing error near '.bf16': syntax error"),
    Example("cvt.tf32.f32 b32_d, f32_a;", "b32=b32_d f32=f32_a", "Rounding modifier required for instruction 'cvt'"),
)
# fmt: on
