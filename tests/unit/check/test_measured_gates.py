"""What a version or target does not have although every instruction in it is known: as ptxas 13.5 answers."""

from __future__ import annotations

import pytest

import openptx

MODULE = ".func fn() { ret; } .entry ke() { exit; }"
IMAGES = f"{MODULE} .global .texref tx; .global .surfref su;"
REGISTERS = ".reg .u16 h; .reg .u32 r, r1, r2, r3; .reg .u64 q;"
TEX = "tex.1d.v4.u32.s32 {r, r1, r2, r3}, [q, {r}];"

# fmt: off
ROWS = [  # what, and the versions and targets that refuse and take it
    #  statement                                   refused                         taken
    (MODULE, "mov.u64 q, fn;",                     "1.4/sm_13 2.0/sm_20",          "2.1/sm_20 2.1/sm_13 9.0/sm_90"),
    (MODULE, "mov.u32 r, fn;",                     "2.0/sm_20",                    "2.1/sm_20"),
    (MODULE, "mov.b64 {r, r1}, fn;",               "2.0/sm_20",                    "2.1/sm_20"),
    (MODULE, "add.u64 q, fn, 1;",                  "",                             "1.4/sm_13 9.0/sm_90"),
    (MODULE, "mov.u64 q, ke;",                     "3.0/sm_30 9.0/sm_30 4.0/sm_32", "3.1/sm_35 9.0/sm_50"),
    (MODULE, "mov.b64 q, ke;",                     "9.0/sm_20",                    "9.0/sm_35"),
    (MODULE, "mov.b64 {r, r1}, ke;",               "9.0/sm_30",                    "9.0/sm_35"),
    (MODULE, "mov.u64 q, k;",                      "9.0/sm_30",                    "9.0/sm_35"),
    (IMAGES, "mov.u64 q, tx;",                     "1.5/sm_13 3.0/sm_30 9.0/sm_13", "3.1/sm_20"),
    (IMAGES, "mov.u64 q, su;",                     "3.0/sm_20",                    "3.1/sm_20"),
    (IMAGES, TEX,                                  "1.5/sm_13 3.0/sm_30",          "3.1/sm_20"),
    (IMAGES, "suld.b.1d.b32.trap r, [q, {r}];",    "3.0/sm_20",                    "3.1/sm_20"),
    (".tex .u32 tx;", "mov.u64 q, tx;",            "1.4/sm_13",                    ""),
]
# fmt: on


def errors(context: str, module: str, statement: str) -> list[str]:
    version, _, target = context.partition("/")
    size = ".address_size 64" if version >= "2.3" else ""
    text = f".version {version}\n.target {target}\n{size}\n{module}\n.entry k() {{ {REGISTERS} {statement} exit; }}\n"
    return [each.code for each in openptx.check(text) if each.severity == "error"]


@pytest.mark.parametrize(("module", "statement", "refused", "taken"), ROWS, ids=[row[1] for row in ROWS])
def test_versions_and_targets(module: str, statement: str, refused: str, taken: str) -> None:
    for context in refused.split():
        assert errors(context, module, statement), context
    for context in taken.split():
        assert errors(context, module, statement) == [], context
