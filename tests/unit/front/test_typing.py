"""`py.typed`: a client program is type-checked against the public names, and its errors are found."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[3] / "src"

RIGHT = """
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import assert_type

import numpy as np

import openptx
from openptx import ArgumentWarning, CheckError, Diagnostic, Fault, Finding, Fix, Kernel, LoadedModule, Sampler
from openptx import SanitizerError, Surface, SyntaxTree, TensorMap, Texture, load

module = load("saxpy.ptx", target="sm_90a")
assert_type(module, LoadedModule)
kernel = module["saxpy"]
assert_type(kernel, Kernel)
assert_type(module.get_function("saxpy"), Kernel)
assert_type(module.kernels, tuple[str, ...])
x = np.zeros(1024, np.float32)
kernel((4,), (256,), (1024, 2.0, x), shared_mem=16, cluster=None, engine="auto", workers=2, timeout=1.5)
kernel[4, 256](1024, 2.0, x)
address: int = module.address(x)
found = openptx.check("saxpy.ptx", profile="isa", select=["PTX03"])
assert_type(found, list[Diagnostic])
fixes: Sequence[Fix] = [diagnostic.fix for diagnostic in found if diagnostic.fix]
assert_type(openptx.parse(b".version 8.0", filename=Path("k.ptx")), SyntaxTree)
openptx.check(b".version 8.0", filename=Path("k.ptx"))
codes = openptx.convert(x, "e4m3", rounding="rn", satfinite=True)
first: float = float(codes[0])
version: str = openptx.__version__
findings = openptx.sanitize(kernel, 4, 256, (1024, 2.0, x), tools=["race", "init"], schedules=2, seed=1, outputs=[2])
assert_type(findings, list[Finding])
lines: list[int] = [finding.line for finding in findings if finding.kind == "race"]
scratch = openptx.empty((32, 32), np.float32)
kernel(1, 32, (32, 1.0, scratch), sanitize="all")
module.bind("image", Texture(x.reshape(32, 32), filter="linear", address="wrap", normalized=True))
arguments: list[object] = [Surface(scratch), TensorMap(scratch, (8, 8), swizzle="32B"), Sampler("linear")]
with ProcessPoolExecutor() as pool:
    openptx.distribute(kernel, pool, 4, 256, (1024, 2.0, x), chunks=2)
reason = kernel.why_interp(256)
assert_type(reason, str | None)
try:
    kernel(1, 1)
except SanitizerError as error:
    assert_type(error.findings, list[Finding])
except Fault as fault:
    message: str = fault.message
except CheckError as error:
    assert_type(error.diagnostics, list[Diagnostic])
warning: type[UserWarning] = ArgumentWarning
"""

WRONG = [
    ('openptx.laod("saxpy.ptx")', '"laod" is not a known attribute'),
    ('openptx.load("saxpy.ptx")["k"](1, 1, (), shared=16)', 'No parameter named "shared"'),
    ('openptx.load("saxpy.ptx").kernal', '"kernal"'),
    ("openptx.check(3)", 'cannot be assigned to parameter "source"'),
    ("openptx.convert([1.0], to=3)", 'cannot be assigned to parameter "to"'),
    ("from openptx import Modul", '"Modul" is unknown import symbol'),
    ('openptx.check("k.ptx")[0].massage', '"massage"'),
    ('openptx.sanitize(openptx.load("k.ptx")["k"], 1, 1, tool="race")', 'No parameter named "tool"'),
    ("openptx.empty(3).undefind", '"undefind"'),
    ("openptx.Texture(3, 4, 5)", "positional argument"),
]


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, str]]]:
    """What pyright says to each program, in one run."""
    folder = tmp_path_factory.mktemp("client")
    (folder / "right.py").write_text(RIGHT)
    for number, (line, _) in enumerate(WRONG):
        (folder / f"wrong{number}.py").write_text(f"import openptx\n\n{line}\n")
    config = {
        "typeCheckingMode": "strict",
        "extraPaths": [str(SOURCE)],
        "pythonVersion": "{}.{}".format(*sys.version_info),
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(config))
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, "-p", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    found: dict[str, list[dict[str, str]]] = {}
    for row in json.loads(done.stdout)["generalDiagnostics"]:
        found.setdefault(Path(row["file"]).stem, []).append(row)
    return found


def test_a_client_that_is_right(reports: dict[str, list[dict[str, str]]]) -> None:
    assert reports.get("right", []) == []


@pytest.mark.parametrize("number", range(len(WRONG)), ids=lambda number: WRONG[number][0])
def test_a_client_with_a_mistake(reports: dict[str, list[dict[str, str]]], number: int) -> None:
    assert any(WRONG[number][1] in row["message"] for row in reports[f"wrong{number}"])
