"""Findings are the same in each process: they don't depend on the order in which Python iterates sets of strings."""

from __future__ import annotations

import os
import subprocess
import sys

SCRIPT = """
from openptx.check import check
from openptx.isa.notation import load
from openptx.source import File

body = "".join(
    f"{name}.{modifier} %r1, %r2, %r3;\\n" for name in sorted(load()) for modifier in ("u8", "e4m3", "rx", "m8n8k9")
)
text = ".version 9.0\\n.target sm_100a\\n.visible .entry k() {\\n.reg .b32 %r<4>;\\n" + body + "ret;\\n}\\n"
for found in check(File("k.ptx", text)):
    print(found, found.label, found.expected, found.help, found.fix, found.rule)
"""


def findings(seed: int) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
    return subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
    ).stdout


def test_findings_do_not_depend_on_the_hash_seed() -> None:
    first = findings(1)
    assert first.count("\n") > 100
    assert first == findings(2)
