"""Older minor versions of Triton, which `make clients` installs in addition to the newest: our tests with each."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from suites import run_pytest
from tally import Suite

FOLDERS = sorted(Path("build/clients").glob("triton-*")) + [
    Path(one) for one in os.environ.get("OPENPTX_OLDER_TRITONS", "").split(os.pathsep) if one
]
HERE = Path(__file__).parent
FILES = "test_triton_client.py", "test_gluon_client.py"

pytestmark = [
    pytest.mark.sweep,
    pytest.mark.skipif(not FOLDERS, reason="no older Triton is there: make clients installs two"),
]


@pytest.mark.parametrize("folder", FOLDERS, ids=[one.name for one in FOLDERS])
def test_all_pass(
    folder: Path,
    tmp_path: Path,
    tally: Callable[[str], Suite],
    bound: Callable[[float], float],
    say: Callable[[str], None],
) -> None:
    suite = tally(f"our tests of Triton, {folder.name}")
    environment = {
        "PYTHONPATH": os.pathsep.join(filter(None, (str(folder.resolve()), os.environ.get("PYTHONPATH")))),
        "TRITON_CACHE_DIR": str(tmp_path / "cache"),
    }
    options = ["-m", "", "-n", "0", *(str(HERE / file) for file in FILES)]
    found, printed = run_pytest(options, folder=tmp_path, limit=bound(1800), say=say, environment=environment)
    for name, (outcome, why) in found.items():
        suite.count(name, outcome, why)
    assert found, printed[-4000:]
    assert suite.failed == {}, printed[-4000:]
