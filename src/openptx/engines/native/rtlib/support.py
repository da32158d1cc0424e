"""The runtime library that all kernels call: compiled once for a processor, kept on disk, linked once for a process."""

from __future__ import annotations

import contextlib
import re
import sys
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from importlib.resources import files
from typing import TYPE_CHECKING

from openptx.engines.native import abi, settings
from openptx.engines.native.cache import store
from openptx.engines.native.cache.key import digest
from openptx.engines.tiers.forked_compile import may_fork
from openptx.engines.tiers.forked_object import compile_in_fork
from openptx.isa.address_windows import CONST, FIRST, PARAM, RANK_0, SHIFT
from openptx.llvm.codegen import compile
from openptx.llvm.host import MXCSR, host
from openptx.llvm.jit import Library
from openptx.llvm.recovery import Aborted, Guard, guard_at
from openptx.llvm.subprocess_compile import ABORTED, LOG, available, compile_in_subprocess, start
from openptx.locks import LLVM, check_cancelled
from openptx.program import Function

if TYPE_CHECKING:
    from subprocess import Popen

METADATA = """
!0 = !{!"branch_weights", i32 1, i32 2000}
!1 = !{!"branch_weights", i32 2000, i32 1}
!2 = !{!"openptx"}
!3 = !{!"state", !2}
!4 = !{!"data", !2}
!5 = !{!3, !3, i64 0}
!6 = !{!4, !4, i64 0}
!7 = !{}
"""
LONG = 300_000
"""The number of characters of text above which LLVM runs in a separate process: LLVM calls cannot be cancelled, and
take 0.6 to 1.2 us for each character. A fork costs 10 ms; where the program has threads of its own a process is
started, which takes 0.1 s."""

MANY = 1_100
"""The number of instructions from which a kernel's text is that long: of the kernels of tests, three with 700 to 1,100
have 230,000 to 270,000 characters, all larger ones more than 320,000."""

RUN = "openptx.run"
RECOVERING = "openptx.recovering" if sys.platform == "linux" and host().x86 else ""
"""The function that calls LLVM and survives its abort(): where selection leaves out combinations, it may abort more
often."""
NAMES = tuple(
    f"openptx.{name}"
    for name in (
        "load",
        "store",
        "load_span",
        "load_span_local",
        "load_one",
        "load_one_local",
        "store_span",
        "store_span_local",
        "places",
        "copy",
        "bring",
        "chain",
        "poll",
        "ask",
        "tile",
        "verdict",
        "note_warps",
        "row",
        "next_in_row",
        "next_warp",
        "come",
        "ended",
        "wrong",
        "union",
    )
)
"""The functions that kernels call."""

# The processor's clock, as an LLVM intrinsic, and its ticks between two polls between CTAs: 5 to 30 ms on x86, whose
# clock has 1 to 5 GHz; 0.2 to 10 ms on ARM, whose cycle counter is not accessible to programs, on its other clock.
COUNTERS = {"x86": ("readcyclecounter", 1 << 25), "other": ("readsteadycounter", 1 << 18)}

_HEADER = re.compile(r"^define (\w+ @(openptx\.\w+)\(.*?\)(?: #1)?)", re.MULTILINE)


def attributes() -> str:
    """The attributes of functions.

    LLVM's unoptimised selection (`OPT_NONE`) restores, in a function with #1, the register of its result as well. So
    such functions are only in the runtime library, which is compiled with `OPT_DEFAULT`.
    """
    keeping = f' "target-features"="{host().features},-vzeroupper"' if host().x86 else ""
    return f"""
attributes #0 = {{ "prefer-vector-width"="512" "min-legal-vector-width"="512" }}
attributes #1 = {{ "no_caller_saved_registers"{keeping} }}
"""


class Support:
    """The runtime for kernels of one address size. `rounds`: warps wait for each other; `counted`: at barriers that
    count threads or votes."""

    def __init__(self, address_size: int, rounds: bool, counted: bool) -> None:
        self.address_size, self.rounds, self.counted = address_size, rounds, counted
        self._library: Library | None = None
        self._head = ""

    def barriers(self) -> str:
        return self.read("barriers.ll", "uncounted" if self.counted else "counted")

    def own(self) -> str:
        support = self.read("support.ll", "once" if self.rounds else "rounds", "other" if host().x86 else "x86")
        return support + self.read("warps.ll") + (self.read("recovery.ll") if RECOVERING else "")

    def text(self) -> str:
        return "\n".join([self.own(), self.barriers(), attributes(), METADATA])

    @property
    def head(self) -> str:
        """The declarations at the beginning of a kernel's text."""
        if not self._head:
            headers = {name: header for header, name in _HEADER.findall(self.own())}
            barriers = self.barriers() if self.counted else ""
            self._head = "\n".join([*(f"declare {headers[name]}" for name in NAMES), barriers])
        return self._head

    def read(self, name: str, *dropped: str) -> str:
        """An LLVM text file of this folder, without some of its sections, with its numbers filled in."""
        text = files("openptx.engines.native.rtlib").joinpath(name).read_text("utf-8")
        for section in dropped:
            before, _, rest = text.partition(f"; [{section}\n")
            text = before + rest.partition(f"; {section}]\n")[2]
        shift = SHIFT[self.address_size]
        numbers = {name: value for name, value in vars(abi).items() if name.isupper() and isinstance(value, int)}
        counter, interval = COUNTERS["x86" if host().x86 else "other"]
        facts = {
            **numbers, "SHIFT": shift, "WITHIN": (1 << shift) - 1, "FIRST": FIRST, "CONST": CONST, "PARAM": PARAM,
            "RANK_0": RANK_0, "MXCSR": MXCSR,
            "CLOCK_COUNTER": counter, "POLL_INTERVAL": interval, "ONCE_OR_ROUNDS": "rounds" if self.rounds else "once",
        }  # fmt: skip
        for key, value in facts.items():
            text = text.replace(f"{{{key}}}", str(value))
        return text

    @property
    def library(self) -> Library:
        with LLVM:  # one for all threads: kernels call its functions for their whole life
            if self._library is None and not self.load_from_disk():
                image = object_of(self.text())
                store.store(self.name, image)
                self.link_own(image)
            assert self._library is not None
            return self._library

    @property
    def is_linked(self) -> bool:
        return self._library is not None

    @property
    def name(self) -> str:
        return digest(f"support {self.address_size} {self.rounds} {self.counted}")

    def load_from_disk(self) -> bool:
        """Loads the support code from disk; returns whether it exists."""
        with LLVM:
            if self._library is None and (image := store.load(self.name)) is not None:
                self.link_own(image)
            return self._library is not None

    def link_own(self, image: bytes) -> None:
        self._library = Library(image, (RUN, *NAMES, *filter(None, [RECOVERING])))

    def link(self, objects: Sequence[bytes], name: str, more: Mapping[str, int]) -> Library:
        """A kernel's objects, one of whose functions is `name`; `more`: the other objects that they call."""
        library = self.library
        return Library(objects, (name,), {**{name: library[name] for name in NAMES}, **more})


made: dict[tuple[int, bool, bool], Support] = {}


def support(address_size: int, rounds: bool, counted: bool) -> Support:
    """The library of this process for such kernels."""
    key = address_size, rounds, counted and rounds
    found = made.get(key)
    return found if found is not None else made.setdefault(key, Support(*key))


def object_of(text: str, promotes: bool = True, fast: bool = False, process: Popen[bytes] | None = None) -> bytes:
    """LLVM text compiled in this process or in a separate one, which may have been started before."""
    apart = settings.compiles_in_subprocess()
    if not apart and len(text) > LONG and process is None and may_fork():
        with contextlib.suppress(OSError):  # the system cannot create a process
            return compile_in_fork(text, check_cancelled, promotes, fast)
    if apart or (len(text) > LONG and available()):
        return compile_in_subprocess(text, check_cancelled, process, promotes, fast)
    try:
        return compile(text, promotes, fast, guard=guard())
    except Aborted:
        LOG.warning(ABORTED, len(text), "it aborted")
    if available():  # LLVM is fine in another process, and may abort again
        return compile_in_subprocess(text, check_cancelled, None, promotes, fast, lasting=True)
    return compile(text, promotes, fast, lasting=True)


def guard() -> Guard | None:
    """The guard for calls of LLVM, if a library of this process has been linked, and this system can have one."""
    for each in (*made.values(),) if RECOVERING else ():
        if each.is_linked:
            return guard_at(each.library[RECOVERING])
    return None


@contextmanager
def compiling(function: Function) -> Generator[Callable[[str, bool, bool], bytes]]:
    """Returns a compiler of the function's text. A process that may be needed, instead of a fork, starts while the text
    is generated."""
    if len(function.code) < MANY or not available() or may_fork():
        yield object_of
        return
    with start() as process:
        try:
            yield partial(object_of, process=process)
        finally:
            process.kill()


def _load() -> None:
    for rounds in (False, True):
        support(64, rounds, False).load_from_disk()


# Ready before a first launch needs it, like the linker (llvm/jit.py).
with contextlib.suppress(RuntimeError):
    threading.Thread(target=_load, name="openptx-support").start()
