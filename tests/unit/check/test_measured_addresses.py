"""Registers of 8 and 16 bits as addresses, with the verdicts of ptxas 13.5."""

from __future__ import annotations

import pytest

import openptx

MODULE = """.version {version}
.target {target}
.address_size 64
.entry k() {{
    .reg .b8 byte; .reg .s16 half; .reg .b16 word; .reg .u16 mask; .reg .b32 r; .reg .u64 d; .reg .b128 q; .reg .b64 p;
    {statement}
    ret;
}}
"""
BYTES = "mbarrier::complete_tx::bytes"
COMMIT = "tcgen05.commit.cta_group::1.mbarrier::arrive::one"

# fmt: off
ADDRESSES = (  # target, a statement with @ for an address; whether its register needs 32 bits
    ("sm_90a",  f"st.async.weak.shared::cluster.{BYTES}.b32 [@], r, [d];",           True),
    ("sm_90a",  f"st.async.shared.{BYTES}.v2.b32 [@], {{r, r}}, [d];",               True),
    ("sm_100a", f"st.async.shared::cta.{BYTES}.b128 [@], q, [d];",                   True),
    ("sm_90a",  f"st.async.weak.{BYTES}.b64 [d], p, [@];",                           True),
    ("sm_90a",  f"st.async.weak.shared::cluster.{BYTES}.b32 [d], r, [@];",           False),
    ("sm_90a",  f"st.async.shared::cta.{BYTES}.v2.b32 [d], {{r, r}}, [@];",          False),
    ("sm_100a",  "st.async.mmio.release.sys.global.b32 [@], r;",                     True),
    ("sm_90a",  f"red.async.relaxed.cluster.{BYTES}.inc.u32 [@], r, [d];",           True),
    ("sm_90a",  f"red.async.relaxed.cluster.{BYTES}.inc.u32 [d], r, [@];",           True),
    ("sm_90a",  f"red.async.relaxed.cluster.shared::cluster.{BYTES}.and.b32 [@], r, [d];", True),
    ("sm_90a",  f"red.async.relaxed.cluster.shared::cluster.{BYTES}.and.b32 [d], r, [@];", False),
    ("sm_100a",  "red.async.release.gpu.add.u64 [@], p;",                            True),
    ("sm_100a", f"{COMMIT}.b64 [@];",                                                True),
    ("sm_100a", f"{COMMIT}.shared::cluster.multicast::cluster.b64 [@], mask;",       True),
    ("sm_107a", f"{COMMIT}.multicast::cluster::32b.b64 [@], r;",                     True),
    ("sm_90a",   "prefetch.tensormap [@];",                                          True),
    ("sm_90a",   "prefetch.const.tensormap [@];",                                    True),
    ("sm_80",    "prefetch.global.L2 [@];",                                          False),
    ("sm_80",    "prefetch.L1 [@];",                                                 False),
    ("sm_80",    "cp.async.mbarrier.arrive.b64 [@];",                                True),
    ("sm_90a",   "cp.async.mbarrier.arrive.noinc.b64 [@];",                          True),
    ("sm_80",    "cp.async.mbarrier.arrive.shared.b64 [@];",                         False),
    ("sm_100a",  "st.bulk [@], 128, 0;",                                             True),
    ("sm_100a",  "st.bulk.weak.shared::cta [@], d, 0;",                              True),
    ("sm_80",    "createpolicy.range.L2::evict_last.b64 p, [@], 16, 32;",            True),
    ("sm_80",    "createpolicy.range.global.L2::evict_first.b64 p, [@], r, r;",      True),
    ("sm_90a",  f"cp.reduce.async.bulk.shared::cluster.shared::cta.{BYTES}.add.u32 [d], [d], 16, [@];", False),
    ("sm_80",    "mbarrier.arrive.b64 p, [@];",                                      False),
)
# fmt: on


@pytest.mark.parametrize(("target", "statement", "wide"), ADDRESSES)
def test_addresses_that_need_32_bits(target: str, statement: str, wide: bool) -> None:
    version = "9.5" if target == "sm_107a" else "9.3"
    for register in ("r", "d", "byte", "half", "word", "mask"):  # the wide ones first: what follows is not memorized
        text = MODULE.format(version=version, target=target, statement=statement.replace("@", register))
        found = [each.name for each in openptx.check(text) if each.severity == "error"]
        assert found == (["address-register"] if wide and register not in "rd" else []), register


def test_the_document_wants_32_bits_everywhere() -> None:
    text = MODULE.format(version="9.0", target="sm_80", statement="ld.global.b32 r, [half];")
    assert [each.name for each in openptx.check(text, profile="isa")] == ["address-register"]


@pytest.mark.parametrize("name", ["texture", "surface", "texture+4"])
@pytest.mark.parametrize("opcode", ["multimem.st.weak.u32", "multimem.st.relaxed.sys.global.u32"])
def test_a_store_to_a_multimem_address_takes_no_texture(opcode: str, name: str) -> None:
    text = MODULE.format(version="9.3", target="sm_90a", statement=f"{opcode} [{name}], r;")
    text = text.replace(".entry", ".global .texref texture; .global .surfref surface;\n.entry")
    assert [each.name for each in openptx.check(text) if each.severity == "error"] == ["operand-kind"]
