"""The texts of faults, the same on both engines (docs/faults.md shows some of them)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import openptx
from openptx.errors import Fault
from openptx.source import File

HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"


@dataclass(frozen=True)
class Case:
    """A kernel's body, and what its fault says."""

    name: str
    body: str
    message: str
    facts: tuple[str, ...]
    threads: int = 1
    before: str = ""


BUFFER = "ld.param.u64 a, [p]; "
ROOM = "nearest allocation: argument 0 `p`, 16 bytes at 0x"
CASES = [
    Case(
        "load",
        BUFFER + "ld.global.v2.u32 {x, y}, [a+16];",
        "a load of 8 bytes outside of every allocation",
        ("in .global", ROOM, "; the access ends 8 bytes past it"),
    ),
    Case(
        "store",
        BUFFER + "st.global.u8 [a+-3], 1;",
        "a store of 1 byte outside of every allocation",
        ("in .global", ROOM, "; the access begins 3 bytes before it"),
    ),
    Case(
        "generic store",
        BUFFER + "st.u64 [a+16], 1;",
        "a store of 8 bytes outside of every allocation",
        ("in .global", ROOM, "; the access ends 8 bytes past it"),
    ),
    Case(
        "atomic",
        BUFFER + "atom.global.add.u32 x, [a+20], 1;",
        "an atomic operation on 4 bytes outside of every allocation",
        ("in .global", ROOM, "; the access ends 8 bytes past it"),
    ),
    Case(
        "bulk copy past an array",
        BUFFER + "mov.u32 x, tile; cp.async.bulk.global.shared::cta.bulk_group [a], [x], 64;",
        "a copy of 64 bytes outside of every allocation",
        ("in .global", ROOM, "; the access ends 48 bytes past it"),
    ),
    Case(
        "bulk copy past the block's memory",
        BUFFER + "mov.u32 x, tile; cp.async.bulk.global.shared::cta.bulk_group [a], [x+32], 48;",
        "a copy of 48 bytes outside of the 64 bytes of .shared",
        ("address 0x20 in .shared", "the block's .shared, 64 bytes; the access ends 16 bytes past it"),
    ),
    Case(
        "reduction past an array",
        BUFFER + "mov.u32 x, tile; cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [a], [x], 64;",
        "a copy with reduction, at an element of 4 bytes outside of every allocation",
        ("in .global", ROOM, "; the access ends 4 bytes past it"),
    ),
    Case(
        "reduction past the block's memory",
        BUFFER + "mov.u32 x, tile; cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u64 [a], [x+64], 16;",
        "a copy with reduction, at an element of 8 bytes outside of the 64 bytes of .shared",
        ("address 0x40 in .shared", "the block's .shared, 64 bytes; the access ends 8 bytes past it"),
    ),
    Case(
        "reduction in shared memory with a barrier outside of it",
        "mov.u32 x, tile; cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32"
        " [x], [x], 16, [x+64];",
        "an atomic operation on 8 bytes outside of the 64 bytes of .shared",
        ("address 0x40 in .shared",),
    ),
    Case(
        "copy of a few bytes",
        BUFFER + "mov.u32 x, tile; mov.u32 y, 8; cp.async.ca.shared.global [x], [a+12], 8, y;",
        "a copy of 8 bytes outside of every allocation",
        ("in .global", ROOM, "; the access ends 4 bytes past it"),
    ),
    Case(
        "null",
        "mov.u64 a, 8; ld.global.u32 x, [a];",
        "a load of 4 bytes outside of every allocation",
        ("address 0x8 in .global", "nearest allocation: none: this is 8 bytes after the null pointer"),
    ),
    Case(
        "shared load",
        "mov.u32 x, tile; ld.shared.u32 y, [x+64];",
        "a load of 4 bytes outside of the 64 bytes of .shared",
        (
            "address 0x40 in .shared",
            "nearest allocation: the block's .shared, 64 bytes; the access ends 4 bytes past it",
        ),
    ),
    Case(
        "shared atomic",
        "mov.u32 x, tile; red.shared.add.u64 [x+1024], 1;",
        "an atomic operation on 8 bytes outside of the 64 bytes of .shared",
        ("address 0x400 in .shared", "the block's .shared, 64 bytes; the access ends 968 bytes past it"),
    ),
    Case(
        "dynamic shared memory that the launch does not have",
        "mov.u32 x, sized; st.shared.u32 [x], 1;",
        "a store of 4 bytes outside of the 0 bytes of .shared",
        ("the kernel uses dynamic shared memory, of which this launch has 0 bytes",),
    ),
    Case(
        "local store",
        "mov.u64 a, own; st.local.u32 [a+16], 1;",
        "a store of 4 bytes outside of the 16 bytes of .local",
        ("address 0x10 in .local", "the thread's .local, 16 bytes; the access ends 4 bytes past it"),
        before=".local .align 4 .b8 own[16];",
    ),
    Case(
        "misaligned",
        BUFFER + "st.global.u32 [a+2], 1;",
        "a store of 4 bytes at an address that is not a multiple of 4",
        ("in .global", "nearest allocation: argument 0 `p`, 16 bytes"),
    ),
    Case(
        "mask of shfl",
        "mov.u32 x, %laneid; shfl.sync.bfly.b32 y, x, 1, 31, 0x0000000f;",
        "lane 4 executes `shfl.sync.bfly.b32` with mask 0x0000000f, which does not include it",
        ("thread (4, 0, 0)",),
        threads=32,
    ),
    Case(
        "mask of vote",
        "mov.u32 x, %laneid; setp.eq.u32 q, x, 5; @q vote.sync.ballot.b32 y, q, 0xffff0000;",
        "lane 5 executes `vote.sync.ballot.b32` with mask 0xffff0000, which does not include it",
        ("thread (5, 0, 0)",),
        threads=32,
    ),
    Case(
        "mask in a register",
        "mov.u32 x, %laneid; mov.u32 y, 1; shl.b32 y, y, x; setp.eq.u32 q, x, 30; selp.b32 y, 6, y, q;"
        " bar.warp.sync y;",
        "lane 30 executes `bar.warp.sync` with mask 0x00000006, which does not include it",
        ("thread (30, 0, 0)",),
        threads=32,
    ),
    Case(
        "call of nothing",
        "mov.u64 a, 4096; PROTO: .callprototype _ (); call a, PROTO;",
        "a call of address 0x1000, which is not a function",
        (),
    ),
    Case(
        "call that is not listed",
        "mov.u64 a, other; LIST: .calltargets listed; call a, LIST;",
        "a call of `other`, which the call does not list",
        (),
    ),
    Case(
        "call with other arguments",
        "mov.u64 a, takes; PROTO: .callprototype _ (); call a, PROTO;",
        "a call of `takes` with 0 arguments and 0 results",
        (),
    ),
    Case(
        "endless recursion",
        "call endless;",
        "calls nest deeper than the stack allows",
        ("in `endless`, called from `endless`, 8 times", "and so on"),
    ),
    Case(
        "inside of a call",
        "call outer;",
        "a load of 4 bytes outside of every allocation",
        ("in `listed_too`, called from `outer`", "in `outer`, called from `k`"),
    ),
]
SHARED = ".shared .align 16 .b8 tile[64];\n.extern .shared .align 16 .b8 sized[];\n"
FUNCTIONS = """
.func listed () { ret; }
.func other () { ret; }
.func takes (.param .u32 v) { ret; }
.func endless () { .reg .u32 n; mov.u32 n, %tid.x; call endless; st.shared.u32 [tile], n; ret; }
.func listed_too () { .reg .u32 n; .reg .u64 a; mov.u64 a, 256; ld.global.u32 n, [a]; st.shared.u32 [tile], n; ret; }
.func outer () { call listed_too; ret; }
"""
REGISTERS = ".reg .b64 a; .reg .b32 x, y; .reg .pred q;"


def faults(case: Case, *engines: str) -> list[Fault]:
    """What each engine says of the same launch."""
    body = f"{REGISTERS}\n{case.before}\n{case.body}\nret;"
    text = f"{HEAD}{SHARED}{FUNCTIONS}.visible .entry k(.param .u64 p) {{\n{body}\n}}\n"
    kernel, data = openptx.load(File("k.ptx", text))["k"], np.zeros(4, np.uint32)
    found: list[Fault] = []
    for engine in engines:
        with pytest.raises(Fault) as raised:
            kernel(1, case.threads, (data,), engine=engine, timeout=30)
        found.append(raised.value)
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_is_said(case: Case) -> None:
    (found,) = faults(case, "interp")
    assert found.message == case.message
    told = "\n".join(found.facts)
    for fact in case.facts:
        assert fact in told


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_both_engines_say_it_alike(case: Case) -> None:
    one, other = faults(case, "interp", "native")
    assert (one.code, one.message, one.facts, one.span) == (other.code, other.message, other.facts, other.span)
