"""`openptx fmt`: changes only whitespace, keeps comments, is idempotent, and writes files atomically."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from sample import SAMPLE  # type: ignore[import-not-found]

from openptx.cli import main
from openptx.source import File
from openptx.syntax import parse
from openptx.syntax.format import formatted

CASES = Path(__file__).parents[2] / "data" / "cases"
HEAD = ".version 8.0\n.target sm_80\n\n"


def layout(text: str) -> str:
    return formatted(parse(File("file.ptx", text)))


def body(text: str) -> str:
    source = HEAD + ".entry k()\n{\n" + text + "\n}\n"
    return layout(source).split("{\n", 1)[1].rsplit("}\n", 1)[0]


# fmt: off
@pytest.mark.parametrize(("written", "wanted"), [
    ("add.s32   %r1,%r2 ,\t%r3 ;",          "    add.s32 %r1, %r2, %r3;\n"),
    ("@ ! %p1   bra  L;L : ret;",           "    @!%p1 bra L;\nL:\n    ret;\n"),
    ("mov\n.u32 %r1, %r2;",                 "    mov.u32 %r1, %r2;\n"),
    ("ld.u32 %r1, [ %r2 + -8 ];",           "    ld.u32 %r1, [%r2+-8];\n"),
    ("mov.b64 { %r1 , %r2 }, %rd1;",        "    mov.b64 {%r1, %r2}, %rd1;\n"),
    ("setp.eq.s32 %p1 | %p2, %r1, 7 % 4;",  "    setp.eq.s32 %p1|%p2, %r1, 7 % 4;\n"),
    (".reg\t.b32 \t%r < 9 >,a , b;",        "    .reg .b32 %r<9>, a, b;\n"),
    (".shared .b8 a [ 4 ];",                "    .shared .b8 a[4];\n"),
    ("{ ret; { exit; } }",                  "    {\n        ret;\n        {\n            exit;\n        }\n    }\n"),
    ("ret; // why\n// next\nexit;",         "    ret;  // why\n    // next\n    exit;\n"),
    ("ret;\n\n\n\nexit;\n\n",               "    ret;\n\n    exit;\n"),
    ("mov.u32 %r1, /* a */   %r2;",         "    mov.u32 %r1, /* a */   %r2;\n"),
    ('mov.u32 %r1,\n#1 "a.cu" 3\n%r2;',         '    mov.u32 %r1,\n#1 "a.cu" 3\n%r2;\n'),
    ('ret;\n# 1 "a.cu"\nexit;',             '    ret;\n    # 1 "a.cu"\n    exit;\n'),
    ('.pragma "a ,  b" ,"c";',              '    .pragma "a ,  b", "c";\n'),
    ("ret;",                                "    ret;\n"),
])  # fmt: skip
def test_statements(written: str, wanted: str) -> None:
    assert body(written) == wanted


def test_headers() -> None:
    source = HEAD + ".visible .entry k ( .param .u64 a,.param .align 8 .b8 b[16] ) .maxntid 16 ,2 .minnctapersm 1{ret;}"
    assert layout(source) == HEAD + (
        ".visible .entry k(\n    .param .u64 a,\n    .param .align 8 .b8 b[16]\n)\n.maxntid 16, 2\n.minnctapersm 1\n{\n"
        "    ret;\n}\n"
    )
    assert layout(".func(.reg .b32 d)f(.reg .b32 a);") == ".func (.reg .b32 d) f(\n    .reg .b32 a\n);\n"
    assert layout(".func f() .noreturn;") == ".func f()\n.noreturn;\n"


def test_twice_is_once() -> None:
    once = layout(SAMPLE)
    assert layout(once) == once
    assert re.sub(r"\s", "", once) == re.sub(r"\s", "", SAMPLE)


def test_kernels_of_the_compiler() -> None:
    paths = sorted({path.read_bytes(): path for path in CASES.glob("*/kernel.ptx")}.values())
    assert len(paths) == 16  # 52 cases, of which many share a file
    for path in paths:
        text = path.read_text()
        once = layout(text)
        assert layout(once) == once, path
        assert re.sub(r"\s", "", once) == re.sub(r"\s", "", text), path


def test_files_are_written_in_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "k.ptx"
    path.write_text(HEAD + ".entry k() {ret;}")
    path.chmod(0o640)
    assert main(["fmt", "--check", str(path)]) == 1
    assert path.read_text() == HEAD + ".entry k() {ret;}"
    assert main(["fmt", str(path)]) == 0
    assert path.read_text() == HEAD + ".entry k()\n{\n    ret;\n}\n"
    assert path.stat().st_mode & 0o777 == 0o640
    assert main(["fmt", "--check", str(path)]) == 0
    assert [entry.name for entry in tmp_path.iterdir()] == ["k.ptx"]
    assert "would change" in capsys.readouterr().err


def test_changes_as_a_diff(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "k.ptx"
    path.write_text(HEAD + ".entry k()\n{ret;}\n")
    assert main(["fmt", "--diff", str(path)]) == 1
    assert capsys.readouterr().out.endswith(" .entry k()\n-{ret;}\n+{\n+    ret;\n+}\n")
    assert path.read_text() == HEAD + ".entry k()\n{ret;}\n"
    assert main(["fmt", str(path)]) == main(["fmt", "--diff", str(path)]) == 0
    assert capsys.readouterr().out == ""


def test_a_file_with_mistakes_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "k.ptx"
    path.write_text(HEAD + ".entry k() {ret}")
    assert main(["fmt", str(path)]) == 1
    assert path.read_text() == HEAD + ".entry k() {ret}"
    assert "PTX0102" in capsys.readouterr().out


def test_stdin(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b".func f ( ) ;")))
    assert main(["fmt", "-"]) == 0
    assert capsys.readouterr().out == ".func f();\n"


def test_a_missing_file(tmp_path: Path) -> None:
    assert main(["fmt", str(tmp_path / "none.ptx")]) == 2


def test_unreadable_files_are_not_called_laid_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "binary.ptx").write_bytes(b"\x7fELF\2")
    for name in ("binary.ptx", "missing.ptx"):
        assert main(["fmt", "--check", str(tmp_path / name)]) == 2
        assert len(capsys.readouterr().err.splitlines()) == 1
