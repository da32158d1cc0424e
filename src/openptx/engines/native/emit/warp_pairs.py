"""Warp pairs: a function's code for two warps at once, where that is possible and pays (analysis/warp_pairing.py).

In a loop that is one chain of operations, each waits for the one before, and the processor idles most of the time. So
after each block of the first warp comes the same block of the second one, whose operations do not wait for those of the
first (unroll and jam over the loop of warps). The blocks are emitted again, once for either warp, by the emitters of
all other blocks: the names of values that each warp has of its own end with `.a` or `.b` (`IRBuilder.own`), and a block
of the first warp ends with a jump to the block of the second one, which branches for both.
"""

from __future__ import annotations

from collections.abc import Callable, Generator

from openptx.control_flow import END
from openptx.engines.native import abi
from openptx.engines.native.analysis.warp_pairing import Pairing
from openptx.engines.native.emit.block import BlockEmitter
from openptx.engines.native.emit.branches import Branches
from openptx.engines.native.emit.entry_values import defined, renamed
from openptx.engines.native.emit.registers import RegisterFile
from openptx.numerics import Bits

LONGEST = 600
"""Lines of a function's blocks, above which it would take too long to compile them three times."""
FIRST, SECOND = ".a", ".b"
"""Suffixes of the names of each warp's own values."""


class PairBranches(Branches):
    """Ends of blocks that are emitted once for each of two warps: the first warp's block jumps to the second warp's,
    which decides for both."""

    how: Pairing
    taken = ""
    """The condition of the first warp's branch."""

    def jump(self, goal: int, waiting: frozenset[int]) -> None:
        if goal == END and self.facts.ended:
            self.end_lanes(self.scope.block_mask)
        self.ir.jump(f"block{self.scope.block.index}{SECOND}" if self.is_first else self.label_of(goal))

    @property
    def is_first(self) -> bool:
        return self.ir.own_suffix == FIRST

    def label_of(self, goal: int) -> str:
        """The label where both warps continue."""
        return "ended.pair" if goal == END else f"block{goal}{FIRST}"

    def branch_uniform(self, guard: Bits, yes: int, no: int, waiting: frozenset[int]) -> None:
        self.branch(self.x.scalar(guard), yes, no)

    def branch_assumed(self, guard: Bits, yes: int, no: int, waiting: frozenset[int]) -> None:
        ir = self.ir
        active, word = self.scope.mask_word(), ir.mask_bits(self.x.vector(guard & self.scope.block_mask))
        every = ir.emit(f"icmp eq i32 {word}, {active}")
        with ir.exit_block(ir.emit(f"xor i1 {ir.is_some(word)}, {every}")):
            self.exits.leave()
        self.branch(every, yes, no)

    def branch_divergent(self, guard: Bits, yes: int, no: int, waiting: frozenset[int]) -> None:
        """Lanes end, since none wait in a function that has pairs."""
        active = self.scope.block_mask
        taken, rest = guard & active, self.x.invert(guard) & active
        ending, staying, goal = (taken, rest, no) if yes == END else (rest, taken, yes)
        self.end_lanes(ending)
        self.branch(self.ir.is_some(self.ir.mask_bits(self.x.vector(staying))), goal, END)

    def branch(self, p: str, yes: int, no: int) -> None:
        """Where the warps' branches may differ, both warps begin again if they do."""
        if self.is_first:
            self.taken = p
            self.ir.jump(f"block{self.scope.block.index}{SECOND}")
            return
        if self.scope.block.index in self.how.differing:
            with self.ir.exit_block(self.ir.emit(f"xor i1 {self.taken}, {p}")):
                self.exits.leave()
        self.ir.branch(p, self.label_of(yes), self.label_of(no))


class WarpPairs:
    def __init__(self, branches: PairBranches, blocks: BlockEmitter, how: Pairing) -> None:
        self.ir, self.c, self.exits, self.blocks = branches.ir, branches.c, branches.exits, blocks
        branches.how = how

    def emit(self, begin: Callable[[], None]) -> None:
        """Emits the code for a pair; `begin`: the start of a warp, up to its first block."""
        ir = self.ir
        ir.start("begin.pair")
        for _ in self.each_warp():
            begin()
        ir.jump(f"block0{FIRST}")
        for b in self.c.graph.blocks:
            if self.blocks.facts.reached[b.index]:
                for _ in self.each_warp():
                    self.blocks.emit(b)
        for _ in self.each_warp():
            ir.start(ir.own("failed"))
            self.exits.return_with(abi.FAILED)
        ir.start("ended.pair")
        ir.line("%next.pair = add i32 %index, 2")
        ir.branch(ir.emit(f"icmp ult i32 %next.pair, {self.c.warps}"), "warp", "rest")

    def each_warp(self) -> Generator[None]:
        """Code that is emitted in an iteration is for the first warp, then for the second."""
        for self.ir.own_suffix in (FIRST, SECOND):
            yield
        self.ir.own_suffix = ""

    def decision(self, of_warp: list[str]) -> list[str]:
        """The lines before the code for one warp, which decide whether two are left. `of_warp`: lines that compute a
        warp's values from `%index`."""
        lines = [
            "%other = add i32 %index, 1", f"%two = icmp ult i32 %other, {self.c.warps}",
            "br i1 %two, label %pair, label %alone", "pair:",
        ]  # fmt: skip
        for warp, index in ((FIRST, "%index"), (SECOND, "%other")):
            names = {name: name + warp for name in defined(of_warp)} | {"%index": index}
            lines += [f"%index{warp} = add i32 {index}, 0", *renamed(of_warp, names)]
        return [*lines, "br label %begin.pair", "alone:"]

    def allocations(self, registers: RegisterFile) -> list[str]:
        """Stack slots of both warps' registers and masks."""
        places = {"live": self.ir.live_type} | {
            f"r{cell}": registers.cell_type(cell) for cell in registers.cells_in_memory
        }
        return [f"%{name}{warp} = alloca {t}, align 64" for name, t in places.items() for warp in (FIRST, SECOND)]
