"""The code cache executes what it finds, so it reads only files that no other user can have written.

Each test plants an object in the store that a launch would run, in a way that leaves it whole, and says that it was not
looked at. A real object of another kernel would do; a function that must not be called is told apart more easily.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from openptx.cache_folder import read_own_file
from openptx.digests import digest
from openptx.engines.native import settings
from openptx.engines.native.cache import store as cache

NAME = "ab" * 32
ROOT = hasattr(os, "geteuid") and os.geteuid() == 0
OTHER_USER = 65534

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="Windows has other rules for other users")


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(cache, "_warned", set[Path]())
    folder = tmp_path / "above" / "store"
    with settings.cache_at(folder):
        cache.store(NAME, b"object")
        assert cache.load(NAME) == b"object"
        yield folder


def path_in(store: Path) -> Path:
    return store / NAME[:2] / (NAME + cache.SUFFIX)


def test_what_is_stored_is_nobody_elses_to_read_or_write(store: Path) -> None:
    old = os.umask(0)
    try:
        cache.store("cd" * 32, b"object")
    finally:
        os.umask(old)
    for path in (store, store.parent, store / "cd", store / "cd" / ("cd" * 32 + cache.SUFFIX)):
        assert path.stat().st_mode & 0o077 == 0, path


@pytest.mark.parametrize("mode", [0o777, 0o775, 0o757, 0o1777])
@pytest.mark.parametrize("which", ["", NAME[:2]])
def test_a_folder_that_others_may_write_to_is_not_used(
    store: Path, which: str, mode: int, caplog: pytest.LogCaptureFixture
) -> None:
    (store / which).chmod(mode)
    before = sorted(store.rglob("*"))
    assert not cache.has(NAME)
    assert cache.load(NAME) is None
    cache.store(NAME, b"another")
    cache.store(NAME[:2] + "0" * 62, b"another")
    assert cache.load(NAME) is None
    assert sorted(store.rglob("*")) == before
    assert b"another" not in path_in(store).read_bytes()
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert f"{store / which} can be written to by other users" in record.message


@pytest.mark.parametrize(("mode", "used"), [(0o755, True), (0o1777, True), (0o777, False), (0o770, False)])
def test_a_folder_above_may_be_shared_only_with_the_sticky_bit(store: Path, mode: int, used: bool) -> None:
    store.parent.chmod(mode)
    assert (cache.load(NAME) == b"object") == used
    with settings.cache_at(store.parent / "new" / "one"):
        cache.store(NAME, b"object")
        assert (cache.load(NAME) == b"object") == used
    assert (store.parent / "new").exists() == used


@pytest.mark.parametrize("mode", [0o666, 0o620, 0o602])
def test_a_file_that_others_may_write_to_is_not_used(store: Path, mode: int, caplog: pytest.LogCaptureFixture) -> None:
    path_in(store).chmod(mode)
    assert cache.load(NAME) is None
    assert cache.load(NAME) is None
    assert len(caplog.records) == 1


@pytest.mark.skipif(not ROOT, reason="only root can give files away")
@pytest.mark.parametrize("which", ["above", "store", "sub", "file"])
def test_what_belongs_to_somebody_else_is_not_used(store: Path, which: str, caplog: pytest.LogCaptureFixture) -> None:
    path = {"above": store.parent, "store": store, "sub": store / NAME[:2], "file": path_in(store)}[which]
    os.chown(path, OTHER_USER, OTHER_USER)
    assert cache.load(NAME) is None
    assert len(caplog.records) == 1
    if which != "file":
        before = sorted(store.rglob("*"))
        cache.store("ab" + "0" * 62, b"another")
        assert sorted(store.rglob("*")) == before


def test_a_file_in_place_of_a_folder_is_not_used(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Nor is a link in place of one of the store's own folders: others' files may be where it leads."""
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    (tmp_path / "store").mkdir(mode=0o700)
    (tmp_path / "store" / "ab").symlink_to(tmp_path / "elsewhere")
    victim = tmp_path / "elsewhere" / "precious.object"
    victim.write_bytes(b"mine")
    with settings.cache_at(tmp_path / "store"):
        cache.store(NAME, b"object")
        assert cache.load(NAME) is None
        assert cache.files(tmp_path / "store") == []
        assert cache.trim(tmp_path / "store", 0) == (0, 0)
    assert os.listdir(tmp_path / "elsewhere") == ["precious.object"]


def test_a_link_to_the_store_is_followed_to_where_it_leads(store: Path, tmp_path: Path) -> None:
    """`~/.cache` may be a link to a larger disk; what counts is who may write there."""
    (tmp_path / "link").symlink_to(store)
    with settings.cache_at(tmp_path / "link"):
        assert cache.load(NAME) == b"object"
        store.chmod(0o777)
        assert cache.load(NAME) is None


ODD = """
import os, sys
from pathlib import Path
from openptx.engines.native import settings
from openptx.engines.native.cache import store as cache
path = Path(sys.argv[1])
name = path.stem
with settings.cache_at(path.parents[1]):
    assert cache.load(name) is None
    cache.store(name, b"object")
    assert cache.load(name) == (None if path.is_dir() else b"object")
"""


@pytest.mark.parametrize("what", ["fifo", "zero", "link", "dangling", "loop", "folder", "large"])
def test_a_file_that_is_none_neither_hangs_nor_is_followed(store: Path, tmp_path: Path, what: str) -> None:
    """In a process of its own, which would be waited for if it hung."""
    path, target = path_in(store), tmp_path / "target"
    target.write_bytes(digest(b"planted") + b"planted")
    before = target.read_bytes()
    path.unlink()
    match what:
        case "fifo":
            os.mkfifo(path)
        case "zero":
            path.symlink_to("/dev/zero")
        case "link":
            path.symlink_to(target)
        case "dangling":
            path.symlink_to(tmp_path / "nowhere")
        case "loop":
            path.symlink_to(path)
        case "folder":
            path.mkdir()
        case _:
            with open(path, "wb") as stream:
                stream.truncate(cache.LIMIT + 1)  # a hole: 256 MiB of zeros that take no room
    done = subprocess.run([sys.executable, "-c", ODD, path], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert target.read_bytes() == before
    assert not (tmp_path / "nowhere").exists()
    if path.is_file():
        assert not path.is_symlink()


def test_reading_stops_at_the_size_that_was_allowed(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"12345")
    assert read_own_file(path, 5) == b"12345"
    assert read_own_file(path, 4) is None


def test_without_a_home_nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENPTX_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os.path, "expanduser", str)
    assert settings.cache_folder() is None
    assert cache.load(NAME) is None
    cache.store(NAME, b"object")
