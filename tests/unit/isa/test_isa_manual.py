"""The declarations compared with the manual: every form, every modifier, every example, every section."""

from __future__ import annotations

import random
import re

import manual
import pytest

from openptx.isa.notation import INSTRUCTIONS, Form, Instruction, load, resolve

# What the syntax blocks allow although the text forbids it, or by mistake; the assembler rejects all of it.
# Page: the choices that may not fit.
TAKEN_BACK = {
    "9.7.9.8": "const local param param::entry param::func",  # .volatile, .relaxed, .acquire: not for these spaces
    "9.7.9.9": "b128 L2::evict_normal L2::evict_first L2::evict_last",  # L2 priorities are for 256 bits
    "9.7.9.10": "b128",  # a vector of them is too wide
    "9.7.9.11": "local param param::func",
    "9.7.9.25": "b64",  # no 64-bit reduction to shared memory, but .add.u64
    "9.7.9.27": "level::cache_hint",  # not defined on the page
    "9.7.9.28": "b64",  # the third kind of field is .b32
    "9.7.10.3": "2dms a2dms",  # no mipmaps with multi-sample textures
    "9.7.13.7": "mmio cluster",  # .mmio and .release are for .sys and .gpu
    "9.7.14.5": "x4",  # ldmatrix .m16n16 has .x1 and .x2
    "9.7.16.8": "x1",  # .red needs .x2 or more
    "9.7.16.10": "collector::a::fill collector::a::use",  # not with .ashift
}


def _spelled(form: Form, fixed: int, choice: str, pick: random.Random) -> str:
    parts = [form.instruction.name]
    for i, slot in enumerate(form.slots):
        if i == fixed:
            parts.append(choice)
        elif not slot.optional or pick.random() < 0.25:
            parts.append(pick.choice(list(slot.choices)))
    return ".".join(parts)


def _uncovered(instruction: Instruction, pick: random.Random) -> list[str]:
    """The choices of its slots that no opcode of ours takes, in 300 attempts each at completing one."""
    missing: list[str] = []
    for form in instruction.forms:
        for i, slot in enumerate(form.slots):
            for choice in slot.choices:
                if not any(resolve(_spelled(form, i, choice, pick), "isa") for _ in range(300)):
                    missing.append(choice)
        if not form.slots and not resolve(instruction.name, "isa"):
            missing.append(instruction.name)
    return missing


def test_every_syntax_block_is_covered(record_property: pytest.RecordProperty) -> None:
    pick = random.Random(9)
    missing: list[str] = []
    forms = choices = 0
    for number in manual.facts("syntax"):
        allowed = TAKEN_BACK.get(number, "").split()
        for instruction in manual.blocks(number):
            forms += len(instruction.forms)
            choices += sum(len(slot.choices) for form in instruction.forms for slot in form.slots)
            missing += [f"{number} {instruction.name} .{c}" for c in _uncovered(instruction, pick) if c not in allowed]
    record_property("forms of the manual", forms)
    print(f"{forms} forms of the manual, {choices} modifiers in them")
    assert missing == []
    assert forms > 500
    assert choices > 5000


# Misspelt or unfinished opcodes in the manual's examples; the assembler refuses them all.
WRONG_EXAMPLES = {
    "bfe.b32",
    "fma.rz.sat.f32.f16.sat",
    "ld.gloal.nc.L1::evict_last.u32",
    "multimem.red.relaxed.gpu.max.f64",
    "cvt.rz.relu.satfinite.bf16.f3",
    "cvt.rn.satfinite.relu.e2m1x2type.f16x2",
    "cvt.rn.satfinite.e2m3x2type.bf16x2",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.xor.s32",
    "cp.async.bulk.tensor.1d.shared::cluster.global.tile.cta_group::2",
    "cp.async.bulk.tensor.1d.shared::cluster.global.tile",
    "cp.reduce.async.bulk.tensor.3d.global.shared::cta.xor.im2col.bulk_group",
    "suld.b.a1d.v2.b32",
    "suld.b.a2d.b32",
    "sust.b.a1d.v2.b64",
    "sust.b.a2d.b32",
    "sured.p.min.1d.u32.trap",
    "st.shared",
    "ld.shared",
    "ld.global",
    "mbarrier.init",
    "atom.global.v4.b16x2.min.noftz",
    "red.global.acquire.sys.add.u32",
    "tensormap.replace.tile.global_address.shared.b1024.b64",
    "clusterlaunchcontrol.query_cancel.is_canceled",
    "stmatrix.sync.aligned.m16n8.x4.b8",
    "tcgen05.mma",
    "tcgen05.st",
    "tcgen05.ld",
    "tcgen05.wait::st",
    "tcgen05.commit.mbarrier::arrive::one",
    "mbarrier.try_wait.relaxed.cluster",
    "tcgen05.mma.cta_group::1.kind::mxf8f6f4",
    "tcgen05.mma.sp.cta_group::1.kind::mxf8f6f4.collector::a:fill",
    "tcgen05.mma.ws.cta_group::1.kind::i8.collector::b2:use",
    "tcgen05.mma.cta_group.kind",
    "st.relaxed.b32",
    "ld.relaxed.b32",
    "vset4.u32.u32.ne.max",
}


def test_every_example_resolves() -> None:
    opcodes = {opcode for listed in manual.facts("examples").values() for opcode in listed}
    unknown = {opcode for opcode in opcodes if not resolve(opcode, "isa")}
    print(f"{len(opcodes)} opcodes in examples, {len(unknown)} of them wrong")
    assert unknown == WRONG_EXAMPLES
    assert len(opcodes) > 700


def _sections() -> dict[str, list[str]]:
    """The sections of 9.7 that the manual's index names, and the instructions in their titles."""
    found: dict[str, list[str]] = {}
    for number, title in manual.facts("sections"):
        section = ".".join(number.split(".")[:3])
        name = title.rpartition("Instructions:")[2] if "Instructions:" in title else ""
        found.setdefault(section, []).extend(
            re.findall(r"\b[a-z]\w*(?:\.\w+)*", name.replace("(deprecated)", "").replace("Asynchronous copy", ""))
        )
    return found


def test_every_section_of_the_index_is_declared() -> None:
    load()
    declared: dict[str, set[str]] = {}
    for instruction in INSTRUCTIONS:
        declared.setdefault(instruction.section, set()).add(instruction.name)
    sections = _sections()
    assert set(sections) == set(declared)
    missing: list[str] = []
    for section, names in sections.items():
        known = declared[section] | {name.split(".")[0] for name in declared[section]}
        lost = [name for name in names if name not in known and name.split(".")[0] not in known]
        print(f"{section}: {len(declared[section])} instructions, {len(names)} named in the index, missing {lost}")
        missing += lost
    assert missing == []
