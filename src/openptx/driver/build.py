"""The shared libraries that programs load: those of the wheel, or compiled once by the installed C compiler.

Compiled libraries are stored in the folder of the code cache, and used under the same rule: only this user can have
written them.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from openptx.cache_folder import distrust_reason, ownership_problem
from openptx.driver.entry_points import entry_points
from openptx.driver.results import Result
from openptx.engines.native.cache.store import real_folder
from openptx.errors import ArgumentError

PACKAGED = Path(__file__).with_name("lib")
FLAGS = ("-std=gnu11", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-Wl,-z,now", "-Wl,-Bsymbolic")
COMPILERS = ("cc", "gcc", "clang")
DRIVER_VERSION = 13000
"""The result of `cuDriverGetVersion`, unless OPENPTX_CUDA_VERSION overrides it."""


@dataclass(frozen=True, slots=True)
class SharedLibrary:
    """One library: its name, the compiler's input, and its path in the common folder."""

    soname: str
    sources: tuple[Path, ...]
    flags: tuple[str, ...] = ()
    linked: tuple[str, ...] = ("-ldl", "-lpthread")
    also: tuple[str, ...] = ()
    """Other names of the file."""
    folder: str = "."


DRIVER = SharedLibrary(
    "libcuda.so.1",
    tuple(sorted(Path(__file__).with_name("libcuda").glob("*.c"))),
    (f"-DDRIVER_VERSION={DRIVER_VERSION}",),
    also=("libcuda.so",),  # what `-lcuda`, `ctypes.util.find_library` and some programs' dlopen search for
)
RUNTIMES = tuple(
    SharedLibrary(
        f"libcudart.so.{major}",
        tuple(sorted(Path(__file__).with_name("cudart").glob("*.c"))),
        (f"-DOPENPTX_CUDART={major}", f"-Wl,--version-script=libcudart.so.{major}.map"),
        also=("libcudart.so",) if major == 13 else (),
    )
    for major in (12, 13)
)
RECORDER_FOLDER = "recorder"
RECORDER = SharedLibrary(
    "libcuda.so.1", DRIVER.sources, (*DRIVER.flags, "-DOPENPTX_RECORDER=1"), also=DRIVER.also, folder=RECORDER_FOLDER
)
"""The library of `openptx record`: a wrapper of another driver."""
NVJITLINKS, NO_NVJITLINKS = (
    {
        major: SharedLibrary(
            f"libnvJitLink.so.{major}",
            tuple(sorted(Path(__file__).with_name("nvjitlink").glob("*.c"))),
            (
                f"-DOPENPTX_NVJITLINK={major}",
                f"-DOPENPTX_HIDDEN={hidden}",
                f"-Wl,--version-script=libnvJitLink.so.{major}.map",
            ),
            folder=folder,
        )
        for major in (13, 12)
    }
    for hidden, folder in enumerate(("nvjitlink", "no-nvjitlink"))
)
"""Wrappers of NVIDIA's linker, which link LTO IR to PTX; and stand-ins where none is installed, for libraries that need
one."""
NVRTCS = {
    major: SharedLibrary(
        f"libnvrtc.so.{major}",
        (Path(__file__).with_name("nvrtc") / "nvrtc.c",),
        (f"-DOPENPTX_NVRTC={major}", f"-Wl,--version-script=libnvrtc.so.{major}.map"),
        also=("libnvrtc.so",),
        folder=f"nvrtc-{major}",
    )
    for major in (12, 13)
}
"""Wrappers of NVIDIA's compiler, which return PTX in place of machine code. Each has a folder of its own, so that
programs find only those whose compiler is installed."""
NVML = SharedLibrary(
    "libnvidia-ml.so.1", (Path(__file__).with_name("nvml") / "nvml.c",), also=("libnvidia-ml.so",), folder="nvml"
)
"""NVIDIA's management library, as far as counting devices. `openptx record` keeps the real one."""
LIBRARIES = (
    DRIVER, NVML, RECORDER, *RUNTIMES, *NVJITLINKS.values(), *NO_NVJITLINKS.values(), *NVRTCS.values(),
)  # fmt: skip


def entries() -> str:
    """`entries.h`: a line for each entry point, each other symbol of it, and each result."""
    found = list(enumerate(entry_points()))
    lines = [f'ENTRY({index}, {entry.symbol}, "{entry.stem}", {entry.since})' for index, entry in found]
    others = [(index, alias) for index, entry in found for alias in entry.aliases]
    lines += (f"ALIAS({slot}, {index}, {alias})" for slot, (index, alias) in enumerate(others, len(found)))
    lines += (f'RESULT({result.value}, "{result.full_name}", "{result.text}")' for result in Result)
    return "\n".join(lines) + "\n"


def generated() -> dict[str, str]:
    """The files that are generated for the compiler, by name."""
    # Programs linked with NVIDIA's library need symbols of this version.
    prefixes = ((RUNTIMES, "cuda"), (NVRTCS.values(), "nvrtc"), (NVJITLINKS.values(), "nvJitLink"))
    maps = {
        f"{library.soname}.map": f"{library.soname} {{ global: {prefix}*; __{prefix}*; local: *; }};\n"
        for libraries, prefix in prefixes
        for library in libraries
    }
    return {"entries.h": entries(), **maps}


def compiler() -> str | None:
    """The C compiler: the command in CC, or the first that is found."""
    chosen = os.environ.get("CC")
    return shutil.which(chosen) if chosen else next(filter(None, map(shutil.which, COMPILERS)), None)


def compile_libraries(folder: Path, command: Sequence[str] = (), *, links: bool = True) -> None:
    """Compiles the libraries in a folder, with the installed C compiler or with `command`.

    Their other names are links, or, without `links`, separate libraries (`compile_name`). Raises ArgumentError with the
    compiler's message if it fails.
    """
    found = compiler()
    if not command and found is None:
        chosen = os.environ.get("CC")
        missing = f"no command `{chosen}`, which the environment variable CC names" if chosen else "no C compiler"
        raise ArgumentError(f"libcuda.so.1 is compiled when it is first used, and there is {missing}: install gcc or "
                            "clang, or name one by CC")  # fmt: skip
    for name, text in generated().items():
        (folder / name).write_text(text, "ascii")
    for name in {library.folder for library in LIBRARIES} - {"."}:
        (folder / name).mkdir()
    with ThreadPoolExecutor() as pool:
        list(pool.map(functools.partial(compile_library, command or (str(found),), folder, links=links), LIBRARIES))


def compile_library(compiler: Sequence[str], folder: Path, library: SharedLibrary, *, links: bool) -> None:
    """Compiles and links a library, and creates its other names."""
    sources = map(str, library.sources)
    call(compiler, folder, library.folder, library.soname, ("-I.", *library.flags, *sources, *library.linked))
    for name in library.also:
        if links:
            (folder / library.folder / name).symlink_to(library.soname)
        else:
            compile_name(compiler, folder, library, name)


def compile_name(compiler: Sequence[str], folder: Path, library: SharedLibrary, name: str) -> None:
    """Compiles an empty library that depends on the one it is another name of, for archives that cannot contain links.

    A program that opens it gets the other's functions, which exist once in the process: a copy would be loaded in
    addition.
    """
    needed = ("-Wl,--no-as-needed", "-Wl,-rpath,$ORIGIN", str(Path(library.folder, library.soname)))
    call(compiler, folder, library.folder, name, ("-x", "c", os.devnull, "-x", "none", *needed))


def call(compiler: Sequence[str], folder: Path, subfolder: str, soname: str, options: Sequence[str]) -> None:
    """Calls the compiler for one library. Raises ArgumentError with the compiler's messages if it fails."""
    target = str(Path(subfolder, soname))
    command = [*compiler, *FLAGS, f"-Wl,-soname,{soname}", "-o", target, *options]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", cwd=folder)
    if done.returncode:
        raise ArgumentError(f"{' '.join(compiler)} cannot compile {soname}:\n{done.stderr.strip()}")


def library_folder() -> Path:
    """The folder of the libraries, created if necessary. Raises ArgumentError if that is impossible."""
    if (PACKAGED / DRIVER.soname).exists():
        return PACKAGED
    root = real_folder()
    if root is None:
        raise ArgumentError("libcuda.so.1 cannot be stored: OPENPTX_CACHE is empty; set it to a folder")
    folder = root / "driver" / digest()
    for parent in reversed((folder.parent, *folder.parent.parents)):
        with contextlib.suppress(FileExistsError):
            if not parent.exists():
                parent.mkdir(mode=0o700)
    if (reason := distrust_reason(folder, folder.parent, root)) is not None:
        raise ArgumentError(
            f"libcuda.so.1 is not used from the code cache: {reason}; OPENPTX_CACHE names another folder"
        )
    files = [folder / library.folder / library.soname for library in LIBRARIES]
    if all(file.exists() for file in files):
        for file in files:
            if (reason := ownership_problem(os.lstat(file))) is not None:
                raise ArgumentError(f"{file} is not used: it {reason}")
        return folder
    shutil.rmtree(folder, ignore_errors=True)  # some were deleted: it is completed by renaming
    made = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".new"))
    try:
        compile_libraries(made)
        with contextlib.suppress(OSError):  # another process was first
            os.rename(made, folder)
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return folder


def digest() -> str:
    """The digest of everything that the libraries are made from."""
    folders = {source.parent for library in LIBRARIES for source in library.sources}
    read = sorted(file for folder in folders for file in folder.iterdir() if file.suffix in {".c", ".h", ".def"})
    flags = [(library.soname, library.folder, library.flags, library.linked, library.also) for library in LIBRARIES]
    parts = (repr((FLAGS, flags, os.uname().machine)), repr(generated()))
    return hashlib.sha256(b"\0".join((*(file.read_bytes() for file in read), *map(str.encode, parts)))).hexdigest()[:32]
