"""A folder in front of an installed CUDA toolkit, whose `nvcc` makes PTX where a program asks for machine code.

PyCUDA, TVM and TileLang call nvcc when they run, most of them for machine code, and PyTorch's extensions are built so.
Programs find the toolkit by PATH, CUDA_HOME or CUDA_PATH; what is beside nvcc they find from there.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from openptx.engines.native.cache import owned
from openptx.errors import ArgumentError

KEEP_NVCC = "OPENPTX_KEEP_NVCC"
REAL_NVCC = "OPENPTX_NVCC"
"""Within another `exec` the path leads to that one's nvcc, and the variable to NVIDIA's."""
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


def put_before_nvcc(environment: dict[str, str], libraries: str, root: Path | None) -> None:
    """Makes a command find the nvcc above, if there is one of NVIDIA's; the folder for it is created below `root`.

    Raises ArgumentError if others than this user can have written that folder.
    """
    real = environment.get(REAL_NVCC) or find_nvcc(environment)
    if real is None or root is None:
        return
    home = Path(real).resolve().parents[1]
    front = root / "toolkits" / hashlib.sha256(f"{home}\n{NVCC}".encode()).hexdigest()[:16]
    if not front.exists():
        make_front(home, front)
    if (reason := owned.distrusted(front / "bin", front, front.parent, root)) is not None:
        raise ArgumentError(f"nvcc is not used from the code cache: {reason}; OPENPTX_CACHE names another folder")
    environment[REAL_NVCC] = real
    environment["OPENPTX_LIBRARIES"] = libraries
    environment["PATH"] = os.pathsep.join(filter(None, (str(front / "bin"), environment.get("PATH"))))
    for name in HOMES:
        if name in environment:
            environment[name] = str(front)


def find_nvcc(environment: Mapping[str, str]) -> str | None:
    """The path of the nvcc that programs find."""
    homes = (os.path.join(environment[one], "bin") for one in HOMES if environment.get(one))
    return shutil.which("nvcc", path=os.pathsep.join((*homes, environment.get("PATH", os.defpath))))


def link_all(folder: Path, place: Path, but: str) -> None:
    """Links what a folder has in another place, but for one name."""
    for one in folder.iterdir():
        if one.name != but:
            (place / one.name).symlink_to(one)


def make_front(home: Path, front: Path) -> None:
    """Writes the folder: links to what the toolkit has, but for nvcc itself. A system's folder of commands, where
    nothing else belongs to the toolkit, is not linked."""
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
