"""Recording files: versions, the format of docs/recordings.md, and invalid files."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from launches import SCALE, scaled

import openptx
from openptx.recording import read_recording, write_recording
from openptx.recording.header import VERSION

PAGE = Path(__file__).parents[3] / "docs" / "recordings.md"


def parts(file: Path) -> tuple[dict[str, Any], bytes]:
    line, _, rest = file.read_bytes().partition(b"\n")
    return json.loads(line), rest


def rewritten(file: Path, rest: bytes, **changes: Any) -> Path:
    """The file with other members; None takes one away."""
    header = {**parts(file)[0], **changes}
    file.write_bytes(json.dumps({k: v for k, v in header.items() if v is not None}).encode() + b"\n" + rest)
    return file


@pytest.fixture
def file(tmp_path: Path) -> Path:
    scaled(tmp_path / "scale.launch")
    return tmp_path / "scale.launch"


def schema() -> dict[str, Any]:
    found = re.search(r"```json\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_the_document_describes_what_is_written(file: Path) -> None:
    header, _ = parts(file)
    jsonschema.validate(header, schema())
    assert header.keys() == schema()["properties"].keys()
    assert header["version"] == VERSION == max(schema()["properties"]["version"]["enum"])
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \| \d", PAGE.read_text("utf-8"), re.MULTILINE)
    assert {name for row in rows for name in re.findall(r"\w+", row)} == header.keys()


def test_what_stays_the_same_is_written_once(file: Path) -> None:
    header, rest = parts(file)
    sizes = [size for _, size in header["allocs"]]
    twice = sum(size for size, changed in zip(sizes, header["changed"], strict=True) if changed)
    assert not all(header["changed"])
    assert len(rest) == sum(sizes) + twice + len(SCALE)
    assert rest.endswith(SCALE.encode())


def test_version_1(file: Path) -> None:
    """As ../shared/recordings has it: everything twice, and the PTX in a file of its own."""
    recording = read_recording(file)
    header, _ = parts(file)
    old = file.with_name("old.launch")
    names = ("kernel", "grid", "block", "shared", "cluster", "params", "allocs", "compare", "device")
    memory = [r.before for r in recording.regions] + [r.after for r in recording.regions]
    plain = {name: header[name] for name in names} | {"compare": [not r.symbol for r in recording.regions]}
    line = json.dumps({**plain, "ptx": "abc"}).encode()
    old.write_bytes(b"\n".join([line, b"".join(data.tobytes() for data in memory)]))
    assert "its PTX is missing: put abc.ptx next to it" in str(openptx.replay(old).error)
    old.with_name("other.ptx").write_text(SCALE)
    assert openptx.replay(old, ptx=old.with_name("other.ptx")).equal
    old.with_name("other.ptx").rename(old.with_name("abc.ptx"))
    found = openptx.replay(old)
    assert found.equal, found
    assert found.compared == 320


def test_a_file_that_is_cut_short_or_too_long(file: Path) -> None:
    header, rest = parts(file)
    for wrong, said in ((rest[:-1], "is cut short"), (rest[:100], "is cut short"), (rest + b"x", "is too long")):
        found = openptx.replay(rewritten(file, wrong))
        assert found.status == "unreadable"
        assert said in str(found.error)
    file.write_bytes(json.dumps(header).encode()[:50])
    assert "its first line does not end" in str(openptx.replay(file).error)


@pytest.mark.parametrize("content", [b"", b"\n", b"[]\n", b"{}\n", b"\x7fELF\n", b"[" * 100_000 + b"\n", b"\xff\xfe\n"])
def test_what_is_no_recording(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "x.launch"
    file.write_bytes(content)
    with pytest.raises(openptx.InputError, match="not a recording of a launch"):
        read_recording(file)
    assert openptx.replay(file).status == "unreadable"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"version": 3}, "is of version 3 of the format, and this OpenPTX reads versions 1 to 2"),
        ({"version": "2"}, "`version` of the recording is '2', not a whole number"),
        ({"grid": None}, "`grid` of the recording is missing, not a list"),
        ({"grid": [1, -1]}, "not a list of up to 3 whole numbers"),
        ({"grid": [0]}, "grid's x is 1 to 2147483647, not 0"),
        ({"block": [64, 64]}, "a block has at most 1024 threads"),
        ({"shared": -5}, "`shared` of the recording is -5"),
        ({"shared": 1 << 30}, "dynamic shared memory is 0 to"),
        ({"params": [[0, 8, "xx"]]}, "a parameter of the recording is"),
        ({"params": [[0, 4, "00"]]}, "its bytes are not 4"),
        ({"params": []}, "parameter `x` of kernel `scale` is not recorded"),
        ({"allocs": [[1, 2, 3]]}, "not a list of [address, bytes]"),
        ({"allocs": [[256, 1 << 60]]}, "not a list of [address, bytes]"),
        ({"allocs": [[256, 64], [300, 64]]}, "overlap: at 0x100 (64 bytes) and 0x12c"),
        ({"compare": [True]}, "not true or false for each of 4 allocations"),
        ({"changed": [1, 2, 3, 4]}, "not true or false for each of 4 allocations"),
        ({"symbols": {"factor": 9}}, "has 9 for `factor`, not an allocation of its own"),
        ({"kernel": "other"}, "no kernel `other`"),
        ({"target": "sm_1"}, "no target `sm_1`"),
        ({"ptx": None, "text": 0}, "`ptx` of the recording is missing"),
        ({"ptx": "../../etc/passwd", "text": 0}, "is too long"),
    ],
)
def test_what_is_wrong_in_the_first_line(file: Path, changes: dict[str, Any], said: str) -> None:
    _, rest = parts(file)
    if "allocs" in changes:
        changes = {"compare": None, "changed": None, "symbols": None, **changes}
    found = openptx.replay(rewritten(file, rest, **changes))
    assert found.status == "unreadable"
    assert said in str(found.error)


def test_the_module_lies_in_the_same_folder(file: Path) -> None:
    header, rest = parts(file)
    file.with_name("up.ptx").write_text(SCALE)
    (file.parent / "sub").mkdir()
    inner = file.parent / "sub" / "a.launch"
    inner.write_bytes(file.read_bytes())
    rewritten(inner, rest[: -header["text"]], ptx="../up", text=0)
    assert "its PTX is missing" in str(openptx.replay(inner).error)


def test_an_interrupt_leaves_no_half_of_a_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recording, before = read_recording(file), file.read_bytes()

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("os.replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_recording(recording, file)
    assert file.read_bytes() == before
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_an_allocation_of_no_bytes(file: Path) -> None:
    """Pointers to empty arrays are recorded as they are."""
    recording = openptx.record(openptx.load(SCALE)["scale"], 1, 1, (np.zeros(0, np.float32), None, 0), file=file)
    assert {r.size for r in recording.regions} == {4}
    assert openptx.replay(file).equal
