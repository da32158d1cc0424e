"""Compiled regular expressions on disk: what is kept is what `re` makes, and a damaged file changes nothing."""

from __future__ import annotations

import importlib
import marshal
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import openptx.syntax
from openptx import pattern_cache, patterns

KEY = (r"(?P<word>[a-z]++)(?:=(\d{1,3}))?+;", int(re.A | re.X), patterns.WRONG_POSSESSIVE)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OPENPTX_CACHE", str(tmp_path / "store"))
    monkeypatch.setattr(pattern_cache, "_known", None)
    monkeypatch.setattr(pattern_cache, "_new", {})
    return tmp_path / "store" / pattern_cache.NAME


def keep(key: tuple[str, int, bool] = KEY) -> re.Pattern[str]:
    made = patterns.compiled(key[0], key[1])
    pattern_cache.note(key, made)
    pattern_cache.save()
    return made


def forget() -> None:
    """As in another process."""
    pattern_cache._known = None


def every_pattern() -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    for module in pkgutil.iter_modules(openptx.syntax.__path__, "openptx.syntax."):
        for value in vars(importlib.import_module(module.name)).values():
            if type(value).__name__ == "pattern":
                found.append((value._text, int(value._flags)))
    return found


def test_what_is_kept_is_what_re_makes(store: Path) -> None:
    texts = every_pattern()
    assert len(texts) > 40
    for text, flags in texts:
        pattern_cache.note((text, flags, patterns.WRONG_POSSESSIVE), patterns.compiled(text, flags))
    pattern_cache.save()
    assert store.stat().st_mode & 0o77 == 0
    for text, flags in texts:
        known = pattern_cache.known((text, flags, patterns.WRONG_POSSESSIVE))
        assert known is not None, text
        made = patterns.compiled(text, flags)
        assert known == made or known.pattern != made.pattern
        assert (known.groups, known.groupindex, known.flags) == (made.groups, made.groupindex, made.flags)


def test_groups_have_their_names(store: Path) -> None:
    keep()
    forget()
    known = pattern_cache.known(KEY)
    assert known is not None
    match = known.fullmatch("ab=12;")
    assert match is not None
    assert (match["word"], match[2], match.lastgroup, match.lastindex) == ("ab", "12", None, 2)
    last = known.fullmatch("ab;")
    assert last is not None
    assert last.lastgroup == "word"


@pytest.mark.parametrize(
    "content",
    [
        b"", b"\0", b"garbage", marshal.dumps([1]), marshal.dumps({KEY: 7}),
        marshal.dumps({KEY: (1, b"\xff" * 8, 0, {}, ())}),
        marshal.dumps({KEY: (1, b"\xff" * 7, 0, {}, ())}), marshal.dumps({KEY: (1, b"", 0, {}, ("a", "b"))}),
        marshal.dumps({KEY: (1, "text", "0", [], None)}), marshal.dumps({KEY: ()}),
    ],
)  # fmt: skip
def test_a_damaged_file(store: Path, content: bytes) -> None:
    made = keep()
    store.write_bytes(content)
    forget()
    assert pattern_cache.known(KEY) is None
    keep()
    forget()
    assert pattern_cache.known(KEY) == made


def test_a_file_that_others_may_write_to_is_not_read(store: Path) -> None:
    keep()
    store.chmod(0o666)
    forget()
    assert pattern_cache.known(KEY) is None


def test_the_file_is_bounded(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pattern_cache, "MOST", 3)
    for number in range(5):
        keep((f"x{number}", 0, False))
    assert sorted(text for text, _, _ in marshal.loads(store.read_bytes())) == ["x3", "x4"]


def test_nothing_is_kept_where_nothing_can_be(tmp_path: Path, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    for folder in ("", str(tmp_path / "file")):
        monkeypatch.setenv("OPENPTX_CACHE", folder)
        forget()
        keep()
        assert pattern_cache.known(KEY) is None
    assert not store.exists()


def test_the_second_check_compiles_nothing(tmp_path: Path) -> None:
    file = tmp_path / "k.ptx"
    file.write_text(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { .reg .b32 %r<3>; ret; }\n")
    program = (
        "import sys\nfrom openptx import cli, patterns\nreal, count = patterns.compiled, []\n"
        "patterns.compiled = lambda *a: count.append(a[0]) or real(*a)\n"
        f"sys.argv = ['openptx', 'check', '--no-cache', {str(file)!r}]\nassert cli.main() == 0\nprint(len(count))"
    )
    environment = {**os.environ, "OPENPTX_CACHE": str(tmp_path / "store")}

    def count() -> int:
        command = [sys.executable, "-c", program]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return int(done.stdout.split()[-1])

    counts = count(), count()
    assert counts[0] > 10
    assert counts[1] == 0
