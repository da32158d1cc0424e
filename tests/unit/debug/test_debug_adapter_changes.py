"""Changes and watches through `openptx debug --dap`: variables, memory, code, the file itself."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

from dap_client import REDUCE, Client, row


def begin(client: Client, path: Path, **more: Any) -> dict[str, Any]:
    """Launches, and gives the frame of thread 1 at the entry."""
    client.launch(path, **more)
    client.ask("configurationDone")
    client.event("stopped")
    return client.top(1)


def scope(client: Client, frame: dict[str, Any], name: str) -> int:
    scopes = client.ask("scopes", frameId=frame["id"])["scopes"]
    return next(s["variablesReference"] for s in scopes if s["name"] == name)


def to(client: Client, line: int, path: Path, **more: Any) -> dict[str, Any]:
    client.ask("setBreakpoints", source={"path": str(path)}, breakpoints=[{"line": line, **more}])
    client.ask("continue", threadId=1)
    return client.event("stopped")


def test_registers_variables_and_memory_are_changed(client: Client, reduce: Path) -> None:
    begin(client, reduce)
    to(client, row("mov.u32 s, tile"), reduce)
    frame = client.top(1)
    registers, shared = scope(client, frame, "Registers"), scope(client, frame, "Shared")
    changed = client.ask("setVariable", variablesReference=registers, name="v", value="40 + 2")
    assert (changed["value"], changed["type"]) == ("42", ".u32")
    tile = client.ask("variables", variablesReference=shared)["variables"][0]
    assert client.ask("setVariable", variablesReference=tile["variablesReference"], name="tile[5]", value="9")
    assert client.ask("setExpression", expression="shared.u32[24]", value="0x10", frameId=frame["id"])["value"] == "16"
    data = base64.b64encode(bytes([7, 0, 0, 0])).decode()
    assert client.ask("writeMemory", memoryReference="shared:0x0", offset=28, data=data)["bytesWritten"] == 4
    read = client.ask("readMemory", memoryReference="shared:0x0", offset=20, count=12)["data"]
    assert base64.b64decode(read) == bytes([9, 0, 0, 0, 16, 0, 0, 0, 7, 0, 0, 0])
    to(client, row("ret;\n}\n", REDUCE[REDUCE.index("st.global") :]) + row("st.global") - 1, reduce)
    assert client.ask("evaluate", expression="u32[p]")["result"] == "42"


def test_what_can_not_be_changed_is_refused(client: Client, reduce: Path) -> None:
    frame = begin(client, reduce)
    registers, params = scope(client, frame, "Registers"), scope(client, frame, "Parameters")
    for name, value, words in (
        ("v", "-1", "not in the range of .u32"),
        ("v", "1.5", "not an integer"),
        ("v", "nobody", "no register or variable `nobody`"),
        ("i + 1", "2", "can be assigned to"),
    ):
        assert words in client.answer("setVariable", variablesReference=registers, name=name, value=value)["message"]
    refused = client.answer("setVariable", variablesReference=params, name="n", value="3")
    assert "cannot be written" in refused["message"]
    assert "not base64" in client.answer("writeMemory", memoryReference="shared:0", data="?")["message"]
    beyond = client.answer("writeMemory", memoryReference="shared:0xfc", data=base64.b64encode(bytes(8)).decode())
    assert "cannot write 8 bytes" in beyond["message"]
    some = client.ask(
        "writeMemory", memoryReference="shared:0xfc", data=base64.b64encode(bytes(8)).decode(), allowPartial=True
    )
    assert some["bytesWritten"] == 4


def test_a_change_of_data_stops(client: Client, reduce: Path) -> None:
    frame = begin(client, reduce)
    registers = scope(client, frame, "Registers")
    register = client.ask("dataBreakpointInfo", variablesReference=registers, name="v")
    assert register["accessTypes"] == ["write"]
    element = client.ask("dataBreakpointInfo", name="tile[3]", frameId=frame["id"])
    assert client.ask("dataBreakpointInfo", name="nobody", frameId=frame["id"])["dataId"] is None
    wanted = [
        {"dataId": register["dataId"]},
        {"dataId": element["dataId"], "condition": "tile[3] == 6"},
        {"dataId": register["dataId"], "accessType": "readWrite"},
    ]
    made = client.ask("setDataBreakpoints", breakpoints=wanted)["breakpoints"]
    assert [one["verified"] for one in made] == [True, True, False]
    client.ask("setExpression", expression="v", value="5", frameId=frame["id"])  # by hand: no stop
    client.ask("continue", threadId=1)
    stopped = client.event("stopped")
    assert (stopped["reason"], stopped["hitBreakpointIds"]) == ("data breakpoint", [made[0]["id"]])
    assert "v: 5 -> 0" in stopped["description"]
    client.ask("continue", threadId=1)
    stopped = client.event("stopped")
    assert stopped["hitBreakpointIds"] == [made[1]["id"]]
    assert "tile[3]: 0 -> 6" in stopped["description"]
    client.ask("setDataBreakpoints", breakpoints=[])
    client.ask("continue", threadId=1)
    assert client.event("exited")["exitCode"] == 0


def test_disassembly_and_breakpoints_at_its_addresses(client: Client, reduce: Path) -> None:
    frame = begin(client, reduce)
    here = frame["instructionPointerReference"]
    code = client.ask("disassemble", memoryReference=here, instructionOffset=-3, instructionCount=14)["instructions"]
    assert [one["instruction"] for one in code[:4]] == ["no code", "add.u32 d, a, a;", "ret;", "ld.param.u64 p, [out];"]
    assert (code[0]["presentationHint"], code[3]["symbol"], code[3]["line"]) == ("invalid", "reduce", frame["line"])
    assert code[3]["address"] == here
    assert code[1]["location"]["path"] == str(reduce)
    assert len({one["address"] for one in code}) == len(code)
    store = next(one for one in code if one["instruction"].startswith("st.shared"))
    (made,) = client.ask("setInstructionBreakpoints", breakpoints=[{"instructionReference": store["address"]}])[
        "breakpoints"
    ]
    assert (made["verified"], made["line"]) == (True, row("st.shared"))
    (none,) = client.ask(
        "setInstructionBreakpoints", breakpoints=[{"instructionReference": store["address"], "offset": 1}]
    )["breakpoints"]
    assert "no instruction at" in none["message"]
    client.ask("setInstructionBreakpoints", breakpoints=[{"instructionReference": store["address"]}])
    client.ask("continue", threadId=1)
    client.event("stopped")
    assert client.top(1)["instructionPointerReference"] == store["address"]


def test_a_file_that_changes_is_shown_as_launched_until_the_restart(client: Client, reduce: Path) -> None:
    begin(client, reduce)
    (made,) = client.ask(
        "setBreakpoints", source={"path": str(reduce)}, breakpoints=[{"line": row("bar.sync")}]
    )["breakpoints"]  # fmt: skip
    reduce.write_text(
        REDUCE.replace("    bar.sync 0;\n", "    // a comment\n    bar.sync 0;\n    bar.sync 0;\n"), "utf-8"
    )
    client.ask("continue", threadId=1)
    assert "has changed since" in client.event("output")["output"]
    assert client.event("stopped")["hitBreakpointIds"] == [made["id"]]
    source = client.top(1)["source"]
    assert "path" not in source
    assert client.ask("source", sourceReference=source["sourceReference"], source=source)["content"] == REDUCE
    again = client.ask("setBreakpoints", source=source, breakpoints=[{"line": row("bar.sync")}])["breakpoints"]
    assert again[0]["verified"]
    client.ask("setBreakpoints", source={"path": str(reduce)}, breakpoints=[{"line": row("bar.sync")}])
    client.ask("restart")
    moved = [client.event("breakpoint")["breakpoint"]]
    assert {one["line"] for one in moved} == {row("bar.sync") + 1}
    assert client.event("stopped")["reason"] == "entry"
    assert client.top(1)["source"]["path"] == str(reduce)


def test_a_restart_of_a_file_that_is_wrong_now_leaves_the_launch(client: Client, reduce: Path) -> None:
    begin(client, reduce)
    reduce.write_text("garbage", "utf-8")
    assert "error" in client.answer("restart")["message"]
    client.ask("next", threadId=1)
    client.event("stopped")
    reduce.unlink()
    assert "No such file" in client.answer("restart")["message"]
    assert client.ask("evaluate", expression="%tid.x")["result"] == "0"


def test_the_console_takes_commands_and_completes_names(client: Client, reduce: Path) -> None:
    frame = begin(client, reduce)
    said = client.ask("evaluate", expression="x/4u32 shared tile", context="repl", frameId=frame["id"])["result"]
    assert said == "0x0: 0 0 0 0"
    assert "threads 0-63" in client.ask("evaluate", expression="info threads", context="repl")["result"]
    assert client.ask("evaluate", expression="set k = 8", context="repl")["result"] == "k = 8"
    assert "error: " in client.ask("evaluate", expression="set k", context="repl")["result"]
    assert client.ask("evaluate", expression="k", context="repl")["result"] == "8"
    targets = client.ask("completions", text="1 + ti", column=7)["targets"]
    assert targets == [{"label": "tile", "start": 4, "length": 2}]


def test_lines_from_zero(client: Client, reduce: Path) -> None:
    client.ask("initialize", adapterID="openptx", linesStartAt1=False, columnsStartAt1=False)
    client.ask("launch", program=str(reduce), grid=1, block=64, args=["zeros:u32:64", 1], stopOnEntry=True)
    wanted = [{"line": row("bar.sync") - 1}]
    (one,) = client.ask("setBreakpoints", source={"path": str(reduce)}, breakpoints=wanted)["breakpoints"]
    assert one["line"] == row("bar.sync") - 1
    client.ask("configurationDone")
    assert (client.top(1)["line"], client.top(1)["column"]) == (row("ld.param.u64 p") - 1, 4)
