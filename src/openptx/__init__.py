"""OpenPTX: check, run and understand NVIDIA PTX on any computer, without a GPU.

    openptx.check("saxpy.ptx")                 every error of a module: a list of Diagnostic, with Label and Fix
    openptx.parse("saxpy.ptx")                 its lossless SyntaxTree
    openptx.extract("program")                 the PTX that a program carries: a list of ExtractedPtx
    openptx.link(["a.ptx", "b.ptx"])           several modules as the text of one; `load` takes several, too
    openptx.load("saxpy.ptx")["saxpy"]         a Kernel of a LoadedModule, which runs on NumPy arrays and tensors
    openptx.sanitize(kernel, grid, ...)        what a launch does wrong, races first: a list of Finding
    openptx.profile(kernel, grid, ...)         what a launch executes and what its accesses cost: a Profile
    openptx.trace(kernel, grid, ...)           every instruction that it executes: a Trace of Records
    openptx.first_difference(a, b)             where two traces part: a Difference
    openptx.prove(kernel, other)               whether both do the same for all inputs: a Proof, maybe
                                               with a Counterexample
    openptx.empty(shape, dtype)                an array whose content counts as undefined there
    openptx.record(kernel, grid, ..., file=f)  a launch with its memory, as a Recording and as a file
    openptx.replay("saxpy.launch")             such a file, of a GPU or of another computer, run and compared: a Replay
    openptx.distribute(kernel, executor, ...)  the same on several processes or machines
    openptx.convert(array, "e4m3")             any conversion that `cvt` has
    openptx.logging.show("info")               which engine runs a kernel, why, and how long each step takes
    openptx.memory                             device memory that the host allocates, registers, copies and frees
    openptx.triton.activate(target="sm_90")    Triton's kernels run here, on tensors of the CPU
    openptx.torch.activate(target="sm_90")     the same for programs of torch that say `cuda`
    openptx.numba.activate(target="sm_90")     numba-cuda's kernels run here, on NumPy arrays
    openptx.tinygrad.ptx_run(source, ...)      what tinygrad's mock of CUDA calls
    Texture, Surface, Sampler, TensorMap, Im2colMap   arguments that are more than an array

All that is raised on purpose is an Error: CheckError (the file is wrong), Fault and SanitizerError (the kernel did
wrong), ArgumentError and InputError (the call is wrong), Unsupported (a known gap), Bug (our mistake). ArgumentWarning
is a warning: the call is right and probably not what is meant.

Nothing is imported before it is used: `check` never waits for NumPy or LLVM.
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
    from openptx.device.texture import Sampler as Sampler
    from openptx.device.texture import Surface as Surface
    from openptx.device.texture import Texture as Texture
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
    from openptx.errors import SanitizerError as SanitizerError
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
                                "SanitizerError", "Unsupported"),
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
    "openptx.device.texture": ("Sampler", "Surface", "Texture"),
    "openptx.sanitize":        ("Finding", "empty", "sanitize"),
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
