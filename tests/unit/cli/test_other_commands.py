"""`openptx test`, `explain`, `isa` and `demo`."""

from __future__ import annotations

import json

import numpy as np
import pytest

GOOD = ".func (.reg .f32 d) negate (.reg .f32 a) { neg.f32 d, a; ret; }\n// run: negate(1.0) == -1.0\n"
ONE = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry one(.param .u64 p) {{ {} ret; }}\n"
STORE = ".reg .b64 a; ld.param.u64 a, [p]; st.global.u32 [a], 1;"


@pytest.fixture
def suite(tmp_path):
    (tmp_path / "good.ptx").write_text(GOOD)
    (tmp_path / "bad.ptx").write_text(GOOD.replace("== -1.0", "== 1.0"))
    (tmp_path / "unreadable.ptx").write_text(GOOD.replace("negate(1.0) ==", "negate 1.0 =="))
    (tmp_path / "plain.ptx").write_text(ONE.format(""))  # promises nothing: no test
    for name, expected in (("case_good", 1), ("case_bad", 2)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "kernel.ptx").write_text(ONE.format(STORE))
        np.save(folder / "in.npy", np.zeros(2, np.uint32))
        np.save(folder / "out.npy", np.array([expected, 0], np.uint32))
        buffer = {"kind": "buffer", "file": "in.npy", "dtype": "uint32", "expect": "out.npy", "bit_exact": True}
        case = {"kernel": "one", "grid": [1, 1, 1], "block": [1, 1, 1], "params": [buffer]}
        (folder / "case.json").write_text(json.dumps(case))
    return tmp_path


def test_test_prints_a_line_each_and_a_summary(openptx, suite):
    done = openptx("test", suite)
    assert done.status == 1
    lines = [line for line in done.out.splitlines() if not line.startswith(" ")]
    assert [line.split(" (")[0].split() for line in lines[:-1]] == [
        ["failed", "bad.ptx"],
        ["failed", "case_bad"],
        ["passed", "case_good"],
        ["passed", "good.ptx"],
        ["error", "unreadable.ptx"],
    ]
    assert lines[-1] == "2 passed, 2 failed, 0 unsupported, 1 error"
    assert "    line 2: 0xbf800000 (-1.0), not 1.0\n" in done.out
    assert "    buffer 0: 1 of 2 elements differ, first [0]: 1 (0x00000001), not 2 (0x00000002)\n" in done.out


def test_test_as_json(openptx, suite):
    rows = json.loads(openptx("test", suite / "good.ptx", suite / "case_bad", "--output-format", "json").out)
    assert [list(row) for row in rows] == [["name", "status", "message", "seconds"]] * 2
    assert [(row["name"], row["status"]) for row in rows] == [("good.ptx", "passed"), ("case_bad", "failed")]


def test_test_is_clean_when_all_pass(openptx, suite):
    done = openptx("test", suite / "good.ptx", suite / "case_good")
    assert (done.status, done.out.splitlines()[-1]) == (0, "2 passed, 0 failed, 0 unsupported")


def test_test_of_a_path_that_is_not_there(openptx, suite):
    done = openptx("test", suite / "none", suite / "good.ptx")
    assert done.status == 2
    assert done.err == f"error: {suite}/none: No such file or directory\n"
    assert "1 passed" in done.out


def test_test_of_a_folder_without_tests_is_no_success(openptx, suite):
    (suite / "empty").mkdir()
    (suite / "empty" / "plain.ptx").write_text(ONE.format(""))
    done = openptx("test", suite / "empty", suite / "good.ptx")
    assert done.status == 2
    assert done.err.startswith(f"error: {suite}/empty: no tests in it")
    assert done.out.splitlines()[-1] == "1 passed, 0 failed, 0 unsupported"


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"kernel": "one"}', '{"kernel": 1, "grid": 2, "block": 3, "params": 4}']
)
def test_test_of_a_case_that_is_none(openptx, suite, text):
    (suite / "case_good" / "case.json").write_text(text)
    done = openptx("test", suite / "case_good")
    assert (done.status, done.out.splitlines()[-1]) == (1, "0 passed, 0 failed, 0 unsupported, 1 error")
    assert "mistake in OpenPTX" not in done.out


@pytest.mark.parametrize(
    ("what", "text"),
    [
        ("PTX0312", "PTX0312 operand-type (error)\n\nAn operand's declared type"),
        ("ptx1001", "PTX1001 immediate-truncated (warning)"),
        ("operand-type", "PTX0312 operand-type"),
        ("fma", "d = a * b + c, rounded once"),
        ("cvt.rn.f16.f32", "rounds to nearest, ties to even"),
        ("cvt.rn.f16.f32", "a             source, .f32"),
        ("add.q32", "`add.q32` is not a form of `add`"),
        (".satfinite", "in: cvt"),
        ("0f3F800000", "a floating-point constant of type .f32\n\n  value   1.0"),
        ("-1.1", "exact   -1.100000000000000088817841970012523233890533447265625"),
        ("1e300", ".f32    0f7F800000"),
        ("42U", "an integer constant of type .u64"),
        ("017", "value   15"),
        ("300", ".u8 44  .s8 44  (cut off)"),
        ("-1", "0xFFFFFFFFFFFFFFFF"),
        ("e4m3", "largest    448  (0x7E)"),
        ("e4m3", "NaN        only 0x7F and 0xFF"),
        ("ue8m0", "no zero"),
        ("e2m1", "largest    6  (0x07)"),
        ("s2f6", "two's complement in units of 2^-6"),
        (".f16x2", "32 bits, 2 times .f16"),
        ("s32", "range      -2147483648 to 2147483647"),
        ("cvt.f16.f32", "one of .rn .rz .rm .rp is needed, and missing here"),
        ("cvt.u8.s32", "table 15: chop1"),
        ("cvt.rn.tf32.f64", "there is no conversion from .f64 to .tf32"),
        ("deviations", "pair-as-word"),
        ("pair-as-word", "add.u32 d, a, b;"),
        ("narrow-address", "PTX1009 narrow-address (warning)"),
        ("narrow-address", "narrow-address (a difference between the document and the assembler)"),
        ("0f3F800000", "`0f3F800000` in its place is 5.263544247e-315: its 32 bits are not converted"),
        ("PTX1011", "`openptx explain deviations` lists them"),
        ("cvt.rna.tf32.f32", "table 15: f2f, float to float\n\nsince:"),
        (".maxntid", "    .maxntid nx{, ny{, nz}}\n\nwhere:  in the header of a kernel\nsince:  PTX 1.3"),
        ("weak", "is an ordinary access, without order"),
        (".weak", "before the declaration of a function"),
        (".managed", ".attribute(.managed)"),
        ("nounroll", '.pragma "nounroll";'),
        (".reg", "`%r<4>` declares %r0 to %r3"),
        ("fence.proxy.async", "  .async        the proxy of asynchronous copies and tensor cores\n\nsince:"),
        ("setp", "{!}c        // PTX 1.0\n        .CmpOp = .eq .ne\n        .type  = .b16 .b32 .b64\n\n"),
        ("setp.eq.f16x2", "p|q, a, b\n\n  p             result, .pred\n  q             result, .pred\n"),
        ("wgmma", ".shape = .m64n8k8 .m64n16k8 ... .m64n256k8\n"),
        ("wgmma", ".m64n24k32 .m64n32k32 .m64n48k32 ... .m64n256k32\n"),
        ("shfl", "shuffle-lane"),
        ("sm_90a", "since:  PTX 8.0"),
        ("%laneid", "the lane of the thread in its warp, 0 to 31\n\ntype:    .u32"),
        ("%pm3_64", "a performance counter"),
        ("WARP_SZ", "32"),
        ("%tid.x", ".x .y .z, and .w which is zero"),
    ],
)
def test_explain(openptx, what, text):
    done = openptx("explain", what)
    assert (done.status, done.err) == (0, "")
    assert text in done.out


@pytest.mark.parametrize("what", ["bogus", "PTX0999", "%tid.q", "%nope", ".bogus", "sm_99", "08", "0f12", "", "-", "."])
def test_explain_of_what_nobody_knows(openptx, what):
    done = openptx("explain", "--", what)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(f"error: `{what}` is not a code")


def test_a_conversion_with_one_rounding_lists_no_others(openptx):
    done = openptx("convert", "--to", "s2f6", "1.3")
    assert "error    -0.0031249523162841796875" in done.out
    assert "by mode" not in done.out


def test_explain_suggests(openptx):
    assert "did you mean `operand-type`?" in openptx("explain", "operand-tipe").err
    assert "did you mean `.maxntid`?" in openptx("explain", ".maxntd").err


def test_isa_lists_sections_and_instructions(openptx):
    done = openptx("isa")
    assert done.status == 0
    assert "9.7.1 integer arithmetic\n  add " in done.out


def test_isa_of_one(openptx):
    done = openptx("isa", "clz")
    assert "clz.type d, a" in done.out
    assert ".type = .b32 .b64" in done.out
    assert "#integer-arithmetic-instructions-clz" in done.out


def test_isa_of_what_there_is_not(openptx):
    done = openptx("isa", "fmaa")
    assert done.status == 2
    assert "did you mean `fma`" in done.err


def test_coverage_adds_up(openptx):
    head, *rows, everything = [line.split() for line in openptx("isa", "--coverage").out.splitlines()]
    assert head[:6] == ["section", "module", "instructions", "forms", "run", "tested"]
    assert everything[0] == "all"
    for column in range(3, len(head)):
        assert sum(int(row[column]) for row in rows) == int(everything[column - 1])
    for row in rows:
        assert int(row[3]) == sum(map(int, row[6:]))
        assert int(row[4]) == int(row[3]) - int(row[-1])
        assert row[5] == row[4]  # everything that can be executed is, by a test that knows the result


def test_demo_draws_and_breaks_and_overruns(openptx):
    done = openptx("demo", "--engine", "interp")
    assert (done.status, done.err) == (0, "")
    assert "No errors" in done.out
    assert "@@@@@@@@" in done.out
    assert "error[PTX0312]" in done.out or "error[PTX0313]" in done.out
    assert "fault[PTX9001]" in done.out


def test_cache(openptx, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENPTX_CACHE", str(tmp_path / "store"))
    assert openptx("cache").out == f"0 kernels, 0.0 MiB of at most 256.0 MiB, in {tmp_path}/store\n"
    (tmp_path / "store" / "ab").mkdir(parents=True)
    (tmp_path / "store" / "ab" / "abc.object").write_bytes(bytes(1 << 20))
    assert openptx("cache", "show").out.startswith("1 kernel, 1.0 MiB of")
    assert openptx("cache", "clear").out == f"removed 1 kernel, 1.0 MiB from {tmp_path}/store\n"
    assert openptx("cache").out.startswith("0 kernels")
    (tmp_path / "store").chmod(0o700)
    (tmp_path / "store" / "clean").write_text(f"{'0' * 40}\n")
    (tmp_path / "store" / "clean").chmod(0o600)
    assert ", 1 checked file without findings, in" in openptx("cache").out
    assert ", 1 checked file without findings from" in openptx("cache", "clear").out
    assert openptx("cache").out == f"0 kernels, 0.0 MiB of at most 256.0 MiB, in {tmp_path}/store\n"
    monkeypatch.setenv("OPENPTX_CACHE", "")
    assert openptx("cache").out == "nothing is cached: OPENPTX_CACHE is empty, or there is no home folder\n"
    monkeypatch.setenv("OPENPTX_CACHE", str(tmp_path / "store"))
    (tmp_path / "store").chmod(0o777)
    done = openptx("cache", "clear")
    assert (done.status, done.out) == (2, "")
    assert "can be written to by other users" in done.err
