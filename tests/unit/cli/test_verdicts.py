"""Files that `openptx check` found clean are not checked again; a damaged cache changes no verdict."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from openptx.cli import checking, main, verdicts
from openptx.cli.verdicts import DIGITS, Verdicts

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
CLEAN = HEAD + ".visible .entry k() { ret; }\n"
WARNED = HEAD + ".visible .entry k() { .reg .u32 r; add.u32 r, r, 1; ret; }\n"


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.undo()
    monkeypatch.setenv("OPENPTX_CACHE", str(tmp_path / "store"))
    return tmp_path / "store" / verdicts.NAME


@pytest.fixture
def checks(store: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that are checked."""
    found: list[str] = []
    real = checking.check

    def counted(file: checking.File, **options: object) -> list[checking.Diagnostic]:
        found.append(os.path.basename(file.name))
        return real(file, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(checking, "check", counted)
    return found


def write(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(text, "utf-8")
    return str(path)


def test_a_file_is_checked_again_when_it_or_an_option_changes(
    checks: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, "a.ptx", CLEAN)
    for arguments, checked in (
        ([], ["a.ptx"]), ([], []), (["--output-format", "concise"], []), (["--no-cache"], ["a.ptx"]),
        (["--target", "sm_90"], ["a.ptx"]), (["--target", "sm_90"], []), (["--profile", "isa"], ["a.ptx"]),
        (["--select", "PTX03"], ["a.ptx"]), (["--extend-select", "unused"], ["a.ptx"]),
        (["--fix"], ["a.ptx"]), ([], []),
    ):  # fmt: skip
        checks.clear()
        capsys.readouterr()
        assert main(["check", *arguments, path]) == 0
        assert checks == checked, arguments
        if not arguments:
            assert capsys.readouterr().out == "All checks passed.\n"
    capsys.readouterr()
    assert main(["check", "--output-format", "json", path]) == 0
    assert capsys.readouterr().out == "[]\n"
    for text, status in ((CLEAN + "garbage", 1), (CLEAN, 0), (WARNED, 0)):
        write(tmp_path, "a.ptx", text)
        assert main(["check", path]) == status
        assert main(["check", path]) == status


def test_what_has_findings_is_always_checked(
    checks: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = [write(tmp_path, "a.ptx", CLEAN), write(tmp_path, "b.ptx", WARNED), write(tmp_path, "c.ptx", CLEAN + "x")]
    said = []
    for _ in range(2):
        checks.clear()
        assert main(["check", *paths, str(tmp_path / "none.ptx")]) == 2
        said.append(capsys.readouterr())
    assert said[0] == said[1]
    assert checks == ["b.ptx", "c.ptx"]


def test_another_checker_has_other_verdicts(checks: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, "a.ptx", CLEAN)
    assert main(["check", path]) == 0
    monkeypatch.setattr(verdicts, "checker", lambda: [("rows.py", 1, 2)])
    checks.clear()
    assert main(["check", path]) == 0
    assert checks == ["a.ptx"]


def test_the_checker_is_its_files() -> None:
    names = {os.path.basename(path) for path, _, _ in verdicts.checker()}
    assert {"module.py", "statement_lexer.py", "load_store.py", "formats.py"} <= names


@pytest.mark.parametrize(
    "content", [b"", b"\n\n", b"\xff" * 1000, b"0" * DIGITS, b"0" * (DIGITS - 3), b"0" * DIGITS + b"\nabc"]
)
def test_a_store_that_is_damaged(checks: list[str], store: Path, tmp_path: Path, content: bytes) -> None:
    path = write(tmp_path, "a.ptx", CLEAN)
    store.parent.mkdir(mode=0o700)
    store.write_bytes(content)
    store.chmod(0o600)
    for expected in (["a.ptx"], []):
        checks.clear()
        assert main(["check", path]) == 0
        assert checks == expected


def test_a_store_of_others_is_not_believed(checks: list[str], store: Path, tmp_path: Path) -> None:
    path = write(tmp_path, "a.ptx", CLEAN)
    assert main(["check", path]) == 0
    real = store.with_name("elsewhere")
    for break_, mend in (
        (lambda: store.chmod(0o666), lambda: store.chmod(0o600)),
        (lambda: store.parent.chmod(0o777), lambda: store.parent.chmod(0o700)),
        (lambda: (store.rename(real), store.symlink_to(real)), lambda: (store.unlink(), real.rename(store))),
        (lambda: (store.rename(real), store.mkdir()), lambda: (store.rmdir(), real.rename(store))),
        (lambda: (store.rename(real), os.mkfifo(store)), lambda: (store.unlink(), real.rename(store))),
    ):
        break_()
        checks.clear()
        assert main(["check", path]) == 0
        assert checks == ["a.ptx"]
        mend()
    checks.clear()
    assert main(["check", path]) == 0
    assert checks == []


def test_the_store_is_bounded_and_keeps_what_is_newer(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdicts, "LIMIT", 30 * (DIGITS + 1))
    made = [Verdicts("x").digest(b"%d" % i) for i in range(300)]
    for digest in made:
        one = Verdicts("x")
        one.add(digest)
        one.save()
        assert store.stat().st_size <= 31 * (DIGITS + 1)
    kept = store.read_bytes()
    assert made[-1] in kept
    assert made[0] not in kept
    assert [path.name for path in store.parent.iterdir()] == [verdicts.NAME]


def test_several_processes_write_at_once(store: Path) -> None:
    program = (
        "import sys\nfrom openptx.cli.verdicts import Verdicts\n"
        "for i in range(200):\n    v = Verdicts()\n    v.add(v.digest(f'{sys.argv[1]} {i}'.encode()))\n    v.save()\n"
    )
    running = [subprocess.Popen([sys.executable, "-c", program, str(i)]) for i in range(3)]
    assert [one.wait(100) for one in running] == [0, 0, 0]
    found = Verdicts()
    # Who looks while another one writes may see half a line, and ends it first: that leaves an empty one.
    lines = [line for line in store.read_bytes().splitlines(keepends=True) if line != b"\n"]
    assert {len(line) for line in lines} == {DIGITS + 1}
    assert set(lines) == {found.digest(f"{k} {i}".encode()) for k in range(3) for i in range(200)}


def test_without_a_folder(checks: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, "a.ptx", CLEAN)
    for folder in ("", "/proc/none", path):
        monkeypatch.setenv("OPENPTX_CACHE", folder)
        checks.clear()
        assert [main(["check", path]) for _ in range(2)] == [0, 0]
        assert checks == ["a.ptx", "a.ptx"]
