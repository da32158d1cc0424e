"""Every grammar probe that the assembler accepts or rejects gets the same verdict from our parser."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from openptx.source import File
from openptx.syntax import parse

HEAD = ".version 9.0\n.target sm_100a\n.address_size 64\n"
REGISTERS = ".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .pred %p<9>; .reg .v4 .f32 v; .shared .b32 sh[8];"
WRAP = {
    "body": HEAD + "\n.visible .entry k(){\n" + REGISTERS + "\n%s\nret;\n}\n",
    "module": HEAD + "%s\n.visible .entry k(){ ret; }\n",
    "file": "%s",
}


def probes() -> list[tuple[str, str, str]]:
    lines = (Path(__file__).parent / "probes.txt").read_text().splitlines()
    rows = [line.split(None, 2) for line in lines if not line.startswith("#")]
    return [(where, verdict, json.loads(text)) for where, verdict, text in rows]


@pytest.mark.parametrize("kind", WRAP)
def test_probes(kind: str) -> None:
    rows = [(verdict, WRAP[where].replace("%s", text)) for where, verdict, text in probes() if where == kind]
    assert rows
    for verdict, source in rows:
        module = parse(File("probe.ptx", source))
        assert str(module) == source
        found = [str(diagnostic) for diagnostic in module.diagnostics]
        assert bool(found) == (verdict == "reject"), (source, found)
