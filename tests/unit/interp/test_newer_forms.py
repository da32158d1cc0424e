"""Forms added after PTX ISA 9.1, compared with tables of values."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import openptx
from openptx import Fault

ENGINES = pytest.mark.parametrize("engine", ["interp", "native"])
HEAD = ".version 9.4\n.target {}\n.address_size 64\n.visible .entry k(.param .u64 i, .param .u64 o) {{\n"
REGISTERS = ".reg .b64 i, o, t; .reg .b32 n, a, b, d; .reg .b16 h, s, r; mov.u32 n, %tid.x; mul.wide.u32 t, n, {};\n"
LOADS = "ld.param.u64 i, [i]; ld.param.u64 o, [o]; add.u64 i, i, t; mul.wide.u32 t, n, 4; add.u64 o, o, t;\n"

# cuda_fp8.hpp of CUDA 13.4: no sign, five bits of exponent with bias 15, three of mantissa, no infinity, NaN 0xFF.
UE5M3 = [(c & 7) * 2.0**-17 if c < 8 else (8 + (c & 7)) * 2.0 ** ((c >> 3) - 18) for c in range(255)]


def kernel(code: str, step: int, engine: str, data: np.ndarray, target: str = "sm_107f") -> np.ndarray:
    text = HEAD.format(target) + REGISTERS.format(step) + LOADS.replace("[i]", "[i]") + code + "\nret; }"
    text = text.replace("(.param .u64 i, .param .u64 o)", "(.param .u64 pi, .param .u64 po)")
    text = text.replace("ld.param.u64 i, [i]; ld.param.u64 o, [o]", "ld.param.u64 i, [pi]; ld.param.u64 o, [po]")
    count = data.nbytes // step
    out = np.zeros(count, np.uint32)
    openptx.load(text)["k"](1, count, (data, out), engine=engine)
    return out


def to_ue5m3(value: float, rounding: str, satfinite: bool) -> int:
    """The sign is dropped; ties to even; beyond the largest comes NaN, but with `.satfinite` and towards zero."""
    v = abs(value)
    if np.isnan(v):
        return 0xFF
    if np.isinf(v):
        return 0xFE if satfinite else 0xFF
    below = max(c for c in range(255) if UE5M3[c] <= v)
    if UE5M3[below] == v or rounding == "rz":
        return below
    above = UE5M3[below + 1] if below < 254 else 122880.0
    middle = (UE5M3[below] + above) / 2
    up = rounding == "rp" or v > middle or (v == middle and below % 2 == 1)
    return min(below + up, 0xFE if satfinite else 0xFF)


VALUES = np.array(
    [0, -0.0, 1, -1.03125, 1.0625, 1.1875, 3.3, 448, 114688, 118784, 118785, 122880, 1e9, np.inf, -np.inf, np.nan,
     2**-17, 2**-18, 2**-18 * 1.001, 2**-19, 1e-30, 1.5 * 2**-17, 2.5 * 2**-17, 2**-14, 2**-14 * 0.97],
    np.float32,
)  # fmt: skip


@ENGINES
@pytest.mark.parametrize("rounding", ["rn", "rz", "rp"])
@pytest.mark.parametrize("satfinite", ["", ".satfinite"])
def test_to_ue5m3(rounding: str, satfinite: str, engine: str) -> None:
    code = f"ld.global.b32 a, [i]; mov.b32 b, 0f3F800000; cvt.{rounding}{satfinite}.ue5m3x2.f32 h, a, b;"
    found = kernel(f"{code} cvt.u32.u16 d, h; st.global.b32 [o], d;", 4, engine, VALUES)
    assert (found & 0xFF).tolist() == [0x78] * len(VALUES)
    assert (found >> 8).tolist() == [to_ue5m3(float(v), rounding, bool(satfinite)) for v in VALUES]


@ENGINES
@pytest.mark.parametrize("source", ["f16", "bf16"])
def test_halves_to_ue5m3_and_back(source: str, engine: str) -> None:
    dtype = np.dtype(np.float16 if source == "f16" else ml_dtypes.bfloat16)
    with np.errstate(over="ignore"):
        values = VALUES.astype(dtype)
    code = f"ld.global.b16 h, [i]; mov.b32 a, {{h, h}}; cvt.rn.ue5m3x2.{source}x2 h, a; cvt.u32.u16 d, h;"
    found = kernel(f"{code} st.global.b32 [o], d;", 2, engine, values)
    assert found.tolist() == [0x101 * to_ue5m3(float(v), "rn", False) for v in values]
    codes = np.arange(256, dtype=np.uint16)
    found = kernel(f"ld.global.b16 h, [i]; cvt.rn.{source}x2.ue5m3x2 d, h; st.global.b32 [o], d;", 2, engine, codes)
    with np.errstate(over="ignore"):
        expected = np.array([*UE5M3, np.nan]).astype(dtype)
    assert (found[:255] & 0xFFFF).tolist() == expected.view(np.uint16)[:255].tolist()
    assert found[255] & 0xFFFF == 0x7FFF


@ENGINES
@pytest.mark.parametrize(("scale", "factor"), [(127, 1.0), (130, 8.0), (120, 2.0**-7), (255, np.nan)])
def test_products_by_a_scale(scale: int, factor: float, engine: str) -> None:
    """bf16 holds each product exactly."""
    codes = np.arange(256, dtype=np.uint16)
    code = f"ld.global.b16 h, [i]; mov.b16 s, {scale * 0x101}; cvt.rn.scaled::n2::ue8m0.bf16x2.e4m3x2 d, h, s;"
    found = kernel(f"{code} st.global.b32 [o], d;", 2, engine, codes, "sm_100f").astype(np.uint16)
    expected = codes.astype(np.uint8).view(ml_dtypes.float8_e4m3fn).astype(np.float32) * np.float32(factor)
    nan = np.isnan(expected)
    assert (found[nan] == 0x7FFF).all()
    assert (found[~nan] == expected[~nan].astype(ml_dtypes.bfloat16).view(np.uint16)).all()


COPY = """.version 9.2
.target sm_90
.address_size 64
.visible .entry k(.param .u64 pi, .param .u64 po, .param .u32 pl, .param .u32 pr) {{
.reg .b64 i, o; .reg .b32 l, r, v; .reg .pred p;
.shared .align 16 .b8 to[32]; .shared .align 8 .b64 bar;
ld.param.u64 i, [pi]; ld.param.u64 o, [po]; ld.param.u32 l, [pl]; ld.param.u32 r, [pr];
st.shared.u32 [to], 0x77777777; st.shared.u32 [to+28], 0x77777777;
mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.expect_tx.shared.b64 _, [bar], 32;
cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob [to], [i], 32, l, r, [bar];
W: mbarrier.try_wait.parity.shared.b64 p, [bar], 0; @!p bra W;
{}
ret; }}"""
OUT = "".join(f"ld.shared.u32 v, [to+{4 * i}]; st.global.u32 [o+{4 * i}], v;" for i in range(8))


@ENGINES
def test_bulk_copies_ignore_what_is_out_of_bounds(engine: str) -> None:
    """The allocation begins and ends within the 32 bytes: its last bytes are not there, and are not asked for."""
    k = openptx.load(COPY.format(OUT))["k"]
    data, out = np.arange(29, dtype=np.uint8), np.zeros(32, np.uint8)
    k(1, 1, (data, out, 2, 3), engine=engine)
    assert out[2:29].tolist() == list(range(2, 29))
    with pytest.raises(Fault) as fault:
        k(1, 1, (data, out, 2, 2), engine=engine)
    assert fault.value.name == "out-of-bounds"
    with pytest.raises(Fault, match="up to 15 bytes") as fault:
        k(1, 1, (data, out, 16, 3), engine=engine)
    assert fault.value.name == "undefined-behavior"
