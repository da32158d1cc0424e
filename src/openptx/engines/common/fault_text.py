"""The texts of faults, which both engines share: invalid accesses, invalid masks, calls, and where threads wait."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise

from openptx.device.allocation import in_bytes
from openptx.isa.semantics.tensor_memory import LANE
from openptx.program import Op, SharedLayout
from openptx.source import File

COMPILING = "it was being compiled"

CHAINED = 8
"""The maximum number of calls shown that led to a fault."""

OWNERS = {"local": "the thread's", "frame": "the thread's", "const": "the module's", "param": "the kernel's"}

TORN = "a copy that begins in one allocation and ends in another"

TOO_DEEP = "calls nest deeper than the stack allows"


def wrong_mask(op: Op) -> str:
    """The text for a lane that executes an instruction whose mask excludes it."""
    return f"lane {{lane}} executes `{op.m}` with mask 0x{{value:08x}}, which does not include it"


def unallocated(address: int) -> str:
    """The text for an access to tensor memory that is not allocated."""
    return f"lane {address >> LANE}, column {address & (1 << LANE) - 1} of tensor memory is not allocated"


def timed_out(timeout: float | None) -> str:
    """The text for a launch that exceeded its time limit in seconds."""
    return f"the kernel ran longer than {_seconds(timeout)}"


def not_started(timeout: float | None) -> str:
    """The text for a launch whose time limit in seconds passed before the kernel's code was there."""
    return f"the kernel did not start within {_seconds(timeout)}"


def _seconds(timeout: float | None) -> str:
    return f"{timeout:g} {'second' if timeout == 1 else 'seconds'}"


def access(what: str, size: int) -> str:
    """`a store of 4 bytes`; `what` is load, store, atomic or copy."""
    name = {"atomic": "an atomic operation on"}.get(what, f"a {what} of")
    return f"{name} {in_bytes(size)}"


def of_instruction(message: str, op: Op | None) -> str:
    """The text for an instruction whose single accesses are parts of a larger one in the program: a bulk reduction to
    global memory. The text for an mbarrier that it completes is not changed."""
    if op is None or op.form.instruction.reduces != "many" or op.m.dst != "global":
        return message
    for part in ("a load of", "an atomic operation on"):
        if message.startswith(part):
            return "a copy with reduction, at an element of" + message.removeprefix(part)
    return message


def misaligned(what: str, size: int) -> str:
    return f"{access(what, size)} at an address that is not a multiple of {size}"


def beyond_blocks(doing: str, size: int, pooled: bool) -> str:
    """The text for an access between blocks of `malloc`, or between the host's small allocations if `pooled`."""
    if pooled:
        return outside(doing, size, "global", -1)
    return f"{access(doing, size)} in the heap, which `malloc` has not allocated or `free` has released"


def outside(what: str, size: int, space: str, limit: int) -> str:
    """An access beyond the `limit` bytes that a block or a thread has of a space; beyond all allocations if that is
    negative."""
    where = f"the {in_bytes(limit)} of .{space.replace('frame', 'param')}" if limit >= 0 else "every allocation"
    return f"{access(what, size)} outside of {where}"


def read_only(allocation: object) -> str:
    """The text for a write to constants, to the kernel's parameters, or to a read-only array."""
    return f"a write to {allocation}, which may only be read"


def beyond(address: int, size: int, space: str, limit: int) -> str:
    """How far an access missed the `limit` bytes that a block, a thread, a kernel or a module has in a space."""
    owner = OWNERS.get(space, "the block's")
    what = f"{owner} .{space.replace('frame', 'param')}, {in_bytes(limit)}"
    for bits in (64, 32):  # bits of the register in which an address below 0 was computed
        if 1 << bits - 1 <= address < 1 << bits and limit < 1 << bits - 1:
            return f"{what}; the access begins {in_bytes((1 << bits) - address)} before it"
    past = address + size - limit
    return f"{what}; the access ends {in_bytes(past)} past it" if past > 0 else what


def dynamic_memory(space: str, limit: int, layout: SharedLayout, dynamic: int) -> tuple[str, ...]:
    """How much dynamic memory the launch gave, for an access beyond the shared memory of a kernel that names some.

    The default of launches is none, and such a kernel's text does not show that.
    """
    if space != "shared" or limit < 0 or not layout.names_dynamic:
        return ()
    return (f"the kernel uses dynamic shared memory, of which this launch has {in_bytes(dynamic)}",)


def calls(names: Sequence[str]) -> tuple[str, ...]:
    """The calls that led to a position, innermost first. `names`: the function that contains it, its caller, the
    caller's caller, and so on."""
    steps = [f"in `{a}`, called from `{b}`" for a, b in pairwise(names[: CHAINED + 1])]
    runs = [(step, len(list(same))) for step, same in groupby(steps)]
    lines = [step + (f", {n} times" if n > 1 else "") for step, n in runs]
    return (*lines, *(["and so on"] if len(names) > CHAINED else []))


def waits(op: Op, file: File, what: str, threads: list[int]) -> str:
    """Says that these threads of a block wait at an instruction; `what` is `at barrier 0 for all threads`."""
    count = f"{len(threads)} thread{'s wait' if len(threads) != 1 else ' waits'}"
    names = ranges(threads) if threads else "none of this block"
    return f"{count} {what}, line {file.location(op.span[0])[0]}: `{op.text}` (threads {names})"


def describe_exited(gone: list[int], threads: int) -> str:
    """Says which of a block's threads have exited."""
    if not gone:
        return f"none of the block's {threads} threads has exited"
    return f"{len(gone)} of the block's {threads} threads have exited (threads {ranges(gone)})"


def source_line(op: Op) -> tuple[str, ...]:
    """The line of the source program of the PTX, if `.loc` gives it."""
    return (f"source: {op.line[0]}:{op.line[1]}:{op.line[2]}",) if op.line is not None else ()


def ranges(numbers: list[int], most: int = 8) -> str:
    """`0-31, 40`: sorted numbers, with consecutive ones as ranges; limited in the number of ranges."""
    found: list[tuple[int, int]] = []
    for i in numbers:
        if found and found[-1][1] == i - 1:
            found[-1] = found[-1][0], i
        else:
            found.append((i, i))
    texts = [f"{a}-{b}" if b > a else f"{a}" for a, b in found[:most]]
    return ", ".join(texts) + (", ..." if len(found) > most else "")
