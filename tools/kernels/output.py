"""Cases of output.cu."""

import numpy as np
from numpy.random import Generator

from kernels.case import Out, case

FORMATS = """hello from openptx
-42    42|42   |00042 4000000000 beef BEEF 0xbeef 10 z %
3.141593 3.142       3.14 3.141593e+00 3.14159
-1234567890123 18446742839141661493 fffffee08e04fb35 -1234567890123 -3
PTX has 3 letters
no arguments
"""


@case("output.cu", "print_formats", block=1, builds=("sm_80", "sm_80 -G", "sm_90a"), stdout=FORMATS)
def print_formats(_: Generator):
    name = np.frombuffer(b"openptx\0", np.uint8)
    return name, np.float64(3.14159265358979), np.int64(-1234567890123)


SQUARES = [f"block {i // 20} thread {i % 20} square {i * i}" for i in range(0, 50, 3)]


@case("output.cu", "print_threads", grid=3, block=20, builds=("sm_80", "sm_75"), stdout_lines=SQUARES)
def print_threads(_: Generator):
    return (np.int32(50),)


@case("output.cu", "heap_lists", block=40, builds=("sm_80", "sm_90a"))
def heap_lists(_: Generator):
    out = [sum(i * (t + 1) * (10 - i) for i in range(10)) for t in range(40)]
    return Out(np.array(out, np.int32)), np.int32(10)


@case("output.cu", "heap_shared", block=50, builds="sm_80")
def heap_shared(r: Generator):
    a = r.integers(-99, 99, 50, dtype=np.int32)
    return a, Out(a[::-1] + 1)


@case("output.cu", "assert_holds", block=20, builds=("sm_80", "sm_75 -G"))
def assert_holds(r: Generator):
    a = r.integers(0, 99, 20, dtype=np.int32)
    return a, Out(a // 2)
