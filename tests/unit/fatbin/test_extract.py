"""PTX in programs. The fat binaries in tests/data/fatbin are `fatbinary`'s (tests/data/README.md)."""

from __future__ import annotations

import random
import struct
import sys
from pathlib import Path

import numpy as np
import pytest

import openptx
from openptx.cli import main
from openptx.cli.commands.extract import file_names
from openptx.fatbin import system_libraries

DATA = Path(__file__).parents[2] / "data" / "fatbin"
COMPRESSED = ("size", "speed")  # Zstandard and LZ4


def read(name: str) -> bytes:
    if name in COMPRESSED:
        pytest.importorskip("zstandard" if name == "size" else "lz4")
    return (DATA / f"{name}.fatbin").read_bytes()


@pytest.mark.parametrize("mode", ["none", *COMPRESSED])
def test_modules_of_two_targets(mode: str) -> None:
    found = openptx.extract(read(mode))
    assert [(module.name, module.target) for module in found] == [
        ("/home/me/kernel.cu", "sm_80"), ("/home/me/kernel.cu", "sm_90"),
    ]  # fmt: skip
    for module, value in zip(found, (80, 90), strict=True):
        assert f".target sm_{value}" in module.text
        out = np.zeros(24, np.uint32)
        openptx.load(module.text)["k"](1, 1, (out,))
        assert (out == value).all()


@pytest.mark.parametrize("mode", COMPRESSED)
def test_all_modes_hold_the_same_text(mode: str) -> None:
    assert openptx.extract(read(mode)) == openptx.extract(read("none"))


def test_fat_binaries_anywhere_in_a_file(tmp_path: Path) -> None:
    fat = read("none")
    program = tmp_path / "program"
    chance = struct.pack("<IHHQ", 0xBA55ED50, 1, 16, 999) + b"no image" * 20
    program.write_bytes(b"\x7fELF" + b"\0" * 60 + chance + fat + b"between" + fat + struct.pack("<IH", 0xBA55ED50, 1))
    assert openptx.extract(program) == openptx.extract(fat) * 2


def test_machine_code_alone() -> None:
    with pytest.raises(openptx.InputError, match=r"sm_90 and no PTX; compile it with .*code=compute_90"):
        openptx.extract(read("machine_code"))
    assert len(openptx.extract(read("machine_code") + read("none"))) == 2


@pytest.mark.parametrize(
    ("data", "message"),
    [(b"", "no fat binary"), (b"hello", "no fat binary"), (b"\x7fELF" + b"\0" * 100, "neither CUDA code nor PTX")],
)
def test_files_without_ptx(data: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "program"
    path.write_bytes(data)
    for program in (data, path):
        with pytest.raises(openptx.InputError, match=message):
            openptx.extract(program)


@pytest.mark.parametrize("mode", ["none", *COMPRESSED])
def test_files_that_are_cut_off(mode: str) -> None:
    data = read(mode)
    for end in range(16, len(data), 7):
        with pytest.raises(openptx.InputError, match=r"cut off|no fat binary"):
            openptx.extract(data[:end])


@pytest.mark.parametrize("mode", ["none", *COMPRESSED])
def test_damaged_files_end_in_a_message(mode: str) -> None:
    data, choose = read(mode), random.Random(7)
    for _ in range(1500):
        wrong = bytearray(data)
        for _ in range(choose.randint(1, 4)):
            wrong[choose.randrange(len(wrong) if choose.random() < 0.5 else 120)] = choose.randrange(256)
        try:
            found = openptx.extract(bytes(wrong))
        except openptx.InputError:
            continue
        assert found


def test_what_a_header_claims_is_not_allocated() -> None:
    data = bytearray(read("size"))
    struct.pack_into("<Q", data, 16 + 56, 1 << 60)
    with pytest.raises(openptx.InputError, match="are unpacked"):
        openptx.extract(bytes(data))


def test_a_size_beyond_the_end_of_the_file(tmp_path: Path) -> None:
    data = bytearray(read("none") + bytes(64))
    struct.pack_into("<Q", data, 8, 1 << 63)
    (tmp_path / "damaged.fatbin").write_bytes(data)
    for program in (bytes(data), tmp_path / "damaged.fatbin"):
        with pytest.raises(openptx.InputError, match="cut off"):
            openptx.extract(program)


PACKAGES = pytest.mark.parametrize(("mode", "package"), [("size", "zstandard"), ("speed", "lz4")])


def hide(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setitem(sys.modules, f"{package}.block", None)


@PACKAGES
def test_a_missing_package_is_named(mode: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    hide(package, monkeypatch)
    monkeypatch.setattr(system_libraries, package, lambda: None)
    with pytest.raises(
        openptx.InputError, match=rf"needs the package {package} \(`pip install 'openptx\[extract\]'`\) or"
    ):
        openptx.extract((DATA / f"{mode}.fatbin").read_bytes())


@PACKAGES
def test_without_the_package_the_systems_library_unpacks(
    mode: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hide(package, monkeypatch)
    library = system_libraries.ZSTANDARD if mode == "size" else system_libraries.LZ4
    if system_libraries.load(library) is None:
        pytest.skip(f"{library} is not installed")
    data, choose = (DATA / f"{mode}.fatbin").read_bytes(), random.Random(3)
    assert openptx.extract(data) == openptx.extract(read("none"))
    for _ in range(300):
        wrong = bytearray(data)
        wrong[choose.randrange(len(wrong))] = choose.randrange(256)
        try:
            openptx.extract(bytes(wrong))
        except openptx.InputError:
            continue


def test_names_stay_in_the_folder() -> None:
    modules = [
        openptx.ExtractedPtx(name, "sm_80", "")
        for name in ("../../etc/x.cu", "C:\\code\\x.cu", "", "..", "/a/.cu", "x.cu")
    ]
    assert file_names("/opt/lib/libfast.so.1", modules) == [
        "x.sm_80.ptx", "x.sm_80.2.ptx", "libfast.so.sm_80.ptx", "module.sm_80.ptx", "cu.sm_80.ptx", "x.sm_80.3.ptx",
    ]  # fmt: skip


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = str(DATA / "none.fatbin")
    assert main(["extract", program, "--list", "-o", str(tmp_path / "out")]) == 0
    assert not (tmp_path / "out").exists()
    assert main(["extract", program, "-o", str(tmp_path / "out")]) == 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["kernel.sm_80.ptx", "kernel.sm_90.ptx"]
    assert capsys.readouterr().out.count("kernel.sm_90.ptx") == 2
    assert main(["check", str(tmp_path / "out")]) == 0
    assert main(["extract", str(DATA / "machine_code.fatbin")]) == 2
    assert main(["extract", str(tmp_path / "missing")]) == 2
    assert main(["extract", str(tmp_path)]) == 2
    assert "Traceback" not in capsys.readouterr().err
