"""`openptx convert` on the command line: output, accepted values, errors."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from openptx.cli import main
from openptx.errors import InputError
from openptx.numerics.cvt_spec import CvtSpec
from openptx.numerics.describe import decimal, parse, results
from openptx.numerics.formats import FORMATS
from openptx.numerics.type_names import find_format


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["convert", *arguments]) == 0
    return capsys.readouterr().out


def test_values(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(
        capsys, *["--to", "e4m3", "--round", "rn", "--satfinite", "449", "-0.0", "nan", "inf", "0.001953125"]
    )
    blocks = [block.splitlines() for block in text.split("\n\n")]
    assert [block[0] for block in blocks] == [
        f"{v}  cvt.rn.satfinite.e4m3.f32" for v in ("449", "-0.0", "nan", "inf", "0.001953125")
    ]
    first = {line.split()[0]: line.split(maxsplit=1)[1] for line in blocks[0][1:]}
    assert first == {
        "value": "448",
        "code": "0x7E  0 1111 110",
        "literal": "0x7E",
        "below": "416",
        "error": "-1  (-0.03125 ulp)",
        "by": "mode  rn 448, rz 448, rm 448, rp 448",
    }
    assert "  code     0x80  1 0000 000" in blocks[1]
    assert "  value    nan" in blocks[2]
    assert "  value    448" in blocks[3]
    assert "  error    none: the result is exact" in blocks[4]


def test_other_layouts(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, "--to", "e4m3x2", "--output-format", "concise", "1.5", "-2", "3", "4") == "0x3CC0\n0x4448\n"
    [row] = json.loads(printed(capsys, "--to", "f16", "--output-format", "json", "0.1"))
    assert row["value"] == "0.0999755859375"
    assert row["code"] == "0x2E66"
    assert row["below"] == "0.09991455078125"
    assert row["ulps"] == pytest.approx(-0.4000244140625)
    text = printed(capsys, "--to", "e2m1x4", "--round", "rs", "--rbits", "0x12345678", "1", "2", "3", "-6")
    assert text.splitlines()[1] == "  register 0x245F"


def test_bad_input(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, message in (
        ("--to f16 abc", "`abc` is not a value of f32"),
        ("--to f99 1", "no number format is called 'f99'"),
        ("--to ue8m0 1", "choose one"),
        ("--to e4m3x2 1", "takes 2 values at a time"),
        ("--to f16 --round rs 1", "needs `--rbits`"),
        ("--to f16 --rbits 3 1", "is for `--round rs`"),
        ("--to f16 --from s8 300", "from -128 to 127"),
        ("--to f16 --from s8 1.5", "not a value of s8"),
        ("--to f16 --from e2m1 nan", "has no NaN"),
        ("--to f16 --from e4m3 0x1FF", "more than the 8 bits"),
        ("--to f16 --from ue8m0 -1", "no negative numbers"),
        ("--to f16 1e99999", "not a value of f32"),
        ("--to f16 @none.npy", "none.npy: No such file"),
        ("--to f16 @a.npy @b.npy", "one @FILE.npy"),
        ("--to f16 --save x.npy 1", "`--save` is for arrays"),
    ):
        assert main(["convert", *arguments.split()]) == 2, arguments
        captured = capsys.readouterr()
        assert message in captured.err, (arguments, captured.err)
        assert not captured.out


def test_arrays(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    source, saved = tmp_path / "in.npy", tmp_path / "out.npy"
    np.save(source, np.array([[1, 2], [3, 449]], np.float32))
    text = printed(capsys, "--to", "e4m3", f"@{source}", "--save", str(saved))
    assert "float32 (2, 2) -> e4m3 (2, 2)" in text
    assert np.load(saved).tolist() == [[0x38, 0x40], [0x44, 0x7E]]
    printed(capsys, "--to", "f16", "--from", "e4m3", f"@{saved}", "--save", str(saved))
    assert np.load(saved).tolist() == [[1, 2], [3, 448]]
    assert "[1 2]" in printed(capsys, "--to", "bf16", f"@{source}")


@pytest.mark.parametrize(
    ("text", "source", "code"),
    [
        ("0x7E", "e4m3", 0x7E),
        ("0b101", "s8", 5),
        ("-1", "s8", 0xFF),
        ("0f3F800000", "f32", 0x3F800000),
        ("0f7FC00001", "f32", 0x7FC00001),
        ("-0f3F800000", "f64", 0xBFF0000000000000),
        ("0d3FF0000000000000", "f16", 0x3C00),
        ("0x1.8p1", "f32", 0x40400000),
        ("1_000", "f32", 0x447A0000),
        ("1e-400", "f32", 0),
        ("-inf", "bf16", 0xFF80),
        ("0.1", "f32", 0x3DCCCCCD),
        ("1.5", "s2f6", 0x60),
        ("3.4028236e38", "f32", 0x7F800000),
    ],
)
def test_reading(text: str, source: str, code: int) -> None:
    assert parse(text, find_format(source))[0] == code


@pytest.mark.parametrize(
    "text", ["", "-", "0x", "1e", "1..2", "0f3F8", "1/3", "\u0661", "1e1000000000", "nan()", "0b12"]
)
def test_not_numbers(text: str) -> None:
    with pytest.raises(InputError, match="is not a value of f32"):
        parse(text, FORMATS["f32"])


def test_numbers_in_full() -> None:
    from fractions import Fraction

    assert decimal(Fraction(-5, 8)) == "-0.625"
    assert decimal(Fraction(1, 1 << 30)) == "0.000000000931322574615478515625"
    assert decimal(Fraction(3 << 200)) == "3 * 2^200 (4.8208141327769708e+60)"
    assert decimal(Fraction(1, 1 << 1074)) == "1 * 2^-1074 (4.9406564584124654e-324)"
    [result] = results(CvtSpec("f64", "f64"), ["1.7976931348623157e308"])
    below, above = result.neighbours()
    assert below == "4503599627370495 * 2^972 (1.7976931348623155e+308)"
    assert above == "inf"
