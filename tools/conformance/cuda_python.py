"""NVIDIA/cuda-python: the examples of cuda.core and of cuda.bindings, under `openptx exec`.

Needs `make .venv/.ready-clients`. CuPy is what is installed, or else the stand-in beside this file.
CONFORMANCE_EXAMPLES chooses by a pattern.
"""

from __future__ import annotations

import fnmatch
import importlib.util
import os
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path

from conformance.outcome import Outcome

TOOLKIT = Path(sysconfig.get_paths()["purelib"]) / "nvidia" / "cu13"
STAND_INS = Path(__file__).with_name("stand_ins")
PARTS = {"cuda_core/examples": "core", "cuda_bindings/examples": "bindings"}
START = (
    "import runpy, sys; import cuda.bindings as b; b.__path__.append(sys.argv.pop(1)); sys.argv = sys.argv[1:]; "
    "runpy.run_path(sys.argv[0], run_name='__main__')"
)
"""Runs an example with what the checkout has and the package lacks: `cuda.bindings._example_helpers`."""
LIMIT = 600
"""Seconds for an example."""


def run(checkout: Path) -> Iterator[Outcome]:
    pattern = os.environ.get("CONFORMANCE_EXAMPLES", "*")
    for part in PARTS.values():
        for name, file in examples(checkout, part).items():
            if fnmatch.fnmatch(name, pattern):
                yield attempt(name, file, checkout)


def examples(checkout: Path, part: str) -> dict[str, Path]:
    """The files of a part, by the names of their cases."""
    (folder,) = (folder for folder, name in PARTS.items() if name == part)
    files = (file for file in sorted((checkout / folder).rglob("*.py")) if file.parent.name != "common")
    return {f"{part}-{file.stem}": file for file in files if not file.stem.endswith("_test")}


def attempt(name: str, file: Path, checkout: Path) -> Outcome:
    """One example: it exits with 0, or with what is left of its words."""
    added = [] if importlib.util.find_spec("cupy") else [str(STAND_INS)]
    environment = {
        **os.environ,
        "CUDA_HOME": str(TOOLKIT),
        "CUDA_PATH": str(TOOLKIT),
        "PYTHONPATH": os.pathsep.join((*added, *filter(None, (os.environ.get("PYTHONPATH"),)))),
    }
    program = [sys.executable, "-c", START, str(checkout / "cuda_bindings" / "cuda" / "bindings"), str(file)]
    command = [sys.executable, "-m", "openptx", "exec", "--device", "sm_90", "--", *program]
    try:
        done = subprocess.run(
            command, cwd=tempfile.gettempdir(), env=environment, capture_output=True, text=True, timeout=LIMIT
        )
    except subprocess.TimeoutExpired:
        return Outcome(name, "disagreed", f"it did not end in {LIMIT} s")
    words = [line for line in f"{done.stdout}\n{done.stderr}".strip().split("\n") if line.strip()]
    last = words[-1].strip()[:200] if words else ""
    if done.returncode == 0:
        return Outcome(name, "agreed")
    return Outcome(name, "disagreed", last)
