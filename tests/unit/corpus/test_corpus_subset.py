"""The committed part of the corpus is small, complete, and matches its manifest."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "corpus"
ROWS = json.loads((FOLDER / "manifest.json").read_text())


def test_the_manifest_names_every_file_and_its_contents() -> None:
    assert {row["file"] for row in ROWS} == {path.name for path in (FOLDER / "ptx").glob("*.ptx")}
    for row in ROWS:
        raw = (FOLDER / "ptx" / row["file"]).read_bytes()
        assert hashlib.sha256(raw).hexdigest() == row["sha256"], row["file"]


def test_the_assembler_took_every_file() -> None:
    assert [row["file"] for row in ROWS if row["ptxas"] != 0] == []


def test_every_compiler_and_generation_is_there() -> None:
    assert {row["compiler"] for row in ROWS} == {"nvrtc", "nvcc", "triton", "llvm", "numba", "gcc"}
    assert {row["target"].rstrip("a")[:5] for row in ROWS} >= {"sm_60", "sm_75", "sm_80", "sm_90", "sm_10", "sm_12"}


def test_it_stays_small() -> None:
    assert sum(path.stat().st_size for path in FOLDER.glob("ptx/*")) < 2_000_000
