"""Every pair of the space that an instruction names and the window that an address lies in (6.4.1.1), on both engines.

An address outside of the space that the instruction names is a fault. The manual leaves it undefined, except that the
window of kernel parameters is inside of `.global`, and that a shared address is the low 32 bits of a register (6.4.1).
Both engines say the same, or leave the same bytes.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import nullcontext

import numpy as np
import pytest

from openptx.errors import Fault
from openptx.isa.address_windows import CONST, CTA_SHIFT, FUNCTION, LOCAL, PARAM, RANK_0, SHARED, SHIFT
from openptx.runtime import load
from openptx.runtime.module import LoadedModule

LANES = 32
PLACES = 512  # bytes of each array

OPERATIONS = {
    "ld": "ld{s}.u32 r, [{a}]; st.global.u32 [o], r;",
    "ld.v4": "ld{s}.v4.u32 {{r, r1, r2, r3}}, [{a}]; st.global.u32 [o], r3;",
    "ld.v2.b64": "ld{s}.v2.u64 {{b, b1}}, [{a}]; st.global.u64 [o], b1;",
    "ld.u8": "ld{s}.u8 h, [{a}+3]; st.global.u8 [o], h;",
    "ld.b128": "ld{s}.b128 z, [{a}]; mov.b128 {{b, b1}}, z; st.global.u64 [o], b1;",
    "ld.twice": "ld{s}.u32 r, [{a}]; ld{s}.u32 r1, [{a}+4]; add.u32 r, r, r1; st.global.u32 [o], r;",
    "st": "st{s}.u32 [{a}], t;",
    "st.v4": "st{s}.v4.u32 [{a}], {{t, t, t, t}};",
    "st.v2.b64": "st{s}.v2.b64 [{a}], {{o, o}};",
    "st.u8": "st{s}.u8 [{a}+1], h;",
    "st.twice": "st{s}.u32 [{a}], t; st{s}.u32 [{a}+4], t;",
    "atom": "atom{s}.add.u32 r, [{a}], 3; st.global.u32 [o], r;",
    "atom.cas": "atom{s}.cas.b64 b, [{a}], b, o; st.global.u64 [o], b;",
    "atom.f32": "atom{s}.add.f32 f, [{a}], 0f3F800000; st.global.f32 [o], f;",
    "atom.b128": "atom{s}.exch.b128 z, [{a}], z;",
    "red": "red{s}.max.u32 [{a}], 7;",
    "red.f64": "red{s}.add.f64 [{a}], 0d3FF0000000000000;",
}  # fmt: skip
ATOMIC = ("", ".global", ".shared", ".shared::cluster")
NAMED = ("", ".global", ".shared", ".shared::cta", ".shared::cluster", ".local", ".const", ".param")
OTHERS = {
    "ld.nc": "ld.global.nc.u32 r, [{a}]; st.global.u32 [o], r;",
    "ld.nc.v4": "ld.global.nc.v4.u32 {{r, r1, r2, r3}}, [{a}]; st.global.u32 [o], r3;",
    "ldu": "ldu.global.u32 r, [{a}]; st.global.u32 [o], r;",
    "ldu.generic": "ldu.u32 r, [{a}]; st.global.u32 [o], r;",
    "prefetch": "prefetch.global.L2 [{a}]; prefetch.local.L1 [{a}]; prefetch.L1 [{a}];",
    "cp.async.from": "cp.async.ca.shared.global [mine], [{a}], 16; ld.shared.u32 r, [mine]; st.global.u32 [o], r;",
    "cp.async.short": "mov.u32 r, 7; cp.async.cg.shared.global [mine], [{a}], 16, r; ld.shared.u32 r, [mine];"
                      " st.global.u32 [o], r;",
    "cp.async.to": "cp.async.ca.shared.global [{a}], [o], 8;",
    "mbarrier.init": "mbarrier.init.shared.b64 [{a}], 3;",
    "mbarrier.init.generic": "mbarrier.init.b64 [{a}], 3;",
    "mbarrier.arrive": "mbarrier.arrive.shared.b64 b, [{a}];",
    "st.bulk": "st.bulk.weak.shared::cta [{a}], 16, 0;",
    "bulk.from": "cp.async.bulk.global.shared::cta.bulk_group [o], [{a}], 16;",
    "bulk.to": "cp.async.bulk.global.shared::cta.bulk_group [{a}], [mine], 16;",
    "bulk.in": "mbarrier.init.shared.b64 [bar], 1; cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes"
               " [mine], [{a}], 16, [bar];",
    "bulk.in.to": "mbarrier.init.shared.b64 [bar], 1; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                  " [{a}], [o], 16, [bar];",
    "bulk.red": "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [{a}], [mine], 16;",
    "ldmatrix": "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {{r}}, [{a}]; st.global.u32 [o], r;",
    "stmatrix": "stmatrix.sync.aligned.m8n8.x1.shared.b16 [{a}], {{t}};",
    "wmma.load": "wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {{f, f1, f2, f3, f4, f5, f6, f7}}, [{a}], 4;",
    "wmma.store": "wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [{a}], {{f, f1, f2, f3, f4, f5, f6, f7}}, 4;",
    "multimem": "multimem.red.relaxed.gpu.global.add.u32 [{a}], 1;",
    "discard": "discard.global.L2 [{a}], 128;",
    "applypriority": "applypriority.global.L2::evict_normal [{a}], 128;",
}  # fmt: skip

SPELLED = {
    "uniform": "mov.u64 a, w;",
    "offset": "mad.wide.u32 a, t, 16, w;",
    "per lane": "ld.global.u64 a, [l]; mad.wide.u32 a, t, 16, a;",
    "per lane, same": "ld.global.u64 a, [l];",
    "guarded": "mov.u64 a, w; setp.ge.u32 p, t, 9; @!p bra END;",
}


def text(code: str, spelled: str, variables: bool) -> str:
    own = ".shared .align 16 .b8 sh[512]; .local .align 16 .b8 lo[512];" if variables else ""
    if "mine" in code or "bar" in code:
        own += ".shared .align 128 .b8 mine[64]; .shared .b64 bar;"
    return f"""
.version 8.6
.target sm_100a
.address_size 64
.const .align 16 .b8 co[512] = {{1, 2, 3}};
.global .align 16 .b8 gl[512];
.visible .entry k(.param .u64 out, .param .u64 wild, .param .u64 list, .param .align 16 .b8 more[512]) {{
.reg .b64 o, w, a, l, b, b1; .reg .b32 t, r, r1, r2, r3; .reg .b16 h; .reg .b128 z; .reg .pred p;
.reg .f32 f, f1, f2, f3, f4, f5, f6, f7; {own}
ld.param.u64 o, [out]; ld.param.u64 w, [wild]; ld.param.u64 l, [list]; mov.u32 t, %tid.x; mov.b64 b, 7;
mov.b128 z, {{o, b}}; mov.u16 h, 200; mad.wide.u32 o, t, 16, o; mad.wide.u32 l, t, 8, l; mov.f32 f, 0f3F800000;
{"".join(f"mov.f32 f{i}, f; " for i in range(1, 8))}
{"mov.u64 a, sh; st.shared.u64 [a+8], b; mov.u64 a, lo; st.local.u64 [a+8], b;" if variables else ""}
{spelled} {code}
END: ret; }}
"""


class Windows:
    """Arrays for a kernel, and addresses in every window there is."""

    def __init__(self, module: LoadedModule) -> None:
        gc.collect()  # what others left: wild pointers would meet it
        self.out = np.zeros(16 * LANES, np.uint8)
        self.list = np.zeros(LANES, np.uint64)
        self.data = np.arange(PLACES, dtype=np.uint16).astype(np.uint8)
        self.frozen = self.data.copy()
        self.frozen.flags.writeable = False
        self.more = bytes(range(256)) * 2
        data, frozen = module.address(self.data), module.address(self.frozen)
        shared, local, const, param, function = (w << SHIFT[64] for w in (SHARED, LOCAL, CONST, PARAM, FUNCTION))
        self.places: dict[str, int] = {
            "array": data,
            "end of array": data + PLACES - 4,
            "after array": data + PLACES,
            "before array": data - 16,
            "read-only array": frozen,
            "variable": int(module.image.addresses["gl"]),
            "null": 0,
            "small": 64,
            "shared": shared,
            "shared, after": shared + 4096,
            "shared, rank 0": shared + (RANK_0 << CTA_SHIFT),
            "shared, rank 1": shared + (RANK_0 + 1 << CTA_SHIFT),
            "local": local,
            "local, stack": local + (1 << 30),
            "const": const,
            "const, after": const + PLACES,
            "param": param + 32,
            "function": function + 16,
            "no slot": 9 << 32,
            "after all slots": 1 << 48,
            "last": (1 << 64) - 16,
            "last byte": (1 << 64) - 1,
            # What becomes an address of another window where a space's own is added.
            "own shared, rank 0": RANK_0 << CTA_SHIFT,
            "own shared, rank 1": RANK_0 + 1 << CTA_SHIFT,
            "minus four": (1 << 64) - 4,
            "minus four in 32 bits": (1 << 32) - 4,
            "array less const": data - const,
            "array less param": data - param,
            "shared less const": (shared - const) % (1 << 64),
            "param less const": param - const + 32,
            "const less param": (const - param) % (1 << 64),
        }  # fmt: skip

    def end(self, module: LoadedModule, wild: int, others: int, engine: str) -> tuple[object, ...]:
        """How a launch ends where lanes from 5 on have `wild`, and the others' list says `others`."""
        for array in (self.out, self.data):
            array[:] = np.arange(array.size) % 251
        gl = module.get_global("gl")
        gl[:] = 9
        self.list[:] = wild
        self.list[:5] = others
        try:
            module["k"](1, LANES, (self.out, wild, self.list, self.more), engine=engine, workers=1)
        except Fault as fault:
            return (fault.name, str(fault))
        return ("", self.out.tobytes(), self.data.tobytes(), gl.tobytes(), self.frozen.tobytes())


def compare(code: str, spelled: str, variables: bool, places: Iterator[str] | None = None) -> dict[str, str]:
    """How each window ends; the engines agree."""
    module = load(text(code, SPELLED[spelled], variables))
    assert module["k"].why_interp(LANES) is None
    windows, found = Windows(module), dict[str, str]()
    for name in places or windows.places:
        if " less " in name and ".const" not in code and ".param" not in code:
            continue  # as a generic address it may be that of something that another test left
        wild = windows.places[name]
        for others in {wild, windows.places["array"]} if "lane" in spelled else {wild}:
            ends = [windows.end(module, wild, others, engine) for engine in ("interp", "native")]
            assert ends[0] == ends[1], f"{code}\n{spelled}, {name}: 0x{wild:x}, others 0x{others:x}\n" + "\n".join(
                str(end[1]) if end[0] else "no fault" for end in ends
            )
            if others == wild:
                found[name] = str(ends[0][0])
    return found


def spaces_of(operation: str) -> tuple[str, ...]:
    if operation.startswith(("atom", "red")):
        return ATOMIC
    return NAMED if operation.startswith("ld") else tuple(s for s in NAMED if s != ".const")


@pytest.mark.parametrize("spelled", ["uniform", "per lane"])
@pytest.mark.parametrize("operation", ["ld", "st.v4", "atom"])
def test_named_spaces(operation: str, spelled: str) -> None:
    for i, space in enumerate(spaces_of(operation)):
        variables = i % 2 > 0
        check_meaning(space, compare(OPERATIONS[operation].format(s=space, a="a"), spelled, variables), variables)


@pytest.mark.sweep
@pytest.mark.parametrize("variables", [False, True], ids=["bare", "variables"])
@pytest.mark.parametrize("spelled", SPELLED)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_all_named_spaces(operation: str, spelled: str, variables: bool) -> None:
    for space in spaces_of(operation):
        check_meaning(space, compare(OPERATIONS[operation].format(s=space, a="a"), spelled, variables), variables)


def check_meaning(space: str, found: dict[str, str], variables: bool) -> None:
    """Addresses of windows other than the space's own are faults. Those of the shared window are shared addresses, if
    the kernel has such memory."""
    windows = {"array", "shared", "local", "const", "function", "no slot"}
    inside = {"": windows - {"function", "no slot"}, ".global": {"array"}}.get(space, set())
    if space.startswith(".shared") and variables:
        inside = {"shared"}
        assert found["shared"] == ""
    for name in windows - inside:
        assert found[name] != "", f"{space} {name}"
    if "array" in inside:
        assert found["array"] == ""


@pytest.mark.parametrize("operation", OTHERS)
def test_other_instructions(operation: str) -> None:
    compare(OTHERS[operation].format(a="a"), "uniform", True)


@pytest.mark.sweep
@pytest.mark.parametrize("variables", [False, True], ids=["bare", "variables"])
@pytest.mark.parametrize("spelled", SPELLED)
@pytest.mark.parametrize("operation", OTHERS)
def test_all_other_instructions(operation: str, spelled: str, variables: bool) -> None:
    compare(OTHERS[operation].format(a="a"), spelled, variables)


KNOWN = {
    ".shared": ("sh", (".global", ".local")),
    ".local": ("lo", (".global", ".shared")),
    ".const": ("co", (".global", ".local")),
    ".param": ("more", (".global", ".shared")),
}  # fmt: skip


@pytest.mark.parametrize("home", KNOWN)
@pytest.mark.parametrize("operation", ["ld.v4", "st", "atom.f32"])
def test_addresses_that_the_compiler_knows(operation: str, home: str) -> None:
    name, spaces = KNOWN[home]
    for space in ("", *spaces) if operation[:4] != "atom" else ("", *({*spaces} & {*ATOMIC})):
        code = f"mov.u64 a, {name}; cvta{home}.u64 a, a; " + OPERATIONS[operation].format(s=space, a="a+16")
        found = compare(code, "uniform", True, iter(["array"]))["array"]
        if (home, space) == (".param", ".global"):
            assert (found == "") == operation.startswith("ld")
        else:
            assert (found == "") == (space == "" and (home in (".shared", ".local") or operation.startswith("ld")))


@pytest.mark.parametrize("space", [".shared", ".shared::cluster", ""])
@pytest.mark.parametrize("rank", [0, 1, 2])
@pytest.mark.parametrize("block", [0, 1])
def test_shared_memory_of_a_cluster(rank: int, space: str, block: int) -> None:
    """`.shared` is that of the executing CTA (5.1.7), `.shared::cluster` that of its cluster."""
    take = f"mov.u64 a, sh; mapa.shared::cluster.u64 a, a, {rank};"
    code = (
        f"{take} {'cvta.shared::cluster.u64 a, a;' if not space else ''} ld{space}.u32 r, [a+8]; st.global.u32 [o], r;"
    )
    module = load(text(f"mov.u32 r, %ctaid.x; setp.ne.u32 p, r, {block}; @p bra END; {code}", "", True))
    out, others = np.zeros(16 * LANES, np.uint8), np.zeros(LANES, np.uint64)
    good = (rank < 2) if space != ".shared" else (rank == block)
    wrong = (
        pytest.raises(Fault, match=r"outside of the 512 bytes of \.shared|no such CTA") if not good else nullcontext()
    )
    with wrong:
        module["k"](2, LANES, (out, 0, others, bytes(512)), cluster=2)


COPY = """
.version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 size) {
.reg .b64 a; .reg .b32 n, t; .reg .pred q; .shared .align 128 .b8 sh[64]; .shared .b64 bar;
ld.param.u64 a, [p]; ld.param.u32 n, [size]; mov.u32 t, %tid.x; setp.ne.u32 q, t, 0; @q bra END;
mbarrier.init.shared.b64 [bar], 1;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [sh], [a], n, [bar];
END: ret; }
"""


@pytest.mark.parametrize("engine", ["interp", "native"])
def test_a_copy_around_the_window_of_a_cta(engine: str) -> None:
    """The last byte is inside again, as that of the CTA's own rank; what is between is not."""
    with pytest.raises(Fault) as found:
        load(COPY)["k"](1, 32, (np.zeros(RANK_0 + 1 << CTA_SHIFT, np.uint8), (RANK_0 << CTA_SHIFT) + 16), engine=engine)
    assert found.value.message == "a copy that begins in one allocation and ends in another"


HEAP = """
.version 8.6
.target sm_90a
.address_size 64
.extern .func (.param .b64 r) malloc(.param .b64 n);
.extern .func free(.param .b64 p);
.visible .entry k(.param .u64 out) {
.reg .b64 a, b, c, o; .reg .b32 n, t; .reg .pred q; .shared .align 128 .b8 sh[512];
ld.param.u64 o, [out]; mov.u32 t, %tid.x; setp.ne.u32 q, t, 0; @q bra END;
{ .param .b64 n; .param .b64 r; st.param.b64 [n], 64; call (r), malloc, (n); ld.param.b64 a, [r]; }
{ .param .b64 n; .param .b64 r; st.param.b64 [n], 64; call (r), malloc, (n); ld.param.b64 b, [r]; }
{ .param .b64 n; .param .b64 r; st.param.b64 [n], 64; call (r), malloc, (n); ld.param.b64 c, [r]; }
{ .param .b64 n; st.param.b64 [n], b; call free, (n); }
st.global.u64 [o], a; st.global.u64 [o+8], c;
mov.u32 n, 224;
cp.async.bulk.global.shared::cta.bulk_group [a], [sh], n;
END: ret; }
"""


@pytest.mark.usefixtures("empty_heap")
@pytest.mark.parametrize("engine", ["interp", "native"])
def test_a_copy_over_what_free_took_back(engine: str) -> None:
    """It begins in one block and ends in another."""
    out = np.zeros(2, np.uint64)
    with pytest.raises(Fault) as found:
        load(HEAP)["k"](1, 32, (out,), engine=engine)
    first, last = out.tolist()
    assert first < last < first + 224 <= last + 64
    assert found.value.message.startswith("a copy of 224 bytes in the heap")
    assert found.value.address == first
