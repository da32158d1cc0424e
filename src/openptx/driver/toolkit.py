"""A stand-in for an installed CUDA toolkit, whose `nvcc` makes PTX where a program asks for machine code.

PyCUDA, TVM and TileLang call nvcc when they run, most of them for machine code, and PyTorch's extensions are built with
it. Programs find the toolkit by PATH, CUDA_HOME or CUDA_PATH, and its other files by the path of nvcc. CuPy searches
NVIDIA's packages first, unless the variable NVCC names the command.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from openptx.cache_folder import distrust_reason
from openptx.errors import ArgumentError

KEEP_NVCC = "OPENPTX_KEEP_NVCC"
REAL_NVCC = "OPENPTX_NVCC"
"""In a nested `exec` the search path leads to the outer one's nvcc, and this variable to NVIDIA's."""
HOMES = "CUDA_HOME", "CUDA_PATH"
NVCC = r"""#!/bin/sh
# NVIDIA's nvcc, which makes PTX in place of machine code, and links the CUDA runtime as a shared library.
machine= output= source= runtime=
for one; do
    shift
    case $one in
        -cubin | --cubin) one=--ptx machine=1 ;;
        -o | -o[!p]* | --output-file*) output=1 ;;
        -cudart* | --cudart*) runtime=1 ;;
        *arch=compute_*,code=*) one=${one%%,code=*},code=compute_$(arch=${one#*arch=compute_}; echo "${arch%%,*}") ;;
        *.cu) source=$one ;;
    esac
    set -- "$@" "$one"
done
[ -z "$machine" ] || [ -n "$output" ] || set -- "$@" -o "$(basename "$source" .cu).cubin"
[ -n "$runtime" ] || set -- "$@" -cudart shared "-L$OPENPTX_LIBRARIES"
exec "$OPENPTX_NVCC" "$@"
"""


def wrap_nvcc(environment: dict[str, str], libraries: str, root: Path | None) -> None:
    """Makes a command find the nvcc above, if NVIDIA's is installed; its folder is created below `root`.

    Raises ArgumentError if others than this user can have written that folder.
    """
    real = environment.get(REAL_NVCC) or find_nvcc(environment)
    if real is None or root is None:
        return
    home = Path(real).resolve().parents[1]
    front = root / "toolkits" / hashlib.sha256(f"{home}\n{NVCC}".encode()).hexdigest()[:16]
    if not front.exists():
        make_front(home, front)
    if (reason := distrust_reason(front / "bin", front, front.parent, root)) is not None:
        raise ArgumentError(f"nvcc is not used from the code cache: {reason}; OPENPTX_CACHE names another folder")
    environment[REAL_NVCC] = real
    environment["OPENPTX_LIBRARIES"] = libraries
    environment["PATH"] = os.pathsep.join(filter(None, (str(front / "bin"), environment.get("PATH"))))
    for name in HOMES:
        if name in environment:
            environment[name] = str(front)
    environment.setdefault("NVCC", str(front / "bin" / "nvcc"))


def find_nvcc(environment: Mapping[str, str]) -> str | None:
    """The path of the nvcc that programs find."""
    homes = (os.path.join(environment[name], "bin") for name in HOMES if environment.get(name))
    return shutil.which("nvcc", path=os.pathsep.join((*homes, environment.get("PATH", os.defpath))))


def link_all(folder: Path, place: Path, but: str) -> None:
    """Links the entries of a folder in another one, except the one called `but`."""
    for entry in folder.iterdir():
        if entry.name != but:
            (place / entry.name).symlink_to(entry)


def make_front(home: Path, front: Path) -> None:
    """Creates the folder: links to the entries of the toolkit, and our nvcc. If nvcc is in a system's folder of
    commands, where nothing else belongs to the toolkit, there are no links."""
    front.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    new = front.with_name(f"{front.name}.{os.getpid()}")
    new.mkdir(mode=0o700)
    (new / "bin").mkdir(mode=0o700)
    if (home / "nvvm").is_dir():
        link_all(home, new, "bin")
        link_all(home / "bin", new / "bin", "nvcc")
    (new / "bin" / "nvcc").write_text(NVCC, "ascii")
    (new / "bin" / "nvcc").chmod(0o700)
    try:
        new.rename(front)
    except OSError:  # another process was first
        shutil.rmtree(new)
        if not front.exists():
            raise
