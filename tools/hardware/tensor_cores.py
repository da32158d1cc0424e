"""Products of matrices on a GPU, with operands that show how sums are made: a kernel for each form of mma.

Registers are drawn from a fixed seed: numbers near one, numbers of all sizes, and codes with edges among them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import openptx
from hardware.driver import Driver
from openptx.numerics import FORMATS

CASES = 96  # warps of each form
LANES = 32
Array = np.ndarray[Any, Any]


class Form(NamedTuple):
    """An opcode and the registers of its operands: (how many, width, type of their elements)."""

    opcode: str
    target: str
    result: tuple[int, int, str]
    sources: tuple[tuple[int, int, str], ...]
    tail: str = ""

    @property
    def name(self) -> str:
        return self.opcode.replace("::", "_").replace(".", "_")


BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "f64": 64, "e4m3": 8, "e5m2": 8, "s8": 8, "u8": 8, "s4": 4,
        "u4": 4, "b1": 1, "s32": 32}  # fmt: skip


def registers(elements: int, type: str) -> tuple[int, int, str]:
    """A lane's part of this many elements."""
    bits = elements * BITS[type] // LANES
    word = 64 if type == "f64" else 32
    return bits // word, word, type


ORDERED = ".sp::ordered_metadata"
HALVES, BYTES, NARROW = ("m16n8k8", "m16n8k16"), ("m16n8k16", "m16n8k32"), ("m16n8k4", "m16n8k8")


def product(shape: str, d: str, a: str, b: str, target: str, sparse: str = "", flags: str = "", meta: str = "") -> Form:
    """The form with these types, and how many registers its operands take."""
    m, rest = shape[1:].split("n")
    n, k = rest.split("k")
    rows, columns, depth = int(m), int(n), int(k)
    c = registers(rows * columns, d)
    sources = [registers(rows * depth // (2 if sparse else 1), a), registers(depth * columns, b), c]
    tail = ""
    if sparse:
        sources.append((1, 32, meta))
        tail = ", 0x0"
    opcode = f"mma{sparse}.sync.aligned.{shape}.row.col{flags}.{d}.{a}.{b}.{d}"
    if a == "b1":
        opcode += flags.replace(".xor", ".xor.popc").replace(".and", ".and.popc")
        opcode = opcode.replace(f"col{flags}.", "col.")
    return Form(opcode, target, c, tuple(sources), tail)


def forms() -> list[Form]:
    """Every form, in an order that does not change."""
    return [*dense_floats(), *dense_integers(), *sparse()]


def dense_floats() -> Iterator[Form]:
    for d in ("f16", "f32"):
        yield from (product(shape, d, "f16", "f16", "sm_80") for shape in HALVES)
        for a, b in (("e4m3", "e4m3"), ("e4m3", "e5m2"), ("e5m2", "e5m2")):
            yield from (product(shape, d, a, b, "sm_90") for shape in BYTES)
    yield from (product(shape, "f32", "bf16", "bf16", "sm_80") for shape in HALVES)
    yield from (product(shape, "f32", "tf32", "tf32", "sm_80") for shape in NARROW)
    for shape in ("m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16"):
        yield product(shape, "f64", "f64", "f64", "sm_90")


def dense_integers() -> Iterator[Form]:
    for a, b in (("s8", "s8"), ("s8", "u8"), ("u8", "u8")):
        for shape in ("m8n8k16", "m16n8k16", "m16n8k32"):
            yield product(shape, "s32", a, b, "sm_80", flags=".satfinite")
    for a, b in (("s4", "s4"), ("u4", "s4")):
        for shape in ("m8n8k32", "m16n8k32", "m16n8k64"):
            yield product(shape, "s32", a, b, "sm_80", flags=".satfinite")
    for op in (".xor", ".and"):
        for shape in ("m8n8k128", "m16n8k128", "m16n8k256"):
            yield product(shape, "s32", "b1", "b1", "sm_80", flags=op)


def sparse() -> Iterator[Form]:
    for d in ("f16", "f32"):
        yield from (product(shape, d, "f16", "f16", "sm_80", ORDERED, meta="two of four") for shape in BYTES)
    yield from (product(shape, "f32", "bf16", "bf16", "sm_80", ORDERED, meta="two of four") for shape in BYTES)
    yield from (product(shape, "f32", "tf32", "tf32", "sm_80", ORDERED, meta="one of two") for shape in HALVES)
    yield product("m16n8k64", "f32", "e4m3", "e5m2", "sm_90", ORDERED, meta="two of four")
    for shape in ("m16n8k32", "m16n8k64"):
        yield product(shape, "s32", "s8", "u8", "sm_80", ORDERED, flags=".satfinite", meta="two of four")


def text(form: Form) -> str:
    """A kernel: each CTA is a warp, and its registers lie as [case, register, lane]."""
    groups = (form.result, *form.sources)
    lines = [f".version 8.7\n.target {form.target}\n.address_size 64"]
    lines += [f".visible .entry k({', '.join(f'.param .u64 p{i}' for i in range(len(groups)))})", "{"]
    lines += [".reg .b32 lane, case, at; .reg .b64 base, offset;", "mov.u32 lane, %tid.x; mov.u32 case, %ctaid.x;"]
    lists = list[str]()
    for i, (count, bits, _) in enumerate(groups):
        lines.append(f".reg .b{bits} g{i}_<{count}>;")
        names = [f"g{i}_{r}" for r in range(count)]
        lists.append(f"{{{', '.join(names)}}}" if count > 1 or i < 4 else names[0])
    for i in (*range(1, len(groups)), 0):
        count, bits, _ = groups[i]
        if not i:
            lines.append(f"{form.opcode} {', '.join(lists)}{form.tail};")
        lines.append(f"mad.lo.u32 at, case, {count * LANES}, lane; mul.wide.u32 offset, at, {bits // 8};")
        lines.append(f"ld.param.u64 base, [p{i}]; add.u64 base, base, offset;")
        move = "ld.global.b{0} {1}, [base+{2}];" if i else "st.global.b{0} [base+{2}], {1};"
        lines += [move.format(bits, f"g{i}_{r}", r * LANES * bits // 8) for r in range(count)]
    return "\n".join([*lines, "ret;", "}", ""])


def draw(rng: np.random.Generator, count: int, bits: int, type: str) -> Array:
    """Registers [case, register, lane]; a third of the cases of each kind."""
    width = BITS.get(type, 4)
    shape = (CASES, count, LANES, bits // width)
    if type == "two of four":
        codes = rng.choice(np.array([4, 8, 9, 12, 13, 14], np.uint64), shape)
    elif type == "one of two":
        codes = rng.choice(np.array([4, 14], np.uint64), shape)
    elif type not in FORMATS:
        codes = rng.integers(0, 1 << width, shape, dtype=np.uint64)
    else:
        codes = floats(rng, shape, type)
    found = np.zeros(shape[:3], np.uint64)
    for i in range(shape[3]):
        found |= codes[..., i] << np.uint64(i * width)
    return found.astype(f"u{bits // 8}")


def floats(rng: np.random.Generator, shape: tuple[int, ...], type: str) -> Array:
    f = FORMATS[type]
    case = np.arange(shape[0]).reshape(-1, 1, 1, 1) % 3
    near = rng.integers(max(f.bias - 4, 0), f.bias + 4, shape)
    far = rng.integers(0, (1 << f.exp) - 1, shape)
    mantissa = rng.integers(0, 1 << f.man, shape)
    number = np.where(case == 0, near, far) << f.man | mantissa
    edges = np.array([0, 1, f.hidden, f.magnitude, f.infinity or f.largest, f.largest])
    wild = np.where(rng.random(shape) < 0.1, edges[rng.integers(0, len(edges), shape)], number)
    sign = rng.integers(0, 2, shape, dtype=np.uint64) * np.uint64(f.sign)
    low = np.uint64(f.low)
    magnitude = np.where(case == 2, wild, number).astype(np.uint64)
    return magnitude << low | (sign << low if low else sign)


def operands(form: Form) -> list[Array]:
    rng = np.random.Generator(np.random.PCG64([11, *form.opcode.encode()]))
    return [draw(rng, *source) for source in form.sources]


def defined(form: Form, arrays: list[Array]) -> Array:
    count, bits, _ = form.result
    d = np.zeros((CASES, count, LANES), f"u{bits // 8}")
    device = None if form.target.endswith("a") else "sm_90"  # what is recorded; older targets have sums of their own
    openptx.load(text(form), target=device)["k"](CASES, LANES, (d, *arrays))
    return d


def results(driver: Driver, form: Form, arrays: list[Array]) -> Array:
    count, bits, _ = form.result
    d = np.zeros((CASES, count, LANES), f"u{bits // 8}")
    loaded = driver.load(text(form))
    pointers = [driver.upload(a) for a in (d, *arrays)]
    addresses = [p.value.to_bytes(8, "little") for p in pointers]
    driver.launch(driver.function(loaded, "k"), (CASES, 1, 1), (LANES, 1, 1), addresses)
    driver.download(d, pointers[0])
    for pointer in pointers:
        driver.free(pointer)
    driver.unload(loaded)
    return d


def digest(results: Array) -> str:
    return hashlib.sha256(results.tobytes()).hexdigest()[:16]


def record(folder: Path) -> dict[str, Any]:
    """What the device gives for each form; writes products.npz, the differences to OpenPTX's results."""
    driver = Driver()
    rows, parts = dict[str, Any](), dict[str, Array]()
    for form in forms():
        arrays = operands(form)
        try:
            got = results(driver, form, arrays)
        except OSError as error:
            rows[form.opcode] = {"skipped": str(error)}
            continue
        ours = defined(form, arrays)
        differ = int(np.count_nonzero(got != ours))
        if differ:
            parts[form.name] = got - ours
        rows[form.opcode] = {"results": got.size, "differ": differ, "digest": digest(got)}
    if parts:
        np.savez_compressed(folder / "products.npz", **parts)
    return rows
