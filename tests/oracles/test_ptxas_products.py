"""Products of matrices that ptxas makes of other instructions, compared with its machine code, translated to PTX."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lifted_kernels import lifted
from machine_code import MISSING, available

import openptx

pytestmark = pytest.mark.skipif(not available(), reason=MISSING)

TEXT = """.version 9.0
.target {target}
.address_size 64
.visible .entry k(.param .u64 o) {{
    .reg .b64 %p;
    .reg .b32 %a<8>, %b<8>, %c<8>, %t;
    ld.param.u64 %p, [o];
    mov.u32 %t, %tid.x;
    mad.wide.u32 %p, %t, 96, %p;
    {loads}
    {opcode} {c}, {a}, {b}, {c};
    {stores}
    ret;
}}"""


def registers(name: str, count: int) -> str:
    return "{" + ", ".join(f"%{name}{i}" for i in range(count)) + "}"


def text(target: str, opcode: str, counts: tuple[int, int, int]) -> str:
    places = [
        (name, 32 * n + 4 * i, i)
        for n, (name, count) in enumerate(zip("abc", counts, strict=True))
        for i in range(count)
    ]
    loads = " ".join(f"ld.global.b32 %{name}{i}, [%p+{at}];" for name, at, i in places)
    stores = " ".join(f"st.global.b32 [%p+{at}], %{name}{i};" for name, at, i in places if name == "c")
    a, b, c = (registers(name, count) for name, count in zip("abc", counts, strict=True))
    return TEXT.format(target=target, opcode=opcode, loads=loads, stores=stores, a=a, b=b, c=c)


def words(rng: np.random.Generator, type: str, count: int) -> Any:
    """Registers of numbers of many sizes, infinities, NaNs and subnormal ones among them."""
    if type in ("e4m3", "e5m2"):
        return rng.integers(0, 1 << 32, (32, count), np.uint32)
    if type == "f16":
        halves = (rng.standard_normal((32, 2 * count)) * 2.0 ** rng.integers(-8, 8, (32, 2 * count))).astype(np.float16)
        halves[rng.random(halves.shape) < 0.02] = rng.choice(np.array([0, np.inf, np.nan, 6e-8, 65504], np.float16))
        return halves.view(np.uint32)
    singles = (rng.standard_normal((32, count)) * 2.0 ** rng.integers(-12, 12, (32, count))).astype(np.float32)
    singles[rng.random(singles.shape) < 0.02] = rng.choice(np.array([0, np.inf, np.nan, 1e-45, 3e38], np.float32))
    return singles.view(np.uint32) & (0xFFFFE000 if type == "tf32" else 0xFFFFFFFF)


CASES = [
    ("sm_80", "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32", "f16", "f32", (2, 2, 8)),
    ("sm_90", "mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f32", "f16", "f32", (2, 2, 8)),
    ("sm_90", "mma.sync.aligned.m8n8k4.row.row.f16.f16.f16.f16", "f16", "f16", (2, 2, 4)),
    ("sm_100", "mma.sync.aligned.m8n8k4.col.col.f32.f16.f16.f32", "f16", "f32", (2, 2, 8)),
    ("sm_90", "wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32", "tf32", "f32", (4, 4, 8)),
    ("sm_100", "wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32", "tf32", "f32", (4, 4, 8)),
    ("sm_90", "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32", "e4m3", "f32", (4, 2, 4)),
    ("sm_90", "mma.sync.aligned.m16n8k16.row.col.f16.e5m2.e5m2.f16", "e5m2", "f16", (2, 1, 2)),
    ("sm_100a", "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e4m3.e4m3.f32", "e4m3", "f32", (4, 2, 4)),
]


@pytest.mark.parametrize(("target", "opcode", "factor", "sum_", "counts"), CASES)
def test_products(target: str, opcode: str, factor: str, sum_: str, counts: tuple[int, int, int]) -> None:
    source = text(target, opcode, counts)
    ours, (theirs, _) = openptx.load(source), lifted(source, target)
    rng = np.random.default_rng(len(opcode))
    for _ in range(4):
        given = np.zeros((32, 24), np.uint32)
        for n, (type, count) in enumerate(zip((factor, factor, sum_), counts, strict=True)):
            given[:, 8 * n : 8 * n + count] = words(rng, type, count)
        found = given.copy(), given.copy()
        for module, each in zip((ours, theirs), found, strict=True):
            module["k"](1, 32, (each,), engine="interp")
        np.testing.assert_array_equal(*found)
