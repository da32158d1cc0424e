"""NVIDIA's assembler, where it is installed."""

from __future__ import annotations

import re
import subprocess
import sysconfig
from pathlib import Path

PTXAS = Path(sysconfig.get_paths()["purelib"]) / "nvidia" / "cu13" / "bin" / "ptxas"
MISSING = "ptxas of the package nvidia-cuda-nvcc is not installed"
_TARGET = re.compile(r"^\s*\.target\s+sm_(\d+[af]?)", re.M)


def accepted(folder: Path, text: str, target: str) -> bool:
    """Whether it takes a file, without making code of it. `target` is `100a` and the like."""
    file = folder / "k.ptx"
    file.write_text(text)
    command = [str(PTXAS), f"-arch=compute_{target}", str(file), "-o", str(folder / "k.out")]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def target_of(text: str) -> str:
    """What a file is assembled for: the oldest target that the assembler still knows, if its own is older."""
    match = _TARGET.search(text)
    return match[1] if match is not None and int(match[1].rstrip("af")) >= 75 else "75"
