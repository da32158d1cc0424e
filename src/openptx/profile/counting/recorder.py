"""The state of a profiled launch: the counters of every executed instruction."""

from __future__ import annotations

from collections.abc import Sequence

from openptx.engines.common.accesses import MULTIPLICATIONS
from openptx.engines.interp.decode import Block
from openptx.profile.counters import Counters
from openptx.profile.counting.decoded import ProfiledFunction
from openptx.program import Function, Op


class Recorder:
    """Counters by instruction. Executions are counted by block and added to the instructions at the end.

    `waits`: loops of the kernel may wait for other threads, so that lanes that have left one must not wait long.
    """

    def __init__(self, *, waits: bool) -> None:
        self.waits = waits
        self.ops: dict[Op, Counters] = {}
        self.functions: dict[Function, ProfiledFunction] = {}
        self.taken: dict[Op, dict[int, int]] = {}
        """Threads by the position that a branch took them to."""
        self.ctas = 0
        """The number of CTAs that have started."""
        self._blocks: dict[Block, list[int]] = {}

    def begins(self, ctas: int) -> None:
        """This many CTAs start."""
        self.ctas += ctas

    def decoded(self, function: Function) -> ProfiledFunction:
        """The function as it is executed under observation."""
        found = self.functions.get(function)
        if found is None:
            found = self.functions[function] = ProfiledFunction(function, self)
        return found

    def of(self, op: Op) -> Counters:
        """The counters of an instruction."""
        found = self.ops.get(op)
        if found is None:
            found = self.ops[op] = Counters()
        return found

    def branched_to(self, op: Op, pc: int, threads: int) -> None:
        """This many threads took a branch to a position."""
        known = self.taken.setdefault(op, {})
        known[pc] = known.get(pc, 0) + threads

    def executed(self, block: Block, warps: int, threads: int) -> None:
        """All instructions of a block before its control instruction were executed."""
        known = self._blocks.get(block)
        if known is None:
            known = self._blocks[block] = [0, 0]
        known[0] += warps
        known[1] += threads

    def executed_op(self, op: Op, warps: int, threads: int) -> None:
        """One instruction was executed."""
        counters = self.ops.get(op)
        if counters is None:
            counters = self.ops[op] = Counters()
        counters.warps += warps
        counters.threads += threads
        if op.guard is None:
            counters.active += threads
        if op.form.instruction in MULTIPLICATIONS:
            counters.tensor_steps += warps

    def executed_each(self, code: Sequence[Op], executed: Sequence[Sequence[int]]) -> None:
        """For each instruction, the number of warps and threads that executed it."""
        for op, (warps, threads) in zip(code, executed, strict=True):
            if warps:
                self.executed_op(op, warps, threads)

    def settle(self) -> None:
        """Adds the counts of blocks."""
        for block, (warps, threads) in self._blocks.items():
            for op in block.ops:
                self.executed_op(op, warps, threads)
        self._blocks.clear()
