"""Words that streams write and wait for, stream attributes, and several copies in one call."""

import ctypes
from ctypes import byref

from driver_calls import Handle, Size, Word, allocate, call, context, words

GEQ, EQ, AND, NOR = range(4)
NON_BLOCKING = 1

context()
place, stream, other = allocate(16), Handle(), Handle()
for one in stream, other:
    call("cuStreamCreate", byref(one), 0)
call("cuStreamWriteValue32_v2", stream, place, Word(5), 0)
call("cuStreamWriteValue64_v2", stream, ctypes.c_uint64(place.value + 8), ctypes.c_uint64(1 << 40), 0)
assert words(place, 4) == [5, 0, 0, 256]
for value, flags, result in (
    (5, GEQ, 0), (4, GEQ, 0), (6, GEQ, 600), (0xFFFFFFFF, GEQ, 0), (5, EQ, 0), (6, EQ, 600), (4, AND, 0), (2, AND, 600),
    (1, NOR, 0), (0xFFFFFFFA, NOR, 600), (5, EQ | 1 << 30, 0),
):  # fmt: skip
    waiting = Handle()
    call("cuStreamCreate", byref(waiting), NON_BLOCKING)
    call("cuStreamWaitValue32_v2", waiting, place, Word(value), flags)
    call("cuStreamQuery", waiting, result=result)
    if result:  # another word wakes it up
        call("cuStreamWriteValue32_v2", stream, place, Word(value if flags != NOR else 0), 0)
        call("cuStreamSynchronize", waiting)
        call("cuStreamWriteValue32_v2", stream, place, Word(5), 0)
    call("cuStreamQuery", waiting)
call("cuStreamWaitValue64_v2", stream, ctypes.c_uint64(place.value + 8), ctypes.c_uint64(1 << 40), EQ)

given, found = ctypes.create_string_buffer(bytes(range(64)), 64), ctypes.create_string_buffer(64)
call("cuStreamSetAttribute", stream, 1, given)
call("cuStreamCopyAttributes", other, stream)
call("cuStreamGetAttribute", other, 1, found)
assert found.raw == given.raw
call("cuStreamGetAttribute", other, 3, found)
assert found.raw == b"\1".ljust(64, b"\0")  # CU_SYNC_POLICY_AUTO

source, wrong = (ctypes.c_uint32 * 2)(7, 8), Size()
targets = (ctypes.c_uint64 * 2)(place.value + 4, place.value + 12)
sources = (ctypes.c_uint64 * 2)(ctypes.addressof(source), ctypes.addressof(source) + 4)
sizes = (ctypes.c_size_t * 2)(4, 4)
call("cuMemcpyBatchAsync", targets, sources, sizes, Size(2), None, None, Size(0), byref(wrong), stream)
assert words(place, 4) == [5, 7, 0, 8]
sizes[1] = 8
call("cuMemcpyBatchAsync", targets, sources, sizes, Size(2), None, None, Size(0), byref(wrong), stream, result=1)
assert wrong.value == 1
