"""`openptx.convert` on arrays: dtypes, shapes, layouts, output arrays, bad arguments."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numeric_cases import Definition, codes, differing, spread

import openptx
from openptx.numerics import FORMATS, Bits, bulk_convert
from openptx.numerics.cvt import cvt

convert = openptx.convert
ONE_TO_SIX = np.arange(1, 7, dtype=np.float32)


def test_dtypes_of_results() -> None:
    expected = {
        "f16": np.float16,
        "f32": np.float32,
        "f64": np.float64,
        "bf16": ml_dtypes.bfloat16,
        "e4m3": ml_dtypes.float8_e4m3fn,
        "e5m2": ml_dtypes.float8_e5m2,
        "e2m3": ml_dtypes.float6_e2m3fn,
        "e3m2": ml_dtypes.float6_e3m2fn,
        "e2m1": ml_dtypes.float4_e2m1fn,
        "tf32": np.uint32,
        "s2f6": np.uint8,
        "ue4m3": np.uint8,
        "ue5m3": np.uint8,
        "s8": np.int8,
        "u64": np.uint64,
    }
    for name, dtype in expected.items():
        assert convert(ONE_TO_SIX, name).dtype == dtype, name
    assert convert(ONE_TO_SIX, "ue8m0", rounding="rz").dtype == ml_dtypes.float8_e8m0fnu
    assert convert(ONE_TO_SIX.reshape(3, 2), "e4m3x2").dtype == np.uint16


def test_dtypes_of_sources() -> None:
    for dtype in (
        np.float16,
        np.float64,
        ml_dtypes.bfloat16,
        ml_dtypes.float8_e4m3fn,
        ml_dtypes.float6_e3m2fn,
        np.int8,
        np.uint32,
    ):
        values = ONE_TO_SIX[:4].astype(dtype)
        assert convert(values, "f32").tolist() == [1, 2, 3, 4], dtype
    assert convert([1, 2.5], "f16").tolist() == [1, 2.5]
    assert convert([1, 2], "f16", source="s8").tolist() == [1, 2]
    assert convert(449.0, "e4m3").shape == ()
    assert float(convert([0.1], "f64", source="bf16")[0]) == 0.10009765625
    assert convert(np.array([0x3F80], np.uint16), "f32", source="bf16").tolist() == [1.0]
    assert convert(ONE_TO_SIX.astype(">f4"), "s32").tolist() == [1, 2, 3, 4, 5, 6]
    assert convert(np.array([1.5], np.float32), "f16", source=".f32").tolist() == [1.5]


@pytest.mark.parametrize(
    "make",
    [
        lambda a: a[::2],
        lambda a: a[::-1],
        lambda a: a.reshape(4, -1).T,
        lambda a: a.reshape(4, -1)[:, 3:7],
        lambda a: np.asfortranarray(a.reshape(4, -1)),
        lambda a: np.broadcast_to(a[:5], (3, 5)),
        lambda a: a[:0],
        lambda a: a[:0].reshape(0, 7),
        lambda a: a[5],
        lambda a: a[1:][np.newaxis, :, np.newaxis],
        lambda a: np.frombuffer(b"\0" + a.tobytes(), np.uint8)[1:].view(a.dtype),
    ],
)
@pytest.mark.parametrize("to", ["e4m3", "f16", "tf32", "s16", "f64"])
def test_layouts(make: Any, to: str) -> None:
    a = codes(FORMATS["f32"], 4000).view(np.float32)
    flat = convert(a, to).view(f"u{np.dtype(convert(a, to).dtype).itemsize}")
    expected = make(flat)
    part = make(a)
    got = convert(part, to)
    assert got.shape == part.shape
    assert np.array_equal(got.view(flat.dtype), expected)
    out = np.empty((*part.shape, 2), got.dtype)[..., 1]
    assert convert(part, to, out=out) is out
    assert np.array_equal(np.ascontiguousarray(out).view(flat.dtype).reshape(part.shape), expected)


def test_out_may_be_the_source() -> None:
    a = ONE_TO_SIX - 3
    assert convert(a, "f32", sat=True, out=a) is a
    assert a.tolist() == [0, 0, 0, 1, 1, 1]
    b = np.arange(8, dtype=np.uint32)
    convert(b[:-1], "u32", source="s32", out=b[1:])
    assert b.tolist() == [0, 0, 1, 2, 3, 4, 5, 6]


def test_packed() -> None:
    pairs = np.array([[1, -2], [3, 0.5]], np.float32)
    assert convert(pairs, "e4m3x2").tolist() == [0x38C0, 0x4430]
    assert convert(pairs, "e2m1x2").tolist() == [0x2C, 0x51]
    halves = convert(pairs, "f16x2")
    assert halves.view(np.float16).tolist() == [-2, 1, 0.5, 3]
    assert convert(halves, "e4m3x2", source="f16x2").tolist() == [0x38C0, 0x4430]
    assert convert(np.array([0x38C0], np.uint16), "f16x2", source="e4m3x2").view(np.float16).tolist() == [-2, 1]
    assert convert(np.zeros((0, 4), np.float32), "e2m1x4", rounding="rs", rbits=0).shape == (0,)
    assert convert(pairs, "s2f6x2", scale=0x8080).tolist() == [0x20C0, 0x6010]  # both halved first
    four = convert(np.array([1, 2, 3, 4], np.float32), "e4m3x4", rounding="rs", rbits=0xFFFFFFFF)
    assert four.shape == ()
    assert int(four) == 0x38404448


@pytest.mark.parametrize(
    ("arguments", "keywords", "message"),
    [
        (([1.0], "f99"), {}, "no number format is called 'f99'"),
        ((["a"], "f16"), {}, "not a number format of PTX"),
        (([True], "f16"), {}, "array of bool"),
        (([1j], "f16"), {}, "complex"),
        ((None, "f16"), {}, "object"),
        (([[1], [1, 2]], "f16"), {}, "not numbers"),
        (([300], "f16"), {"source": "s8"}, "not numbers of s8"),
        ((np.ones(2, np.float32), "f16"), {"source": "bf16"}, "uint16 with its codes"),
        ((np.ones(3, np.float32), "e4m3x2"), {}, "takes 2 values"),
        ((np.float32(1), "e4m3x2"), {}, "takes 2 values"),
        (([1.0], "f16"), {"rounding": "rs"}, "needs `rbits`"),
        (([1.0], "f16"), {"rbits": 1}, "for the rounding `rs`"),
        (([1.0], "f16"), {"rounding": "rs", "rbits": -1}, "integers from 0"),
        (([1.0], "f16"), {"rounding": "rs", "rbits": 1.5}, "integers from 0"),
        (([1.0, 2.0], "f16"), {"rounding": "rs", "rbits": [1, 2, 3]}, "the shape of the result"),
        (([1.0], "f16"), {"scale": 1}, "for s2f6x2"),
        (([1.0], "f16"), {"out": np.empty(2, np.float16)}, "of shape"),
        (([1.0], "f16"), {"out": np.empty(1, np.float32)}, "array of float16"),
    ],
)
def test_bad_arguments(arguments: tuple[Any, ...], keywords: dict[str, Any], message: str) -> None:
    with pytest.raises(openptx.ArgumentError, match=message):
        convert(*arguments, **keywords)


def test_read_only_output() -> None:
    out = np.empty(1, np.float16)
    out.flags.writeable = False
    with pytest.raises(openptx.ArgumentError, match="read-only"):
        convert([1.0], "f16", out=out)


def test_source_is_left_alone() -> None:
    a = codes(FORMATS["f32"], 5000)
    a.flags.writeable = False
    before = a.copy()
    for to in ("e4m3", "bf16", "f16", "f64", "s8", "tf32", "f32"):
        convert(a.view(np.float32), to, ftz=True)
    assert np.array_equal(a, before)


COMPILED = [
    ("e4m3", "f32", {}),
    ("e5m2", "f32", {"relu": True}),
    ("e2m3", "f32", {}),
    ("e3m2", "f32", {"ftz": True}),
    ("e2m1x2", "f32", {"relu": True}),
    ("tf32", "f32", {}),
    ("tf32", "f32", {"satfinite": True}),
    ("s32", "f32", {}),
    ("u32", "f32", {}),
    ("s32", "f32", {"rounding": "rni"}),
    ("u32", "f32", {"ftz": True}),
    ("bf16", "f32", {}),
    ("bf16", "f32", {"ftz": True}),
    ("f16", "f32", {}),
    ("f16", "f32", {"rounding": "rz", "satfinite": True}),
    ("tf32", "f32", {"rounding": "rna"}),
    ("f64", "f16", {}),
    ("f32", "f64", {"rounding": "rm", "ftz": True}),
    ("s64", "f64", {"rounding": "rni"}),
    ("f32", "u64", {"rounding": "rp"}),
    ("e2m1x2", "f32", {}),
    ("f16x2", "e4m3x2", {}),
    ("ue8m0", "bf16", {"rounding": "rp"}),
    ("s2f6x2", "bf16x2", {}),
]


@pytest.mark.parametrize(("to", "source", "flags"), COMPILED)
def test_compiled(to: str, source: str, flags: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Large arrays go through compiled loops: the same bits, contiguous and strided, whole pieces and parts."""
    monkeypatch.setattr(bulk_convert, "MANY", 1 << 12)
    monkeypatch.setattr(bulk_convert, "BLOCK", 1 << 12)
    monkeypatch.setattr(bulk_convert, "PIECE", 10_000)
    monkeypatch.setattr(bulk_convert, "_LOOPS", {})
    form = openptx.numerics.cvt_spec.CvtSpec(to, source, **flags)
    t = (
        form.source
        if not hasattr(form.source, "element")
        else openptx.numerics.type_names.ELEMENTS[f"u{form.source.storage}"]
    )
    count = 35_001
    operands = [codes(t, count, i) for i in range(form.values)]
    raw = operands[0] if form.values == 1 else np.stack(operands, -1)
    x = Definition()
    keywords = dict(flags)
    rnd = form.rnd if "rounding" not in keywords else keywords.pop("rounding")
    expected = spread(
        cvt(x, to, source, *(Bits(x, 8 * a.itemsize, a) for a in operands), rnd=rnd, **keywords), (count,)
    )
    got = convert(raw, to, source=source, **flags)
    assert any(loop is not None for loop in bulk_convert._LOOPS.values())
    assert not differing(got.view(expected.dtype), expected, *operands)
    got = convert(raw[::-1], to, source=source, **flags)
    assert not differing(got.view(expected.dtype), np.ascontiguousarray(expected[::-1]), *operands)


def test_without_llvm(monkeypatch: pytest.MonkeyPatch) -> None:
    """NumPy alone gives the same."""
    import sys

    monkeypatch.setattr(bulk_convert, "MANY", 0)
    monkeypatch.setattr(bulk_convert, "_LOOPS", {})
    monkeypatch.setitem(sys.modules, "openptx.numerics.compiled", None)
    a = codes(FORMATS["f32"], 1 << 15).view(np.float32)
    got = convert(a, "f16", rounding="rp")
    assert bulk_convert._LOOPS
    assert set(bulk_convert._LOOPS.values()) == {None}
    monkeypatch.setattr(bulk_convert, "MANY", 1 << 30)
    assert np.array_equal(got.view(np.uint16), convert(a, "f16", rounding="rp").view(np.uint16))


def test_arrays_of_others() -> None:
    """Anything with `__dlpack__` or `__array_interface__` on the CPU."""

    class Exporter:
        def __init__(self, array: np.ndarray) -> None:
            self.array = array

        def __dlpack__(self, **keywords: Any) -> Any:
            return self.array.__dlpack__(**keywords)

        def __dlpack_device__(self) -> Any:
            return self.array.__dlpack_device__()

    class Interface:
        def __init__(self, array: np.ndarray) -> None:
            self.array, self.__array_interface__ = array, array.__array_interface__

    for wrap in (Exporter, Interface):
        assert convert(wrap(ONE_TO_SIX), "f16").tolist() == [1, 2, 3, 4, 5, 6]
