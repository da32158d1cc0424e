"""Kernels of single statements of a warp that access memory or exchange fragments: matrices, atomics, reductions."""

from __future__ import annotations

import itertools
import random
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from lifted_kernels import Unreadable, lifted
from lifted_statements import Result, head, opcodes

import openptx
from openptx.isa.fidelity import UNSUPPORTED
from openptx.isa.notation import INSTRUCTIONS, Form, Instruction, Modifiers, load, refusal

WARP = 32
TILE = 8192
OWN = 256
"""Bytes of a thread's registers, and of its part of the tile."""

NAMES = ("wmma.load.a", "wmma.load.b", "wmma.load.c", "wmma.store.d", "wmma.mma", "mma", "ldmatrix", "stmatrix",
         "movmatrix", "redux", "atom", "red", "shfl", "vote", "match")  # fmt: skip
KEPT = ("cluster", "sys", "acquire", "release", "acq_rel", "cache_hint", "shared::cta")
"""Modifiers that change no result."""

KERNEL = """{head}.visible .entry k(.param .u64 o) {{
.reg .b64 %memory, %own, %part, %row, %word; .reg .b32 %t, %t32, %shared; .reg .b16 %byte;
{declarations}
.shared .align 128 .b8 %tile[{tile}];
ld.param.u64 %memory, [o]; mov.u32 %t, %tid.x; mad.wide.u32 %own, %t, {own}, %memory; add.u64 %own, %own, {tile};
mad.wide.u32 %part, %t, {own}, %memory; mov.u32 %shared, %tile; mad.lo.u32 %shared, %t, {own}, %shared;
{fill}
bar.sync 0;
{address}
{loads}
{statement}
{stores}
bar.sync 0;
{drain}
ret; }}
"""


class Operands(opcodes.Operands):
    """Addresses are those of the tile, in global or shared memory; distances and masks are constants."""

    def written(self, at: int) -> str:
        template = self.form.operands[at]
        if template.role == "address":
            return "[%row]"
        if template.name == "stride":
            return "128" if self.m.type.name == "b1" else "32"
        if template.name in ("membermask", "mask"):
            return "0xffffffff"
        return str(super().written(at))


def of_form(i: Instruction, form: Form, target: str, most: int) -> Iterator[Any]:
    """Statements that the checker takes for the target, as kernels with their operands."""
    choices = [[*slot.choices, *([None] if slot.optional else [])] for slot in form.slots]
    choices = [[each for each in choice if each is None or not each.endswith(KEPT)] for choice in choices]
    dice = random.Random(f"{i.name} {form.slots}")
    every = [*itertools.product(*choices)] if np.prod([len(c) for c in choices]) < 20000 else [
        tuple(dice.choice(choice) for choice in choices) for _ in range(20000)]  # fmt: skip
    dice.shuffle(every)
    found = 0
    for choice in every:
        m = form.match(tuple(part for each in choice if each is not None for part in each.split(".")))
        if m is None or refusal(form, m) is not None or i.fidelity(m) == UNSUPPORTED:
            continue
        opcode = ".".join((i.name, *(each for each in choice if each is not None)))
        for layout in form.layouts(m):
            if any("policy" in form.operands[at].name for at in layout):
                continue
            operands = Operands(dice, form, m)
            texts = [operands.written(at) for at in layout]
            made = opcodes.Statement(f"{opcode} {', '.join(texts)};", tuple(operands.found), True)
            if any(o.width == 128 for o in made.operands):
                continue
            if all(d.severity != "error" for d in openptx.check(kernel(made, target, m))):
                yield made, kernel(made, target, m)
                found += 1
        if found >= most:
            return


def forms() -> list[tuple[Instruction, Form]]:
    load()
    return [(i, form) for i in INSTRUCTIONS if i.name in NAMES for form in i.forms]


def compared(s: Any, text: str, target: str) -> Result:
    """The memory after launches of the statement, next to what its machine code leaves."""
    try:
        module, static = lifted(text, target)
    except Unreadable as reason:
        return Result(s.text, "unreadable", str(reason))
    except ValueError as reason:
        return Result(s.text, "refused", str(reason))
    for seed in range(2):
        ours, theirs = memory(s, seed), memory(s, seed)
        openptx.load(text)["k"](1, WARP, (ours,), engine="interp")
        module["k"](1, WARP, (theirs,), shared_mem=static["k"], engine="interp")
        wrong = np.flatnonzero(ours != theirs)
        if wrong.size:
            at = wrong[0] & -4
            words = (f"{each[at : at + 4].view(np.uint32)[0]:08x}" for each in (memory(s, seed), ours, theirs))
            return Result(s.text, "different", f"{wrong.size} bytes, at {wrong[:6]} {[*words]}")
    return Result(s.text, "equal")


def kernel(s: Any, target: str, m: Modifiers) -> str:
    shared = str(m.space).startswith("shared") or s.text.startswith(("ldmatrix", "stmatrix"))
    loads, stores = list[str](), list[str]()
    for n, o in enumerate(s.operands):
        place = f"[%own+{8 * n}]"
        if o.width == 1:
            loads.append(f"ld.global.u8 %byte, {place}; setp.gt.u16 {o.name}, %byte, 127;")
            stores.append(f"selp.u16 %byte, 1, 0, {o.name}; st.global.u8 {place}, %byte;" if o.written else "")
        else:
            loads.append(f"ld.global.b{o.width} {o.name}, {place};")
            stores.append(f"st.global.b{o.width} {place}, {o.name};" if o.written else "")
    fill, drain = list[str](), list[str]()
    for n in range(0, OWN, 8) if shared else ():
        fill.append(f"ld.global.b64 %word, [%part+{n}]; st.shared.b64 [%shared+{n}], %word;")
        drain.append(f"ld.shared.b64 %word, [%shared+{n}]; st.global.b64 [%part+{n}], %word;")
    declared = "\n".join(f".reg .{'pred' if o.width == 1 else f'b{o.width}'} {o.name};" for o in s.operands)
    return KERNEL.format(
        head=head(target), declarations=declared, tile=TILE, own=OWN, address=address(s, m, shared), statement=s.text,
        fill="\n".join(fill), loads="\n".join(loads), stores="\n".join(stores), drain="\n".join(drain),
    )  # fmt: skip


def address(s: Any, m: Modifiers, shared: bool) -> str:
    """The whole tile for matrices, each thread's row for `ldmatrix` and `stmatrix`, and its part for atomics."""
    whole = s.text.startswith(("wmma", "ldmatrix", "stmatrix"))
    if not shared:
        return f"mov.u64 %row, {'%memory' if whole else '%part'};"
    found = f"mov.u32 %t32, {'%tile' if whole else '%shared'}; cvt.u64.u32 %row, %t32;"
    if m.space == "generic":
        found += " cvta.shared.u64 %row, %row;"
    return found + (" mad.wide.u32 %row, %t, 32, %row;" if "matrix" in s.text else "")


def memory(s: Any, seed: int) -> Any:
    """What a launch begins with: the tile, then the registers of each thread."""
    rng = np.random.default_rng(zlib.crc32(s.text.encode()) + seed)
    type = s.text.split(" ")[0].rsplit(".", 1)[1]
    format = type.removesuffix("x2")
    element = opcodes.Operand("", 64 if format == "f64" else 16 if format in ("f16", "bf16") else 32, format, False)
    tile = np.concatenate([opcodes.draw(rng, element).view(np.uint8) for _ in range(8)])[:TILE]
    own = rng.integers(0, 256, (WARP, OWN), np.uint8)
    for n, o in enumerate(s.operands):
        if s.text.startswith("mma.sp") and n == len(s.operands) - 1:  # positions of two elements of four
            pairs = rng.choice(np.array([0x4, 0x8, 0xC, 0x9, 0xD, 0xE], np.uint8), (2, WARP, 4))
            own[:, 8 * n : 8 * n + 4] = pairs[0] | pairs[1] << 4
        elif 8 <= o.width <= 64:
            own[:, 8 * n : 8 * n + o.width // 8] = opcodes.draw(rng, o)[:WARP].view(np.uint8).reshape(WARP, -1)
    return np.concatenate([tile, own.reshape(-1)])
