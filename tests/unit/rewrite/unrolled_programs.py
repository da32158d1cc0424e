"""Programs with loops, by what is tried: which of them ptxas unrolls so far that products are contracted in some rounds
and not in others."""

from __future__ import annotations

BODY = "mul.f32 x, z, b; add.f32 z, x, c; mul.f32 y, x, z;"
END = "st.global.f32 [o], z; st.global.f32 [o + 4], y;"
START = "mov.u32 r, 0; mov.f32 z, a; mov.f32 y, e;"

MORE = ".reg .b32 t; .reg .pred t0;"
"""Registers that some of them have beside those of other programs."""

# fmt: off
UNROLLED = {
    "with a return":     f"{START} L: {BODY} setp.gt.f32 p, z, 0f49742400; @p ret; add.u32 r, r, 1; "
                         f"setp.lt.u32 q, r, 3; @q bra L; {END}",
    "with a branch":     f"{START} L: {BODY} @p bra S; st.global.f32 [o + 8], a; S: add.u32 r, r, 1; "
                         f"setp.lt.u32 q, r, 3; @q bra L; {END}",
    "the number first":  f"{START} L: {BODY} add.u32 r, r, 1; setp.gt.u32 q, 3, r; @q bra L; {END}",
    "with a barrier":    f"{START} L: {BODY} bar.sync 0; add.u32 r, r, 1; setp.lt.u32 q, r, 3; @q bra L; {END}",
    "three rounds":      f"{START} L: {BODY} add.u32 r, r, 1; setp.lt.u32 q, r, 3; @q bra L; {END}",
    "a test first":      f"{START} L: setp.ge.u32 q, r, 3; @q bra M; {BODY} add.u32 r, r, 1; bra L; M: {END}",
    "a test in between": f"{START} L: {BODY} setp.ge.u32 q, r, 3; @q bra M; add.u32 r, r, 1; bra L; M: {END}",
    "counted down":      f"mov.u32 r, 6; {START[14:]} L: {BODY} add.s32 r, r, -2; setp.gt.s32 q, r, 0; @q bra L; {END}",
    "by subtraction":    f"mov.u32 r, 3; {START[14:]} L: {BODY} sub.u32 r, r, 1; setp.ne.u32 q, r, 0; @q bra L; {END}",
    "below zero":        f"mov.u32 r, -2; {START[14:]} L: {BODY} add.s32 r, r, 1; setp.le.s32 q, r, 0; @q bra L; {END}",
    "in another loop":   f"mov.u32 s, 0; mov.f32 z, a; mov.f32 y, e; K: mov.u32 r, 0; L: {BODY} add.u32 r, r, 1; "
                         f"setp.lt.u32 q, r, 3; @q bra L; add.u32 s, s, 1; setp.lt.u32 q, s, 2; @q bra K; {END}",
    "after another":     f"{START} L: {BODY} add.u32 r, r, 1; setp.lt.u32 q, r, 3; @q bra L; mov.u32 r, 1; "
                         f"M: {BODY} add.u32 r, r, 1; setp.lt.u32 q, r, 3; @q bra M; {END}",
}
LEFT_ROLLED = {
    "not the opposite":  f"{START} L: {BODY} add.u32 r, r, 1; setp.ge.u32 q, r, 3; @!q bra L; {END}",
    "tested before":     f"{START} L: {BODY} setp.lt.u32 q, r, 3; add.u32 r, r, 1; @q bra L; {END}",
    "a fence":           f"{START} L: {BODY} membar.gl; add.u32 r, r, 1; setp.lt.u32 q, r, 3; @q bra L; {END}",
    "lower":             f"{START} L: {BODY} add.u32 r, r, 1; setp.lo.u32 q, r, 3; @q bra L; {END}",
    "nounroll":          f'{START} L: .pragma "nounroll"; {BODY} add.u32 r, r, 1; setp.lt.u32 q, r, 3; @q bra L; {END}',
    "one round":         f"{START} L: {BODY} add.u32 r, r, 1; setp.lt.u32 q, r, 1; @q bra L; {END}",
}
COUNT = 'ld.global.u32 s, [i + 16]; mov.f32 z, a; mov.f32 y, e;'
BY_FOUR = {
    "less, unsigned":    f"{COUNT} mov.u32 r, 0; L: {BODY} add.u32 r, r, 1; setp.lt.u32 q, r, s; @q bra L; {END}",
    "less, signed":      f"{COUNT} mov.u32 r, 0; L: {BODY} add.s32 r, r, 1; setp.lt.s32 q, r, s; @q bra L; {END}",
    "lower":             f"{COUNT} mov.u32 r, 0; L: {BODY} add.s32 r, r, 1; setp.lo.u32 q, r, s; @q bra L; {END}",
    "at most":           f"{COUNT} mov.u32 r, 0; L: {BODY} add.s32 r, r, 1; setp.le.s32 q, r, s; @q bra L; {END}",
    "not equal":         f"{COUNT} mov.u32 r, 0; L: {BODY} add.s32 r, r, 1; setp.ne.s32 q, r, s; @q bra L; {END}",
    "by three":          f"{COUNT} mov.u32 r, 0; L: {BODY} add.u32 r, r, 3; setp.lt.u32 q, r, s; @q bra L; {END}",
    "number first":      f"{COUNT} mov.u32 r, 0; L: {BODY} add.u32 r, r, 1; setp.gt.u32 q, s, r; @q bra L; {END}",
    "down to zero":      f"{COUNT} mov.u32 r, s; L: {BODY} add.s32 r, r, -1; setp.ne.s32 q, r, 0; @q bra L; {END}",
    "down, greater":     f"{COUNT} mov.u32 r, s; L: {BODY} sub.u32 r, r, 1; setp.gt.u32 q, r, 0; @q bra L; {END}",
    "down by two":       f"{COUNT} mov.u32 r, s; L: {BODY} add.s32 r, r, -2; setp.gt.s32 q, r, 0; @q bra L; {END}",
    "tested first":      f"{COUNT} mov.u32 r, 0; L: setp.ge.u32 q, r, s; @q bra M; {BODY} "
                         f"add.u32 r, r, 1; bra L; M: {END}",
    "first, signed":     f"{COUNT} mov.u32 r, 0; L: setp.ge.s32 q, r, s; @q bra M; {BODY} "
                         f"add.u32 r, r, 1; bra L; M: {END}",
    "a branch inside":   f"{COUNT} mov.u32 r, 0; L: {BODY} @p bra S; st.global.f32 [o + 8], a; S: add.u32 r, r, 1; "
                         f"setp.lt.u32 q, r, s; @q bra L; {END}",
    "in a loop":         f"{COUNT} mov.u32 t, 0; K: mov.u32 r, 0; L: {BODY} add.u32 r, r, 1; setp.lt.u32 q, r, s; "
                         f"@q bra L; add.u32 t, t, 1; setp.lt.u32 q, t, s; @q bra K; {END}",
    "just small enough": f"{COUNT} mov.u32 r, 0; L: {BODY} {'max.f32 y, y, c;' * 15} add.u32 r, r, 1; "
                         f"setp.lt.u32 q, r, s; @q bra L; {END}",
    "large, with loads": f"{COUNT} mov.u32 r, 0; L: {BODY} {'max.f32 y, y, c;' * 30} ld.volatile.global.f32 u, [i]; "
                         f"add.f32 y, y, u; add.u32 r, r, 1; setp.lt.u32 q, r, s; @q bra L; {END}",
}
ROLLED = {
    "nounroll":          f'{COUNT} mov.u32 r, 0; L: .pragma "nounroll"; {BODY} add.u32 r, r, 1; setp.lt.u32 q, r, s; '
                         f"@q bra L; {END}",
    "not the opposite":  f"{COUNT} mov.u32 r, 0; L: {BODY} add.u32 r, r, 1; setp.ge.u32 q, r, s; @!q bra L; {END}",
    "tested before":     f"{COUNT} mov.u32 r, 0; L: {BODY} setp.lt.u32 q, r, s; add.u32 r, r, 1; @q bra L; {END}",
    "a barrier":         f"{COUNT} mov.u32 r, 0; L: {BODY} bar.sync 0; add.u32 r, r, 1; "
                         f"setp.lt.u32 q, r, s; @q bra L; {END}",
    "an exit":           f"{COUNT} mov.u32 r, 0; L: {BODY} setp.gt.f32 q, z, 0f49742400; @q bra M; add.u32 r, r, 1; "
                         f"setp.lt.u32 q, r, s; @q bra L; M: {END}",
    "a variable step":   f"{COUNT} mov.u32 r, 0; L: {BODY} add.u32 r, r, s; setp.lt.u32 q, r, s; @q bra L; {END}",
    "nested branches":   f"{COUNT} mov.u32 r, 0; setp.gt.f32 t0, c, e; L: {BODY} @p bra S; add.f32 y, y, b; @t0 bra S; "
                         f"add.f32 y, y, c; S: add.u32 r, r, 1; setp.lt.u32 q, r, s; @q bra L; {END}",
    "a float":           f"{COUNT} L: {BODY} setp.lt.f32 q, z, 0f49742400; @q bra L; {END}",
    "too large":         f"{COUNT} mov.u32 r, 0; L: {BODY} {'max.f32 y, y, c;' * 16} add.u32 r, r, 1; "
                         f"setp.lt.u32 q, r, s; @q bra L; {END}",
}
"""The number of rounds is not known: ptxas unrolls by four, or not at all."""
# fmt: on
