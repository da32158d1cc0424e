"""Code compiled for debugging (`nvcc -G`): variables of the program, and calls that were inlined."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest
from dap_client import Client

import openptx
from openptx.cli import main
from openptx.debug.source_variables import (
    BASE_TYPE,
    BYTE_SIZE,
    ENCODING,
    MEMBER,
    OFFSET,
    STRUCT,
    TYPE,
    DebugInformation,
    extents,
    scalar,
)
from openptx.dwarf import NAME, entries
from openptx.line_table import LineTable
from openptx.runtime.cxx_names import demangled

COMPILED = Path(__file__).with_name("compiled_for_debugging.ptx")
STRUCTURES = Path(__file__).with_name("debugged_structures.ptx")
STOP = "break compiled_for_debugging.cu:18"


def debug(tmp_path: Path, capsys: pytest.CaptureFixture[str], *commands: str, path: Path = COMPILED) -> str:
    script = tmp_path / "commands.txt"
    script.write_text("\n".join(commands), "utf-8")
    launch = ["--grid", "1", "--block", "32", "--arg", "zeros:s32:32", "4"]
    assert main(["debug", str(path), *launch, "-x", str(script)]) == 0
    return capsys.readouterr().out


def test_variables_of_functions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = debug(
        tmp_path, capsys, f"{STOP} if v == 3", "continue", "print v", "print arr", "print arr[3]",
        "print *q", "print q->tag[1]", "print q[0].y", "print tile[2]", "print scale * 2", "info variables", "up",
        "print a", "print a.next->p.tag[2]", "print d + 1", "info variables", "lanes t",
    )  # fmt: skip
    for words in (
        "\nv = 3\narr = .local 0x60 {3, 4, 5, 6}\narr[3] = 6\n",
        "*q = {x = 3, y = 4.5, tag = {7, 3, -1}}\nq->tag[1] = 3\nq[0].y = 4.5\ntile[2] = 4\nscale * 2 = 5.0\n",
        "\narr = {3, 4, 5, 6}\nv = 3\nq = 0x200000000\ntile = {0, 1, 4, 9,",
        "\na = {key = 3, p = {x = 3, y = 4.5, tag = {7, 3, -1}}, next = 0x200000010}\n",
        "a.next->p.tag[2] = -1\nd + 1 = 2.5\n",
        "\nc = GREEN\nflag = 0\nch = 100\n",
        "thread (31, 0, 0): 31",
    ):
        assert words in out


def test_addresses_of_variables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = debug(
        tmp_path, capsys, f"{STOP} if v == 3", "continue", "print q", "print &q->tag[1]", "print &arr", "print &arr[3]",
        "print &tile", "print &tile[2]", "print &f32[16]", "print &%r1", "print &(v + 1)", "set &arr[0] = 4",
        "print v & 1",
    )  # fmt: skip
    for words in (
        "\nq = 0x200000000\n&q->tag[1] = 0x20000000a\n&arr = .local 0x60\n&arr[3] = .local 0x6c\n",
        "\n&tile = .shared 0x0\n&tile[2] = .shared 0x8\n&f32[16] = 0x10\n",
        "\nerror: it is in a register, which has no address\nerror: a computed value has neither an address nor",
        "\nerror: an address cannot be assigned to\nv & 1 = 1\n",
    ):
        assert words in out


def test_inlined_calls_are_shown_with_their_variables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = debug(
        tmp_path, capsys, "break compiled_for_debugging.cu:10", "continue", "where", "print w", "print v", "print m",
        "up", "print w", "print m", "up", "print m", "print v", "finish",
    )  # fmt: skip
    calls = re.findall(r"^[> ] #\d (.*), line \d+ \(compiled_for_debugging\.cu:(\d+)\)", out, re.M)
    assert calls[:4] == [
        ("inner inlined in outer", "10"),
        ("middle inlined in outer", "13"),
        ("outer", "19"),
        ("k", "33"),
    ]
    assert "\nw = 0\nv = 0\nm = 0 (undefined: this thread has not written it)" in out
    up, up_twice = out.split("> #1")[1], out.split("> #2")[1]
    assert "no register or variable `w`" in up
    assert "\nm = 0 (undefined" in up.partition("> #2")[0]
    assert "no register or variable `m`" in up_twice
    assert "\nv = 0\n" in up_twice
    assert "k, line" in up_twice.rpartition("step")[2]


def test_a_breakpoint_on_a_function_that_is_only_inlined(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = debug(tmp_path, capsys, "break inner", "break middle", "continue", "continue", "break inners")
    assert "\nbreakpoint 1, breakpoint 2\n" in out  # the one begins with the other
    assert re.findall(r"^block .* step \d+: (.*), line", out, re.M)[1:] == ["inner inlined in outer"]
    assert "did you mean `inner`?" in out


def test_variables_are_changed_and_watched(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = debug(
        tmp_path, capsys, STOP, "continue", "set v = 2", "set q->tag[0] = 9", "set q->y = 0.5",
        "set arr[2] = 40", "watch q->x", "watch *q", "print *q", "continue", "print q->x",
    )  # fmt: skip
    assert "q->tag[0] = 9" in out
    assert "*q = {x = 0, y = 0.5, tag = {9, 0, -1}}" in out
    assert "q->x = 40" in out.rpartition("watchpoint")[2]


def test_bit_fields_base_classes_and_enumerations(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = debug(
        tmp_path, capsys, "break debugged_structures.cu:10", "continue", "print p", "print p.length + p.delta",
        "print s", "set p.size = 511", "set p.delta = -32", "set p.size = 512", "set p.delta = 32", "print p.kind",
        "print p",
        path=STRUCTURES,
    )  # fmt: skip
    base = "{base = {length = 4, rows = {{0.0, 0.5, 1.0}, {1.5, 2.0, 2.5}}}"
    assert f"\np = {base}, kind = 17, size = 300, delta = -5, data = 0x" in out
    assert f"\np.length + p.delta = -1\ns = {demangled('_ZN5State4BUSYE')}\n" in out
    assert "512 does not fit into 9 bits" in out
    assert "32 does not fit into 6 bits" in out
    assert f"\np.kind = 17\np = {base}, kind = 17, size = 511, delta = -32, data = 0x" in out


def test_formats_and_arrays_of_arrays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = debug(
        tmp_path, capsys, "break debugged_structures.cu:10", "continue", "print p.rows", "print p.rows[1]", "print/x p",
        path=STRUCTURES,
    )  # fmt: skip
    assert re.search(r"\np.rows = .local \w+ \{\{0.0, 0.5, 1.0}, \{1.5, 2.0, 2.5}}\n", out)
    assert re.search(r"\np.rows\[1] = .local \w+ \{1.5, 2.0, 2.5}\n", out)
    assert "{base = {length = 0x4, rows = {{0x0, 0x3f000000, 0x3f800000}, {" in out
    assert "kind = 0x11, size = 0x12c, delta = 0xfffffffb, data = 0x" in out


def test_halves_of_cudas_headers_are_numbers() -> None:
    information = DebugInformation("")
    of_c = {NAME: "unsigned short", BYTE_SIZE: 2, ENCODING: 7}
    member = information.entry(MEMBER, {NAME: "__x", TYPE: information.entry(BASE_TYPE, of_c).offset, OFFSET: 0})
    for name, type in (("__half", "f16"), ("__nv_bfloat16", "bf16"), ("Half", None)):
        assert scalar(information.entry(STRUCT, {NAME: name, BYTE_SIZE: 2}, [member])) == type


def test_an_editor_opens_structures_level_by_level(client: Client) -> None:
    client.launch(COMPILED, block=32, args=("zeros:s32:32", 4))
    client.ask("setFunctionBreakpoints", breakpoints=[{"name": STOP.partition(" ")[2]}])
    client.ask("configurationDone")
    client.event("stopped")
    client.ask("continue", threadId=4)
    client.event("stopped")
    inner, outer = client.ask("stackTrace", threadId=4)["stackFrames"]

    def below(reference: int, **page: int) -> dict[str, dict[str, Any]]:
        found = client.ask("variables", variablesReference=reference, **page)["variables"]
        return {v["evaluateName"]: v for v in found if "evaluateName" in v}

    def variables(frame: dict[str, int]) -> dict[str, dict[str, Any]]:
        first = client.ask("scopes", frameId=frame["id"])["scopes"][0]
        assert (first["name"], first["presentationHint"]) == ("Variables", "locals")
        return below(first["variablesReference"])

    q = variables(inner)["q"]
    assert (q["type"], q["value"]) == ("Point *", "0x200000000")
    pointed = below(q["variablesReference"])
    assert [(name, v["type"], v["value"]) for name, v in pointed.items()] == [
        ("q->x", "int", "3"), ("q->y", "float", "4.5"), ("q->tag", "short [3]", "{7, 3, -1}")
    ]  # fmt: skip
    own = variables(outer)
    assert (own["c"]["value"], own["c"]["variablesReference"], own["o"]["type"]) == ("GREEN", 0, "int *")
    assert "r" not in own  # it has no value yet
    tag = below(below(own["a"]["variablesReference"])["a.p"]["variablesReference"])["a.p.tag"]
    assert tag["indexedVariables"] == 3
    assert [*below(tag["variablesReference"], start=1, count=2)] == ["a.p.tag[1]", "a.p.tag[2]"]
    changed = client.ask("setVariable", variablesReference=tag["variablesReference"], name="a.p.tag[1]", value="8")
    assert (changed["value"], changed["type"]) == ("8", "short")
    frame = inner["id"]
    cast = client.ask("evaluate", expression="(Point*)((char*)q)", frameId=frame)
    assert (cast["result"], cast["type"]) == ("0x200000000", "Point *")
    x = "((Point*)((char*)q))->x"
    assert below(cast["variablesReference"])[x]["value"] == "3"
    assert client.ask("setExpression", expression=x, value="9", frameId=frame)["value"] == "9"
    found = client.ask("evaluate", expression="*(int*)q@2", frameId=frame)
    assert [v["value"] for v in below(found["variablesReference"]).values()] == ["9", "1083179008"]
    assert client.ask("dataBreakpointInfo", name="*(int*)q", frameId=frame)["dataId"].endswith(":*(int*)q")
    assert client.ask("evaluate", expression="a.p", frameId=outer["id"])["result"].endswith("{7, 8, -1}}")
    watched = client.ask("evaluate", expression="a.next", frameId=outer["id"], context="watch")
    assert (watched["result"], watched["type"]) == (own["a"]["value"].rpartition(" ")[2][:-1], "Node *")
    assert below(watched["variablesReference"])["a.next->key"]["value"] == "3"


@pytest.mark.parametrize(
    "text", ["zz", "q->zz", "v.x", "arr[9]", "v[0]", "q.x.y", "arr.x", "(v + 1).x", "arr[1.5]", "*v", "->", "q->", "*"]
)
def test_what_is_no_variable(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = debug(tmp_path, capsys, STOP, "continue", f"print {text}", "set q = *q", "print v")
    assert out.count("error: ") == 2
    assert out.endswith("v = 0\n")


def test_next_runs_over_inlined_calls_and_finish_out_of_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Line 19 contains a call of a function of lines 12 to 15, which contains another one of lines 9 and 10."""
    out = debug(tmp_path, capsys, "tbreak compiled_for_debugging.cu:9", "continue", "finish", "next", "finish", "next")
    lines = [int(line) for line in re.findall(r"^block .*compiled_for_debugging\.cu:(\d+)\)$", out, re.M)]
    assert lines[1:3] == [9, 13]
    assert lines[3] in (14, 15)
    assert lines[4] >= 16
    over = debug(tmp_path, capsys, "tbreak compiled_for_debugging.cu:18", "continue", "next", "next", "next")
    lines = [int(line) for line in re.findall(r"^block .*compiled_for_debugging\.cu:(\d+)\)$", over, re.M)]
    assert {9, 10}.isdisjoint(lines)


def test_conditions_are_changed_and_locals_are_variables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = debug(
        tmp_path, capsys, "break compiled_for_debugging.cu:18", "condition 1 threadIdx.x == 3", "info breakpoints",
        "continue", "condition 1", "info breakpoints", "condition 7 1", "info locals", "info args",
    )  # fmt: skip
    assert "1: break compiled_for_debugging.cu:18 if threadIdx.x == 3, 0 stops\n" in out
    assert "thread (3, 0, 0)" in out
    assert "1: break compiled_for_debugging.cu:18, 1 stops\n" in out
    assert out.count("error: ") == 1
    assert "error: no breakpoint or watchpoint 7\n" in out


def test_functions_have_their_names_in_the_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = debug(tmp_path, capsys, STOP, "continue", "where")
    assert "breakpoint 1: outer, line" in out
    assert "\n> #0 outer, line" in out


def test_places_have_the_calls_that_were_inlined() -> None:
    program = openptx.load(COMPILED).program
    table = LineTable(program.file)
    chains = {tuple(line for _, line, _ in table.of(op)) for op in program.function("_Z5outeriP5Point").code}
    assert chains >= {(9, 13, 19), (10, 13, 19), (13, 19), (14, 19), (19,), (18,)}
    assert (13, 19, 19) not in chains


def test_debug_information_that_is_damaged_is_ignored() -> None:
    text = COMPILED.read_text("utf-8")
    for damaged in (text.replace(".b8 17\n", ".b8 99\n"), text.replace(".debug_abbrev", ".debug_other")):
        program = openptx.load(damaged).program
        table = LineTable(program.file)
        assert {table.line(op) for op in program.function("_Z5outeriP5Point").code} >= {17, 18}


def damaged(chance: random.Random) -> str:
    """The file with its references to types exchanged, and a few other numbers in its debug sections."""
    head, mark, tail = COMPILED.read_text("utf-8").partition("\t.section\t.debug_")
    lines = tail.split("\n")
    _, *references = (i for i, line in enumerate(lines) if re.fullmatch(r"\.b32 \d+", line))  # first: the size
    for i, line in zip(references, chance.sample([lines[i] for i in references], len(references)), strict=True):
        lines[i] = line
    numbers = [i for i, line in enumerate(lines) if re.fullmatch(r"\.b8 \d+", line)]
    for i in chance.sample(numbers, chance.choice((0, 0, 3))):
        lines[i] = f".b8 {chance.randrange(256)}"
    return head + mark + "\n".join(lines)


def test_damaged_references_end_in_no_exception() -> None:
    """Types that consist of themselves, arrays without bounds, expressions that are cut off."""
    known = 0
    for seed in range(100):
        text = damaged(random.Random(seed))
        information = DebugInformation(text)
        for entry in (entry for unit in entries(text) for entry in unit.walk()):
            known += 1
            information.type_of(entry)
            information.size(entry)
            assert len(list(information.members(entry))) <= len(entry.children) >= len(extents(entry))
    assert known > 5000


def test_functions_by_their_names_in_the_program_with_their_parameters(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of nvcc 13.0, which makes members of base classes."""
    out = debug(
        tmp_path, capsys, "break factorial if n == 2", "continue", "print n", "up", "print n", "up 2", "print d",
        "print d.id", "print place", "down", "up", "print threadIdx.x + blockDim.x", "print gridDim", "set place = 4",
        "print out[0]", "break factorials", path=STRUCTURES.with_name("debugged_recursion.ptx"),
    )  # fmt: skip
    for words in (
        "\nn = 2\n", "\nn = 3\n", "\nd = {base = {id = 7}, extra = 8}\nd.id = 7\nplace = 15\n",
        "threadIdx.x + blockDim.x = 32\ngridDim = {1, 1, 1}\nplace = 4\n", "\nout[0] = 4\n",
        "no line, label or function `factorials`; did you mean `factorial`?",
    ):  # fmt: skip
        assert words in out
