"""The functions that watched kernels call, compiled once for a processor and linked once for a process."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files

from openptx.engines.native.cache import store
from openptx.engines.native.cache.key import digest
from openptx.engines.native.instrument.watch import layout
from openptx.engines.native.instrument.watch.forms import GIVEN, function, name_of
from openptx.engines.native.instrument.watch.kinds import KINDS
from openptx.engines.native.instrument.watch.writer import expand
from openptx.engines.native.rtlib.support import METADATA
from openptx.isa.address_windows import CTA_SHIFT, LOCAL, SHARED, SHIFT
from openptx.llvm.codegen import compile
from openptx.llvm.jit import Library

SPACES = ("generic", "global", "shared")
_HEADER = re.compile(r"^define (void @(watch\.[\w.]+)\(.*?\))", re.M)
_NAME = re.compile(r" %\w+")


def forms() -> dict[str, str]:
    """Parameters of the functions for accesses, by name."""
    return {name_of(form, space, kind): given for form, given in GIVEN.items() for space in SPACES for kind in KINDS}


def names() -> list[str]:
    """The functions that kernels may call."""
    return [*(name for _, name in _HEADER.findall(events() + definedness(SHIFT[64]))), *forms()]


def declarations() -> list[str]:
    """The beginning of a watched kernel's text."""
    headers = [header for header, _ in _HEADER.findall(events() + definedness(SHIFT[64]))]
    headers += [f"void @{name}({given})" for name, given in forms().items()]
    return [f"declare {_NAME.sub('', header)}" for header in headers]


def text(address_size: int) -> str:
    """The LLVM text of all functions."""
    shift = SHIFT[address_size]
    parts = [function(form, space, kind, shift) for kind in KINDS for space in SPACES for form in GIVEN]
    attributes = 'attributes #0 = { "prefer-vector-width"="512" "min-legal-vector-width"="512" }'
    return "\n".join([events(), definedness(shift), expand(), *parts, attributes, METADATA])


def events() -> str:
    return filled("events.ll", vars(layout))


def definedness(shift: int) -> str:
    windows = {"SHIFT": shift, "SHARED_SLOT": SHARED, "LOCAL_SLOT": LOCAL, "OWN": (1 << CTA_SHIFT) - 1}
    return filled("definedness.ll", vars(layout) | windows)


def filled(name: str, numbers: Mapping[str, object]) -> str:
    found = files("openptx.engines.native.instrument.watch").joinpath(name).read_text("utf-8")
    for key, value in numbers.items():
        if isinstance(value, int):
            found = found.replace(f"{{{key}}}", str(value))
    return found


_linked: dict[int, Library] = {}


def functions(address_size: int) -> Mapping[str, int]:
    """The addresses of the functions by name, valid for the lifetime of the process."""
    library = _linked.get(address_size)
    if library is None:
        name = digest(f"watch {address_size}")
        image = store.load(name)
        if image is None:
            image = compile(text(address_size))
            store.store(name, image)
        library = _linked.setdefault(address_size, Library(image, tuple(names())))
    return {name: library[name] for name in names()}
