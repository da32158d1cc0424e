"""Warp pairs: a loop that is one chain of operations runs for two warps at once, where all branches go the same way.

In such a loop each operation waits for the one before, and the processor for most of the time. So the function has its
code a second time, for two warps (unroll and jam over the loop of warps): after each block of the first warp comes the
same block of the second one, whose operations do not wait for those of the first. Branches must not depend on the warp,
and no warp may have to leave for other code. Only before the first loop they may, `if (i < n)` for one, as long as
nothing was written: if the warps do not agree, both begin again, each alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from openptx.engines.native import abi
from openptx.engines.native.analysis.cfg import Block
from openptx.engines.native.analysis.context import FunctionContext
from openptx.engines.native.analysis.fixpoint import Facts

LONGEST = 600
"""Lines of a function's blocks, above which it would take too long to compile them three times."""
FIRST, SECOND = "a", "b"
"""What names of either warp end with."""

_NAME = re.compile(r"%[\w.]+")
_DEFINED = re.compile(r"^(%[\w.]+) = ")
_ALLOWED = re.compile(r"@(?:llvm\.|openptx\.(?:load|store|load_span|store_span|poll)\()")
_UNKNOWN = re.compile(r"\b(?:atomicrmw|cmpxchg|fence|switch|asm|indirectbr|volatile store)\b")
_WRITES = re.compile(r"@openptx\.store|@llvm\.masked\.(?:store|scatter)|^store .*!tbaa !6")
_LEAVES = f"ret i32 {abi.SIDE_EXIT}"


def pays(c: FunctionContext, facts: Facts) -> bool:
    """Whether a function has a loop of one block, without accesses to memory, that is one chain for the most part."""
    plain = c.runs_next_warp and c.all_warps_full and c.warps > 1 and not facts.masked and not facts.calls
    if not plain or c.suspending or c.options.watched or c.options.baseline or facts.interpreted:
        return False
    return any(is_chain(c, facts, b) for b in c.graph.blocks if facts.reached[b.index] and b.index in b.successors)


def is_chain(c: FunctionContext, facts: Facts, b: Block) -> bool:
    """Whether at least half of a loop's operations on lanes wait each for the one before, round after round."""
    if any(pc in facts.accesses or pc in facts.touches for pc in range(b.start, b.stop)):
        return False

    def varies(cell: int) -> bool:
        fact = facts.registers[cell]
        return fact is not None and fact.known is None and fact.lanes is None

    written = frozenset[int]().union(*(c.cells.writes(op) for op in c.function.code[b.start : b.stop]))
    vectors = {cell for cell in b.live_in if varies(cell)}
    depth = dict.fromkeys(vectors & written, 0)  # operations since the round began, in the longest chain
    operations = 0
    for op in c.function.code[b.start : b.stop]:
        results = c.cells.writes(op)
        before = [depth[cell] for cell in c.cells.reads(op) if cell in depth]
        if vectors.isdisjoint(c.cells.reads(op)):
            vectors -= results
        else:
            vectors |= results
            operations += bool(results)
        for cell in results:
            depth.pop(cell, None)
        depth.update(dict.fromkeys(results, max(before) + 1) if before else {})
    carried = [depth.get(cell, 0) for cell in b.live_in & written]
    return operations > 0 and 2 * max(carried, default=0) >= operations


class WarpPairs:
    """The text of a function's second version, from that of its first one."""

    def __init__(
        self, warps: int, loop: int, of_warp: Sequence[str], prologue: Sequence[str], blocks: Sequence[str]
    ) -> None:
        """`loop`: the first block where one begins. `of_warp`: lines that make a warp's values from `%index`;
        `prologue` ends with a jump to the first block."""
        self.warps, self.of_warp, self.prologue, self.lines = warps, of_warp, prologue, blocks
        defined = {m[1] for line in (*of_warp, *blocks) if (m := _DEFINED.match(line))}
        labels = {f"%{line[:-1]}" for line in blocks if line.endswith(":")}
        self.own = {"%index", "%frame", "%failed", *defined, *labels}
        """Names and labels that either warp has of its own."""
        places = {name for line in (*prologue, *blocks) for name in _NAME.findall(line)}
        self.places = {name for name in places - self.own if re.fullmatch(r"%(?:r\d+|live)", name)}
        """Registers and masks, which are in memory."""
        starts = [i for i, line in enumerate(blocks) if re.fullmatch(r"block\d+:", line)]
        self.blocks = [blocks[i:j] for i, j in zip(starts, [*starts[1:], len(blocks)], strict=True)]
        writing = (i for i, block in enumerate(self.blocks) if any(map(_WRITES.search, block)))
        self.undone = min(next(writing, len(starts)), starts.index(blocks.index(f"block{loop}:")))
        """The number of blocks before the first loop and before anything is written: warps may begin again there."""

    def possible(self) -> bool:
        if len(self.lines) > LONGEST:
            return False
        for line in self.lines:
            if _UNKNOWN.search(line) or ("call " in line and not _ALLOWED.search(line)):
                return False
        if any(line.startswith("ret ") and line != _LEAVES for line in self.lines):
            return False
        differing = self.differing_branches()
        for i, block in enumerate(self.blocks):
            parting = sum(line in differing for line in block)
            if parting > 1 or (i >= self.undone and (parting or _LEAVES in block)):
                return False
        return True

    def differing_branches(self) -> list[str]:
        """Branches that depend on the warp, but for those to rare code (which have a weight)."""
        differ = {"%index", "%frame", *(m[1] for line in self.of_warp if (m := _DEFINED.match(line)))}
        before = 0
        while before != len(differ):
            before = len(differ)
            for line in self.lines:
                differ |= self.differing(line, differ)
        branches = [line for line in self.lines if line.startswith("br i1") and "!prof" not in line]
        return [line for line in branches if _NAME.findall(line)[0] in differ]

    def differing(self, line: str, differ: set[str]) -> set[str]:
        """What a line makes different between two warps."""
        found = _DEFINED.match(line)
        names = _NAME.findall(line)
        if found is None:
            is_kept = line.startswith("store") and names[-1] in self.places and names[0] in differ
            return {names[-1]} if is_kept else set()
        text = line[found.end() :]
        from_memory = text.startswith("load") and names[-1] not in self.places and names[-1] != "%fuel"
        unknown = text.startswith("phi") or "@openptx." in text or "@llvm.masked." in text or from_memory
        return {found[1]} if unknown or any(name in differ for name in names[1:]) else set()

    def renamed(self, lines: Iterable[str], warp: str, leaves_to: str) -> list[str]:
        """Lines for one of the warps; `leaves_to`: where it goes at the end of a block, if that is the same for all."""

        def name(found: re.Match[str]) -> str:
            token = found[0]
            if token == "%ended" or re.fullmatch(r"%block\d+", token):
                return leaves_to or ("%ended.pair" if token == "%ended" else f"{token}.{FIRST}")
            return f"{token}.{warp}" if token in self.own or token in self.places else token

        made: list[str] = []
        for line in lines:
            if line.endswith(":"):
                made.append(f"{line[:-1]}.{warp}:")
            else:
                made.append("br label %alone" if line == _LEAVES else _NAME.sub(name, line))
        return made

    @property
    def decision(self) -> list[str]:
        """What stands before the code for one warp."""
        return [
            "%other = add i32 %index, 1", f"%two = icmp ult i32 %other, {self.warps}",
            "br i1 %two, label %pair, label %alone", "alone:",
        ]  # fmt: skip

    def text(self) -> list[str]:
        made = ["pair:", f"%index.{FIRST} = add i32 %index, 0", f"%index.{SECOND} = add i32 %index, 1"]
        for warp in (FIRST, SECOND):
            made += [f"%frame.{warp} = getelementptr i8, ptr %frame, i64 0", *self.renamed(self.of_warp, warp, "")]
        made += self.renamed(self.prologue[:-1], FIRST, "")
        made += self.renamed(self.prologue, SECOND, "")
        differing = self.differing_branches()
        for block in self.blocks:
            label = block[0][:-1]
            first, second = self.renamed(block, FIRST, f"%{label}.{SECOND}"), self.renamed(block, SECOND, "")
            for i, line in enumerate(block):
                if line in differing:
                    self.agree(first, second, i, label)
            made += [*first, *second]
        for warp in (FIRST, SECOND):
            made += [
                f"failed.{warp}:", f"%at.{warp} = getelementptr i8, ptr %w, i64 {abi.WARP}",
                f"store i32 %index.{warp}, ptr %at.{warp}, align 4", f"ret i32 {abi.FAILED}",
            ]  # fmt: skip
        return [
            *made, "ended.pair:", "%next.pair = add i32 %index, 2",
            f"%more.pair = icmp ult i32 %next.pair, {self.warps}", "br i1 %more.pair, label %warp, label %rest",
        ]  # fmt: skip

    def agree(self, first: list[str], second: list[str], i: int, block: str) -> None:
        """At line `i`, a branch, the first warp notes where it goes, and both begin again if the second one goes
        elsewhere."""
        first[i] = f"store i1 {_NAME.findall(first[i])[0]}, ptr %went, align 1\n{first[i]}"
        condition = _NAME.findall(second[i])[0]
        second[i] = "\n".join([
            f"%went.{block} = load i1, ptr %went, align 1", f"%agree.{block} = icmp eq i1 %went.{block}, {condition}",
            f"br i1 %agree.{block}, label %agreed.{block}, label %alone", f"agreed.{block}:", second[i],
        ])  # fmt: skip

    def allocations(self, lines: Iterable[str]) -> list[str]:
        """Places for both warps, beside those for one."""
        mine = [line for line in lines if line.split(" ", 1)[0] in self.places]
        return ["%went = alloca i1", *(self.renamed([line], warp, "")[0] for warp in (FIRST, SECOND) for line in mine)]
