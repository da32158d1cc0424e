"""Random programs of three warps with named barriers, at which some only arrive: a race is found where nothing orders
two accesses, and only there. What lacks between warps with roles is a named barrier, not one of the block."""

from __future__ import annotations

from itertools import combinations, pairwise, product
from random import Random
from typing import TypeAlias

import pytest

import openptx

HEAD = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k() {
    .reg .pred mine, one; .reg .b32 warp, lane, r; .shared .b32 x, y;
    mov.u32 warp, %tid.x; and.b32 lane, warp, 31; shr.u32 warp, warp, 5; setp.eq.u32 one, lane, 0;
"""
WARPS = range(3)
ACCESSES = [f"@one {access}" for x in "xy" for access in (f"st.shared.u32 [{x}], lane;", f"ld.shared.u32 r, [{x}];")]

Step: TypeAlias = tuple[int, int]
"""A warp, and the position of a statement in its program."""


def programs(random: Random) -> tuple[list[list[str]], set[tuple[Step, Step]]]:
    """The statements of each warp, and which of them come right before others."""
    text: list[list[str]] = [[] for _ in WARPS]
    before = set[tuple[Step, Step]]()
    for barrier in range(1, 7):
        for warp in WARPS:
            text[warp] += random.choices(ACCESSES, k=random.choice((0, 0, 1)))
        members = random.sample(WARPS, random.choice((2, 2, 3)))
        waiting = members[: random.randint(1, len(members))]
        steps = {warp: (warp, len(text[warp])) for warp in members}
        before.update((steps[one], steps[other]) for one in members for other in waiting)
        for warp in members:
            text[warp].append(f"bar.{'sync' if warp in waiting else 'arrive'} {barrier}, {32 * len(members)};")
    before.update(((warp, i), (warp, j)) for warp in WARPS for i, j in pairwise(range(len(text[warp]))))
    return text, before


def unordered(text: list[list[str]], before: set[tuple[Step, Step]]) -> bool:
    """Whether two accesses of one variable, one of them a write, are not ordered."""
    steps = [(warp, i) for warp in WARPS for i in range(len(text[warp]))]
    reached = set(before)
    for middle, first, last in product(steps, repeat=3):
        if (first, middle) in reached and (middle, last) in reached:
            reached.add((first, last))
    for one, other in combinations([step for step in steps if "@one" in text[step[0]][step[1]]], 2):
        a, b = text[one[0]][one[1]], text[other[0]][other[1]]
        same = ("x" in a) == ("x" in b) and ("st." in a or "st." in b)
        if same and one[0] != other[0] and (one, other) not in reached and (other, one) not in reached:
            return True
    return False


@pytest.mark.parametrize("seed", [0, 3])
def test_random_programs_with_named_barriers(seed: int) -> None:
    random, racing = Random(seed), 0
    for _ in range(25):
        text, before = programs(random)
        body = "".join(
            f"setp.ne.u32 mine, warp, {warp};\n@mine bra NEXT{warp};\n" + "\n".join(text[warp]) + f"\nNEXT{warp}:\n"
            for warp in WARPS
        )
        kernel = openptx.load(HEAD + body + "ret; }")["k"]
        found = openptx.sanitize(kernel, 1, 96, tools="race")
        expected = unordered(text, before)
        racing += expected
        assert bool(found) == expected, body
    assert 5 < racing < 25


ROLES = """
    .reg .pred first; mov.u32 r, %tid.x; setp.eq.u32 first, r, 32; setp.eq.u32 mine, warp, 0;
    @mine bra PRODUCE;
    {wait}
    {store}
    @one ld.shared.u32 r, [x];
    {after}
    ret;
PRODUCE:
    {produce}
    ret; }}"""
WAIT, ARRIVE, MEET, STORE = "bar.sync 1, 96;", "bar.arrive 1, 96;", "bar.sync 2, 64;", "@first st.shared.u32 [x], r;"


def help_of(wait: str = "", store: str = "", after: str = "", produce: str = "") -> str | None:
    code = ROLES.format(wait=wait, store=store, after=after, produce=produce)
    return openptx.sanitize(openptx.load(HEAD + code)["k"], 1, 96, tools="race,sync")[0].help


@pytest.mark.parametrize(
    ("code", "help"),
    [
        ((WAIT, STORE, "", ARRIVE), "of the warps that come here, for 64 threads, between lines 11 and 12"),
        (("", STORE, MEET), "of the warps that come here, `bar.sync 2, 64` as elsewhere, between lines 11 and 12"),
    ],
)
def test_between_warps_with_roles_lacks_a_named_barrier(code: tuple[str, ...], help: str) -> None:
    assert help_of(*code) == f"a named barrier {help}; not `__syncthreads()`"


def test_where_all_warps_come_a_barrier_of_the_block_is_as_good() -> None:
    code = (
        "setp.eq.u32 mine, warp, 0; @!mine bar.sync 2, 64;\n@mine st.shared.u32 [x], 7;\nld.shared.u32 r, [x];\nret; }"
    )
    (found,) = openptx.sanitize(openptx.load(HEAD + code)["k"], 1, 96, tools="race")
    assert (found.help or "").startswith("a `bar.sync 0` between lines 8 and 9")


@pytest.mark.parametrize(
    ("code", "missing"),
    [
        ((WAIT,), "arrivals are missing: 32 of 96 at barrier 1"),
        (
            (WAIT, "", "", "bar.sync 3, 96;"),
            "one of these arrivals is missing: 32 of 96 at barrier 1, 64 of 96 at barrier 3",
        ),
        (("bar.sync 0;", "", "", "bar.sync 3;"), "32 of 96 at barrier 0, 64 of 96 at barrier 3"),
    ],
)
def test_a_wait_in_vain_says_which_arrivals_are_missing(code: tuple[str, ...], missing: str) -> None:
    assert f"{missing}. Let the threads arrive before" in (help_of(*code) or "")
