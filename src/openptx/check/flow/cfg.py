"""The control flow of a function: which instructions follow which, what is reached, which writes reach a read."""

from __future__ import annotations

from openptx.check.flow.dataflow import generated_before
from openptx.isa.control import JUMPS, LEAVES, mnemonics
from openptx.syntax import operands as text
from openptx.syntax.directives import BranchTargets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from openptx.check.names.scopes import Scope
    from openptx.syntax.tree import Instruction

    Key = tuple[int, str]

_AT_ONCE = 1024
"""Registers that are followed through a function together; more would take much memory in a large one."""


class Step:
    """One instruction: where its names are known, the registers that it reads and writes.

    `jumps` where it has targets, `ends` where nothing after it follows it.
    """

    __slots__ = ("ends", "guarded", "instruction", "jumps", "reads", "scope", "writes")

    def __init__(self, instruction: Instruction, scope: Scope) -> None:
        self.instruction, self.scope = instruction, scope
        self.reads: list[tuple[Key, text.Name]] = []
        self.writes: set[Key] = set()
        mnemonic = instruction.mnemonic
        self.jumps = mnemonic in mnemonics(*JUMPS)
        self.guarded = instruction.guarded
        self.ends = (self.jumps or mnemonic in mnemonics(*LEAVES)) and not self.guarded


class ControlFlowGraph:
    """The steps of a function in the order of the text; `labels` gives the step after each, by its place."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.labels: dict[int, int] = {}

    def successors(self, number: int) -> list[int]:
        """The steps that may follow one; the end of the function is none."""
        step = self.steps[number]
        found = [] if step.ends or number + 1 == len(self.steps) else [number + 1]
        if step.jumps:
            places = (step.scope.label(name) for name in self._targets(step))
            found += [self.labels[place] for place in places if place is not None and place in self.labels]
        return [successor for successor in found if successor < len(self.steps)]

    @staticmethod
    def _targets(step: Step) -> list[str]:
        names = [operand.text for operand in step.instruction.operands if isinstance(operand, text.Name)]
        if step.instruction.mnemonic in mnemonics("branch"):
            return names
        tables = [step.scope.table(name) for name in names]
        return [
            name
            for table in tables
            if isinstance(table, BranchTargets)
            for target in table.targets
            for name in ([target.text] if target.count is None else [f"{target.text}{i}" for i in range(target.count)])
        ]

    def reached(self) -> set[int]:
        """The steps that some path reaches."""
        return set(generated_before([0] * len(self.steps), self.successors)) if self.steps else set()

    def entries(self) -> set[int]:
        """The steps that a label marks: others than the one before may lead there."""
        return set(self.labels.values())

    def first_reads(
        self, start: int, *, everywhere: bool, names: Collection[str] | None = None
    ) -> list[text.Name]:  # fmt: skip
        """The first read of each register that no write reaches, on no path.

        The registers are those declared from the `start` of the body on: parameters have values, and registers of the
        module (PTX 2 and before) may be written in other functions. Only reads that stand before every write are asked
        for, if not `everywhere`; and only these `names`, if given.
        """
        written: set[Key] = set()
        since: set[Key] = set()  # written since the last label: those reads need no further look
        early: dict[Key, list[tuple[int, text.Name]]] = {}
        entries = self.entries()
        for number, step in enumerate(self.steps):
            if number in entries:
                since.clear()
            for key, name in step.reads:
                if key[0] < start or not (names is None or key[1] in names):
                    continue
                if key not in written or (everywhere and key not in since):
                    early.setdefault(key, []).append((number, name))
            written |= step.writes
            since |= step.writes
        never = [places[0] for key, places in early.items() if key not in written]
        asked = [(key, places) for key, places in early.items() if key in written]
        for start in range(0, len(asked), _AT_ONCE):
            never += self._unreached(dict(asked[start : start + _AT_ONCE]))
        return [name for _, name in sorted(never, key=lambda found: found[1].span)]

    def _unreached(self, asked: dict[Key, list[tuple[int, text.Name]]]) -> list[tuple[int, text.Name]]:
        """Those reads that no write reaches: what may be written before each step, a bit for each register."""
        if not asked:
            return []
        bits = {key: 1 << i for i, key in enumerate(asked)}
        written = [0] * len(self.steps)
        for number, step in enumerate(self.steps):
            for key in step.writes & bits.keys():
                written[number] |= bits[key]
        before = generated_before(written, self.successors)
        found: list[tuple[int, text.Name]] = []
        for key, places in asked.items():
            for number, name in places:
                state = before.get(number)
                if state is not None and not state & bits[key]:
                    found.append((number, name))
                    break
        return found
