"""Records a GPU's results of every conversion and approximate function, for tests to compare with.

Needs an NVIDIA driver and this package, nothing else: PTX is loaded through the driver with ctypes. Each form is a
module of its own, so that one which the device lacks is skipped by itself. Operands are edges, ties and random codes
from a fixed seed, or all codes of 16 bits; of functions of one f32 the two binades from 1 to 4 in full and a sample of
the rest. Of results a digest is stored, and where the definition's differ, the differences. Then products of matrices,
textures, and every instruction that only computes (`hardware.opcodes`). `--all` takes all 2^32 codes.

    python tools/record_hardware.py               writes tests/hardware/sm_90-550.54-2026-11-21/
    python tools/record_hardware.py --ptx sm_90   prints the kernels instead
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from hardware.driver import Driver
from hardware.forms import FOUR, NEWEST, Form, forms
from numpy.typing import NDArray

import openptx
from hardware import opcodes, tensor_cores, textures
from openptx.numerics import FORMATS
from openptx.numerics.bits import Bits
from openptx.numerics.cvt import cvt
from openptx.numerics.numpy_machine import NumpyMachine
from openptx.numerics.type_names import INTEGERS, Packed, find_format

Array = NDArray[Any]
ROOT = Path(__file__).parents[1] / "tests" / "hardware"
COUNT = 1 << 16  # operands of a form that is not done in full
THREADS = 256
EXHAUSTING = 1 << 24  # operands at once, where all are tried


# As PTX


def width(name: str) -> int:
    return 32 if name == "rbits" else find_format(name).storage


def register(name: str) -> str:
    """The type that a register for `name` is declared with."""
    return name if name in ("f16", "f32", "f64", *INTEGERS) else f"b{width(name)}"


def entry(form: Form) -> str:
    """A kernel that applies the form to arrays: pointers to operands, pointer to results, count."""
    sizes = [width(name) // 8 for name in (*form.operands, form.result)]
    lines = [f".visible .entry {form.name}("]
    lines.append(",\n".join(f"    .param .u64 p{i}" for i in range(len(sizes))) + ",\n    .param .u32 count\n)\n{")
    lines += [f"    .reg .{register(name)} %x{i};" for i, name in enumerate((*form.operands, form.result))]
    lines += [
        "    .reg .b32 %thread, %block, %threads, %count, %i;",
        "    .reg .b64 %at, %base;",
        "    .reg .pred %outside;",
    ]
    lines += ["    mov.u32 %thread, %tid.x;", "    mov.u32 %block, %ctaid.x;", "    mov.u32 %threads, %ntid.x;"]
    lines += ["    mad.lo.u32 %i, %block, %threads, %thread;", "    ld.param.u32 %count, [count];"]
    lines += ["    setp.ge.u32 %outside, %i, %count;", "    @%outside ret;"]
    for i, size in enumerate(sizes):
        lines += [f"    ld.param.u64 %base, [p{i}];", f"    mad.wide.u32 %at, %i, {size}, %base;"]
        if i < len(form.operands):
            lines.append(f"    ld.global.b{8 * size} %x{i}, [%at];")
    names = [f"%x{i}" for i in range(len(form.operands))]
    if len(names) == 5:
        names = [f"{{{', '.join(names[:4])}}}", names[4]]
    lines.append(f"    {form.opcode} %x{len(sizes) - 1}, {', '.join(names)};")
    lines += [f"    st.global.b{8 * sizes[-1]} [%at], %x{len(sizes) - 1};", "    ret;", "}"]
    return "\n".join(lines)


def module(some: list[Form], target: str) -> str:
    version = "8.7" if target == NEWEST else "8.1"
    return "\n".join([f".version {version}", f".target {target}", ".address_size 64", *map(entry, some), ""])


# Operands and what the definitions give


def operands(form: Form) -> Iterator[list[Array]]:
    """Batches of operands: all codes where that is possible, else edges, ties and random ones."""
    names = form.operands
    if len(names) == 1 and width(names[0]) <= 16:
        w = width(names[0])
        yield [np.arange(1 << w, dtype=np.uint64).astype(f"u{w // 8}")]
        return
    if of_one_f32(form):
        yield [np.arange(0x3F800000, 0x40800000, dtype=np.uint32)]
        yield [np.arange(0, 1 << 32, 1 << 12, dtype=np.uint64).astype(np.uint32) | np.uint32(0x5A5)]
    yield [codes(name, i) for i, name in enumerate(names)]


def of_one_f32(form: Form) -> bool:
    """Whether it is an approximate function of one f32."""
    return form.opcode.split(".")[1] == "approx" and form.operands == ("f32",)


def codes(name: str, seed: int) -> Array:
    """Edges, values near one, ties, tiny values and random codes, the same on every machine."""
    t = find_format("u32" if name == "rbits" else name)
    element = t.element if isinstance(t, Packed) else t
    rng = np.random.Generator(np.random.PCG64([7, seed, t.storage, len(name)]))
    random = rng.integers(0, 2**64, COUNT, dtype=np.uint64)
    f = FORMATS.get(element.name)
    if f is None or isinstance(t, Packed):
        return (random >> np.uint64(64 - t.storage)).astype(f"u{t.storage // 8}")
    mantissa = random & np.uint64(f.hidden - 1)
    near = (np.uint64(f.bias) + rng.integers(-20, 21, COUNT).astype(np.uint64)) & np.uint64((1 << f.exp) - 1)
    near = near << np.uint64(f.man) | mantissa
    tie = near & ~((np.uint64(1) << rng.integers(0, f.man + 1, COUNT).astype(np.uint64)) - np.uint64(1))
    tiny = rng.integers(0, 3, COUNT).astype(np.uint64) << np.uint64(f.man) | mantissa
    top = f.infinity if f.infinity is not None else f.largest
    edge = rng.choice(np.array([0, 1, f.hidden - 1, f.hidden, top - 1, top, top + 1, f.magnitude], np.uint64), COUNT)
    kind = rng.integers(0, 5, COUNT)
    magnitude = np.select(
        [kind == 0, kind == 1, kind == 2, kind == 3], [near, tie, tiny, edge], random & np.uint64(f.magnitude)
    )
    sign = (random >> np.uint64(63)) * np.uint64(f.sign)
    return (magnitude | sign).astype(f"u{f.storage // 8}")


def defined(form: Form, arrays: list[Array]) -> Array:
    """What OpenPTX gives."""
    x = NumpyMachine()
    values = [x.lanes(a) for a in arrays]
    op, *modifiers = form.opcode.split(".")
    if op == "cvt":
        *modifiers, d, s = modifiers
        rbits = values.pop() if "rs" in modifiers else None
        flags = {m: True for m in modifiers if m in ("ftz", "sat", "satfinite", "relu")}
        rnd = next((m for m in modifiers if m not in flags), None)
        return cvt(x, d, s, *values, rnd=rnd, rbits=rbits, **flags).v
    return function(x, op, modifiers, values).v


def function(x: NumpyMachine, op: str, modifiers: list[str], v: list[Bits]) -> Bits:
    f, ftz = FORMATS[modifiers[-1]], "ftz" in modifiers
    rnd = next((m for m in modifiers if m in FOUR), "rn")
    if op == "div" and modifiers[0] in ("approx", "full"):
        return x.approx_div(f, *v, ftz=ftz, full=modifiers[0] == "full")
    if modifiers[0] == "approx":
        return x.approx_upper(op, v[0]) if f.name == "f64" else x.approx(op, f, v[0], ftz)
    if op in ("min", "max"):
        extreme = x.fmin if op == "min" else x.fmax
        v = [x.flush(f, a, ftz) for a in v]
        return extreme(f, *v, nan="NaN" in modifiers, xorsign="xorsign" in modifiers)
    one = x.const(f.bias << f.man, f.storage)
    operations: dict[str, Callable[[], Bits]] = {
        "add": lambda: x.fadd(f, *v, rnd, ftz),
        "mul": lambda: x.fmul(f, *v, rnd, ftz),
        "fma": lambda: x.fma(f, *v, rnd, ftz),
        "div": lambda: x.fdiv(f, *v, rnd, ftz),
        "rcp": lambda: x.fdiv(f, one, v[0], rnd, ftz),
        "sqrt": lambda: x.fsqrt(f, v[0], rnd, ftz),
        "abs": lambda: x.fabs(f, v[0], ftz),
        "neg": lambda: x.fneg(f, v[0], ftz),
    }
    return operations[op]()


# The device


def results(driver: Driver, form: Form, target: str, arrays: list[Array]) -> Array:
    """What the device gives for a batch; OSError where it does not take the module."""
    d = np.empty(arrays[0].size, np.dtype(f"u{width(form.result) // 8}"))
    loaded = driver.load(module([form], target))
    try:
        pointers = [driver.upload(a) for a in (*arrays, d)]
        values = [*(p.value.to_bytes(8, "little") for p in pointers), d.size.to_bytes(4, "little")]
        driver.launch(driver.function(loaded, form.name), (-(-d.size // THREADS), 1, 1), (THREADS, 1, 1), values)
        driver.download(d, pointers[-1])
        for pointer in pointers:
            driver.free(pointer)
    finally:
        driver.unload(loaded)
    return d


def targets(form: Form, capability: int) -> str | None:
    """The target to load the form for; None where the device is too old for it."""
    needed = int(form.target.removeprefix("sm_").removesuffix("a"))
    if needed > capability or (form.target.endswith("a") and capability // 10 != needed // 10):
        return None
    return form.target


def record_form(form: Form, target: str, path: Path) -> dict[str, object]:
    """What the device gives, batch by batch: a digest, and a file of differences to the definition if there are any."""
    driver = this_driver()
    differing, total, digests, parts = 0, 0, [], {}
    try:
        for i, arrays in enumerate(operands(form)):
            got = results(driver, form, target, arrays)
            parts[f"d{i}"] = got - defined(form, arrays)
            digests.append(digest(got))
            differing += int(np.count_nonzero(parts[f"d{i}"]))
            total += got.size
    except OSError as error:
        return {"skipped": str(error)}
    if differing:
        np.savez_compressed(path, **parts)
    return {"operands": total, "differ": differing, "digests": digests}


def exhaust(form: Form, target: str) -> dict[str, object]:
    """All 2^32 operands of a function of one f32, on the device and by this package's machine code."""
    driver, differing = this_driver(), 0
    kernel = openptx.load(module([form], target))[form.name]
    ours = np.empty(EXHAUSTING, np.uint32)
    for start in range(0, 1 << 32, EXHAUSTING):
        a = np.arange(start, start + EXHAUSTING, dtype=np.uint64).astype(np.uint32)
        kernel(EXHAUSTING // THREADS, THREADS, (a, ours, EXHAUSTING), engine="native", workers=1)
        differing += int(np.count_nonzero(results(driver, form, target, [a]) != ours))
    return {"operands": 1 << 32, "differ": differing}


def digest(results: Array) -> str:
    return hashlib.sha256(results.tobytes()).hexdigest()[:16]


@cache
def this_driver() -> Driver:
    return Driver()


def record(folder: Path, everything: bool, workers: int) -> int:
    """Writes a file for each form that differs: results less the definition's, modulo 2^width, which compress well."""
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        name, capability, driver = pool.submit(facts).result()
        folder = folder / f"sm_{capability}-{driver}-{datetime.date.today().isoformat()}"
        folder.mkdir(parents=True, exist_ok=True)
        known: dict[str, object] = {"device": name, "capability": capability, "driver": driver}
        known["date"] = datetime.date.today().isoformat()
        wanted = [(form, target) for form in forms() if (target := targets(form, capability))]
        wanted.sort(key=lambda each: "approx" not in each[0].opcode)  # what takes longest first
        tasks = {
            form.opcode: pool.submit(record_form, form, target, folder / f"{form.name}.npz") for form, target in wanted
        }
        rows: dict[str, object] = {}
        for opcode, task in tasks.items():
            rows[opcode] = row = task.result()
            words = row.get("skipped") or "{operands:>12,} operands  {differ:>10,} differ from OpenPTX".format(**row)
            print(f"{opcode:40} {words}", file=sys.stderr)
        products = pool.submit(tensor_cores.record, folder).result()
        pool.submit(textures.record, folder).result()
        all_of = [pool.submit(exhaust, *each) for each in wanted if everything and of_one_f32(each[0])]
        exhausted = {form.opcode: task.result() for (form, _), task in zip(wanted, all_of, strict=False)}
        statements = opcodes.record(pool)
    (folder / "opcodes.json").write_text(json.dumps(statements, indent=1) + "\n")
    facts_of = known | {"forms": rows, "products": products, "exhausted": exhausted}
    (folder / "index.json").write_text(json.dumps(facts_of, indent=1) + "\n")
    return 0


def facts() -> tuple[str, int, str]:
    """Name, capability and driver of the device."""
    driver = this_driver()
    return driver.name, driver.capability, driver.driver


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="all 2^32 operands of functions of one f32")
    parser.add_argument("--ptx", metavar="TARGET", help="print the kernels of a target and stop")
    parser.add_argument("--out", type=Path, default=ROOT, help="the folder to write the device's folder to")
    parser.add_argument("--workers", type=int, default=min(os.cpu_count() or 1, 8), help="processes on the device")
    args = parser.parse_args()
    if args.ptx:
        print(module([form for form in forms() if form.target == args.ptx], args.ptx))
        return 0
    return record(args.out, args.all, args.workers)


if __name__ == "__main__":
    sys.exit(main())
