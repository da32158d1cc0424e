"""Finds NVIDIA's driver on this computer."""

from __future__ import annotations

import glob
import os
import shutil
import subprocess
from pathlib import Path

from openptx.driver.recorder.settings import REAL
from openptx.errors import ArgumentError

SONAME = "libcuda.so.1"
FOLDERS = (
    "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib/wsl/lib",
    "/usr/local/nvidia/lib64", "/run/opengl-driver/lib", "/usr/local/cuda/compat",
)  # fmt: skip
"""Folders of distributions, WSL, containers and NixOS; the last one has a driver for newer programs."""


def find_driver(chosen: str | None) -> str:
    """The path of the driver: the one given, or the one in OPENPTX_REAL_LIBCUDA, or the system's.

    Raises ArgumentError if there is none.
    """
    chosen = chosen or os.environ.get(REAL)
    if chosen:
        if not Path(chosen).is_file():
            raise ArgumentError(f"no driver {chosen}: --driver and {REAL} name a {SONAME}")
        return os.path.abspath(chosen)
    for folder in (*os.environ.get("LD_LIBRARY_PATH", "").split(":"), *FOLDERS):
        if folder and (Path(folder) / SONAME).is_file():
            return os.path.join(folder, SONAME)
    found = [*of_the_loader(), *glob.glob(f"/usr/local/cuda*/compat/{SONAME}")]
    if found:
        return found[0]
    raise ArgumentError(f"no {SONAME} of NVIDIA's on this computer: `openptx record` needs a GPU and its driver, "
                        "which --driver names elsewhere; `openptx exec` runs a program without a GPU")  # fmt: skip


def of_the_loader() -> list[str]:
    """The library that the system's loader would load, by its list."""
    command = shutil.which("ldconfig", path=f"{os.environ.get('PATH', '')}:/sbin:/usr/sbin")
    if command is None:
        return []
    done = subprocess.run([command, "-p"], capture_output=True, text=True, errors="replace")
    lines = (line.partition("=>") for line in done.stdout.splitlines() if line.strip().startswith(f"{SONAME} "))
    return [path.strip() for _, _, path in lines if Path(path.strip()).is_file()]
