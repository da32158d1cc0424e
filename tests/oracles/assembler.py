"""Runs NVIDIA's assembler, if it is installed."""

from __future__ import annotations

import re
import subprocess
import sysconfig
from pathlib import Path

PTXAS = Path(sysconfig.get_paths()["purelib"]) / "nvidia" / "cu13" / "bin" / "ptxas"
MISSING = "ptxas of the package nvidia-cuda-nvcc is not installed"
_ERROR = re.compile(r"^ptxas (?:\S+, )?line (\d+); (error|fatal)", re.M)
_TARGET = re.compile(r"^\s*\.target\s+sm_(\d+[af]?)", re.M)


def accepted(folder: Path, text: str, target: str) -> bool:
    """Whether it accepts a file, without generating code. `target` is a suffix such as `100a`."""
    file = folder / "k.ptx"
    file.write_text(text)
    command = [str(PTXAS), f"-arch=compute_{target}", str(file), "-o", str(folder / "k.out")]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def refused_lines(folder: Path, text: str, target: str) -> set[int]:
    """The lines that it finds errors in. A syntax error ends its reading: that line is left out the next time."""
    lines = text.split("\n")
    fatal: set[int] = set()
    while True:
        file = folder / "k.ptx"
        file.write_text("\n".join(lines))
        command = [str(PTXAS), f"-arch=compute_{target}", str(file), "-o", str(folder / "k.out")]
        done = subprocess.run(command, capture_output=True, check=False, text=True)
        found = [(int(match[1]), match[2]) for match in _ERROR.finditer(done.stdout + done.stderr)]
        assert found or not done.returncode, done.stderr
        stopped = {line for line, severity in found if severity == "fatal"}
        if not stopped:
            return fatal | {line for line, _ in found}
        fatal |= stopped
        for line in stopped:
            lines[line - 1] = ""


def target_of(text: str) -> str:
    """What a file is assembled for: the oldest target that the assembler still knows, if its own is older; sm_110 for
    sm_101, which is its earlier name."""
    match = _TARGET.search(text)
    return match[1].replace("101", "110") if match is not None and int(match[1].rstrip("af")) >= 75 else "75"
