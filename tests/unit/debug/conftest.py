"""An editor connected to `openptx debug --dap`, and a kernel to debug."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from dap_client import REDUCE, Client


@pytest.fixture
def client() -> Iterator[Client]:
    command = [sys.executable, "-m", "openptx", "debug", "--dap"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        made = Client(process.stdout, process.stdin)  # type: ignore[arg-type]
        yield made
        if not process.stdin.closed:
            process.stdin.close()  # the client is gone, whatever runs
        assert process.wait(60) == 0


@pytest.fixture
def reduce(tmp_path: Path) -> Path:
    path = tmp_path / "reduce.ptx"
    path.write_text(REDUCE, "utf-8")
    return path
