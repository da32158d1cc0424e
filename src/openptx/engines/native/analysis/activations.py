"""Kernels with the code of functions in them (inlining.py): what each instruction stands for.

Faults name the functions, and the interpreter, which may have to continue, makes the calls in earnest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from openptx.call_graph import FRAME_ALIGN
from openptx.control_flow import control
from openptx.program import Function, Op, Reg

ARGUMENTS = -1
"""The position of instructions that pass a call's arguments to its function."""


@dataclass(frozen=True, slots=True, eq=False)
class Activation:
    """A function's code in a kernel: the kernel's own, or one call's copy."""

    function: Function
    caller: Activation | None = None
    call: int = 0
    """The position of the call in the caller's code."""
    base: int = 0
    """Where its frame begins in each thread's local memory."""
    first: int = 0
    """The kernel's register that is its register 0."""
    values: Mapping[int, Reg] = field(default_factory=dict[int, Reg])
    """The kernel's registers that hold variables of its frame, by their offsets in it."""

    @property
    def top(self) -> int:
        """The end of its frame."""
        return self.base + -(-self.function.frame_size // FRAME_ALIGN) * FRAME_ALIGN

    def chain(self) -> Iterator[Activation]:
        """The activation and its callers, innermost first."""
        one: Activation | None = self
        while one is not None:
            yield one
            one = one.caller


class Origin(NamedTuple):
    """What an instruction stands for: a position in an activation's function, `ARGUMENTS`, or the end of the function,
    where its results are passed."""

    activation: Activation
    pc: int


@dataclass(frozen=True, slots=True, eq=False)
class InlinedKernel(Function):
    origins: tuple[Origin, ...] = ()
    """One for each instruction; those that later passes add stand behind them."""
    recursive: frozenset[int] = frozenset()
    """Calls of functions whose code they are in: only the interpreter executes them."""


def origin(function: Function, pc: int) -> Origin:
    """What an instruction of compiled code stands for."""
    if isinstance(function, InlinedKernel):
        if pc < len(function.origins):
            return function.origins[pc]
        function = function.origins[0].activation.function
    return Origin(Activation(function), pc)


def only_interpreted(function: Function, pc: int) -> bool:
    """Whether the interpreter continues where lanes reach an instruction: a call of a function whose copy it is in, or
    a barrier of a cluster, which launches without clusters rarely reach, although code for any group of threads has
    some."""
    recursive = isinstance(function, InlinedKernel) and pc in function.recursive
    return recursive or control(function.code[pc]) == "cluster-barrier"


def op_at(function: Function, pc: int) -> Op:
    """The instruction of the text for which one of compiled code stands; itself, if it passes arguments or results."""
    activation, place = origin(function, pc)
    code = activation.function.code
    return code[place] if 0 <= place < len(code) else function.code[pc]


def frame_top(function: Function, pc: int) -> int:
    """The end of the frame of the activation that executes an instruction."""
    return origin(function, pc).activation.top


def names_at(function: Function, pc: int) -> list[str]:
    """The functions that an instruction is executed in, innermost first."""
    return [one.function.name for one in origin(function, pc).activation.chain()]
