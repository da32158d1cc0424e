"""Kernels with errors: one thread or all commit a violation. Each ends in a fault, or with the right value.

hostile = HostileKernel(seed)
hostile.text, .grid, .block, .shared     how it is launched; its parameters are (out, wild, victim)
hostile.faults                           names of the faults that it may end in, "" for none
hostile.alone                            every engine must find the same, and say so in the same words
"""

from __future__ import annotations

import random
from collections.abc import Callable

from control_violations import (
    assertion,
    bad_call,
    bad_index,
    bad_mask,
    deep_recursion,
    division,
    endless_loop,
    endless_recursion,
    huge_frame,
    invalid_barrier,
    lost_barrier,
    other_lanes,
    trap,
)
from violations import (
    Violation,
    around_the_end,
    bad_restore,
    bulk_copies,
    copies,
    end_of_array,
    function_memory,
    heap,
    huge_shared,
    late_block,
    locked_atomics,
    matrix_rows,
    much_stack,
    no_elements,
    off_by_one,
    read_only,
    self_modifying,
    stack_beyond,
    two_stacks,
    wild,
    wild_pointer,
    wrapped,
    wrong_space,
)

HEAD = ".version 8.7\n.target sm_90\n.address_size 64\n"


class HostileKernel:
    def __init__(self, seed: int) -> None:
        dice, self.seed = random.Random(seed), seed
        self.kind = dice.choice(list(VIOLATIONS))
        violation = VIOLATIONS[self.kind](dice)
        self.faults, self.shared, self.timeout = violation.faults, violation.shared, violation.timeout
        parts = () if violation.whole_warps else ((1, 1, 1), (33, 1, 1), (5, 7, 1), (100, 1, 1))
        self.block = dice.choice(((32, 1, 1), (64, 1, 1), *parts))
        self.grid = (dice.choice((1, 1, 2, 7, min(150, violation.largest))), 1, 1)
        self.threads = self.block[0] * self.block[1]
        total = self.threads * self.grid[0]
        self.all_threads = violation.whole or dice.random() < 0.2
        self.victim = 0xFFFFFFFF if self.all_threads else dice.choice((0, total - 1, dice.randrange(total)))
        self.alone = violation.alone and not (violation.racing and self.all_threads and self.grid[0] > 1)
        self.wild = wild(dice)
        self.text = "\n".join(
            (
                HEAD,
                violation.top,
                ".visible .entry k(.param .u64 out, .param .u64 wild, .param .u32 victim) {",
                ".reg .b32 t, u, v, i, j; .reg .b64 o, w, a, b, c; .reg .b16 h; .reg .b128 z; .reg .pred p, q;",
                ".reg .f64 e; .reg .f32 f; .shared .align 16 .b8 sh[64]; .local .align 16 .b8 lo[64];",
                "ld.param.u64 o, [out]; ld.param.u64 w, [wild]; ld.param.u32 v, [victim];",
                "mov.u32 i, %tid.y; mov.u32 j, %ntid.x; mov.u32 t, %tid.x; mad.lo.u32 t, i, j, t; mov.u32 u, %ctaid.x;",
                f"mad.lo.u32 u, u, {self.threads}, t; setp.eq.u32 p, u, v;",
                "setp.eq.or.u32 p, v, 0xFFFFFFFF, p; mad.wide.u32 o, u, 8, o; mov.b64 b, 7; mov.u32 i, 7;",
                violation.before,
                "@!p bra FINE;",
                violation.code,
                "st.global.u64 [o], b;",
                "FINE: ret;",
                "}",
            )
        )

    def __str__(self) -> str:
        return f"seed {self.seed}, {self.kind}, grid {self.grid}, block {self.block}, victim {self.victim}\n{self.text}"

    @property
    def bytes(self) -> int:
        """Of `out`."""
        return 8 * self.threads * self.grid[0]


VIOLATIONS: dict[str, Callable[[random.Random], Violation]] = {
    f.__name__: f
    for f in (
        wild_pointer, off_by_one, end_of_array, read_only, function_memory, endless_loop, endless_recursion,
        deep_recursion, huge_frame, huge_shared, lost_barrier, invalid_barrier, division, bad_index, bad_call,
        much_stack, stack_beyond, bad_restore, late_block, bad_mask, trap, assertion, heap, copies, self_modifying,
        other_lanes, wrapped, wrong_space, around_the_end, no_elements, locked_atomics, bulk_copies, matrix_rows,
        two_stacks,
    )
}  # fmt: skip
