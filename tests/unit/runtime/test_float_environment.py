"""Threads that flush subnormal numbers or round differently get the same bits and keep their modes."""

from __future__ import annotations

import ctypes
import platform
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import openptx
from openptx import float_environment
from openptx.float_environment import ENVIRONMENT_BYTES, in_standard_floats, is_standard, standard_floats

FLUSHING, UP = 0x9FC0, 0x5F80  # of MXCSR, beside the mask of exceptions
PTX = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p, .param .f32 given) {
    .reg .b64 %x, %a;
    .reg .f32 %f<9>;
    .reg .f64 %d<9>;
    ld.param.u64 %x, [p];
    ld.param.f32 %f7, [given];
    ld.global.f32 %f1, [%x];
    mul.rn.f32 %f2, %f1, 0f3F000000;
    add.f32 %f3, %f1, 1e-40;
    div.full.f32 %f4, %f1, 3e-39;
    mul.f32 %f5, 0f1E3CE508, 0f1E3CE508;
    add.f32 %f6, %f7, 0f3DCCCCCD;
    mov.f64 %d1, 0d0000100000000000;
    mul.f64 %d2, %d1, 0.5;
    st.global.v4.f32 [%x+16], {%f2, %f3, %f4, %f5};
    st.global.v2.f32 [%x+8], {%f6, %f7};
    st.global.f64 [%x+32], %d2;
    ret;
}
"""

pytestmark = pytest.mark.skipif(
    (sys.platform, platform.machine()) != ("linux", "x86_64"), reason="the environment is set by glibc's layout of it"
)


@contextmanager
def mxcsr(bits: int) -> Generator[None]:
    """The thread's control word of floats: at byte 28 of glibc's fenv_t for x86-64."""
    library = ctypes.CDLL(None)
    callers, other = (ctypes.create_string_buffer(ENVIRONMENT_BYTES) for _ in range(2))
    library.fegetenv(callers)
    library.fegetenv(other)
    other[28:32] = bits.to_bytes(4, "little")
    library.fesetenv(other)
    try:
        yield
    finally:
        library.fesetenv(callers)


def results(engine: str, text: str) -> bytes:
    x = np.zeros(10, np.float32)
    x.view(np.uint32)[0] = 0x00400000
    openptx.load(text)["k"](1, 1, (x, 1e-39), engine=engine)
    return x.tobytes()


@pytest.mark.parametrize("mode", [FLUSHING, UP])
@pytest.mark.parametrize("engine", ["interp", "native", "auto"])
def test_results_do_not_depend_on_the_thread(engine: str, mode: int) -> None:
    """The second text is another one for caches of code."""
    wanted = results(engine, PTX)
    with mxcsr(mode):
        assert not is_standard()
        found = results(engine, PTX + f"// {mode}")
        assert not is_standard()
        converted = openptx.convert(np.array([0x00400000], np.uint32).view(np.float32), "f64")
    assert found == wanted
    assert converted.tobytes() == np.array([2.0**-127]).tobytes()


def test_the_standard_environment_ends_with_an_exception() -> None:
    @in_standard_floats
    def fail() -> None:
        assert is_standard()
        raise KeyError

    with mxcsr(FLUSHING):
        with pytest.raises(KeyError):
            fail()
        assert not is_standard()
        with standard_floats():
            assert is_standard()
    assert is_standard()


def test_source_compiled_while_subnormal_numbers_are_flushed() -> None:
    """As Taichi does it: it sets its thread's environment, and its first call of the driver imports openptx."""
    source, names = Path(float_environment.__file__).read_text(), {"__name__": "openptx.float_environment"}
    with mxcsr(FLUSHING):
        exec(compile(source, "float_environment.py", "exec"), names)
        with names["standard_floats"]():  # type: ignore[operator]
            assert is_standard()
        assert not is_standard()
