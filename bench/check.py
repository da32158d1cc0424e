"""Statements a second of `openptx check` beside NVIDIA's assembler, which only parses and checks with -arch=compute_XX.

    python bench/check.py [FILE...]

Without files it makes some of three megabytes: what one kind of compiler wrote of the repository's kernels (and of
build/corpus, where tools/make_corpus.py has run), repeated under new names, and plain arithmetic. Best of three runs
each, in processor seconds, in the same minute; a semicolon is a statement.
"""

from __future__ import annotations

import gc
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tracemalloc
from collections.abc import Callable
from pathlib import Path

from families import FAMILIES, arithmetic, family

from openptx.check import check
from openptx.source import File


def assembler() -> str | None:
    """`ptxas` of the package nvidia-cuda-nvcc, or the one on PATH."""
    packaged = Path(sysconfig.get_paths()["purelib"]) / "nvidia" / "cu13" / "bin" / "ptxas"
    return str(packaged) if packaged.exists() else shutil.which("ptxas")


def best(run: Callable[[], object], times: int = 3) -> float:
    """The least processor seconds of several runs, children included: what else the machine does matters less so."""
    seconds: list[float] = []
    for _ in range(times):
        start = os.times()
        run()
        end = os.times()
        seconds.append(sum(end[:4]) - sum(start[:4]))
    return min(seconds)


def measure(name: str, text: str) -> None:
    """One line of the table."""
    found = check(File(name, text))
    statements = text.count(";")
    ours = best(lambda: check(File(name, text)))
    tracemalloc.start()
    check(File(name, text))
    memory = tracemalloc.get_traced_memory()[1] / statements * 100_000 / 1e6
    tracemalloc.stop()
    theirs, ratio = "-", "-"
    program = assembler()
    if program is not None:
        target = re.search(r"\.target\s+sm_(\w+)", text)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "k.ptx"
            path.write_text(text)
            command = [program, f"-arch=compute_{target[1] if target else 80}", str(path), "-o", "/dev/null"]
            if subprocess.run(command, capture_output=True).returncode == 0:
                seconds = best(lambda: subprocess.run(command, capture_output=True))
                theirs, ratio = f"{statements / seconds / 1000:.0f} k/s", f"{seconds / ours:.2f}"
    print(
        f"{name:24} {len(text) / 1e6:6.1f} MB {statements:8} ;  openptx {statements / ours / 1000:5.0f} k/s"
        f"  ptxas {theirs:>8}  ratio {ratio:>5}  {memory:5.1f} MB a 100,000  {len(found)} findings"
    )


def main() -> None:
    """Prints the table."""
    gc.disable()
    if sys.argv[1:]:
        for path in sys.argv[1:]:
            measure(Path(path).name, Path(path).read_text(errors="replace"))
        return
    for name in FAMILIES:
        if text := family(name, 3_000_000):
            measure(name, text)
    measure("plain arithmetic", arithmetic(300_000))


if __name__ == "__main__":
    main()
