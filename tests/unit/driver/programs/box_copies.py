"""cuMemcpy2D and cuMemcpy3D between the host, pitched device memory and arrays; copies that are refused."""

import ctypes
import struct
from ctypes import byref

import numpy as np
from driver_calls import Address, Handle, Size, allocate, call, context
from numpy.typing import NDArray

HOST, DEVICE, ARRAY, UNIFIED = 1, 2, 3, 4
UINT8, UINT32, FLOAT = 1, 3, 0x20
LAYERED, CUBE = 1, 4
JUNK = 0xDEAD_BEEF << 32  # four bytes after a memory type belong to nothing


def array_of(width: int, height: int, depth: int = 0, form: int = FLOAT, channels: int = 1, flags: int = 0) -> Handle:
    made = Handle()
    call("cuArray3DCreate_v2", byref(made), struct.pack("<QQQIII4x", width, height, depth, form, channels, flags))
    return made


def host(data: NDArray[np.generic], pitch: int, x: int = 0, y: int = 0) -> list[int]:
    return [x, y, HOST | JUNK, data.ctypes.data, 0, 0, pitch]


def device(place: Address, pitch: int, x: int = 0, y: int = 0, kind: int = DEVICE) -> list[int]:
    return [x, y, kind, 0, place.value, 0, pitch]


def array(handle: Handle, x: int = 0, y: int = 0) -> list[int]:
    return [x, y, ARRAY, 0, 0, handle.value or 0, 0]


def copy(source: list[int], target: list[int], width: int, height: int, result: int = 0) -> None:
    call("cuMemcpy2D_v2", struct.pack("<16Q", *source, *target, width, height), result=result)


context()
pitch, rows = Size(), 5
image = np.arange(rows * 7, dtype=np.float32).reshape(rows, 7)
pitched = Address()
call("cuMemAllocPitch_v2", byref(pitched), byref(pitch), Size(28), Size(rows), 4)
there = array_of(7, rows)

copy(host(image, 28), device(pitched, pitch.value), 28, rows)
copy(device(pitched, pitch.value), array(there), 28, rows)
back = np.zeros_like(image)
copy(array(there), host(back, 28), 28, rows)
assert (back == image).all()

# A box of 2 x 3 elements from the middle, into the middle.
middle = np.zeros((4, 6), np.float32)
copy(array(there, 8, 1), host(middle, 24, 4, 1), 12, 2)
expected = np.zeros((4, 6), np.float32)
expected[1:3, 1:4] = image[1:3, 2:5]
assert (middle == expected).all()
middle[:] = 0
copy(device(pitched, pitch.value, 8, 1, UNIFIED), host(middle, 24, 4, 1), 12, 2)
assert (middle == expected).all()

copy(array(there, 0, 1), host(back, 28), 28, rows, result=1)  # below the last row
copy(array(there, 4), host(back, 28), 28, rows, result=1)
copy(device(pitched, 16), host(back, 28), 28, rows, result=1)  # rows overlap
copy(device(Address(pitched.value + 4), pitch.value), host(back, 28), pitch.value, rows, result=1)  # 4 bytes past
copy([0, 0, 9, 0, 0, 0, 0], host(back, 28), 28, rows, result=1)
copy(array(Handle(12345)), host(back, 28), 28, rows, result=400)
copy(device(pitched, 16), host(back, 28), 28, 0)  # nothing at all
call("cuMemcpy2D_v2", None, result=1)

# Slices.
volume = np.arange(2 * 3 * 4, dtype=np.uint32).reshape(2, 3, 4)
cuboid = array_of(4, 3, 2, UINT32)
padded = allocate(2 * 5 * 64)  # slices of 5 rows of 64 bytes
in_host = [0, 0, 0, 0, HOST, volume.ctypes.data, 0, 0, 0, 16, 3]
in_device = [4, 1, 0, 0, DEVICE, 0, padded.value, 0, 0, 64, 5]
in_array = [0, 0, 0, 0, ARRAY, 0, 0, cuboid.value or 0, 0, 0, 0]
call("cuMemcpy3D_v2", struct.pack("<25Q", *in_host, *in_device, 16, 3, 2))
call("cuMemcpy3D_v2", struct.pack("<25Q", *in_device, *in_array, 16, 3, 2))
again = np.zeros_like(volume)
in_again = [0, 0, 0, 0, HOST, again.ctypes.data, 0, 0, 0, 16, 3]
call("cuMemcpy3D_v2", struct.pack("<25Q", *in_array, *in_again, 16, 3, 2))
assert (again == volume).all()
again[:], in_again[10] = 0, 0  # as many rows as are copied
call("cuMemcpy3D_v2", struct.pack("<25Q", *in_array, *in_again, 16, 3, 2))
assert (again == volume).all()
raw = np.zeros((2, 5, 64), np.uint8)
call("cuMemcpyDtoH_v2", raw.ctypes.data_as(Handle), padded, Size(raw.size))
assert (raw[:, 1:4, 4:20].copy().view(np.uint32) == volume).all()
assert raw.sum() == volume.astype(np.uint8).sum()
in_device[10] = 2  # slices of two rows cannot hold three
call("cuMemcpy3D_v2", struct.pack("<25Q", *in_host, *in_device, 16, 3, 2), result=1)
in_array[3] = 1
call("cuMemcpy3D_v2", struct.pack("<25Q", *in_array, *in_again, 16, 3, 2), result=801)

# A stream, captured: the description is read when the copy is captured, the bytes when it runs.
stream, graph, ready = Handle(), Handle(), Handle()
call("cuStreamCreate", byref(stream), 1)
call("cuStreamBeginCapture_v2", stream, 0)
call("cuMemcpy2DAsync_v2", struct.pack("<16Q", *host(image, 28), *array(there), 28, rows), stream)
call("cuStreamEndCapture", stream, byref(graph))
call("cuGraphInstantiateWithFlags", byref(ready), graph, ctypes.c_uint64(0))
image[:] *= 2
copy(array(there), host(back, 28), 28, rows)
assert (back * 2 == image).all()
call("cuGraphLaunch", ready, stream)
copy(array(there), host(back, 28), 28, rows)
assert (back == image).all()

# Arrays of one dimension, by offsets.
line = Handle()
call("cuArrayCreate_v2", byref(line), struct.pack("<QQII", 16, 0, UINT8, 4))
data = np.arange(64, dtype=np.uint8)
call("cuMemcpyHtoA_v2", line, Size(0), data.ctypes.data_as(Handle), Size(64))
part = np.zeros(8, np.uint8)
call("cuMemcpyAtoH_v2", part.ctypes.data_as(Handle), line, Size(12), Size(8))
assert part.tolist() == list(range(12, 20))
call("cuMemcpyAtoH_v2", part.ctypes.data_as(Handle), line, Size(60), Size(8), result=1)
call("cuMemcpyAtoH_v2", part.ctypes.data_as(Handle), there, Size(0), Size(8), result=1)
call("cuMemcpyAtoD_v2", padded, line, Size(0), Size(64))
call("cuMemcpyDtoA_v2", line, Size(32), padded, Size(32))
call("cuMemcpyAtoA_v2", line, Size(0), line, Size(48), Size(16))
call("cuMemcpyAtoH_v2", data.ctypes.data_as(Handle), line, Size(0), Size(64))
assert data.tolist() == [*range(16, 32), *range(16, 32), *range(32)]

# Descriptions of arrays.
described = ctypes.create_string_buffer(40)
call("cuArray3DGetDescriptor_v2", described, cuboid)
assert struct.unpack("<QQQIII4x", described.raw) == (4, 3, 2, UINT32, 1, 0)
made = Handle()
for description, result in (
    (struct.pack("<QQQIII4x", 0, 1, 0, FLOAT, 1, 0), 1),
    (struct.pack("<QQQIII4x", 4, 4, 0, FLOAT, 3, 0), 1),
    (struct.pack("<QQQIII4x", 4, 0, 4, FLOAT, 1, 0), 1),
    (struct.pack("<QQQIII4x", 4, 4, 0, FLOAT, 1, LAYERED), 1),
    (struct.pack("<QQQIII4x", 4, 5, 6, FLOAT, 1, CUBE), 1),
    (struct.pack("<QQQIII4x", 4, 4, 12, FLOAT, 1, CUBE), 1),
    (struct.pack("<QQQIII4x", 4, 4, 0, 0x91, 1, 0), 801),  # a compressed format
    (struct.pack("<QQQIII4x", 4, 4, 0, FLOAT, 1, 0x40), 801),  # sparse
):
    call("cuArray3DCreate_v2", byref(made), description, result=result)
call("cuArrayDestroy", there)
call("cuArrayDestroy", there, result=400)
