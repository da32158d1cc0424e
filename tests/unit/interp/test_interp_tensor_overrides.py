"""Copies of tensors whose address, sizes and strides are overridden, or that report (PTX ISA 9.4, 9.7.10.28)."""

from __future__ import annotations

import numpy as np
import pytest
from tensor_copy_kernels import Tensor, launched, loads, numbers

from openptx.errors import Fault

SHARED = "mbarrier::complete_tx::bytes"
OTHER = "add.s64 tensor, tensor, {};"
ADDRESS = ".override::global_address"
STRIDES = ADDRESS + ".override::global_dim_stride"


def moved(tensor: Tensor, text: str) -> np.ndarray:
    return launched(tensor, text.replace("[there, {", "[there, tensor, {"))


@pytest.fixture(autouse=True)
def sm_107(monkeypatch: pytest.MonkeyPatch) -> None:
    import tensor_copy_kernels as copies

    made = copies.kernel
    monkeypatch.setattr(
        copies, "kernel", lambda *given: made(*given).replace("8.8", "9.5", 1).replace("sm_100a", "sm_107a", 1)
    )


def test_a_box_comes_from_another_address() -> None:
    """16 bytes further on a row has other elements, and those beyond its end are of the next one."""
    tensor = Tensor(numbers((9, 32), "f4"), (8, 5))
    back = moved(tensor, OTHER.format(16) + loads(160, f"2d.shared::cta.global.tile.{SHARED}{ADDRESS}", "3, 2"))
    flat = tensor.array.reshape(-1)
    expected = [[flat[(2 + i) * 32 + 3 + 4 + j] for j in range(8)] for i in range(5)]
    np.testing.assert_array_equal(back[:160].view("f4").reshape(5, 8), expected)


def test_a_box_goes_to_another_address() -> None:
    tensor, given = Tensor(numbers((9, 32), "i4"), (4, 2)), numbers((8,), "i4", 2)
    expected = tensor.array.copy()
    expected[3:5, 4:8] = given.reshape(2, 4)
    text = f"cp.async.bulk.tensor.2d.global.shared::cta.bulk_group{ADDRESS} [there, tensor, {{0, 3}}], [box];"
    launched(tensor, OTHER.format(16) + text, given)
    np.testing.assert_array_equal(tensor.array, expected)


def test_a_box_is_reduced_at_another_address() -> None:
    tensor, given = Tensor(numbers((9, 32), "i4"), (4, 2)), numbers((8,), "i4", 2)
    expected = tensor.array.copy()
    expected[3:5, 4:8] += given.reshape(2, 4)
    text = (
        f"cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group{ADDRESS} [there, tensor, {{0, 3}}], [box];"
    )
    launched(tensor, OTHER.format(16) + text, given)
    np.testing.assert_array_equal(tensor.array, expected)


SIZES = """.reg .b16 w, h, up; .reg .b32 low; mov.b16 w, 6; mov.b16 h, 0x103; mov.b16 up, 0; mov.b32 low, 16;
"""


def test_a_box_of_other_sizes_and_strides() -> None:
    """6 by 3 elements (the size is the lower byte), whose rows are 16 units of 16 bytes apart: every second one."""
    tensor = Tensor(numbers((9, 32), "f4"), (8, 5))
    text = loads(160, f"2d.shared::cta.global.{SHARED}{STRIDES}", "0, 0")
    back = launched(tensor, SIZES + text.replace("[there,", "[there, tensor, {w, h}, {low}, up,"))
    expected = np.zeros((5, 8), "f4")
    expected[:3, :6] = tensor.array[:6:2, :6]
    np.testing.assert_array_equal(back[:160].view("f4").reshape(5, 8), expected)


def test_the_upper_bits_of_strides_lead_far_away() -> None:
    tensor = Tensor(numbers((9, 32), "f4"), (8, 5))
    text = loads(160, f"2d.shared::cta.global.{SHARED}{STRIDES}", "0, 0")
    sizes = SIZES.replace("mov.b16 up, 0", "mov.b16 up, 1")
    with pytest.raises(Fault, match="global"):
        launched(tensor, sizes + text.replace("[there,", "[there, tensor, {w, h}, {low}, up,"))


def test_one_dimension_of_another_size() -> None:
    tensor = Tensor(numbers((64,), "i4"), (16,))
    text = loads(64, f"1d.shared::cta.global.{SHARED}{ADDRESS}.override::global_dim", "0")
    back = launched(tensor, SIZES + text.replace("[there,", "[there, tensor, {w},"))
    np.testing.assert_array_equal(back[:64].view("i4"), [*tensor.array[:6], *[0] * 10])


MASKS = (".multicast::cluster", ".multicast::cluster::32b")
TOGETHER = [
    (mask, fields) for mask in MASKS for fields in ("", ADDRESS, STRIDES) if (mask, fields) != (MASKS[0], STRIDES)
]
"""Other sizes go with masks of 32 bits only."""


@pytest.mark.parametrize(("mask", "fields"), TOGETHER)
@pytest.mark.parametrize("report", ["", ".mbarrier::report::disabled"])
def test_masks_reports_and_overrides_go_together(report: str, mask: str, fields: str) -> None:
    """The tensor as the map has it, and the one CTA that there is."""
    tensor = Tensor(numbers((9, 32), "f4"), (8, 5))
    text = loads(160, f"2d.shared::cluster.global.tile.{SHARED}{mask}{report}{fields}", "0, 0", ", 1")
    inside = {"": "", ADDRESS: "tensor, ", STRIDES: "tensor, {w, h}, {low}, up, "}[fields]
    sizes = SIZES.replace("w, 6", "w, 32").replace("0x103", "9").replace("low, 16", "low, 8")
    back = launched(tensor, sizes + text.replace("[there, ", f"[there, {inside}"), engines=("interp",))
    np.testing.assert_array_equal(back[:160], tensor.expected(tensor.places((0, 0))))


@pytest.mark.parametrize("report", ["", ".mbarrier::report::disabled"])
def test_one_dimension_by_a_mask(report: str) -> None:
    tensor = Tensor(numbers((64,), "i4"), (16,))
    text = loads(64, f"1d.shared::cluster.global.{SHARED}{MASKS[1]}{report}{ADDRESS}.override::global_dim", "0", ", 1")
    back = launched(tensor, SIZES + text.replace("[there,", "[there, tensor, {w},"), engines=("interp",))
    np.testing.assert_array_equal(back[:64].view("i4"), [*tensor.array[:6], *[0] * 10])


@pytest.mark.parametrize(("mask", "report"), [(MASKS[0], ".mbarrier::report::disabled"), (MASKS[1], "")])
def test_bytes_are_brought_by_a_mask(mask: str, report: str) -> None:
    tensor = Tensor(numbers((64,), "i4"), (16,))
    text = f"""mbarrier.arrive.expect_tx.shared.b64 state, [bar], 32;
    cp.async.bulk.shared::cluster.global.{SHARED}{mask}{report} [box], [tensor], 32, [bar], 1;
    SECOND: mbarrier.try_wait.shared.b64 ready, [bar], state; @!ready bra SECOND;"""
    back = launched(tensor, text, engines=("interp",))
    np.testing.assert_array_equal(back[:32].view("i4"), tensor.array[:8])
    assert set(back[32:]) == {0xA5}


@pytest.mark.parametrize("reduces", [False, True])
@pytest.mark.parametrize("rank", [1, 2])
def test_other_sizes_bound_what_is_sent(rank: int, reduces: bool) -> None:
    tensor, given = Tensor(numbers((9, 32)[2 - rank :], "i4"), (8, 4)[:rank]), numbers((8 * 4 ** (rank - 1),), "i4", 2)
    expected = tensor.array.copy()
    # 6 by 3, every second row; and what lies between a row's end and the next multiple of 16 bytes, as on an H100
    part = expected[:8] if rank == 1 else expected[:6:2, :8]
    sent = given[:8] if rank == 1 else given.reshape(4, 8)[:3]
    part[...] = part + sent if reduces else sent
    fields, inside = (f"{ADDRESS}.override::global_dim", "{w}") if rank == 1 else (STRIDES, "{w, h}, {low}, up")
    opcode = ("cp.reduce", ".add") if reduces else ("cp", "")
    at = ", ".join("0" * rank)
    text = f"{opcode[0]}.async.bulk.tensor.{rank}d.global.shared::cta{opcode[1]}.bulk_group{fields}"
    launched(tensor, f"{SIZES}{text} [there, tensor, {inside}, {{{at}}}], [box];", given)
    np.testing.assert_array_equal(tensor.array, expected)


@pytest.mark.parametrize(
    ("before", "modifiers", "at", "fault"),
    [
        (OTHER.format(8), ADDRESS, "3, 2", "multiple of 16"),
        ("", STRIDES, "0, 1", "sizes are overridden"),
    ],
)
def test_what_overrides_need(before: str, modifiers: str, at: str, fault: str) -> None:
    tensor = Tensor(numbers((9, 32), "f4"), (8, 5))
    inside = "tensor," if modifiers == ADDRESS else "tensor, {w, h}, {low}, up,"
    text = loads(160, f"2d.shared::cta.global.{SHARED}{modifiers}", at).replace("[there,", f"[there, {inside}")
    with pytest.raises(Fault, match=fault):
        launched(tensor, SIZES + before + text)


def test_thirty_two_ctas_can_be_named() -> None:
    tensor = Tensor(numbers((9, 32), "f4"), (8, 5))
    modifiers = f"2d.shared::cluster.global.tile.{SHARED}.multicast::cluster::32b"
    back = launched(tensor, loads(160, modifiers, "3, 2", ", 1"), engines=("interp",))
    np.testing.assert_array_equal(back[:160], tensor.expected(tensor.places((3, 2))))


# fmt: off
REPORTS = [
    # type  element             pattern                    where      reported
    ("u4",  0x80000000,         "per_16bytes::80000000",   (2, 8),    1),
    ("u4",  0x80000000,         "per_16bytes::80000000",   (2, 9),    0),  # not the element that is sampled
    ("u4",  0x80000000,         "per_16bytes::80000000",   (8, 0),    0),  # not in the box
    ("u2",  0x8000,             "per_16bytes::8000",       (3, 16),   1),
    ("u1",  0x80,               "per_16bytes::80",         (3, 48),   1),
    ("u1",  0x18,               "per_16bytes::8",          (3, 32),   1),
    ("u1",  0x80,               "per_16bytes::8",          (3, 32),   0),
    ("u1",  0xFF,               "per_element::ff",         (4, 39),   1),
    ("u4",  0x00FF0000,         "per_element::ff",         (4, 11),   1),
    ("u4",  0x0FF00000,         "per_element::ff",         (4, 11),   0),
]
# fmt: on


@pytest.mark.parametrize(("type", "element", "pattern", "where", "reported"), REPORTS)
def test_a_copy_reports(type: str, element: int, pattern: str, where: tuple[int, int], reported: int) -> None:
    """The box begins at row 2 and 32 bytes into it, and has 3 rows of 32 bytes."""
    size = int(type[1])  # bytes
    tensor = Tensor(np.ones((9, 64 // size), type), (32 // size, 3))
    tensor.array[where] = element
    at = f"{32 // size}, 2"
    report = f".mbarrier::report::validity::{pattern}"
    copy = loads(96, f"2d.shared::cta.global.tile.{SHARED}{report}", at)
    text = (
        ".reg .pred reported; .reg .b32 said; "
        "mbarrier.inval.shared.b64 [bar]; mbarrier.init.layout::v1.shared.b64 [bar], 1;"
        + copy.replace("try_wait.shared.b64 ready,", "try_wait.phase_type::primary.shared.b64 ready|reported,")
        + "selp.b32 said, 1, 0, reported; st.shared.b32 [box+96], said;"
    )
    back = launched(tensor, text, engines=("interp", "native") if size == 4 else ("interp",))
    assert back[96:100].view("u4")[0] == reported


def test_a_report_needs_the_second_layout() -> None:
    tensor = Tensor(numbers((9, 32), "u4"), (8, 5))
    tensor.array[2, 0] = 0x80000000
    modifiers = f"2d.shared::cta.global.tile.{SHARED}.mbarrier::report::validity::per_16bytes::80000000"
    with pytest.raises(Fault, match="layout::v1"):
        launched(tensor, loads(160, modifiers, "0, 2"), engines=("interp",))
