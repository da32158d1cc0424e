"""Fetches what `make clients` runs and pip does not install: python tools/fetch_clients.py build/clients

That is checkouts whose tests no package has, each of the release that is installed. A checkout that an environment
variable names (OPENPTX_TRITON, OPENPTX_TINYGRAD, OPENPTX_CUDA_PYTHON) is used in its place. And it is older releases of
Triton, in folders of their own. What cannot be had is named, and its tests are skipped.
"""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import subprocess
import sys
from pathlib import Path

PROJECTS = {
    "triton": ("OPENPTX_TRITON", "https://github.com/triton-lang/triton", "triton", "v{}"),
    "tinygrad": ("OPENPTX_TINYGRAD", "https://github.com/tinygrad/tinygrad", "tinygrad", "v{}"),
    "cuda-python": ("OPENPTX_CUDA_PYTHON", "https://github.com/NVIDIA/cuda-python", "cuda-core", "cuda-core-v{}"),
}
"""By folder: the variable, the repository, the package that is installed, and the tag of its release."""
OLDER_TRITONS = "3.8", "3.7"
"""The minor versions before the one that is installed."""


def fetch(folder: Path, repository: str, tag: str) -> str:
    """Why there is no checkout, or nothing."""
    if shutil.which("git") is None:
        return "git is not installed"
    command = ["git", "clone", "--quiet", "--depth", "1", "--branch", tag, repository, str(folder)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    except subprocess.TimeoutExpired:
        shutil.rmtree(folder, ignore_errors=True)
        return "it took more than 900 s"
    return (done.stderr.strip().splitlines() or [f"git ended with {done.returncode}"])[-1] if done.returncode else ""


def install(folder: Path, requirement: str) -> str:
    """Why there is no package in the folder, or nothing."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder), requirement]
    done = subprocess.run(command, capture_output=True, text=True)
    return (done.stderr.strip().splitlines() or [f"pip ended with {done.returncode}"])[-1] if done.returncode else ""


def main(root: Path) -> None:
    root.mkdir(parents=True, exist_ok=True)
    for version in OLDER_TRITONS:
        folder = root / f"triton-{version}"
        if not folder.is_dir() and (why := install(folder, f"triton=={version}.*")):
            print(f"Triton {version}: {why}: it is not tested", file=sys.stderr)
    for name, (variable, repository, package, tag) in PROJECTS.items():
        folder = root / name
        if os.environ.get(variable) or folder.is_dir():
            continue
        try:
            version = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            print(f"{name}: its package {package} is not installed: its tests are skipped", file=sys.stderr)
            continue
        why = fetch(folder, repository, tag.format(version))
        if why:
            words = f"{name}: no checkout of {tag.format(version)} ({why}); {variable} may name one"
            print(f"{words}: its tests are skipped", file=sys.stderr)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
