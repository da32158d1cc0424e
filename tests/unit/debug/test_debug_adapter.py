"""`openptx debug --dap`, as an editor sees it: every message is validated against the protocol's public schema."""

from __future__ import annotations

import base64
import socket
import subprocess
import sys
from pathlib import Path

from dap_client import HEAD, REDUCE, Client, row

ENDLESS = HEAD + ".visible .entry k() {\n.reg .u32 i;\nmov.u32 i, 0;\nl:\nadd.u32 i, i, 1;\nbra l;\n}\n"


def test_a_session_of_an_editor(client: Client, reduce: Path) -> None:
    client.launch(reduce)
    logged = {"line": row("mov.u32 s, tile"), "logMessage": "v is {v}, {nothing}", "condition": "v > 5"}
    wanted = [
        {"line": row("add.u32 d"), "condition": "a == 7"},
        {"line": 999},
        logged,
        {**logged, "logMessage": "{1+}"},
    ]
    set_ = client.ask("setBreakpoints", source={"path": str(reduce)}, breakpoints=wanted)["breakpoints"]
    assert [one["verified"] for one in set_] == [True, False, True, False]
    client.ask("setExceptionBreakpoints", filters=["fault"])
    client.ask("configurationDone")
    assert client.event("stopped")["reason"] == "entry"
    assert len(client.ask("threads")["threads"]) == 64
    client.ask("continue", threadId=1)
    stopped = client.event("stopped")
    assert (stopped["reason"], stopped["threadId"], stopped["hitBreakpointIds"]) == ("breakpoint", 8, [1])
    frames = client.ask("stackTrace", threadId=8)["stackFrames"]
    assert [(f["name"], f["line"]) for f in frames] == [("twice", row("add.u32 d")), ("reduce", row("call (v)"))]
    assert frames[0]["source"]["path"] == str(reduce)
    scopes = {s["name"]: s for s in client.ask("scopes", frameId=frames[1]["id"])["scopes"]}
    registers = client.ask("variables", variablesReference=scopes["Registers"]["variablesReference"])["variables"]
    values = {v["name"]: v["value"] for v in registers}
    assert values["i"] == "7"
    assert "undefined" in values["s"]
    special = client.ask("variables", variablesReference=scopes["Special registers"]["variablesReference"])
    assert {"name": "%tid.x", "value": "7"}.items() <= special["variables"][0].items()
    (tile,) = client.ask("variables", variablesReference=scopes["Shared"]["variablesReference"])["variables"]
    assert tile["indexedVariables"] == 64
    page = client.ask("variables", variablesReference=tile["variablesReference"], start=60, count=10)["variables"]
    assert [v["name"] for v in page] == ["tile[60]", "tile[61]", "tile[62]", "tile[63]"]
    assert client.ask("evaluate", expression="i * 2 + 1", frameId=frames[1]["id"])["result"] == "15"
    client.ask("stepOut", threadId=8)
    assert client.event("output")["output"] == "error: no register or variable `nothing`\n"
    client.event("stopped")
    assert client.top(8)["line"] == row("mov.u32 s, tile")
    client.ask("next", threadId=8)
    client.event("stopped")
    client.ask("stepBack", threadId=8)
    client.event("stopped")
    assert client.top(8)["line"] == row("mov.u32 s, tile")
    client.ask("stepIn", threadId=8, granularity="instruction")
    client.event("stopped")
    assert client.top(8)["line"] == row("mad.lo.u32 s")
    client.ask("continue", threadId=8)
    assert client.event("exited")["exitCode"] == 0
    client.event("terminated")
    client.ask("restart")
    assert client.event("stopped")["reason"] == "entry"
    client.ask("disconnect")


def test_a_fault_is_an_exception_with_memory_to_read(client: Client, reduce: Path) -> None:
    client.launch(reduce, args=("zeros:u32:32", 1))
    client.ask("setExceptionBreakpoints", filters=["fault"])
    client.ask("configurationDone")
    client.event("stopped")
    client.ask("continue", threadId=1)
    stopped = client.event("stopped")
    assert (stopped["reason"], stopped["threadId"]) == ("exception", 33)
    info = client.ask("exceptionInfo", threadId=33)
    assert "out-of-bounds" in info["exceptionId"]
    assert "thread (32, 0, 0)" in info["description"]
    shared = client.ask("readMemory", memoryReference="shared:0x0", offset=8, count=8)
    assert base64.b64decode(shared["data"]) == bytes([4, 0, 0, 0, 6, 0, 0, 0])
    end = client.ask("evaluate", expression="p")["memoryReference"]
    past = client.ask("readMemory", memoryReference=end, offset=-16, count=64)
    assert (len(base64.b64decode(past["data"])), past["unreadableBytes"]) == (16, 48)
    client.ask("continue", threadId=33)
    assert client.event("exited")["exitCode"] == 1


def test_a_running_launch_is_paused_and_can_be_left(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "endless.ptx"
    path.write_text(ENDLESS, "utf-8")
    client.launch(path, 1, 1, ())
    client.ask("configurationDone")
    client.event("stopped")
    client.ask("continue", threadId=1)
    assert client.answer("stackTrace", threadId=1)["message"] == "the launch is running"
    line = row("add.u32", ENDLESS)
    (one,) = client.ask("setBreakpoints", source={"path": str(path)}, breakpoints=[{"line": line}])["breakpoints"]
    assert one["verified"]
    assert client.event("stopped")["reason"] == "breakpoint"
    client.ask("setBreakpoints", source={"path": str(path)}, breakpoints=[])
    client.ask("continue", threadId=1)
    client.ask("pause", threadId=1)
    assert client.event("stopped")["reason"] == "pause"
    client.ask("continue", threadId=1)  # and the client is gone


def test_many_threads_are_warps_and_the_one_that_is_looked_at(client: Client, reduce: Path) -> None:
    client.launch(reduce, [2, 1], 128, ("zeros:u32:128", 1))
    client.ask("setFunctionBreakpoints", breakpoints=[{"name": "twice", "condition": "a == 70"}])
    client.ask("configurationDone")
    client.event("stopped")
    client.ask("continue", threadId=1)
    assert client.event("stopped")["threadId"] == 71
    names = [t["name"] for t in client.ask("threads")["threads"]]
    assert len(names) == 9
    assert names[:5] == [
        "block (0, 0, 0) warp 0", "block (0, 0, 0) warp 1", "block (0, 0, 0) warp 2",
        "block (0, 0, 0) thread (70, 0, 0)", "block (0, 0, 0) warp 3",
    ]  # fmt: skip


def test_wrong_requests_are_answered(client: Client, reduce: Path, tmp_path: Path) -> None:
    for command, arguments, words in (
        ("fly", {}, "`fly` is not supported"),
        ("threads", {}, "nothing has been launched"),
        ("launch", {}, "`program` is the path"),
        ("launch", {"program": str(tmp_path / "none.ptx"), "grid": 1, "block": 1}, "No such file"),
        ("launch", {"program": str(reduce)}, "--grid and --block"),
        ("launch", {"program": str(reduce), "grid": 1, "block": 1, "args": ["null"]}, "takes 2 arguments"),
    ):
        assert words in client.answer(command, **arguments)["message"]
    client.launch(reduce)
    client.ask("configurationDone")
    client.event("stopped")
    for command, arguments, words in (
        ("launch", {"program": str(reduce)}, "under way"),
        ("continue", {}, "has wrong arguments"),
        ("continue", {"threadId": 65}, "no thread 64"),
        ("variables", {"variablesReference": 99}, "of an earlier stop"),
        ("evaluate", {"expression": "nope"}, "no register or variable `nope`"),
        ("exceptionInfo", {"threadId": 1}, "no fault"),
        ("readMemory", {"memoryReference": "x", "count": 4}, "has wrong arguments"),
    ):
        assert words in client.answer(command, **arguments)["message"]
    assert client.ask("evaluate", expression="%tid.x")["result"] == "0"


def test_a_launch_for_another_target(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "redux.ptx"
    path.write_text(REDUCE.replace("sm_80", "sm_70").replace("bar.sync 0;", "redux.sync.add.u32 v, v, -1;"), "utf-8")
    client.launch(path, target="sm_80")
    client.ask("disconnect")


def test_a_client_on_a_port(reduce: Path) -> None:
    command = [sys.executable, "-m", "openptx", "debug", "--dap", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        port = int(process.stderr.readline().rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
            client = Client(connection.makefile("rb"), connection.makefile("wb"))  # type: ignore[arg-type]
            client.launch(reduce)
            client.ask("disconnect")
        assert process.wait(60) == 0
