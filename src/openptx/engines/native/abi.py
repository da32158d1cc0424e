"""The memory layout that compiled code and launches share: offsets in bytes from a worker's state."""

from __future__ import annotations

from openptx.engines.common import tensor_block

# fmt: off
TABLE       = 0      # ptr: one row for each slot of the address space
SLOTS       = 8      # i64: rows
SHARED      = 16     # ptr: the CTA's shared memory
SHARED_SIZE = 24     # i64
LOCAL       = 32     # ptr: local memory of the CTA's threads, one after another
STRIDE      = 40     # i64: local memory of one thread
FRAMES      = 48     # ptr: one saved state for each warp
FRAME_SIZE  = 56     # i64
CTAID       = 64     # 3 x i32
NCTAID      = 76     # 3 x i32
LINEAR      = 88     # i64: the CTA's linear index
DYNAMIC     = 96     # i64: dynamic shared memory
WARPS       = 104    # i64: of a CTA
THREADS     = 112    # i64: of a CTA
GRID        = 120    # ptr: the launch's state, shared by its workers
POLL        = 136    # ptr: asks Python whether to stop
GLOBALS     = 144    # ptr: addresses of the module's variables
ALIVE       = 152    # i64: threads of the CTA that have not exited
GENERIC     = 160    # ptr: the kernel's generic version, or null
NEED        = 168    # ptr: asks Python to make it
CLEAR_FROM  = 176    # i64: bytes of shared memory cleared for each CTA
CLEAR_SIZE  = 184    # i64
SIDE_EXITS  = 232    # i64: how often a warp exited to the generic version
STACK       = 240    # ptr: the limit of the processor's stack
BUDGET      = 248    # i64: how much of it calls may use
CHAIN       = 768    # i32 calls that led to a fault, then their sites, innermost first
CHAINED     = 9      # one more than are shown: on stack overflow the first of them is the site itself
CLEAR_LOCAL = 832    # i64: bytes of local memory cleared for each thread
FROM        = 848    # i64: the first CTA that the worker has taken and not finished
UNTIL       = 856    # i64: one past the last
BAND        = 840    # i64: columns of CTAs that run together, for cache locality; a whole row: row by row
WORKSPACE   = 864    # i64: where barriers of the whole grid count arrivals
UPCALL      = 872    # ptr: asks Python to do what REQUEST says
REQUEST     = 880    # i32 upcall, lanes, first thread of the warp, number of values in DATA; i64 local memory
HEAP        = 904    # ptr: device/heap.py's `left`, or null
HEAP_BASE   = 912    # i64: its first device address
HEAP_SIZE   = 920    # i64
IN_ROW      = 928    # i32: the number of CTAs from this one on that differ only in their position in a row
KERNEL      = 936    # ptr: the code of warps
POLLED      = 944    # i64: the processor's clock when Python was last asked whether to stop
CALLS       = 952    # i32: calls of functions until the next poll
WATCH       = 960    # ptr: the watch block, for watched code (watch/)
TENSOR      = 968    # ptr: the CTA's tensor memory (common/tensor_block.py), or null
# The fault: i32 kind, i32 site, i32 lanes, i32 warp, i64 address, i32 space, i32 size, i64 limit
KIND, SITE, LANES, WARP, ADDRESS, SPACE, SIZE, LIMIT = 192, 196, 200, 204, 208, 216, 220, 224
BARRIERS    = 256    # 16 x (i32 arrived, i32 expected, i32 generation, i32 lanes, 2 x i32 yes, 2 x i32 votes)
BARRIER     = 32     # bytes of one of them
COLUMN      = 256    # 32 x i64: a value of each lane
SCRATCH     = 1024   # COLUMN: addresses of lanes that take the slow path
DATA        = 1280   # 8 x COLUMN: the values they load or store
MORE        = 3328   # 2 x COLUMN: further operands of atomics
OPERANDS    = 4096   # ROOM x COLUMN: registers of an instruction that the reference engine executes
ROOM        = 192
TILES       = 53248  # KNOWN x (i64 1 + site, ptr code): of products in tensor memory that are already compiled
KNOWN       = 64     # indexed by the site's low bits
STATE       = 54272  # bytes in all

TENSOR_HEAD = tensor_block.CELLS  # bytes of it that are cleared for each CTA

# Of the launch
NEXT, CTAS, STOP, CHUNK = 0, 8, 16, 24
LAUNCH      = 64

# A row of the table.
ROW         = 32     # u64 base, i64 size, i64 size if it may be written, u64 host - device

# A warp's saved state.
RESUME      = 0      # i32: position after the barrier where it waits; 0: not started; -1: ended; -2 - position: deopt
VERSION     = 4      # i32: nonzero if the warp continues in the generic version
WAITS       = 8      # i32: barrier, or -1
GENERATION  = 12     # i32: of that barrier
LIVE        = 16     # i32: lanes that have not exited
LIVE_BEFORE = 20     # i32: their number before the warp ran
TURNS       = 24     # i32: iterations of loops that may be waiting, if they have barriers
SAMPLED     = 28     # i32: tests whether a loop waits, see deopt/side_exits.py
SAVED       = 64     # registers
# fmt: on

FRAME_HEAD = "<iiiIIi"
"""RESUME to LIVE_BEFORE, as `struct` reads them."""

SPACES = ("generic", "global", "shared", "shared::cluster", "local", "frame", "const", "param")
"""State spaces by number, as the slow path takes them."""

WRAPS = 1 << 7
"""Beside that number: base plus offset is modulo 2^32."""

OUT_OF_BOUNDS, MISALIGNED, READ_ONLY, REQUIRED, TRAP, DEADLOCK, STOPPED, OVERFLOW, CALLEE, ANSWER, TORN, UNALLOCATED = (
    range(1, 13)
)
"""The kinds of faults."""

DONE, SUSPENDED, FAILED, SIDE_EXIT, DEOPTIMIZED, HANDLED = range(6)
"""The results of a warp's code. HANDLED: what the warps did is recorded, and `openptx.run` determines the next one."""

HANDED = 3
"""The result of a worker that is in the middle of a CTA."""
