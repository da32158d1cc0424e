"""numba-cuda's kernels on NumPy arrays, and docs/recipes/numba-in-ci.md; skipped without numba and its compiler."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import openptx
from openptx.errors import ArgumentError, Fault, Unsupported
from openptx.sanitize.error import SanitizerError

pytest.importorskip("numba_cuda", reason="numba-cuda is not installed: make clients")
pytest.importorskip("nvidia.cu13", reason="NVIDIA's compiler is not installed: make clients")
cuda: Any = pytest.importorskip("numba.cuda")
numba: Any = pytest.importorskip("numba")
RECIPE = Path(__file__).parents[2] / "docs" / "recipes" / "numba-in-ci.md"

pytestmark = pytest.mark.filterwarnings("ignore:Grid size")


@pytest.fixture(autouse=True, params=["sm_80", "sm_90"])
def target(request: pytest.FixtureRequest) -> Iterator[str]:
    openptx.numba.activate(request.param)
    yield request.param
    openptx.numba.deactivate()


@cuda.jit
def add(a: Any, b: Any, out: Any) -> None:
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] + b[i]


def test_sums_of_vectors() -> None:
    a, out = np.arange(1000, dtype=np.float32), np.zeros(1000, np.float32)
    add[4, 256](a, a, out)
    assert (out == 2 * a).all()
    add[(4,), (256,)](a[::-1], a[::2].repeat(2), out)  # any strides
    assert (out == a[::-1] + a[::2].repeat(2)).all()


def test_device_arrays() -> None:
    a = np.arange(1000.0)
    there = cuda.to_device(a)
    out = cuda.device_array_like(there)
    stream = cuda.stream()
    add[4, 256, stream](there, there, out)
    stream.synchronize()
    cuda.synchronize()
    assert (out.copy_to_host() == 2 * a).all()
    back = np.empty(1000)
    out.copy_to_host(back)
    assert (back == 2 * a).all()
    assert (a == np.arange(1000.0)).all()  # `to_device` copies
    there.copy_to_device(back)
    assert (there == back).all()


def test_tiles_in_shared_memory() -> None:
    @cuda.jit
    def matmul(a: Any, b: Any, c: Any) -> None:
        s, t = cuda.shared.array((16, 16), numba.float32), cuda.shared.array((16, 16), numba.float32)
        x, y = cuda.grid(2)
        tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
        total = numba.float32(0)
        for k in range(a.shape[1] // 16):
            s[ty, tx] = a[y, k * 16 + tx]
            t[ty, tx] = b[k * 16 + ty, x]
            cuda.syncthreads()
            for j in range(16):
                total += s[ty, j] * t[j, tx]
            cuda.syncthreads()
        c[y, x] = total

    a = np.random.default_rng(0).random((64, 64), np.float32)
    c = np.zeros_like(a)
    matmul[(4, 4), (16, 16)](a, a.T, c)
    np.testing.assert_allclose(c, a @ a.T, rtol=1e-5)


def test_arguments_of_each_kind() -> None:
    @cuda.jit
    def kinds(out: Any, i: Any, f: Any, b: Any, z: Any, t: Any) -> None:
        out[0], out[1], out[2] = i, f, 1.0 if b else 0.0
        out[3], out[4] = z.real, z.imag
        out[5], out[6] = t[0], t[1][2]

    out = np.zeros(7)
    kinds[1, 1](out, -7, np.float32(0.5), True, 1 + 2j, (3, np.arange(4.0)))
    assert out.tolist() == [-7, 0.5, 1, 1, 2, 3, 2]


def test_arrays_of_records() -> None:
    @cuda.jit
    def swap(r: Any) -> None:
        r[0].x, r[0].y = r[0].y, r[0].x

    records = np.array([(2.5, 1.0)], dtype=[("x", "f8"), ("y", "f8")])
    swap[1, 1](records)
    assert records[0].tolist() == (1.0, 2.5)
    with pytest.raises(Unsupported, match="Record"):
        swap[1, 1]((records[0],))


def test_printing(capfd: pytest.CaptureFixture[str]) -> None:
    @cuda.jit
    def tell(x: Any) -> None:
        print("x is", x)

    tell[1, 2](5)
    assert capfd.readouterr().out == "x is 5\nx is 5\n"


def test_faults() -> None:
    with pytest.raises(Fault, match=r"argument `[ab]`, 80 bytes"):
        add[1, 64](np.zeros(10), np.zeros(10), np.zeros(64))


def test_uses_of_undefined_arrays_are_errors(target: str) -> None:
    openptx.numba.activate(target, sanitize="all")
    x, out = np.ones(64), np.zeros(64)
    add[1, 64](x, x, out)
    with pytest.raises(SanitizerError, match="never written"):
        add[1, 64](x, openptx.empty(64, np.float64), out)


@cuda.jit(device=True, debug=True, opt=False)
def tenths(v: Any) -> Any:
    return 10 // v


@cuda.jit(debug=True, opt=False)
def checked(x: Any) -> None:
    i = cuda.grid(1)
    t = (1, 2, 3, 4, 5, 6)
    if x[i] < 0:
        raise ValueError("too small")
    x[i] = 10 // x[i] + tenths(t[i])


def test_exceptions_of_threads() -> None:
    x = np.array([1, 2, 5, 10, 3, 4])
    for zero in (False, True, False):
        x[4] *= not zero
        if zero:
            with pytest.raises(ZeroDivisionError, match=r"tid=\[0, 0, 1\] ctaid=\[0, 0, 1\]: integer division by zero"):
                checked[2, 3](x)
            x[4] = 1
        else:
            expected = 10 // x + 10 // np.arange(1, 7)
            checked[2, 3](x)
            assert (x == expected).all()
    with pytest.raises(IndexError, match=r"tid=\[0, 0, 0\] ctaid=\[0, 0, 2\]: tuple index out of range"):
        checked[3, 3](np.ones(9, np.int64))
    with pytest.raises(ValueError, match=rf"'checked', file {re.escape(__file__)}, .*tid=\[0, 0, 1\] .*: too small"):
        checked[1, 3](np.array([1, -1, 1]))


def test_kernels_from_the_cache_have_no_names_of_parameters() -> None:
    checked[1, 1](np.ones(1, np.int64))
    kernel = next(iter(checked.overloads.values()))
    cached = kernel._rebuild(**kernel._reduce_states())
    with pytest.raises(ZeroDivisionError):
        openptx.numba.launch(cached, [np.zeros(1, np.int64)], (1, 1, 1), (1, 1, 1))
    with pytest.raises(Fault, match="argument 1, 8 bytes"):
        openptx.numba.launch(cached, [np.ones(1, np.int64)], (2, 1, 1), (1, 1, 1))


@cuda.jit(debug=True, opt=False)
def reverse(x: Any) -> None:
    s = cuda.shared.array(64, numba.float32)
    i = cuda.threadIdx.x
    s[i] = x[i]
    x[i] = s[63 - i]


def test_kernels_with_debug_information(target: str, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    openptx.numba.activate(target, sanitize="race")
    with pytest.raises(SanitizerError, match=r"x\[i\] = s\[63 - i\]"):
        reverse[1, 64](np.arange(64.0))
    openptx.numba.activate(target, debug=True)
    line = reverse.py_func.__code__.co_firstlineno + 4
    monkeypatch.setattr(
        "sys.stdin", io.StringIO(f"b {Path(__file__).name}:{line}\nthread 7\nc\np i\np x.data[i]\ndelete\nc\n")
    )
    reverse[1, 64](np.arange(64.0))
    printed = capsys.readouterr().out
    assert "i = 7\n" in printed
    assert "x.data[i] = 7.0\n" in printed


def test_what_is_not_for_this_way() -> None:
    wrong: Any = "yes"
    with pytest.raises(ArgumentError, match="`debug` is True or False"):
        openptx.numba.activate(debug=wrong)
    with pytest.raises(ArgumentError, match="no target"):
        openptx.numba.activate("sm_1")


def test_activation_is_undone() -> None:
    active = cuda.to_device
    openptx.numba.deactivate()
    assert cuda.to_device is not active
    openptx.numba.deactivate()
    openptx.numba.activate("sm_90")
    assert cuda.to_device is active


def test_the_recipe_works_as_it_stands(tmp_path: Path) -> None:
    files = re.findall(r"^`([\w./]+\.py)`.*?^```python\n(.*?)^```", RECIPE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert [name for name, _ in files] == ["conftest.py", "test_sum.py"]
    for name, text in files:
        (tmp_path / name).write_text(text)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--rootdir={tmp_path}", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 passed" in done.stdout
