"""Liveness agrees with its definition: some path reads a register before it writes it."""

from __future__ import annotations

import random

from openptx.dataflow import Effect, bits_of, effect, live_after, live_before, numbers_of, solve

REGISTERS = 4


def is_read_later(register: int, block: int, effects: list[Effect], successors: list[list[int]]) -> bool:
    """Whether a path from the end of a block reads a register before it writes it."""
    seen: set[int] = set()
    ahead = list(successors[block])
    while ahead:
        at = ahead.pop()
        if at in seen:
            continue
        seen.add(at)
        if effects[at].used >> register & 1:
            return True
        if not effects[at].defined >> register & 1:
            ahead += successors[at]
    return False


def test_random_graphs() -> None:
    chance = random.Random(1)
    for _ in range(300):
        n = chance.randint(1, 9)
        effects = [Effect(chance.getrandbits(REGISTERS) & chance.getrandbits(REGISTERS),
                          chance.getrandbits(REGISTERS)) for _ in range(n)]  # fmt: skip
        successors = [chance.sample(range(n), chance.randint(0, min(2, n))) for _ in range(n)]
        found = live_after(effects, successors, [0] * n)
        for block, after in enumerate(found):
            expected = [r for r in range(REGISTERS) if is_read_later(r, block, effects, successors)]
            assert numbers_of(after) == expected


def test_each_block_of_a_chain_of_loops_is_visited_twice() -> None:
    """Registers that are read inside loops do not go round them one by one."""
    visits = list[int]()

    class Counted(Effect):
        def before(self, live: int) -> int:
            visits.append(live)
            return super().before(live)

    n = 100
    live_after([Counted(1 << b, 0) for b in range(n)], [[(b + 1) % n, max(0, b - 3)] for b in range(n)], [0] * n)
    assert len(visits) == 2 * n


def test_results_are_live_where_their_block_leaves() -> None:
    assert live_after([Effect(0, 0), Effect(0, 0b10)], [[1], []], [0, 0b11]) == [0b01, 0b11]


def test_a_block_does_what_its_instructions_do() -> None:
    chance = random.Random(2)
    for _ in range(300):
        code = [([chance.randrange(REGISTERS)], [chance.randrange(REGISTERS)]) for _ in range(chance.randint(0, 5))]
        live = step = chance.getrandbits(REGISTERS)
        for reads, writes in reversed(code):
            step = live_before(step, reads, writes)
        assert effect(code).before(live) == step


def test_facts_that_hold_on_all_paths() -> None:
    """With intersection as the join: node 3 keeps what both branches to it give."""
    gives = {0: 0b001, 1: 0b010, 2: 0b110, 3: 0}
    edges = {0: [1, 2], 1: [3], 2: [3], 3: [0]}
    found = solve({0: 0}, lambda node, facts: [(s, facts | gives[node]) for s in edges[node]], int.__and__)
    assert found == {0: 0, 1: 0b001, 2: 0b001, 3: 0b011}


def test_sets_of_bits() -> None:
    for numbers in ([], [0], [5], [0, 1, 2, 64], [3, 9000], [*range(100)]):
        assert numbers_of(bits_of(numbers)) == numbers
