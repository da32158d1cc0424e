"""Verifies and optimises LLVM text, and compiles it to an object for this processor."""

from __future__ import annotations

import sys
from functools import cache
from typing import Literal

import llvmlite.binding as llvm

from openptx.errors import Bug
from openptx.llvm.host import host
from openptx.locks import LLVM

OPT_DEFAULT: Literal[2] = 2
OPT_NONE: Literal[0] = 0
"""LLVM's optimisation levels. Code compiled with OPT_NONE runs 2.4 times as long (the mean of bench/kernels.py)."""
LARGE = 4_000_000
"""The number of characters of text from which OPT_NONE is used: 1.6 s instead of 14 for the largest kernel of CUB's
sort."""

HOISTED = 500_000
"""The number of characters of text up to which machine code that only makes a constant is moved out of loops. The loop
over warps is around all of a kernel, so in a large one hundreds of constants would be live from its beginning to their
uses: 800 loads and stores take 0.8 s to compile instead of 1.5, for code as fast. Short kernels would take up to 1.1
times as long without it."""


@cache
def _target() -> llvm.Target:
    # Chains of operations between checked accesses must not be moved: sunk to the last of the checks, they keep every
    # loaded value live at once.
    llvm.set_option("openptx", "-instcombine-code-sinking=false")
    llvm.set_option("openptx", "-disable-machine-sink")
    # How much the register allocator weighs before it splits a value's range: with the default of 10,000 that is half
    # of the time that a large kernel takes (6.5 s instead of 4.4 s for 3,000 lines of Triton's), for code as fast.
    llvm.set_option("openptx", "-grow-region-complexity-budget=100")
    # 0.88 of LLVM's instructions for equally fast code: the mean of 31 kernels is 1.00, measured by turns. Addresses of
    # lanes are vectors, on which strength reduction has no effect; a second scheduling pass changes little if the
    # processor looks hundreds of instructions ahead.
    llvm.set_option("openptx", "-disable-lsr")
    llvm.set_option("openptx", "-post-RA-scheduler=false")
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    llvm.initialize_native_asmparser()  # of assembly in functions
    return llvm.Target.from_default_triple()


@cache
def machine(effort: Literal[0, 2]) -> llvm.TargetMachine:
    """LLVM's target machine for this processor."""
    target, cpu = _target(), host()
    if sys.platform != "linux":
        return target.create_target_machine(cpu=cpu.name, features=cpu.features, opt=effort, reloc="static", jit=True)
    # An object is linked as one piece, so its functions can call each other directly; `jit=True` would let them load an
    # address for each call, which costs 13 ns where the processor does not foresee such calls.
    return target.create_target_machine(cpu=cpu.name, features=cpu.features, opt=effort, reloc="pic", codemodel="small")


def version() -> str:
    """What an object depends on besides its text."""
    return ".".join(map(str, llvm.llvm_version_info)) + "/" + host().name + "/" + host().features


def optimised(text: str, promotes: bool) -> llvm.ModuleRef:
    """The module of a text, verified and optimised. `promotes`: stack allocations of functions become SSA values."""
    try:
        module = llvm.parse_assembly(text)
        module.verify()
    except RuntimeError as error:
        raise Bug(f"the code generator made a module that LLVM rejects: {error}") from error
    # Passes that were found to pay. All of O1 takes four times as long, for code that is not faster on the whole.
    passes = llvm.create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    if promotes:
        passes.add_sroa_pass()
    passes.add_instruction_combine_pass()
    passes.add_simplify_cfg_pass()
    passes.add_global_dead_code_eliminate_pass()
    passes.run(
        module, llvm.create_pass_builder(machine(OPT_DEFAULT), llvm.create_pipeline_tuning_options(speed_level=1))
    )
    return module


def compiled_fast(text: str) -> bool:
    """Whether a text is compiled without optimisation, see `LARGE`."""
    return len(text) > LARGE


def compile(text: str, promotes: bool = True, fast: bool = False) -> bytes:
    """An object file of LLVM text, see `optimised`; `fast`: with OPT_NONE, which is always used for very large
    texts."""
    with LLVM:
        effort = OPT_NONE if fast or compiled_fast(text) else OPT_DEFAULT
        llvm.set_option("openptx", f"-disable-machine-licm={'false' if len(text) <= HOISTED else 'true'}")
        return machine(effort).emit_object(optimised(text, promotes))
