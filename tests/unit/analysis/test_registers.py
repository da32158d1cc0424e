"""The registers that an instruction reads and writes."""

from __future__ import annotations

from dataclasses import replace

import openptx
from openptx.control_flow import read_registers, written_registers

TEXT = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k() { .reg .b32 a, b; .reg .pred p; mov.u32 a, 1; @p add.u32 b, a, a; ret; }
"""


def test_registers_are_found_once() -> None:
    """Passes ask for those of every instruction again and again; a copy's are its own."""
    _, add, _ = openptx.load(TEXT)["k"].function.code
    (a, same), (b,) = read_registers(add), written_registers(add)
    assert a == same != b
    assert read_registers(add) is read_registers(add)
    assert written_registers(add) is written_registers(add)
    assert written_registers(replace(add, operands=(add.operands[1], *add.operands[1:]))) == (a,)
