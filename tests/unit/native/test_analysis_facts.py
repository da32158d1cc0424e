"""The analyses' facts hold: the interpreter runs random kernels and checks them at every block that lanes enter.

Registers have the values that their facts allow, branches that do not diverge part no lanes, lanes wait where
reconvergence says, and registers that do not live may hold anything.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from openptx.control_flow import END
from openptx.device.shared_layout import shared_layout
from openptx.engines.interp import lane_sets
from openptx.engines.interp.batch import Batch
from openptx.engines.interp.decode import Block, DecodedFunction
from openptx.engines.native.analysis.abstract_machine import AbstractMachine
from openptx.engines.native.analysis.context import FunctionContext, make_context
from openptx.engines.native.analysis.fixpoint import Facts, Solver, fixpoint
from openptx.engines.native.analysis.lattice import ZEROS, Value
from openptx.engines.native.analysis.meaning_memo import MeaningMemo, form
from openptx.engines.native.analysis.unsupported import UnsupportedByJit
from openptx.engines.native.settings import Options
from openptx.llvm.host import host
from openptx.numerics import Bits
from openptx.runtime.module import LoadedModule, load

sys.path.insert(0, str(Path(__file__).parents[2] / "properties"))
from engines import Result, run
from random_kernels import Kernel

WARP = 32
SEEDS = range(100, 112)


class Observer:
    """Compares what lanes hold with the facts of one function."""

    def __init__(self, c: FunctionContext, facts: Facts) -> None:
        self.c, self.facts = c, facts
        self.looked = 0
        self.widths = c.cells.widths
        self.registers = len(c.function.registers)

    def column(self, regs: Any, cell: int) -> np.ndarray:
        if cell == self.c.cells.carry:
            return regs[self.registers]
        if cell < self.registers:
            return regs[cell][0] if cell in self.c.cells.high else regs[cell]
        return regs[next(low for low, high in self.c.cells.high.items() if high == cell)][1]

    def warps(self, x: Any, lanes: Any) -> Iterator[np.ndarray]:
        """Positions of the lanes, warp by warp."""
        places = lane_sets.positions(lanes, x.n)
        warp = x.geometry.warp[places]
        for number in np.unique(warp):
            yield places[warp == number]

    def enter(self, pc: int, x: Any, regs: Any, lanes: Any) -> None:
        block = self.c.graph.blocks[self.c.graph.at[pc]]
        if self.c.graph.target(pc) == END:  # nothing but a return: code jumps to the end instead
            return
        assert self.facts.reached[block.index]
        for cell in sorted(block.live_in):
            fact = self.facts.registers[cell]
            if fact is None:  # never written: 0 in all lanes
                assert not self.column(regs, cell).any()
                continue
            values = np.broadcast_to(self.column(regs, cell), x.n)
            for places in self.warps(x, lanes):
                self.looked += 1
                self.compare(fact, self.widths[cell], [int(v) for v in values[places]], x.geometry.lane[places])

    def compare(self, fact: Any, w: int, values: list[int], lanes: np.ndarray) -> None:
        if fact.known is not None:
            known = fact.known if isinstance(fact.known, tuple) else (fact.known,) * WARP
            assert values == [known[i] for i in lanes]
        elif fact.lanes is not None:
            bases = {(v - fact.lanes[i]) % (1 << w) for v, i in zip(values, lanes, strict=True)}
            assert len(bases) == 1, (fact, values)
            (base,) = bases
            assert base % (1 << min(fact.tz, w)) == 0
            assert fact.high < 0 or base <= fact.high

    def finish(self, block: Block, x: Any, regs: Any, lanes: Any) -> None:
        """What decides a branch agrees in all lanes of a warp, unless the branch diverges."""
        here = next(b for b in self.c.graph.blocks if b.start <= block.end - 1 < b.stop)
        guard = block.control.guard if block.control is not None else None
        if guard is None or here.last is not block.control or here.index in self.facts.divergent:
            return
        branch = self.facts.branches[here.index]
        p = np.broadcast_to(regs[guard.index], x.n) ^ guard.negated
        for places in self.warps(x, lanes):
            (taken,) = {*p[places].tolist()}
            assert branch in ("uniform", "taken" if taken else "skipped")

    def waiting(self, pc: int, batch: Batch, frame: Any, lanes: Any) -> None:
        """Other lanes of the warps stand where reconvergence says."""
        b = self.c.graph.at[pc]
        warps = {*batch.x.geometry.warp[lane_sets.positions(lanes, batch.x.n)].tolist()}
        for group in batch.ready.values():
            if group.frame is frame and not warps.isdisjoint(
                batch.x.geometry.warp[lane_sets.positions(group.lanes, batch.x.n)].tolist()
            ):
                at = self.c.graph.target(group.pc)
                assert at < 0 or at in self.facts.waiting[b], (b, at)

    def scramble(self, pc: int, x: Any, regs: Any, lanes: Any, r: np.random.Generator) -> None:
        """Other values for registers that do not live."""
        live = self.c.graph.blocks[self.c.graph.at[pc]].live_in
        index = slice(None) if lanes is None else lanes
        for cell in range(self.registers):
            if cell not in live and cell not in self.c.cells.high:
                column = np.broadcast_to(regs[cell], x.n).copy()
                raw = r.integers(0, 256, x.n * column.itemsize, dtype=np.uint8)
                column[index] = (raw.view(column.dtype) if column.dtype != np.bool_ else raw[: x.n] > 127)[index]
                regs[cell] = column


def context(module: LoadedModule, name: str, block: tuple[int, int, int]) -> FunctionContext:
    program, function = module.program, module.program.function(name)
    layout = shared_layout(program, "k")
    number = int(function.kind != "entry")
    return make_context(program, function, module.image, Options(block, False), host(), layout, name, number, {})


def observed(kernel: Kernel, monkeypatch: pytest.MonkeyPatch) -> tuple[int, Result]:
    """What the kernel leaves while it is watched, and how many comparisons were made."""
    module, r = load(kernel.text()), np.random.default_rng(kernel.seed)
    observers: dict[str, Observer | None] = {}
    batches: dict[int, Batch] = {}
    advance, make = Batch.advance, DecodedFunction._make  # pyright: ignore[reportPrivateUsage]

    def observer(name: str) -> Observer | None:
        if name not in observers:
            try:
                c = context(module, name, kernel.block)
                observers[name] = Observer(c, fixpoint(c))
            except (UnsupportedByJit, NotImplementedError):
                observers[name] = None
        return observers[name]

    def advanced(self: Batch, *arguments: Any) -> None:
        batches[id(self.x)] = self
        advance(self, *arguments)

    def made(self: DecodedFunction, start: int) -> Block:
        block = make(self, start)
        found = observer(self.function.name)
        if found is None or start not in found.c.graph.at:
            return block

        def before(x: Any, regs: Any, lanes: Any) -> None:
            found.enter(start, x, regs, lanes)
            batch = batches[id(x)]
            if found.c.graph.target(start) != END and batch.current is not None:
                found.waiting(start, batch, batch.current, lanes)
            found.scramble(start, x, regs, lanes, r)

        def after(x: Any, regs: Any, lanes: Any) -> None:
            found.finish(block, x, regs, lanes)

        ops = [*block.ops, *block.ops[-1:], *block.ops[-1:]]
        steps = [before, *block.steps, after]
        return Block(block.start, block.end, steps, ops or list(self.code[:2]), block.control, block.weight)

    with monkeypatch.context() as patch:
        # Facts that rest on no assumption: emitted code leaves where offsets wrap, the interpreter goes on.
        patch.setattr(AbstractMachine, "guard", lambda *_: False)
        # And blocks in order: in the interpreter alone lanes run out of turn when others let them starve.
        patch.setattr(Batch, "starvation_limit", sys.maxsize)
        patch.setattr(Batch, "advance", advanced)
        patch.setattr(DecodedFunction, "_make", made)
        result = run(module, kernel)
    return sum(o.looked for o in observers.values() if o is not None), result


@pytest.mark.parametrize("seed", [pytest.param(seed, marks=[pytest.mark.sweep] if seed % 2 else []) for seed in SEEDS])
def test_facts_hold_in_random_kernels(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = Kernel(seed, 8)
    looked, result = observed(kernel, monkeypatch)
    assert not result.fault
    assert looked > 100
    assert result.differs(run(load(kernel.text()), kernel)) == ""  # registers that do not live were scrambled


@pytest.mark.parametrize("seed", [22540, *SEEDS[:3]])
def test_remembered_meanings_leave_the_same_facts(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In 22540 lanes that wait keep known numbers that are equal but not one object."""
    kernel = Kernel(seed, 5)
    c = context(load(kernel.text()), "k", kernel.block)
    remembered = fixpoint(c)
    monkeypatch.setattr(MeaningMemo, "repeat", lambda *_: False)
    assert remembered.registers == fixpoint(c).registers


BLOCKS = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u32 n)
{
    .reg .pred %p;
    .reg .b32 %r<4>;
    ld.param.u32 %r0, [n];
    mov.u32 %r1, 7;
    setp.eq.u32 %p, %r0, 3;
    @%p bra SKIP;
    add.u32 %r2, %r0, 5;
    mov.u32 %r1, %r2;
SKIP:
    add.u32 %r3, %r1, 1;
    ret;
}
"""


def test_blocks_whose_registers_have_not_changed_are_interpreted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each block leaves registers that later ones read, none one that it has read itself."""
    found: list[int] = []
    interpret = Solver.interpret

    def counted(solver: Solver, b: Any, read: set[int]) -> None:
        found.append(b.index)
        interpret(solver, b, read)

    monkeypatch.setattr(Solver, "interpret", counted)
    fixpoint(context(load(BLOCKS), "k", (32, 1, 1)))
    assert found == [0, 1, 2]


@pytest.mark.parametrize("slot", sorted({*Value.__slots__} - {"vector"}))
def test_the_memo_tells_values_apart_by_all_that_is_known(slot: str) -> None:
    """Whatever else a value has must be in its form. `vector` is where the text has a value once more."""
    a, b = Bits(None, 32, Value("%a", ZEROS)), Bits(None, 32, Value("%a", ZEROS))
    assert form(a) == form(b)
    setattr(b.v, slot, object())
    assert form(a) != form(b)
