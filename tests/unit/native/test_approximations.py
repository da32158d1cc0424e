"""Approximate functions as machine code have the bits of their definitions; tables in registers or in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from golden_ir import lowered
from lanes import different, samples, without

from openptx.llvm.host import CPU, host
from openptx.numerics import FORMATS

F32 = FORMATS["f32"]
PROCESSORS = {
    "tables": None,
    "tables of 32 bits": without("permutes_words"),
    "terms": without("permutes_bytes"),
    "avx2": without("avx512", "permutes_bytes"),
}
"""Where the interpolator works on vectors. Without AVX-512 all of them are the last one."""

FUNCTIONS = ("ex2", "lg2", "rsqrt", "sin", "cos", "tanh", "rcp", "sqrt")


def operands(n: int = 1 << 13) -> Any:
    """Codes of f32: what `samples` finds, neighbours of where a function is another, and moderate numbers."""
    random = np.random.default_rng(6)
    a = samples(random, 32, n, F32)
    places = np.array(
        [126, 127, 128, 149, 150, 0.0, 1 / 32, 3 / 32, 0.3125, 0.5, 1, 2, 9, 10, 65536, 2**-126], np.float32
    )
    near = places[random.integers(0, len(places), n // 4)].view(np.uint32) + random.integers(0, 5, n // 4) - 2
    a[: n // 4] = near.astype(np.uint32) ^ (random.integers(0, 2, n // 4) << 31).astype(np.uint32)
    a[n // 4 : n // 2] = random.normal(0, 30, n // 4).astype(np.float32).view(np.uint32)
    return random.permutation(a)


@pytest.mark.parametrize("ftz", [False, True])
@pytest.mark.parametrize("op", FUNCTIONS)
def test_functions(op: str, ftz: bool) -> None:
    for cpu in (None, without("permutes_words"), without("avx512"), without("avx512", "avx2")):
        assert different(lambda x, a: x.approx(op, F32, a, ftz), [operands()], [32], cpu) == 0, cpu


@pytest.mark.parametrize("ftz", [False, True])
@pytest.mark.parametrize("cpu", PROCESSORS.values(), ids=PROCESSORS)
def test_powers_that_are_normal_numbers(cpu: CPU | None, ftz: bool) -> None:
    """No lane of a warp needs the definition; then one has the first number that does, or a subnormal power."""
    a = np.random.default_rng(9).uniform(-126, 126, 1 << 13).astype(np.float32)
    a[:4] = 0.0, -0.0, -126.0, 126.0
    a[1 << 12 :: 64], a[(1 << 12) + 1 :: 128] = np.nextafter(np.float32(-126), np.float32(-127)), -140.5

    def act(x: Any, a: Any) -> Any:
        return x.approx("ex2", F32, a, ftz)

    assert different(act, [a.view(np.uint32)], [32], cpu) == 0


def power_of_reduced(x: Any, a: Any, ftz: bool = False) -> Any:
    """2^a, where `a` is computed as if its integer part, which is zero, had been subtracted."""
    large, less, zero, one = (x.const(code, 32) for code in (0x4B400000, 0xCB400000, 0, 0x3F800000))
    integer = x.fadd(F32, x.fma(F32, a, zero, large, "rm"), less)
    return x.approx("ex2", F32, x.fma(F32, a, one, x.fneg(F32, integer)), ftz)


@pytest.mark.parametrize("ftz", [False, True])
@pytest.mark.parametrize("cpu", PROCESSORS.values(), ids=PROCESSORS)
def test_powers_of_what_seems_a_fraction(cpu: CPU | None, ftz: bool) -> None:
    """All lanes of a warp are in [0, 1), or some are just beside it, or anything."""
    a = np.random.default_rng(8).uniform(0, 1, 1 << 13).astype(np.float32)
    a[:5] = 0.0, 2**-23, 2**-149, 2**-126, np.nextafter(np.float32(1), np.float32(0))
    a[1 << 12 :: 96], a[(1 << 12) + 1 :: 160], a[(1 << 12) + 2 :: 224] = 1.0, -(2**-24), -0.0
    codes = np.concatenate([a.view(np.uint32), operands()])
    assert different(lambda x, a: power_of_reduced(x, a, ftz), [codes], [32], cpu) == 0


@pytest.mark.parametrize("cpu", [*PROCESSORS.values(), without("avx512", "avx2")], ids=[*PROCESSORS, "defined"])
def test_every_square(cpu: CPU | None) -> None:
    every = np.arange(1 << 17, dtype=np.uint32)
    assert different(lambda x, a: x.square(a), [every], [32], cpu) == 0


@pytest.mark.sweep
@pytest.mark.parametrize("op", ["ex2", "rcp", "rsqrt", "sqrt"])
@pytest.mark.parametrize("cpu", PROCESSORS.values(), ids=PROCESSORS)
def test_every_fraction(op: str, cpu: CPU | None) -> None:
    """All numbers from 1/2 to 2, and their negatives where there are results."""
    for first in (0x3F000000, 0x3F800000, *([0xBF000000, 0xBF800000] if op in ("ex2", "rcp") else [])):
        every = np.arange(1 << 23, dtype=np.uint32) + np.uint32(first)
        assert different(lambda x, a: x.approx(op, F32, a), [every], [32], cpu) == 0, hex(first)


@pytest.mark.sweep
@pytest.mark.parametrize("cpu", PROCESSORS.values(), ids=PROCESSORS)
def test_powers_of_every_fraction(cpu: CPU | None) -> None:
    every = np.arange(1 << 23, dtype=np.uint32).astype(np.float32) / np.float32(1 << 23)
    assert different(power_of_reduced, [every.view(np.uint32)], [32], cpu) == 0


def test_ranges_are_reduced_as_the_compiler_does_it(tmp_path: Path) -> None:
    """`expf` of CUDA 12: the power is that of a fraction, which a function computes if it is not one."""
    source = tmp_path / "k.ptx"
    source.write_text(""".version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x) {
.reg .b64 a; .reg .f32 f<12>; .reg .b32 r<3>;
ld.param.u64 a, [x]; mov.u32 r1, %tid.x; cvt.rn.f32.u32 f1, r1;
fma.rn.f32 f2, f1, 0f3BBB989D, 0f3F000000;
cvt.sat.f32.f32 f3, f2;
fma.rm.f32 f4, f3, 0f437C0000, 0f4B400001;
add.f32 f5, f4, 0fCB40007F;
neg.f32 f6, f5;
fma.rn.f32 f7, f1, 0f3FB8AA3B, f6;
fma.rn.f32 f8, f1, 0f32A57060, f7;
ex2.approx.ftz.f32 f9, f8;
st.global.f32 [a], f9;
ret; }""")
    assert ("power." in lowered(source)) == (host().avx512 or host().avx2)


def test_outside_of_loops_a_definition_is_inlined_once(tmp_path: Path) -> None:
    quotients = "\n".join(f"div.full.f32 f{i}, f0, f{i};" for i in range(1, 5))
    stores = "\n".join(f"st.global.f32 [a+{4 * i}], f{i};" for i in range(1, 5))
    source = tmp_path / "k.ptx"
    source.write_text(f""".version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x) {{
.reg .b64 a; .reg .f32 f<5>; .reg .u32 n; .reg .pred p;
ld.param.u64 a, [x]; mov.u32 n, %tid.x; cvt.rn.f32.u32 f0, n;
{"".join(f"add.f32 f{i}, f0, 0f40000000;" for i in range(1, 5))}
L: sub.u32 n, n, 1; setp.gt.s32 p, n, 0; @p bra L;
{quotients}
{stores}
ret; }}""")
    assert lowered(source).count("@openptx.shared.approx_div.") == 4  # its definition, and three calls
