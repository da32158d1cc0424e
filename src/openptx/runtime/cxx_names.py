"""C++ names of kernels: `matmul<16>` for `_Z6matmulILi16EEvPKfPf` (Itanium C++ ABI, 5.1)."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from openptx.errors import ArgumentError
from openptx.late import late

if TYPE_CHECKING:
    from ctypes.util import find_library
else:
    find_library = late("ctypes.util", "find_library")  # imports subprocess, tempfile and shutil: 12 ms

LIBRARIES = ("stdc++", "c++abi", "c++")
"""The C++ run-time library, which has `__cxa_demangle`."""
ANONYMOUS = "(anonymous namespace)"
_TAGS = re.compile(r"\[abi:\w+\]")
_OPERATOR = re.compile(r"\boperator(?:\(\)|\[\]|[^\w\s(]+(?: (?=<))?|\s(?!\())")
"""The name of an operator, whose characters are no brackets, or the beginning of a conversion's: `operator bool`."""
_PARAMETERS_END = re.compile(r"(?: const| volatile| &+|(?: \[clone .*\]))*")
_SUFFIX = re.compile(r"(?<=\d)(?:ull|ul|ll|u|l)\b")
_MOST = 8
"""The number of names in a message."""


@cache
def demangler() -> Any:
    """`__cxa_demangle`; None on a computer without it, where names stay mangled."""
    for name in LIBRARIES:
        path = find_library(name)
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
    demangle = demangler() if name.startswith("_Z") else None
    if demangle is None:
        return name
    status = ctypes.c_int()
    text = demangle(name.encode(), None, None, ctypes.addressof(status))
    if not text or status.value:
        return name
    try:
        return ctypes.string_at(text).decode("utf-8", "replace")
    finally:
        ctypes.CDLL(None).free(ctypes.c_void_p(text))


def qualified(name: str) -> str:
    """The name alone, without parameters and result: `space::matmul<16>`. What is local to a function has the
    function's parameters in its name: `f(int)::Local::g`."""
    text = _TAGS.sub("", demangled(name))
    begin = depth = at = 0
    while at < len(text):
        operator = _OPERATOR.match(text, at) if depth == 0 else None
        if operator is not None or text.startswith(ANONYMOUS, at):
            at = operator.end() if operator is not None else at + len(ANONYMOUS)
            continue
        c = text[at]
        if c == "(" and depth == 0 and _PARAMETERS_END.fullmatch(text, closing(text, at)):
            return text[begin:at]
        if c == " " and depth == 0:
            begin = at + 1
        depth += (c in "<({") - (c in ">)}")
        at += 1
    return text[begin:]


def closing(text: str, at: int) -> int:
    """The position after the parenthesis that closes the one there."""
    depth = 0
    for end in range(at, len(text)):
        depth += (text[end] == "(") - (text[end] == ")")
        if depth == 0:
            return end + 1
    return len(text)


def spellings(name: str) -> Iterable[str]:
    """The C++ spellings of a kernel's name, the longest first: with fewer and fewer scopes, and without arguments."""
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
    """The name of a template without its last list of arguments."""
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


def spelled(wanted: str, names: Iterable[str]) -> list[str]:
    """The mangled names that a C++ name denotes."""
    return [name for name in names if name.startswith("_Z") and normal(wanted) in map(normal, spellings(name))]


def find_kernel(wanted: str, kernels: Iterable[str]) -> str | None:
    """The PTX name of the kernel that a C++ name denotes; None if there is none. Raises ArgumentError for an ambiguous
    name."""
    found = spelled(wanted, kernels)
    if len(found) > 1:
        listed = ", ".join(f"`{qualified(k)}`" for k in found[:_MOST])
        raise ArgumentError(f"`{wanted}` means several kernels: {listed}; write one of these, or its name in the PTX: "
                            f"{', '.join(found[:_MOST])}")  # fmt: skip
    return found[0] if found else None


def unknown(what: str, name: object, file: str, names: Sequence[str]) -> str:
    """The message about a name that the module does not have, with the names that it has, or the most similar of
    many."""
    shown = f"`{name}`" if isinstance(name, str) else f"{name!r}, which is not a string"
    return f"no {what} {shown}: {file} {names_like(str(name), names, what)}"


def names_like(name: str, kernels: Sequence[str], what: str) -> str:
    """The second half of that message: `has` and the names of a module's kernels or variables."""
    if not kernels:
        return f"has no {what}"
    rest = ""
    if len(kernels) > _MOST:
        from difflib import get_close_matches

        near = get_close_matches(name, kernels, n=_MOST) or kernels[:_MOST]
        rest = f" and {len(kernels) - len(near)} others" + (" (`module.kernels`)" if what == "kernel" else "")
        kernels = near
    listed = [f"`{k}`" if demangled(k) == k else f"`{k}` ({qualified(k)})" for k in kernels]
    return f"has {', '.join(listed)}{rest}"
