"""`openptx replay`: what it prints, its exit status, folders, archives; recordings as launches of other commands."""

from __future__ import annotations

import json
import struct
import tarfile
from pathlib import Path

import numpy as np
import pytest
from launches import HEAD, SCALE, changed, number, scaled, summed

import openptx
from openptx.cli import main


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two launches that are equal, one that differs, one whose sum differs."""
    for name in ("a/one.launch", "a/two.launch", "b/differs.launch"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        recording, _ = scaled(tmp_path / name)
    changed(tmp_path / "b/differs.launch", number(recording, 160), 8, struct.pack("<f", 9.0))
    found = summed(tmp_path / "b/sum.launch")
    after = found.regions[out := number_of_sum(found)].after
    changed(tmp_path / "b/sum.launch", out, 0, bytes([after[0] ^ 1]))
    return tmp_path


def number_of_sum(recording: openptx.Recording) -> int:
    return next(i for i, r in enumerate(recording.regions) if r.size == 4)


def test_one_launch(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(folder / "a/one.launch")]) == 0
    assert "`scale`: all 328 bytes are the GPU's" in capsys.readouterr().out
    assert main(["replay", str(folder / "b/differs.launch")]) == 1
    out = capsys.readouterr().out
    assert "1 of 328 bytes" in out or "2 of 328 bytes" in out or "3 of 328 bytes" in out
    assert "element 2 as .f32" in out
    assert "written by block (0, 0, 0), thread (2, 0, 0)" in out
    assert main(["replay", str(folder / "b/sum.launch")]) == 0
    assert "depends on the order of atomics" in capsys.readouterr().out


def test_a_folder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(folder)]) == 1
    out = capsys.readouterr().out
    assert "first difference" not in out
    assert out.splitlines()[-4:] == [
        "     launches  equal  order of atomics  differs",
        "a           2      2                 0        0",
        "b           2      0                 1        1",
        "all         4      2                 1        1",
    ]
    assert main(["replay", str(folder), "--compare", "--engine", "native"]) == 1
    assert capsys.readouterr().out.count("first difference") == 2


def test_an_archive_and_other_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    archive = folder / "a.tar.xz"
    with tarfile.open(archive, "w:xz") as stream:
        stream.add(folder / "a", "a")
    (folder / "README.md").write_text("no recording")
    assert main(["replay", str(archive), str(folder / "README.md")]) == 0
    done = capsys.readouterr()
    assert done.out.splitlines()[-1].split() == ["a", "2", "2"]
    assert "README.md: skipped: it is neither a recording" in done.err
    assert main(["replay", str(folder)]) == 1
    assert capsys.readouterr().out.splitlines()[-1].split() == ["all", "6", "4", "1", "1"]
    archive.write_bytes(archive.read_bytes()[:200])
    assert main(["replay", str(archive)]) == 2
    assert "the archive cannot be unpacked" in capsys.readouterr().err
    assert main(["replay", str(folder / "README.md")]) == 2
    assert "no recording in" in capsys.readouterr().err


def test_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(folder), "--output-format", "json"]) == 1
    found = {Path(one["name"]).name: one for one in json.loads(capsys.readouterr().out)}
    assert {name: one["status"] for name, one in found.items()} == {
        "one.launch": "equal", "two.launch": "equal", "differs.launch": "differs", "sum.launch": "order of atomics",
    }  # fmt: skip
    first = found["differs.launch"]["first"]
    assert (first["element"], first["type"], first["writer"]["thread"]) == (2, "f32", [2, 0, 0])
    assert first["writer"]["origins"][-1]["text"] == "st.global.b32 [q], v"


def test_files_that_cannot_be_read(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(folder / "none.launch")]) == 2
    assert capsys.readouterr().out.endswith("none.launch: unreadable: No such file or directory\n")
    (folder / "a/two.launch").write_bytes((folder / "a/two.launch").read_bytes()[:-1])
    assert main(["replay", str(folder / "a")]) == 2
    out = capsys.readouterr().out
    assert "is cut short" in out
    assert out.splitlines()[-1].split() == ["a", "2", "1", "1"]
    assert main(["replay", str(folder / "a"), "--ptx", str(folder / "none.ptx")]) == 2
    assert "none.ptx: No such file" in capsys.readouterr().err


def test_a_module_with_errors_and_a_fault_are_shown_in_full(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = folder / "other.ptx"
    other.write_text(SCALE.replace("mul.rn.f32 f, f, g;", "mul.rn.f32 f, f, p;"))
    one = str(folder / "a/one.launch")
    assert main(["replay", one, "--ptx", str(other)]) == 2
    assert "error[PTX03" in capsys.readouterr().out
    other.write_text(SCALE.replace("setp.ge.u32 c, i, k;", "setp.ge.u32 c, i, 64;"))
    assert main(["replay", one, "--ptx", str(other)]) == 1
    out = capsys.readouterr().out
    assert "allocation" in out
    assert "on the GPU), 160 bytes" in out
    other.write_text(SCALE.replace("mul.rn.f32 f, f, g;", "mul.rz.f32 f, f, g;"))
    assert main(["replay", one, "--ptx", str(other)]) == 0


def test_the_sanitizer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (
        HEAD
        + """.visible .entry racy(.param .u64 out) {
        .reg .b64 p; .reg .b32 i;
        ld.param.u64 p, [out];
        mov.u32 i, %tid.x;
        st.global.u32 [p], i;
        ret;
    }"""
    )
    file = str(tmp_path / "racy.launch")
    openptx.record(openptx.load(text)["racy"], 1, 64, (np.zeros(1, np.uint32),), file=file)
    assert main(["replay", file]) == 0
    assert main(["replay", file, "--sanitize", "race"]) == 1
    assert "race" in capsys.readouterr().out
    assert main(["sanitize", file, "--tool", "race"]) == 1


def test_other_commands_take_a_recording(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = str(folder / "a/one.launch")
    script = folder / "script.txt"
    script.write_text("break 24\ncontinue\nprint f\nquit\n")
    assert main(["debug", one, "-x", str(script)]) == 0
    assert "f = " in capsys.readouterr().out
    assert main(["profile", one, "--output-format", "json"]) == 0
    capsys.readouterr()
    assert main(["sanitize", one, "--grid", "2"]) == 2
    assert "is a recording, which has its own launch" in capsys.readouterr().err
