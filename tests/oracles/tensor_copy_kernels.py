"""Kernels that create a tensor map and copy by it, on all engines, compared with NumPy."""

from __future__ import annotations

import re
from math import prod

import numpy as np

import openptx
from openptx.errors import Fault, Unsupported

ELEMENTS = {"u1": 0, "u2": 1, "u4": 2, "i4": 3, "u8": 4, "i8": 5, "f2": 6, "f4": 7, "f8": 9}
SHARED = 8192  # bytes of the box, and of what kernels get to send
ADDRESS = re.compile("0x[0-9a-f]+")


class Tensor:
    """An array as a tensor with a box; dimensions innermost first, as maps have them."""

    def __init__(
        self, array: np.ndarray, box: tuple[int, ...], *, steps: tuple[int, ...] = (), swizzle: int = 0, fill: int = 0
    ) -> None:
        self.array, self.box, self.swizzle, self.fill = array, box, swizzle, fill
        self.steps = steps or (1,) * len(box)
        self.sizes, self.strides = array.shape[::-1], array.strides[::-1]
        self.counts = tuple(-(-n // step) for n, step in zip(box, self.steps, strict=True))
        self.bytes = prod(self.counts) * array.itemsize

    def fields(self) -> str:
        """The instructions that write its map to `[m]`."""
        code = ELEMENTS[self.array.dtype.str[1:]]
        words = [("rank", "b32", len(self.box) - 1), ("elemtype", "b32", code), ("interleave_layout", "b32", 0),
                 ("swizzle_mode", "b32", self.swizzle), ("fill_mode", "b32", self.fill)]  # fmt: skip
        for d, (size, box, step) in enumerate(zip(self.sizes, self.box, self.steps, strict=True)):
            words += [("global_dim", "b32", f"{d}, {size}"), ("box_dim", "b32", f"{d}, {box}"),
                      ("element_stride", "b32", f"{d}, {step}")]  # fmt: skip
        words += [("global_stride", "b64", f"{d}, {stride}") for d, stride in enumerate(self.strides[1:])]
        return "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [m], tensor;\n" + "\n".join(
            f"tensormap.replace.tile.{field}.shared::cta.b1024.{type} [m], {value};" for field, type, value in words
        )

    def places(self, at: tuple[int, ...]) -> list[tuple[int, ...]]:
        """The positions of the elements of the box, in the order of shared memory, outermost first."""
        return [
            tuple(c + i * step for c, i, step in zip(at[::-1], index, self.steps[::-1], strict=True))
            for index in np.ndindex(self.counts[::-1])
        ]

    def inside(self, place: tuple[int, ...]) -> bool:
        return all(0 <= i < n for i, n in zip(place, self.array.shape, strict=True))

    def swizzled(self, flat: np.ndarray) -> np.ndarray:
        """The bytes of a box where swizzling puts them; it is its own inverse."""
        chunks = flat.view(np.uint8).reshape(-1, 16)
        i = np.arange(len(chunks))
        return chunks[i ^ ((i >> 3) & ((1 << self.swizzle) - 1))].reshape(-1)

    def expected(self, places: list[tuple[int, ...]]) -> np.ndarray:
        """What a copy brings to shared memory."""
        flat = np.array([self.array[p] if self.inside(p) else 0 for p in places], self.array.dtype)
        if self.fill:
            flat.view(np.uint16).reshape(len(flat), -1)[[not self.inside(p) for p in places]] = 0x7FF7  # H100
        return self.swizzled(flat)


def kernel(tensor: Tensor, moves: str) -> str:
    """Moves `given` to shared memory, makes a copy, and moves the result to `back`."""
    return f""".version 8.8
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 ptensor, .param .u64 pgiven, .param .u64 pback, .param .u64 pmap) {{
.shared .align 1024 .b8 box[{SHARED}]; .shared .align 128 .b8 map[128]; .shared .align 8 .b64 bar;
.reg .b64 m, tensor, given, back, there, state; .reg .b32 lane; .reg .pred other, ready;
ld.param.u64 tensor, [ptensor]; ld.param.u64 given, [pgiven]; ld.param.u64 back, [pback]; ld.param.u64 there, [pmap];
mov.u64 m, map; mov.u32 lane, %tid.x;
{tensor.fields()}
bar.warp.sync -1;
tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [there], [m], 128;
setp.ne.u32 other, lane, 0; @other bra DONE;
mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.expect_tx.shared.b64 state, [bar], {SHARED};
cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [box], [given], {SHARED}, [bar];
FIRST: mbarrier.try_wait.shared.b64 ready, [bar], state; @!ready bra FIRST;
fence.proxy.tensormap::generic.acquire.gpu [there], 128;
{moves}
cp.async.bulk.global.shared::cta.bulk_group [back], [box], {SHARED};
cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
DONE: ret; }}"""


def loads(bytes: int, modifiers: str, at: str, more: str = "") -> str:
    return f"""mbarrier.arrive.expect_tx.shared.b64 state, [bar], {bytes};
cp.async.bulk.tensor.{modifiers} [box], [there, {{{at}}}], [bar]{more};
SECOND: mbarrier.try_wait.shared.b64 ready, [bar], state; @!ready bra SECOND;"""


BOTH = "interp", "native"


def launched(
    tensor: Tensor, moves: str, given: np.ndarray | None = None, engines: tuple[str, ...] = BOTH
) -> np.ndarray:
    """What is in shared memory at the end, on all engines. `tensor.array` changes as the kernel does."""
    sent, before = np.full(SHARED, 0xA5, np.uint8), tensor.array.copy()
    if given is not None:
        sent[: given.nbytes] = given.view(np.uint8)
    k = openptx.load(kernel(tensor, moves))["k"]
    backs, ends, errors = [], [], []
    for engine in engines:
        tensor.array[...], back, words = before, np.zeros(SHARED, np.uint8), ""
        try:
            k(1, 32, (tensor.array, sent, back, np.zeros(128, np.uint8)), engine=engine)
        except (Fault, Unsupported) as error:
            errors.append(error)
            words = ADDRESS.sub("", str(error))
        backs.append(back)
        ends.append((back.tobytes(), tensor.array.tobytes(), words))
    assert all(end == ends[0] for end in ends)
    if errors:
        raise errors[0]
    return backs[0]


def numbers(shape: tuple[int, ...], type: str, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).integers(1, 100, shape).astype(type)
