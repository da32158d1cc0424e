"""Parts of `openptx record` that our own driver does not exercise: machine code, tensor maps, settings."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import openptx
from openptx import TensorMap
from openptx.driver.execution.launches import Shape
from openptx.driver.modules.images import bytes_at
from openptx.driver.recorder import find_driver as finding
from openptx.driver.recorder.images import Image, Images, KernelHandle, LoadedImage
from openptx.driver.recorder.launches import with_ptx
from openptx.driver.recorder.session import Allocations, Session
from openptx.driver.recorder.settings import Settings, from_environment
from openptx.driver.recorder.writing import Before, Place, ours
from openptx.errors import ArgumentError
from openptx.runtime.driver_tensor_map import DriverMap, encode

PTX = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n"


def session(**settings: Any) -> Session:
    return Session(cast("Any", None), Settings("recordings", **settings))


def known() -> KernelHandle:
    return KernelHandle(LoadedImage(Image("digest", why="the image has machine code for sm_90 and no PTX"), 1, ""), "k")


def test_a_kernel_in_machine_code_needs_ptx_from_elsewhere(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert with_ptx(session(), known()) is None
    assert "kernel `k` is not recorded: the image has machine code for sm_90 and no PTX; --ptx FILE" in caplog.text
    file = tmp_path / "k.ptx"
    file.write_text(PTX)
    found = with_ptx(session(ptx=str(file)), known())
    assert found is not None
    assert found.name == "k"


def test_wrong_ptx_is_no_kernel(caplog: pytest.LogCaptureFixture) -> None:
    wrong = KernelHandle(LoadedImage(Image("digest", PTX.replace("ret", "return")), 1, ""), "k")
    assert with_ptx(session(), wrong) is None
    assert "its PTX has errors" in caplog.text


def test_tensor_maps_of_another_driver_become_ours() -> None:
    one = session()
    theirs, mine = bytes(range(128)), bytes(128)
    one.tensor_maps[theirs] = mine
    data = np.frombuffer(b"before__" + theirs + b"after___", np.uint8)
    assert ours(one, data).tobytes() == b"before__" + mine + b"after___"


def test_a_map_that_nobody_saw_being_made_becomes_ours() -> None:
    one = session()
    one.__dict__.update(capability=90, device="a GPU")
    text = ".version 8.0\n.target sm_90\n.visible .entry k(.param .u64 p, .param .align 64 .b8 map[128]) { ret; }\n"
    theirs = encode(DriverMap(0x7F00_0000_0000, (9, 64), (256,), (1, 1), "f16", (4, 8), promotion="128B"))
    mine = TensorMap.from_parts(0x7F00_0000_0000, (9, 64), [256], (4, 8), element="f16").encoded(0x7F00_0000_0000)
    place = Place(0x7F00_0000_0000, np.frombuffer(bytes(64) + theirs + bytes(10), np.uint8))
    image = KernelHandle(LoadedImage(Image("digest", ptx=text), 1, ""), "k")
    before = Before(image, openptx.load(text)["k"], Shape((1, 1, 1), (1, 1, 1), 0), bytes(64) + theirs, [place], [])
    found = before.recording(one, "name", [place.before], True, "a GPU")
    assert found.parameters == ((0, bytes(8)), (64, mine))
    for content in (found.regions[0].before, found.regions[0].after):
        assert content.tobytes() == bytes(64) + mine + bytes(10)


def test_which_allocations_words_lie_in() -> None:
    known = Allocations()
    for address, size in ((0x7F00_0000_0000, 256), (0x7F00_0000_0100, 16)):
        known.add(address, size)
    words = np.array([5, 0x7F00_0000_00FF, 0x7F00_0000_0110, 0xFFFF_FFFF_FFFF_FFFF], np.uint64)
    assert known.containing(words) == [0x7F00_0000_0000]
    known.remove(0x7F00_0000_0000)
    assert known.containing(words) == []


def test_settings_reach_the_program() -> None:
    settings = Settings("out", "*gemm*", 5, 10, 64, 128, "a.ptx:b.ptx")
    assert from_environment(settings.variables()) == settings
    assert from_environment({}) == Settings("recordings")


def test_a_computer_without_a_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENPTX_REAL_LIBCUDA", raising=False)
    monkeypatch.delenv("LD_LIBRARY_PATH", raising=False)
    monkeypatch.setattr(finding, "FOLDERS", ())
    monkeypatch.setattr(finding, "of_the_loader", list)
    monkeypatch.setattr(finding.glob, "glob", lambda pattern: [])
    with pytest.raises(ArgumentError, match="needs a GPU and its driver"):
        finding.find_driver(None)


def test_the_ptx_of_what_triton_loads_is_in_its_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Triton gives the driver machine code alone."""
    cubin = b"\x7fELF" + bytes(range(200))
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    for name, code in (("other", cubin[:-1] + b"\0"), ("own", cubin)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "k.cubin").write_bytes(code)
        (tmp_path / name / "k.ptx").write_text(f"// {name}\n{PTX}")
    found = Images().of(cubin, 90)
    assert (found.ptx, found.why) == (f"// own\n{PTX}", "")
    assert "no fat binary" in Images().of(cubin[:-1] + b"\1", 90).why


def test_machine_code_ends_with_its_segments() -> None:
    """In a cubin the table of segments follows that of sections."""
    header = bytearray(64)
    header[:4] = b"\x7fELF"
    struct.pack_into("<QQ", header, 32, 64 + 2 * 64, 64)  # segments, sections
    struct.pack_into("<HHHH", header, 54, 56, 3, 64, 2)  # bytes and number of each
    whole = np.frombuffer(bytes(header) + bytes(2 * 64 + 3 * 56), np.uint8)
    assert len(bytes_at(whole.ctypes.data)) == whole.size
