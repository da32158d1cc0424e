"""`libcuda.so.1` as a file: the one of the wheel, or compiled once by the C compiler that is there.

What is compiled lies in the folder of the code cache, and is used under the same rule: nobody but this user can have
written it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from openptx.driver.entry_points import entry_points
from openptx.driver.results import RESULTS
from openptx.engines.native.cache import owned
from openptx.engines.native.cache.store import real_folder
from openptx.errors import ArgumentError

SOURCE = Path(__file__).with_name("library.c")
PACKAGED = Path(__file__).with_name("lib")
SONAME = "libcuda.so.1"
NAMES = (SONAME, "libcuda.so")
"""The second is what `-lcuda` and `ctypes.util.find_library` look for."""
STUBS = ("libnvJitLink.so.12", "libnvJitLink.so.13")
"""Empty libraries that keep programs from linking to machine code (`environment`), in a folder of their own."""
STUB_FOLDER = "without-nvjitlink"
FLAGS = ("-std=gnu11", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-Wl,-z,now")
LIBRARIES = ("-ldl", "-lpthread")
COMPILERS = ("cc", "gcc", "clang")
DRIVER_VERSION = 13000
"""What `cuDriverGetVersion` says, unless OPENPTX_CUDA_VERSION says something else."""


def entries() -> str:
    """`entries.h`: a line for each entry point, each other symbol of it, and each result."""
    lines = list[str]()
    for index, one in enumerate(entry_points()):
        lines.append(f'ENTRY({index}, {one.symbol}, "{one.stem}", {one.since})')
        lines += (f"ALIAS({index}, {alias})" for alias in one.aliases)
    lines += (f'RESULT({number}, "{name}", "{text}")' for number, name, text in RESULTS)
    return "\n".join(lines) + "\n"


def compiler() -> str | None:
    """The C compiler: what CC names, or the first that is found."""
    chosen = os.environ.get("CC")
    return shutil.which(chosen) if chosen else next(filter(None, map(shutil.which, COMPILERS)), None)


def compile_library(folder: Path) -> None:
    """Makes the library in a folder. Raises ArgumentError where that fails, with what the compiler says."""
    found = compiler()
    if found is None:
        chosen = os.environ.get("CC")
        missing = f"no command `{chosen}`, which the environment variable CC names" if chosen else "no C compiler"
        raise ArgumentError(f"libcuda.so.1 is compiled when it is first used, and there is {missing}: install gcc or "
                            "clang, or name one by CC")  # fmt: skip
    (folder / "entries.h").write_text(entries(), "ascii")
    shared_library(found, folder / SONAME, f"-DDRIVER_VERSION={DRIVER_VERSION}", f"-I{folder}", str(SOURCE), *LIBRARIES)
    for name in NAMES[1:]:
        (folder / name).symlink_to(SONAME)
    (folder / STUB_FOLDER).mkdir()
    for name in STUBS:
        shared_library(found, folder / STUB_FOLDER / name, "-x", "c", os.devnull)


def shared_library(compiler: str, target: Path, *arguments: str) -> None:
    """Compiles and links one."""
    command = [compiler, *FLAGS, f"-Wl,-soname,{target.name}", "-o", str(target), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if done.returncode:
        raise ArgumentError(f"{compiler} can not compile {target.name}:\n{done.stderr.strip()}")


def library_folder() -> Path:
    """The folder that holds the library, which is made if need be. Raises ArgumentError where it can not be made."""
    if (PACKAGED / SONAME).exists():
        return PACKAGED
    root = real_folder()
    if root is None:
        raise ArgumentError("libcuda.so.1 has no place: OPENPTX_CACHE is empty; name a folder")
    folder = root / "driver" / digest()
    for one in reversed((folder.parent, *folder.parent.parents)):
        with contextlib.suppress(FileExistsError):
            if not one.exists():
                one.mkdir(mode=0o700)
    if (reason := owned.distrusted(folder, folder.parent, root)) is not None:
        raise ArgumentError(
            f"libcuda.so.1 is not used from the code cache: {reason}; OPENPTX_CACHE names another folder"
        )
    library = folder / SONAME
    if library.exists():
        if (reason := owned.objection(os.lstat(library))) is not None:
            raise ArgumentError(f"{library} is not used: it {reason}")
        return folder
    made = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".new"))
    try:
        compile_library(made)
        with contextlib.suppress(OSError):  # another process was first
            os.rename(made, folder)
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return folder


def digest() -> str:
    """Of what the library is made of."""
    parts = (SOURCE.read_bytes(), entries().encode(), repr((FLAGS, DRIVER_VERSION, os.uname().machine)).encode())
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:32]
