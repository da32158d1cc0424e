"""The data that compiled code and the launch share when accesses are watched: the watch block, shadow cells, facts of
accesses.

A granule (4 bytes, or 1 in memory with smaller accesses) has two cells of 64 bits, for writes and for reads. A cell
stands for a set of accesses that are not ordered with each other: their time, their threads, and their kinds. Sixteen
granules are a line: as long as all of them are accessed together, by adjacent lanes or by all lanes of a warp, the two
cells of the line represent theirs, which have no memory yet.
"""

from __future__ import annotations

# fmt: off
# Bits of a cell.
THREAD  = 0x3FF       # in its CTA, of one access
LANE    = 0x1F
WARP    = 0x3E0
LEVEL   = 3 << 10     # whose accesses: 0 one thread's, 1 lanes of a warp, 2 warps of a CTA, 3 several CTAs
OF_WARP, OF_CTA, OF_GRID = (i << 10 for i in (1, 2, 3))
WEAK    = 1 << 12     # one of them is weak
SIZE    = 13          # one bit for each size of the strong ones: 1, 2, 4, 8 bytes
SIZES   = 15 << SIZE
NARROW  = 1 << 17     # one of them has the scope of its CTA
CONSTANT = 1 << 18    # one of them is ld.global.nc
FLAGS   = 0x7F << 12
FINE    = 1 << 19     # for lines: its granules have cells of their own
SPREAD  = 20          # for lines with LEVEL 0: log2 of the granules of a thread, 3 bits
SPREADS = 7 << SPREAD
TIME    = 24          # the remaining bits: barriers that the worker had passed at the last access
EVER    = -1 << TIME  # accesses of several CTAs are never ordered

# Facts of an access, one word of code: FLAGS, and
ROW_LANES = 19        # log2 of the lanes in a row, 3 bits
PAIR     = 1 << 22    # the row has two lanes at each place
BYTES    = 24         # log2 of the bytes of a lane, 3 bits
IN_CTA   = 1 << 27    # a suspicion is about threads of one CTA alone
STATEMENT = 32        # the site, as in faults

# The watch block: offsets in bytes.
NOW     = 0           # i64: time
TICK    = 8           # i64: of the last barrier of the whole CTA, or of its start
BEGIN   = 16          # i64: when the CTA started
CTA     = 24          # i64: its number; -1: none yet
FIRST   = 32          # i64: the warp's first thread
NEAR    = 40          # i64: of the warp's last barrier
TABLE   = 48          # ptr: an area for each slot of the address space
STOP    = 56          # ptr: the launch's flag that ends it
THREADS = 64          # i64: of a CTA
KIND    = 72          # i64: 0, or the suspicion that ended the launch
FACTS   = 80          # i64: the access that caused it; for SMALL: the slot of the address space
SHARED  = 128         # an area: shared memory
WARPS   = 192         # 32 x i64: NEAR of all warps
BARRIERS = 448        # 16 x (i32 generation, i16 lanes that have arrived, i16 those of them that reduce)
LANES   = 576         # 32 x i64: addresses
MARKS   = 832         # ptr: for each slot of the address space, the distance of its marks; 0: all is defined
SHARED_MARKS = 840    # ptr: a byte for each byte of shared memory, 0 once it has been written, else 255
LOCAL_MARKS = 848     # ptr: the same for local memory of the CTA's threads
RESERVED = 856        # i64: bytes at the start of shared memory that are always defined
SHARED_BYTES = 864    # i64: bytes of shared memory after them, which start undefined in each CTA
LOCAL_BYTES = 872     # i64: of local memory
STRIDE  = 880         # i64: of local memory of one thread
CAME    = 896         # i64: lanes that have arrived at barriers of the whole CTA, without those of complete ones
PARTED  = 904         # i64: the site of the last such arrival
DOUBTS  = 912         # ptr: a byte for each CTA, 1 if there is a suspicion IN_CTA
OWN_KIND = 920        # i64: 0, or the first of those
OWN_FACTS = 928       # i64: the access that caused it
BLOCK   = 936         # bytes in all

LINE    = 16          # bytes: its cells of writes and of reads
WIDE    = 16          # granules of a line

# An area: memory with cells.
LINES   = 0           # ptr to the line that granule 0 would be in; UNWATCHED, TOO_LARGE, TOUCHED: none
CELLS   = 8           # ptr to the cell of writes that granule 0 would have
HALF    = 16          # i64: from cells of writes to cells of reads
GRANULE = 24          # i64: number of its first granule
END     = 32          # i64: one past the last
SHIFT   = 40          # i64: log2 of the bytes of a granule
AREA    = 64          # bytes
UNWATCHED, TOO_LARGE, TOUCHED = 0, 1, 2
# fmt: on

RACE, LANES_AWAY, OUTSIDE, SMALL, UNWRITTEN, WARPS_AWAY = 1, 2, 3, 4, 5, 6
"""KIND: accesses that no known synchronisation orders; a warp instruction or barrier without all lanes; an access
outside its variable; an access smaller than a granule; a load of bytes that have not been written; a barrier of the
whole CTA at which some warps never arrive."""

ARRAYS = "arrays"
"""Together with the tool "init": some arrays of global memory start undefined."""
