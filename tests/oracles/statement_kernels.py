"""Kernels of single statements: every register gets a value per thread from memory, and is stored afterwards."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

import openptx

THREADS = 32
MEMORY = 128
"""The bytes that a thread's addresses point into the middle of."""

AT_ONCE = 40
"""Statements in a kernel of compiled code."""

_WIDTHS = {"pred": 1, "f16x2": 32, "bf16x2": 32}
_SPECIAL = {
    16: (0x8000, 0x7FFF, 0x7C00, 0xFC00, 0x7E01, 0x7F80, 0x3C00, 1),
    32: (0x80000000, 0x7FFFFFFF, 0x7F800000, 0x7F800001, 0xFFC00000, 0x3F800000, 31, 1),
    64: (1 << 63, (1 << 63) - 1, 0x7FF << 52, 0xFFF << 52, 0x7FF8 << 48, 0x3FF << 52, 3, 1),
}
_BASES = {"shared": "%shared", "local": "%local", "const": "%const", "param": "%param"}

_DECLARATIONS = re.compile(r"(?:\s*\.reg (?:\.v[24] )?\.\w+ [\w, ]+;)+\s*")
_UNREPEATABLE = re.compile(r"%(?:clock|globaltimer|pm\d|gridid)|\baddc|\bsubc|\bmadc")
_FAR = re.compile(r"\+(?:-2147483648|429496729[56]|0xffffffff|0x100000000)\b")
_CLEARED = "mov.u64 %low, 0; st.shared.v2.b64 [%shared+64], {%low, %low}; st.local.v2.b64 [%local+64], {%low, %low};"
"""What other statements of a kernel have left there would be read."""


def is_comparable(record: dict[str, str]) -> bool:
    """Whether the assembler accepts a record of the corpus, it has registers alone, and its results depend on nothing
    else: neither clocks nor the carry, nor where variables are, nor an address that is stored or far from what it
    begins with, where another launch's arrays may be."""
    declared, statement = record["decls"], record["stmt"]
    stored = re.search(r"\[(\w+)[^\]]*\].*\b\1\b", statement)
    alone = _DECLARATIONS.fullmatch(declared) is not None and _UNREPEATABLE.search(statement) is None
    return record["ptxas"] == "accept" and alone and stored is None and _FAR.search(statement) is None


def registers(declarations: str) -> Iterator[tuple[str, int]]:
    """The names and widths of registers, elements of vectors one by one."""
    for vector, type, names in re.findall(r"\.reg (?:\.v([24]) )?\.(\w+) ([^;]*);", declarations):
        width = _WIDTHS.get(type) or int(re.sub(r"\D+", "", type))
        for name in names.replace(" ", "").split(","):
            yield from ((f"{name}.{x}", width) for x in "xyzw"[: int(vector)]) if vector else [(name, width)]


def kernel(records: list[dict[str, str]]) -> tuple[str, NDArray[np.uint8]]:
    """A kernel of statements for one target, each in a block of its own, and the memory that it begins with."""
    blocks, memory, at = list[str](), list[NDArray[np.uint8]](), 0
    for record in records:
        found = list(registers(record["decls"]))
        bases = set(re.findall(r"\[\s*(\w+)", record["stmt"]))
        space = re.search(r"\.(shared|local|const|param)\b", record["stmt"].split("[")[0])
        size = (MEMORY + 16 * len(found) + 127) & -128
        code = [f"mad.wide.u32 %at, %t, {size}, %memory; add.u64 %at, %at, {at};"]
        code += (
            _CLEARED if space else "",
            *(_load(name, width, MEMORY + 16 * i) for i, (name, width) in enumerate(found)),
        )
        base = _BASES[space[1]] if space else "%at"
        code += (_point(name, width, base) for name, width in found if name in bases)
        code.append(record["stmt"])
        code += (_store(name, width, MEMORY + 16 * i) for i, (name, width) in enumerate(found) if name not in bases)
        blocks.append("\n".join(("{", record["decls"], *code, "}")))
        memory.append(_values(record["stmt"], size, [width for _, width in found]))
        at += size * THREADS
    text = _KERNEL.format(version=records[0]["version"], target=records[0]["target"], blocks="\n".join(blocks))
    return text, np.concatenate(memory)


def run(text: str, memory: NDArray[np.uint8], engine: str) -> NDArray[np.uint8] | tuple[object, ...]:
    """The memory after a launch, or what a fault or an unsupported instruction says; the codes where ptxas, too, has no
    code for the statement."""
    after, parameter = memory.copy(), np.arange(256, dtype=np.uint8)
    try:
        openptx.load(text)["k"]((1,), (THREADS,), (after, parameter), engine=engine, timeout=60)
    except openptx.Fault as fault:
        return fault.code, fault.thread, fault.space
    except openptx.Unsupported as unsupported:
        return (unsupported.args[0],)
    except openptx.CheckError as error:
        return tuple(found.code for found in error.diagnostics)
    return after


def differing(found: list[dict[str, str]]) -> list[str]:
    """Those of some statements for one target on whose results the engines disagree."""
    expected = [run(*kernel([record]), "interp") for record in found]
    running = [i for i, result in enumerate(expected) if isinstance(result, np.ndarray)]
    wrong = [
        record["stmt"]
        for record, result in zip(found, expected, strict=True)
        if not isinstance(result, np.ndarray) and run(*kernel([record]), "native") != result
    ]
    for i in range(0, len(running), AT_ONCE):
        some = running[i : i + AT_ONCE]
        after = run(*kernel([found[j] for j in some]), "native")
        assert isinstance(after, np.ndarray), after
        parts = np.split(after, np.cumsum([expected[j].size for j in some])[:-1])
        wrong += [
            found[j]["stmt"] for j, part in zip(some, parts, strict=True) if not np.array_equal(part, expected[j])
        ]
    return wrong


_KERNEL = """.version {version}
.target {target}
.address_size 64
.const .align 128 .b8 %constants[256] = {{1, 2, 3, 4, 5, 6, 7, 8}};
.visible .entry k(.param .u64 %p, .param .align 128 .b8 %parameter[256]) {{
.reg .b64 %memory, %at, %low, %high, %shared, %local, %const, %param; .reg .b32 %t; .reg .b16 %h;
.shared .align 128 .b8 %tile[4096]; .local .align 128 .b8 %own[128];
ld.param.u64 %memory, [%p]; mov.u32 %t, %tid.x; mov.u64 %param, %parameter; mov.u64 %const, %constants;
mov.u64 %shared, %tile; mad.wide.u32 %shared, %t, 128, %shared; mov.u64 %local, %own;
{blocks}
ret; }}
"""


def _load(name: str, width: int, at: int) -> str:
    if width == 1:
        return f"ld.global.u8 %h, [%at+{at}]; setp.gt.u16 {name}, %h, 127;"
    if width == 128:
        return f"ld.global.v2.b64 {{%low, %high}}, [%at+{at}]; mov.b128 {name}, {{%low, %high}};"
    return f"ld.global.b{width} {name}, [%at+{at}];"


def _store(name: str, width: int, at: int) -> str:
    if width == 1:
        return f"selp.u16 %h, 1, 0, {name}; st.global.u8 [%at+{at}], %h;"
    if width == 128:
        return f"mov.b128 {{%low, %high}}, {name}; st.global.v2.b64 [%at+{at}], {{%low, %high}};"
    return f"st.global.b{width} [%at+{at}], {name};"


def _point(name: str, width: int, base: str) -> str:
    if width == 128:
        return f"add.u64 %low, {base}, 64; mov.b128 {name}, {{%low, %low}};"
    narrow = f"mov.b64 {name}, %low;" if width == 64 else f"cvt.u{width}.u64 {name}, %low;"
    return f"add.u64 %low, {base}, 64; {narrow}"


def _values(seed: str, size: int, widths: list[int]) -> NDArray[np.uint8]:
    """Random bytes, and in two thirds of the threads special values of the registers' widths."""
    rng = np.random.default_rng(zlib.crc32(seed.encode()))
    found = rng.integers(0, 256, (THREADS, size), np.uint8)
    for i, width in enumerate(widths):
        lane = min(max(width, 16), 64)
        choices = np.array((0, (1 << lane) - 1, *_SPECIAL[lane]), f"u{lane // 8}")
        start = MEMORY + 16 * i
        some = rng.random(THREADS) < 2 / 3
        found[some, start : start + 16] = rng.choice(choices, (int(some.sum()), 128 // lane)).view(np.uint8)
    return found.reshape(-1)
