"""Cases of scans.cu."""

import numpy as np
from numpy.random import Generator

from kernels.case import Out, case

for threads in (33, 1024):

    @case("scans.cu", "hillis_steele", name=f"hillis_steele_{threads}", block=threads, shared=8 * threads)
    def hillis_steele(r: Generator, threads: int = threads):
        a = r.integers(-(2**30), 2**30, threads - 3, dtype=np.int32)
        return a, Out(np.cumsum(a, dtype=np.int64).astype(np.int32)), np.int32(threads - 3)


@case("scans.cu", "blelloch", block=128, shared=1024, builds=("sm_80", "sm_75", "sm_80 -G"))
def blelloch(r: Generator):
    a = r.integers(0, 2**32, 256, dtype=np.uint32)
    exclusive = np.cumsum(a, dtype=np.uint32) - a  # modulo 2**32, as the kernel adds
    return (Out(exclusive, init=a),)


@case("scans.cu", "warp_running_max", grid=2, block=96)
def warp_running_max(r: Generator):
    a = r.integers(-(2**15), 2**15, 192, dtype=np.int16)
    return a, Out(np.maximum.accumulate(a.reshape(6, 32), axis=1).ravel())


@case("scans.cu", "chained_scan", grid=6, block=128, builds=("sm_80", "sm_90a"), note="blocks wait for each other")
def chained_scan(r: Generator):
    a = r.integers(-(2**31), 2**31, 700, dtype=np.int32)
    sums = np.cumsum(a, dtype=np.int64)
    carry = np.cumsum(np.pad(a, (0, 68)), dtype=np.int64)[127::128]
    ready, turn = Out(np.ones(6, np.int32)), Out(np.array([6], np.int32))
    return a, Out(sums), Out(carry), ready, turn, np.int32(700)


@case("scans.cu", "compact_odd", block=256)
def compact_odd(r: Generator):
    a = r.integers(-99, 99, 250, dtype=np.int32)
    odd = a[a % 2 == 1]
    return a, Out(np.pad(odd, (0, 250 - len(odd)))), Out(np.array([len(odd)], np.int32)), np.int32(250)
