"""The meanings of names in one thread at a stop: registers of an activation, special registers, variables, memory."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any, cast

import numpy as np

from openptx.debug import source_values
from openptx.debug.lanes import batch_of, frames, lane_of, where
from openptx.debug.observer import StoppingObserver
from openptx.debug.values import Array, TypedBits
from openptx.engines.interp.frames import Frame
from openptx.engines.interp.memory.spaces import Violation
from openptx.engines.interp.operands import put, source
from openptx.errors import InputError, Unsupported
from openptx.isa.special_registers import SPECIAL_REGISTERS
from openptx.isa.types import Type, find_type
from openptx.keywords import did_you_mean
from openptx.numerics import Bits
from openptx.program import Register, Special, Variable
from openptx.runtime.cxx_names import qualified
from openptx.trace.observer import ObservedBatch
from openptx.trace.operands import bits_of
from openptx.trace.values import type_of

BUILTIN = {"threadIdx": "%tid", "blockIdx": "%ctaid", "blockDim": "%ntid", "gridDim": "%nctaid"}
"""Special registers by their names in CUDA C++."""
MOST = 1 << 16
"""The maximum number of memory elements that one expression reads."""


class Scope:
    """A lane of a batch in one of its activations; `outward` is the number of inlined calls in that that are left."""

    def __init__(
        self, observer: StoppingObserver, batch: ObservedBatch, frame: Frame, lane: int, outward: int = 0
    ) -> None:
        self.observer, self.batch, self.frame, self.lane, self.outward = observer, batch, frame, lane, outward

    @property
    def position(self) -> int | None:
        """Where the instruction that its lanes have reached stands in the text; for a caller, its call."""
        group = where(self.observer, self.thread)
        chain = frames(group.frame, group.pc) if group is not None else []
        pc = next((pc for frame, pc in chain if frame is self.frame), None)
        code = self.frame.plan.code
        return code[min(pc, len(code) - 1)].span[0] if pc is not None and code else None

    @property
    def kernel_frame(self) -> Frame:
        """The activation of the kernel."""
        frame = self.frame
        while frame.parent is not None:
            frame = frame.parent
        return frame

    # Names.

    def name(self, text: str) -> Any:
        """A register, a vector of registers, a special register, a variable or a literal of PTX.

        Raises InputError for an unknown name.
        """
        registers = {r.name: r for r in self.frame.plan.function.registers}
        source = source_values.find(self, text)
        if source is not None:
            return source_values.evaluated(self, source)
        register = self.find_register(text)
        if register is not None:
            return self.register(register)
        if text[:2].lower() in ("0f", "0d") and len(text) in (10, 18):
            return TypedBits(int(text[2:], 16), type_of("f32" if len(text) == 10 else "f64"))
        parts = [r for name, r in registers.items() if name.rpartition(".")[0] == text and name[-1] in "xyzw"]
        if parts:
            return [self.register(part) for part in parts]
        for variable in self.variables():
            if text in (variable.name, qualified(variable.name)):
                return self.array(variable)
        special = self.special(text) if text.startswith("%") else self.builtin(text)
        found = special if special is not None else source_values.enumerator(self, text)
        if found is not None:
            return found
        names = [*registers, *(v.name for v in self.variables()), *(v.name for v in source_values.visible(self))]
        raise InputError(f"no register or variable `{text}`{did_you_mean(text, names)}")

    def find_register(self, text: str) -> Register | None:
        """A register of the function by its name, which may lack its `%`; None if it does not exist.

        A variable's name is not completed to a register's.
        """
        registers = {r.name: r for r in self.frame.plan.function.registers}
        if text in registers or any(variable.name == text for variable in self.variables()):
            return registers.get(text)
        return registers.get(f"%{text}")

    def register(self, register: Register) -> TypedBits:
        """The content of a register."""
        content: Any = self.frame.regs[register.index]
        found = bits_of(content, slice(self.lane, self.lane + 1))
        written = self.observer.has_written(self.batch, self.frame, register.index, self.lane)
        return TypedBits(found[0], register.type, not written)

    def special(self, text: str) -> TypedBits | None:
        """The content of a special register; None if it does not exist. Raises InputError for one that the machine does
        not have."""
        name = text.removeprefix("%")
        base, _, component = name.partition(".")
        row = SPECIAL_REGISTERS.get(base)
        if row is None or row.vector != (component in tuple("xyzw")):
            return None
        with self.reading() as x:
            clock = x.clock
            try:
                found = source(Special(name, row.type.width), None)(x, self.frame.regs, x.executing)
            except Unsupported as gap:
                raise InputError(f"`{text}` cannot be read: {gap.form}") from gap
            finally:
                x.clock = clock  # inspecting it does not change it
        return TypedBits(int(found.v[0]), row.type)

    def builtin(self, text: str) -> TypedBits | list[TypedBits | None] | None:
        """A component of a built-in variable of CUDA C++, `threadIdx.x`, or all three; None if it does not exist."""
        name, _, component = text.partition(".")
        register = BUILTIN.get(name)
        if register is None:
            return None
        return (
            self.special(f"{register}.{component}") if component else [self.special(f"{register}.{c}") for c in "xyz"]
        )

    def variables(self) -> Iterator[Variable]:
        """The visible variables: of the function, of the kernel's block, of the module."""
        function = self.frame.plan.function
        for formal in (*function.parameters, *function.returns):
            if isinstance(formal, Variable):
                yield formal
        yield from function.local
        yield from function.shared
        yield from self.batch.program.variables.values()

    def array(self, variable: Variable) -> Array:
        """The memory of a variable. Raises InputError for a variable of another module or of another kernel's shared
        memory."""
        x = self.batch.x
        address = variable.offset
        if variable.space in ("local", "frame"):
            address += self.frame.base
        elif variable.space in ("global", "const"):
            if variable.name not in x.image.addresses:
                raise InputError(f"`{variable.name}` is defined in another module")
            address = x.image.addresses[variable.name]
        elif variable.space == "shared":
            layout = x.geometry.shape.layout
            if variable.linkage != "extern" and (variable.name, variable.span) not in layout.offsets:
                raise InputError(f"`{variable.name}` is not a shared variable of this kernel")
            address = layout.offset(variable)
        width = max(variable.type.width // 8, 1)
        size = variable.size
        if not size and variable.space == "shared":
            size = max(x.shared_size - address, 0)
        type = variable.type if variable.type.kind != "opaque" else find_type("b64")
        return Array(variable.name, variable.space, address, type, size // width, variable.shape)

    # Memory.

    def address_of(self, array: Array, index: int) -> int:
        """The location of an element of a variable; InputError if it is out of range."""
        if not 0 <= index < array.count:
            raise InputError(f"`{array.name}` has {array.count} elements, not one at {index}")
        return array.address + index * max(array.type.width // 8, 1)

    def element(self, array: Array, index: int) -> TypedBits:
        """An element of a variable."""
        return self.read(array.space, self.address_of(array, index), array.type, 1)[0]

    def elements(self, array: Array, most: int = MOST) -> list[TypedBits]:
        """The elements of a variable, or the first of them."""
        return self.read(array.space, array.address, array.type, min(array.count, most))

    def read(self, space: str, address: int, type: Type, count: int) -> list[TypedBits]:
        """Elements of memory, as this thread sees it. Raises InputError for memory that it cannot read."""
        size = max(type.width // 8, 1)
        data = self.bytes(space, address, size * count)
        return [TypedBits(int.from_bytes(data[i * size : (i + 1) * size], "little"), type) for i in range(count)]

    def bytes(self, space: str, address: int, size: int) -> bytes:
        """Bytes of memory, as this thread sees it. Raises InputError for memory that it cannot read."""
        with self.accessing("read", space, address, size) as (x, places):
            return x.load(space, places, 8)[0].v.astype(np.uint8).tobytes() if size else b""

    def write(self, space: str, address: int, data: bytes) -> None:
        """Writes memory, as a store of this thread does. Raises InputError for memory that it cannot write."""
        if space in ("const", "param", "frame"):
            raise InputError(f"memory in .{space} cannot be written")
        with self.accessing("write", space, address, len(data)) as (x, places):
            if data:
                x.store(space, places, [Bits(x, 8, np.frombuffer(data, np.uint8))])

    def set_register(self, register: Register, bits: int) -> None:
        """Writes a register of this lane."""
        content: Any = self.frame.regs[register.index]
        n, lanes = self.batch.x.n, slice(self.lane, self.lane + 1)

        def changed(old: Any, part: int) -> Any:
            return put(old, lanes, np.array([part]).astype(old.dtype), n)

        if isinstance(content, tuple):
            low, high = cast("tuple[Any, Any]", content)
            made: Any = (changed(low, bits & (1 << 64) - 1), changed(high, bits >> 64))
        else:
            made = changed(content, bits)
        self.frame.regs[register.index] = made
        self.observer.wrote(self.batch, self.frame, register.index, lanes)

    @property
    def thread(self) -> int:
        """The number of the thread in the launch."""
        geometry = self.batch.x.geometry
        return geometry.first * geometry.threads + self.lane

    @contextmanager
    def accessing(self, what: str, space: str, address: int, size: int) -> Generator[tuple[Any, Bits]]:
        """The machine with this lane executing at each of the bytes; an illegal access becomes an InputError."""
        if not 0 <= size <= MOST * 16:
            raise InputError(f"{size} bytes are more than can be {what} at once")
        if not 0 <= address < 1 << 64:
            raise InputError(f"0x{address & (1 << 128) - 1:x} is not an address")
        places = np.arange(size, dtype=np.uint64) + np.uint64(address)
        with self.reading(max(size, 1)) as x:
            try:
                yield x, Bits(x, 64, places)
            except Violation as violation:
                raise InputError(
                    f"cannot {what} {size} bytes at 0x{address:x} in .{space}: {violation.message}"
                ) from None

    @contextmanager
    def reading(self, times: int = 1) -> Generator[Any]:
        """The machine with this lane executing, several times at once; afterwards restored."""
        x = self.batch.x
        before = x.executing, x.base, x.local_size, x.doing
        x.executing = slice(self.lane, self.lane + 1) if times == 1 else np.full(times, self.lane, np.intp)
        x.base, x.local_size = self.frame.base, self.frame.top
        try:
            yield x
        finally:
            x.executing, x.base, x.local_size, x.doing = before


def scope_of(observer: StoppingObserver, thread: int, depth: int | None = None) -> Scope | None:
    """The scope of a thread in its innermost activation, or in that at a call depth, counted from the kernel.

    None if the thread has exited or has not started, or if its call depth is smaller.
    """
    batch, group = batch_of(observer, thread), where(observer, thread)
    if batch is None or group is None:
        return None
    frame: Frame | None = group.frame
    while depth is not None and frame is not None and frame.depth > depth:
        frame = frame.parent
    if frame is None or (depth is not None and frame.depth < depth):
        return None
    return Scope(observer, batch, frame, lane_of(thread, batch))
