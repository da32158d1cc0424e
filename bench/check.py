"""Statements per second of `openptx check`, compared with NVIDIA's assembler, which only checks (-arch=compute_XX).

    python bench/check.py [FILE...]

Without files it makes some of three megabytes: what one kind of compiler wrote of the repository's kernels (and of
build/corpus, where tools/make_corpus.py has run), repeated under new names, and plain arithmetic. What the corpus has
of a megabyte or more is taken as it is. Best of five runs each by turns, in processor seconds; a semicolon is a
statement.

The first line is about the start: a process that checks one small kernel, twenty times by turns with the others. Python
keeps its modules as bytecode: where PYTHONDONTWRITEBYTECODE is set, run `python -m compileall src` before.
"""

from __future__ import annotations

import gc
import os
import re
import resource
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path

from families import texts

from openptx.check import check
from openptx.source import File


def assembler() -> str | None:
    """`ptxas` of the package nvidia-cuda-nvcc, or the one on PATH."""
    packaged = Path(sysconfig.get_paths()["purelib"]) / "nvidia" / "cu13" / "bin" / "ptxas"
    return str(packaged) if packaged.exists() else shutil.which("ptxas")


def seconds(run: Callable[[], object]) -> float:
    """Processor seconds of one run, children included: what else the machine does matters less so."""

    def spent() -> float:
        usages = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
        return sum(usage.ru_utime + usage.ru_stime for usage in usages)

    start = spent()
    run()
    return spent() - start


def measure(name: str, text: str) -> None:
    """One line of the table."""
    found = check(File(name, text))
    statements = text.count(";")
    ours, theirs = race(name, text)
    tracemalloc.start()
    check(File(name, text))
    memory = tracemalloc.get_traced_memory()[1] / statements * 100_000 / 1e6
    tracemalloc.stop()
    rate = f"{statements / theirs / 1000:.0f} k/s" if theirs else "-"
    ratio = f"{theirs / ours:.2f}" if theirs else "-"
    print(
        f"{name[:36]:36} {len(text) / 1e6:6.1f} MB {statements:8} ;  openptx {statements / ours / 1000:5.0f} k/s"
        f"  ptxas {rate:>8}  ratio {ratio:>5}  {memory:5.1f} MB a 100,000  {len(found)} findings"
    )


def race(name: str, text: str, runs: int = 5) -> tuple[float, float | None]:
    """The least seconds of several runs by turns: of ours, and of the assembler if it is there and takes the file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "k.ptx"
        path.write_text(text)
        target = re.search(r"\.target\s+sm_(\w+)", text)
        command = [assembler() or "", f"-arch=compute_{target[1] if target else 80}", str(path), "-o", "/dev/null"]
        taken = command[0] and subprocess.run(command, capture_output=True).returncode == 0
        ours: list[float] = []
        theirs: list[float] = []
        for _ in range(runs):
            ours.append(seconds(lambda: check(File(name, text))))
            if taken:
                theirs.append(seconds(lambda: subprocess.run(command, capture_output=True)))
    return min(ours), min(theirs, default=None)


SMALL = Path(__file__).with_name("small.ptx")  # tools/trace_files.py follows it
COMMAND = "from openptx.cli import main; raise SystemExit(main())"


def starts() -> None:
    """The line about the start."""
    python = [sys.executable, "-c"]
    with tempfile.TemporaryDirectory() as folder:
        own = [*python, COMMAND, "check", str(SMALL)]
        commands = {"check": [*own, "--no-cache"], "check again": own, "python": [*python, "pass"]}
        if theirs := assembler():
            commands["ptxas"] = [theirs, "-arch=compute_80", str(SMALL), "-o", "/dev/null"]
        environment = {**os.environ, "OPENPTX_CACHE": folder}
        run = partial(subprocess.run, env=environment, capture_output=True, check=True)
        least = dict.fromkeys(commands, float("inf"))
        for _ in range(20):
            for name, command in commands.items():
                least[name] = min(least[name], seconds(partial(run, command)))
    ratio = f"  ratio {least['ptxas'] / least['check']:.2f}" if "ptxas" in least else ""
    print("start:  " + "  ".join(f"{name} {spent * 1000:.1f} ms" for name, spent in least.items()) + ratio)


def main() -> None:
    """Prints the table."""
    gc.disable()
    if sys.argv[1:]:
        for path in sys.argv[1:]:
            measure(Path(path).name, Path(path).read_text(errors="replace"))
        return
    starts()
    for name, text in texts():
        measure(name, text)


if __name__ == "__main__":
    main()
