"""Textures (9.7.10)."""

from __future__ import annotations

import re
from functools import partial

from openptx.isa.fidelity import EXACT, Fidelity, modelled
from openptx.isa.notation import instruction, meaning
from openptx.isa.notation.forms import Modifiers
from openptx.isa.semantics.elements import as_tuple
from openptx.isa.semantics.images import DIMENSIONS, Lookup
from openptx.isa.types import TYPES, Type
from openptx.numerics import FORMATS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine
    from openptx.numerics import Bits

    Vector = Bits | tuple[Bits, ...]  # `{a}` is `a`
    Place = tuple[Bits, *tuple[Vector, ...]]  # `[texture, sampler, coordinates]`, where the sampler may be missing

F16, F32 = FORMATS["f16"], FORMATS["f32"]

_COORDINATES = {"1d": 1, "2d": 2, "3d": 4, "a1d": 2, "a2d": 4, "cube": 4, "acube": 4, "2dms": 4, "a2dms": 4}
_OFFSETS = {"1d": 1, "a1d": 1, "2d": 2, "a2d": 2, "2dms": 2, "a2dms": 2, "3d": 4}
_GRADIENTS = {"1d": 1, "a1d": 1, "2d": 2, "a2d": 2, "3d": 4, "cube": 4, "acube": 4}


def coordinates(m: Modifiers) -> int:
    """The length of the coordinate vector: a power of two, with the array index first."""
    return _COORDINATES[m.geom or "2d"]


def offsets(m: Modifiers) -> int:
    return _OFFSETS.get(m.geom or "2d", 0)


def gradients(m: Modifiers) -> int:
    return _GRADIENTS.get(m.geom or "2d", 0)


def sample(m: Modifiers) -> Type:
    """The types of the result of a single-sample comparison: 32 bits, but f32 for depth."""
    return TYPES["f32"]


_TEX_TYPES = {
    "a": "texref",
    "b": "samplerref",
    "d": "dtype",
    "c": "ctype",
    "lod": "ctype",
    "dPdx": "f32",
    "dPdy": "f32",
    "e": "s32",
    "f": sample,
}
_LATER = {"e": "PTX 4.3, sm_30", "f": "PTX 4.3, sm_30", "p": "PTX 7.1, sm_60"}
"""Offsets, depths and the predicate of `d|p` were added later than the instructions."""
_NO_DEPTH = """
        geom=3d     f
        ctype=s32   f
"""
_LISTS = """
    d     integers in lists
    e     an ignored integer
    lod   a list of one, one of several
"""
_TEX_VECTORS = {"d": "vec", "c": coordinates, "e": offsets, "dPdx": gradients, "dPdy": gradients}

_WHOLE_BEFORE = frozenset(("Volta", "Turing", "Ampere", "Ada"))
_IN_SPACE = frozenset(("3d", "cube", "acube"))


def _moved(m: Modifiers, first: int = 0) -> range:
    """Elements of the coordinates and gradients in three dimensions: for sm_90 and newer the assembler moves each of
    them by itself, but for the index of a layer (measured)."""
    apart = m.mipmap == "grad" and m.geom in _IN_SPACE and m.generation not in _WHOLE_BEFORE
    return range(first, 4) if apart else range(0, 4, 4)


def _moved_coordinates(m: Modifiers) -> range:
    return _moved(m, int(m.geom == "acube"))


_PIECES = {"c": _moved_coordinates, "dPdx": _moved, "dPdy": _moved}


def depth_alone(syntax: str) -> str:
    """The offset and the depth are independent: each form again with the depth alone."""
    form = r"(?m)^ +\w+\..*\{, e\}\{, f\};.*\n(?: +\.\w+ *= .*\n)*"
    return re.sub(form, lambda found: found[0].replace("{, e}{, f}", ", f") + found[0], syntax)


_REJECTS = """
        geom=cube|acube ctype=s32        cube maps have floating-point coordinates
        geom=2dms|a2dms ctype=f32        multi-sample textures have integer coordinates
        geom=2dms|a2dms .level|.grad     multi-sample textures have no mipmaps
"""
_MANUAL_REJECTS = """
        geom=2dms|a2dms .base            multi-sample textures have no mipmaps
"""

_TEX = depth_alone("""
        tex.geom.vec.dtype.ctype            d[|p], [a, c]{, e}{, f};               // PTX 1.0
        tex.geom.vec.dtype.ctype            d[|p], [a, b, c]{, e}{, f};            // PTX 1.5
        tex.mipmap.geom.vec.dtype.ctype     d[|p], [a, c]{, e}{, f};               // PTX 3.1, sm_20
        .mipmap = { .base };
        tex.mipmap.geom.vec.dtype.ctype     d[|p], [a, b, c]{, e}{, f};            // PTX 3.1, sm_20
        .mipmap = { .base };
        tex.mipmap.geom.vec.dtype.ctype     d[|p], [a, c], lod{, e}{, f};          // PTX 3.1, sm_20
        .mipmap = { .level };
        tex.mipmap.geom.vec.dtype.ctype     d[|p], [a, b, c], lod{, e}{, f};       // PTX 3.1, sm_20
        .mipmap = { .level };
        tex.mipmap.geom.vec.dtype.ctype     d[|p], [a, c], dPdx, dPdy{, e}{, f};   // PTX 3.1, sm_20
        .mipmap = { .grad };
        tex.mipmap.geom.vec.dtype.ctype     d[|p], [a, b, c], dPdx, dPdy{, e}{, f};   // PTX 3.1, sm_20
        .mipmap = { .grad };
        tex.geom.vec.f16x2.ctype            d[|p], [a, c]{, e}{, f};               // PTX 4.2, sm_53
        .vec = { .v2 };
        tex.geom.vec.f16x2.ctype            d[|p], [a, b, c]{, e}{, f};            // PTX 4.2, sm_53
        .vec = { .v2 };
        tex.mipmap.geom.vec.f16x2.ctype     d[|p], [a, c]{, e}{, f};               // PTX 4.2, sm_53
        .mipmap = { .base };
        .vec = { .v2 };
        tex.mipmap.geom.vec.f16x2.ctype     d[|p], [a, b, c]{, e}{, f};            // PTX 4.2, sm_53
        .mipmap = { .base };
        .vec = { .v2 };
        tex.mipmap.geom.vec.f16x2.ctype     d[|p], [a, c], lod{, e}{, f};          // PTX 4.2, sm_53
        .mipmap = { .level };
        .vec = { .v2 };
        tex.mipmap.geom.vec.f16x2.ctype     d[|p], [a, b, c], lod{, e}{, f};       // PTX 4.2, sm_53
        .mipmap = { .level };
        .vec = { .v2 };
        tex.mipmap.geom.vec.f16x2.ctype     d[|p], [a, c], dPdx, dPdy{, e}{, f};   // PTX 4.2, sm_53
        .mipmap = { .grad };
        .vec = { .v2 };
        tex.mipmap.geom.vec.f16x2.ctype     d[|p], [a, b, c], dPdx, dPdy{, e}{, f};   // PTX 4.2, sm_53
        .mipmap = { .grad };
        .vec = { .v2 };

        .vec   = { .v4 };
        .dtype = { .u32, .s32, .f16, .f32 };
        .ctype = { .s32, .f32 };
    """)
_TEX_GATES = """
        .a1d|.a2d      PTX 2.3
        .cube          PTX 3.0
        .acube         PTX 3.0, sm_20
        .grad .cube|.acube   PTX 4.3
        .2dms|.a2dms   PTX 3.2, sm_30
        .f16           PTX 4.2, sm_53
"""

sampling = partial(
    instruction,
    types=_TEX_TYPES,
    vectors=_TEX_VECTORS,
    pieces=_PIECES,
    may_be_longer="c e",
    operand_gates=_LATER,
    absent=_NO_DEPTH,
    operands=_LISTS,
    rejects=_REJECTS,
)
"""Declares an instruction that samples a texture."""

tex = sampling(
    "tex",
    anchor="texture-instructions-tex",
    summary="d = the texel of texture a at coordinates c, with sampler b, offset e and depth comparison f.",
    syntax=_TEX + ".geom = { .1d, .2d, .3d, .a1d, .a2d };",
    manual_rejects=_MANUAL_REJECTS,
    gates=_TEX_GATES,
    ordered_prefix="mipmap",
)

_TLD4 = depth_alone("""
        tld4.comp.geom.vec.dtype.ctype   d[|p], [a, c]{, e}{, f};      // PTX 2.2, sm_20
        tld4.comp.geom.vec.dtype.ctype   d[|p], [a, b, c]{, e}{, f};   // PTX 2.2, sm_20
        .comp  = { .r, .g, .b, .a };
        .vec   = { .v4 };
        .dtype = { .u32, .s32, .f32 };
        .ctype = { .f32 };
    """)
_TLD4_GATES = """
        .a2d|.cube|.acube   PTX 4.3, sm_30
"""

tld4 = sampling(
    "tld4",
    anchor="texture-instructions-tld4",
    summary="d = one component of the four texels of texture a around coordinates c.",
    syntax=_TLD4 + ".geom = { .2d, .a2d };",
    gates=_TLD4_GATES,
)


# Cubes have no offsets, and multi-sample textures no levels.
tex_cube = sampling(
    "tex",
    anchor="texture-instructions-tex",
    summary="d = the texel of the cube or multisample texture a at coordinates c.",
    syntax=_TEX + ".geom = { .cube, .acube, .2dms, .a2dms };",
    gates=_TEX_GATES,
    ordered_prefix="mipmap",
)

tld4_cube = sampling(
    "tld4",
    anchor="texture-instructions-tld4",
    summary="d = one component of the four texels of the cube texture a around coordinates c.",
    syntax=_TLD4 + ".geom = { .cube, .acube };",
    gates=_TLD4_GATES,
)

FETCHING = modelled("as measured on sm_90: CUDA programming guide, texture fetching, with the bits of H100 and H200")
GRADIENTS = modelled("as measured on an H200 for extents that are powers of two: the level that the gradients select")
CUBE_GRADIENTS = modelled("Vulkan 1.3, cube map derivative transformation; the level as measured on an H200")
CUBE = modelled("CUDA programming guide, cubemap textures; of equal components Vulkan's order: r, t, s")
DEPTH = modelled("OpenGL 4.6, depth texture comparison mode: the sampler's comparison, less or equal by default")


def fetching(m: Modifiers) -> Fidelity:
    """Integer coordinates name a texel. The manual leaves filters, cubes and depth comparison open."""
    if any(t.name == "f" and not t.optional for t in m.form.operands):
        return DEPTH
    if m.geom in ("cube", "acube"):
        return CUBE_GRADIENTS if m.mipmap == "grad" else CUBE
    if m.mipmap == "grad":
        return GRADIENTS
    return EXACT if m.ctype.name == "s32" else FETCHING


@meaning(tex, tex_cube, fidelity=fetching)
def _(x: Machine, m: Modifiers, place: Place, *operands: Vector | None) -> tuple[tuple[Bits, ...], Bits]:
    given = dict(zip([t.name for t in m.form.operands if t.role == "read"], operands, strict=True))
    f, lod = given["f"], given.get("lod")
    offset, depth = texels(x, m, given.get("e")), None if f is None else first_component(f)
    found = x.images.fetch(
        Lookup(
            m.geom, *texture_operands(x, m, place), offset, depth, real=m.ctype.name == "f32",
            level=None if lod is None else first_component(lod),
            gradients=[gradient(x, m, place, given[name]) for name in ("dPdx", "dPdy") if name in given],
        )
    )  # fmt: skip
    if m.dtype.name in ("f16", "f16x2"):
        found = tuple(x.convert(F16, F32, v) for v in found)
    if m.dtype.name == "f16x2":
        found = x.join(found[:2]), x.join(found[2:])
    return found, x.const(1, 1)


@meaning(tld4, tld4_cube, fidelity=fetching)
def _(x: Machine, m: Modifiers, place: Place, *operands: Vector | None) -> tuple[tuple[Bits, ...], Bits]:
    *e, f = operands
    offset, depth = texels(x, m, e[0] if e else None), None if f is None else first_component(f)
    found = x.images.gather(Lookup(m.geom, *texture_operands(x, m, place), offset, depth), "rgba".index(m.comp))
    return found, x.const(1, 1)


def texture_operands(x: Machine, m: Modifiers, place: Place) -> tuple[Bits, Bits | None, tuple[Bits, ...]]:
    """The texture, the sampler (None in unified mode) and the coordinates."""
    a, *sampler, c = place
    at, needed = as_tuple(c), coordinates(m)
    if len(at) < needed:  # the assembler accepts one register, and its code reads the registers that follow
        x.require(x.const(0, 1), "undefined-behavior", f"`.{m.geom}` has {needed} coordinates, and one is given")
        at = (*at, *[at[0]] * (needed - 1))
    if m.geom in ("cube", "acube"):
        first = int(m.geom == "acube")
        at = (*at[:first], *direction(x, at[first : first + 3]))
    return a, first_component(sampler[0]) if sampler else None, at


def direction(x: Machine, c: tuple[Bits, ...]) -> tuple[Bits, ...]:
    """The direction divided by its largest component, as ptxas 13.5 does for sm_90: multiplied by `rcp.approx.ftz`."""
    scale = reciprocal(x, c)
    return tuple(x.fmul(F32, v, scale, "rn", False) for v in c)


def reciprocal(x: Machine, c: tuple[Bits, ...]) -> Bits:
    return x.approx("rcp", F32, x.fmax(F32, *(x.fabs(F32, v) for v in c)), True)


def gradient(x: Machine, m: Modifiers, place: Place, change: Vector | None) -> tuple[Bits, ...]:
    """The derivatives of the coordinates; those of a cube's direction are divided by its largest component, as the
    direction is."""
    assert change is not None
    found = as_tuple(change)[: DIMENSIONS[m.geom]]
    if m.geom not in ("cube", "acube"):
        return found
    first = int(m.geom == "acube")
    scale = reciprocal(x, as_tuple(place[-1])[first : first + 3])
    return tuple(x.fmul(F32, v, scale, "rn", False) for v in found)


def first_component(v: Vector) -> Bits:
    return as_tuple(v)[0]


def texels(x: Machine, m: Modifiers, e: Vector | None) -> tuple[Bits, ...]:
    """The offset, which is -8 to 7 in each dimension."""
    if e is None:
        return ()
    found = as_tuple(e)[: DIMENSIONS[m.geom]]
    for offset in found:
        x.require(offset + 8 < 16, "undefined-behavior", "an offset in texels is -8 to 7")
    return found


txq = instruction(
    "txq",
    anchor="texture-instructions-txq",
    summary="d = an attribute of texture or sampler a.",
    syntax="""
        txq.query.b32         d, [a];        // PTX 1.5
        .query = { .width, .height, .depth, .channel_data_type, .channel_order, .normalized_coords, .array_size,
                   .num_mipmap_levels, .num_samples };
        txq.level.query.b32   d, [a], lod;   // PTX 4.3, sm_30
        .query = { .width, .height, .depth };
        txq.query.b32         d, [b];        // PTX 1.5
        .query = { .filter_mode, .addr_mode_0, .addr_mode_1, .addr_mode_2 };
        txq.query.b32         d, [s];        // PTX 2.2
        .query = { .force_unnormalized_coords };
    """,
    types={"a": "texref", "b": "samplerref", "s": "samplerref", "lod": "u32"},
    operands="""
        s     a sampler
        lod   a list of one, one of several
    """,
    gates="""
        .channel_data_type|.channel_order                PTX 2.1
        .array_size|.num_mipmap_levels|.num_samples      PTX 4.1
        .num_mipmap_levels                               sm_20
        .num_samples                                     sm_30
    """,
    ordered_prefix="level",
)


@meaning(txq)
def _(x: Machine, m: Modifiers, a: Bits, lod: Bits | None = None) -> Bits:
    return x.images.query(a, "texref", m.query, lod)


istypep = instruction(
    "istypep",
    anchor="texture-instructions-istypep",
    summary="p = whether register a refers to an opaque variable of this type.",
    syntax="""
        istypep.type   p, a;   // PTX 4.0, sm_30
        .type = { .texref, .samplerref, .surfref };
    """,
    types={"a": "u64"},
)


@meaning(istypep)
def _(x: Machine, m: Modifiers, a: Bits) -> Bits:
    return x.images.refers(a, m.type.name)
