"""Writes the kernel that runs a device function: it loads arguments, calls, and stores results.

Every argument and every result has a slot of 16 bytes in the record of its thread.
"""

from __future__ import annotations

from dataclasses import dataclass

from openptx.errors import InputError
from openptx.syntax.declarations import Variable
from openptx.syntax.tree import Function
from openptx.testing.values import WIDTHS

SLOT = 16  # bytes
PREFIX = "openptx_run_"


@dataclass(frozen=True, slots=True)
class Formal:
    """A parameter or a result of a function: its type, and whether it is in `.param` space or in a register."""

    type: str
    param: bool


def formals(function: Function, variables: tuple[Variable, ...]) -> list[Formal]:
    """The parameters or results of a function; `InputError` for those that a run line cannot express."""
    found: list[Formal] = []
    for variable in variables:
        if variable.vector > 1 or any(name.dimensions for name in variable.names) or variable.type not in WIDTHS:
            raise InputError(f"`{function.name.text}` takes or gives something else than scalars; a run line cannot")
        found.append(Formal(variable.type, variable.space == "param"))
    return found


def wrapper(function: Function) -> str:
    """A kernel `openptx_run_NAME(in, out)`, on one line, so that no other line moves."""
    takes, gives = formals(function, function.parameters), formals(function, function.returns)
    lines = [
        ".reg .b64 %oi, %oo, %on; .reg .b32 %ob, %os, %ot; .reg .b16 %ow;",
        "ld.param.u64 %oi, [openptx_in]; ld.param.u64 %oo, [openptx_out];",
        "mov.u32 %ob, %ctaid.x; mov.u32 %os, %ntid.x; mov.u32 %ot, %tid.x; mad.lo.u32 %ob, %ob, %os, %ot;",
        f"mul.wide.u32 %on, %ob, {SLOT * len(takes)}; add.u64 %oi, %oi, %on;",
        f"mul.wide.u32 %on, %ob, {SLOT * len(gives)}; add.u64 %oo, %oo, %on;",
        *(take(formal, i) for i, formal in enumerate(takes)),
        *(f".{'param' if formal.param else 'reg'} .{formal.type} openptx_r{i};" for i, formal in enumerate(gives)),
        call(function.name.text, takes, gives),
        *(give(formal, i) for i, formal in enumerate(gives)),
        "ret;",
    ]
    head = f".visible .entry {PREFIX}{function.name.text.lstrip('%$')}(.param .u64 openptx_in, .param .u64 openptx_out)"
    return f"{head} {{ {' '.join(lines)} }}"


def take(formal: Formal, index: int) -> str:
    """Loads one argument into the register, or the parameter, that the call names."""
    register, slot = f"openptx_a{index}", f"[%oi+{SLOT * index}]"
    if formal.type == "pred":
        return f".reg .pred {register}; ld.global.u8 %ow, {slot}; setp.ne.u16 {register}, %ow, 0;"
    bits = f"b{WIDTHS[formal.type]}"
    load = f".reg .{formal.type} {register}; ld.global.{bits} {register}, {slot};"
    if not formal.param:
        return load
    return f"{load} .param .{formal.type} openptx_p{index}; st.param.{bits} [openptx_p{index}], {register};"


def call(name: str, takes: list[Formal], gives: list[Formal]) -> str:
    """The call itself."""
    results = ", ".join(f"openptx_r{i}" for i in range(len(gives)))
    arguments = ", ".join(f"openptx_{'p' if formal.param else 'a'}{i}" for i, formal in enumerate(takes))
    return f"call {f'({results}), ' if gives else ''}{name}{f', ({arguments})' if takes or gives else ''};"


def give(formal: Formal, index: int) -> str:
    """Stores one result."""
    slot = f"[%oo+{SLOT * index}]"
    if formal.type == "pred":
        return f"selp.u16 %ow, 1, 0, openptx_r{index}; st.global.u8 {slot}, %ow;"
    bits, register = f"b{WIDTHS[formal.type]}", f"openptx_r{index}"
    if not formal.param:
        return f"st.global.{bits} {slot}, {register};"
    load = f".reg .{formal.type} openptx_v{index}; ld.param.{bits} openptx_v{index}, [{register}];"
    return f"{load} st.global.{bits} {slot}, openptx_v{index};"
