"""The symbolic machine: meanings of instructions on terms, for one thread of any launch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from openptx.numerics import Bits
from openptx.prove.floats import SymbolicFloats
from openptx.prove.memory import Regions, places
from openptx.prove.paths import EVERYWHERE, Path
from openptx.prove.terms import Term, truth
from openptx.prove.unprovable import Unprovable

if TYPE_CHECKING:
    from openptx.isa.semantics.images import Images
    from openptx.isa.semantics.tensor_memory import TensorMemory
    from openptx.prove.inputs import Inputs


def refused(reason: str) -> Callable[..., Any]:
    """A method of the machine that no proof can execute."""

    def refuse(*arguments: Any) -> Any:
        raise Unprovable(reason)

    return refuse


class SymbolicThread(SymbolicFloats):
    """Operations that need other threads are Unprovable. Checks of `require` are assumed not to fault."""

    def __init__(self, inputs: Inputs, regions: Regions, exact: bool) -> None:
        super().__init__()
        self.inputs, self.regions, self.exact = inputs, regions, exact
        self.path: Path = EVERYWHERE
        """Of the instruction that executes, its guard included."""

    # Memory

    def load(self, space: str, address: Bits, w: int, count: int = 1) -> tuple[Bits, ...]:
        size = w // 8
        whole = size * count if count > 1 else size
        return tuple(self.element(space, address + i * size, w, size if i else whole) for i in range(count))

    def element(self, space: str, address: Bits, w: int, alignment: int) -> Bits:
        if space == "param":
            return self.parameter(address.v, w)
        if space not in ("global", "generic", "local", "frame"):
            raise Unprovable("shared-memory" if space.startswith("shared") else "variable", f"`.{space}`")
        found = Bits(self, w, 0)
        targets = places(self.inputs, self.path, space, address.v)
        for i, (path, region, offset) in enumerate(targets):
            loaded = Bits(self, w, self.regions.load(path, region, offset, w // 8, alignment))
            found = loaded if i == 0 else self.select(Bits(self, 1, path.condition()), loaded, found)
        return found

    def parameter(self, address: Term, w: int) -> Bits:
        if not isinstance(address, int):
            raise Unprovable("address", "of a parameter, not known before the launch")
        size = w // 8
        inside = [
            word for word in self.inputs.words if word.offset < address + size and address < word.offset + word.size
        ]
        if not inside or inside[0].offset > address or inside[-1].offset + inside[-1].size < address + size:
            raise Unprovable("address", f"byte {address} of the parameters, where there is none")
        whole = self.join_parts([Bits(self, 8 * word.size, word.term) for word in inside])
        return self.resize(whole >> 8 * (address - inside[0].offset), w)

    def join_parts(self, parts: list[Bits]) -> Bits:
        """Words, lowest first, as one."""
        whole = parts[0]
        for part in parts[1:]:
            whole = self.concat(part, whole)
        return whole

    def store(self, space: str, address: Bits, values: Sequence[Bits]) -> None:
        if space not in ("global", "generic", "local", "frame"):
            raise Unprovable("shared-memory" if space.startswith("shared") else "variable", f"`.{space}`")
        for i, value in enumerate(values):
            size = value.width // 8
            alignment = size if i else size * len(values)
            for path, region, offset in places(self.inputs, self.path, space, (address + i * size).v):
                self.regions.store(path, region, offset, size, value.v, alignment)

    # The thread

    def special(self, name: str, w: int) -> Bits:
        if name.endswith(".w"):
            return self.const(0, w)
        found = self.inputs.thread(name)
        if found is None:
            raise Unprovable("special", f"`%{name}`")
        return self.resize(Bits(self, 32, found), w)

    def lane(self) -> Bits:
        return self.special("laneid", 32)

    def active(self) -> Bits:
        return self.const(1, 1)

    def require(self, p: Bits, code: str, message: str, value: Bits | None = None) -> None:
        truth(p.v)

    # Operations that need more than one thread, or are not supported

    shuffle = ballot = refused("warp-exchange")
    atomic = refused("atomic")
    copy = repeat = cases = refused("copy")
    allocate = stack = unwind = refused("local-stack")

    @property
    def images(self) -> Images:
        raise Unprovable("texture")

    @property
    def tensor_memory(self) -> TensorMemory:
        raise Unprovable("instruction", "tensor memory")
