"""How a function is cut into blocks of instructions."""

from openptx.engines.interp.decode import plan
from openptx.runtime import load

LABELS = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u32 n) {
    .reg .u32 r;
    .reg .pred p;
$L__tmp0:
    ld.param.u32 r, [n];
$L__tmp1:
    add.u32 r, r, 1;
$L__tmp2:
loop:
    sub.u32 r, r, 1;
$L__tmp3:
    setp.ne.u32 p, r, 0;
    @p bra loop;
    ret;
}
"""


def test_labels_of_debug_information_end_no_block() -> None:
    """Compilers emit one before almost every instruction; only a branch brings lanes to a label."""
    decoded = plan(load(LABELS)["k"].function)
    blocks, pc = list[int](), 0
    while pc < len(decoded.code):
        blocks.append(len(decoded.block(pc).ops))
        pc = decoded.block(pc).end
    assert blocks == [2, 2, 0]
