"""OpenPTX: check, run and understand NVIDIA PTX on any computer, without a GPU.

    openptx.check("saxpy.ptx")                 all errors of a module: a list of Diagnostic, with Label and Fix
    openptx.parse("saxpy.ptx")                 the lossless SyntaxTree of a module
    openptx.extract("program")                 the PTX in a program or library: a list of ExtractedPtx
    openptx.link(["a.ptx", "b.ptx"])           several modules linked into the text of one
    openptx.load("saxpy.ptx")["saxpy"]         a Kernel of a LoadedModule, which runs on NumPy arrays and tensors
    openptx.sanitize(kernel, grid, ...)        races, undefined values and other defects of a launch: a list of Finding
    openptx.profile(kernel, grid, ...)         instruction counts and memory costs of a launch: a Profile
    openptx.trace(kernel, grid, ...)           every instruction that a launch executes: a Trace of Records
    openptx.first_difference(a, b)             the first Difference of two traces
    openptx.prove(kernel, other)               whether two kernels are equivalent for all inputs: a Proof, which may
                                               have a Counterexample
    openptx.empty(shape, dtype)                an array that `sanitize` treats as uninitialized
    openptx.record(kernel, grid, ..., file=f)  a launch with its memory, as a Recording and as a file
    openptx.replay("saxpy.launch")             a recorded launch, run and compared with the GPU's results: a Replay
    openptx.distribute(kernel, executor, ...)  a launch on several processes or machines
    openptx.convert(array, "e4m3")             any conversion that `cvt` has
    openptx.logging.show("info")               logs which engine runs a kernel, why, and how long each step takes
    openptx.memory                             device memory that the host allocates, registers, copies and frees
    openptx.triton.activate(target="sm_90")    runs Triton's kernels on CPU tensors
    openptx.torch.activate(target="sm_90")     the same for PyTorch programs with `device="cuda"`
    openptx.numba.activate(target="sm_90")     runs numba-cuda's kernels on NumPy arrays
    openptx.tinygrad.ptx_run(source, ...)      runs kernels for tinygrad's mock of CUDA
    Texture, Surface, Sampler, TensorMap, Im2colMap   arguments of kernels other than numbers and arrays

Exceptions are subclasses of Error: CheckError (the file has errors), Fault and SanitizerError (the kernel is wrong),
ArgumentError and InputError (the call is wrong), Unsupported (a known gap), Bug (a defect of OpenPTX). ArgumentWarning
is given for a call that is possible and probably not intended.

Modules are imported on first use: `check` needs neither NumPy nor LLVM.
"""

from __future__ import annotations

import sys
from types import ModuleType

from openptx import forks as forks  # first: a process may fork while a thread imports the rest

TYPE_CHECKING = False  # importing typing would cost 7 ms
if TYPE_CHECKING:
    from openptx import logging as logging
    from openptx import memory as memory
    from openptx import numba as numba
    from openptx import tinygrad as tinygrad
    from openptx import torch as torch
    from openptx import triton as triton
    from openptx.api import check as check
    from openptx.api import parse as parse
    from openptx.device.textures.sampler import Sampler as Sampler
    from openptx.device.textures.surface import Surface as Surface
    from openptx.device.textures.texture import Texture as Texture
    from openptx.diagnostics import Diagnostic as Diagnostic
    from openptx.diagnostics import Fix as Fix
    from openptx.diagnostics import Label as Label
    from openptx.errors import ArgumentError as ArgumentError
    from openptx.errors import ArgumentWarning as ArgumentWarning
    from openptx.errors import Bug as Bug
    from openptx.errors import CheckError as CheckError
    from openptx.errors import Error as Error
    from openptx.errors import Fault as Fault
    from openptx.errors import InputError as InputError
    from openptx.errors import Unsupported as Unsupported
    from openptx.fatbin import ExtractedPtx as ExtractedPtx
    from openptx.fatbin import extract as extract
    from openptx.linking import link as link
    from openptx.numerics import convert as convert
    from openptx.profile.entry import profile as profile
    from openptx.profile.report import Profile as Profile
    from openptx.prove import Counterexample as Counterexample
    from openptx.prove import Proof as Proof
    from openptx.prove import prove as prove
    from openptx.recording import Recording as Recording
    from openptx.recording import Replay as Replay
    from openptx.recording import record as record
    from openptx.recording import replay as replay
    from openptx.runtime import Kernel as Kernel
    from openptx.runtime import LoadedModule as LoadedModule
    from openptx.runtime import load as load
    from openptx.runtime.distribute import distribute as distribute
    from openptx.runtime.im2col_map import Im2colMap as Im2colMap
    from openptx.runtime.tensor_map import TensorMap as TensorMap
    from openptx.sanitize import Finding as Finding
    from openptx.sanitize import SanitizerError as SanitizerError
    from openptx.sanitize import empty as empty
    from openptx.sanitize import sanitize as sanitize
    from openptx.syntax import SyntaxTree as SyntaxTree
    from openptx.trace import Difference as Difference
    from openptx.trace import Record as Record
    from openptx.trace import Trace as Trace
    from openptx.trace import first_difference as first_difference
    from openptx.trace import trace as trace

__version__ = "0.1.0"

# fmt: off
HOMES = {
    "openptx.api":             ("check", "parse"),
    "openptx.diagnostics":     ("Diagnostic", "Fix", "Label"),
    "openptx.errors":          ("ArgumentError", "ArgumentWarning", "Bug", "CheckError", "Error", "Fault", "InputError",
                                "Unsupported"),
    "openptx.fatbin":          ("ExtractedPtx", "extract"),
    "openptx.linking":         ("link",),
    "openptx.numerics":        ("convert",),
    "openptx.profile.entry":   ("profile",),
    "openptx.profile.report":  ("Profile",),
    "openptx.prove":           ("Counterexample", "Proof", "prove"),
    "openptx.recording":       ("Recording", "Replay", "record", "replay"),
    "openptx.runtime":         ("Kernel", "LoadedModule", "load"),
    "openptx.runtime.distribute": ("distribute",),
    "openptx.runtime.im2col_map": ("Im2colMap",),
    "openptx.runtime.tensor_map": ("TensorMap",),
    "openptx.device.textures.sampler": ("Sampler",),
    "openptx.device.textures.surface": ("Surface",),
    "openptx.device.textures.texture": ("Texture",),
    "openptx.sanitize":        ("Finding", "SanitizerError", "empty", "sanitize"),
    "openptx.syntax":          ("SyntaxTree",),
    "openptx.trace":           ("Difference", "Record", "Trace", "first_difference", "trace"),
}
# fmt: on
PACKAGES = ("logging", "memory", "numba", "tinygrad", "torch", "triton")
"""Submodules that are used by name, imported on first use."""
_home = {name: module for module, names in HOMES.items() for name in names}

__all__ = [
    "ArgumentError",
    "ArgumentWarning",
    "Bug",
    "CheckError",
    "Counterexample",
    "Diagnostic",
    "Difference",
    "Error",
    "ExtractedPtx",
    "Fault",
    "Finding",
    "Fix",
    "Im2colMap",
    "InputError",
    "Kernel",
    "Label",
    "LoadedModule",
    "Profile",
    "Proof",
    "Record",
    "Recording",
    "Replay",
    "Sampler",
    "SanitizerError",
    "Surface",
    "SyntaxTree",
    "TensorMap",
    "Texture",
    "Trace",
    "Unsupported",
    "__version__",
    "check",
    "convert",
    "distribute",
    "empty",
    "extract",
    "first_difference",
    "link",
    "load",
    "logging",
    "memory",
    "numba",
    "parse",
    "profile",
    "prove",
    "record",
    "replay",
    "sanitize",
    "tinygrad",
    "torch",
    "trace",
    "triton",
]  # fmt: skip


def _get(name: str) -> object:
    """A public name, from the module that defines it."""
    from importlib import import_module

    if name in PACKAGES:
        return import_module(f"openptx.{name}")
    if name not in _home:
        raise AttributeError(f"module `openptx` has no attribute `{name}`", name=name, obj=sys.modules[__name__])
    return getattr(import_module(_home[name]), name)


if not TYPE_CHECKING:  # type checkers read the imports above: with a `__getattr__` they would take any name
    __getattr__ = _get


def __dir__() -> list[str]:
    return sorted({*globals(), *_home, *PACKAGES})


def _function(name: str) -> property:
    """A property that stays a function where importing the package of this name would put the package.

    The import system offers the package to the setter, which ignores it: `from openptx.check import ...` finds it in
    `sys.modules`.
    """
    return property(lambda _: _get(name), lambda _, package: None)


class _FrontDoor(ModuleType):
    check = _function("check")
    profile = _function("profile")
    prove = _function("prove")
    sanitize = _function("sanitize")
    trace = _function("trace")


sys.modules[__name__].__class__ = _FrontDoor
