"""Kernel bodies, and the findings of the fast path and of the full checker."""

from __future__ import annotations

import pytest

from openptx.check import check
from openptx.check.fast.rows import FastPath
from openptx.diagnostics import Diagnostic
from openptx.source import File

HEAD = ".version 9.0\n.target sm_100a\n.address_size 64\n"
BLOCKS = (
    ".reg .b64 %a<4>; .reg .b32 %r<4>; .reg .pred %p<2>; mov.u32 %r1, %tid.x; mov.u64 %a1, 1; setp.eq.u32 %p1, %r1, 1;"
)
AROUND = BLOCKS + ".reg .b16 %rs<3>;\n" + "add.u32 %r1, %r1, 1;\n" * 500
MORE = ".reg .b64 %d<9>; .reg .b32 %s<20>; .reg .pred %q<4>;\n"


def kernel(body: str) -> str:
    outside = ".global .b32 y;\n.extern .func g(.param .b64 x);\n"
    return f"{HEAD}{outside}.visible .entry k(.param .u64 p)\n{{\n{body}\nret;\n}}\n"


def never(_: FastPath) -> bool:
    """Accepts nothing."""
    return False


def shown(d: Diagnostic) -> str:
    """All that a finding says."""
    return f"{d} {d.span} {d.label} {d.labels} {d.operand} {d.expected} {d.actual} {d.rule} {d.help} {d.fix} {d.also}"


def both(text: str, monkeypatch: pytest.MonkeyPatch) -> tuple[list[str], list[str]]:
    """The findings with the fast path, also where the same was read before, and those of the full checker alone."""
    fast = [shown(d) for d in check(File("k.ptx", text))]
    assert fast == [shown(d) for d in check(File("k.ptx", text))]
    monkeypatch.setattr(FastPath, "accepts", never)
    full = [shown(d) for d in check(File("k.ptx", text))]
    monkeypatch.undo()
    return fast, full
