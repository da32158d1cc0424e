"""Random statements without memory or control flow, generated from the declarations: any form, modifiers, types."""

from __future__ import annotations

import functools
import os
import random
import re
import struct

import openptx
from openptx.isa.fidelity import EXACT, UNSUPPORTED
from openptx.isa.notation import INSTRUCTIONS, Form, Instruction, Modifiers, load, refusal, resolve
from openptx.isa.types import TYPES, Type

DEVICE = os.environ.get("OPENPTX_RANDOM_FOR", "")
"""A target whose statements are wanted, and of them those alone whose results are exact: for runs on real devices."""

TARGET = f".version 8.8\n.target {DEVICE or 'sm_100a'}\n.address_size 64\n"

# fmt: off
#          register, how many of them
POOLS = {
    "pred": ("p", 6),
    "b8":   ("q", 3),
    "b16":  ("h", 6),
    "b32":  ("r", 12),
    "b64":  ("d", 8),
    "b128": ("w", 2),
}
#                             module, how often
MODULES = {
    "integer_arithmetic":     6,
    "integer_bits":           3,
    "logic_shift":            5,
    "floating_point":         4,
    "elementary_functions":   2,
    "half_precision":         2,
    "mixed_precision":        1,
    "comparison_selection":   4,
    "half_comparison":        1,
    "convert":                5,
    "move":                   2,
    "video":                  1,
}
# What lanes as a base and offsets are made of: an engine that tracks them must lose none of them.
PLAIN = (
    "add.s32", "add.u32", "sub.s32", "mul.lo.s32", "mul.lo.u32", "mad.lo.s32", "shl.b32", "shr.u32", "shr.s32",
    "and.b32", "mul.wide.u32", "mul.wide.s32", "add.s64", "sub.u64", "cvt.u64.u32", "cvt.s64.s32", "cvt.u32.u64",
    "mad.wide.u32", "mad.wide.s32", "shl.b64", "setp.lt.u32", "setp.ge.s32", "rem.u32", "div.u32", "add.u16",
    "mul.lo.u16", "cvt.u16.u32", "cvt.u32.u16", "mov.b32", "selp.b32", "min.u32", "max.s32",
)
# fmt: on
DECLARATIONS = " ".join(f".reg .{t} {name}<{n}>;" for t, (name, n) in POOLS.items())
OTHERS = ("address", "label", "function", "arguments", "returns", "targets", "prototype")


def register(dice: random.Random, type: str, avoid: set[str] | None = None) -> str:
    name, n = POOLS[type]
    free = [f"{name}{i}" for i in range(n) if avoid is None or f"{name}{i}" not in avoid]
    return dice.choice(free)


def pool(type: Type | None) -> str:
    if type is None:
        return "b64"
    return "pred" if type.kind == "pred" else f"b{max(type.width, 8)}"


@functools.cache
def choices() -> dict[str, list[Instruction]]:
    """By module, the instructions that only compute."""
    load()
    found: dict[str, list[Instruction]] = {}
    for i in INSTRUCTIONS:
        module = i.module.rpartition(".")[2]
        computes = i.meaning is not None and i.control is None and i.converges is None and not i.carry
        if module in MODULES and computes and all(t.role not in OTHERS for f in i.forms for t in f.operands):
            found.setdefault(module, []).append(i)
    return found


def statement(dice: random.Random) -> str:
    """One that the checker takes, with registers of the pools."""
    while True:
        opcode, form, m = plain(dice) if dice.random() < 0.35 else anything(dice)
        layouts = list(form.layouts(m))
        text = f"{opcode} {operands(dice, form, m, dice.choice(layouts))};"
        if accepted(text):
            return text


def plain(dice: random.Random) -> tuple[str, Form, Modifiers]:
    opcode = dice.choice(PLAIN)
    return (opcode, *resolve(opcode)[0])


def anything(dice: random.Random) -> tuple[str, Form, Modifiers]:
    while True:
        module = dice.choices(list(MODULES), list(MODULES.values()))[0]
        i = dice.choice(choices()[module])
        form = dice.choice(i.forms)
        if "ptxas" not in form.profiles:
            continue
        taken = [
            None if slot.optional and dice.random() < 0.6 else dice.choice(list(slot.choices)) for slot in form.slots
        ]
        modifiers = [part for choice in taken if choice is not None for part in choice.split(".")]
        m = form.match(tuple(modifiers))
        if m is None or refusal(form, m) is not None:
            continue
        if (found := i.fidelity(m)) == EXACT or (found != UNSUPPORTED and not DEVICE):
            return ".".join((i.name, *(choice for choice in taken if choice is not None))), form, m


def operands(dice: random.Random, form: Form, m: Modifiers, layout: tuple[int, ...]) -> str:
    """Their text: registers of the pools, no destination twice, and here and there an immediate."""
    written: set[str] = set()
    texts: list[str] = []

    def one(type: Type | None, role: str) -> str:
        name = pool(type)
        if form.instruction.allows_wider_registers and name in ("b8", "b16", "b32") and dice.random() < 0.25:
            name = dice.choice(["b16", "b32", "b64"])  # a register may be wider than the type
        if role == "write":
            found = register(dice, name, written)
            written.add(found)
        elif role == "read" and type is not None and name not in ("pred", "b128") and dice.random() < 0.2:
            return immediate(dice, type)
        else:
            found = register(dice, name)
        return found

    for i in layout:
        t = form.operands[i]
        if t.role == "sink":
            texts.append("_")
        elif t.role == "immediate":
            texts.append(str(dice.randrange(256) if t.name.startswith("imm") else dice.randrange(4)))
        elif t.elements:
            texts.append(f"{{{', '.join(one(form.type_of(e, m), t.role) for e in t.elements)}}}")
        else:
            count = form.count(t, m)
            type = TYPES["pred"] if t.pair else form.type_of(t.name, m)
            if count and (form.instruction.name != "mov" or m.vec):
                text = f"{{{', '.join(one(type, t.role) for _ in range(count))}}}"
            else:
                text = one(type, t.role) + (f".{dice.choice(t.selectors)}" if t.selected else "")
            if i + 1 < len(form.operands) and form.operands[i + 1].pair and dice.random() < 0.5:
                text += f"|{one(TYPES['pred'], 'write')}"
            texts.append(text)
    return ", ".join(texts)


def immediate(dice: random.Random, type: Type) -> str:
    if type.format == "f32":
        return f"0f{real_bits(dice, 32):08X}"
    if type.format == "f64":
        return f"0d{real_bits(dice, 64):016X}"
    width = min(type.width, 64)
    edges = [0, 1, 2, 3, 4, 7, 8, 31, 32, 255, (1 << width) - 1, 1 << width - 1, (1 << width - 1) - 1]
    value = dice.choice(edges) if dice.random() < 0.8 else dice.getrandbits(width)
    return str(value - (1 << width) if type.signed and value >> width - 1 else value)


def real_bits(dice: random.Random, width: int) -> int:
    values = [0.0, -0.0, 1.0, -1.0, 0.5, 3.0, 1e-40, -1e-310, 65504.0, 3e38, float("inf"), float("nan"), 2.0**31]
    value = dice.choice(values) if dice.random() < 0.7 else dice.gauss(0, 1000)
    try:
        data = struct.pack(">f" if width == 32 else ">d", value)
    except OverflowError:
        return 0x7F800000
    return int.from_bytes(data, "big")


_REGISTER = re.compile(r"\b([a-z])\d+\b")
_accepted: dict[str, bool] = {}


def accepted(text: str) -> bool:
    """Whether the checker takes the statement; which register of a pool it names does not matter."""
    opcode, _, rest = text.partition(" ")
    key = opcode + " " + _REGISTER.sub(r"\1", rest)
    found = _accepted.get(key)
    if found is None:
        module = f"{TARGET}.visible .entry k() {{ {DECLARATIONS} {text} ret; }}"
        found = _accepted[key] = all(d.severity != "error" for d in openptx.check(module))
    return found
