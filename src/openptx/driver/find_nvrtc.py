"""Finds NVIDIA's compiler NVRTC, as the program that `openptx exec` starts would find it."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

PACKAGES = "nvidia/cu{0}/lib", "nvidia/cuda_nvrtc/lib"
"""Folders of NVIDIA's packages on PyPI."""
TOOLKITS = "CUDA_HOME", "CUDA_PATH", "CONDA_PREFIX"
SYSTEM = (
    "/usr/local/cuda/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64",
)  # fmt: skip


def find_nvrtc(major: int, command: str = "") -> str | None:
    """The path of `libnvrtc.so.MAJOR` for a command; None where there is none."""
    name = f"libnvrtc.so.{major}"
    return next((str(folder / name) for folder in folders(major, command) if (folder / name).is_file()), None)


def folders(major: int, command: str) -> Iterator[Path]:
    for one in os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep):
        if one:
            yield Path(one)
    for site in packages(command):
        for one in PACKAGES:
            yield site / one.format(major)
    for variable in TOOLKITS:
        if (toolkit := os.environ.get(variable)) is not None:
            yield from (Path(toolkit, one) for one in ("lib64", "lib"))
    yield from map(Path, SYSTEM)


def packages(command: str) -> Iterator[Path]:
    """Where packages of Python lie: those of the command, if it is a Python, and of this one."""
    found = shutil.which(command) if command else None
    prefixes = [Path(found).parent.parent] if found is not None else []
    if (active := os.environ.get("VIRTUAL_ENV")) is not None:
        prefixes.append(Path(active))
    for prefix in prefixes:
        yield from sorted(prefix.glob("lib/python3*/site-packages"), reverse=True)
    yield from map(Path, filter(None, sys.path))
