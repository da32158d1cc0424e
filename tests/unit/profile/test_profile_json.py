"""The profile's JSON: its schema in docs, control flow, instruction classes and operand costs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from reports import DATA, HEAD, hostile, matmul

import openptx
from openptx.profile.render.text import text
from openptx.testing.case import argument, read_case

SCHEMA = json.loads((Path(__file__).parents[3] / "docs" / "profile.schema.json").read_text("utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def of_case(name: str) -> openptx.Profile:
    case = read_case(str(DATA / "cases" / name))
    kernel = openptx.load(DATA / "cases" / name / "kernel.ptx")[case.kernel]
    arguments = [argument(case, param) for param in case.params]
    return openptx.profile(kernel, case.grid, case.block, arguments, shared_mem=case.shared)


def run(body: str, parameters: str = "", args: tuple[object, ...] = (), **options: Any) -> openptx.Profile:
    kernel = openptx.load(f"{HEAD}.visible .entry k({parameters}) {{\n{body}\n}}\n")["k"]
    return openptx.profile(kernel, 1, 32, args, **options)


@pytest.mark.parametrize("name", ["hist256_sm80", "ldmatrix_x4_sm80", "local_array_sm80", "switch_sm80", "fnptr_sm80"])
def test_profiles_are_of_the_schema(name: str) -> None:
    found = of_case(name)
    VALIDATOR.validate(json.loads(json.dumps(found.as_json())))
    assert max(map(len, text(found).splitlines())) <= 80


def test_other_ends_are_of_the_schema(tmp_path: Path) -> None:
    faults = run(" trap;\n ret;")
    endless = run("l:\n bra l;", max_instructions=100)
    for found in (faults, endless, hostile(tmp_path), run(" ret;", blocks=1)):
        VALIDATOR.validate(found.as_json())
    assert (faults.ended, endless.ended) == ("fault", "fault")


def test_the_schema_refuses_other_fields() -> None:
    found = run(" ret;").as_json()
    assert VALIDATOR.is_valid(found)
    assert not VALIDATOR.is_valid({**found, "more": 1})
    assert not VALIDATOR.is_valid({name: value for name, value in found.items() if name != "totals"})


LOOP = """    .reg .b32 i, n; .reg .pred c;
    mov.u32 n, %tid.x;
    mov.u32 i, 0;
loop:
    add.u32 i, i, 1;
    setp.lt.u32 c, i, n;
    @c bra loop;
    @!c bra done;
    mov.u32 i, 2;
done:
    ret;"""


def edges(block: dict[str, Any]) -> list[tuple[str, int | None, int]]:
    return [(edge["kind"], edge["to"], edge["threads"]) for edge in block["edges"]]


def test_edges_have_the_threads_that_took_them() -> None:
    """Lane n goes n - 1 times back; lanes 0 and 1 go on at once."""
    (function,) = run(LOOP).as_json()["functions"]
    blocks = [(block["label"], block["threads"], edges(block)) for block in function["blocks"]]
    assert blocks == [
        (None, 32, [("fall-through", 1, 32)]),
        ("loop", 32 + 465, [("branch", 1, 465), ("fall-through", 2, 32)]),
        (None, 32, [("branch", 4, 32), ("fall-through", 3, 0)]),
        (None, 0, [("fall-through", 4, 0)]),
        ("done", 32, [("leave", None, 32)]),
    ]
    assert sum(range(31)) == 465
    assert function["blocks"][1]["divergent_branches"] == 30


TABLE = """    .reg .b32 i; .reg .pred c;
    mov.u32 i, %tid.x;
    and.b32 i, i, 3;
    setp.lt.u32 c, i, 3;
    l: .branchtargets one, two, one;
    @c brx.idx i, l;
    bra two;
one:
    exit;
two:
    ret;"""


def test_edges_of_branch_tables() -> None:
    (function,) = run(TABLE).as_json()["functions"]
    assert edges(function["blocks"][0]) == [("branch", 2, 16), ("branch", 3, 8), ("fall-through", 1, 8)]


def test_threads_that_enter_a_block_leave_it() -> None:
    """In all functions of a case with calls, loops and divergence."""
    for name in ("switch_sm80", "fnptr_sm80", "hist256_sm80", "mandelbrot_sm80"):
        for function in of_case(name).functions:
            entering = [0] * len(function.blocks)
            for block in function.blocks:
                assert sum(edge.threads for edge in block.edges) == block.threads, (name, function.name, block)
                for edge in block.edges:
                    if edge.to is not None:
                        entering[edge.to] += edge.threads
            assert entering[1:] == [block.threads for block in function.blocks[1:]], (name, function.name)


COSTS = """    .reg .b64 q; .reg .b32 a, b, c, s;
    .local .b32 l[4];
    ld.param.u64 q, [p];
    ld.global.v2.u32 {a, b}, [q];
    st.local.u32 [l], a;
    ld.local.u32 c, [l];
    mad.lo.u32 c, a, b, 7;
    atom.global.add.u32 s, [q], 1;
    red.global.add.u32 [q], s;
    ld.const.u32 c, [k];
    st.global.u32 [q], c;
    ret;"""


def test_operands_cost_what_table_19_says() -> None:
    """Reads by the one warp; stores and reductions are not waited for."""
    source = f"{HEAD}.const .b32 k = 5;\n.visible .entry k2(.param .u64 p) {{\n{COSTS}\n}}\n"
    found = openptx.profile(openptx.load(source)["k2"], 1, 32, (np.zeros(64, np.uint32),))
    costs = {each["space"]: (each["reads"], each["clocks"], each["more"]) for each in found.as_json()["operand_costs"]}
    assert costs["global"] == (2, 100, True)
    assert costs["local"] == (1, 100, True)
    assert (costs["parameter"], costs["constant"]) == ((1, 0, False), (1, 0, False))
    assert costs["immediate"] == (2, 0, False)  # 7 and 1
    assert costs["register"] == (9, 0, False)  # q 4 times, a twice, b, c and s once; `l` is in no register
    by_opcode = {each["text"].split()[0]: each["operand_cost"] for each in found.as_json()["instructions"]}
    assert by_opcode["ld.global.v2.u32"]["space"] == "global"
    assert by_opcode["mad.lo.u32"] is None
    assert "reads of global memory        2, each > 100 clocks (Table 19)" in str(found)


def test_classes_are_sections_of_the_manual() -> None:
    classes = {each["class"]: each["warps"] for each in run(LOOP).as_json()["classes"]}
    assert classes == {"integer arithmetic": 31, "comparison selection": 31, "control flow": 33, "move": 2}


def test_a_finding_has_a_cure_and_the_numbers_of_what_wastes() -> None:
    """Line 17 loads a row, which costs nothing, and a column: the finding is about the column."""
    (finding,) = matmul("conflicts").findings
    assert (finding.kind, finding.lines) == ("bank-conflict", (17,))
    assert finding.message == "shared load: 32 wavefronts per request, 1 would do: lanes 128 bytes apart"
    assert finding.cure.startswith("pad the rows of the shared array by one element")
    assert "     cure: pad the rows" in str(matmul("conflicts"))
    assert matmul("padded").findings == ()


def test_the_example_is_a_request_that_wastes_most() -> None:
    shared = next(
        m for m in matmul("conflicts").as_json()["counters"]["memory"] if m["space"] == "shared" and m["op"] == "ld"
    )
    assert shared["example"]["taken"] == 32
    assert len({offset % 128 for offset in shared["example"]["offsets"]}) == 1
