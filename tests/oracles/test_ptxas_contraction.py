"""Random straight-line programs: we contract the products that NVIDIA's machine code contracts."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from machine_code import MISSING, available, machine_code, stored, stored_by

import openptx

pytestmark = pytest.mark.skipif(not available(), reason=MISSING)

INPUTS = 6
TOGETHER = 50  # kernels of a file
CONSTANTS = ("40400000", "BF99999A", "40A00000")
POWERS = ("40000000", "40800000", "41000000", "3F000000", "3E800000", "3E000000", "41800000", "C0000000")
"""2, 4, 8, 1/2, 1/4, 1/8; 16 and -2, which scale nothing."""
ONES = ("3F800000", "BF800000")
SPLITS = ("@p st.global.f32 [o + 512], i0;", "membar.gl;", "pmevent 1;", "fence.acq_rel.gpu;")  # each ends a block
SAME_BLOCK = ("bar.sync 0;", "ld.global.f32 i5, [i + 20];", "st.global.f32 [o + 516], i1;")


def program(rng: random.Random, kind: str) -> str:
    """Some statements and stores. `kind`: dense (products and sums alone), mixed, ftz (mixed, with it), scaled, blocks.

    No two products have the same factors: what becomes of the sum of equal products is not known in all cases.
    """
    multiplied: set[frozenset[str]] = set()
    values, lines = [f"i{n}" for n in range(INPUTS)], list[str]()
    ftz = ".ftz" if kind == "ftz" else ""
    weights = {"product": 4, "sum": 5} if kind == "dense" else {
        "product": 4, "sum": 4, "constant": 2, "other": 3, "copy": 2, "rounded": 1}  # fmt: skip
    if kind == "scaled":
        weights |= {"sum": 2, "constant": 4}

    def some() -> str:
        return rng.choice(values[-7:] if rng.random() < 0.6 else values)

    for n in range(rng.randrange(12 if kind == "dense" else 6, 24)):
        a, b, c = some(), some(), some()
        what = rng.choices(list(weights), list(weights.values()))[0]
        if kind == "blocks" and rng.random() < 0.2:
            lines.append(rng.choice(SPLITS if rng.random() < 0.6 else SAME_BLOCK))
        if what == "product" and frozenset((a, b)) not in multiplied:
            multiplied.add(frozenset((a, b)))
            line = f"mul{ftz}.f32 v{n}, {a}, {b};"
        elif what in ("sum", "product"):
            sat = ".sat" if kind != "dense" and rng.random() < 0.1 else ""
            line = f"{rng.choice(('add', 'sub'))}{ftz}{sat}.f32 v{n}, {a}, {b};"
        elif what == "constant":
            constants = POWERS if kind == "scaled" else CONSTANTS if ftz else (*CONSTANTS, *ONES)
            line = f"mul{ftz}.f32 v{n}, {a}, 0f{rng.choice(constants)};"
        elif what == "copy":
            line = rng.choice((f"mov.f32 v{n}, {a};", f"neg.f32 v{n}, {a};"))
        elif what == "rounded":
            line = f"{rng.choice(('mul', 'add'))}.rn{ftz}.f32 v{n}, {a}, {b};"
        elif b != a and rng.random() < 0.5:
            line = f"max{ftz}.f32 v{n}, {a}, {b};"
        else:
            line = rng.choice((f"fma.rn{ftz}.f32 v{n}, {a}, {b}, {c};", f"abs.f32 v{n}, i{rng.randrange(INPUTS)};"))
        lines.append(line)
        values.append(f"v{n}")
    kept = {values[-1], *rng.sample(values[INPUTS:], rng.randrange(1, 5))}
    return "\n".join([*lines, *(f"st.global.f32 [o + {4 * i}], {v};" for i, v in enumerate(sorted(kept)))])


def branching(rng: random.Random) -> str:
    """Statements with parts that a branch goes around; what those compute they store themselves."""
    values, lines = [f"i{n}" for n in range(INPUTS)], list[str]()

    def statements(count: int) -> None:
        for _ in range(count):
            a, b, c = (rng.choice(values[-7:] if rng.random() < 0.6 else values) for _ in range(3))
            v = f"v{sum(line.find(' v') > 0 for line in lines)}"
            sums = f"add.f32 {v}, {a}, {b};", f"sub.f32 {v}, {a}, {b};"
            products = f"mul.f32 {v}, {a}, {b};", f"mul.f32 {v}, {a}, 0f{rng.choice(CONSTANTS)};"
            lines.append(rng.choice((*sums, *sums, *products, products[0], f"fma.rn.f32 {v}, {a}, {b}, {c};")))
            values.append(v)

    for label in range(4):
        statements(rng.randrange(1, 5))
        outside = list(values)
        lines.append(f"@{rng.choice(('', '!'))}p bra L{label};")
        statements(rng.randrange(1, 4))
        lines += [f"st.global.f32 [o + {4 * label}],{values[-1]};", f"L{label}:"]
        values[:] = outside
    statements(2)
    return "\n".join([*lines, *(f"st.global.f32 [o + {16 + 4 * i}],{v};" for i, v in enumerate(values[-3:]))])


def module(bodies: list[str], target: str) -> str:
    """A kernel for each."""
    loads = "\n".join(f"ld.global.f32 i{n}, [i + {4 * n}];" for n in range(INPUTS))
    kernels = [
        f".visible .entry k{n}(.param .u64 pi, .param .u64 po) {{\n"
        ".reg .b64 i, o; .reg .pred p; .reg .f32 i<6>, v<32>;\n"
        f"ld.param.u64 i, [pi]; ld.param.u64 o, [po];\n{loads}\nsetp.gt.f32 p, i0, i1;\n{body}\nret; }}"
        for n, body in enumerate(bodies)
    ]
    version = "8.0" if target.startswith(("sm_7", "sm_8", "sm_9")) else "8.7"
    return "\n".join([f".version {version}\n.target {target}\n.address_size 64", *kernels])


def differing(folder: Path, seed: int, count: int, kind: str, target: str = "sm_90a") -> list[str]:
    """The programs whose stored expressions are not those of the machine code."""
    rng = random.Random(f"{seed} {kind}")
    wrong: list[str] = []
    for _ in range(-(-count // TOGETHER)):
        bodies = [branching(rng) if kind == "branches" else program(rng, kind) for _ in range(TOGETHER)]
        text = module(bodies, target)
        theirs, ours = machine_code(folder, text, target), openptx.load(text)
        wrong += [b for n, b in enumerate(bodies) if stored(theirs[f"k{n}"]) != stored_by(ours[f"k{n}"].function)]
    return wrong


KINDS = ("dense", "mixed", "ftz")


@pytest.mark.parametrize("kind", [*KINDS, "scaled"])
def test_same_contraction(tmp_path: Path, kind: str) -> None:
    assert differing(tmp_path, 1, 50, kind) == []


@pytest.mark.sweep
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(2, 7))
def test_same_contraction_of_many(tmp_path: Path, kind: str, seed: int) -> None:
    """330 each, 4,950 in all."""
    assert differing(tmp_path, seed, 330, kind) == []


@pytest.mark.parametrize(("kind", "seed", "count", "most"), [
    ("blocks", 1, 50, 1), *(pytest.param("blocks", seed, 250, 4, marks=pytest.mark.sweep) for seed in range(2, 5)),
    *(pytest.param("scaled", seed, 330, 2, marks=pytest.mark.sweep) for seed in range(2, 5)),
    ("branches", 1, 50, 1), pytest.param("branches", 2, 500, 4, marks=pytest.mark.sweep),
])  # fmt: skip
def test_nearly_the_same_contraction(tmp_path: Path, kind: str, seed: int, count: int, most: int) -> None:
    """A few programs with several blocks differ; of those with powers of two, since equal
    products are merged first and `2x - x` is x (docs/contraction.md)."""
    assert len(differing(tmp_path, seed, count, kind)) <= most


@pytest.mark.sweep
@pytest.mark.parametrize("target", ["sm_75", "sm_80", "sm_86", "sm_100", "sm_120"])
def test_same_contraction_for_other_targets(tmp_path: Path, target: str) -> None:
    assert differing(tmp_path, 7, 200, "dense", target) == []


def test_a_difference_is_seen(tmp_path: Path) -> None:
    """Without contraction most dense programs do not compute what the machine code does."""
    rng = random.Random(3)
    bodies = [program(rng, "dense") for _ in range(20)]
    text = module(bodies, "sm_90a")
    theirs, ours = machine_code(tmp_path, text, "sm_90a"), openptx.load(text, contract="off")
    assert sum(stored(theirs[f"k{n}"]) == stored_by(ours[f"k{n}"].function) for n in range(20)) < 10
