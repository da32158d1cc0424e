"""Boxes of tensors with tensor maps that the kernel creates, compared with NumPy: all ranks and edges."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest
from tensor_copy_kernels import BOTH, SHARED, Tensor, kernel, launched, loads, numbers

import openptx
from openptx.errors import Fault, Unsupported

# fmt: off
BOXES = [
    # array                       type  box               at                  more
    ((64,),                       "u1", (32,),            (5,),               {}),
    ((64,),                       "u2", (16,),            (-3,),              {}),
    ((9, 32),                     "f4", (8, 5),           (27, 6),            {}),
    ((9, 32),                     "f4", (8, 5),           (-20, -40),         {}),
    ((9, 32),                     "i8", (4, 7),           (30, -2),           {"fill": 0}),
    ((9, 32),                     "f2", (16, 4),          (24, 7),            {"fill": 1}),
    ((9, 32),                     "f4", (8, 4),           (28, -1),           {"fill": 1}),
    ((9, 32),                     "f8", (4, 4),           (-2, 3),            {"fill": 1}),
    ((20, 32),                    "f2", (16, 19),         (3, 2),             {"swizzle": 1}),
    ((20, 32),                    "f4", (16, 19),         (3, 2),             {"swizzle": 2}),
    ((20, 64),                    "f2", (64, 19),         (5, -1),            {"swizzle": 3}),
    ((6, 10, 8),                  "u4", (8, 6, 5),        (1, 3, 2),          {"steps": (1, 3, 2)}),
    ((3, 4, 5, 16),               "u1", (16, 2, 3, 2),    (3, 4, -1, 1),      {}),
    ((3, 2, 4, 5, 8),             "u2", (8, 2, 3, 2, 2),  (2, 1, 2, -1, 2),   {}),
]
# fmt: on


@pytest.mark.parametrize("way", ["shared::cta", "shared::cluster"])
@pytest.mark.parametrize(("shape", "type", "box", "at", "more"), BOXES)
def test_a_box_is_brought(shape, type, box, at, more, way) -> None:
    tensor = Tensor(numbers(shape, type), box, **more)
    modifiers = f"{len(box)}d.{way}.global.tile.mbarrier::complete_tx::bytes"
    engines = BOTH if way == "shared::cta" or len(box) > 2 else BOTH[:1]  # a compilation takes most of a second
    back = launched(tensor, loads(tensor.bytes, modifiers, ", ".join(map(str, at))), engines=engines)
    places = tensor.places(at)
    assert not all(map(tensor.inside, places)) or shape == (64,) or more  # most boxes stand over an edge
    codes = f"u{tensor.array.itemsize}"
    np.testing.assert_array_equal(back[: tensor.bytes].view(codes), tensor.expected(places).view(codes))
    assert set(back[tensor.bytes :]) <= {0xA5}


@pytest.mark.parametrize(("shape", "type", "box", "at", "more"), BOXES)
def test_a_box_is_sent(shape, type, box, at, more) -> None:
    """What is outside of the tensor is dropped."""
    tensor = Tensor(numbers(shape, type), box, **more)
    given, expected = numbers((prod(tensor.counts),), type, 2), tensor.array.copy()
    for place, value in zip(tensor.places(at), given, strict=True):
        if tensor.inside(place):
            expected[place] = value
    coordinates = ", ".join(map(str, at))
    move = f"cp.async.bulk.tensor.{len(box)}d.global.shared::cta.bulk_group [there, {{{coordinates}}}], [box];"
    launched(tensor, move, tensor.swizzled(given))
    np.testing.assert_array_equal(tensor.array, expected)


# fmt: off
ENDS = [
    # shape   type  columns  written  box      at
    ((9, 32), "u1", 23,      32,      (32, 4), (0, 2)),
    ((9, 32), "u1", 3,       16,      (32, 4), (0, 2)),    # the last unit that has elements, not the one after it
    ((9, 32), "f2", 17,      24,      (16, 4), (16, 7)),
    ((9, 32), "f4", 30,      32,      (8, 5),  (24, -2)),
    ((9, 32), "f4", 29,      32,      (4, 5),  (26, 1)),   # the box ends before the unit does
    ((9, 32), "f4", 25,      28,      (8, 5),  (22, 1)),   # a unit is one of global memory, not of the box
    ((9, 32), "f4", 28,      28,      (8, 5),  (24, 1)),
    ((9, 32), "f8", 5,       6,       (4, 4),  (2, 0)),
    ((64,),   "u1", 23,      32,      (32,),   (0,)),
    ((64,),   "f2", 17,      24,      (32,),   (0,)),
]
# fmt: on


@pytest.mark.parametrize(
    ("shape", "type", "columns", "written", "box", "at", "reduces"),
    [(*end, reduces) for end in ENDS for reduces in (False, True) if not reduces or end[1] in ("f2", "f4")],
)
def test_rows_are_sent_in_whole_units(shape, type, columns, written, box, at, reduces) -> None:
    """A tensor of `columns` in longer rows: what is stored or reduced goes to the next multiple of 16 bytes (H100)."""
    tensor = Tensor(numbers(shape, type), box)
    tensor.sizes = (columns, *tensor.sizes[1:])
    given, expected = numbers((prod(tensor.counts),), type, 2), tensor.array.copy()
    for place, value in zip(tensor.places(at), given, strict=True):
        if tensor.inside(place) and place[-1] < written:
            expected[place] = expected[place] + value if reduces else value
    opcode, modifiers = ("cp.reduce", ".add") if reduces else ("cp", "")
    coordinates = ", ".join(map(str, at))
    move = f"async.bulk.tensor.{len(box)}d.global.shared::cta{modifiers}.bulk_group [there, {{{coordinates}}}], [box];"
    launched(tensor, f"{opcode}.{move}", given)
    np.testing.assert_array_equal(tensor.array, expected)


class Packed(Tensor):
    """Elements of 4 or 6 bits in an array of bytes, sixteen of them in 8 or 12."""

    def __init__(self, code: int, bits: int, rows: int, columns: int, box: tuple[int, ...]) -> None:
        super().__init__(numbers((rows, columns * bits // 8), "u1"), box)
        self.code, self.sizes = code, (columns, rows)

    def fields(self) -> str:
        element = "elemtype.shared::cta.b1024.b32 [m], "
        return super().fields().replace(f"{element}0;", f"{element}{self.code};")


@pytest.mark.parametrize(("code", "bits"), [(13, 4), (14, 4), (15, 6)])
def test_elements_of_4_and_6_bits_are_brought(code: int, bits: int) -> None:
    """5.5.1.1: sixteen elements stay together; those of `.b4x16_p64` and `.b6x16_p32` are followed by padding."""
    tensor, at = Packed(code, bits, 5, 256, (128, 3)), (128, 3)
    size = 3 * 128 * bits // 8 if code == 13 else 3 * 128
    modifiers = "2d.shared::cta.global.tile.mbarrier::complete_tx::bytes"
    back = launched(tensor, loads(3 * 16 * bits, modifiers, ", ".join(map(str, at))))[:size].reshape(3, 8, -1)
    per = 2 * bits  # bytes of sixteen
    want = np.zeros((3, 8, per), np.uint8)
    want[:2] = tensor.array[3:, 8 * per :].reshape(2, 8, per)
    np.testing.assert_array_equal(back[:, :, :per], want)


def test_elements_of_6_bits_are_sent_from_bytes() -> None:
    """`.b6p2x16`: the upper two bits of each byte are dropped."""
    tensor = Packed(15, 6, 5, 256, (128, 3))
    given, expected = numbers((384,), "u1", 2) * np.uint8(2), tensor.array.copy()
    whole = [sum(int(b & 63) << 6 * i for i, b in enumerate(group)) for group in given.reshape(-1, 16)]
    packed = b"".join(n.to_bytes(12, "little") for n in whole)
    expected[3:, 96:] = np.frombuffer(packed, np.uint8).reshape(3, 96)[:2]
    launched(tensor, "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [there, {128, 3}], [box];", given)
    np.testing.assert_array_equal(tensor.array, expected)


def test_elements_of_4_bits_that_are_padded_are_only_brought() -> None:
    move = "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [there, {128, 3}], [box];"
    with pytest.raises(Fault, match="not copied to global memory"):
        launched(Packed(14, 4, 5, 256, (128, 3)), move)
    move = loads(384, "2d.shared::cta.global.tile.mbarrier::complete_tx::bytes", "8, 0")
    with pytest.raises(Fault, match="not whole pairs or groups of sixteen"):
        launched(Packed(14, 4, 5, 256, (128, 3)), move)


# fmt: off
REDUCTIONS = [
    ("add", "u4", np.add), ("add", "f4", np.add), ("add", "f2", np.add), ("add", "u8", np.add),
    ("min", "i4", np.minimum), ("max", "i8", np.maximum), ("max", "f2", np.maximum), ("and", "u4", np.bitwise_and),
    ("or", "i4", np.bitwise_or), ("xor", "u8", np.bitwise_xor), ("add", "f8", np.add),
    ("inc", "u4", lambda old, b: 0 if old >= b else old + 1),
    ("dec", "u4", lambda old, b: b if old == 0 or old > b else old - 1),
]
# fmt: on


COMPILED = {("add", "f2"), ("min", "i4"), ("or", "i4"), ("xor", "u8"), ("dec", "u4")}
"""The others differ from one of these in the type or in the operation alone."""


@pytest.mark.parametrize(("operation", "type", "does"), REDUCTIONS)
def test_a_box_is_reduced(operation, type, does) -> None:
    compare_reduced(operation, type, does, BOTH if (operation, type) in COMPILED else BOTH[:1])


@pytest.mark.sweep
@pytest.mark.parametrize(("operation", "type", "does"), REDUCTIONS)
def test_a_box_is_reduced_by_every_engine(operation, type, does) -> None:
    compare_reduced(operation, type, does, BOTH)


def compare_reduced(operation, type, does, engines) -> None:
    tensor = Tensor(numbers((9, 32), type), (8, 5))
    given, expected = numbers((40,), type, 2), tensor.array.copy()
    for place, value in zip(tensor.places((27, 6)), given, strict=True):
        if tensor.inside(place):
            expected[place] = does(expected[place], value)
    modifiers = f"2d.global.shared::cta.{operation}.bulk_group"
    launched(tensor, f"cp.reduce.async.bulk.tensor.{modifiers} [there, {{27, 6}}], [box];", given, engines=engines)
    np.testing.assert_array_equal(tensor.array, expected)


def test_rows_are_gathered_and_scattered() -> None:
    tensor = Tensor(numbers((9, 32), "f4"), (8, 1))
    at, rows = 29, (4, -1, 8, 9)
    places = [(row, at + i) for row in rows for i in range(8)]
    modifiers = "2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes"
    back = launched(tensor, loads(128, modifiers, f"{at}, 4, -1, 8, 9"))
    np.testing.assert_array_equal(back[:128], tensor.expected(places))
    given, expected = numbers((32,), "f4", 2), tensor.array.copy()
    for place, value in zip(places, given, strict=True):
        if tensor.inside(place):
            expected[place] = value
    modifiers = "2d.global.shared::cta.tile::scatter4.bulk_group"
    launched(tensor, f"cp.async.bulk.tensor.{modifiers} [there, {{{at}, 4, -1, 8, 9}}], [box];", given)
    np.testing.assert_array_equal(tensor.array, expected)


@pytest.mark.parametrize(
    "text", ["2d.L2.global.tile [there, {1, 2}]", "3d.L2.global.im2col [there, {1, 2, 3}], {1}"], ids=["tile", "im2col"]
)
def test_prefetching_changes_nothing(text: str) -> None:
    tensor = Tensor(numbers((9, 32), "f4"), (8, 5))
    assert set(launched(tensor, f"cp.async.bulk.prefetch.tensor.{text};")) == {0xA5}
    np.testing.assert_array_equal(tensor.array, numbers((9, 32), "f4"))


def test_a_box_is_brought_to_the_ctas_that_a_mask_names() -> None:
    tensor = Tensor(numbers((9, 32), "f4"), (8, 5))
    modifiers = "2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster"
    back = launched(tensor, loads(160, modifiers, "3, 2", ", 1"))
    np.testing.assert_array_equal(back[:160], tensor.expected(tensor.places((3, 2))))


@pytest.mark.parametrize(
    ("home", "issuer", "address"),
    [
        (0, 1, "mapa.shared::cluster.u32 at, at, 0"),
        (1, 1, "mapa.shared::cluster.u32 at, at, 1"),
        (0, 1, "and.b32 at, at, 0xFEFFFFFF"),  # CuTe: that of the even CTA
        (0, 0, "and.b32 at, at, 0xFEFFFFFF"),
        (0, 1, "xor.b32 at, at, 0x01000000"),  # that of the other CTA
        (1, 0, "xor.b32 at, at, 0x01000000"),
        (1, 1, "add.s32 at, at, 0"),
        (0, 0, "add.s32 at, at, 0"),
    ],
)
def test_a_pair_of_ctas_tells_the_barrier_of_one(home: int, issuer: int, address: str) -> None:
    """CTA `issuer` brings the box to both; for each of the two copies the barrier of CTA `home` is told."""
    tensor = Tensor(numbers((9, 32), "f4"), (8, 5))
    modifiers = "shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.cta_group::2"
    moves = f"""{{ .reg .b32 rank, at; .reg .b64 own; .reg .pred waits, issues;
    mov.u32 rank, %cluster_ctarank; mul.wide.u32 own, rank, {SHARED}; add.s64 back, back, own;
    setp.eq.u32 waits, rank, {home}; setp.eq.u32 issues, rank, {issuer};
    @waits mbarrier.arrive.expect_tx.shared.b64 state, [bar], 320;
    barrier.cluster.arrive; barrier.cluster.wait;
    mov.u32 at, bar; {address};
    @issues cp.async.bulk.tensor.2d.{modifiers} [box], [there, {{3, 2}}], [at], 3;
    @!waits bra MEET;
    SECOND: mbarrier.try_wait.shared.b64 ready, [bar], state; @!ready bra SECOND;
    MEET: barrier.cluster.arrive; barrier.cluster.wait; }}"""
    back, sent = np.zeros((2, SHARED), np.uint8), np.full(SHARED, 0xA5, np.uint8)
    args = tensor.array, sent, back, np.zeros(128, np.uint8)
    openptx.load(kernel(tensor, moves))["k"](2, 32, args, cluster=2, engine="interp", timeout=20)
    for own in back:
        np.testing.assert_array_equal(own[:160], tensor.expected(tensor.places((3, 2))))
        assert set(own[160:]) <= {0xA5}


# fmt: off
BULK = "async.bulk.tensor"
WRONG = [
    # what         type  instruction                                  operands                      fault
    ("rank",       "f4", f"cp.{BULK}.3d.global.shared::cta",          "[there, {1, 2, 3}], [box]",  "3 dimensions"),
    ("alignment",  "f4", f"cp.{BULK}.2d.global.shared::cta",          "[there, {1, 2}], [box+64]",  "128 bytes"),
    ("rows",       "u1", f"cp.{BULK}.2d.global.shared::cta",          "[there, {1, 2}], [box]",     "16 bytes"),
    ("type",       "f4", f"cp.reduce.{BULK}.2d.global.shared::cta.and", "[there, {1, 2}], [box]",   "another type"),
]
# fmt: on


@pytest.mark.parametrize(("what", "type", "instruction", "operands", "fault"), WRONG, ids=[c[0] for c in WRONG])
def test_faults(what, type, instruction, operands, fault) -> None:
    with pytest.raises(Fault, match=fault) as raised:
        launched(Tensor(numbers((9, 32), type), (8, 5)), f"{instruction}.bulk_group {operands};")
    assert raised.value.name == ("misaligned-access" if what == "alignment" else "undefined-behavior")


def test_a_tensor_larger_than_its_memory_ends_in_a_fault() -> None:
    tensor = Tensor(numbers((9, 32), "f4"), (8, 5))
    tensor.sizes = (32, 10)
    with pytest.raises(Fault, match="outside of every allocation"):
        launched(tensor, loads(160, "2d.shared::cta.global.tile.mbarrier::complete_tx::bytes", "3, 8"))


@pytest.mark.parametrize(
    ("box", "message"), [((8, 0), "0 elements"), ((300, 1), "300 elements"), ((256, 256), "larger than shared memory")]
)
def test_boxes_that_no_memory_holds_end_in_a_fault(box: tuple[int, int], message: str) -> None:
    with pytest.raises(Fault, match=message):
        launched(
            Tensor(numbers((9, 32), "f4"), box),
            "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [there, {0, 0}], [box];",
        )


class Coarse(Tensor):
    """Whose swizzle keeps more than 16 bytes together, by the code of Table 33."""

    atomicity = 1

    def fields(self) -> str:
        field = "tensormap.replace.tile.swizzle_atomicity.shared::cta.b1024.b32"
        return f"{field} [m], {self.atomicity};\n{super().fields()}"


@pytest.mark.parametrize(("atomicity", "bit"), [(1, 5), (3, 6)])
def test_chunks_of_32_and_64_bytes_stay_together(atomicity: int, bit: int) -> None:
    """5.5.7: the line of 128 bytes that a chunk is in changes its address from `bit` on."""
    array = numbers((9, 32), "f4")
    tensor = Coarse(array, (32, 9), swizzle=3)
    tensor.atomicity = atomicity
    back = launched(tensor, loads(tensor.bytes, "2d.shared::cta.global.tile.mbarrier::complete_tx::bytes", "0, 0"))
    at = np.arange(0, tensor.bytes, 16)
    chunks = back[: tensor.bytes].reshape(-1, 16)[(at ^ (at >> 7 << bit) & 0x7F) >> 4]
    np.testing.assert_array_equal(chunks.reshape(-1).view("f4").reshape(9, 32), array)


def test_other_swizzles_keep_16_bytes_together() -> None:
    """Table 14."""
    tensor = Coarse(numbers((9, 32), "f4"), (16, 9), swizzle=2)
    with pytest.raises(Fault, match="atomicity of 32 or 64 bytes"):
        launched(tensor, loads(tensor.bytes, "2d.shared::cta.global.tile.mbarrier::complete_tx::bytes", "0, 0"))


def test_what_boxes_know_nothing_of_is_unsupported_by_name() -> None:
    tensor = Tensor(numbers((9, 32), "f4"), (8, 5))
    with pytest.raises(Unsupported, match=r"\.swizzle_atomicity 2"):
        launched(tensor, "tensormap.replace.tile.swizzle_atomicity.shared::cta.b1024.b32 [m], 2;")
