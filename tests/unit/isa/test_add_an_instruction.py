"""docs/add-an-instruction.md, followed step by step in a copy of the package."""

from __future__ import annotations

from pathlib import Path

from package_copy import PackageCopy, blocks

MODULE = "isa/instructions/integer_bits.py"
NEXT = "\n\nbfind = instruction("
"""What the declarations are put before: in the middle of the module, as `clz` and its neighbours are."""
KERNEL = """.version 9.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .b64 to;
    .reg .b32 r;
    ld.param.u64 to, [out];
    ctz.b64 r, to;
    st.global.b32 [to], r;
    ret;
}
"""
LAUNCH = "run k.ptx --grid 1 --block 1 --arg zeros:u32:1"


def test_the_page_works(tmp_path: Path) -> None:
    package = PackageCopy.below(tmp_path)
    declaration, meaning = blocks("add-an-instruction.md", "python")
    (spec,) = blocks("add-an-instruction.md", "")
    (tmp_path / "k.ptx").write_text(KERNEL)
    (tmp_path / "trailing_zeros.ptx").write_text(spec)
    assert "unknown" in package.openptx("check", "k.ptx", status=1)

    package.insert(MODULE, "\n\n" + declaration.rstrip(), before=NEXT)
    assert "below the lowest one bit" in package.openptx("isa", "ctz")
    assert "ctz.type d, a" in package.openptx("explain", "ctz.b32")
    assert "All checks passed" in package.openptx("check", "k.ptx")
    assert "`ctz.b64`" in package.openptx(*LAUNCH.split(), status=1)

    package.insert(MODULE, "\n\n" + meaning.rstrip(), before=NEXT)
    for engine in ("interp", "native"):
        printed = package.openptx("test", "--engine", engine, "trailing_zeros.ptx")
        assert "1 passed, 0 failed, 0 unsupported" in printed
    (tmp_path / "trailing_zeros.ptx").write_text(spec.replace("== 36", "== 35"))
    assert "(36), not 35" in package.openptx("test", "--engine", "interp", "trailing_zeros.ptx", status=1)
