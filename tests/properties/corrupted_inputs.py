# ruff: noqa: E501 - tables of text read better so
"""Real files, arguments and caches, damaged at random. Each input is a command and its files.

Run as a program, `corrupted_inputs.py FOLDER FIRST`, it executes one input after the other in this process, and says
before each which it is, so that whoever started it can tell which input ended or held up the process.
"""

from __future__ import annotations

import contextlib
import gc
import io
import json
import os
import random
import re
import shutil
import sys
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

KERNELS = Path(__file__).parents[1] / "kernels"
TOKEN = re.compile(r"[\w$%.]+|\s+|.", re.DOTALL)
NUMBERS = ("0", "-1", "1", "31", "32", "255", "65536", "2147483648", "4294967295", "4294967296", "9223372036854775808",
           "18446744073709551615", "18446744073709551616", "99999999999999999999999", "0x", "0f7F800000", "08", "1e400",
           "0d7FF0000000000001", "-0", "0b2", "1U", "-9223372036854775809")  # fmt: skip
WORDS = ("{", "}", "(", ")", "[", "]", ";", ",", ":", "@", "|", "<", ">", "+", "-", "/*", "*/", "//", '"', "\\", ".", "%r1",
         ".reg", ".entry", ".func", ".param", ".shared", ".align", ".loc", ".section", ".pragma", "ret", "bra", "call", ".u32",
         ".b128", ".v4", ".v8", "_", "%tid.x", ".version", ".target", ".extern", ".weak", "\0", "\r", "\x0b", "é", "\ufeff")  # fmt: skip
VALUES = (*NUMBERS, "", " ", "nan", "-nan", "inf", "-inf", "null", "zeros", "zeros:", "zeros:f32", "zeros:f32:-1", "zeros:f32:4",
          "zeros:b8:64", "zeros:f64:99999999999999", "zeros:x:3", "@", "@/dev/null", "@/", "@missing.npy", "@case.json",
          "@kernel.ptx", "0=/dev/full", "0=/", "0=x.npy", "-1=x.npy", "7=x.npy", "x", "=", "1,1,1", "1,1,1,1", "0,0", ",",
          "1e5", "0x10", "1_000", "½", "\udce9", "a" * 5000, "/dev/null", "kernel.ptx", "case.json", ".", "-")  # fmt: skip
OPTIONS = {
    "check": ("--target", "--profile", "--output-format", "--select", "--ignore", "--max-errors", "--jobs", "--statistics",
              "--fix", "--diff", "--unsafe-fixes"),
    "run": ("--kernel", "--grid", "--block", "--shared", "--cluster", "--arg", "--save", "--engine", "--workers", "--timeout",
            "--max-instructions", "--initcheck", "--fidelity", "--quiet"),
    "test": ("--engine", "--output-format"),
    "convert": ("--to", "--from", "--round", "--satfinite", "--sat", "--relu", "--ftz", "--rbits", "--save"),
    "explain": (), "isa": ("--coverage",), "fmt": ("--check",), "cache": (),
}  # fmt: skip
CHOICES = ("json", "sarif", "concise", "github", "full", "isa", "ptxas", "sm_90a", "sm_0", "interp", "native", "auto", "e4m3",
           "f32", "rn", "rs", "ue8m0", "e2m1x2", "PTX0301", "fma", ".rn", "cvt.rn.f16.f32")  # fmt: skip

Command = tuple[str, ...]


@cache
def cases() -> list[Path]:
    """Kernels whose files are small enough to be damaged thousands of times."""
    found = [p.parent for p in sorted(KERNELS.glob("*/case.json")) if (p.parent / "kernel.ptx").exists()]
    return [p for p in found if sum(f.stat().st_size for f in p.iterdir()) < 60_000]


def damaged_bytes(r: random.Random, data: bytes) -> bytes:
    """Some bytes changed, dropped, doubled or moved; or the end is missing."""
    text = bytearray(data)
    for _ in range(r.choice((1, 1, 2, 5, 40))):
        at, size = r.randrange(len(text) + 1), r.choice((1, 1, 3, 64))
        piece = text[at : at + size]
        text[at : at + size] = r.choice((b"", piece * 2, r.randbytes(size), piece[::-1], bytes(size)))
    return bytes(text[: r.randrange(len(text) + 1)] if r.random() < 0.1 else text)


def damaged_text(r: random.Random, data: bytes) -> bytes:
    """Some tokens or lines replaced by others of the text, by numbers, or by words of PTX."""
    lines = data.decode("utf-8", "surrogateescape").splitlines(keepends=True)
    for _ in range(r.choice((1, 1, 2, 4, 12))):
        i = r.randrange(len(lines)) if lines else 0
        if r.random() < 0.3:
            lines[i : i + 1] = r.choice(([], lines[i : i + 1] * 2, [r.choice(lines or [""])], lines[i : i + 3][::-1]))
            continue
        tokens = TOKEN.findall(lines[i]) if lines else []
        if tokens:
            others = TOKEN.findall(r.choice(lines))
            tokens[r.randrange(len(tokens))] = r.choice(
                (r.choice(WORDS), r.choice(NUMBERS), r.choice(others or [""]), "")
            )
            lines[i] = "".join(tokens)
    return "".join(lines).encode("utf-8", "surrogateescape")


def damaged(r: random.Random, data: bytes) -> bytes:
    return (damaged_text if r.random() < 0.7 else damaged_bytes)(r, data)


def copied(r: random.Random, folder: Path) -> Path:
    """A case of ours, in a folder where it may be damaged."""
    shutil.rmtree(folder, ignore_errors=True)
    return Path(shutil.copytree(r.choice(cases()), folder))


def damage(r: random.Random, path: Path, how: Callable[[random.Random, bytes], bytes] = damaged) -> None:
    """The file's content damaged, or something else in its place."""
    if r.random() > 0.06:
        path.write_bytes(how(r, path.read_bytes()))
        return
    path.unlink()
    r.choice((lambda: os.mkfifo(path), path.mkdir, lambda: path.symlink_to("/dev/zero"), lambda: path.symlink_to(path.name),
              lambda: path.touch(0))) ()  # fmt: skip


def check_input(r: random.Random, folder: Path) -> Command:
    """A damaged kernel to check, lay out, or repair."""
    path = copied(r, folder) / "kernel.ptx"
    path.write_bytes(damaged(r, path.read_bytes()))
    form = r.choice(("full", "concise", "json", "sarif", "github"))
    return r.choice((
        ("check", str(path), "--output-format", form), ("check", str(path), "--profile", "isa"), ("check", "--fix", str(path)),
        ("check", "--unsafe-fixes", "--diff", str(path)), ("fmt", str(path)), ("check", "--target", "sm_75", str(path)),
    ))  # fmt: skip


def run_input(r: random.Random, folder: Path) -> Command:
    """A case whose kernel, description or one of whose arrays is damaged; it runs wherever it still can."""
    case = copied(r, folder)
    files = [case / "kernel.ptx"] * 6 + [case / "case.json"] * 2 + sorted(case.glob("*.npy"))
    damage(r, r.choice(files))
    return ("test", str(case), "--engine", r.choice(("interp", "native", "native", "auto")))


def argument_input(r: random.Random, folder: Path) -> Command:
    """A command with arguments at random, in the folder of a case."""
    case = copied(r, folder)
    name = r.choice([*OPTIONS, "run", "run", "run"])
    argv = [name]
    if name == "run":
        described = json.loads((case / "case.json").read_text())
        argv += [
            str(case / "kernel.ptx"),
            "--kernel",
            described["kernel"],
            "--timeout",
            "2",
            "--grid",
            "2",
            "--block",
            "32",
        ]
        for p in described["params"]:
            argv += ["--arg", f"@{case / p['file']}" if p["kind"] == "buffer" else r.choice(NUMBERS[:6])]
    for _ in range(r.randrange(5)):
        some = OPTIONS[name]
        argv += [r.choice(some)] if some and r.random() < 0.6 else []
        argv += [r.choice((*VALUES, *CHOICES))] if r.random() < 0.8 else []
    if r.random() < 0.3 and len(argv) > 2:
        argv[r.randrange(1, len(argv))] = r.choice(VALUES)
    return (*argv, "--timeout", "2") if name == "run" else tuple(argv)


def cache_input(r: random.Random, folder: Path) -> Command:
    """A good case, and a store of compiled kernels in which something was damaged after it was made."""
    case = copied(r, folder)
    store = Path(os.environ["OPENPTX_CACHE"])
    if r.random() < 0.05:
        shutil.rmtree(store, ignore_errors=True)
    objects = sorted(p for p in store.glob("*/*") if p.is_file() and not p.is_symlink() and not p.parent.is_symlink())
    for path in r.sample(objects, min(len(objects), 3)):
        kind = r.randrange(8)
        if not path.exists():  # its folder has gone
            continue
        if kind < 3:
            path.write_bytes(damaged_bytes(r, path.read_bytes()))
        elif kind == 3:
            path.chmod(r.choice((0o666, 0, 0o777, 0o200)))
        elif kind == 4 and os.geteuid() == 0:
            os.chown(path, 65534, 65534)
        elif kind == 5 and r.random() < 0.2:
            shutil.rmtree(folder := path.parent)
            r.choice((Path.touch, os.mkfifo, partial(os.symlink, case)))(folder)
        else:
            damage(r, path, damaged_bytes)
    return ("test", str(case), "--engine", "native") if r.random() < 0.97 else ("cache",)


KINDS: dict[str, Callable[[random.Random, Path], Command]] = {
    "check": check_input, "run": run_input, "arguments": argument_input, "cache": cache_input,
}  # fmt: skip


def kind_of(number: int) -> str:
    return [*KINDS][number % len(KINDS)]


def execute(argv: Command) -> tuple[int, str]:
    """The status of a command, and all that it says."""
    from openptx.cli import main

    out = io.TextIOWrapper(io.BytesIO(), "utf-8", errors="backslashreplace", write_through=True)
    before, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(b""))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            status = main([*argv])
        except SystemExit as stopped:
            status = stopped.code if isinstance(stopped.code, int) else 0
        finally:
            gc.enable()
            sys.stdin = before
    return status, out.buffer.getvalue().decode("utf-8", "replace")  # pyright: ignore


def serve(folder: Path, first: int) -> None:
    """Executes inputs until the process is killed."""
    from openptx.testing import case

    os.chdir(folder)
    for number in range(first, 1 << 40):
        kind = kind_of(number)
        case.TIMEOUT = 2.0 if kind == "run" else 60.0
        argv = KINDS[kind](random.Random(number), folder / "input")
        print(json.dumps([number, argv]), file=sys.__stdout__, flush=True)
        status, said = execute(argv)
        wrong = "Traceback" in said or "mistake in OpenPTX" in said or status not in (0, 1, 2)
        wrong |= kind == "cache" and status != 0 and argv[0] == "test"
        print(json.dumps([number, status, said[-3000:] if wrong else None]), file=sys.__stdout__, flush=True)


if __name__ == "__main__":
    serve(Path(sys.argv[1]), int(sys.argv[2]))
