"""`openptx test --coverage`: lines and branches that the kernels of a test run executed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import openptx
from openptx.cli import main
from openptx.trace.coverage import Coverage

FUNCTIONS = """// run: magnitude(-3) == 3
// run: magnitude(-4) == 4
.func (.reg .s32 d) magnitude (.reg .s32 a) {
    .reg .pred p;
    setp.ge.s32 p, a, 0;
    @p bra up;
    neg.s32 d, a;
    ret;
up: mov.s32 d, a;
    ret;
}
"""


def test_an_annotated_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, output = tmp_path / "magnitude.ptx", tmp_path / "lcov.info"
    path.write_text(FUNCTIONS, "utf-8")
    assert main(["test", str(path), "--coverage", str(output)]) == 0
    assert "lines 4 of 6, branches 1 of 2" in capsys.readouterr().err
    assert output.read_text().splitlines() == [
        "TN:", f"SF:{path}", "FN:3,magnitude", "FNDA:2,magnitude", "FNF:1", "FNH:1",
        "BRDA:6,0,0,0", "BRDA:6,0,1,2", "BRF:2", "BRH:1",
        "DA:5,2", "DA:6,2", "DA:7,2", "DA:8,2", "DA:9,0", "DA:10,0", "LF:6", "LH:4", "end_of_record",
    ]  # fmt: skip


def test_a_source_and_a_table_of_branches() -> None:
    text = """.version 8.0
.target sm_80
.address_size 64
.file 1 "k.cu"
.visible .entry k(.param .u64 x) {
    .reg .b32 i; .reg .pred p;
    .loc 1 10 3
    mov.u32 i, %tid.x;
    list: .branchtargets a, b, c;
    brx.idx i, list;
a:
    .loc 1 11 3
    ret;
b:
    .loc 1 12 3
    ret;
c:
    .loc 1 13 3
    ret;
}
"""
    coverage = Coverage()
    kernel = openptx.load(text)["k"]
    coverage.launch(kernel, 1, 2, (None,))
    coverage.launch(kernel, 1, 1, (None,))
    assert coverage.files["k.cu"].lines == {10: 3, 11: 2, 12: 1, 13: 0}
    assert [*coverage.files["<string>"].branches.values()] == [2, 1, 0]
    assert "SF:k.cu" in coverage.lcov()


def test_a_case_that_faults_is_counted_up_to_the_fault() -> None:
    head = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 x) {\n.reg .b64 p;\n"
    text = head + "ld.param.u64 p, [x];\nst.global.u32 [p+4], 1;\nret;\n}\n"
    coverage = Coverage()
    with pytest.raises(openptx.Fault):
        coverage.launch(openptx.load(text)["k"], 1, 1, (np.zeros(1, np.uint32),))
    assert coverage.files["<string>"].lines == {6: 1, 7: 1, 8: 0}


def test_coverage_is_of_the_reference_engine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "magnitude.ptx"
    path.write_text(FUNCTIONS, "utf-8")
    assert main(["test", str(path), "--coverage", str(tmp_path / "c"), "--engine", "native"]) == 2
    assert "leave out --engine native" in capsys.readouterr().err
    assert main(["test", str(path), "--coverage", str(tmp_path / "no" / "c")]) == 2
