"""LLVM itself: text is verified, optimised and made an object; objects are linked into this process."""

from __future__ import annotations

import contextlib
import itertools
import os
import sys
import threading
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Literal

import llvmlite.binding as llvm

from openptx.engines.native.cpu import host
from openptx.errors import Bug

LOCK = threading.RLock()
"""LLVM in llvmlite is used by one thread at a time. A child that is forked meanwhile would wait for that thread for
ever, so who forks waits."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=LOCK.acquire, after_in_parent=LOCK.release, after_in_child=LOCK.release)

_numbers = itertools.count()


CAREFUL: Literal[2] = 2
HURRIED: Literal[0] = 0
"""How much LLVM thinks about code. What is made in a hurry runs 2.4 times as long (the mean of bench/kernels.py)."""
LARGE = 4_000_000
"""Characters of text, above which code is made in a hurry: 1.6 s instead of 14 for the largest kernel of CUB's sort."""


@cache
def _target() -> llvm.Target:
    # Chains of operations between checked accesses must stay where they are: sunk to the last of the checks, they make
    # every loaded value live at once.
    llvm.set_option("openptx", "-instcombine-code-sinking=false")
    llvm.set_option("openptx", "-disable-machine-sink")
    # How much the register allocator weighs before it splits a value's range: with the default of 10,000 that is half
    # of the time that a large kernel takes (6.5 s instead of 4.4 s for 3,000 lines of Triton's), for code as fast.
    llvm.set_option("openptx", "-grow-region-complexity-budget=100")
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple()


@cache
def machine(effort: Literal[0, 2]) -> llvm.TargetMachine:
    """Makes code for this processor."""
    target, cpu = _target(), host()
    if sys.platform != "linux":
        return target.create_target_machine(cpu=cpu.name, features=cpu.features, opt=effort, reloc="static", jit=True)
    # An object is linked as one piece, so its functions can call each other directly; `jit=True` would let them load an
    # address for each call, which costs 13 ns where the processor does not foresee such calls.
    return target.create_target_machine(cpu=cpu.name, features=cpu.features, opt=effort, reloc="pic", codemodel="small")


@cache
def _linker() -> llvm.LLJIT:
    """It needs no machine of ours, which takes as long to make: objects from the disk are only linked."""
    llvm.initialize_native_target()
    return llvm.create_lljit_compiler()


def _make_linker() -> None:
    with LOCK:
        host()
        _linker()


# On a thread, while the rest of the engine is imported: LLVM needs as long for it as for all else that a first launch
# from the disk does. Where there are no more threads, it is made when it is needed.
with contextlib.suppress(RuntimeError):
    threading.Thread(target=_make_linker, name="openptx-linker").start()


def version() -> str:
    """What an object depends on beside its text."""
    return ".".join(map(str, llvm.llvm_version_info)) + "/" + host().name + "/" + host().features


CROWDED = 12_000
"""Blocks times vectors that a kernel's registers are, above which they stay in memory. Made values, they would meet in
every block; allotting those to the processor's registers, of which there are too few anyway, took 11 s for a kernel
that so takes 2."""


def crowded(text: str) -> bool:
    """Whether its registers are too many for so many blocks, see `CROWDED`."""
    blocks = text.count("\nblock") + text.count("\nway")
    return blocks * text.count(" = alloca <") > CROWDED


def optimised(text: str) -> llvm.ModuleRef:
    """The module of a text, verified and optimised."""
    try:
        module = llvm.parse_assembly(text)
        module.verify()
    except RuntimeError as error:
        raise Bug(f"the code generator made a module that LLVM rejects: {error}") from error
    # What has been found to pay. All of O1 takes four times as long, for code that is not faster on the whole.
    passes = llvm.create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    if not crowded(text):
        passes.add_sroa_pass()
    passes.add_instruction_combine_pass()
    passes.add_simplify_cfg_pass()
    passes.add_global_dead_code_eliminate_pass()
    passes.run(module, llvm.create_pass_builder(machine(CAREFUL), llvm.create_pipeline_tuning_options(speed_level=1)))
    return module


def hurried(text: str) -> bool:
    """Whether code for it is made in a hurry, see `LARGE`."""
    return len(text) > LARGE


def compile(text: str) -> bytes:
    """An object file of LLVM text."""
    with LOCK:
        return machine(HURRIED if hurried(text) else CAREFUL).emit_object(optimised(text))


def assembly(text: str) -> str:
    """What the processor gets to see, for people."""
    with LOCK:
        return machine(CAREFUL).emit_assembly(optimised(text))


class Library:
    """A linked object: the addresses of its functions are good as long as it lives. `known` are those of functions that
    it calls and does not have."""

    __slots__ = ("_tracker",)

    def __init__(self, image: bytes, names: tuple[str, ...], known: Mapping[str, int] = MappingProxyType({})) -> None:
        with LOCK:
            builder = llvm.JITLibraryBuilder().add_object_img(image).add_current_process()
            for name, address in known.items():
                builder = builder.import_symbol(name, address)
            for name in names:
                builder = builder.export_symbol(name)
            self._tracker = builder.link(_linker(), f"openptx.{next(_numbers)}")

    def __getitem__(self, name: str) -> int:
        return self._tracker[name]
