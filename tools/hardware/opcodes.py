"""All instructions that only compute, on a GPU: one kernel per statement, with edge cases among the operands.

Statements are spelt out of the declarations: all modifiers of an instruction, or a sample of them where there are many.
Of what the device gives a digest is kept, so that a test can hold OpenPTX against it without a GPU.
"""

from __future__ import annotations

import hashlib
import itertools
import random
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from typing import Any, NamedTuple

import numpy as np

import openptx
from hardware.driver import Driver
from openptx.isa.fidelity import EXACT, UNSUPPORTED
from openptx.isa.notation import INSTRUCTIONS, Form, Instruction, Modifiers, load, refusal
from openptx.isa.semantics.tensor_map import OUT_OF_BOUNDS_NAN
from openptx.isa.types import TYPES, Type
from openptx.numerics import FORMATS

TARGET = ".version 9.0\n.target sm_90a\n.address_size 64\n"
LANES = 2048
BLOCK = 256
MOST = 160  # statements of a form; the rest is left to chance
PLACES = 2
TRIES = 12_000  # of modifiers, where there are too many for all of them
MODULES = ("integer_arithmetic", "integer_bits", "extended_precision", "floating_point", "elementary_functions",
           "half_precision", "mixed_precision", "comparison_selection", "half_comparison", "logic_shift", "move",
           "convert", "video")  # fmt: skip
OTHERS = ("address", "label", "function", "arguments", "returns", "targets", "prototype")
ELSEWHERE = ("cvta", "mapa", "createpolicy", "isspacep", "istypep")
"""What addresses and policies are is a device's own affair."""

Array = np.ndarray[Any, Any]


class Operand(NamedTuple):
    """A register of the statement: its name, its width (1 is a predicate), and what numbers it is drawn from."""

    name: str
    width: int
    format: str
    written: bool


class Statement(NamedTuple):
    text: str
    operands: tuple[Operand, ...]
    exact: bool


# What there is


def computes(i: Instruction) -> bool:
    """Whether it has a meaning, and results of its operands alone."""
    if i.module.rpartition(".")[2] not in MODULES or i.parts[0] in ELSEWHERE:
        return False
    alone = i.control is None and i.converges is None and not i.carry and not i.yields_thread
    return i.meaning is not None and alone and all(t.role not in OTHERS for f in i.forms for t in f.operands)


def forms() -> list[tuple[int, int]]:
    """Numbers of instructions and of their forms."""
    load()
    some = [n for n, i in enumerate(INSTRUCTIONS) if computes(i)]
    return [(n, k) for n in some for k in range(len(INSTRUCTIONS[n].forms))]


def of_form(i: Instruction, form: Form) -> Iterator[Statement]:
    """Statements that the checker takes for the target."""
    choices = [[*slot.choices, *([None] if slot.optional else [])] for slot in form.slots]
    total = 1
    for choice in choices:
        total *= len(choice)
    dice = random.Random(f"{i.name} {form.slots}")
    if total <= MOST:
        taken: Any = itertools.product(*choices)
    else:
        taken = {tuple(dice.choice(choice) for choice in choices): None for _ in range(TRIES)}
    found = 0
    for choice in taken:
        modifiers = tuple(part for each in choice if each is not None for part in each.split("."))
        m = form.match(modifiers)
        if m is None or refusal(form, m) is not None or i.fidelity(m) == UNSUPPORTED:
            continue
        opcode = ".".join((i.name, *(each for each in choice if each is not None)))
        for layout in form.layouts(m):
            made = statement(dice, i, opcode, form, m, layout)
            if made is not None and accepted(made):
                found += 1
                yield made
        if found >= MOST:
            return


class Operands:
    """The operands of a statement, in registers of the widths that they are declared with."""

    def __init__(self, dice: random.Random, form: Form, m: Modifiers) -> None:
        self.dice, self.form, self.m = dice, form, m
        self.found = list[Operand]()

    def one(self, type: Type | None, role: str) -> str:
        width = 64 if type is None else 1 if type.kind == "pred" else max(type.width, 8)
        name = f"{'d' if role == 'write' else 'a'}{len(self.found)}"
        self.found.append(Operand(name, width, type.element.format or "" if type else "", role == "write"))
        return name

    def written(self, at: int) -> str:
        """The operand at a place of the form, with the second of a pair."""
        form, t = self.form, self.form.operands[at]
        if t.role == "sink":
            return "_"
        if t.role == "immediate":
            return str(self.dice.randrange(256 if t.name.startswith("imm") else 4))
        if t.elements:
            return f"{{{', '.join(self.one(form.type_of(e, self.m), t.role) for e in t.elements)}}}"
        count = form.count(t, self.m)
        type = TYPES["pred"] if t.pair else form.type_of(t.name, self.m)
        if count and (form.instruction.name != "mov" or self.m.vec):
            text = f"{{{', '.join(self.one(type, t.role) for _ in range(count))}}}"
        else:
            text = self.one(type, t.role) + (f".{self.dice.choice(t.selectors)}" if t.selected else "")
        is_pair = at + 1 < len(form.operands) and form.operands[at + 1].pair
        return text + (f"|{self.one(TYPES['pred'], 'write')}" if is_pair else "")


def statement(
    dice: random.Random, i: Instruction, opcode: str, form: Form, m: Modifiers, layout: Any
) -> Statement | None:
    """The opcode with its operands."""
    operands = Operands(dice, form, m)
    texts = [operands.written(at) for at in layout]
    if any(o.width == 128 for o in operands.found):
        return None
    return Statement(f"{opcode} {', '.join(texts)};", tuple(operands.found), i.fidelity(m) == EXACT)


def accepted(s: Statement) -> bool:
    return all(d.severity != "error" for d in openptx.check(kernel(s)))


# As PTX


def kernel(s: Statement) -> str:
    """Operands lie in arrays, one for each register, predicates as bytes."""
    pointers = ", ".join(f".param .u64 p{i}" for i in range(len(s.operands)))
    lines = [f"{TARGET}.visible .entry k({pointers})", "{"]
    lines += [f".reg .{'pred' if o.width == 1 else f'b{o.width}'} {o.name};" for o in s.operands]
    lines += [".reg .b32 i, t, n; .reg .b16 byte; .reg .b64 at;"]
    lines += ["mov.u32 i, %ctaid.x; mov.u32 n, %ntid.x; mov.u32 t, %tid.x; mad.lo.u32 i, i, n, t;"]
    before, after = list[str](), list[str]()
    for i, o in enumerate(s.operands):
        size = max(o.width // 8, 1)
        place = f"ld.param.u64 at, [p{i}]; mad.wide.u32 at, i, {size}, at;"
        if o.width == 1:
            get, put = (
                f"ld.global.u8 byte, [at]; setp.ne.u16 {o.name}, byte, 0;",
                f"selp.u16 byte, 1, 0, {o.name}; st.global.u8 [at], byte;",
            )
        else:
            get, put = f"ld.global.b{o.width} {o.name}, [at];", f"st.global.b{o.width} [at], {o.name};"
        before.append(f"{place} {get}")  # of results too: some instructions keep a part
        if o.written:
            after.append(f"{place} {put}")
    return "\n".join([*lines, *before, s.text, *after, "ret;", "}", ""])


# Operands


def arrays(s: Statement) -> list[Array]:
    """The same for a statement on every machine."""
    rng = np.random.Generator(np.random.PCG64([*s.text.encode()]))
    return [draw(rng, o) for o in s.operands]


def draw(rng: np.random.Generator, o: Operand) -> Array:
    if o.width == 1:
        return rng.integers(0, 2, LANES, dtype=np.uint8)
    f = FORMATS.get(o.format)
    if f is not None and f.storage <= o.width:
        found = np.zeros(LANES, np.uint64)
        for shift in range(0, o.width, f.storage):
            found |= floats(rng, f) << np.uint64(shift)
        return found.astype(f"u{o.width // 8}")
    w = o.width
    edges = np.array(
        [0, 1, 2, 3, 7, (1 << w) - 1, (1 << w) - 2, 1 << w - 1, (1 << w - 1) - 1, (1 << w - 1) + 1], np.uint64
    )
    words = rng.integers(0, 1 << 64, LANES, dtype=np.uint64) >> np.uint64(64 - w)
    small = rng.integers(0, 80, LANES, dtype=np.uint64)
    single = floats(rng, FORMATS[{8: "e4m3", 16: "f16", 32: "f32", 64: "f64"}[w]])
    kind = rng.integers(0, 8, LANES)
    chosen = np.select([kind < 2, kind < 4, kind < 7], [rng.choice(edges, LANES), small, words], single)
    return (chosen & np.uint64((1 << w) - 1)).astype(f"u{w // 8}")


def floats(rng: np.random.Generator, f: Any) -> Array:
    """Codes: near one, of all sizes, tiny, edges, NaNs."""
    man, top = np.uint64(f.man), f.infinity if f.infinity is not None else f.largest
    mantissa = rng.integers(0, max(f.hidden, 1), LANES, dtype=np.uint64)
    near = rng.integers(max(f.bias - 8, 0), f.bias + 9, LANES).astype(np.uint64) & np.uint64((1 << f.exp) - 1)
    tie = mantissa & ~((np.uint64(1) << rng.integers(0, f.man + 1, LANES).astype(np.uint64)) - np.uint64(1))
    edges = np.array([0, 1, f.hidden - 1, f.hidden, top - 1, top, f.magnitude, f.bias << f.man], np.uint64)
    if f.storage == 16:
        edges = np.append(edges, np.uint64(OUT_OF_BOUNDS_NAN))
    kind = rng.integers(0, 12, LANES)
    magnitude = np.select(
        [kind < 4, kind < 6, kind < 7, kind < 9, kind < 10],
        [near << man | mantissa, near << man | tie, mantissa, rng.choice(edges, LANES), np.uint64(top) | mantissa],
        rng.integers(0, f.magnitude + 1, LANES, dtype=np.uint64),
    ) & np.uint64(f.magnitude)
    return (magnitude << np.uint64(f.low)) | rng.integers(0, 2, LANES, dtype=np.uint64) * np.uint64(f.sign << f.low)


# On both


def ours(s: Statement, given: list[Array]) -> list[Array]:
    made = [a.copy() for a in given]
    openptx.load(kernel(s))["k"](LANES // BLOCK, BLOCK, made, engine="interp")
    return [a for a, o in zip(made, s.operands, strict=True) if o.written]


def digest(results: list[Array]) -> str:
    return hashlib.sha256(b"".join(a.tobytes() for a in results)).hexdigest()[:16]


def theirs(driver: Driver, s: Statement, given: list[Array]) -> list[Array]:
    loaded = driver.load(kernel(s))
    pointers = [driver.upload(a) for a in given]
    addresses = [p.value.to_bytes(8, "little") for p in pointers]
    driver.launch(driver.function(loaded, "k"), (LANES // BLOCK, 1, 1), (BLOCK, 1, 1), addresses)
    found = list[Array]()
    for a, o, pointer in zip(given, s.operands, pointers, strict=True):
        if o.written:
            found.append(np.empty_like(a))
            driver.download(found[-1], pointer)
        driver.free(pointer)
    driver.unload(loaded)
    return found


@cache
def this_driver() -> Driver:
    return Driver()


def compared(s: Statement) -> dict[str, Any]:
    given = arrays(s)
    try:
        real = theirs(this_driver(), s, given)
    except OSError as error:
        return {"refused": str(error)[:300]}
    mine = ours(s, given)
    row: dict[str, Any] = {"digest": digest(real)}
    different = np.zeros(LANES, bool)
    for a, b in zip(mine, real, strict=True):
        different |= a != b
    if different.any():
        at = np.flatnonzero(different)[:PLACES]
        row["differ"] = int(different.sum())
        row["exact"] = s.exact
        row["places"] = [
            {
                "given": [f"{a[i]:x}" for a in given],
                "ours": [f"{a[i]:x}" for a in mine],
                "theirs": [f"{a[i]:x}" for a in real],
            }
            for i in at
        ]
    return row


def of_numbers(instruction: int, form: int) -> Iterator[Statement]:
    load()
    i = INSTRUCTIONS[instruction]
    return of_form(i, i.forms[form])


def compared_all(numbers: tuple[int, int]) -> list[tuple[str, dict[str, Any]]]:
    return [(s.text, compared(s)) for s in of_numbers(*numbers)]


def record(pool: ProcessPoolExecutor) -> dict[str, Any]:
    """Statements that agree, with the digests of their results; those that differ; and what the device refuses."""
    rows = dict(row for found in pool.map(compared_all, forms()) for row in found)
    return {
        "agree": {text: row["digest"] for text, row in rows.items() if "digest" in row and "differ" not in row},
        "differ": {text: row for text, row in rows.items() if "differ" in row},
        "refused": {text: row["refused"] for text, row in rows.items() if "refused" in row},
    }
