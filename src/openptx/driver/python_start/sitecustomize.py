"""Python runs this at its start under `openptx exec`: `cuda.bindings.runtime` then calls OpenPTX's CUDA runtime.

Its library contains a copy of NVIDIA's, and calls that through capsules in `__pyx_capi__`, which its other modules read
when they are imported; here they get the functions of the libcudart.so that the process has loaded. This file is in no
package: the program's Python may lack OpenPTX.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from importlib.machinery import PathFinder

TYPE_CHECKING = False  # every Python that a program starts imports this
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any

RUNTIME = "libcudart.so.13"
"""cuda-bindings has had these modules since release 13."""
SUFFIXES = {
    "cuda.bindings._internal.runtime": ("",),
    "cuda.bindings._internal.runtime_ptds": ("_ptds", "_ptsz", ""),  # for per-thread default streams
}


class Finder:
    """Finds the modules as Python does, and changes them when they have been executed."""

    def find_spec(self, name: str, path: Any, target: ModuleType | None = None) -> ModuleSpec | None:
        """The module's spec; None for any other module."""
        spec = PathFinder.find_spec(name, path) if name in SUFFIXES else None
        if spec is not None and spec.loader is not None:
            loader: Any = spec.loader
            execute = loader.exec_module

            def exec_module(module: ModuleType) -> None:
                execute(module)
                redirect(module.__pyx_capi__, SUFFIXES[name])

            loader.exec_module = exec_module
        return spec


def redirect(capsules: dict[str, Any], suffixes: tuple[str, ...]) -> None:
    """Lets the capsules of functions `_cuda...` point to those of the runtime, if it has them."""
    import ctypes

    runtime, set_pointer = ctypes.CDLL(RUNTIME), ctypes.pythonapi.PyCapsule_SetPointer
    set_pointer.argtypes = (ctypes.py_object, ctypes.c_void_p)
    for name, capsule in capsules.items():
        found = (getattr(runtime, name[1:] + suffix, None) for suffix in suffixes if name.startswith("_cuda"))
        function = next(filter(None, found), None)
        if function is not None:
            set_pointer(capsule, ctypes.cast(function, ctypes.c_void_p))


def start_the_program_s_own() -> None:
    """Imports the `sitecustomize` that this one is found before."""
    own = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != own]
    this = sys.modules.pop("sitecustomize", None)
    try:
        import_module("sitecustomize")
    except ModuleNotFoundError as error:
        if error.name != "sitecustomize" or this is None:
            raise
        sys.modules["sitecustomize"] = this


sys.meta_path.insert(0, Finder())
start_the_program_s_own()
