"""Estimates how long compiling a kernel will take, from the kinds of its instructions.

Fitted to 414 kernels of tests/kernels and tests/data/cases, whose code took 0.015 to 1.4 s of the processor: half of
the estimates are within 22 % of that, nine in ten within a factor of 1.9. What registers of fragments and declared
steps add was fitted to 36 kernels of Triton's and with matrix products, which took 0.04 to 3.7 s, between 0.7 and 2.0
times the estimates.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from openptx.call_graph import reachable_functions
from openptx.engines.native.runtime.worker_count import ITERATIONS, loops
from openptx.isa.memory_consistency import strong
from openptx.isa.notation.forms import Modifiers
from openptx.program import Function, Program, Vector

OPERATION = 3e-9
"""Seconds that the reference engine takes for an instruction of a thread (2.2 to 4.8 for many threads, as measured by
bench/auto.py): only its ratio to the others matters."""

FUNCTION = 0.006
"""Seconds for each function, the kernel among them."""

EACH, ACCESS, BRANCH, STRONG = 0.0004, 0.0012, 0.0005, 0.0013
"""Seconds for each instruction, and beyond that for accesses of memory, branches and calls, and strong accesses."""

ELEMENT = 0.0005
"""Seconds for each register of a list, unless the instruction is an access of memory: fragments of matrices."""

APPROXIMATE, INLINE = 0.024, 8
"""Seconds for each inlined approximate function, and how many are inlined."""


def seconds_to_make(program: Program, function: Function) -> float:
    """The estimated time for compiling a kernel, with the functions that it calls."""
    found, approximate = 0.0, 0
    for one in functions(program, function):
        found += FUNCTION + EACH * len(one.code) + ELEMENT * fragments(one)
        for m, count in Counter(op.m for op in one.code).items():
            found += count * seconds_beyond(m)
            approximate += count * ("approx" in m.written)
    return found + APPROXIMATE * min(approximate, INLINE)


def least_seconds_to_make(function: Function) -> float:
    """A lower bound, without looking at the instructions."""
    return FUNCTION + EACH * len(function.code)


def observed_code_pays(program: Program, function: Function, threads: int, slower: float, longer: float) -> bool:
    """Whether compiling code for an observer, which takes `longer` than plain code, is likely to take less time than a
    launch of this many threads on the reference engine, which is `slower` when observed."""
    work = threads * len(function.code) * (ITERATIONS if loops(function) else 1)
    return work * OPERATION * slower > seconds_to_make(program, function) * longer


def functions(program: Program, kernel: Function) -> Iterator[Function]:
    """The kernel and the functions it may call."""
    return reachable_functions(program, kernel.name)


def fragments(function: Function) -> int:
    """The number of registers in lists, without those of accesses of memory."""
    others = (op.operands for op in function.code if not op.form.instruction.access)
    return sum(len(o.elements) for operands in others for o in operands if isinstance(o, Vector))


@lru_cache(maxsize=1 << 12)
def seconds_beyond(m: Modifiers) -> float:
    """Seconds beyond `EACH` for an instruction with these modifiers, without its lists of registers."""
    instruction = m.form.instruction
    steps = instruction.steps(m) if callable(instruction.steps) else instruction.steps
    access = ACCESS if instruction.access else EACH * (steps - 1)
    return access + (BRANCH if instruction.control else 0.0) + (STRONG if strong(m) else 0.0)
