"""One function and its compilation parameters: read by all analyses and by emission, changed by none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from openptx.control_flow import END, control, registers
from openptx.engines.native.analysis.activations import only_interpreted
from openptx.engines.native.analysis.cfg import Block, Cells, Graph
from openptx.engines.native.analysis.lattice import N
from openptx.engines.native.analysis.liveness import find_liveness
from openptx.engines.native.analysis.spin_loops import slice_back
from openptx.engines.native.analysis.unsupported import UnsupportedByJit
from openptx.program import Address, Function, Program, Reg, Register, SharedLayout

if TYPE_CHECKING:
    from openptx.device.image import Image
    from openptx.engines.native.deopt.frame_state import SideExit
    from openptx.engines.native.settings import Options
    from openptx.llvm.host import CPU

ONLY_IN_KERNELS = frozenset(("barrier", "cluster-barrier", "exit"))
"""Kinds of control instructions that a compiled function cannot have."""

Triple = tuple[int, int, int]


@dataclass(frozen=True, slots=True, eq=False)
class FunctionContext:
    program: Program
    function: Function
    image: Image
    options: Options
    cpu: CPU
    shared_layout: SharedLayout
    """The module of the kernel for which the function is compiled."""
    symbol: str
    """The LLVM name of the function."""
    site_base: int
    """An offset added to positions in its code, so that faults identify the function too."""
    entered_from: Mapping[int, SideExit]
    """Side exits that lead here, by position: only the generic version has any."""
    cells: Cells
    graph: Graph
    result_cells: tuple[int, ...]
    argument_cells: tuple[int, ...]
    address_cells: frozenset[int]
    """Registers from which addresses are computed."""
    headers: frozenset[int]
    """Loop headers: the lowest block of each cycle."""
    looped: frozenset[int]
    """Blocks of loops, by the order of the text."""
    suspending: frozenset[int]
    """Blocks that end with a barrier at which warps wait."""
    has_local: bool
    """Whether generic addresses may lead to local memory."""

    @property
    def is_function(self) -> bool:
        return self.function.kind != "entry"

    @property
    def block(self) -> Triple:
        return self.options.block

    @property
    def threads(self) -> int:
        """The number of threads of a CTA."""
        x, y, z = self.options.block
        return x * y * z

    @property
    def warps(self) -> int:
        return -(-self.threads // N)

    @property
    def all_warps_full(self) -> bool:
        """Whether the last warp of a CTA is full, too."""
        return self.threads % N == 0 and not self.is_function

    @property
    def address_size(self) -> int:
        return self.program.address_size

    @property
    def local_size(self) -> int:
        """Bytes of the function's frame in each thread's local memory."""
        return -(-self.function.frame_size // 16) * 16

    @property
    def version(self) -> int:
        """1 for the generic version, which takes over after a side exit."""
        return int(bool(self.entered_from))

    @property
    def runs_next_warp(self) -> bool:
        """Whether the code itself continues with the CTA's next warp."""
        return not self.entered_from and not self.is_function


def make_context(
    program: Program, function: Function, image: Image, options: Options, cpu: CPU, layout: SharedLayout, symbol: str,
    number: int, entered_from: Mapping[int, SideExit],
) -> FunctionContext:  # fmt: skip
    """`number`: 0 for a kernel, else the function's index among those that the kernel calls.

    Raises UnsupportedByJit if only the interpreter can run it.
    """
    check_supported(function, options)
    cells, is_function = Cells(function), function.kind != "entry"
    results = cells_of_formals(cells, function.returns) if is_function else ()
    graph = Graph(function, cells, entered_from, not options.counts)
    find_liveness(graph, frozenset(results))
    return FunctionContext(
        program, function, image, options, cpu, layout, symbol, number << 20, entered_from, cells, graph,
        results,
        cells_of_formals(cells, function.parameters) if is_function else (),
        address_cells(graph),
        frozenset(s for b in graph.blocks for s in b.successors if s != END and s <= b.index),
        looped(graph),
        frozenset(b.index for b in graph.blocks if suspends(b)),
        is_function or function.frame_size > 0 or any(control(op) == "call" for op in function.code),
    )  # fmt: skip


def check_supported(function: Function, options: Options) -> None:
    for pc, op in enumerate(function.code):
        kind = control(op)
        if only_interpreted(function, pc) and (options.counts or options.watched):
            raise UnsupportedByJit(f"`{op.form.instruction.name}`")
        if function.kind != "entry" and kind in ONLY_IN_KERNELS:
            raise UnsupportedByJit(f"`{op.form.instruction.name}` in a function")


def cells_of_formals(cells: Cells, formals: tuple[object, ...]) -> tuple[int, ...]:
    registers = [f for f in formals if isinstance(f, Register)]
    return tuple(cell for r in registers for cell in cells.of(Reg(r.index, r.type.width)))


def looped(graph: Graph) -> frozenset[int]:
    """The blocks between a branch back and its target, which are about those of loops."""
    back = [(s, b.index) for b in graph.blocks for s in b.successors if s != END and s <= b.index]
    return frozenset(i for first, last in back for i in range(first, last + 1))


def suspends(b: Block) -> bool:
    """Whether warps stop at the block's end until others arrive."""
    return b.last is not None and control(b.last) == "barrier" and b.last.m.mode != "arrive"


def address_cells(graph: Graph) -> frozenset[int]:
    """Registers from which addresses are computed; the address chain ends at loads."""
    cells: set[int] = set()
    computing: list[int] = []
    for pc, op in enumerate(graph.function.code):
        places = [o for o in op.operands if isinstance(o, Address)]
        for place in places:
            cells |= {c for r in registers(place) for c in graph.cells.of(r)}
        if not places:
            computing.append(pc)
    return frozenset(slice_back(graph, computing, cells))
