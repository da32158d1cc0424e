"""Quotients and remainders by numbers are products, and exact."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lanes import DTYPES, Bench, defined, differences, run, without

import openptx
from openptx.engines.native.analysis.lattice import ZEROS, N, Value
from openptx.engines.native.emit.arith.quotients import reciprocal
from openptx.llvm.host import CPU, host
from openptx.numerics import Bits

UNIFORM = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 q, .param .u64 a) {
    .reg .b64 %rd<7>;
    ld.param.u64 %rd1, [q];
    ld.param.u64 %rd2, [a];
    div.u64 %rd3, %rd2, 7;
    st.global.u64 [%rd1], %rd3;
    div.u64 %rd4, %rd2, 10;
    st.global.u64 [%rd1+8], %rd4;
    rem.u64 %rd5, %rd2, 18446744073709551615;
    st.global.u64 [%rd1+16], %rd5;
    ret;
}
"""


def test_reciprocals_of_all_numbers_of_eight_bits() -> None:
    a = np.arange(256)
    for divisor in range(3, 256):
        if divisor & (divisor - 1):
            factor, shift, increment = reciprocal(divisor, 8)
            assert factor < 256
            assert ((a + increment) * factor >> 8 + shift == a // divisor).all(), divisor


@pytest.mark.parametrize("w", [16, 32, 64])
def test_quotients_of_lanes(w: int) -> None:
    for divisor in (7, 10, 641, (1 << w - 1) + 1, (1 << w) - 1):
        assert (
            differences(
                lambda x, a, d=divisor: tuple(x.binary(op, a, x.const(d, a.width)) for op in ("udiv", "urem")),
                [w],
                n=512,
            )
            == 0
        ), divisor


@pytest.mark.parametrize("cpu", [host(), without("avx512", "fp16")], ids=["host", "avx2"])
@pytest.mark.parametrize("w", [16, 32])
def test_lanes_divided_by_the_same_number_are_multiplied(w: int, cpu: CPU) -> None:
    """Dividends next to multiples of the divisor, where a product that is rounded may be on the wrong side."""

    def both(x: Any, a: Bits, b: Bits) -> tuple[Bits, ...]:
        if isinstance(x, Bench):
            b = Bits(x, w, Value(x.ir.emit(f"extractelement <32 x i{w}> {x.vector(b)}, i32 0"), ZEROS))
        found = tuple(x.binary(op, a, b) for op in ("udiv", "urem"))
        if isinstance(x, Bench):
            assert not any(f"fdiv <{N} x" in line for line in x.ir.lines)
        return found

    random, top = np.random.default_rng(5), (1 << w) - 1
    divisors = np.concatenate([[0, 1, 3, 7, top, top - 1, top // 2, top // 2 + 2], random.integers(1, top, 120)])
    divisors = np.concatenate([divisors, divisors >> random.integers(0, w, 128)]).repeat(N)
    multiples = random.integers(0, top // np.maximum(divisors, 1) + 1) * divisors
    dividends = multiples + random.integers(-1, 2, len(divisors)) & top
    dividends[::N] = top
    inputs = [a.astype(DTYPES[w]) for a in (dividends, divisors)]
    for ours, theirs in zip(run(both, inputs, [w, w], cpu), defined(both, inputs, [w, w]), strict=True):
        assert (ours == theirs).all()


@pytest.mark.parametrize("lanes", [None, ZEROS])
def test_nothing_is_left_to_llvm(lanes: tuple[int, ...] | None) -> None:
    for w in (16, 32, 64):
        x = Bench(host())
        for op in ("udiv", "urem"):
            x.binary(op, Bits(x, w, Value("%a", lanes)), x.const(7, w))
        assert not [line for line in x.ir.lines if "udiv" in line or "urem" in line]


def test_quotients_of_a_number_of_all_lanes() -> None:
    kernel, q = openptx.load(UNIFORM)["k"], np.zeros(3, np.uint64)
    for a in (0, 6, 7, 69, 70, 2**63, 2**64 - 2, 2**64 - 1):
        kernel(1, 32, [q, a], engine="native")
        assert q.tolist() == [a // 7, a // 10, a % (2**64 - 1)]


@pytest.mark.parametrize("cpu", [host(), without("avx512", "fp16")], ids=["host", "avx2"])
@pytest.mark.parametrize("same", [False, True])
def test_short_numbers_of_64_bits_are_divided_by_32(same: bool, cpu: CPU) -> None:
    """A warp's numbers are all short, or one is not."""

    def both(x: Any, a: Bits, b: Bits) -> tuple[Bits, ...]:
        if same and isinstance(x, Bench):
            b = Bits(x, 64, Value(x.ir.emit(f"extractelement <32 x i64> {x.vector(b)}, i32 0"), ZEROS))
        found = tuple(x.binary(op, a, b) for op in ("udiv", "urem"))
        if isinstance(x, Bench):
            assert sum("uitofp" in line for line in x.ir.lines) >= 2
        return found

    random = np.random.default_rng(6)
    a, b = (random.integers(0, 1 << 32, 512 * N, np.uint64) >> random.integers(0, 32, 512 * N, np.uint64) for _ in "ab")
    a[: 64 * N : N], a[64 * N + 5 : 128 * N : N] = (1 << 32) - 1, random.integers(1 << 32, 1 << 63, 64, np.uint64)
    b[128 * N : 192 * N : N] += np.uint64(1 << 32)
    if same:
        b = b[::N].repeat(N)
    for ours, theirs in zip(run(both, [a, b], [64, 64], cpu), defined(both, [a, b], [64, 64]), strict=True):
        assert (ours == theirs).all()
