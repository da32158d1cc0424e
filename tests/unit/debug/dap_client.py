"""A client of the Debug Adapter Protocol for the tests, which validates every message against the public schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, BinaryIO

import jsonschema

SCHEMA = json.loads((Path(__file__).parents[2] / "data" / "dap" / "schema.json").read_text("utf-8"))

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
REDUCE = (
    HEAD
    + """.func (.reg .u32 d) twice(.reg .u32 a) {
    add.u32 d, a, a;
    ret;
}
.visible .entry reduce(.param .u64 out, .param .u32 n) {
    .shared .align 4 .u32 tile[64];
    .reg .b64 p; .reg .u32 i, v, s, k; .reg .pred c;
    ld.param.u64 p, [out];
    ld.param.u32 k, [n];
    mov.u32 i, %tid.x;
    call (v), twice, (i);
    mov.u32 s, tile;
    mad.lo.u32 s, i, 4, s;
    st.shared.u32 [s], v;
    bar.sync 0;
    mad.wide.u32 p, i, 4, p;
    st.global.u32 [p], v;
    ret;
}
"""
)


class Client:
    """Speaks the protocol over two streams, and checks all that it hears."""

    def __init__(self, source: BinaryIO, sink: BinaryIO) -> None:
        self.source, self.sink, self.number = source, sink, 0
        self.events: list[dict[str, Any]] = []

    def send(self, command: str, **arguments: Any) -> int:
        self.number += 1
        data = json.dumps({"seq": self.number, "type": "request", "command": command, "arguments": arguments}).encode()
        self.sink.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        self.sink.flush()
        return self.number

    def read(self) -> dict[str, Any]:
        length = 0
        while (line := self.source.readline().strip()) != b"":
            length = int(line.partition(b":")[2])
        message = json.loads(self.source.read(length))
        if message["type"] == "event":
            name = f"{message['event'][0].upper()}{message['event'][1:]}Event"
        elif message["success"]:
            name = f"{message['command'][0].upper()}{message['command'][1:]}Response"
        else:
            name = "ErrorResponse"
        jsonschema.validate(message, {**SCHEMA, "$ref": f"#/definitions/{name}"})
        return message

    def answer(self, command: str, **arguments: Any) -> dict[str, Any]:
        number = self.send(command, **arguments)
        while (message := self.read())["type"] == "event":
            self.events.append(message)
        assert message["request_seq"] == number
        return message

    def ask(self, command: str, **arguments: Any) -> dict[str, Any]:
        found = self.answer(command, **arguments)
        assert found["success"], found
        return found["body"]

    def event(self, name: str) -> dict[str, Any]:
        while True:
            message = self.events.pop(0) if self.events else self.read()
            if message["event"] == name:
                return message["body"]

    def launch(self, path: Path, grid: Any = 1, block: Any = 64, args: Any = ("zeros:u32:64", 1), **more: Any) -> None:
        assert self.ask("initialize", adapterID="openptx")["supportsStepBack"]
        self.ask("launch", program=str(path), grid=grid, block=block, args=list(args), stopOnEntry=True, **more)
        self.event("initialized")

    def top(self, thread: int) -> dict[str, Any]:
        return self.ask("stackTrace", threadId=thread)["stackFrames"][0]


def row(text: str, source: str = REDUCE) -> int:
    """The row of a text in a kernel."""
    return source[: source.index(text)].count("\n") + 1
