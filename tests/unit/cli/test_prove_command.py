"""`openptx prove`: what it prints, and its exit status."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

pytest.importorskip("z3", reason="proofs need z3-solver")

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
KERNEL = """
.visible .entry k(.param .u64 x)
{
    .reg .b32 a, d; .reg .b64 px;
    ld.param.u64 px, [x];
    ld.global.u32 a, [px];
    BODY
    st.global.u32 [px], d;
    ret;
}
"""


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        ("mov.u32 d, a;", 0, "equal for all inputs"),
        ("not.b32 d, a;", 1, "different"),
        ("bar.sync 0; mov.u32 d, a;", 2, "unknown (barrier)"),
    ],
)
def test_command(openptx, tmp_path: Path, body: str, status: int, said: str) -> None:
    paths = [tmp_path / "a.ptx", tmp_path / "b.ptx"]
    for path, text in zip(paths, ("add.u32 d, a, 0;", body), strict=True):
        path.write_text(HEAD + KERNEL.replace("BODY", text))
    done = openptx("prove", *map(str, paths))
    assert done.status == status, done.err
    assert said in done.out
    listed = json.loads(openptx("prove", *map(str, paths), "--output-format", "json").out)
    assert [each["verdict"] for each in listed] == [said.split()[0]]


def test_command_wants_kernels_of_both_files(openptx, tmp_path: Path) -> None:
    one, two = tmp_path / "a.ptx", tmp_path / "b.ptx"
    one.write_text(HEAD + ".visible .entry p() { ret; }\n.visible .entry q() { ret; }")
    two.write_text(HEAD + ".visible .entry p() { ret; }")
    done = openptx("prove", str(one), str(two))
    assert done.status == 2
    assert "no kernel `q`" in done.err
    assert openptx("prove", str(one), str(two), "--kernel", "p").status == 0


def test_a_file_with_errors_is_no_difference(openptx, tmp_path: Path) -> None:
    path = tmp_path / "a.ptx"
    path.write_text(HEAD + ".visible .entry p() { rat; }")
    done = openptx("prove", str(path), str(path))
    assert done.status == 2
    assert "PTX0302" in done.err


def test_command_without_z3_says_what_to_install(openptx, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.ptx"
    path.write_text(HEAD + ".visible .entry p() { ret; }")
    monkeypatch.setitem(sys.modules, "z3", None)
    for name in [name for name in sys.modules if name.startswith("openptx.prove.")]:
        monkeypatch.delitem(sys.modules, name)
    done = openptx("prove", str(path), str(path))
    assert done.status == 2
    assert "pip install 'openptx[prove]'" in done.err
