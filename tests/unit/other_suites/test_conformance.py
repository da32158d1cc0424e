"""The harness of `make conformance`, on small checkouts that the test creates."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[3] / "tools"))

import run_conformance
from conformance import gpuocelot, outcome, ptx_tests, rust_arrays, triton, zluda

TWICE = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry {name}(.param .u64 p, .param .u64 q) {{
  .reg .b64 a, b; .reg .b32 x;
  ld.param.u64 a, [p]; ld.param.u64 b, [q];
  ld.global.u32 x, [a]; add.u32 x, x, x; st.global.u32 [b], x;
  ret;
}}
"""
TABLE = """
test_ptx!(twice, [21u32], [42u32]);
test_ptx!(wrong, [21u32], [43u32]);
test_ptx!(odd, [f32::MYSTERY], [1u32]);
test_ptx!(translated);
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / zluda.FOLDER
    folder.mkdir(parents=True)
    (folder / "mod.rs").write_text(TABLE)
    for name in ("twice", "wrong"):
        (folder / f"{name}.ptx").write_text(TWICE.format(name=name))
    return tmp_path


def made_up_reasons(suite: str) -> dict[str, str]:
    return {"wrong": f"made so for {suite}", "odd": "made so"}


def test_zluda(checkout: Path) -> None:
    assert [(o.case, o.status) for o in zluda.run(checkout)] == [
        ("twice", "agreed"), ("wrong", "disagreed"), ("odd", "not run"),
    ]  # fmt: skip


def test_status_is_that_of_what_has_no_reason(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["", f"zluda={checkout}", "triton="])
    assert run_conformance.main() == 1
    assert "1 agreed, 1 disagreed, 1 not run; without a reason on record 2" in capsys.readouterr().out
    monkeypatch.setattr(outcome, "reasons", made_up_reasons)
    assert run_conformance.main() == 0
    assert "reason: made so" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [[], ["zluda="], ["unknown=/"], ["zluda=/nowhere/at/all"]])
def test_nothing_to_run(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["", *arguments])
    assert run_conformance.main() == 2


def test_a_suite_without_cases_is_no_success(capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome.report("zluda", []) == 1


@pytest.mark.parametrize(("text", "bits"), [
    ("[1u8, 0b1_1, 0xFF]", b"\x01\x03\xff"),
    ("[-1]", b"\xff\xff\xff\xff"),
    ("[0.5, -2f32]", np.array([0.5, -2], "<f4").tobytes()),
    ("[1.5]", np.array([1.5], "<f8").tobytes()),
    ("[u64::max_value()]", b"\xff" * 8),
    ("[i16::MIN]", b"\x00\x80"),
    ("[f32::from_bits(0x7F800001)]", b"\x01\x00\x80\x7f"),
    ("[half::f16::from_f64(1.0), half::f16::NEG_INFINITY]", b"\x00\x3c\x00\xfc"),
    ("[0u16, half::f16::INFINITY.to_bits()]", b"\x00\x00\x00\x7c"),
    ("[1u32, // one\n 2]", b"\x01\0\0\0\x02\0\0\0"),
])  # fmt: skip
def test_rust_arrays(text: str, bits: bytes) -> None:
    assert rust_arrays.array(text).tobytes() == bits


def test_lines_of_ptx_tests() -> None:
    lines: Iterator[str] = iter(["a: OK\n", "b: FAIL - with input 3\n", "    computed on GPU: 1\n", "c: OK\n"])
    assert list(ptx_tests.read(lines)) == [
        outcome.Outcome("a", "agreed"),
        outcome.Outcome("b", "disagreed", "with input 3; computed on GPU: 1"),
        outcome.Outcome("c", "agreed"),
    ]


def test_another_ptx_tests_than_expected(tmp_path: Path) -> None:
    (tmp_path / "test.rs").write_text("fn main() {}")
    assert "where one is expected" in str(ptx_tests.limit(tmp_path / "test.rs"))


def test_report_of_pytest() -> None:
    text = (
        '<testsuites><testsuite><testcase name="f[1]"/><testcase name="f[2]"><failure message="1 != 2"/></testcase>'
        '<testcase name="g"><skipped message="no"/></testcase></testsuite></testsuites>'
    )
    assert [(o.case, o.status) for o in triton.read(text)] == [
        ("f[1]", "agreed"), ("f[2]", "disagreed"), ("g", "skipped"),
    ]  # fmt: skip


def test_gpuocelot_compares_floats_as_gpuocelot_does() -> None:
    one, near, far = (np.array([x], "<f4").view(np.uint8) for x in (1.0, 1.0 + 2.0**-22, 1.1))
    assert gpuocelot.first_difference(one, near, "4", 1) is None
    assert gpuocelot.first_difference(one, near, "4", 0) == 0
    assert gpuocelot.first_difference(one, far, "4", 1) == 0
