"""Statements a second of `openptx check` beside NVIDIA's assembler, which only parses and checks with -arch=compute_XX.

    python bench/check.py [FILE...]

Without files it makes two of several megabytes: a real compiler's kernels of the repository, repeated under new
names, and plain arithmetic. Best of three runs each, in processor seconds, in the same minute; a semicolon is a
statement.
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

from openptx.check import check
from openptx.source import File

ROOT = Path(__file__).parents[1]


def assembler() -> str | None:
    """`ptxas` of the package nvidia-cuda-nvcc, or the one on PATH."""
    packaged = Path(sysconfig.get_paths()["purelib"]) / "nvidia" / "cu13" / "bin" / "ptxas"
    return str(packaged) if packaged.exists() else shutil.which("ptxas")


def repeated(sources: list[Path], size: int) -> str:
    """The functions of several files, again and again under new names, until the text is so large."""
    texts = [path.read_text() for path in sources]
    target = "sm_80"
    parts = [f".version 9.0\n.target {target}\n.address_size 64\n"]
    length, turn = 0, 0
    while length < size:
        for number, text in enumerate(texts):
            body = re.sub(r"(?m)^\s*\.(?:version|target|address_size|file|loc)\b.*$", "", text)
            body = re.sub(r"(?s)\.section\b.*?\n\t?\}", "", body)
            names = set(re.findall(r"\.(?:entry|func)\s*(?:\([^)]*\))?\s*([\w$]+)", body))
            names |= set(
                re.findall(
                    r"(?m)^(?:\.(?:visible|extern|weak|common)\s+)?\.(?:global|const|shared)\b[^;=]*?([\w$]+)(?:\[\d*\])?\s*[;=]",
                    body,
                )
            )
            if names:
                pattern = re.compile(r"(?<![\w$])(" + "|".join(map(re.escape, names)) + r")(?![\w$])")
                body = pattern.sub(rf"\1_{turn}_{number}", body)
            parts.append(body)
            length += len(body)
        turn += 1
    return "".join(parts)


def arithmetic(instructions: int) -> str:
    """One kernel of so many instructions."""
    lines = [
        ".version 8.5\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{",
        ".reg .b32 %r<3990>;\n.reg .f32 %f<3990>;\n.reg .b64 %rd<3990>;",
    ]
    lines += (f"\tmov.b32 \t%r{i}, {i};\n\tmov.b32 \t%f{i}, {i};\n\tmov.b64 \t%rd{i}, {8 * i};" for i in range(3990))
    for i in range((instructions - 3 * 3990) // 5):
        a, b, c = i % 3990, (i * 7) % 3990, (i * 13) % 3990
        lines += (
            f"\tadd.s32 \t%r{a}, %r{b}, {i % 97};",
            f"\tfma.rn.f32 \t%f{a}, %f{b}, %f{c}, %f{a};",
            f"\tmul.wide.s32 \t%rd{a}, %r{b}, 4;",
            f"\tld.global.f32 \t%f{c}, [%rd{a}+{4 * (i % 64)}];",
            f"\tst.global.u32 \t[%rd{b}], %r{c};",
        )
    return "\n".join((*lines, "\tret;\n}\n"))


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
    kernels = sorted((ROOT / "tests" / "kernels").glob("*_sm80/kernel.ptx"))
    measure("compiled kernels", repeated(kernels, 6_000_000))
    measure("300,000 instructions", arithmetic(300_000))


if __name__ == "__main__":
    main()
