"""Kernels written in Python for Triton and numba."""

from __future__ import annotations

import functools
import importlib.util
import shutil
import sys
from pathlib import Path
from types import ModuleType

from compilers.nvidia import SCRATCH


@functools.cache
def python_source(path: Path) -> ModuleType:
    """The module, imported from a copy whose path is the same on every machine: it gets into the PTX."""
    SCRATCH.mkdir(exist_ok=True)
    spec = importlib.util.spec_from_file_location(path.stem, shutil.copy(path, SCRATCH))
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python module")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module
