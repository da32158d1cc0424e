"""From a program to LLVM text: read `lower_kernel` first, then `FunctionEmitter` (emit/function.py).

1. Calls of functions that only the kernel's own code can execute are replaced by their code (inlining.py).
   Context (context.py): control-flow graph, liveness, the registers from which addresses are computed.
2. Facts (analysis/): abstract interpretation to a fixpoint, with branches assumed uniform where that pays
   (fixpoint.py): facts about registers, divergent branches, where lanes wait, memory accesses.
   The same for each function that the kernel calls (call_graph.py).
3. From the facts: loops that may wait for other threads (counted_loops.py; spin_loops.py, possible_waits.py); the
   contents of a warp's frame at barriers, side exits and deoptimisation points (deopt/frame_layout.py).
4. Emission (emit/): each block once, in order, with accesses that share a bounds check (accesses.py) and loads by
   a few wide moves (emit/memory/gather_scatter.py); then prologue and warp loop. It decides nothing about other blocks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from openptx.call_graph import calls_indirectly, stack_bytes
from openptx.device.image import Image
from openptx.device.shared_layout import shared_layout
from openptx.engines.native.analysis.call_graph import FunctionFacts, call_graph
from openptx.engines.native.analysis.context import FunctionContext, make_context
from openptx.engines.native.analysis.counted_loops import counted_loops
from openptx.engines.native.analysis.inlining import compiled_function
from openptx.engines.native.analysis.segments import counts
from openptx.engines.native.analysis.warp_rounds import in_rounds
from openptx.engines.native.cache.metadata import KernelMetadata, Stack
from openptx.engines.native.deopt.frame_layout import FrameLayout
from openptx.engines.native.deopt.frame_state import SideExit
from openptx.engines.native.emit.function import FunctionEmitter
from openptx.engines.native.emit.scope import ModuleTables
from openptx.engines.native.instrument.selection import declarations
from openptx.engines.native.rtlib.shared_functions import SharedFunction, separated
from openptx.engines.native.rtlib.support import METADATA, attributes, support
from openptx.engines.native.settings import Options
from openptx.engines.tensor_cores.library import declarations as routines
from openptx.llvm.codegen import compiled_fast
from openptx.llvm.host import host
from openptx.program import Function, Program

CROWDED = 12_000
"""The product of a kernel's reachable blocks and vector registers above which the registers stay in memory. As SSA
values they would meet in every block; register allocation, with too few processor registers anyway, took 11 s for a
kernel that takes 2 s this way."""


class LoweredKernel(NamedTuple):
    text: str
    promotes: bool
    """Whether its registers become SSA values, see `CROWDED`."""
    fast: bool
    """Whether LLVM is to spend little effort on it."""
    metadata: KernelMetadata
    shared: tuple[SharedFunction, ...]
    """The functions it calls that other kernels may share."""


def lower_kernel(
    program: Program, function: Function, image: Image, options: Options, entries: Mapping[int, SideExit] | None = None,
    globals: Sequence[str] = (), messages: Sequence[tuple[str, str]] = (),
) -> LoweredKernel:  # fmt: skip
    """A kernel and all that it calls; raises UnsupportedByJit if only the interpreter can run it.

    With `entries`, the generic version, which takes over there; variables and messages keep their numbers.
    """
    given, function = function, compiled_function(program, function, options)
    symbol, shared = "kernel" if entries is None else "slow", shared_layout(program, function.name)

    def context(one: Function, number: int) -> FunctionContext:
        name, entered = (f"function{number}", {}) if number else (symbol, entries or {})

        def made(one: Function, entered: Mapping[int, SideExit]) -> FunctionContext:
            return make_context(program, one, image, options, host(), shared, name, number, entered)

        if options.rounds and number == 0:
            one = in_rounds(made(one, {})) or one
        return made(one, entered)

    functions = call_graph(function, context)
    tables = ModuleTables({f.c.function.name: f.c.symbol for f in functions[1:]}, [*globals], [*messages], function)
    emitters: list[FunctionEmitter] = []
    for (c, facts), counted in zip(functions, counted_loops(functions), strict=True):
        emitters.append(FunctionEmitter(c, facts, counted, FrameLayout(c, facts, counted), tables))
    crowded = sum(sum(e.facts.reached) for e in emitters) * sum(e.vector_count for e in emitters) > CROWDED
    for e in emitters:
        e.ir.slots_stay = crowded
    texts = [e.emit() for e in emitters]
    counts_threads = any(counts(f.c.function) for f in functions)
    head = support(program.address_size, emitters[0].rounds, counts_threads).head
    parts = separated(tables.functions.values())
    declared = [head, *declarations(options), *routines(tables.products), *parts.declarations()]
    text = "\n".join([*declared, *parts.own, *map(parts.renamed, texts), attributes(), METADATA])
    metadata = _metadata(
        given, functions, emitters[0], tables, options, text, counts_threads, generic=entries is not None
    )
    return LoweredKernel(text, not crowded, options.baseline, metadata, parts.functions())


def _metadata(
    function: Function, functions: Sequence[FunctionFacts], kernel: FunctionEmitter, tables: ModuleTables,
    options: Options, text: str, counts_threads: bool, *, generic: bool,
) -> KernelMetadata:  # fmt: skip
    layout = kernel.layout
    return KernelMetadata(
        frame_size=layout.stride,
        globals=tables.globals,
        messages=tables.messages,
        names=[f.c.function.name for f in functions[1:]],
        exits=kernel.exits.exits,
        stack=stack_of(function, [f.c for f in functions]),
        free_order=not any(f.touches_others for f in functions),
        deoptimizes=layout.deoptimizes,
        one_worker=any(f.in_parts for f in functions),
        address_size=kernel.c.program.address_size,
        rounds=kernel.rounds,
        counted=counts_threads,
        frame_states=layout.states if layout.deoptimizes else {},
        fast_compiled=options.baseline or compiled_fast(text),
        size=len(text),
        products=tables.products,
        has_tensor_memory=any(f.facts.has_tensor_memory for f in functions),
        strides=not options.rounds and not generic and in_rounds(kernel.c) is not None,
    )


def stack_of(function: Function, contexts: list[FunctionContext]) -> Stack:
    kernel = contexts[0]
    size = stack_bytes(kernel.program, function)
    if size is None or any(calls_indirectly(c.function) for c in contexts):
        return Stack(kernel.local_size, True)
    return Stack(size, False)
