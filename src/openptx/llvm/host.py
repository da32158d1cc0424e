"""The features of this machine's processor, as far as emission needs them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from operator import attrgetter

import llvmlite.binding as llvm

from openptx.locks import LLVM

MXCSR = 0x1F80
"""The floating-point control word of x86 that code expects: no traps, round to nearest even, subnormal numbers kept."""


WITHOUT = "OPENPTX_CPU_WITHOUT"
"""Code avoids extensions of the processor whose LLVM names begin with one of these, separated by commas: `avx512` gives
code for AVX2 on a machine with AVX-512."""


def release_inner_lock() -> None:
    """Releases llvmlite's own lock, if this thread has left it held. llvmlite holds it around each call by a context
    manager in Python: a signal handler that raises as `__exit__` begins leaves it held by the main thread. All our
    calls are made with `LLVM` held, so a thread that waits for `LLVM` is in none of them."""
    try:
        lock = attrgetter("ffi.lib._lock._lock")(llvm)
    except AttributeError:  # a later llvmlite, whose lock is another one; tests/unit/llvm/test_jit.py tells
        return
    with suppress(RuntimeError):  # it is not held by this thread
        while True:
            lock.release()


LLVM.mend = release_inner_lock


@dataclass(frozen=True, slots=True)
class CPU:
    name: str
    features: str  # in LLVM's form
    fma: bool
    f16c: bool
    avx2: bool
    avx512: bool
    permute: bool  # vpermi2d and its like
    permutes_bytes: bool  # vpermb and its like
    permutes_words: bool  # vpermi2w is as fast as vpermi2d
    fp16: bool  # arithmetic of f16, with subnormal numbers
    gathers: bool  # faster than element by element
    x86: bool

    @property
    def rounds(self) -> bool:
        """Whether vectors of f32 and f64 can be rounded in a given direction: by instructions, or by changing the
        mode."""
        return self.avx512 or (self.avx2 and self.fma)


def left_out(found: Mapping[str, bool]) -> list[str]:
    """Of the features that the processor has, those that code avoids."""
    prefixes = tuple(e.strip() for e in os.environ.get(WITHOUT, "").split(",") if e.strip())
    return [feature for feature, has in found.items() if has and feature.startswith(prefixes)]


@cache
def host() -> CPU:
    """This machine's processor."""
    with LLVM:
        found, name = llvm.get_host_cpu_features(), llvm.get_host_cpu_name()
    for feature in left_out(found):
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
        # Intel's processors need three micro-operations for words from two registers, AMD's one.
        permutes_words=found.get("avx512bw", False) and name.startswith("znver"),
        fp16=found.get("avx512fp16", False) and found.get("avx512vl", False),
        # Older Intel processors have microcode against Downfall, which makes a gather take 2 ns per element; AMD's also
        # load element by element.
        gathers=found.get("avx512fp16", False),
        x86=x86,
    )
