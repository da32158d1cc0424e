"""The protocol that meanings use: arithmetic on lanes of raw bits, lane exchange, memory.

A meaning is `meaning(x: Machine, m: Modifiers, *sources)` and is pure except for its calls to `x`. It never sees a
mask: it computes every lane of its inputs, and only the methods below know which lanes are active. The machine also
knows the instruction's position (function, line), so that a fault can name it.
"""

from __future__ import annotations

from openptx.numerics import Arithmetic, Bits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from openptx.isa.semantics.images import Images
    from openptx.isa.semantics.matrix.tensor_operations import TensorCopy, TensorProduct, Tiles
    from openptx.isa.semantics.tensor_memory import TensorMemory
    from openptx.numerics.dot import Tile
    from openptx.numerics.matrix_product import MatrixProduct

    Update = Callable[..., Bits | tuple[Bits, Bits]]
    Word = Bits | tuple[Bits, Bits]


class Machine(Arithmetic):
    """A machine with warps and memory. All Bits are per lane; `p` has width 1; addresses are 64 bits wide.

    Spaces: "generic", "global", "shared" (or "shared::cta"), "shared::cluster", "local", "const", "param" (of the
    kernel) and "frame" (parameters of calls, in the thread's local memory). Addresses are those of that space.
    """

    # The warp.

    def lane(self) -> Bits:
        """The lane's position in its warp, 0 to 31, in 32 bits."""
        raise NotImplementedError

    def active(self) -> Bits:
        """Width 1: whether the lane executes this instruction."""
        raise NotImplementedError

    def shuffle(self, a: Bits, lane: Bits) -> Bits:
        """`a` of lane `lane & 31` of the warp. The value from an inactive lane is unspecified."""
        raise NotImplementedError

    def ballot(self, p: Bits) -> Bits:
        """A 32-bit word whose bit i is `p` of lane i of the warp; 0 for inactive lanes."""
        raise NotImplementedError

    def inactive(self) -> Bits | None:
        """The lanes of the warp that do not execute this instruction, as a mask of 32 bits: those that are elsewhere or
        have exited, and those that the last warp of a CTA lacks. None if the machine knows of none."""
        return None

    # Memory. Each access is checked as a whole: bounds, alignment to `count * w` bits, read-only.

    def load(self, space: str, address: Bits, w: int, count: int = 1) -> tuple[Bits, ...]:
        """`count` consecutive elements of `w` (8, 16, 32, 64) bits at `address`; unspecified in inactive lanes."""
        raise NotImplementedError

    def store(self, space: str, address: Bits, values: Sequence[Bits]) -> None:
        """Stores values of one width to consecutive places. If several lanes store to one place, the highest lane
        wins."""
        raise NotImplementedError

    def atomic(self, space: str, address: Bits, w: int, update: Update, *operands: Word) -> Word:
        """Replaces the word at `address` by `update(x, old, *operands)`, lane after lane, and returns the old words.
        Only the instruction's results use the old words; for an instruction without results a machine may return
        anything.

        `w` is 16, 32, 64 or 128; words and operands of 128 bits are pairs (low, high). `update` is a pure function;
        machines may implement those of `isa.semantics.atomic_ops` faster, recognised by identity.
        """
        raise NotImplementedError

    def copy(self, to: str, target: Bits, source: str, origin: Bits, size: Bits) -> None:
        """Copies `size` (32 bits) bytes from `origin` in space `source` to `target` in space `to`, lane by lane."""
        raise NotImplementedError

    def fence(self, scope: str, sequential: bool) -> None:
        """Orders the accesses before and after it, for other threads of the scope; `sequential`: a later load does not
        overtake an earlier store either. Machines that access memory in program order, so that all threads see each
        access at once, do nothing."""

    def repeat(self, times: Bits, step: Callable[..., None], *values: Bits) -> None:
        """Calls `step(i, *values)` for i (32 bits) from 0 on, each time in the lanes whose `times` is above i.

        A step must not read what an earlier one has written: steps may run together, and those of one lane before or
        after another's. Methods of the warp or the thread give unspecified results within a step.
        """
        raise NotImplementedError

    def cases(self, a: Bits, step: Callable[..., None], *values: Bits) -> None:
        """Calls `step(value, *values)` for every distinct value of `a`, each time in the lanes that have it."""
        raise NotImplementedError

    # The thread.

    def special(self, name: str, w: int) -> Bits:
        """A special register with its component, `tid.x`, in `w` bits."""
        raise NotImplementedError

    def allocate(self, size: Bits, align: int) -> Bits:
        """The local address of `size` (64 bits) newly allocated bytes of the thread's stack, valid until the function
        returns."""
        raise NotImplementedError

    def stack(self) -> Bits:
        """A mark of the thread's stack, in 64 bits, for `unwind`."""
        raise NotImplementedError

    def unwind(self, mark: Bits) -> None:
        """Frees what was allocated since `mark` was taken."""
        raise NotImplementedError

    def require(self, p: Bits, code: str, message: str, value: Bits | None = None) -> None:
        """Faults with `code` if `p` is false in an active lane; its {lane} and {value} go into the message."""
        raise NotImplementedError

    @property
    def images(self) -> Images:
        """The textures and surfaces that kernels can reach."""
        raise NotImplementedError

    @property
    def tensor_memory(self) -> TensorMemory:
        """The tensor memory of the lanes' CTAs."""
        raise NotImplementedError

    # Composed of the above.

    def count(self, p: Bits) -> Bits:
        """The number of active lanes of the warp that have `p`."""
        return self.popc(self.ballot(p))

    def matrix_product(
        self, p: MatrixProduct, a: Sequence[Bits], b: Sequence[Bits], addends: Tile, by_lanes: Callable[[], Tile]
    ) -> Tile:
        """The product of a whole warp's fragments, which `by_lanes` defines; d has the layout of `addends` for c.

        Registers are those of `mma` (isa/semantics/matrix/products.py): a for each sixteen rows, b for each eight
        columns. A line of `addends` has the lane's columns of row g, of row g + 8, and so on.
        """
        return by_lanes()

    def tile_product(
        self, p: MatrixProduct, tiles: Callable[..., Tiles], given: Sequence[Bits], adds: bool,
        by_lines: Callable[[], None],
    ) -> None:  # fmt: skip
        """d = a * b, or a * b + d if it `adds`, of matrices in shared and tensor memory, which `by_lines` defines.

        `tiles(*given)` locates their lines; a machine may call it with other values, for lanes of its choice.
        """
        by_lines()

    def tensor_product(
        self, p: TensorProduct, define: Callable[..., None], zeros: Bits, code: Bits, *values: Bits
    ) -> None:
        """The products that `p` and the lanes' descriptors in `code` describe, which `define(zeros, code, *values)`
        computes. `zeros` is the mask of columns."""
        define(zeros, code, *values)

    def tensor_copy(self, p: TensorCopy, define: Callable[..., None], address: Bits, code: Bits) -> None:
        """The copies that `p` and the lanes' descriptors describe, to an address of tensor memory, which
        `define(address, code)` performs."""
        define(address, code)

    def reduce(self, combine: Callable[[Bits, Bits], Bits], unit: int, a: Bits, members: Bits) -> Bits:
        """`combine` of `a` over the lanes in `members` (32 bits, which may differ from lane to lane), in lane order.

        `unit` holds the bits of the neutral element. An inactive lane contributes nothing.
        """
        members = members & self.ballot(self.const(1, 1))
        total = self.const(unit, a.width)
        for i in range(32):
            other = self.shuffle(a, self.const(i, 32))
            total = self.select((members & (1 << i)) != 0, combine(total, other), total)
        return total
