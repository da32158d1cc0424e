"""The exact scalar model agrees with the lanes for every form, and with literal results."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from numeric_cases import codes

from openptx.errors import ArgumentError
from openptx.numerics import FORMATS
from openptx.numerics.arrays import convert
from openptx.numerics.codec import FINITE, INFINITE, NAN, decode, encode, finite, integral, neighbours
from openptx.numerics.cvt import cvt_pack
from openptx.numerics.cvt_spec import CvtSpec
from openptx.numerics.dtypes import unsigned
from openptx.numerics.model import convert as model
from openptx.numerics.numpy_machine import NumpyMachine
from openptx.numerics.type_names import ELEMENTS, PACKED, find_format

ROUNDINGS = (None, "rn", "rna", "rz", "rm", "rp", "rs", "rni", "rzi", "rmi", "rpi")
FLAGS = (
    {},
    {"sat": True},
    {"satfinite": True},
    {"relu": True},
    {"ftz": True},
    {"relu": True, "satfinite": True},
    {"ftz": True, "sat": True},
)


def forms(d: str, s: str) -> list[CvtSpec]:
    """Every form between two types, once."""
    found: dict[object, CvtSpec] = {}
    for rnd in ROUNDINGS:
        for flags in FLAGS:
            try:
                form = CvtSpec(d, s, rnd, **flags)
            except ArgumentError:
                continue
            found.setdefault(form.key, form)
    return list(found.values())


def agree(form: CvtSpec, count: int, scaled: bool = False) -> int:
    operands = form.values
    raw = np.stack(
        [
            codes(form.source if not hasattr(form.source, "element") else ELEMENTS[f"u{form.source.storage}"], count, i)
            for i in range(operands)
        ],
        -1,
    )
    rng = np.random.default_rng(1)
    rbits = rng.integers(0, 1 << 32, count, dtype=np.uint32) if form.stochastic else None
    scale = rng.integers(0x7800, 0x8800, count).astype(np.uint16) if scaled else None
    got = convert(
        raw if operands > 1 else raw[..., 0],
        form.into.name,
        source=form.source.name,
        rounding=form.rnd,
        sat=form.sat,
        satfinite=form.satfinite,
        relu=form.relu,
        ftz=form.ftz,
        rbits=rbits,
        scale=scale,
    ).view(unsigned(form.into))
    for i in range(count):
        r = 0 if rbits is None else int(rbits[i])
        q = None if scale is None else int(scale[i])
        expected = model(form, [int(c) for c in raw[i]], r, q)
        assert int(got[i]) == expected, (
            f"{form} of {[hex(c) for c in raw[i]]}: {int(got[i]):#x}, expected {expected:#x}"
        )
    return count


@pytest.mark.parametrize("d", ELEMENTS)
def test_every_form(d: str) -> None:
    checked = sum(agree(form, 20) for s in ELEMENTS for form in forms(d, s))
    assert checked >= 980


@pytest.mark.parametrize("elements", [6, pytest.param(24, marks=pytest.mark.sweep)])
@pytest.mark.parametrize("d", PACKED)
def test_every_packed_form(d: str, elements: int) -> None:
    """With fewer elements for each form than test_every_form, which has the same roundings."""
    into = PACKED[d]
    operands = elements // into.count
    sources = [*ELEMENTS, *(name for name, p in PACKED.items() if p.count == into.count and p is not into)]
    checked = 0
    for s in sources:
        scaled = "s2f6" in (into.element.name, getattr(find_format(s), "element", find_format(s)).name)
        for form in forms(d, s):
            checked += agree(form, operands)
            if scaled and "s2f6x2" in (d, s):
                checked += agree(form, operands, scaled=True)
    assert checked * into.count > 250


def test_cvt_pack() -> None:
    x = NumpyMachine()
    rows = [
        ("u8", 300, -5, 0x12345678, 0x5678FF00),
        ("s8", 300, -300, 0xABCD, 0xABCD7F80),
        ("s4", 9, -9, 0, 0x78),
        ("u4", 15, -1, 0xFFFFFFFF, 0xFFFFFFF0),
        ("u2", 7, 2, 1, 0x1E),
        ("s2", 1, -2, 0, 0x6),
        ("u16", 70000, -1, None, 0xFFFF0000),
        ("s16", -70000, 40000, None, 0x80007FFF),
    ]
    for to, a, b, c, expected in rows:
        operands = [x.const(v & 0xFFFFFFFF, 32) for v in (a, b)] + ([] if c is None else [x.const(c, 32)])
        assert cvt_pack(x, to, *operands).v.item() == expected, to


# fmt: off
#   form                                       operands                  result
LITERAL = (
    ("cvt.rn.satfinite.e4m3.f32",              [0x43E08000],             0x7E),        # 449
    ("cvt.rn.satfinite.e5m2.f32",              [0xFFC00000],             0x7F),        # a NaN with sign: +NaN
    ("cvt.rn.satfinite.e2m1.f32",              [0x7FC00000],             0x7),         # no NaN: the largest number
    ("cvt.rn.satfinite.e4m3x2.f32",            [0x3F800000, 0xC0000000], 0x38C0),      # a above, b below
    ("cvt.rn.satfinite.e2m1x2.f32",            [0x3F800000, 0xC0000000], 0x2C),
    ("cvt.rn.satfinite.e2m3x2.f32",            [0xC0F00000, 0x3F800000], 0x3F08),      # two zeros above each
    ("cvt.rn.f16x2.e4m3x2",                    [0x7FC0],                 0x7FFFC000),
    ("cvt.rn.bf16x2.ue8m0x2",                  [0x00FF],                 0x00407FFF),  # 2^-127 is subnormal
    ("cvt.rz.ue8m0.f32",                       [0x00400001],             0x00),
    ("cvt.rp.ue8m0.f32",                       [0x00400001],             0x01),
    ("cvt.rp.satfinite.ue8m0.f32",             [0x7F800000],             0xFE),
    ("cvt.rn.tf32.f32",                        [0x7F7FFFFF],             0x7F800000),
    ("cvt.rna.tf32.f32",                       [0x7FFFFFFF],             0x7FFFE000),  # NaN is cut, not rounded
    ("cvt.rna.satfinite.tf32.f32",             [0x7FC00000],             0x7FBFE000),
    ("cvt.rni.s32.f32",                        [0x40200000],             2),           # 2.5: ties to even
    ("cvt.rpi.s32.f32",                        [0x00000001],             1),
    ("cvt.rpi.ftz.s32.f32",                    [0x00000001],             0),
    ("cvt.rzi.u8.f64",                         [0x7FF8000000000000],     0x80),        # NaN of f64: the top bit
    ("cvt.rzi.s64.f32",                        [0x7FC00000],             1 << 63),
    ("cvt.rzi.s32.f32",                        [0x7FC00000],             0),
    ("cvt.rn.ftz.f32.f64",                     [0x380FFFFFE0000000],     0x00000000),  # tininess after rounding,
    ("cvt.rn.ftz.f32.f64",                     [0x380FFFFFF0000000],     0x00800000),  # with unbounded exponent
    ("cvt.rn.f32.f64",                         [0xFFF0000020000001],     0xFFC00001),  # sign and payload kept
    ("cvt.f64.f32",                            [0xFF800001],             0xFFF8000020000000),
    ("cvt.ftz.f64.f32",                        [0xFF800001],             0x7FFFFFFFE0000000),
    ("cvt.f64.f16",                            [0xFC01],                 0xFFF8040000000000),  # as recorded on H100
    ("cvt.f64.bf16",                           [0x7F81],                 0x7FF8200000000000),
    ("cvt.rn.f16.f64",                         [0xFFF0040000000000],     0xFE01),
    ("cvt.rz.bf16.f64",                        [0x7FF0000000000001],     0x7FC0),
    ("cvt.rn.relu.f16.f64",                    [0xFFF0040000000000],     0x7FFF),
    ("cvt.f32.bf16",                           [0xFF81],                 0xFF810000),  # shifted, not quieted
    ("cvt.ftz.f32.bf16",                       [0xFF81],                 0x7FFFFFFF),
    ("cvt.f32.f16",                            [0xFC01],                 0x7FFFFFFF),
    ("cvt.sat.f32.f32",                        [0x80000000],             0),
    ("cvt.sat.f32.f32",                        [0x7FC00000],             0),
    ("cvt.rni.f32.f32",                        [0xBF000000],             0x80000000),  # -0.5 to -0
    ("cvt.rn.relu.f16.f32",                    [0xBF800000],             0),
    ("cvt.rn.relu.f16.f32",                    [0xFFC00000],             0x7FFF),
    ("cvt.rn.f16.f32",                         [0x477FF000],             0x7C00),      # 65520 is a tie: infinity
    ("cvt.rz.f16.u64",                         [(1 << 64) - 1],          0x7BFF),
    ("cvt.sat.u8.s32",                         [0xFFFFFFFF],             0),
    ("cvt.sat.s32.u64",                        [1 << 63],                0x7FFFFFFF),
    ("cvt.u64.s8",                             [0x80],                   0xFFFFFFFFFFFFFF80),
    ("cvt.rn.satfinite.s2f6x2.f32",            [0x3FC00000, 0xC0400000], 0x6080),      # 1.5, and -3 clamped to -2
    ("cvt.rn.bf16x2.s2f6x2",                   [0x6080],                 0x3FC0C000),
)
# fmt: on


@pytest.mark.parametrize(("text", "operands", "expected"), LITERAL, ids=lambda v: v if isinstance(v, str) else "")
def test_literal_results(text: str, operands: list[int], expected: int) -> None:
    _, *modifiers, d, s = text.split(".")
    flags = {m: True for m in modifiers if m in ("sat", "satfinite", "relu", "ftz")}
    rnd = next((m for m in modifiers if m not in flags), None)
    form = CvtSpec(d, s, rnd, **flags)
    assert model(form, operands) == expected
    raw = np.array(operands, dtype=unsigned(form.source))
    got = convert(raw, d, source=s, rounding=rnd, **flags).view(unsigned(form.into))
    assert int(got.reshape(-1)[0]) == expected


@pytest.mark.parametrize("name", FORMATS)
def test_codec_round_trip(name: str) -> None:
    """Every number encodes to its own code, in every direction; neighbours are next to each other."""
    f = FORMATS[name]
    some = (
        range(0, 1 << f.width, 13 if f.width > 8 else 1) if f.width <= 16 else [int(c) >> f.low for c in codes(f, 2000)]
    )
    for code in some:
        code <<= f.low
        v = decode(f, code)
        if v.kind == NAN:
            assert encode(f, v) == (f.nan or 0) << f.low
            continue
        for rnd in ("rn", "rz", "rm", "rp"):
            assert encode(f, v, rnd) == code
        below, above = neighbours(f, code)
        if above is not None and v.kind == FINITE and decode(f, above).kind == FINITE:
            assert decode(f, above).number > v.number
            assert neighbours(f, above)[0] in (code, code ^ (f.sign << f.low))  # one zero for both signs
        if below is None and v.kind == FINITE:
            assert v.number == (-decode(f, f.largest << f.low).number if f.signed else decode(f, 0).number)


def test_codec_values() -> None:
    assert decode(FORMATS["e4m3"], 0x7E).number == 448
    assert decode(FORMATS["e5m2"], 0x7C).kind == INFINITE
    assert decode(FORMATS["ue8m0"], 0).number == Fraction(1, 1 << 127)
    assert decode(FORMATS["f64"], 1).number == Fraction(1, 1 << 1074)
    assert encode(FORMATS["e4m3"], finite(1000)) == 0x7F
    assert encode(FORMATS["e4m3"], finite(1000), satfinite=True) == 0x7E
    assert encode(FORMATS["f16"], finite(Fraction(1, 3)), "rp") == 0x3556
    assert [integral(finite(Fraction(n, 2)), "rn") for n in (-5, -3, -1, 1, 3, 5)] == [-2, -2, 0, 0, 2, 2]


@pytest.mark.parametrize(
    ("arguments", "flags", "message"),
    [
        (("f99", "f32"), {}, "no number format"),
        (("s32", "f32", "rn"), {}, "did you mean `rni`"),
        (("ue8m0", "f32"), {}, "choose one"),
        (("ue8m0", "f32", "rn"), {}, "`rz` or `rp`"),
        (("f16", "f32", "rni"), {}, "within one format"),
        (("f32", "f32"), {"relu": True}, "`relu` is for"),
        (("f32", "f64"), {"satfinite": True}, "`satfinite` is for"),
        (("bf16", "f32"), {"sat": True}, "`sat` is for"),
        (("f16", "f64"), {"ftz": True}, "`ftz` is for f32"),
        (("s8", "s16", "rn"), {}, "integers are not rounded"),
        (("f16", "f32", "nearest"), {}, "no rounding is called"),
        (("f16", "e4m3x2"), {}, "ask for f16x2"),
        (("e4m3x4", "f16x2"), {}, "holds 2 values"),
        (("s2f6", "s32"), {}, "from and to floats"),
        (("tf32", "f32", "rna"), {"relu": True}, "`rna` has no `relu`"),
        (("f16", "s32"), {"relu": True}, "from floats"),
    ],
)
def test_forms_that_there_are_not(arguments: tuple[str, ...], flags: dict[str, bool], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        CvtSpec(*arguments, **flags)
