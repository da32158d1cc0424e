"""Launches whose reports several tests use."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

import openptx
from openptx.source import File

DATA = Path(__file__).parents[2] / "data"
HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
HOSTILE = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
"""Text that would run if it were markup."""


@cache
def matmul(variant: str) -> openptx.Profile:
    """Of two matrix multiplications that differ in one column of padding: `conflicts` and `padded`."""
    kernel = openptx.load(DATA / "profile" / "matmul" / "matmul.ptx")[f"matmul_{variant}"]
    a, b, c = (np.zeros(64 * 64, np.float32) for _ in range(3))
    return openptx.profile(kernel, (2, 2), (32, 32), (a, b, c, 64))


def hostile(folder: Path) -> openptx.Profile:
    """Of a kernel whose file, source, source's name and comments are markup."""
    name = "a<b onclick='x'>&amp;.cu"
    (folder / name).write_text(f"{HOSTILE}\nint main() {{ {HOSTILE} }}\n", "utf-8")
    text = f"""{HEAD}// {HOSTILE}
.visible .entry k() {{
    .reg .b32 i; // {HOSTILE}
    .loc 1 2 1
    mov.u32 i, %tid.x;
    ret;
}}
.file 1 "{name}"
"""
    path = folder / "<script>document.title='owned'<!--.ptx"
    return openptx.profile(openptx.load(File(str(path), text))["k"], 1, 32)


def long(lines: int) -> openptx.Profile:
    """The report of a kernel with this many lines, every tenth a load."""
    load, other = "    ld.shared.u32 r{0}, [s+{1}];\n", "    xor.b32 r{0}, r{2}, {3};\n"
    body = "".join((other if i % 10 else load).format(i, 4 * (i % 64), i - 1, i * 7919) for i in range(lines))
    text = f"{HEAD}.visible .entry k() {{\n    .reg .b32 r<{lines}>;\n    .shared .b32 s[64];\n{body}    ret;\n}}\n"
    return openptx.profile(openptx.load(text)["k"], 1, 64)
