"""An endless kernel and a stream that waits forever are interrupted; the program gets a KeyboardInterrupt."""

import os
import signal
import sys
import threading
import time
from ctypes import byref

from driver_calls import CUDA, Handle, Size, Word, allocate, call, context, kernel, launch, load, words

SPIN = """
.visible .entry spin(.param .u64 place) {
    .reg .b64 a; .reg .b32 v; .reg .pred q;
    ld.param.u64 a, [place];
L:  ld.volatile.global.u32 v, [a];
    setp.eq.u32 q, v, 0;
    @q bra L;
    ret;
}
"""
context()
spin, place, waiting = kernel(load(SPIN), "spin"), allocate(16), Handle()
call("cuMemsetD32_v2", place, Word(0), Size(4))
call("cuStreamCreate", byref(waiting), 1)
call("cuStreamWaitValue32_v2", waiting, place, Word(1), 1)


def endless() -> None:
    launch(spin, 1, place, result=999)


def waits() -> None:
    assert CUDA.cuStreamSynchronize(waiting) == 999


for action in endless, waits:
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        action()
        time.sleep(30)
    except KeyboardInterrupt:
        print(f"{action.__name__}: interrupted")
    else:
        sys.exit(f"{action.__name__}: not interrupted")
call("cuMemsetD32Async", place, Word(1), Size(1), None)
call("cuCtxSynchronize")
assert words(place, 1) == [1]
