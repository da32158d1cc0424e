"""Reserved device addresses: kernels access what is mapped and accessible, and fault elsewhere."""

from __future__ import annotations

import sys

import pytest

from openptx.device.memory import device
from openptx.device.reservations import Part, Physical, Reservation, reserve
from openptx.errors import Fault
from openptx.runtime import load
from openptx.runtime.module import Kernel

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="memfd_create is Linux's")
PAGE = 1 << 16
TEXT = """.version 8.0
.target sm_80
.address_size 64
.visible .entry set(.param .u64 a, .param .u32 v) {
    .reg .b64 %p; .reg .b32 %v;
    ld.param.u64 %p, [a]; ld.param.u32 %v, [v];
    st.global.u32 [%p], %v;
    ret;
}
"""


@pytest.fixture
def kernel() -> Kernel:
    return load(TEXT)["set"]


def mapped(where: Reservation, offset: int, memory: Physical, access: str = "rw") -> Part:
    part = Part(where.address + offset, memory.size, memory, 0, access)
    where.map(part)
    where.show()
    return part


@pytest.mark.parametrize("engine", ["interp", "native"])
def test_what_is_mapped_is_reached_and_the_rest_faults(kernel: Kernel, engine: str) -> None:
    where = reserve(device(64), 5 << 30)
    memory = Physical(PAGE)
    low, high = mapped(where, 0, memory), mapped(where, (4 << 30) + PAGE, memory)
    kernel(1, 1, (high.address, 5), engine=engine)
    assert where.data[:4].view("u4")[0] == 5  # the same memory
    for address in (low.end, high.address - 4, high.end):
        with pytest.raises(Fault, match="mapped memory"):
            kernel(1, 1, (address, 1), engine=engine)
    where.unmap([low])
    with pytest.raises(Fault, match="outside"):
        kernel(1, 1, (low.address, 1), engine=engine)
    assert where.data[0] == 0
    kernel(1, 1, (high.address, 6), engine=engine)
    where.unmap([high])
    where.release()


def test_access_is_checked_where_parts_have_slots_of_their_own(kernel: Kernel) -> None:
    where = reserve(device(64), 8 << 30)
    memory = Physical(PAGE)
    first, second = mapped(where, 0, memory), mapped(where, 4 << 30, memory, "r")
    kernel(1, 1, (first.address, 7))
    with pytest.raises(Fault, match="read"):
        kernel(1, 1, (second.address, 7))
    second.access = ""
    where.show()
    with pytest.raises(Fault):
        kernel(1, 1, (second.address, 7))
    where.unmap([first, second])
    where.release()


def test_addresses_are_not_given_twice() -> None:
    place = device(64)
    one, two = reserve(place, 5 << 30), reserve(place, 1)
    assert two.address >= one.end or one.address >= two.end
    again = one.address
    one.release()
    assert reserve(place, 1).address != again  # not at once, so that a stale pointer faults
    two.release()
