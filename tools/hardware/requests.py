"""A launch of OpenPTX as plain data, to be sent to another process with a GPU."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from openptx.call_graph import reachable_functions
from openptx.device.textures.handles import Opaque
from openptx.device.textures.surface import Surface
from openptx.device.textures.texture import Texture
from openptx.program import Variable
from openptx.runtime.arguments import Place, bytes_of
from openptx.runtime.module import Kernel
from openptx.runtime.tensor_map import TensorMap
from openptx.syntax import parse
from openptx.syntax.tree import Function
from openptx.testing.wrapper import PREFIX

Array = np.ndarray[Any, Any]
VERSION = re.compile(r"\.version\s+(\d+)\.(\d+)")
TARGET = re.compile(r"(\.target\s+)sm_(\d+)([af]?)")


class Elsewhere(Exception):
    """A launch that cannot be had on a GPU as it is, and why."""


@dataclass
class Request:
    """A launch. `arguments` are bytes, or what is made of an array: (kind, its number, further facts)."""

    text: str
    kernel: str
    grid: tuple[int, ...]
    block: tuple[int, ...]
    shared: int
    cluster: tuple[int, ...] | None
    arguments: list[Any] = field(default_factory=list)
    arrays: list[Array] = field(default_factory=list)
    serial: int = 0  # of the loaded module: another one has its variables anew

    def number(self, array: Array) -> int:
        """Where an array stands among `arrays`; the same for the same memory."""
        for i, known in enumerate(self.arrays):
            if known is array or (known.ctypes.data == array.ctypes.data and known.nbytes == array.nbytes):
                return i
        self.arrays.append(array)
        return len(self.arrays) - 1


def request(kernel: Kernel, grid: Any, block: Any, args: Any, shared: int, cluster: Any) -> Request:
    """The launch that a kernel is called for; Elsewhere where its memory means something on this machine only."""
    module = kernel.module
    if module.image.bound:
        raise Elsewhere("textures or surfaces are bound to variables")
    if grid.__class__ is int:
        grid = (grid,)
    if block.__class__ is int:
        block = (block,)
    made = Request(alone(kernel), kernel.name, (*grid, 1, 1)[:3], (*block, 1, 1)[:3], shared, cluster)
    for i, (argument, parameter) in enumerate(zip(args, kernel.function.parameters, strict=True)):
        assert isinstance(parameter, Variable)
        made.arguments.append(argument_of(made, kernel, Place(i, parameter), argument))
    return made


def argument_of(made: Request, kernel: Kernel, place: Place, argument: Any) -> Any:
    if isinstance(argument, TensorMap):
        array = argument.array
        facts = {"shape": array.shape, "strides": array.strides, "element": argument.element, "box": argument.box,
                 "steps": argument.steps, "swizzle": argument.swizzle, "fill": argument.fill}  # fmt: skip
        return "map", made.number(array), facts
    if isinstance(argument, Texture):
        sampler = argument.sampler
        facts = {"integer": argument.read == "element" and not argument.floating, "normalized": argument.normalized,
                 "address": sampler.address, "filter": sampler.filter}  # fmt: skip
        return "image", made.number(np.ascontiguousarray(argument.texels)), (argument.layers is not None, facts)
    if isinstance(argument, Surface):
        return "image", made.number(argument.texels), (argument.layers is not None, None)
    if isinstance(argument, Opaque):
        raise Elsewhere(f"an argument is {argument!r}")
    if hasattr(argument, "__array_interface__") and getattr(argument, "ndim", 0):
        array = np.asarray(argument)
        if not array.size:
            return bytes(8)
        return "array", made.number(array), None
    return bytes_of(place, argument, kernel.module.image.memory, [])


def alone(kernel: Kernel) -> str:
    """The module's text without the functions that the kernel cannot come to: another may need a newer device.

    The kernel that an annotated test's function is run by has it inside: a call cannot hand over narrow registers.
    """
    module = kernel.module
    known = module.__dict__.setdefault("_alone", {})
    if kernel.name not in known:
        file = module.program.file
        needed = {f.name for f in reachable_functions(module.program, kernel.name, launches=True)}
        text, last, inside = list[str](), 0, None
        for function in parse(file).functions:
            if function.body and function.name.text not in needed:
                text.append(file.text[last : function.span[0]])
                last = function.span[1]
            elif kernel.name == PREFIX + function.name.text.lstrip("%$"):
                inside = function
        whole = "".join([*text, file.text[last:]])
        known[kernel.name] = inlined(whole, inside) if inside else whole
    return known[kernel.name]


def inlined(text: str, function: Function) -> str:
    """The call of a function, by the kernel that a test runs it by, as the function's own statements.

    As it is where the function calls itself, or where its parameters aren't registers.
    """
    variables = (*function.parameters, *function.returns)
    name, body = re.escape(function.name.text), function.text.partition("{")[2].rpartition("}")[0]
    if any(v.space != "reg" for v in variables) or re.search(rf"(?<![\w$%.]){name}(?![\w$%])", body):
        return text
    for names, prefix in ((function.parameters, "openptx_a"), (function.returns, "openptx_r")):
        for i, each in enumerate(v.names[0].name.text for v in names):
            body = re.sub(rf"(?<![\w$%.]){re.escape(each)}(?![\w$%])", f"{prefix}{i}", body)
    body = re.sub(r"\bret\s*;", "bra OPENPTX_END;", re.sub(r"//.*", "", body))
    call = re.compile(rf"call (\([^)]*\), )?{name}(, \([^)]*\))?; ")
    head, _, kernel = text.rpartition(PREFIX)
    return head + PREFIX + call.sub(lambda _: f"{{ {body} }} OPENPTX_END: ", kernel, count=1)


def fitted(text: str, capability: int, version: tuple[int, int]) -> str:
    """The text for a device: its own target where the text names a newer one, a version that its driver knows."""

    def target(match: re.Match[str]) -> str:
        number = int(match[2])
        specific = match[3] and number != capability
        return (
            f"{match[1]}sm_{capability}{'a' if capability >= 90 else ''}"
            if number > capability or specific
            else match[0]
        )

    def known(match: re.Match[str]) -> str:
        major, minor = min((int(match[1]), int(match[2])), version)
        return f".version {major}.{minor}"

    return VERSION.sub(known, TARGET.sub(target, text, count=1), count=1)
