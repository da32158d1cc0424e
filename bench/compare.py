"""Time of `check` in this checkout and in another one, by turns: python bench/compare.py OTHER [FAMILY...]

Prints for each family (all of bench/check.py, if none is named) the least processor seconds of 9 runs each, and their
ratio: above 1, this checkout is slower. Each checkout runs in a process of its own.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from families import ROOT, texts

TURNS = 9
_WORKER = """
import gc, sys, time
from openptx.check import check
from openptx.source import File
gc.disable()
for line in sys.stdin:
    text = open(line.strip()).read()
    start = time.process_time()
    check(File("k.ptx", text))
    print(time.process_time() - start, flush=True)
"""


def worker(checkout: Path) -> subprocess.Popen[str]:
    """A process that checks files by their names, and answers with seconds."""
    environment = {**os.environ, "PYTHONPATH": str(checkout.resolve() / "src")}
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, "-c", _WORKER], stdin=pipe, stdout=pipe, text=True, env=environment)


def seconds(process: subprocess.Popen[str], path: Path) -> float:
    """Of one run."""
    assert process.stdin is not None
    assert process.stdout is not None
    print(path, file=process.stdin, flush=True)
    return float(process.stdout.readline())


def main() -> None:
    """Prints the ratios."""
    ours, theirs = workers = worker(ROOT), worker(Path(sys.argv[1]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "k.ptx"
        for name, text in texts(sys.argv[2:]):
            path.write_text(text)
            turns = [(seconds(ours, path), seconds(theirs, path)) for _ in range(TURNS)]
            new, old = map(min, zip(*turns, strict=True))
            print(f"{name[:36]:36} {new:8.3f} s {old:8.3f} s   {new / old:5.3f}", flush=True)
    for process in workers:
        process.communicate()


if __name__ == "__main__":
    main()
