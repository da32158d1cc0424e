"""Conversions to and from floats of at most 8 bits as machine code: all codes, and numbers near all boundaries."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lanes import different, without

from openptx.llvm.host import CPU, host
from openptx.numerics import FORMATS

F16, F32 = FORMATS["f16"], FORMATS["f32"]
NARROW = [FORMATS[name] for name in ("e4m3", "e5m2", "e2m3", "e3m2", "e2m1")]
PROCESSORS = [host(), without("fp16"), without("fp16", "avx512"), without("fp16", "avx512", "f16c")]


def kind(cpu: CPU) -> str:
    return " ".join(f for f in ("fp16", "avx512", "f16c") if getattr(cpu, f)) or "none"


@pytest.mark.parametrize("cpu", PROCESSORS, ids=kind)
@pytest.mark.parametrize("s", NARROW, ids=repr)
def test_all_codes_as_f16(s: Any, cpu: CPU) -> None:
    codes = np.arange(256, dtype=np.uint8) & np.uint8((1 << s.width) - 1)

    def act(x: Any, a: Any) -> Any:
        return x.convert(F16, s, a)

    assert different(act, [codes], [8], cpu) == 0


@pytest.mark.parametrize("cpu", PROCESSORS, ids=kind)
@pytest.mark.parametrize("d", NARROW, ids=repr)
def test_f32_and_f16_are_rounded(d: Any, cpu: CPU) -> None:
    """All f16; as f32 these, their neighbours, and others: ties of every narrow format are f16."""
    halves = np.arange(1 << 16, dtype=np.uint16)
    with np.errstate(invalid="ignore"):
        whole = halves.view(np.float16).astype(np.float32).view(np.uint32)
    random = np.random.default_rng(1).integers(0, 1 << 32, 1 << 16, dtype=np.uint32)
    singles = np.concatenate([whole - 1, whole, whole + 1, random])
    for satfinite in (False, True):
        for s, codes in (F16, halves), (F32, singles):

            def act(x: Any, a: Any, s: Any = s, satfinite: bool = satfinite) -> Any:
                return x.convert(d, s, a, "rn", satfinite=satfinite)

            assert different(act, [codes], [s.storage], cpu) == 0, (s, satfinite)
