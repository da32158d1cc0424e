"""Tensor maps of cuTensorMapEncodeTiled: a kernel copies a box of a matrix; maps that the hardware refuses."""

import ctypes
from ctypes import byref
from typing import Any

import numpy as np
from driver_calls import CUDA, Address, Handle, Size, Word, allocate, call, context, kernel, launch

UINT8, UINT32, FLOAT, BF16, FTZ, TF32 = 0, 2, 7, 9, 10, 11
PACKED, PADDED = 13, (14, 15)
"""16U4_ALIGN8B; 16U4_ALIGN16B and 16U6_ALIGN16B."""
PTX = """
.version 8.0
.target sm_90
.address_size 64
.visible .entry copy(.param .align 64 .b8 map[128], .param .u64 out, .param .u32 x, .param .u32 y) {
    .reg .b64 %m, %o, %t, %s; .reg .b32 %x, %y, %i, %v, %at, %bar; .reg .pred %p;
    .shared .align 128 .b8 box[128];
    .shared .align 8 .b64 bar;
    mov.b64 %m, map;
    cvta.param.u64 %m, %m;
    ld.param.u64 %o, [out]; ld.param.u32 %x, [x]; ld.param.u32 %y, [y];
    mov.u32 %i, %tid.x;
    mov.u32 %at, box;
    mov.u32 %bar, bar;
    setp.ne.u32 %p, %i, 0;
    @%p bra wait;
    mbarrier.init.shared.b64 [%bar], 1;
    fence.mbarrier_init.release.cluster;
    mbarrier.arrive.expect_tx.shared.b64 %s, [%bar], 128;
    cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%at], [%m, {%x, %y}], [%bar];
wait:
    bar.sync 0;
again:
    mbarrier.try_wait.parity.shared.b64 %p, [%bar], 0;
    @!%p bra again;
    shl.b32 %v, %i, 2;
    add.u32 %at, %at, %v;
    cvt.u64.u32 %t, %v;
    add.u64 %o, %o, %t;
    ld.shared.b32 %v, [%at];
    st.global.b32 [%o], %v;
    ret;
}
"""


def encode(
    place: int, shape: list[int], strides: list[int], box: list[int], *, kind: int = FLOAT, swizzle: int = 0,
    fill: int = 0, interleave: int = 0, steps: list[int] | None = None, result: int = 0,
) -> Any:  # fmt: skip
    """The 128 bytes, with the innermost dimension first."""
    room = ctypes.create_string_buffer(192)
    begin = -(-ctypes.addressof(room) // 64) * 64
    rank = len(shape)
    call("cuTensorMapEncodeTiled", Handle(begin), kind, rank, Handle(place), (ctypes.c_uint64 * rank)(*shape),
         (ctypes.c_uint64 * rank)(*strides), (ctypes.c_uint32 * rank)(*box),
         (ctypes.c_uint32 * rank)(*(steps or [1] * rank)), interleave, swizzle, 3, fill, result=result)  # fmt: skip
    return (ctypes.c_char * 128).from_buffer_copy(ctypes.string_at(begin, 128))


context()
module = Handle()
call("cuModuleLoadData", byref(module), PTX.encode())
matrix = np.arange(20 * 12, dtype=np.float32).reshape(20, 12)
there, target = allocate(matrix.nbytes), allocate(128)
call("cuMemcpyHtoD_v2", there, matrix.ctypes.data_as(Handle), Size(matrix.nbytes))


def copied(described: Any, x: int, y: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    launch(kernel(module, "copy"), 32, described, target, Word(x), Word(y))
    found = np.zeros((8, 4), np.float32)
    call("cuMemcpyDtoH_v2", found.ctypes.data_as(Handle), target, Size(128))
    return found


plain = encode(there.value, [12, 20], [48], [4, 8])
assert (copied(plain, 4, 2) == matrix[2:10, 4:8]).all()
beyond = np.zeros((8, 4), np.float32)
beyond[:4, :2] = matrix[16:, 10:]
assert (copied(plain, 10, 16) == beyond).all()
filled = copied(encode(there.value, [12, 20], [48], [4, 8], fill=1), 10, 16)
assert (filled[:4, :2] == matrix[16:, 10:]).all()
assert np.isnan(filled[4:]).all()
steps = copied(encode(there.value, [12, 20], [48], [4, 16], steps=[7, 2]), 0, 1)
assert (steps == matrix[1:17:2, :4]).all()

halves = copied(encode(there.value, [96, 20], [48], [32, 8], kind=PACKED), 32, 2).view(np.uint8)  # elements of 4 bits
assert (halves.reshape(8, 16) == matrix.view(np.uint8)[2:10, 16:32]).all()
for kind in PADDED:
    encode(there.value, [128, 5], [96], [128, 2], kind=kind)
    for swizzle in (3, 4):
        encode(there.value, [128, 5], [96], [128, 2], kind=kind, swizzle=swizzle)
    encode(there.value, [128, 5], [96], [128, 2], kind=kind, swizzle=2, result=1)
    encode(there.value, [128, 5], [96], [128, 2], kind=kind, fill=1, result=1)
    encode(there.value, [128, 5], [96], [64, 2], kind=kind, result=1)
    encode(there.value, [64, 5], [96], [128, 2], kind=kind, result=1)
    encode(there.value, [128, 5], [48], [128, 2], kind=kind, result=1)
    encode(there.value + 16, [128, 5], [96], [128, 2], kind=kind, result=1)
encode(there.value, [95, 20], [48], [32, 8], kind=PACKED, result=1)

moved = ctypes.create_string_buffer(192)
begin = -(-ctypes.addressof(moved) // 64) * 64
ctypes.memmove(begin, plain, 128)
call("cuTensorMapReplaceAddress", Handle(begin), Address(there.value + 48))
assert (copied((ctypes.c_char * 128).from_address(begin), 0, 0) == matrix[1:9, :4]).all()
assert CUDA.cuTensorMapReplaceAddress(Handle(begin), Handle(8)) == 1

# The hardware's layout, as code encodes it that does not ask the driver: two bits more, and a second half of anything.
fields = {64: 1 << 1 | 1 << 21, 68: 1, 71: 7, 96: 48 // 16, 256: 12 - 1, 288: 20 - 1, 440: 4 - 1, 448: 8 - 1}
number = there.value + sum(value << first for first, value in fields.items())
hardware = (ctypes.c_char * 128).from_buffer_copy(number.to_bytes(64, "little") + b"\xa5" * 64)
assert (copied(hardware, 4, 2) == matrix[2:10, 4:8]).all()

shape, strides, box = [12, 20], [48], [4, 8]
encode(there.value, shape, strides, box, kind=BF16, fill=1, result=1)  # rows of 8 bytes
encode(there.value, shape, strides, [8, 8], kind=BF16, fill=1)
encode(there.value, shape, strides, box, kind=UINT32, fill=1, result=1)
encode(there.value, shape, strides, box, kind=16, result=1)
encode(there.value, shape, strides, box, kind=FTZ, fill=1)
encode(there.value + 4, shape, strides, box, result=1)
encode(there.value, shape, [40], box, result=1)
encode(there.value, [0, 20], strides, box, result=1)
encode(there.value, [12, 20, 1], [48, 0], [4, 8, 1])  # CUTLASS's batch of one
encode(there.value, shape, strides, [4, 257], result=1)
encode(there.value, shape, strides, box, steps=[1, 9], result=1)
encode(there.value, shape, strides, [12, 8], swizzle=1, result=1)  # 48 bytes
encode(there.value, shape, strides, [8, 8], swizzle=1)
encode(there.value, shape, strides, box, swizzle=5, result=801)
for atoms in (4, 6):
    encode(there.value, shape, strides, box, swizzle=atoms)
    encode(there.value, [48, 20], [192], [36, 8], swizzle=atoms, result=1)  # 144 bytes
encode(there.value, shape, strides, box, swizzle=7, result=1)
encode(there.value, shape, strides, box, interleave=1, result=1)  # of two dimensions
images = [[16, 5, 2], [160, 320], [16, 2, 2]]
encode(there.value, *images, interleave=1)
encode(there.value, *images, interleave=1, swizzle=2)
encode(there.value, *images, interleave=2, swizzle=1)
encode(there.value, *images, interleave=3, result=1)
encode(there.value, *images, interleave=2)
encode(there.value, *images, interleave=2, swizzle=3)
encode(there.value + 16, *images, interleave=2, swizzle=1, result=1)
encode(there.value, [16, 5, 2], [176, 320], [16, 2, 2], interleave=2, swizzle=1, result=1)
encode(there.value, [16, 5, 2], [160, 320], [6, 2, 2], interleave=1, result=1)
encode(there.value, *images, interleave=1, steps=[2, 1, 1])
encode(there.value, *images, interleave=1, steps=[9, 1, 1], result=1)
encode(there.value, shape, strides, box, steps=[9, 1], result=1)  # not used, and to be 1 to 8

odd = matrix + np.float32(2**-13)
call("cuMemcpyHtoD_v2", there, odd.ctypes.data_as(Handle), Size(odd.nbytes))
cut = ((odd.view(np.uint32) + 0xFFF + (odd.view(np.uint32) >> 13 & 1)) & 0xFFFFE000).view(np.float32)
for kind in (TF32, 12):
    assert (copied(encode(there.value, shape, strides, box, kind=kind), 4, 2) == cut[2:10, 4:8]).all()
assert (copied(encode(there.value, shape, strides, box, kind=FTZ), 4, 2) == odd[2:10, 4:8]).all()
call("cuMemcpyHtoD_v2", there, matrix.ctypes.data_as(Handle), Size(matrix.nbytes))
encode(there.value, [4] * 6, [16] * 5, [4] * 6, result=1)


def columns(
    place: int, lower: list[int], upper: list[int], *, wide: int | None = None, channels: int = 4, pixels: int = 8,
    interleave: int = 0, result: int = 0,
) -> Any:  # fmt: skip
    """The 128 bytes for images N, W, C = 4, 5, 12."""
    room = ctypes.create_string_buffer(192)
    begin = -(-ctypes.addressof(room) // 64) * 64
    sizes, strides = (ctypes.c_uint64 * 3)(12, 5, 4), (ctypes.c_uint64 * 2)(48, 240)
    steps = (ctypes.c_uint32 * 3)(1, 1, 1)
    if wide is None:
        corners = (ctypes.c_int32 * len(lower))(*lower), (ctypes.c_int32 * len(upper))(*upper)
        call("cuTensorMapEncodeIm2col", Handle(begin), FLOAT, 3, Handle(place), sizes, strides, *corners, channels,
             pixels, steps, interleave, 0, 3, 0, result=result)  # fmt: skip
    else:
        call("cuTensorMapEncodeIm2colWide", Handle(begin), FLOAT, 3, Handle(place), sizes, strides, lower[0], upper[0],
             channels, pixels, steps, interleave, wide, 0, 3, 0, result=result)  # fmt: skip
    return (ctypes.c_char * 128).from_buffer_copy(ctypes.string_at(begin, 128))


IM2COL = PTX.replace("tensor.2d.shared::cluster.global.mbarrier", "tensor.3d.shared::cluster.global.im2col.mbarrier")
IM2COL = IM2COL.replace("[%m, {%x, %y}], [%bar];", "[%m, {%x, %y, 1}], [%bar], {%w};")
IM2COL = IM2COL.replace("%bar; .reg", "%bar; .reg .b16 %w; .reg")
IM2COL = IM2COL.replace("mov.u32 %i, %tid.x;", "mov.u32 %i, %tid.x; mov.b16 %w, 2;")
call("cuModuleLoadData", byref(module), IM2COL.encode())
images = matrix.reshape(4, 5, 12)
pixels = np.zeros((8, 4), np.float32)
for row, (n, w) in zip(pixels, [(1, 1), (1, 2), (2, -1), (2, 0), (2, 1), (2, 2), (3, -1), (3, 0)], strict=True):
    if w + 2 < 5:
        row[:] = images[n, w + 2, 4:8]
assert (copied(columns(there.value, [-1], [-2]), 4, 1) == pixels).all()

columns(there.value, [-1], [-2], wide=0)
columns(there.value, [-1], [-2], wide=1)
columns(there.value, [-1], [-2], wide=2, result=1)
columns(there.value, [-1], [-2], interleave=1)
columns(there.value, [-1], [-2], wide=0, interleave=1, result=1)
columns(there.value, [0], [-5], result=1)
columns(there.value, [1 << 15], [0], result=1)
columns(there.value, [0], [0], channels=3, result=1)
columns(there.value, [0], [0], pixels=1025, result=1)
columns(there.value, [0], [0], pixels=129, wide=1, result=1)
columns(there.value + 4, [0], [0], result=1)
