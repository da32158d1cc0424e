"""Random kernels about barriers leave the same bytes on every engine, and their code reads what it has written."""

from __future__ import annotations

import pytest
from engines import MODES, compare
from random_barriers import BarrierKernel
from random_kernels import Kernel
from unwritten_slots import unwritten_of_kernel

from openptx.engines.native import settings
from openptx.engines.native.analysis.unsupported import UnsupportedByJit
from openptx.engines.native.settings import Options
from openptx.runtime import load

EVERY_MODE = tuple(MODES)


def one(seed: int, size: int, modes: tuple[str, ...]) -> list[str]:
    """Fails where a kernel differs; gives why machine code could not run it."""
    kernel = BarrierKernel(seed, size)
    with settings.cache_at(None):
        found, left_out = compare(kernel, modes)
    assert not found, f"seed {seed}, size {size}, grid {kernel.grid}, block {kernel.block}: {found}\n{kernel.text()}"
    return left_out


@pytest.mark.parametrize("part", range(4))
def test_kernels_agree(part: int) -> None:
    """Two kernels, in one of the modes; most of them are really run as machine code."""
    left_out = [reason for seed in range(2) for reason in one(4 * seed + part, 1 + seed, (EVERY_MODE[part],))]
    assert len(left_out) <= 1, left_out


@pytest.mark.sweep
@pytest.mark.parametrize("part", range(100))
def test_many_kernels_agree(part: int) -> None:
    for seed in range(1000 + part * 20, 1020 + part * 20):
        one(seed, 1 + seed % 5, (EVERY_MODE[seed // 5 % len(EVERY_MODE)],))
    one(3000 + part, 12, EVERY_MODE)


def problems(kernel: Kernel) -> list[str]:
    """What the code of a kernel reads unwritten, in the versions that there are of it."""
    module, found = load(kernel.text()), list[str]()
    for baseline, turns in ((False, 0), (False, 3), (True, 0)):
        options = Options(kernel.block, True, baseline=baseline, deoptimize_after=turns)
        try:
            found += unwritten_of_kernel(module.program, module["k"].function, module.image, options)[1]
        except (UnsupportedByJit, NotImplementedError):
            continue
    return found


@pytest.mark.parametrize(("seed", "size"), [(0, 1), (1, 2)])
def test_code_reads_what_is_written(seed: int, size: int) -> None:
    assert problems(BarrierKernel(seed, size)) == []


@pytest.mark.sweep
@pytest.mark.parametrize("part", range(40))
def test_code_of_many_kernels_reads_what_is_written(part: int) -> None:
    for seed in range(4000 + part * 20, 4020 + part * 20):
        assert problems(BarrierKernel(seed, 1 + seed % 6)) == [], seed
        assert problems(Kernel(seed, 1 + seed % 12)) == [], seed


@pytest.mark.sweep
def test_kernels_try_everything() -> None:
    """What the generator promises to try occurs among a hundred kernels."""
    promised = {"exit;", "bar.sync 5", "st.shared.u32 [box]", "brx.idx", "call (", "barrier.cta.red", "shfl.sync"}
    for seed in range(100):
        text = BarrierKernel(seed).text()
        promised = {words for words in promised if words not in text}
        if not promised:
            break
    assert promised == set()
