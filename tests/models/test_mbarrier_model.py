"""Random sequences of operations on an mbarrier, compared with its description (9.7.13.15.2 to 9.7.13.15.17)."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
import pytest

import openptx

LARGEST = (1 << 20) - 1


@dataclass
class Barrier:
    """An mbarrier object (9.7.13.15.2)."""

    expected: int
    pending: int
    tx: int = 0
    phase: int = 0

    def arrive(self, count: int = 1) -> None:
        """9.7.13.15.7."""
        self.pending -= count
        self.complete_phase()

    def complete_tx(self, count: int) -> None:
        """9.7.13.15.5.2."""
        self.tx -= count
        self.complete_phase()

    def complete_phase(self) -> None:
        """9.7.13.15.6."""
        if self.pending == 0 and self.tx == 0:
            self.phase, self.pending = self.phase + 1, self.expected


class Sequence:
    """Statements of one thread, whose results are stored one after the other, and what they should be.

    Only operations whose behaviour is defined: `.noComplete` does not end a phase, no count leaves its range, and a
    wait names the current phase or the one before.
    """

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        count = self.dice.choice([1, 2, 3, 7, 100, LARGEST])
        self.barrier, self.states, self.results = Barrier(count, count), list[int](), list[int]()
        self.text = [f"mbarrier.init.shared.b64 [bar], {count};"]
        for _ in range(60):
            self.dice.choice(
                [self.arrive, self.arrive, self.expect, self.complete, self.cp_async, self.wait, self.wait]
            )()

    def result(self, value: int) -> None:
        self.text.append(f"st.global.b32 [out+{4 * len(self.results)}], v;")
        self.results.append(value)

    def arrive(self) -> None:
        """9.7.13.15.13 and 9.7.13.15.14."""
        barrier, most = self.barrier, self.barrier.pending
        if not most:  # all have arrived: bytes are awaited
            return
        drops = barrier.expected > 1 and self.dice.random() < 0.3
        if drops:
            most = min(most, barrier.expected - 1)
        count, bytes, before = self.dice.choice([1, most, self.dice.randint(1, most)]), 0, barrier.pending
        kind = self.dice.choice(["", "count", "expect_tx", "noComplete"])
        if kind == "noComplete" and count == barrier.pending and barrier.tx == 0:
            return
        if kind in ("", "expect_tx"):
            count = 1
        if kind == "expect_tx":
            bytes = self.dice.choice([0, 16, 1000, LARGEST - max(barrier.tx, 0)])
        opcode = f"mbarrier.arrive{'_drop' * drops}{f'.{kind}' if kind in ('expect_tx', 'noComplete') else ''}"
        semantics = self.dice.choice(["", ".release.cta"])
        operand = {"": "", "expect_tx": f", {bytes}"}.get(kind, f", {count}")
        if kind != "noComplete" and self.dice.random() < 0.3:
            at = "[far]" if self.dice.random() < 0.5 else "[generic]"
            self.text.append(f"{opcode}{'.shared::cluster' if at == '[far]' else ''}.b64 _, {at}{operand};")
        else:
            self.text.append(f"{opcode}{semantics}.shared.b64 s{len(self.states)}, [bar]{operand};")
            self.states.append(barrier.phase)
            if kind == "noComplete":
                self.text.append(f"mbarrier.pending_count.b64 v, s{len(self.states) - 1};")
                self.result(before)
        barrier.tx += bytes
        barrier.expected -= count * drops
        barrier.arrive(count)

    def expect(self) -> None:
        """9.7.13.15.11. Where it leaves nothing to wait for, the manual does not say whether the phase ends."""
        bytes = self.dice.choice([0, 4, 4096, LARGEST - max(self.barrier.tx, 0)])
        if self.barrier.pending or self.barrier.tx + bytes:
            self.barrier.tx += bytes
            self.text.append(f"mbarrier.expect_tx.relaxed.cta.shared.b64 [bar], {bytes};")

    def complete(self) -> None:
        """9.7.13.15.12; also before they are expected."""
        tx = self.barrier.tx
        bytes = self.dice.choice([tx, tx, tx // 2, 16]) if tx > 0 else self.dice.choice([0, 16, 48])
        if tx - bytes < -LARGEST:
            return
        self.barrier.complete_tx(bytes)
        self.text.append(f"mbarrier.complete_tx.shared.b64 [bar], {bytes};")

    def cp_async(self) -> None:
        """9.7.13.15.15, with no copy before it."""
        noinc = self.barrier.pending > 0 and self.dice.random() < 0.5
        if noinc:
            self.barrier.arrive()
        if noinc or 0 < self.barrier.pending < LARGEST:
            self.text.append(f"cp.async.mbarrier.arrive{'.noinc' * noinc}.shared.b64 [bar];")

    def wait(self) -> None:
        """9.7.13.15.16."""
        opcode, phase = self.dice.choice(["test_wait", "try_wait"]), self.barrier.phase
        known = [n for n, then in enumerate(self.states) if then >= phase - 1]
        if known and self.dice.random() < 0.5:
            n = self.dice.choice(known)
            self.text.append(f"mbarrier.{opcode}.shared.b64 p, [bar], s{n}; selp.b32 v, 1, 0, p;")
            self.result(int(self.states[n] < phase))
        else:
            parity = self.dice.randrange(2)
            self.text.append(
                f"mbarrier.{opcode}.parity.acquire.cta.shared.b64 p, [bar], {parity}; selp.b32 v, 1, 0, p;"
            )
            self.result(int(parity != phase % 2))


@pytest.mark.parametrize("first", [0, pytest.param(1000, marks=pytest.mark.sweep)])
def test_sequences(first: int) -> None:
    """Sixteen, as entries of one module."""
    sequences = [Sequence(seed) for seed in range(first, first + 16)]
    entries = [
        f""".visible .entry k{i}(.param .u64 pout) {{
    .shared .align 8 .b64 bar;
    .reg .b64 out, generic, s<{len(one.states) + 1}>; .reg .b32 v, far; .reg .pred p;
    ld.param.u64 out, [pout]; mov.b32 far, bar; mapa.shared::cluster.u32 far, far, 0; cvt.u64.u32 generic, far;
    cvta.shared.u64 generic, bar;
    {" ".join(one.text)}
    ret;
}}"""
        for i, one in enumerate(sequences)
    ]
    program = openptx.load(".version 8.6\n.target sm_90\n.address_size 64\n" + "\n".join(entries))
    for i, one in enumerate(sequences):
        for engine in ("interp", "native") if i % 4 == 0 else ("interp",):  # code takes most of a second to make
            found = np.full(len(one.results) + 1, 77, np.uint32)
            program[f"k{i}"](1, 1, (found,), engine=engine)
            np.testing.assert_array_equal(found, [*one.results, 77], f"{engine}: {one.text}")
