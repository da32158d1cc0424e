"""The module around a single statement whose verdict was measured."""

MODULE = """.version 9.0
.target sm_100a
.address_size 64
.global .align 128 .b8 gv[1024];
.shared .align 128 .b8 sv[1024];
.shared .align 8 .b64 mb;
.global .texref tx;
.global .surfref sf;
.func fn() { ret; }
.visible .entry k(.param .align 64 .b8 pb[128]) {
    .local .b8 lv[64];
    .reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<8>; .reg .u32 %u<1>; .reg .b64 %d<4>; .reg .b128 %w<2>;
    .reg .f32 %f<4>; .reg .f64 %g<2>; .reg .f16x2 %x<2>;
"""
