"""Modules and kernels in a notebook, escaped and in the notebook's own colours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from openptx.device.shared_layout import shared_layout
from openptx.late import late
from openptx.program import Function, Program
from openptx.runtime.parameters import parameters

if TYPE_CHECKING:
    from html import escape
else:
    escape = late("html", "escape")  # its table of entities takes 3 ms


def module(program: Program) -> str:
    """A module: its source, its target, and its kernels."""
    names = "".join(f"<li><code>{escape(name)}</code></li>" for name in program.kernels) or "<li>no kernels</li>"
    version = ".".join(map(str, program.version))
    return (
        f"<div><b>module {escape(program.file.name)}</b>, PTX {version}, {escape(program.target)}<ul>{names}</ul></div>"
    )


def kernel(program: Program, function: Function) -> str:
    """A kernel: its parameters, its shared memory, and its directives on threads and registers."""
    shared = shared_layout(program, function.name).static
    facts = [f"{len(function.code)} instructions", f"{shared} bytes of static shared memory"]
    facts += [f".{name} {', '.join(map(str, values))}" for name, values in function.directives.items()]
    rows = "".join(
        f"<tr><td>{escape(p.name)}</td><td>.{escape(p.type)}{f'[{p.count}]' if p.count > 1 else ''}</td>"
        f"<td>{p.offset}</td><td>{p.size}</td></tr>"
        for p in parameters(function)
    )
    head = "<thead><tr><th>parameter</th><th>type</th><th>offset</th><th>bytes</th></tr></thead>"
    table = f"<table>{head}<tbody>{rows}</tbody></table>" if rows else ""
    return f"<div><b>kernel <code>{escape(function.name)}</code></b>: {escape('; '.join(facts))}{table}</div>"
