"""A module with some of every construct, for tests of the syntax tree."""

SAMPLE = r"""//
// a comment; with { braces } and "a quote
.version 8.7
.target sm_90a, debug
.address_size 64

.file 1 "kernel.cu", 1339013327, 64118
.extern .func (.param .b32 result) vprintf (.param .b64 a, .param .b64 b)
;
.visible .global .align 8 .b8 text[4][2] = { {1, 2}, {3}, };
.global .u64 pointers[2] = { generic(text)+1, vprintf };
.global .u8 bytes[2] = { 0xFF00(text+4), 0xFF(1000 + 546) };
.const .v2 .f32 pair = { -1.5, 0f3F800000 };
.weak .func helper (.reg .u32 x) .noreturn { trap; }
.func twin (.reg .u32 x);
.alias twin, helper;
.pragma "module";

.visible .entry kernel (
    .param .u64 .ptr .global .align 16 out,   // the first
    .param .align 4 .b8 struct[12]
)
.maxntid 16, 16, 4 .minnctapersm 2
{ /* the body */
    .reg .pred %p<3>;
    .reg .b32 %r<100>, extra;
    .reg .v4 .f32 v;
    .shared .align 16 .b8 buffer[1024];
    .loc 1 9 3, function_name $str+4, inlined_at 1 21 3
    setp.lt.and.s32 %p1|_, %r1, -0x10, !%p2;
    @!%p1 bra $next;
    { .reg .b32 %t; mov.b64 {%r1, %t}, 1 ? 2 : 3; }
    tex.2d.v4.f32.s32 {%r1, %r2, %r3, %r4}, [texture, {%r5, %r6}];
    ld.global.nc.f32 v.x, [out+-8].unified;
    vadd.s32.s32.s32 %r1, %r2.b0, %r3.h1;
    vmad.s32.s32.s32 %r1, -%r2, buffer[%r3+1], %r4;
    mov .u32 /* odd */ %r1 , buffer + 4 ;
    call (%r1), vprintf, (%r2, 5), proto;
$next: targets: .branchtargets $next, L<3>;
proto: .callprototype (.param .b32 _) _ (.param .b64 _, .param .b64 _);
    ret;
}

.section .debug_str
{
$str:
.b8 1, 0x2, -3
.b32 .debug_info+4
.b64 a-b
}
""".replace("{3}, }", "{3} }")
