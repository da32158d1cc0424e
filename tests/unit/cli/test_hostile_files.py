"""Unsuitable files: endless, blocking, too large, symbolic links, not text, not arrays.

Whatever could hang runs in a process of its own that is waited for.
"""

from __future__ import annotations

import io
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from openptx import reading
from openptx.cli.rewriting import replace
from openptx.cli.saving import save_files

KERNEL = """.version 8.0
.target sm_80
.address_size 64
.visible .entry one(.param .u64 p) { .reg .b64 a; ld.param.u64 a, [p]; st.global.u32 [a], 1; ret; }
"""
LATIN = b"// caf\xe9 \xff\n" + KERNEL.encode() + b"// \xe9\n"
SHAPE = ("--kernel", "one", "--grid", 1, "--block", 1)
needs_fifo = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no FIFOs on this system")
needs_links = pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege")


@pytest.fixture
def ptx(tmp_path):
    path = tmp_path / "one.ptx"
    path.write_text(KERNEL)
    return path


def outside(*argv, stdin=None, environment=None):
    """`openptx` in a process of its own; it must end within a minute and leave no traceback."""
    done = subprocess.run(
        [sys.executable, "-m", "openptx", *map(os.fspath, map(str, argv))], stdin=stdin or subprocess.DEVNULL,
        capture_output=True, timeout=60, check=False, env={**os.environ, **(environment or {})},
    )  # fmt: skip
    for output in (done.stdout, done.stderr):
        assert b"Traceback" not in output
        assert b"mistake in OpenPTX" not in output
    return done


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="no /dev/zero")
@pytest.mark.parametrize("command", [["check"], ["fmt", "--check"], ["run", "--grid", "1", "--block", "1"]])
def test_a_device_without_end(command):
    done = outside(*command, "/dev/zero")
    assert done.returncode == 2
    assert b"/dev/zero: it does not end within 512 MiB" in done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="no /dev/zero")
def test_a_stdin_without_end():
    with open("/dev/zero", "rb") as zero:
        done = outside("check", "-", stdin=zero)
    assert (done.returncode, b"<stdin>: it does not end within 512 MiB" in done.stderr) == (2, True)


def test_two_gigabytes_of_zeros(openptx, tmp_path, monkeypatch):
    with open(tmp_path / "big.ptx", "wb") as stream:
        stream.truncate(2 << 30)  # a hole, which takes no room
    monkeypatch.setattr(reading, "content", lambda *_: pytest.fail("its size says enough"))
    done = openptx("check", tmp_path / "big.ptx")
    assert (done.status, done.out) == (2, "")
    assert "big.ptx: 2,048 MiB, and at most 512 MiB of PTX are read" in done.err


def test_what_is_read_in_pieces_is_whole(openptx, tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "PIECE", 7)
    (tmp_path / "one.ptx").write_text(KERNEL)
    assert reading.read(tmp_path / "one.ptx").text == KERNEL
    monkeypatch.setattr(reading, "LIMIT", len(KERNEL))
    assert openptx("check", tmp_path / "one.ptx").status == 0
    monkeypatch.setattr(reading, "LIMIT", len(KERNEL) - 1)
    assert openptx("check", tmp_path / "one.ptx").status == 2


@needs_fifo
@needs_links
@pytest.mark.parametrize("command", ["check", "fmt", "test"])
def test_folders_with_what_is_no_file_in_them(command, ptx, tmp_path):
    """A FIFO is waited for where it is named, as everywhere; found in a folder, it is not. Links that go round end."""
    ptx.write_text(
        KERNEL + "// run: negate(1) == -1\n.func (.reg .s32 d) negate (.reg .s32 a) { neg.s32 d, a; ret; }\n"
    )
    os.mkfifo(tmp_path / "wait.ptx")
    (tmp_path / "zero.ptx").symlink_to("/dev/zero")
    (tmp_path / "round").symlink_to(tmp_path)
    (tmp_path / "loop.dir").mkdir()
    (tmp_path / "loop.dir" / "up").symlink_to("..")
    done = outside(command, tmp_path)
    assert done.returncode == 0, done.stderr


@needs_fifo
def test_a_folder_for_tests_with_a_fifo_and_a_case_with_one(tmp_path):
    (tmp_path / "case").mkdir()
    (tmp_path / "case" / "case.json").write_text('{"kernel": "one", "grid": [1], "block": [1], "params": []}')
    os.mkfifo(tmp_path / "case" / "kernel.ptx")
    os.mkfifo(tmp_path / "wait.ptx")
    done = outside("test", tmp_path)
    assert done.returncode == 1
    assert b"kernel.ptx: not a regular file" in done.stdout


CASE = {
    "kernel": "one",
    "grid": [1],
    "block": [1],
    "params": [{"kind": "buffer", "dtype": "u32", "file": "in.npy", "expect": "out.npy"}],
}


@pytest.fixture
def case(tmp_path):
    folder = tmp_path / "case"
    folder.mkdir()
    (folder / "kernel.ptx").write_text(KERNEL)
    np.save(folder / "in.npy", np.zeros(1, np.uint32))
    np.save(folder / "out.npy", np.ones(1, np.uint32))
    (folder / "case.json").write_text(json.dumps(CASE))
    return folder


def test_the_case_is_good(openptx, case):
    assert openptx("test", case).status == 0


@pytest.mark.parametrize("key", ["file", "expect"])
@pytest.mark.parametrize("path", ["../secret.npy", "{}/secret.npy", "a/../../secret.npy", "..\\secret.npy"])
def test_a_case_names_no_files_outside_of_its_folder(openptx, case, tmp_path, key, path):
    np.save(tmp_path / "secret.npy", np.ones(1, np.uint32))
    param = {**CASE["params"][0], key: path.format(tmp_path)}
    (case / "case.json").write_text(json.dumps({**CASE, "params": [param]}))
    done = openptx("test", case)
    assert done.status == 1
    assert "is outside of the case's folder" in done.out


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"kernel":' * 50_000, "9" * 5000, '{"grid": ' + "9" * 5000 + "}", "\0", "[1]", "null", ""]
)
def test_a_case_that_is_no_case(openptx, case, text):
    (case / "case.json").write_text(text)
    done = openptx("test", case)
    assert done.status == 1
    assert "case.json: not a case" in done.out


NUMBER = {"kind": "scalar", "dtype": "s32"}
WRONG = [{"fault": 5}, {"fault": {}}, {"fault": {"names": 1}}]
WRONG += [{"params": [{**NUMBER, "value": value}]} for value in (float("nan"), float("inf"), 1 << 80)]
WRONG += [{"params": [{**CASE["params"][0], **wrong}]} for wrong in ({"expect": 1}, {"dtype": None}, {"rtol": "1"})]


@pytest.mark.parametrize("wrong", WRONG, ids=str)
def test_a_case_with_wrong_facts(openptx, case, wrong):
    (case / "case.json").write_text(json.dumps({**CASE, **wrong}))
    done = openptx("test", case)
    assert done.status == 1
    assert "mistake in OpenPTX" not in done.out


@pytest.mark.skipif(os.name != "posix", reason="how a POSIX shell closes streams")
@pytest.mark.parametrize("close", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams(ptx, tmp_path, close):
    for name in (str(ptx), "-"):
        command = f"{sys.executable} -m openptx check {name} {close}"
        done = subprocess.run(["sh", "-c", command], capture_output=True, timeout=60, check=False, cwd=tmp_path)
        assert b"mistake" not in done.stderr + done.stdout
        assert done.returncode == (0 if name != "-" else 2 if "<" in close else 1)  # nothing in it


def npy(header: str, data: bytes = b"", version: bytes = b"\x01\x00") -> bytes:
    """A .npy file with any header."""
    text = header.encode("latin-1") + b"\n"
    return b"\x93NUMPY" + version + len(text).to_bytes(2 if version[0] == 1 else 4, "little") + text + data


def pickled() -> bytes:
    class Evil:
        def __reduce__(self):
            return (os.mkdir, ("EXECUTED",))

    stream = io.BytesIO()
    np.save(stream, np.array([1], object), allow_pickle=True)
    head = stream.getvalue()[:128]
    return head + pickle.dumps(Evil())


GOOD = "{'descr': '<u4', 'fortran_order': False, 'shape': (%s,), }"
BAD = {
    "empty": b"",
    "magic": b"\x93NUMPY",
    "version": npy(GOOD % 1, bytes(4), b"\x09\x00"),
    "truncated": npy(GOOD % 4, bytes(15)),
    "promises": npy(GOOD % (1 << 60), bytes(16)),
    "overflow": npy(GOOD % f"{1 << 32}, {1 << 32}", bytes(16)),
    "negative": npy(GOOD % -1, bytes(16)),
    "digits": npy(GOOD % ("9" * 5000), bytes(16)),
    "deep": npy("(" * 9000, bytes(16)),
    "long": npy(" " * 60000 + GOOD % 1, bytes(16)),
    "code": npy("{'descr': __import__('os').mkdir('EXECUTED'), 'fortran_order': False, 'shape': ()}"),
    "no shape": npy("{'descr': '<u4', 'fortran_order': False, 'shape': 3}", bytes(16)),
    "no type": npy("{'descr': 'zz', 'fortran_order': False, 'shape': (1,)}", bytes(16)),
    "huge type": npy("{'descr': '|V4294967296', 'fortran_order': False, 'shape': (1,)}", bytes(16)),
    "objects": pickled(),
    "zip": b"PK\x03\x04" + bytes(100),
}


@pytest.mark.parametrize("what", BAD)
@pytest.mark.parametrize("command", ["run", "convert", "test"])
def test_a_file_that_holds_no_array(openptx, ptx, case, tmp_path, monkeypatch, what, command):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "case" / "in.npy"
    path.write_bytes(BAD[what])
    argv = {
        "run": ("run", ptx, *SHAPE, "--arg", f"@{path}"),
        "convert": ("convert", "--to", "f16", "--from", "f32", f"@{path}"),
        "test": ("test", case),
    }[command]
    done = openptx(*argv)
    assert done.status == (1 if command == "test" else 2)
    assert "in.npy: " in done.out + done.err
    assert "mistake in OpenPTX" not in done.out + done.err
    assert not Path("EXECUTED").exists()


@needs_fifo
@pytest.mark.parametrize("what", ["fifo", "zero", "folder"])
def test_an_argument_that_is_no_file(ptx, tmp_path, what):
    path = tmp_path / "x.npy"
    if what == "fifo":
        os.mkfifo(path)
    elif what == "zero":
        path.symlink_to("/dev/zero")
    else:
        path.mkdir()
    done = outside("run", ptx, *SHAPE, "--arg", f"@{path}")
    assert done.returncode == 2
    assert b"x.npy: " in done.stderr


ONE = (*SHAPE, "--arg", "zeros:u32:1", "--quiet")


def never_launched(monkeypatch) -> None:
    from openptx.runtime import Kernel

    monkeypatch.setattr(Kernel, "__call__", lambda *_, **__: pytest.fail("it ran before it looked at --save"))


@needs_links
@pytest.mark.parametrize("target", ["there", "missing"])
def test_a_link_is_not_replaced(openptx, ptx, tmp_path, monkeypatch, target):
    (tmp_path / "there").write_text("precious")
    (tmp_path / "out.npy").symlink_to(tmp_path / target)
    np.save(tmp_path / "in.npy", np.ones(1, np.float32))
    never_launched(monkeypatch)
    for argv in (("run", ptx, *ONE, "--save", f"0={tmp_path}/out.npy"),
                 ("convert", "--to", "f16", f"@{tmp_path}/in.npy", "--save", f"{tmp_path}/out.npy")):  # fmt: skip
        done = openptx(*argv)
        assert (done.status, done.out) == (2, "")
        assert "out.npy: is a symbolic link to" in done.err
    assert (tmp_path / "out.npy").is_symlink()
    assert (tmp_path / "there").read_text() == "precious"
    assert not (tmp_path / "missing").exists()


@pytest.mark.parametrize("path", ["/proc/x.npy", "{}/no/x.npy", "{}/one.ptx/x.npy", "{}/" + "x" * 300, "{}"])
def test_a_path_that_cannot_be_written_is_found_out_before_the_run(openptx, ptx, tmp_path, monkeypatch, path):
    if path.startswith("/proc") and not os.path.isdir("/proc"):
        pytest.skip("no /proc")
    never_launched(monkeypatch)
    path = path.format(tmp_path)
    done = openptx("run", ptx, *ONE, "--save", f"0={path}")
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(f"error: {path}: ")
    assert os.listdir(tmp_path) == ["one.ptx"]


@needs_links
def test_a_link_in_place_of_the_file_that_is_written_first_is_not_followed(openptx, ptx, tmp_path):
    """It was named after the process, so that a link of that name could be put there before."""
    victim = tmp_path / "victim"
    victim.write_text("precious")
    out = tmp_path / "out.npy"
    (tmp_path / f"out.npy.{os.getpid()}.part").symlink_to(victim)
    assert openptx("run", ptx, *ONE, "--save", f"0={out}").status == 0
    assert victim.read_text() == "precious"
    assert np.load(out).tolist() == [1]
    assert out.stat().st_mode & 0o777 == 0o666 & ~umask()


def umask() -> int:
    old = os.umask(0o22)
    os.umask(old)
    return old


@pytest.mark.parametrize(("locale", "encoding"), [
    pytest.param("C", "", marks=pytest.mark.sweep), ("POSIX", "ascii"),
    pytest.param("C.UTF-8", "utf-8", marks=pytest.mark.sweep),
])  # fmt: skip
def test_a_latin_1_byte_ends_no_command(tmp_path, locale, encoding):
    path = tmp_path / "latin.ptx"
    path.write_bytes(LATIN)
    environment = {"LC_ALL": locale, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0", "OPENPTX_CACHE": str(tmp_path)}
    checked = outside("check", path, environment=environment)
    assert checked.returncode in (0, 1)
    assert "DCE9" not in checked.stdout.decode("latin-1").upper()
    for engine in ("native", "interp"):
        done = outside("run", path, *ONE, "--engine", engine, environment=environment)
        assert done.returncode == checked.returncode, done.stderr
    assert outside("fmt", path, environment=environment).returncode == 0
    assert path.read_bytes().count(b"\xe9") == LATIN.count(b"\xe9")
    assert b"\xe9 \xff\n" in outside("fmt", path, "-", stdin=open(path, "rb"), environment=environment).stdout  # noqa: SIM115
    for command in (["explain"], ["convert", "--to", "f16"], ["check"], ["test"], []):
        assert outside(*command, "\udce9", environment=environment).returncode == 2


def test_the_byte_is_called_by_its_value(openptx, tmp_path):
    (tmp_path / "k.ptx").write_bytes(KERNEL.encode() + b".global .b32 \xe9;")
    done = openptx("check", "--output-format", "concise", tmp_path / "k.ptx")
    assert "PTX has no use for the byte 0xE9 here" in done.out


@needs_fifo
def test_a_pipe_is_never_replaced_by_a_file(tmp_path):
    """Nor is a device such as /dev/null: what rewrites files refuses it, what saves files writes into it."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with pytest.raises(OSError, match="not a regular file"):
            replace(str(pipe), KERNEL)
        save_files([(str(pipe), KERNEL.encode())])
        assert os.read(reader, 1 << 16) == KERNEL.encode()
    finally:
        os.close(reader)
    assert pipe.is_fifo()
    assert [*tmp_path.iterdir()] == [pipe]
