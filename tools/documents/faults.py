"""Kernels with errors and their faults: the examples of docs/faults.md."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import openptx
from openptx.errors import Fault
from openptx.source import File
from openptx.testing.case import argument, read_case

BROKEN = Path(__file__).parents[2] / "tests" / "kernels" / "broken"

OWN = """.version 8.0
.target sm_80
.address_size 64
.visible .entry stray(.param .u64 p) {
    .reg .b64 %rd<4>;
    .reg .b32 %r<2>;
    ld.param.u64 %rd1, [p];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r1;
    ret;
}
.visible .entry parted() {
    .reg .b32 %r<2>;
    .reg .pred %p;
    mov.u32 %r1, %tid.x;
    setp.ge.u32 %p, %r1, 32;
    @%p bra OTHERS;
    bar.sync 0;
    ret;
OTHERS:
    bar.sync 1;
    ret;
}
.visible .entry endless() {
AGAIN:
    bra AGAIN;
}
.shared .align 4 .b8 tile[256];
.visible .entry overrun() {
    .reg .b32 %r<3>;
    mov.u32 %r1, %tid.x;
    shl.b32 %r1, %r1, 2;
    mov.u32 %r2, tile;
    add.u32 %r2, %r2, %r1;
    atom.shared.add.u32 %r0, [%r2], 1;
    ret;
}
.visible .entry unnamed() {
    .reg .b32 %r<3>;
    mov.u32 %r1, %laneid;
    shfl.sync.bfly.b32 %r2, %r1, 1, 31, 0x0000000f;
    ret;
}
.func deeper() { call deeper; ret; }
.visible .entry recursive() {
    call deeper;
    ret;
}
.shared .align 8 .b64 full;
.visible .entry lacking() {
    .reg .b64 %state;
    .reg .b32 %r<2>;
    .reg .pred %p;
    mov.u32 %r1, %tid.x;
    setp.eq.u32 %p, %r1, 0;
    @%p mbarrier.init.shared.b64 [full], 65;
    bar.sync 0;
    mbarrier.arrive.shared.b64 %state, [full];
WAIT:
    mbarrier.test_wait.shared.b64 %p, [full], %state;
    @!%p bra WAIT;
    ret;
}
"""


@dataclass(frozen=True, slots=True)
class Example:
    """What its author got wrong, and how to make it happen."""

    title: str
    words: str
    launch: Callable[[str], None]
    """Takes an engine's name."""


def own(kernel: str, block: int, length: int = 0, timeout: float | None = None) -> Callable[[str], None]:
    """A kernel of `OWN`, on one block and an array of `length` elements."""

    def launch(engine: str) -> None:
        arguments = [np.zeros(length, np.uint32)] if length else []
        openptx.load(File("faults.ptx", OWN))[kernel](1, block, arguments, engine=engine, timeout=timeout)

    return launch


def broken(name: str) -> Callable[[str], None]:
    """A kernel that nvcc's library compiled, from tests/kernels."""

    def launch(engine: str) -> None:
        case = read_case(str(BROKEN / name))
        file = File(f"{case.kernel}.ptx", (BROKEN / name / "kernel.ptx").read_text())
        arguments = [argument(case, param) for param in case.params]
        openptx.load(file)[case.kernel](case.grid, case.block, arguments, engine=engine, timeout=20)

    return launch


EXAMPLES = (
    Example(
        "A store past the end",
        "100 elements, 128 threads, and the kernel does not compare the index with the length.",
        own("stray", 128, 100),
    ),
    Example(
        "A barrier that parts",
        "Two halves of a block wait for each other at different barriers.",
        own("parted", 64),
    ),
    Example(
        "An mbarrier that expects too many",
        "It was initialized for 65 threads, and 64 arrive. A loop around a wait, or around loads of shared memory, is\n"
        "a deadlock if nothing that decides whether it ends can change. That is proved after some thousand iterations.",
        own("lacking", 64),
    ),
    Example(
        "An endless loop",
        "With `--timeout 0.2`. Without a limit, Ctrl-C ends a kernel.",
        own("endless", 32, timeout=0.2),
    ),
    Example(
        "Beyond the end of shared memory",
        "128 threads increment 64 counters of the block.",
        own("overrun", 128),
    ),
    Example(
        "A lane that is not in its mask",
        "The mask of a shuffle contains the first four lanes, and all lanes execute it.",
        own("unnamed", 32),
    ),
    Example(
        "An infinite recursion",
        "Calls are listed innermost first, repeated ones once with their number.",
        own("recursive", 32),
    ),
    Example(
        "An off-by-one error",
        "`if (i <= n) out[i] = in[i] * 2;` in CUDA C++, with 100 elements and two blocks of 64 threads.",
        broken("off_by_one_sm80"),
    ),
    Example(
        "Two branches that wait at different barriers",
        "CUDA C++ with a named barrier in each branch.",
        broken("lost_barrier_sm80"),
    ),
)

PREFACE = """\
# Faults of kernels

A kernel with an error ends in a `Fault`: `openptx run` prints it, with exit status 1; in Python it is an exception with
the attributes `.code .kernel .block .thread .address .space .nearest`. Both engines report the same.
`openptx explain PTX9001` describes a code.

## Memory after a fault

Stores that threads executed before the fault remain. The load, store or atomic that faults has no effect in any lane of
its warp; a copy (`cp.async`, `cp.async.bulk`) may have been made for some lanes. How far other warps and blocks have
executed is not specified, as on a GPU, and differs between the engines: the interpreter runs many blocks in parallel,
machine code one after the other on each worker. Do not compare results after a fault.

If several lanes of a warp fault in one instruction, the fault names the lowest. If several warps or blocks fault, only
one of them is named: by machine code on one worker the first block that faults, by the interpreter, which runs blocks
together, the one whose faulting statement is executed first; with several workers, any.
"""


def document() -> str:
    """docs/faults.md."""
    parts = [f"\n## {each.title}\n\n{each.words}\n\n```\n{said(each)}\n```\n" for each in EXAMPLES]
    return PREFACE + "".join(parts)


def said(example: Example, engine: str = "interp") -> str:
    """What the fault of an example says."""
    try:
        example.launch(engine)
    except Fault as fault:
        return str(fault)
    raise AssertionError(f"{example.title}: the kernel ended well")
