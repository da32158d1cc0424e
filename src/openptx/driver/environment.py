"""The environment of a program whose `libcuda.so.1` and `libcudart.so` are ours."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Iterable, Mapping
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
from openptx.driver.find_nvidia import NVJITLINK, NVRTC, find_nvidia
from openptx.driver.recorder.settings import REAL
from openptx.driver.toolkit import KEEP_NVCC, put_before_nvcc
from openptx.engines.native.cache.store import real_folder

KEEP_NVJITLINK = "OPENPTX_KEEP_NVJITLINK"
KEEP_NVRTC = "OPENPTX_KEEP_NVRTC"
KEEP_CUDART = "OPENPTX_KEEP_CUDART"

QUIET = "ignore:libnvJitLink.so* is too old:RuntimeWarning"
"""cuda.core's own message about it."""


def environment(device: str | None = None, sanitize: str | None = None, command: str = "") -> dict[str, str]:
    """This process's environment, with the variables by which programs find the libraries, and the libraries find
    Python.

    Raises ArgumentError if a library cannot be compiled.
    """
    found = with_libraries(DRIVER.folder, command)
    search_first(found, os.path.join(library_folder(), NVML.folder))
    if not found.get(KEEP_NVCC):
        put_before_nvcc(found, str(library_folder()), real_folder())
    if device is not None:
        found["OPENPTX_DEVICE"] = device
    if sanitize is not None:
        found["OPENPTX_SANITIZE"] = sanitize
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
    found["TRITON_LIBCUDA_PATH"] = drivers  # or it asks ldconfig, which knows only the system's folders
    found["NUMBA_CUDA_DRIVER"] = os.path.join(drivers, DRIVER.soname)
    if not found.get(KEEP_CUDART):
        # A program's RPATH, which PyTorch has, precedes LD_LIBRARY_PATH.
        preload(found, (os.path.join(folder, one.soname) for one in RUNTIMES))
    if not found.get(KEEP_NVJITLINK):
        put_before_nvjitlink(found, folder, command)
        found["PYTHONWARNINGS"] = ",".join(filter(None, (found.get("PYTHONWARNINGS"), QUIET)))
    if not found.get(KEEP_NVRTC):
        put_before_nvrtc(found, folder, command)
    if (shared := shared_python()) is not None:
        found["OPENPTX_LIBPYTHON"] = shared
        found["OPENPTX_PYTHONHOME"] = sys.base_prefix
    found["OPENPTX_PYTHONPATH"] = os.pathsep.join(search_path())
    return found


def put_before_nvjitlink(environment: dict[str, str], folder: str, command: str) -> None:
    """Makes a command find the libraries in front of NVIDIA's linker, and others in place of versions that are not
    installed.

    Programs look the linker's functions up in all libraries: installed versions come first, the newest before others.
    """
    found, missing = list[str](), list[str]()
    for major in NVJITLINKS:
        variable = f"OPENPTX_NVJITLINK_{major}"
        linker = environment.get(variable) or find_nvidia(NVJITLINK, major, command)
        if linker is not None:
            environment[variable] = linker
        one = (NVJITLINKS if linker else NO_NVJITLINKS)[major]
        (found if linker else missing).append(os.path.join(folder, one.folder, one.soname))
    preload(environment, (*found, *missing))


def put_before_nvrtc(environment: dict[str, str], folder: str, command: str) -> None:
    """Makes a command find the libraries in front of NVIDIA's compilers, for the versions that are installed."""
    for major, one in NVRTCS.items():
        variable = f"OPENPTX_NVRTC_{major}"
        # Within another `exec` the path leads to that one's library, and the variable to the compiler.
        compiler = environment.get(variable) or find_nvidia(NVRTC, major, command)
        if compiler is not None:
            environment[variable] = compiler
            place = os.path.join(folder, one.folder)
            preload(environment, [os.path.join(place, one.soname)])
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
    others = [one for one in sys.path if any((Path(one) / name).is_dir() for name in needed)]
    return list(dict.fromkeys((own, *others)))
