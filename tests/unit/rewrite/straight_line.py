"""Straight-line kernels of f32, and what contraction makes of them as one line of text an instruction."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import openptx
from openptx.program import Imm, Reg

INPUTS = "abce"


def kernel(body: str, *, target: str = "sm_90a", declarations: str = "") -> str:
    """Four numbers come in as a, b, c, e; x to z and u to w are free; what is to live on must be stored."""
    loads = "\n".join(f"ld.global.f32 {name}, [i + {4 * n}];" for n, name in enumerate(INPUTS))
    return f""".version 8.6
.target {target}
.address_size 64
.visible .entry k(.param .u64 pi, .param .u64 po, .param .f32 f) {{
.reg .b64 i, o; .reg .pred p, q; .reg .f32 a, b, c, e, u, v, w, x, y, z; .reg .b32 r, s; {declarations}
ld.param.u64 i, [pi]; ld.param.u64 o, [po];
{loads}
setp.gt.f32 p, a, b;
{body}
ret; }}"""


def rewritten(body: str, contract: str = "ptxas", **more: str) -> list[str]:
    """What computes, `fma.rn.f32 z a b c`; loads, comparisons, stores and branches are left out.

    Registers that the text does not have are called T.
    """
    function = openptx.load(kernel(body, **more), contract=contract)["k"].function
    found = []
    for op in function.code:
        if op.form.instruction.access or op.text.startswith("setp") or not isinstance((*op.operands, None)[0], Reg):
            continue
        words = [str(op.m)]
        for operand in op.operands:
            if isinstance(operand, Reg):
                name = function.registers[operand.index].name
                words.append("T" if name.isdigit() else name)
            elif isinstance(operand, Imm):
                words.append(f"{operand.value:08X}")
        found.append(" ".join(words))
    return found


def results(body: str, contract: str, given: Sequence[float], **more: str) -> list[float]:
    """What the kernel stores, zeros without their signs."""
    stored = np.zeros(256, np.float32)
    kernel_of = openptx.load(kernel(body, **more), contract=contract)["k"]
    kernel_of(1, 1, (np.array(given, np.float32), stored, 0), engine="interp")
    return (stored + 0).tolist()
