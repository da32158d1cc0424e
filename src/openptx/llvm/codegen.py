"""Verifies and optimises LLVM text, and compiles it to an object for this processor."""

from __future__ import annotations

import sys
from functools import cache, partial
from typing import Literal

import llvmlite.binding as llvm

from openptx.errors import Bug
from openptx.llvm.c_library import CLibrary, dotted, identity, library_path
from openptx.llvm.host import host
from openptx.llvm.recovery import Aborted, Guard, emit_object
from openptx.locks import LLVM

OPT_DEFAULT: Literal[2] = 2
OPT_NONE: Literal[0] = 0
"""LLVM's optimisation levels. Code compiled with OPT_NONE runs 2.4 times as long (the mean of bench/kernels.py)."""
LARGE = 4_000_000
"""The number of characters of text from which OPT_NONE is used: 1.6 s instead of 14 for the largest kernel of CUB's
sort."""

HOISTED, HOISTED_OF_AVX512 = 500_000, 24_000
"""The number of characters of text up to which machine code that only makes a constant is moved out of loops. The loop
over warps is around all of a kernel, so in a large one hundreds of constants would be live from its beginning to their
uses. With 32 vector registers, and constants as operands in memory, only short loops gain: without it `half_axpy`,
`brain_axpy` and `mandelbrot`, texts of 14,000 to 18,000 characters, would take 1.1 to 1.2 of the time, while the 11
kernels of bench/kernels.py that are longer, and 40 of tests/kernels, are as fast. LLVM takes 0.91 of the time without
it. With AVX2 `softmax` may be slower."""

OPTIONS = {
    # Chains of operations between checked accesses must not be moved: sunk to the last of the checks, they keep every
    # loaded value live at once.
    "-instcombine-code-sinking": ("false", "true"),
    "-disable-machine-sink": ("true", "false"),
    # How much the register allocator weighs before it splits a value's range: with the default of 10,000 that is half
    # of the time that a large kernel takes (6.5 s instead of 4.4 s for 3,000 lines of Triton's), for code as fast.
    # With 30 `matmul` takes 1.7 of the time.
    "-grow-region-complexity-budget": ("100", "10000"),
    # 0.88 of LLVM's instructions for equally fast code: the mean of 31 kernels is 1.00, measured by turns. Addresses of
    # lanes are vectors, on which strength reduction has no effect.
    "-disable-lsr": ("true", "false"),
}
"""LLVM's options, which are those of the process: our values, and LLVM's own. To set one takes 0.1 ms."""

OPTIONS_OF_AVX512 = {
    # 0.83 of LLVM's time for equally fast code: the mean of 15 kernels is 1.00. Emission does what the generic
    # combinations of the selection were needed for: products instead of quotients by numbers (emit/arith/quotients.py),
    # vectors by parts (`Builder.collect`), conditions whose block is not the next (`GuardedPaths.diamond`).
    "-combiner-disabled": ("true", "false"),
    # 0.91 of LLVM's time for equally fast code. Address arithmetic already stands in the block of its access, and the
    # selection of instructions leaves them in an order that the processor can use.
    "-disable-cgp": ("true", "false"),
    "-enable-misched": ("false", "true"),
    # Together 0.95 of LLVM's time: passes that find little to do in this code.
    "-disable-copyprop": ("true", "false"),
    "-disable-machine-cse": ("true", "false"),
    "-disable-early-taildup": ("true", "false"),
    "-disable-tail-duplicate": ("true", "false"),
    "-disable-early-ifcvt": ("true", "false"),
    "-disable-postra-machine-sink": ("true", "false"),
    "-disable-constant-hoisting": ("true", "false"),
    "-disable-mergeicmps": ("true", "false"),
    "-disable-partial-libcall-inlining": ("true", "false"),
    "-disable-replace-with-vec-lib": ("true", "false"),
    "-x86-machine-combiner": ("false", "true"),
    "-x86-cmov-converter": ("false", "true"),
    "-x86-disable-avoid-SFB": ("true", "false"),
    "-disable-x86-domain-reassignment": ("true", "false"),
}
"""More of them. With 16 registers, half as wide, `mandelbrot` and `half_axpy` would take up to 1.17 of the time."""


PERMANENT = "-post-RA-scheduler=false"
"""An option that cannot be given LLVM's own value again. A second scheduling pass changes little if the processor
looks hundreds of instructions ahead."""


def options(which: Literal[0, 1], *, basic: bool = True) -> list[str]:
    """With our values (0), or LLVM's own (1). `basic`: those of all processors, too."""
    more = OPTIONS_OF_AVX512 if host().avx512 else {}
    return [f"{name}={values[which]}" for name, values in ((OPTIONS | more) if basic else more).items()]


def set_options(*chosen: str) -> None:
    for option in chosen:
        llvm.set_option("openptx", option)


@cache
def _target() -> llvm.Target:
    set_options(*options(0), PERMANENT)
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


@cache
def other_library() -> CLibrary | None:
    """The library that compiles instead of llvmlite's, if the environment names one."""
    if not library_path():
        return None
    library = CLibrary(library_path())
    library.set_options(*options(0), PERMANENT)
    return library


def version() -> str:
    """What an object depends on besides its text."""
    return "/".join([dotted(llvm.llvm_version_info), host().name, host().features, identity()])


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


PIPELINES = {
    promotes: f"always-inline,{'function(sroa<preserve-cfg>),' if promotes else ''}"
    "function(instcombine<no-verify-fixpoint>),function(simplifycfg),globaldce"
    for promotes in (False, True)
}
"""The passes that are run, in the notation of LLVM's `opt`."""


def emitted(target: llvm.TargetMachine, promotes: bool, guard: Guard | None, text: str) -> bytes:
    try:
        return emit_object(target, optimised(text, promotes), guard)
    except Aborted:
        machine.cache_clear()
        raise


def compiled_fast(text: str) -> bool:
    """Whether a text is compiled without optimisation, see `LARGE`."""
    return len(text) > LARGE


def hoists(text: str, lasting: bool) -> bool:
    """Whether constants are moved out of the loops of a text, see `HOISTED`."""
    return len(text) <= (HOISTED_OF_AVX512 if host().avx512 and not lasting else HOISTED)


def compile(
    text: str, promotes: bool = True, fast: bool = False, lasting: bool = False, guard: Guard | None = None
) -> bytes:
    """An object file of LLVM text, see `optimised`; `fast`: with OPT_NONE, which is always used for very large
    texts; `lasting`: code that is made once for a processor, by all passes that make it faster. With a `guard`,
    raises `Aborted` where LLVM aborts."""
    with LLVM:
        effort = OPT_NONE if fast or compiled_fast(text) else OPT_DEFAULT
        if (other := other_library()) is None:
            emit = partial(emitted, machine(effort), promotes, guard)
            # numba uses this LLVM too, and expects LLVM's own values
            setting, shared = set_options, "numba" in sys.modules
        else:
            emit = partial(other.compile, PIPELINES[promotes], effort)
            setting, shared = other.set_options, False
        before = options(0) if shared else ()
        between = options(1, basic=False) if lasting else ()
        after = options(0, basic=False) if lasting else []
        if shared:
            after = [*options(1), "-disable-machine-licm=false"]
        setting(*before, *between, f"-disable-machine-licm={'false' if hoists(text, lasting) else 'true'}")
        try:
            return emit(text)
        finally:
            setting(*after)
