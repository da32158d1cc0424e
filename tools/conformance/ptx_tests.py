"""vosen/ptx_tests: a program in Rust that runs instructions through libcuda and compares with references of its own.

Needs a nightly toolchain of Rust, and what cargo has downloaded or may download. The program is built from a copy in
which each instruction gets COUNT inputs, spread over all of its range, in place of as many as 2^32.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from conformance.outcome import Outcome

COUNT = 1 << 16
"""A multiple of the 128 threads of a block."""

STRIDE = 2654435761
"""A prime: multiples of it, modulo the size of a range, come to every number of the range."""

CHANGES = (
    ("let total_elements = 2.pow(32);", f"let total_elements = {COUNT}usize;"),
    (
        "let total_elements = Test::MAX_VALUE as usize + 1;",
        f"let total_elements = (Test::MAX_VALUE as usize + 1).min({COUNT});",
    ),
    (
        "t.generate((elment_start + i) as u32)",
        f"t.generate(((elment_start + i) * {STRIDE} % (Test::MAX_VALUE as usize + 1)) as u32)",
    ),
)
"""What stands in src/test.rs, and what stands there in the copy."""

_RESULT = re.compile(r"^(?P<name>\S+): (?P<result>OK|FAIL)(?: - (?P<detail>.*))?$")


def run(checkout: Path) -> Iterator[Outcome]:
    if shutil.which("cargo") is None:
        yield Outcome("all", "not run", "cargo is not installed")
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "ptx_tests")
        shutil.copytree(checkout, copy, ignore=shutil.ignore_patterns(".git", "target"))
        problem = limit(copy / "src" / "test.rs")
        if problem is not None:
            yield Outcome("all", "not run", problem)
            return
        environment = {
            **os.environ,
            "CARGO_PROFILE_RELEASE_LTO": "off",
            "CARGO_TARGET_DIR": str(Path(folder, "target")),
        }
        built = subprocess.run(
            ["cargo", "build", "--release"], cwd=copy, env=environment, capture_output=True, text=True, check=False
        )
        if built.returncode:
            yield Outcome("all", "not run", f"it does not build: {built.stderr.strip().split(chr(10))[-1].strip()}")
            return
        program = Path(folder, "target", "release", "ptx_tests")
        command = [sys.executable, "-m", "openptx", "exec", "--", str(program), "libcuda.so.1"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            yield from read(process.stdout)


def limit(file: Path) -> str | None:
    """Makes the changes; what is wrong where the file is another than they were written for."""
    text = file.read_text("utf-8")
    for old, new in CHANGES:
        if text.count(old) != 1:
            return f"{file.name} has `{old}` {text.count(old)} times, where one is expected"
        text = text.replace(old, new)
    file.write_text(text, "utf-8")
    return None


def read(lines: Iterator[str]) -> Iterator[Outcome]:
    """The program's lines: a name with OK or FAIL, and three lines of a wrong result."""
    failed: list[str] = []
    name = ""
    for line in lines:
        match = _RESULT.match(line.rstrip("\n"))
        if match is None:
            failed += [line.strip()] if name else []
            continue
        if name:
            yield Outcome(name, "disagreed", "; ".join(failed)[:300])
        name = ""
        if match["result"] == "OK":
            yield Outcome(match["name"], "agreed")
        else:
            name, failed = match["name"], [match["detail"] or ""]
    if name:
        yield Outcome(name, "disagreed", "; ".join(failed)[:300])
