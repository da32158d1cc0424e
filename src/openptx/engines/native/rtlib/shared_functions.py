"""Functions that kernels share, because the outlined code of an access or a long definition is the same in all of them.

Each is compiled once for a processor, under a name derived from its text, and stored on disk. A kernel's text declares
the functions it calls, and their objects become part of the kernel's code, which is therefore self-contained.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

from openptx.digests import text_digest
from openptx.engines.native.cache import store
from openptx.engines.native.cache.key import digest
from openptx.engines.native.emit.arith.outlined import OutlinedFunction
from openptx.engines.native.rtlib.support import METADATA, attributes, object_of, support

INTERNAL = "define internal "
PREFIX = "openptx.shared."

_NAME = re.compile(r"@([A-Za-z_][\w.]*)")
_DECLARED = re.compile(r"^declare .*?@([\w.]+)\(.*$", re.MULTILINE)


class SharedFunction(NamedTuple):
    name: str
    declaration: str
    text: str
    """The whole text of its module."""
    callees: tuple[str, ...]
    """Names of functions of this kind."""


class SeparatedFunctions(NamedTuple):
    """The outlined functions of a kernel: its own ones, and shared ones."""

    own: list[str]
    shared: dict[str, SharedFunction]
    """By their names in the kernel's text."""

    def renamed(self, text: str) -> str:
        """A text in which shared functions have their shared names."""
        for name, function in self.shared.items():
            text = text.replace(f"@{name}(", f"@{function.name}(")
        return text

    def functions(self) -> tuple[SharedFunction, ...]:
        """Each of the shared ones once: two that a kernel has outlined may have the same text."""
        return (*{function.name: function for function in self.shared.values()}.values(),)

    def declarations(self) -> list[str]:
        return [function.declaration for function in self.functions()]


def separated(outlined: Iterable[OutlinedFunction]) -> SeparatedFunctions:
    """Separates the functions that a kernel has outlined. A function stays with the kernel if it needs something that
    only the kernel's module has."""
    by_name = {one.name: one for one in outlined}
    shared: dict[str, SharedFunction] = {}
    for name in by_name:
        share(name, by_name, shared)
    return SeparatedFunctions([one.text for name, one in by_name.items() if name not in shared], shared)


def share(
    name: str, outlined: Mapping[str, OutlinedFunction], shared: dict[str, SharedFunction]
) -> SharedFunction | None:
    """The shared function for an outlined one, if possible."""
    if name in shared:
        return shared[name]
    text = outlined[name].text
    if not text.startswith(INTERNAL):
        return None
    known, declared, data = runtime(), dict[str, None](), list[str]()
    callees: dict[str, None] = {}
    for used in dict.fromkeys(_NAME.findall(text)):
        if used == name or used.startswith("llvm."):
            continue
        if used in known:
            declared[known[used]] = None
        elif used not in outlined:
            return None
        elif outlined[used].text.startswith("@"):
            data.append(outlined[used].text.replace(f"@{used} ", f"@data.{len(data)} ", 1))
            text = re.sub(rf"@{re.escape(used)}(?![\w.])", f"@data.{len(data) - 1}", text)
        elif (callee := share(used, outlined, shared)) is None:
            return None
        else:
            callees[callee.name] = declared[callee.declaration] = None
            text = text.replace(f"@{used}(", f"@{callee.name}(")
    anonymous = text.replace(f"@{name}(", "@(")
    key = text_digest("\0".join([anonymous, *data]))[:16]
    named = f"{PREFIX}{name.partition('.')[0]}.{key}"
    text = text.replace(f"@{name}(", f"@{named}(").replace(INTERNAL, "define ", 1)
    header = text[: text.index("{\n")].replace("define ", "declare ", 1).replace(" noinline", "")
    module = "\n".join([*declared, *data, text, attributes(), METADATA])
    made = shared[name] = SharedFunction(named, header.strip(), module, tuple(callees))
    return made


@cache
def runtime() -> dict[str, str]:
    """Declarations of the functions that all kernels call, by name."""
    return {found[1]: found[0] for found in _DECLARED.finditer(support(64, False, False).head)}


_objects: dict[str, bytes] = {}
MOST = 256
"""Objects that a process keeps in memory."""


def objects_of(functions: Iterable[SharedFunction]) -> list[bytes]:
    """The objects of functions, each from memory or from the disk, or compiled."""
    return [shared_object(function) for function in functions]


def shared_object(function: SharedFunction) -> bytes:
    found = _objects.get(function.name)
    if found is None:
        name = digest("shared", function.name)
        found = store.load(name)
        if found is None:
            found = object_of(function.text)
            store.store(name, found)
        if len(_objects) >= MOST:
            _objects.clear()
        _objects[function.name] = found
    return found
