"""Examples of the documents run as they stand, in the order of the text, with their output compared; links lead
somewhere. Examples that are not run here are listed with the reason."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from walkthrough import ROOT, blocks, examples, run_example, saxpy

import openptx
from openptx.cli import main
from openptx.testing.discovery import run_test

DOCUMENTS = sorted(
    str(path.relative_to(ROOT))
    for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("tests/**/*.md")]
)

NETWORK = "needs a network: it installs packages, and compiles or runs all of the tests"
NVCC = "needs nvcc"
PROGRAM = "stands for a program of the reader's: tests/unit/driver run others"
GPU = "was run on a GPU"
TOOLS = "writes files of the repository, with tools that are not installed everywhere"

# fmt: off
#    document                          how an example begins       why it is not run here
NOT_RUN = [
    ("README.md",                      "make demo",                NETWORK),
    ("README.md",                      "openptx exec",             PROGRAM),
    ("CONTRIBUTING.md",                "make check",               NETWORK),
    ("docs/add-a-format.md",           "",                         "run by tests/unit/isa/test_formats_everywhere.py"),
    ("docs/add-an-instruction.md",     "",                         "run by tests/unit/isa/test_add_an_instruction.py"),
    ("docs/cuda-programs.md",          "$ nvcc",                   NVCC),
    ("docs/driver.md",                 "$ openptx exec",           PROGRAM),
    ("docs/editors.md",                "pip install",              NETWORK),
    ("docs/editors.md",                "cd editors/vscode",        NETWORK),
    ("docs/prove.md",                  "$ sed",                    "run by tests/unit/front/test_documents.py"),
    ("docs/recipes/compiler-output.md", "",                        "run by tests/unit/runtime/test_compiler_recipe.py"),
    ("docs/recipes/cupy.md",           "$ pip install",            NETWORK),
    ("docs/recipes/find-a-race.md",    "",                         "run by tests/unit/sanitize/test_race_recipe.py"),
    ("docs/recipes/numba-in-ci.md",    "",                         "run by tests/clients/test_numba_client.py"),
    ("docs/recipes/replay-on-a-laptop.md", "",                     "run by tests/unit/recording/test_replay_recipe.py"),
    ("docs/recipes/tinygrad.md",       "",                         "run by tests/clients/test_tinygrad_client.py"),
    ("docs/recipes/triton-in-ci.md",   "",                         "run by tests/clients/test_triton_recipe.py"),
    ("docs/recordings.md",             "$ openptx replay saxpy",   GPU),
    ("docs/recordings.md",             "$ openptx record",         GPU),
    ("docs/testing.md",                "import numpy",             "run by tests/unit/front/test_documents.py"),
    ("docs/testing.md",                "from hypothesis",          "run by tests/unit/front/test_documents.py"),
    ("docs/testing.md",                "make conformance",         NETWORK),
]
# fmt: on

HEAD = ".version 8.6\n.target sm_90\n.address_size 64\n"
ANY_SPEED = """from hypothesis import HealthCheck, settings
settings.register_profile("any speed", suppress_health_check=[HealthCheck.too_slow], deadline=None)
settings.load_profile("any speed")
"""
KERNELS = {
    "blur.ptx": HEAD + ".visible .entry blur(.param .u64 t, .param .u64 s, .param .u32 w, .param .u32 h) { ret; }",
    "gemm.ptx": HEAD + """.visible .entry gemm(
        .param .align 64 .b8 a[128], .param .align 64 .b8 b[128], .param .u64 c) { ret; }""",
    "main.ptx": HEAD + ".extern .func twice(); .visible .entry k() { call twice; ret; }",
    "library.ptx": HEAD + ".visible .func twice() { ret; }",
}  # fmt: skip
"""Kernels that examples assume a reader to have, beside those that documents show."""
TWICE = (
    HEAD
    + """.visible .entry twice(.param .u64 x) {
    .reg .b64 a; .reg .b32 i; .reg .f32 v;
    ld.param.u64 a, [x]; mov.u32 i, %tid.x; mad.wide.u32 a, i, 4, a;
    ld.global.f32 v, [a]; add.f32 v, v, v; st.global.f32 [a], v; ret; }"""
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files that examples mention."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    race, debugger = dict(blocks("docs/recipes/find-a-race.md")), dict(blocks("docs/debugger.md"))
    texts = {
        **KERNELS,
        "saxpy.ptx": saxpy(),
        "sum.ptx": race["ptx"],
        "sum.cu": race["cuda"],
        "twice.ptx": debugger["ptx"],
    }
    for name, text in texts.items():
        Path(name).write_text(text, "utf-8")
    Path("a.out").write_bytes((ROOT / "tests/data/fatbin/none.fatbin").read_bytes())
    Path("tests").symlink_to(ROOT / "tests")  # a part of a checkout
    np.save("x.npy", np.arange(1000, dtype=np.float32))


def given() -> dict[str, Any]:
    """The names that Python examples assume."""
    maps = json.loads((ROOT / "tests/hardware/sm_90-13.0-2026-11-26/driver_maps.json").read_text())["maps"]
    x, y = np.ones(1000, np.float32), np.zeros(1000, np.float32)
    return {
        "np": np, "openptx": openptx, "kernel": openptx.load("saxpy.ptx")["saxpy"], "x": x, "y": y,
        "arguments": (1000, 2.0, x, openptx.empty(1000, np.float32)),
        "array": x, "pairs": x.reshape(-1, 2), "quads": x.reshape(-1, 4), "codes": np.zeros(4, np.uint8),
        "bits": np.zeros(250, np.uint32), "saved": bytes.fromhex(maps[0]["bytes"]),
    }  # fmt: skip


def why_not(document: str, text: str) -> str | None:
    """The reason why an example is not run."""
    return next((why for name, start, why in NOT_RUN if name == document and text.startswith(start)), None)


@pytest.mark.parametrize(
    "document", [name for name in DOCUMENTS if any(not why_not(name, e.text) for e in examples(name))]
)
def test_examples(document: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    names = given()
    for example in examples(document):
        if why_not(document, example.text) is None:
            run_example(example, names, monkeypatch, capsys)


@pytest.mark.parametrize(("document", "start", "why"), NOT_RUN)
def test_examples_that_are_not_run_exist(document: str, start: str, why: str) -> None:
    assert any(example.text.startswith(start) for example in examples(document))
    if why.startswith("run by "):
        assert Path(document).name in (ROOT / why.removeprefix("run by ")).read_text("utf-8")


@pytest.mark.sweep
def test_proofs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("z3")
    (example,) = examples("docs/prove.md")
    run_example(example, {}, monkeypatch, capsys)


def test_annotated_files() -> None:
    Path("annotated.ptx").write_text(dict(blocks("docs/testing.md"))["ptx"], "utf-8")
    result = run_test("annotated.ptx", "auto", None)
    assert (result.status, result.message) == ("passed", "")


def test_case_folders() -> None:
    Path("case.json").write_text(dict(blocks("docs/testing.md"))["json"], "utf-8")
    Path("saxpy.ptx").rename("kernel.ptx")
    x = np.arange(1000, dtype=np.float32)
    np.save("y.npy", x)
    np.save("y_after.npy", 3 * x)
    result = run_test("case.json", "auto", None)
    assert (result.status, result.message) == ("passed", "")


def test_tests_in_python() -> None:
    pytest.importorskip("hypothesis")
    Path("twice.ptx").write_text(TWICE, "utf-8")
    Path("conftest.py").write_text(ANY_SPEED, "utf-8")
    texts = [text for language, text in blocks("docs/testing.md") if language == "python"]
    for number, text in enumerate(texts):
        Path(f"test_{number}.py").write_text(text, "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir=.", *Path().glob("test_*.py")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert "2 passed" in done.stdout, done.stdout + done.stderr


def prose(document: str) -> str:
    """A document without its blocks of code."""
    return re.sub(r"^ *```.*?^ *```$", "", (ROOT / document).read_text("utf-8"), flags=re.M | re.S)


def anchors(document: str) -> set[str]:
    """The anchors of its headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.*)$", prose(document), re.M)
    plain = (re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title) for title in titles)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in plain}


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_lead_somewhere(document: str) -> None:
    for link in re.findall(r"\]\(((?!https?:)[^)\s]+)\)", prose(document)):
        path, _, anchor = link.partition("#")
        target = (ROOT / document).parent / path if path else ROOT / document
        assert target.exists(), link
        assert not anchor or anchor in anchors(os.path.relpath(target, ROOT)), link


def test_targets_of_make_exist() -> None:
    targets = set(re.findall(r"^([\w./-]+):", (ROOT / "Makefile").read_text("utf-8"), re.M))
    for document in DOCUMENTS:
        text = "".join(part for _, part in blocks(document)) + "".join(re.findall(r"`make .*?`", prose(document)))
        for named in re.findall(r"(?:^|`)make (?:[A-Z]+=\S+ )*((?:[a-z.][\w./-]* ?)+)", text, re.M):
            assert set(named.split()) <= targets, (document, named)


def test_options_exist(capsys: pytest.CaptureFixture[str]) -> None:
    known: dict[str, set[str]] = {}
    for document in DOCUMENTS:
        text = (ROOT / document).read_text("utf-8")
        for command, rest in re.findall(r"openptx ([a-z]+)((?: [^`\n|]*)?)", text.replace("\\\n", "")):
            options = re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", rest.split(" -- ")[0])
            if options and command not in known:
                with contextlib.suppress(SystemExit):
                    main([command, "--help"])
                known[command] = {*re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", capsys.readouterr().out)}
            assert [option for option in options if option not in known[command]] == [], (document, command)
    assert len(known) > 8


def test_variables_of_the_environment_exist() -> None:
    sources = [path for folder in ("src", "tools", "bench", "tests") for path in (ROOT / folder).rglob("*.py")]
    named = re.compile(r"OPENPTX_[A-Z_]+[A-Z]")
    known = {name for path in sources for name in named.findall(path.read_text("utf-8"))}
    for document in DOCUMENTS:
        assert {*named.findall((ROOT / document).read_text("utf-8"))} <= known, document


MADE_BY_READERS = {"tests/spec/trailing_zeros.ptx"}


def test_files_of_the_repository_exist() -> None:
    path = re.compile(r"(?<![\w/.-])(?:bench|docs|editors|src|tests|tools)/[\w/.-]+\.[a-z]+\b(?![*/])")
    for document in DOCUMENTS:
        named = {*path.findall((ROOT / document).read_text("utf-8"))} - MADE_BY_READERS
        assert sorted(name for name in named if not (ROOT / name).exists()) == [], document
