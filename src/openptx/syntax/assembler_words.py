"""Words with a dot that the assembler's lexer knows, which therefore name no section of debug data (11.5.2).

Measured with ptxas 13.5 for the 684 words that its binary or PTX's declarations have: directives, types, state spaces
and most modifiers. There is no rule: `.red`, `.wide`, `.tf32` and `.version` are none.
"""

from __future__ import annotations

import re

from openptx.patterns import pattern

_KNOWN = """
FORCE_INLINE L1 L2 MACRO NaN a1d a2d a2dms abi_preserve abi_preserve_after abi_preserve_control abs acq_rel acquire
acube add addr_mode_0 addr_mode_1 addr_mode_2 address_size alias align aligned all alloc_large alloc_same
alloc_small allocno and any approx array_size attribute b1024 b128 b16 b32 b4e b64 b8 ballot bf16 bf16x2 bfly
block16 block32 blocksareclusters box_dim branchtargets bulk_group byte ca callprototype calltargets cas cc cg
channel_data_type channel_order clamp cluster col common const cs cta cube cv dec depth down e2m1x2 e2m1x4 e2m3x2
e2m3x4 e3m2x2 e3m2x4 e4m3 e4m3x2 e4m3x4 e5m2 e5m2x2 e5m2x4 ecl ecr element_stride elemtype entry eq equ exch
exclusive explicitcluster extern f16 f16x2 f32 f32x2 f4e f64 file fill_mode filter_mode finite
force_unnormalized_coords ftz func ge geu gl global global_address global_dim global_stride gpu gt gtu height hi hs
idx ignore_oob inc infinite interleave_layout le leu lo loc loc_intermediate local local_maxnreg ls lt ltu lu
managed max maxabs maxclusterrank maxnctapersm maxnreg maxntid mbarrier mbarrier_init memory_layout metadata_domain
min minnctapersm minperctamemory mmio multimem nan nc ne negA negB neu noComplete no_membermask_overlap noftz noinc
noreturn normal normalized_coords notanumber num num_mipmap_levels num_samples number nv_intermediate_source_section
or param po popc pragma pred ptr rank rc16 rc8 reg relaxed release relu reqnctapercluster reqntid reserved
retaddr_allocno rm rmi rn rna rni row rp rpi rs rz rzi s16 s16x2 s2 s2f6x2 s32 s4 s64 s8 safeadd samplerref sat
satfinite sc scratch section shared shiftamt shr15 shr7 sp subnormal surfref swizzle_atomicity swizzle_mode sync sys
target tensormap tex texref trans transA transB trap u16 u16x2 u2 u32 u4 u64 u8 ue8m0x2 uni unified unique up v2 v4
valid_addr visible volatile wb weak width wrap wt x1 x128 x16 x2 x32 x4 x64 x8 xor zero
"""
_WORDS = frozenset(_KNOWN.split())
_SHAPE = pattern(r"m[0-9]+n[0-9]+(?:k[0-9]+)?", re.A)


def may_name_section(name: str) -> bool:
    """Whether a word with a dot, which a letter follows, is none that the lexer knows."""
    return name[1:2].isalpha() and name[1:] not in _WORDS and _SHAPE.fullmatch(name, 1) is None
