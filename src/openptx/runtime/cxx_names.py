"""Names of kernels as C++ has them: `matmul<16>` for `_Z6matmulILi16EEvPKfPf` (Itanium C++ ABI, 5.1)."""

from __future__ import annotations

import ctypes
import ctypes.util
import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from openptx.errors import ArgumentError

LIBRARIES = ("stdc++", "c++abi", "c++")
"""The C++ run-time library, which has `__cxa_demangle`."""
ANONYMOUS = "(anonymous namespace)"
_TAGS = re.compile(r"\[abi:\w+\]")
_SUFFIX = re.compile(r"(?<=\d)(?:ull|ul|ll|u|l)\b")
_MOST = 8
"""The number of names in a message."""


@cache
def demangler() -> Any:
    """`__cxa_demangle`; None on a computer without it, where names stay mangled."""
    for name in LIBRARIES:
        path = ctypes.util.find_library(name)
        try:
            function = ctypes.CDLL(path).__cxa_demangle if path else None
        except (OSError, AttributeError):
            continue
        if function is not None:
            function.restype, function.argtypes = ctypes.c_void_p, (ctypes.c_char_p, *[ctypes.c_void_p] * 3)
            return function
    return None


@cache
def demangled(name: str) -> str:
    """A mangled name with types, such as `void matmul<16>(float const*, float*)`; other names unchanged."""
    found = demangler() if name.startswith("_Z") else None
    if found is None:
        return name
    status = ctypes.c_int()
    text = found(name.encode(), None, None, ctypes.addressof(status))
    if not text or status.value:
        return name
    try:
        return ctypes.string_at(text).decode("utf-8", "replace")
    finally:
        ctypes.CDLL(None).free(ctypes.c_void_p(text))


def qualified(name: str) -> str:
    """The name alone, without parameters and result: `space::matmul<16>`."""
    text = _TAGS.sub("", demangled(name))
    begin = depth = at = 0
    while at < len(text):
        if text.startswith(ANONYMOUS, at):
            at += len(ANONYMOUS)
            continue
        c = text[at]
        if c == "(" and depth == 0:
            return text[begin:at]
        if c == " " and depth == 0:
            begin = at + 1
        depth += (c in "<(") - (c in ">)")
        at += 1
    return text[begin:]


def spellings(name: str) -> Iterable[str]:
    """The names of a kernel besides its name in PTX: longer ones first."""
    yield demangled(name)
    full = qualified(name)
    while True:
        yield full
        yield without_arguments(full)
        head, _, rest = full.partition("::")
        if not rest or "<" in head:
            return
        full = rest


def without_arguments(name: str) -> str:
    """The name of a template without its last arguments."""
    if not name.endswith(">"):
        return name
    depth = 0
    for at in range(len(name) - 1, -1, -1):
        depth += (name[at] == ">") - (name[at] == "<")
        if depth == 0:
            return name[:at]
    return name


def normal(text: str) -> str:
    """A canonical spelling of names that mean the same: `f<16u>` and `f< 16 >`."""
    return _SUFFIX.sub("", "".join(text.split()))


def named(wanted: str, kernels: Iterable[str]) -> str | None:
    """The kernel that a C++ name means; None if there is none. Raises ArgumentError if the name is ambiguous."""
    found = [one for one in kernels if one.startswith("_Z") and normal(wanted) in map(normal, spellings(one))]
    if len(found) > 1:
        listed = ", ".join(f"`{qualified(one)}`" for one in found[:_MOST])
        raise ArgumentError(f"`{wanted}` means several kernels: {listed}; write one of these, or its name in the PTX: "
                            f"{', '.join(found[:_MOST])}")  # fmt: skip
    return found[0] if found else None


def unknown(what: str, name: object, file: str, names: Sequence[str]) -> str:
    """The message about a name that a module lacks, with those that it has, or of many the most similar ones."""
    given = f"`{name}`" if isinstance(name, str) else f"{name!r}, which is not a string"
    return f"no {what} {given}: {file} {names_like(str(name), names, what)}"


def names_like(name: str, kernels: Sequence[str], what: str = "kernel") -> str:
    """The kernels of a module, or other names, in the message about an unknown one."""
    if not kernels:
        return f"has no {what}"
    rest = ""
    if len(kernels) > _MOST:
        from difflib import get_close_matches

        near = get_close_matches(name, kernels, n=_MOST) or kernels[:_MOST]
        rest = f" and {len(kernels) - len(near)} others" + (" (`module.kernels`)" if what == "kernel" else "")
        kernels = near
    shown = [f"`{k}`" if demangled(k) == k else f"`{k}` ({qualified(k)})" for k in kernels]
    return f"has {', '.join(shown)}{rest}"
