"""Finds NVIDIA's compiler NVRTC and its linker nvJitLink, as the program that `openptx exec` starts would find them."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

NVRTC, NVJITLINK = "libnvrtc.so", "libnvJitLink.so"
PACKAGES = {
    NVRTC: ("nvidia/cu{0}/lib", "nvidia/cuda_nvrtc/lib"),
    NVJITLINK: ("nvidia/cu{0}/lib", "nvidia/nvjitlink/lib"),
}
"""Folders of NVIDIA's packages on PyPI."""
TOOLKITS = "CUDA_HOME", "CUDA_PATH", "CONDA_PREFIX"
SYSTEM = (
    "/usr/local/cuda/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64",
)  # fmt: skip


def find_nvidia(library: str, major: int, command: str = "") -> str | None:
    """The path of a library such as `libnvrtc.so.13`, of a major version, for a command; None if there is none."""
    name = f"{library}.{major}"
    found = (folder / name for folder in folders(library, major, command))
    return next((str(file) for file in found if file.is_file()), None)


def folders(library: str, major: int, command: str) -> Iterator[Path]:
    """The folders to search, in order: the environment's, those of Python packages, of toolkits, and the system's."""
    for folder in os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep):
        if folder:
            yield Path(folder)
    for site in packages(command):
        for folder in PACKAGES[library]:
            yield site / folder.format(major)
    for variable in TOOLKITS:
        if (toolkit := os.environ.get(variable)) is not None:
            yield from (Path(toolkit, folder) for folder in ("lib64", "lib"))
    yield from map(Path, SYSTEM)


def packages(command: str) -> Iterator[Path]:
    """The folders of Python packages: those of the command, if it is a Python, and of this one."""
    found = shutil.which(command) if command else None
    prefixes = [Path(found).parent.parent] if found is not None else []
    if (active := os.environ.get("VIRTUAL_ENV")) is not None:
        prefixes.append(Path(active))
    for prefix in prefixes:
        yield from sorted(prefix.glob("lib/python3*/site-packages"), reverse=True)
    yield from map(Path, filter(None, sys.path))
