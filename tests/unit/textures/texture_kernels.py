"""Kernels of one texture instruction, run on the reference engine."""

from __future__ import annotations

from typing import Any

import numpy as np

import openptx
from openptx.runtime import LoadedModule

HEAD = ".version 8.6\n.target {target}\n.address_size 64\n"
REGISTERS = ".reg .b64 t, o, u; .reg .b32 a<4>, c<4>, h<2>; .reg .b16 s<4>; .reg .pred p; .reg .b32 n; .reg .f32 f;"


def module(code: str, *, head: str = "", target: str = "sm_80", parameters: str = ".param .u64 t1") -> LoadedModule:
    """A kernel `k` that runs `code` in each thread: its index is in `n`, the parameters are in `t` and `o`."""
    return openptx.load(
        f"{HEAD.format(target=target)}{head}\n.visible .entry k({parameters}, .param .u64 out) {{ {REGISTERS}\n"
        f"ld.param.u64 t, [t1]; ld.param.u64 o, [out]; mov.u32 n, %tid.x;\n{code}\nret; }}"
    )


def four(a: str = "a0,a1,a2,a3") -> str:
    """Stores four registers at the thread's place."""
    return f"mul.wide.u32 u, n, 16; add.u64 o, o, u; st.global.v4.b32 [o], {{{a}}};"


def run(code: str, image: object, *, threads: int = 1, engine: str = "interp", **keywords: Any) -> np.ndarray:
    """What the threads of one block store: four words each."""
    out = np.zeros((threads, 4), np.uint32)
    module(f"{code} {four()}", **keywords)["k"](1, threads, (image, out), engine=engine)
    return out


def floats(values: np.ndarray) -> list[float]:
    return values.view(np.float32).ravel().tolist()
