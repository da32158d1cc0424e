# ruff: noqa: E501 - PTX in one line reads better here
"""Compiled kernels on disk: found by key, verified, and compiled again if damaged."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import openptx
from openptx.digests import digest
from openptx.engines.native import settings
from openptx.engines.native.analysis.lattice import ZEROS, N
from openptx.engines.native.cache import key as identity
from openptx.engines.native.cache import store
from openptx.engines.native.cache.metadata import LONG, KernelMetadata, Stack, pack, unpack
from openptx.engines.native.deopt.frame_state import FrameState, SavedRegister, SideExit
from openptx.engines.native.rtlib import support
from openptx.engines.native.runtime import compiled_kernel as kernel
from openptx.engines.native.settings import Options

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
WORD = ".global .u32 v{n} = {n};\n"
KERNEL = """.visible .entry k{n}(.param .u64 x) {{
.reg .b32 %r<4>; .reg .b64 %rd<4>; .shared .u32 s{n}[{n}];
ld.param.u64 %rd1, [x]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;
mov.u32 %r2, {n}; st.global.u32 [%rd1], %r2; {call} ret;
}}
"""
DEVICE = ".func f(.reg .b32 a) {{ .reg .b32 b; add.u32 b, a, {n}; ret; }}\n"


def program(*kernels: int, call: str = "", before: str = "") -> str:
    return HEAD + before + "".join(KERNEL.format(n=n, call=call) for n in kernels)


def name(source: str, kernel: str, block: int = 32, target: str | None = None, **options: Any) -> str:
    loaded = openptx.load(source, target=target)
    return identity.name_of(loaded.program, loaded[kernel].function, Options((block, 1, 1), False, **options), "fast")


def test_a_name_follows_from_what_the_code_is_made_of() -> None:
    one = name(program(1, 2), "k1")
    assert one == name(program(1, 2), "k1")
    assert one != name(program(1, 2), "k2")
    assert one != name(program(1, 2), "k1", 64)
    assert one != name(program(1, 2), "k1", checks=False)
    assert one != name(program(1, 2).replace("sm_80", "sm_90"), "k1")
    assert one != name(program(1, 2), "k1", target="sm_90")
    assert one != name(program(1, 2, before=WORD.format(n=1)), "k1")
    assert one != name(program(1, 2).replace("mov.u32 %r2, 1", "mov.u32 %r2, 7"), "k1")


def test_what_another_kernel_does_is_not_part_of_a_name() -> None:
    one = program(1, 2)
    assert name(one, "k1") == name(one.replace("mov.u32 %r2, 2", "mov.u32 %r2, 7"), "k1")
    # Nor what shared memory it has.
    assert name(program(2, 1), "k1") == name(program(2, 1).replace("s2[2]", "s2[5]"), "k1")
    assert name(program(2, 1), "k2") != name(program(2, 1).replace("s2[2]", "s2[5]"), "k2")


def test_functions_that_may_be_called_are_part_of_a_name() -> None:
    source = program(1, call="call f, (%r1);", before=DEVICE.format(n=3))
    assert name(source, "k1") != name(source.replace("add.u32 b, a, 3", "add.u32 b, a, 4"), "k1")
    unused = program(1, before=DEVICE.format(n=3))
    assert name(unused, "k1") == name(unused.replace("add.u32 b, a, 3", "add.u32 b, a, 4"), "k1")
    table = ".func f(.reg .b32 a); .global .u64 t[1] = {f};\n" + DEVICE.format(n=3)
    by_address = "ld.global.u64 %rd3, [t]; P: .callprototype _ (.reg .b32 _); call %rd3, (%r1), P;"
    source = program(1, call=by_address, before=table)
    assert name(source, "k1") != name(source.replace("add.u32 b, a, 3", "add.u32 b, a, 4"), "k1")


def test_facts_are_read_as_they_were_written() -> None:
    metadata = KernelMetadata(
        64, ["v", "w"], [("trap", "words")], ["f"], {3: SideExit((1, 2, 3), (7,), (ZEROS, None, tuple(range(N)))), 9: SideExit((), (), ())}, Stack(16, True),
        True, True, True, 64, True, True, {-5: FrameState((9,), (SavedRegister(1, 32, 64), SavedRegister(2, 8, 0, (1, 2), (0, 1), False), SavedRegister(3, 1, 0, 1)))},
        True, 1000, ["s_8_0.u_8_0.s32.s32.8.25.sat"], True, True,
    )  # fmt: skip
    assert unpack(pack(metadata, [b"object", b"", b"other"])) == (metadata, [b"object", b"", b"other"])
    plain = metadata._replace(stack=Stack(16, False), fast_compiled=False)
    assert not plain.has_large_frames
    assert plain._replace(size=LONG + 1).has_large_frames  # in the generic version
    assert not plain._replace(size=LONG + 1, exits={}).has_large_frames
    good = pack(metadata, [b"object"])
    for bad in (
        b"",
        b"\0",
        good[:20],
        good[:-1],
        good + b"more",
        good.replace(b'"v"', b"123"),
        good.replace(b"free_order", b"free_ardor"),
        b"\4\0\0\0null",
    ):
        with pytest.raises(ValueError):  # noqa: PT011 - what json says is json's
            unpack(bad)


def launched(source: str) -> int:
    x = np.zeros(32, np.uint32)
    openptx.load(source)["k5"](1, 32, (x,), engine="native", workers=1)
    assert (x == 5).all()
    return len(x)


def test_a_second_process_translates_and_compiles_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = program(5)
    monkeypatch.setattr(support, "made", {})
    with settings.cache_at(tmp_path):
        launched(source)
        assert len(store.files(tmp_path)) == 2  # the kernel, and what all kernels call

        def never(*_: object) -> Any:
            raise AssertionError("it was there")

        monkeypatch.setattr(kernel, "lower_kernel", never)
        monkeypatch.setattr(support, "compile", never)
        monkeypatch.setattr(support, "made", {})
        launched(source)


def whole(data: bytes) -> bytes:
    return digest(data) + data


def changed(how: str, data: bytes) -> bytes:
    return {
        "a bit": data[:-1] + bytes([data[-1] ^ 1]),
        "half": data[:100],
        "nothing": b"",
        "foreign": whole(b"something else"),
        "no metadata": whole(b"\2\0\0\0{}" + data[300:]),
        "too long": whole(b"\377\377\377\377"),
    }[how]


@pytest.mark.parametrize("how", ["a bit", "half", "nothing", "foreign", "no metadata", "too long"])
def test_a_file_that_is_not_as_it_was_is_made_anew(how: str, tmp_path: Path) -> None:
    source = program(5)
    with settings.cache_at(tmp_path / "before"):
        launched(source)  # so that what all kernels call is made, and kept elsewhere
    with settings.cache_at(tmp_path / "now"):
        launched(source)
        ((_, _, path),) = store.files(tmp_path / "now")
        good = path.read_bytes()
        path.write_bytes(changed(how, good))
        launched(source)
        assert path.read_bytes() == good


def test_the_store_is_limited_and_forgets_what_was_not_finished(tmp_path: Path) -> None:
    with settings.cache_at(tmp_path):
        for i in range(4):
            store.store(f"{i}f" * 32, bytes([i]) * 100)
            os.utime(tmp_path / f"{i}f" / (f"{i}f" * 32 + store.SUFFIX), (i, i))
        assert store.load("2f" * 32) == b"\2" * 100  # and is the one used last now
        left, new = tmp_path / "0f" / f"{store.BEGUN}old", tmp_path / "0f" / f"{store.BEGUN}young"
        left.write_bytes(b"")
        new.write_bytes(b"")
        os.utime(left, (0, time.time() - 2 * store.FORGOTTEN))
        assert store.trim(tmp_path, 270) == (2, 264)
        assert [path.parent.name for _, _, path in store.files(tmp_path)] == ["3f", "2f"]
        assert (left.exists(), new.exists()) == (False, True)


def test_a_folder_that_can_not_be_used_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file" / "in", "no\0where"):
        with settings.cache_at(folder):
            launched(program(5))


def test_processes_may_share_the_store(tmp_path: Path) -> None:
    """Four at once, each launching what the others launch too, while one more empties it."""
    (tmp_path / "k.ptx").write_text(program(1, 2, 5))
    work = """
import sys, numpy as np, openptx
module = openptx.load(sys.argv[1])
for n in (1, 2, 5) * 2:
    x = np.zeros(64, np.uint32)
    openptx.load(sys.argv[1])[f"k{n}"](1, 64, (x,), engine="native", workers=1)
    assert (x == n).all()
"""
    environment = {**os.environ, "OPENPTX_CACHE": str(tmp_path / "kept")}
    command = [sys.executable, "-c", work, str(tmp_path / "k.ptx")]
    running = [subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    while any(each.poll() is None for each in running):
        store.trim(tmp_path / "kept", 0)
        time.sleep(0.05)
    assert [(each.returncode, each.communicate()[1]) for each in running] == [(0, "")] * 3
