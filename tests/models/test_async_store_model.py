"""st.async (9.7.9.12) and red.async (9.7.13.7) between the CTAs of a cluster: values, places, bytes of mbarriers.

Every thread of four CTAs sends to a CTA and a slot of its own choice, and each CTA waits for its bytes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from test_bulk_copy_model import BITS, EXCHANGED, EXTREMES, Operation, values, wrapped

import openptx

CTAS, THREADS = 4, 32
STORES = [
    (type, count) for type in ("b32", "s32", "u64", "f32", "f64") for count in (1, 2, 4) if count < 4 or "3" in type
]
REDUCTIONS: dict[tuple[str, str], Operation] = {
    **{("add", type): wrapped for type in ("u32", "s32", "u64")},
    **{(name, type): does for name, does in EXTREMES.items() for type in ("u32", "s32")},
    **{(name, "u32"): does for name, does in EXCHANGED.items()},
    **{(name, "b32"): does for name, does in BITS.items()},
}


def kernel(opcode: str, type: str, count: int) -> Any:
    width, size = int(type[1:]), int(type[1:]) // 8 * count
    names = [f"v{i}" for i in range(count)]
    vector = f"{{{', '.join(names)}}}" if count > 1 else names[0]
    moves = [(f"ld.global.b{width} {v}, [from+{width // 8 * i}];", f"ld.shared.b{width} {v}, [own+{width // 8 * i}];",
              f"st.shared.b{width} [own+{width // 8 * i}], {v};", f"st.global.b{width} [to+{width // 8 * i}], {v};")
             for i, v in enumerate(names)]  # fmt: skip
    (load, read, fill, save) = (" ".join(step) for step in zip(*moves, strict=True))
    return openptx.load(f""".version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 pmemory, .param .u64 pgiven, .param .u64 pplaces, .param .u64 pbytes) {{
.shared .align 16 .b8 box[{THREADS * size}]; .shared .align 8 .b64 bar;
.reg .b64 to, from; .reg .b{width} {", ".join(names)}; .reg .b32 rank, n, own, at, far, cta, slot; .reg .pred p;
mov.u32 rank, %cluster_ctarank; mov.u32 n, %tid.x; mov.u32 own, box; mad.lo.u32 own, n, {size}, own;
mad.lo.u32 slot, rank, {THREADS}, n; ld.param.u64 to, [pmemory]; mad.wide.u32 to, slot, {size}, to;
ld.param.u64 from, [pplaces]; mad.wide.u32 from, slot, 8, from; ld.global.v2.u32 {{cta, at}}, [from];
ld.param.u64 from, [pbytes]; mad.wide.u32 from, rank, 4, from; ld.global.u32 far, [from];
ld.param.u64 from, [pgiven]; mad.wide.u32 from, slot, {size}, from;
setp.ne.u32 p, n, 0; @p bra FILL;
mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.expect_tx.shared.b64 _, [bar], far;
FILL: {load.replace("from", "to")} {fill}
barrier.cluster.arrive; barrier.cluster.wait;
{load}
mov.u32 slot, box; mad.lo.u32 at, at, {size}, slot; mapa.shared::cluster.u32 at, at, cta;
mov.u32 far, bar; mapa.shared::cluster.u32 far, far, cta;
{opcode} [at], {vector}, [far];
WAIT: mbarrier.try_wait.parity.acquire.cluster.shared.b64 p, [bar], 0; @!p bra WAIT;
{read} {save}
barrier.cluster.arrive; barrier.cluster.wait; ret; }}""")["k"]


def check(opcode: str, type: str, count: int, does: Operation, places: Any, name: str = "") -> None:
    rng, shape = np.random.default_rng(count), (CTAS, THREADS, count)
    old, new = (np.resize(values(rng, type, name), shape) for _ in "ab")
    expected, size = old.copy(), old[0, 0].nbytes
    for sender in np.ndindex(CTAS, THREADS):
        place = tuple(places[sender])
        expected[place] = does(expected[place], new[sender])
    bytes = np.bincount(places[..., 0].reshape(-1), minlength=CTAS).astype(np.uint32) * np.uint32(size)
    program = kernel(opcode, type, count)
    for engine in ("interp", "native"):
        memory = old.copy()
        arguments = memory.view(np.uint8), new.view(np.uint8), places.astype(np.uint32), bytes
        program(CTAS, THREADS, arguments, cluster=CTAS, engine=engine)
        np.testing.assert_array_equal(memory, expected, engine)


def one_each(rng: np.random.Generator) -> Any:
    """CTA and slot for every sender, none twice."""
    order = rng.permutation(CTAS * THREADS)
    return np.stack([order // THREADS, order % THREADS], axis=1).reshape(CTAS, THREADS, 2)


@pytest.mark.parametrize(("type", "count"), STORES)
def test_stores(type: str, count: int) -> None:
    vector = f".v{count}" if count > 1 else ""
    opcode = f"st.async.weak.shared::cluster.mbarrier::complete_tx::bytes{vector}.{type}"
    check(opcode, type, count, lambda old, new: new, one_each(np.random.default_rng(1)))


@pytest.mark.parametrize(("operation", "type"), REDUCTIONS)
def test_reductions(operation: str, type: str) -> None:
    """Several into one slot, where their order does not count."""
    rng = np.random.default_rng(2)
    places = one_each(rng) if operation in EXCHANGED else rng.integers(0, CTAS, (CTAS, THREADS, 2))
    opcode = f"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.{operation}.{type}"
    check(opcode, type, 1, REDUCTIONS[operation, type], places, operation)
