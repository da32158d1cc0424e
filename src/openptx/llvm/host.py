"""What the processor of this machine can do, as far as the emitter asks."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache

import llvmlite.binding as llvm

from openptx.locks import LLVM

MXCSR = 0x1F80
"""The control word of an x86's floats that code expects: nothing traps, to nearest even, subnormal numbers are kept."""


WITHOUT = "OPENPTX_CPU_WITHOUT"
"""Code then does without extensions of the processor whose LLVM names begin so, with commas between: `avx512` makes
code for AVX2 on a machine with AVX-512."""


@dataclass(frozen=True, slots=True)
class CPU:
    name: str
    features: str  # as LLVM takes them
    fma: bool
    f16c: bool
    avx2: bool
    avx512: bool
    permute: bool  # vpermi2d and its like
    permutes_bytes: bool  # vpermb and its like
    fp16: bool  # arithmetic of f16, with subnormal numbers
    gathers: bool  # faster than one element after the other
    x86: bool

    @property
    def rounds(self) -> bool:
        """Whether vectors of f32 and f64 can be rounded in a given direction: by instructions, or by another mode."""
        return self.avx512 or (self.avx2 and self.fma)


@cache
def host() -> CPU:
    """This machine's processor."""
    with LLVM:
        found, name = llvm.get_host_cpu_features(), llvm.get_host_cpu_name()
    left_out = tuple(e.strip() for e in os.environ.get(WITHOUT, "").split(",") if e.strip())
    for feature in found:
        if left_out and feature.startswith(left_out):
            found[feature] = False
    x86 = found.get("avx2", False) or found.get("sse2", False)
    return CPU(
        name,
        found.flatten(),
        fma=found.get("fma", False) or not x86,
        f16c=found.get("f16c", False),
        avx2=found.get("avx2", False),
        avx512=all(found.get(f, False) for f in ("avx512f", "avx512bw", "avx512dq", "avx512vl")),
        permute=found.get("avx512f", False),
        permutes_bytes=found.get("avx512vbmi", False) and found.get("avx512bw", False),
        fp16=found.get("avx512fp16", False) and found.get("avx512vl", False),
        # Older processors of Intel got microcode against Downfall, which makes a gather take 2 ns an element; AMD's
        # load one element after the other as well.
        gathers=found.get("avx512fp16", False),
        x86=x86,
    )
