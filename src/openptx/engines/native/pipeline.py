"""From a program to LLVM text: read `lower_kernel` first, then `FunctionEmitter` (emit/function.py).

1. Context (context.py): control-flow graph, liveness, which registers addresses are made of.
2. Facts (analysis/): abstract interpretation to a fixpoint, with branches assumed uniform where that pays
   (speculation.py): what is known of registers, which branches part lanes, where lanes wait, what is accessed.
3. From the facts: loops that may wait for other threads (spin_loops.py), spills at barriers and the warp's frame
   (deopt/frame_layout.py), accesses that share a bounds check (check_groups.py), moves of loads (load_plan.py).
4. Emission (emit/): blocks once, in their order; side exits and deoptimisation (deopt/); prologue and warp loop.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from openptx.engines.common.call_graph import calls_indirectly, stack_bytes
from openptx.engines.native.analysis.context import FunctionContext, make_context
from openptx.engines.native.analysis.spin_loops import loops_with_calls
from openptx.engines.native.analysis.unsupported import UnsupportedByJit
from openptx.engines.native.cache.metadata import KernelMetadata, Stack
from openptx.engines.native.deopt.frame_state import SideExit
from openptx.engines.native.emit.barriers import counts
from openptx.engines.native.emit.function import FunctionEmitter
from openptx.engines.native.emit.module_tables import ModuleTables
from openptx.engines.native.options import Options
from openptx.engines.native.rtlib.support import METADATA, attributes, support
from openptx.engines.native.watch.hooks import declarations
from openptx.isa.memory_consistency import strong
from openptx.llvm.codegen import compiled_fast
from openptx.llvm.host import host
from openptx.program import Function, Program
from openptx.runtime.image import Image
from openptx.runtime.shared_layout import shared_layout

CROWDED = 12_000
"""Blocks times vectors that a kernel's registers are, above which they stay in memory. Made values, they would meet in
every block; allotting those to the processor's registers, of which there are too few anyway, took 11 s for a kernel
that so takes 2."""


class LoweredKernel(NamedTuple):
    text: str
    promotes: bool
    """Whether LLVM makes values of its registers, see `CROWDED`."""
    metadata: KernelMetadata


def lower_kernel(
    program: Program, function: Function, image: Image, options: Options, entries: Mapping[int, SideExit] | None = None,
    globals: Sequence[str] = (), messages: Sequence[tuple[str, str]] = (), calls_wait: bool = False,
) -> LoweredKernel:  # fmt: skip
    """A kernel and all that it calls; raises UnsupportedByJit where only the interpreter can run it.

    With `entries`, the generic version, which takes over there; variables and messages keep the numbers that they have.
    `calls_wait`: functions do what loops around their calls may be waiting for.
    """
    layout = shared_layout(program, function.name)
    tables = ModuleTables([*globals], [*messages])
    callees = tables.callees

    def emitter(one: Function, symbol: str, number: int, entered_from: Mapping[int, SideExit]) -> FunctionEmitter:
        c = make_context(program, one, image, options, host(), layout, symbol, number, entered_from)
        return FunctionEmitter(c, tables, calls_wait and number == 0)

    kernel = emitter(function, "kernel" if entries is None else "slow", 0, entries or {})
    emitters, texts = [kernel], [kernel.emit()]
    while len(emitters) <= len(callees.names):
        number = len(emitters)
        name = callees.names[number - 1]
        emitters.append(emitter(program.function(name), callees.symbol(name), number, {}))
        texts.append(emitters[-1].emit())
    if not calls_wait and waits_in_calls(emitters):
        if any(loops_with_calls(e.c) for e in emitters[1:]):
            raise UnsupportedByJit("a loop with calls of functions that may wait for other threads, in a function")
        return lower_kernel(program, function, image, options, entries, globals, messages, True)
    counted = any(counts(e.c.function) for e in emitters)
    head = support(program.address_size, kernel.rounds, counted).head
    text = "\n".join(
        [
            head,
            *declarations(options),
            *(f.text for f in tables.functions.values()),
            *texts,
            attributes(),
            METADATA,
        ]
    )
    deopt, contexts = kernel.deopt, [e.c for e in emitters]
    metadata = KernelMetadata(
        frame_size=-(-kernel.warp_frame.size // 64) * 64,
        globals=tables.globals,
        messages=tables.messages,
        names=callees.names,
        exits=kernel.exits.exits,
        stack=stack_of(contexts),
        free_order=not any(map(touches_others, emitters)),
        deoptimizes=deopt.is_used,
        interprets=any(e.facts.interpreted for e in emitters),
        address_size=program.address_size,
        rounds=kernel.rounds,
        counted=counted,
        frame_states=deopt.states if deopt.is_used else {},
        fast_compiled=compiled_fast(text),
    )
    crowded = sum(e.block_count for e in emitters) * sum(e.vector_count for e in emitters) > CROWDED
    return LoweredKernel(text, not crowded, metadata)


def stack_of(contexts: list[FunctionContext]) -> Stack:
    kernel = contexts[0]
    size = stack_bytes(kernel.program, kernel.function)
    if size is None or any(calls_indirectly(c.function) for c in contexts):
        return Stack(kernel.local_size, True)
    return Stack(size, False)


def touches_others(e: FunctionEmitter) -> bool:
    """Whether atomics or strong loads are among the operations."""
    code = e.c.function.code
    return any(kind == "atomic" or strong(code[pc].m) for pc, kind in e.facts.touches.items())


def waits_in_calls(emitters: list[FunctionEmitter]) -> bool:
    """Whether called functions do what loops around their calls may be waiting for."""
    return any(map(touches_others, emitters[1:])) and any(loops_with_calls(e.c) for e in emitters)
