"""Public functions given objects of other types: an ArgumentError names the option and what to write."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import openptx
from openptx.errors import ArgumentError, InputError

TEXT = """
.version 8.0
.target sm_80
.address_size 64
.visible .global .align 4 .b8 table[16];
.visible .entry scale(.param .u32 n, .param .u64 x) { .reg .b32 %r; mov.u32 %r, 1; ret; }
"""
WRONG = [5.5, [], {1: 2}, np.zeros(3), np.zeros(2, "f4,i4"), np.array(3.0), b"a", object()]
IDS = ["float", "list", "dictionary", "array", "structures", "0-d", "bytes", "object"]
POOL = ThreadPoolExecutor(1)
front: Any = openptx


def launch(function: str, **options: Any) -> Any:
    kernel = openptx.load(TEXT)["scale"]
    given = {"grid": 1, "block": 32, "args": (4, np.zeros(4, np.float32)), **options}
    if function == "distribute":
        return front.distribute(kernel, POOL, **given)
    return kernel(**given) if function == "kernel" else getattr(front, function)(kernel, **given)


def refused(call: Callable[[], Any]) -> str:
    with pytest.raises(ArgumentError) as found:
        call()
    return str(found.value)


@pytest.mark.parametrize("given", WRONG, ids=IDS)
def test_choices_are_strings(given: Any) -> None:
    for option, call in (
        ("profile", lambda: front.check(TEXT, profile=given)),
        ("contraction", lambda: front.load(TEXT, contract=given)),
        ("engine", lambda: launch("kernel", engine=given)),
        ("engine", lambda: launch("sanitize", engine=given)),
        ("engine", lambda: launch("profile", engine=given)),
        ("engine", lambda: launch("record", engine=given)),
        ("engine", lambda: launch("distribute", engine=given)),
        ("level", lambda: front.logging.show(given)),
    ):
        said = refused(call)
        assert said.startswith((f"the {option} is a string, not ", f"no {option} `"))
        assert ": choose " in said


@pytest.mark.parametrize("given", ["no", 2, [], np.zeros(3), 0.0], ids=["string", "2", "list", "array", "float"])
def test_flags_are_true_or_false(given: Any) -> None:
    image = np.zeros((4, 4), np.float32)
    for option, call in (
        ("relu", lambda: front.convert(1.0, "e4m3", relu=given)),
        ("color", lambda: front.CheckError(front.check("x")).rendered(color=given)),
        ("initcheck", lambda: launch("kernel", initcheck=given)),
        ("strict", lambda: launch("sanitize", strict=given)),
        ("layered", lambda: front.Texture(image, layered=given)),
        ("normalized", lambda: front.Texture(image, normalized=given)),
        ("force_unnormalized", lambda: front.Sampler(force_unnormalized=given)),
    ):
        assert refused(call).startswith(f"`{option}` is True or False, not ")


def test_numpy_booleans_and_ones_are_flags() -> None:
    assert front.convert(-1.0, "e4m3", relu=np.bool_(True)) == front.convert(-1.0, "e4m3", relu=1) == 0


@pytest.mark.parametrize("function", ["sanitize", "profile", "trace", "distribute", "record", "kernel"])
@pytest.mark.parametrize(
    ("option", "given"),
    [("shared_mem", -1), ("shared_mem", 1.5), ("shared_mem", []), ("timeout", float("nan")), ("timeout", "1"),
     ("timeout", np.zeros(3)), ("args", 5), ("args", None), ("args", np.zeros(3))],
    ids=str,
)  # fmt: skip
def test_options_that_launches_share(function: str, option: str, given: Any) -> None:
    said = refused(lambda: launch(function, **{option: given}))
    assert said.startswith(
        ("dynamic shared memory is 0 to ", "`timeout` is a number of seconds", "the arguments are a")
    )


@pytest.mark.parametrize("function", ["sanitize", "profile", "trace", "distribute", "record"])
def test_what_is_not_a_kernel(function: str) -> None:
    module = openptx.load(TEXT)
    given = (module, POOL) if function == "distribute" else (module,)
    said = refused(lambda: getattr(front, function)(*given, grid=1, block=1))
    assert said == 'the kernel of a loaded module is wanted, not LoadedModule: write `module["name"]`'


@pytest.mark.parametrize("function", ["sanitize", "distribute"])
def test_names_of_other_libraries(function: str) -> None:
    assert "write `shared_mem=`, in bytes" in refused(lambda: launch(function, smem=16))


@pytest.mark.parametrize(
    ("function", "options", "said"),
    [
        ("sanitize", {"seed": "a"}, "`seed` is a whole number from 0, not 'a'"),
        ("sanitize", {"seed": -1}, "`seed` is a whole number from 0, not -1"),
        ("sanitize", {"outputs": 1}, "`outputs` is a list of argument numbers: write `outputs=[1]`"),
        ("sanitize", {"outputs": ["a"]}, "`outputs` names argument 'a', counted from 0, which is not an array"),
        ("sanitize", {"schedules": True}, "`schedules` is a whole number from 1, not True"),
        ("distribute", {"chunks": "2"}, "`chunks` is a whole number from 1, not '2'"),
        ("trace", {"lines": [None]}, 'a line is a row of the PTX from 1, or ("kernel.cu", 12) of its source, not None'),
        ("trace", {"lines": 1.5}, "`lines` is a list of rows of the PTX: write `lines=[1.5]`"),
        ("trace", {"threads": 1.5}, "`threads` is a list of positions: write `threads=[1.5]`"),
        ("trace", {"registers": [[]]}, "no register `[]` in kernel `scale` or a function of its module"),
        ("record", {"file": 5}, "a recording is written to a path, not to int"),
    ],
    ids=str,
)
def test_options_of_one_function(function: str, options: dict[str, Any], said: str) -> None:
    assert refused(lambda: launch(function, **options)) == said


@pytest.mark.parametrize("given", [[], np.zeros(3), 5, None, b"table"], ids=str)
def test_names_in_a_module(given: Any) -> None:
    module: Any = openptx.load(TEXT)
    said = f"no global variable {given!r}, which is not a string: <string> has `table`"
    assert refused(lambda: module.get_global(given)) == said
    assert refused(lambda: module[given]) == f"no kernel {given!r}, which is not a string: <string> has `scale`"
    assert refused(lambda: module.bind(given, 5)).endswith("<string> has no texture, sampler or surface")
    assert given not in module


def test_an_unknown_variable() -> None:
    module = openptx.load(TEXT)
    assert refused(lambda: module.get_global("tables")) == "no global variable `tables`: <string> has `table`"


def test_the_name_of_a_text() -> None:
    assert refused(lambda: front.check(TEXT, filename=5)).startswith("`filename` is a string, the name of the text")
    for found in (openptx.check("x", filename=Path("a.ptx")), openptx.parse("x", filename=Path("a.ptx")).diagnostics):
        assert found[0].file.name == "a.ptx"


@pytest.mark.parametrize(
    "options", [{"source": 5}, {"source": np.zeros(2)}, {"rounding": 5}, {"rounding": []}], ids=str
)
def test_formats_and_roundings_are_strings(options: dict[str, Any]) -> None:
    assert " is a string such as " in refused(lambda: front.convert(1.0, "e4m3", **options))


@pytest.mark.parametrize("given", [5, [1.0], object(), np.dtype(np.uint8)], ids=["number", "list", "object", "dtype"])
def test_output_that_is_no_array(given: Any) -> None:
    assert refused(lambda: front.convert(1.0, "e4m3", out=given)).startswith("`out` must be an array of ")


@pytest.mark.parametrize(
    "options",
    [{"filter": np.zeros(2)}, {"address": 5}, {"address": [[]]}, {"compare": []}, {"level_filter": {}}],
    ids=str,
)
def test_modes_of_samplers(options: dict[str, Any]) -> None:
    assert ", not " in refused(lambda: front.Sampler(**options))
    assert ", not " in refused(lambda: front.Texture(np.zeros((4, 4), np.float32), **options))


@pytest.mark.parametrize(
    "options",
    [{"read": np.zeros(2)}, {"channels": "a"}, {"border": object()}, {"levels": 5}],
    ids=lambda options: next(iter(options)),
)
def test_options_of_textures(options: dict[str, Any]) -> None:
    assert ", not " in refused(lambda: front.Texture(np.zeros((4, 4), np.float32), **options))


def test_names_of_allocations() -> None:
    assert refused(lambda: front.memory.allocate(4, name=np.zeros(3))).startswith(
        "the name of an allocation is a string"
    )


def test_what_is_not_a_trace() -> None:
    assert refused(lambda: front.first_difference([], 5)) == "traces are compared, results of `openptx.trace`, not list"


def test_paths_with_a_null_character() -> None:
    for call in (lambda: openptx.extract("a\0b"), lambda: openptx.check(Path("a\0b"))):
        with pytest.raises(InputError, match="not a path: it contains a null character"):
            call()


def test_sizes_of_numpy_are_recorded(tmp_path: Path) -> None:
    launch("record", shared_mem=np.int64(16), file=tmp_path / "scale.launch")
    assert front.replay(tmp_path / "scale.launch").equal


def test_a_pipe_is_written_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        launch("record", file=pipe)
        assert pipe.is_fifo()
        assert b"scale" in os.read(reader, 1 << 16)
    finally:
        os.close(reader)
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


@pytest.mark.parametrize("given", [90, None, [], np.zeros(2)], ids=str)
def test_targets_of_compilers(given: Any) -> None:
    for package in (front.triton, front.numba):
        assert "no target " in refused(lambda: package.activate(given))  # noqa: B023


@pytest.mark.parametrize(
    ("option", "given", "said"),
    [
        ("engine", "fast", "no engine `fast`: choose "),
        ("workers", 0, "`workers` is a whole number from 1, not 0"),
        ("timeout", "60", "`timeout` is a number of seconds above 0, not '60'"),
        ("sanitize", "races", "no tool `races`: choose "),
    ],
)
def test_options_of_compilers_before_a_launch(option: str, given: Any, said: str) -> None:
    for package in (front.triton, front.numba):
        assert refused(lambda: package.activate("sm_90", **{option: given})).startswith(said)  # noqa: B023
    assert front.triton.active_target() is None


def test_a_flag_of_triton_before_a_launch() -> None:
    assert refused(lambda: front.triton.activate("sm_90", every_configuration="no")).startswith("`every_configuration`")
