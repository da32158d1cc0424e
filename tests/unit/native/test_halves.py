"""f16 and bf16 as machine code, with and without the processor's own instructions, near rounding boundaries."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from lanes import differences, different, samples, without

from openptx.llvm.host import CPU, host
from openptx.numerics import FORMATS

F16, BF16, F32 = FORMATS["f16"], FORMATS["bf16"], FORMATS["f32"]
OLDER = without("fp16", "avx512")
PROCESSORS = [host(), without("fp16"), OLDER, replace(OLDER, fma=False), replace(OLDER, f16c=False)]
ARITHMETIC = [("fadd", 2), ("fsub", 2), ("fmul", 2), ("fma", 3)]


def kind(cpu: CPU) -> str:
    return " ".join(f for f in ("fp16", "avx512", "f16c", "fma") if getattr(cpu, f))


@pytest.mark.parametrize("cpu", PROCESSORS, ids=kind)
@pytest.mark.parametrize("f", [F16, BF16], ids=repr)
def test_arithmetic(f: Any, cpu: CPU) -> None:
    for op, count in ARITHMETIC:
        for ftz in (False, True)[: 1 + (f is F16)]:

            def act(x: Any, *a: Any, op: str = op, ftz: bool = ftz) -> Any:
                return getattr(x, op)(f, *a, "rn", ftz)

            assert differences(act, [16] * count, [f] * count, n=1 << 14, cpu=cpu) == 0, (op, ftz)


@pytest.mark.parametrize("cpu", PROCESSORS, ids=kind)
@pytest.mark.parametrize("f", [F16, BF16], ids=repr)
def test_a_tie_that_a_small_addend_breaks(f: Any, cpu: CPU) -> None:
    """Products in the middle of two numbers, as exact ones, and with an addend that f32 cannot hold beside them."""
    random = np.random.default_rng(3)
    n, bits = 1 << 13, f.man + 1
    a, b, c = (samples(random, 16, n, f) for _ in range(3))
    p = np.uint64((1 << bits) | 1)  # odd, of one bit more than a number has: the middle of two
    factors = [(d, int(p) // d) for d in range(1, 1 << bits) if p % np.uint64(d) == 0 and int(p) // d < 1 << bits]
    for i, (d, e) in enumerate(factors):
        a[i::64], b[i::64] = code(f, d), code(f, e)
    ties = random.integers(1 << bits - 1, 1 << bits, n // 2, dtype=np.uint16) | 1  # times 3/2, 5/4...: many are ties
    a[: n // 2] = [code(f, int(t)) for t in ties]
    b[: n // 2] = [code(f, int(t)) for t in random.integers(1, 8, n // 2)]
    c[: n // 2 : 2] = random.choice([0, f.sign, 1, f.sign | 1, f.hidden, f.sign | f.hidden, 2 * f.hidden], n // 4)
    signs = random.integers(0, 2, (2, n), dtype=np.uint16) * np.uint16(f.sign)
    given = [a ^ signs[0], b ^ signs[1], c]
    assert different(lambda x, a, b, c: x.fma(f, a, b, c), given, [16] * 3, cpu) == 0
    assert different(lambda x, a, b: x.fmul(f, a, b), given[:2], [16] * 2, cpu) == 0


def code(f: Any, whole: int) -> int:
    """A small integer."""
    e = whole.bit_length() - 1
    return (f.bias + e) << f.man | (whole << f.man >> e) & (1 << f.man) - 1


@pytest.mark.parametrize("f", [F16, BF16], ids=repr)
def test_products_round_once_where_they_are_subnormal(f: Any) -> None:
    random = np.random.default_rng(4)
    n = 1 << 14
    low = f.bias // 2
    exponents = random.integers(0, low + 3, (2, n)).astype(np.uint16)
    a, b = ((e << np.uint16(f.man)) | random.integers(0, 1 << f.man, n).astype(np.uint16) for e in exponents)
    c = samples(random, 16, n, f) & np.uint16(f.sign | (2 * f.hidden - 1))
    for cpu in PROCESSORS:
        assert different(lambda x, a, b: x.fmul(f, a, b), [a, b], [16] * 2, cpu) == 0
        assert different(lambda x, a, b, c: x.fma(f, a, b, c), [a, b, c], [16] * 3, cpu) == 0


@pytest.mark.parametrize("cpu", PROCESSORS, ids=kind)
def test_conversions_and_comparisons(cpu: CPU) -> None:
    for s, d in ((F32, F16), (F16, F32), (F32, BF16), (BF16, F32)):
        act = lambda x, a, s=s, d=d: x.convert(d, s, a)  # noqa: E731
        assert differences(act, [s.storage], [s], n=1 << 14, cpu=cpu) == 0, (s, d)

    def every(x: Any, a: Any, b: Any) -> Any:
        return x.fless(F16, a, b), x.fequal(F16, a, b), x.unordered(F16, a, b), x.isnan(F16, a)

    assert differences(every, [16] * 2, [F16] * 2, n=1 << 13, cpu=cpu) == 0


def test_chains_keep_the_canonical_nan() -> None:
    """A result that is only used in arithmetic stays the processor's; its bits and sign are the definition's."""

    def chain(x: Any, a: Any, b: Any) -> Any:
        d = x.fadd(F16, x.fmul(F16, a, b), b)
        return d, d ^ 0x8000, x.convert(F32, F16, d), x.fma(F16, d ^ 0x8000, a, b)

    for cpu in PROCESSORS:
        assert differences(chain, [16] * 2, [F16] * 2, n=1 << 13, cpu=cpu) == 0
