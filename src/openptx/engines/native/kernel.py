"""A kernel compiled for one shape of blocks: its text, its object, and the function that runs CTAs."""

from __future__ import annotations

import ctypes
import functools
import weakref
from collections.abc import Mapping
from importlib.resources import files

from openptx.engines.interp.plan import NoMeaning
from openptx.engines.native import cache, layout
from openptx.engines.native.body import Body, Exit, Options, Stack
from openptx.engines.native.compiler import Library, compile, version
from openptx.engines.native.cpu import host
from openptx.engines.native.memory import Fallback
from openptx.engines.native.outline import Outlined
from openptx.engines.native.workers import Worker
from openptx.isa.windows import CONST, PARAM, SHIFT
from openptx.program import Function, Program
from openptx.runtime.image import Image

ATTRIBUTES = 'attributes #0 = { "prefer-vector-width"="512" "min-legal-vector-width"="512" }'
METADATA = """
!0 = !{!"branch_weights", i32 1, i32 2000}
!1 = !{!"branch_weights", i32 2000, i32 1}
!2 = !{!"openptx"}
!3 = !{!"state", !2}
!4 = !{!"data", !2}
!5 = !{!3, !3, i64 0}
!6 = !{!4, !4, i64 0}
"""


@functools.cache
def support(address_size: int, rounds: bool) -> str:
    """The text that every kernel needs, with its numbers filled in."""
    text = files("openptx.engines.native").joinpath("support.ll").read_text("utf-8")
    dropped = "once" if rounds else "rounds"
    before, _, rest = text.partition(f"; [{dropped}\n")
    text = before + rest.partition(f"; {dropped}]\n")[2]
    shift = SHIFT[address_size]
    numbers = {name: value for name, value in vars(layout).items() if name.isupper() and isinstance(value, int)}
    numbers |= {"SHIFT": shift, "WITHIN": (1 << shift) - 1, "CONST": CONST << shift, "PARAM": PARAM << shift}
    for name, value in {**numbers, "KERNEL": "kernel", "ONCE_OR_ROUNDS": "rounds" if rounds else "once"}.items():
        text = text.replace(f"{{{name}}}", str(value))
    return text


def waits_in_calls(bodies: list[Body]) -> bool:
    """Whether called functions do what loops around their calls may be waiting for."""
    strong = any(b.touches_others() for b in bodies[1:])
    return strong and any(b.calls_in_loops() for b in bodies)


def image_of(text: str) -> bytes:
    """The object of a text, from the cache if it is there."""
    return cache.fetch(cache.digest(text, version()), lambda: compile(text))


class Compiled:
    """Machine code for one kernel and shape of blocks, ready to run."""

    __slots__ = (
        "exits",
        "frame_size",
        "free_order",
        "globals",
        "idle",
        "library",
        "local_size",
        "messages",
        "names",
        "run",
        "shared_range",
        "slow",
        "stack",
        "text",
    )

    def __init__(self, body: Body, text: str) -> None:
        self.frame_size = -(-body.frame_size // 64) * 64
        self.local_size, self.globals, self.messages = body.local_size, body.globals, body.messages
        self.exits, self.stack, self.names = body.exits, body.needs, body.callees.names
        self.shared_range = body.shared_range
        self.free_order = body.free_order
        self.text = text
        self.library = Library(image_of(text), ("openptx.run",))
        self.run = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)(self.library["openptx.run"])
        self.slow: Library | None = None
        self.idle: dict[tuple[int, int, int], list[Worker]] = {}


def text_of(
    program: Program, function: Function, image: Image, options: Options, entries: Mapping[int, Exit] | None = None,
    globals: list[str] | None = None, messages: list[tuple[str, str]] | None = None,
) -> tuple[Body, str]:  # fmt: skip
    """The LLVM text of a kernel; raises Fallback where only the reference engine can run it.

    With `entries`, of the version that takes over there; it shares the lists of variables and messages.
    """
    functions: dict[object, Outlined] = {}
    name = "kernel" if entries is None else "slow"
    body = Body(program, function, image, options, host(), name, functions, messages or [], entries)
    if globals is not None:
        body.globals = globals
    own = [body.make()]
    bodies = [body]
    done: set[str] = set()
    while missing := [name for name in body.callees.names if name not in done]:
        done.add(missing[0])
        symbol = body.callees.symbol(missing[0])
        callee = Body(
            program, program.function(missing[0]), image, options, host(), symbol, functions, body.messages,
            callees=body.callees,
        )  # fmt: skip
        callee.globals = body.globals
        own.append(callee.make())
        bodies.append(callee)
    body.needs = Stack.of(bodies)
    body.free_order = not any(b.touches_others() for b in bodies)
    parts = [support(program.address_size, bool(body.resumes)), *(f.text for f in functions.values()), *own]
    if waits_in_calls(bodies):
        raise Fallback("a loop with calls of functions that may wait for other threads")
    if entries is not None:
        parts[0] = parts[0].partition("; Runs CTAs")[0]
    return body, "\n".join([*parts, ATTRIBUTES, METADATA])


_compiled: weakref.WeakKeyDictionary[Image, dict[tuple[object, ...], Compiled | Fallback]] = weakref.WeakKeyDictionary()


def compiled(program: Program, function: Function, image: Image, options: Options) -> Compiled:
    """The kernel's code, made when first asked for."""
    made = _compiled.setdefault(image, {})
    key = (function.name, *options.key())
    found = made.get(key)
    if found is None:
        try:
            found = Compiled(*text_of(program, function, image, options))
        except Fallback as fallback:
            found = fallback
        except (NotImplementedError, NoMeaning) as gap:  # a machine's method, or an instruction, that only interp has
            found = Fallback(str(gap))
        made[key] = found
    if isinstance(found, Fallback):
        raise found
    return found


def ready(image: Image, function: Function, block: tuple[int, int, int]) -> bool:
    """Whether the kernel's code for such blocks has been made."""
    return any(key[:2] == (function.name, block) for key in _compiled.get(image, {}))


def slow(program: Program, function: Function, image: Image, options: Options, code: Compiled) -> int:
    """The address of the version that takes over where offsets wrap; made when first wanted."""
    if code.slow is None:
        plain = Options(options.block, options.locked, False, options.checks)
        _, text = text_of(program, function, image, plain, code.exits, code.globals, code.messages)
        code.slow = Library(image_of(text), ("slow",))
    return code.slow["slow"]
