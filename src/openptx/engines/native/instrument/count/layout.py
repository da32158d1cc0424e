"""The layout of a worker's counts, which counting code and the launch share: offsets in bytes from their start.

First the common part; then eight counters for each instruction of each function that the kernel may call, by the order
of `reached`; then one for each target of branches by index; then, for each instruction that accesses memory, the masks
of its entries, and the entries. Requests of one mask whose addresses differ from their base by the same offsets have
one entry, which counts them by the base modulo the hardware's granularity. Requests without an entry go to the log.
"""

from __future__ import annotations

from functools import lru_cache

from openptx.call_graph import reachable_functions
from openptx.control_flow import control
from openptx.engines.common.accesses import Access, Accessing, CopyAccess, MatrixAccess, accessing
from openptx.engines.native.analysis.cfg import Cells, Graph
from openptx.program import Function, Op, Program, Targets

# fmt: off
CLOCK    = 0      # i64: the clock of the running warp: executed instructions, or waiting time
WORKER   = 8      # ptr: the worker's state
LOG      = 16     # ptr: where the next record goes
LOG_END  = 24     # ptr: one past the last
LOG_BEGIN = 32    # ptr: the first
BARRIERS = 64     # 16 numbers x 2 parities of generations x BARRIER
LANES    = 2112   # 32 x i64: addresses of a request
SERIAL   = 2368   # i64: requests that were measured individually
ADDRESSES = 2432  # 64 x SLOT: addresses of the request being measured, by their hash
SECTORS  = 4480   # 64 x SLOT: its sectors
BANKS    = 6528   # 32 x i8: lanes or words in each bank
SORTED   = 6592   # 32 x i32
COUNTERS = 6720   # counters of instructions begin here

# A slot of a hash table.
SLOT     = 32     # bytes
KEY_OF   = 0      # i64
SERIAL_OF = 8     # i64: of the request that it belongs to
COUNT_OF = 16     # i64: lanes; for a sector, the maximum at one address

# Arrivals at a barrier: offsets in bytes.
BARRIER  = 64
KEY      = 0      # i64: generation, with its CTA above it; 0: no arrivals yet
ARRIVED  = 8      # i64: warps
LATEST   = 16     # i64: the latest of their clocks
SUM      = 24     # i64: sum of their clocks
PLACE    = 32     # i64: the last position, in the text, of the statements at which they arrived
WAITED   = 40     # i64: offset of that statement's counter

# Counters of an instruction, 8 bytes each.
WARPS, THREADS = 0, 1            # executions of the block that begins at the instruction
LEFT_WARPS, LEFT_THREADS = 2, 3  # that exited to the generic version at the instruction
SLOW_WARPS, SLOW_THREADS = 4, 5  # executions, by the generic version, of the block that begins at the instruction
ACTIVE   = 6      # threads whose guard holds; for a branch, those that take it
SPECIAL  = 7      # of branches and calls: divergent executions; of barriers: instructions for which warps waited
EACH     = 64     # bytes

# An entry. The first of each instruction is for whole warps at offsets known at compile time.
MEMO     = 8      # entries for other requests
ENTRIES  = 1 + MEMO
OFFSETS  = 0      # 32 x i64: addresses of the lanes minus the base
HISTOGRAM = 256   # 128 x i64: requests, by their base modulo 32 or 128
BASES    = 1280   # 128 x i64: an example base for each of these
BASE     = 2304   # i64: an example base
ENTRY    = 2368   # bytes
WIDEST   = 128    # of the moduli

# Requests of an instruction that were measured individually: sums, and the most wasteful one.
REQUESTS = 0      # i64
ACTIVE_LANES = 8  # i64
TAKEN    = 16     # i64: sectors or wavefronts
IDEAL    = 24     # i64
REPEATED = 32     # i64: lanes whose address equals that of an earlier one
WASTE    = 40     # i64: of the most wasteful one,
LANES_OF = 48     # i64: its lanes,
MIXED    = 56     # i64: and its rank among those equal in these two
MASK_OF  = 64     # i64
PLACES   = 128    # 32 x i64
MEASURED = 384    # bytes

# Measures
OTHER, LOADS, ATOMICS, SHARED_LOADS, SHARED_ATOMICS = 0, 1, 2, 3, 4  # sectors; wavefronts of up to 32 bits per lane

# A record of the log.
RECORD   = 272    # i64 site, i64 mask, 32 x i64 addresses
RECORDS  = 2048
MOST     = 32     # the maximum number of records of one instruction, which must be free when it starts
# fmt: on


FACTORS = tuple((2 * lane + 1) * 0x9E3779B97F4A7C15 >> 24 | 1 for lane in range(32))
"""Multipliers of lane offsets in the sum that ranks requests; any large numbers would do."""


class Site:
    """An instruction that accesses memory: `number` among those of its launch."""

    __slots__ = ("found", "function", "number", "op")

    def __init__(self, function: Function, op: Op, found: Accessing, number: int) -> None:
        self.function, self.op, self.found, self.number = function, op, found, number

    @property
    def space(self) -> str:
        """The state space of its addresses."""
        if isinstance(self.found, (Access, MatrixAccess)):
            return self.found.space
        if isinstance(self.found, CopyAccess):
            return "global"
        return self.op.m.space

    @property
    def size(self) -> int:
        """Bytes per lane, if the instruction says."""
        return self.found.size if isinstance(self.found, (Access, CopyAccess)) else 0

    @property
    def measure(self) -> int:
        """How requests without an entry are measured one by one; OTHER: they go to the log."""
        if not isinstance(self.found, (Access, CopyAccess)) or self.space not in ("global", "shared"):
            return OTHER
        atomic = self.op.form.instruction.access == "update"
        if self.space == "global":
            return ATOMICS if atomic else LOADS
        return SHARED_ATOMICS if atomic else SHARED_LOADS if self.found.size <= 4 else OTHER

    @property
    def modulus(self) -> int:
        """The granularity of the hardware in bytes: an entry counts requests by their base modulo this."""
        matrices = isinstance(self.found, MatrixAccess)
        return 32 if self.space in ("global", "local") and not matrices else WIDEST


class Layout:
    """The layout of the counters of a kernel and of all functions that it may call."""

    def __init__(self, program: Program, kernel: Function) -> None:
        self.functions = [*reachable_functions(program, kernel.name)]
        self.first: dict[Function, int] = {}
        """The index of the function's first instruction among those of all functions."""
        self.sites: list[Site] = []
        self.site_of: dict[Op, Site] = {}
        self._blocks: dict[tuple[Function, frozenset[int]], list[tuple[int, int]]] = {}
        self.tables: dict[Op, int] = {}
        """Where counters of indirect branches begin."""
        count = 0
        for function in self.functions:
            self.first[function] = count
            count += len(function.code)
            for op in function.code:
                if (found := accessing(op, ())) is not None and op not in self.site_of:
                    self.site_of[op] = Site(function, op, found, len(self.sites))
                    self.sites.append(self.site_of[op])
        self.count = count
        at = COUNTERS + EACH * count
        for function in self.functions:
            for op in function.code:
                if control(op) == "branch-table":
                    self.tables[op] = at
                    at += 8 * len(targets_of(op).pcs)
        self.masks = -(-at // 64) * 64
        self.measured = self.masks + -(-8 * ENTRIES * len(self.sites) // 64) * 64
        self.entries = self.measured + MEASURED * len(self.sites)
        self.size = self.entries + ENTRY * ENTRIES * len(self.sites)

    def blocks(self, function: Function, entered: frozenset[int] = frozenset()) -> list[tuple[int, int]]:
        """The first position of each basic block, and the one after its last; blocks also begin at positions
        `entered`."""
        found = self._blocks.get((function, entered))
        if found is None:
            graph = Graph(function, Cells(function), entered, False)
            found = self._blocks[function, entered] = [(b.start, b.stop) for b in graph.blocks]
        return found

    def counter(self, function: Function, pc: int, which: int) -> int:
        return COUNTERS + EACH * (self.first[function] + pc) + 8 * which

    def mask(self, site: Site) -> int:
        return self.masks + 8 * ENTRIES * site.number

    def sums(self, site: Site) -> int:
        return self.measured + MEASURED * site.number

    def entry(self, site: Site) -> int:
        return self.entries + ENTRY * ENTRIES * site.number


def targets_of(op: Op) -> Targets:
    """The targets of an indirect branch."""
    return next(o for o in op.operands if isinstance(o, Targets))


@lru_cache(maxsize=16)
def layout_of(program: Program, kernel: Function) -> Layout:
    """Programs and functions are compared by identity."""
    return Layout(program, kernel)
