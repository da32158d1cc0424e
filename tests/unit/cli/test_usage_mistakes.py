"""Mistakes on the command line: each is answered with what was meant, in one line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

SOURCE = Path(__file__).parents[3] / "src"
TAKES = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out) {
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [out];
    st.global.f32 [%rd1], 0f3F800000;
    ret;
}
"""


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    path = tmp_path / "k.ptx"
    path.write_text(TAKES, "utf-8")
    np.save(tmp_path / "doubles.npy", np.zeros(4))
    return path


LAUNCH = ("--grid", "1", "--block", "1", "--arg", "zeros:f32:1")

# fmt: off
USAGE = [
    (["check", ""],                                 "error: an empty file name"),
    (["check", "nowhere/*.ptx"],                    "error: nowhere/*.ptx: no file matches"),
    (["check", "FILE", "--jobs", "-1"],             "argument --jobs: a whole number from 0, not -1"),
    (["check", "FILE", "--max-errors", "few"],      "argument --max-errors: a whole number from 0, not few"),
    (["check", "FILE", "--job", "1"],               "unrecognized arguments: --job 1; did you mean --jobs?"),
    (["run", "FILE", "k", "x.npy", "--grid", "1"],  "k x.npy; --kernel names the kernel, its arguments follow --arg"),
    (["run", "FILE", "--grd", "1"],                 "did you mean --grid?"),
    (["run", "FILE", "--grid", "1", "--block", "1", "--arg", "@"], "`@` is followed by the name of a .npy file"),
    (["run", "FILE", "--grid", "1", "--block", "1", "--target", "sm_9a"], "no target `sm_9a`: did you mean sm_90?"),
    (["isa", "FMA"],                                "no instruction `FMA`; did you mean `fma`?"),
    (["convert", "--to", "F16", "1"],               "no number format is called 'F16'; did you mean f16?"),
    (["explain", "0f3F"],                           "8 hexadecimal digits, the bits of an `.f32`; these are 2"),
    (["exec", "--", ""],                            "error: an empty command: name a program after --"),
    (["exec", "true", "-x"],                        "unrecognized arguments: -x; put -- before the command"),
    (["run", "nowhere.ptx"],                        "error: nowhere.ptx: No such file or directory"),
    (["run", "FILE"],                               "a launch needs --grid and --block, such as --grid 4 --block 256"),
    (["run", "FILE", *LAUNCH, "--timeout", "0"],    "error: --timeout is a number of seconds above 0, not 0.0"),
    (["run", "FILE", *LAUNCH, "--max-instructions", "0"], "error: --max-instructions is a whole number from 1, not 0"),
    (["run", "FILE", *LAUNCH, "--trace", "--trace-limit", "0"], "error: --trace-limit is a whole number from 1, not 0"),
    (["run", "FILE", *LAUNCH, "--trace", "--trace-line", "0"], "0: write a row of the PTX, or FILE:LINE of its source"),
    (["run", "FILE", *LAUNCH, "--trace", "--trace-thread", "-1"], "--trace-thread -1: positions are numbers from 0"),
    (["run", "FILE", *LAUNCH, "--save", "0=-"], "as stdout has other contents; ./- is a file of this name"),
    (["run", "-", *LAUNCH, "--against", "-"],       "error: stdin (-) can be only one of the files"),
    (["sanitize", "FILE", *LAUNCH, "--output", "9"], "names argument 9, counted from 0, which is not an array"),
    (["profile", "FILE", *LAUNCH, "--blocks", "0"], "error: --blocks is a whole number from 1, not 0"),
    (["prove", "-", "-"],                           "error: stdin (-) can be only one of the files"),
    (["link", "-", "-"],                            "error: stdin (-) can be only one of the files"),
    (["convert", "--to", "f16", "--rbits", "-1", "1"], "argument --rbits: a whole number from 0 to 4294967295, not -1"),
    (["test", ""],                                  "error: an empty file name"),
    (["replay", ""],                                "error: an empty file name"),
    (["extract", ""],                               "error: an empty file name"),
]
# fmt: on


def test_a_script_is_run_by_its_interpreter(openptx, tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text("import numba\n", "utf-8")
    done = openptx("exec", str(script))
    assert done.status == 126
    assert done.err.rstrip().endswith(f"cannot be run: Permission denied: `openptx exec -- python {script}`")


def test_a_module_is_linked_to_stdout(openptx, kernel: Path) -> None:
    done = openptx("link", str(kernel), "-o", "-")
    assert done.status == 0
    assert ".visible .entry k" in done.out


@pytest.mark.parametrize(
    ("argv", "answer"), USAGE, ids=lambda given: " ".join(given) if isinstance(given, list) else ""
)
def test_the_answer_says_what_was_meant(openptx, kernel: Path, argv: list[str], answer: str) -> None:
    done = openptx(*[str(kernel) if word == "FILE" else word for word in argv])
    assert done.status == 2
    assert done.err.rstrip().endswith(answer)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="Linux has it")
def test_a_full_disk_is_named(openptx, kernel: Path) -> None:
    done = openptx("link", kernel, "-o", "/dev/full")
    assert (done.status, done.err) == (2, "error: /dev/full: No space left on device\n")


@pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="Linux has it")
def test_a_folder_in_place_of_a_file_is_named(openptx, kernel: Path) -> None:
    done = openptx("link", kernel, "-o", kernel.parent)
    assert (done.status, done.err) == (2, f"error: {kernel.parent}: Is a directory\n")


def test_a_file_that_opens_but_cannot_be_read_is_named(openptx) -> None:
    assert openptx("check", "/proc/self/mem").err == "error: /proc/self/mem: Input/output error\n"


def test_a_warning_of_a_launch_names_no_line_of_this_program(kernel: Path) -> None:
    argv = [
        "run",
        str(kernel),
        "--grid",
        "1",
        "--block",
        "1",
        "--engine",
        "interp",
        "--arg",
        f"@{kernel.parent}/doubles.npy",
    ]
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    done = subprocess.run(
        [sys.executable, "-m", "openptx", *argv], capture_output=True, text=True, env=environment, check=True
    )
    assert done.stderr.startswith("warning: argument 0 (`.u64 out`) is an array of float64")
    assert "main()" not in done.stderr


# fmt: off
ENCODINGS = [
    ("utf-32",     "k.ptx: this is not PTX text but UTF-32; PTX is ASCII or UTF-8"),
    ("utf-16",     "k.ptx: this is not PTX text but UTF-16; PTX is ASCII or UTF-8"),
    ("utf-16-le",  "k.ptx: this is not PTX text but UTF-16; PTX is ASCII or UTF-8"),
]
# fmt: on


@pytest.mark.parametrize(("encoding", "answer"), ENCODINGS)
def test_other_encodings_are_named(openptx, kernel: Path, encoding: str, answer: str) -> None:
    kernel.write_text(TAKES, encoding)
    assert openptx("check", kernel).err.rstrip().endswith(answer)


def test_a_latin_letter_in_the_name_of_a_kernel_is_the_mistake(openptx, kernel: Path) -> None:
    kernel.write_bytes(TAKES.replace("entry k", "entry k\xe9").encode("latin-1"))
    assert "error[PTX0001]: PTX has no use for the byte 0xE9 here" in openptx("check", kernel).out


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_an_empty_file_is_called_empty(openptx, kernel: Path, text: str) -> None:
    kernel.write_text(text, "utf-8")
    assert "error[PTX0401]: the file is empty" in openptx("check", kernel).out


def test_a_minus_sign_is_stdout_for_text(openptx, kernel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(kernel.parent)
    profile = openptx("profile", kernel, *LAUNCH, "-o", "-", "--output-format", "json")
    trace = openptx("run", kernel, *LAUNCH, "--quiet", "--trace-output", "-")
    assert (profile.status, trace.status) == (0, 0)
    assert profile.out.startswith('{\n "schema": "openptx-profile-1"')
    assert "st.global.f32 [%rd1], 0f3F800000" in trace.out
    assert not (kernel.parent / "-").exists()
