"""The environment of a program whose `libcuda.so.1` and `libcudart.so` are ours; and NVIDIA's compiler NVRTC and linker
nvJitLink, as the program would find them."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from openptx.driver.build import (
    DRIVER,
    NO_NVJITLINKS,
    NVJITLINKS,
    NVML,
    NVRTCS,
    RECORDER,
    RUNTIMES,
    library_folder,
)  # fmt: skip
from openptx.driver.recorder.settings import REAL
from openptx.driver.toolkit import KEEP_NVCC, wrap_nvcc
from openptx.engines.native.cache.store import real_folder

KEEP_NVJITLINK = "OPENPTX_KEEP_NVJITLINK"
KEEP_NVRTC = "OPENPTX_KEEP_NVRTC"
KEEP_CUDART = "OPENPTX_KEEP_CUDART"
PYTHON_START = str(Path(__file__).with_name("python_start"))
"""The folder of the `sitecustomize` for programs in Python."""

QUIET = "ignore:libnvJitLink.so* is too old:RuntimeWarning"
"""Suppresses cuda.core's warning about a state that `wrap_nvjitlink` brings about on purpose."""


def environment(device: str | None = None, sanitize: str | None = None, command: str = "") -> dict[str, str]:
    """This process's environment, with the variables by which programs find the libraries, and the libraries find
    Python.

    Raises ArgumentError if a library cannot be compiled.
    """
    found = with_libraries(DRIVER.folder, command)
    search_first(found, os.path.join(library_folder(), NVML.folder))
    if not found.get(KEEP_NVCC):
        wrap_nvcc(found, str(library_folder()), real_folder())
    if device is not None:
        found["OPENPTX_DEVICE"] = device
    if sanitize is not None:
        found["OPENPTX_SANITIZE"] = found.get("OPENPTX_SANITIZE") or sanitize  # the user's choice of tools
    return found


def recording_environment(driver: str, settings: Mapping[str, str], command: str = "") -> dict[str, str]:
    """The environment for a program whose launches on the driver at `driver` are recorded."""
    return {**with_libraries(RECORDER.folder, command), REAL: driver, **settings}


def with_libraries(subfolder: str, command: str) -> dict[str, str]:
    """This process's environment, in which a command finds libcuda.so.1 in a subfolder of the libraries' folder."""
    folder = str(library_folder())
    drivers = os.path.normpath(os.path.join(folder, subfolder))
    found = {**os.environ}
    folders = dict.fromkeys((drivers, folder, found.get("LD_LIBRARY_PATH")))
    found["LD_LIBRARY_PATH"] = os.pathsep.join(filter(None, folders))
    found["TRITON_LIBCUDA_PATH"] = drivers  # Triton would ask ldconfig, which knows only the system's folders
    found["NUMBA_CUDA_DRIVER"] = os.path.join(drivers, DRIVER.soname)
    if not found.get(KEEP_CUDART):
        # A program's RPATH, which PyTorch has, precedes LD_LIBRARY_PATH.
        preload(found, (os.path.join(folder, runtime.soname) for runtime in RUNTIMES))
        found["PYTHONPATH"] = os.pathsep.join(filter(None, (PYTHON_START, found.get("PYTHONPATH"))))
    if not found.get(KEEP_NVJITLINK):
        wrap_nvjitlink(found, folder, command)
        found["PYTHONWARNINGS"] = ",".join(filter(None, (found.get("PYTHONWARNINGS"), QUIET)))
    if not found.get(KEEP_NVRTC):
        wrap_nvrtc(found, folder, command)
    if (shared := shared_python()) is not None:
        found["OPENPTX_LIBPYTHON"] = shared
        found["OPENPTX_PYTHONHOME"] = sys.base_prefix
    found["OPENPTX_PYTHONPATH"] = os.pathsep.join(search_path())
    return found


def wrap_nvjitlink(environment: dict[str, str], folder: str, command: str) -> None:
    """Makes a command load our wrappers of NVIDIA's linker, and stand-ins for versions that are not installed.

    Programs look up the linker's functions in all libraries: installed versions come first, the newest of them first.
    """
    found, missing = list[str](), list[str]()
    for major in NVJITLINKS:
        variable = f"OPENPTX_NVJITLINK_{major}"
        linker = environment.get(variable) or find_nvidia(NVJITLINK, major, command)
        if linker is not None:
            environment[variable] = linker
        library = (NVJITLINKS if linker else NO_NVJITLINKS)[major]
        (found if linker else missing).append(os.path.join(folder, library.folder, library.soname))
    preload(environment, (*found, *missing))


def wrap_nvrtc(environment: dict[str, str], folder: str, command: str) -> None:
    """Makes a command load our wrappers of NVIDIA's compilers, for the versions that are installed."""
    for major, library in NVRTCS.items():
        variable = f"OPENPTX_NVRTC_{major}"
        # In a nested `exec` the search path leads to the outer one's wrapper, and the variable to the compiler.
        compiler = environment.get(variable) or find_nvidia(NVRTC, major, command)
        if compiler is not None:
            environment[variable] = compiler
            place = os.path.join(folder, library.folder)
            preload(environment, [os.path.join(place, library.soname)])
            # tinygrad opens a file that it finds in one of these folders.
            search_first(environment, place)


def search_first(environment: dict[str, str], folder: str) -> None:
    """Makes programs search a folder for libraries before the others."""
    before = environment["LD_LIBRARY_PATH"].split(os.pathsep)
    environment["LD_LIBRARY_PATH"] = os.pathsep.join(dict.fromkeys((folder, *before)))


def preload(environment: dict[str, str], libraries: Iterable[str]) -> None:
    """Makes programs load libraries before their own."""
    environment["LD_PRELOAD"] = " ".join((*libraries, *environment.get("LD_PRELOAD", "").split()))


def shared_python() -> str | None:
    """The shared library of this Python, for programs that are not Python programs; None if it was built without."""
    name, folder = sysconfig.get_config_var("INSTSONAME"), sysconfig.get_config_var("LIBDIR")
    multiarch = sysconfig.get_config_var("MULTIARCH") or ""
    if not name or ".so" not in name:
        return None
    places = (Path(folder) / name, Path(folder) / multiarch / name)
    return next((str(place) for place in places if place.exists()), None)


def search_path() -> list[str]:
    """Folders in which OpenPTX and its dependencies were found, for the Python of a program that lacks them."""
    own = str(Path(__file__).parents[2])
    needed = ("numpy", "llvmlite", "ml_dtypes")
    others = [entry for entry in sys.path if any((Path(entry) / name).is_dir() for name in needed)]
    return list(dict.fromkeys((own, *others)))


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
