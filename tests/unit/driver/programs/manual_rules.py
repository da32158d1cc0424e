"""Rules of CUDA's manual on arguments and effects of calls, each of which was once not followed."""

from ctypes import byref

from driver_calls import Handle, Size, Word, allocate, call, context, words

INVALID = 1

context()
place, pinned = allocate(64), Handle()
call("cuMemHostAlloc", byref(pinned), Size(64), 0)

# A wrong call frees nothing.
call("cuMemFreeHost", place, result=INVALID)
call("cuMemFree_v2", pinned, result=INVALID)
call("cuMemsetD32_v2", place, Word(5), Size(16))
call("cuMemsetD32_v2", pinned, Word(6), Size(16))
assert words(place, 1) == [5]
call("cuMemFreeHost", pinned)
