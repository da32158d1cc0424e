// Scalar instructions that C++ has no words for: video, extended precision, comparisons, conversions, special registers.
typedef unsigned u32;
typedef unsigned long long u64;

extern "C" __global__ void video(const int *in, int *out) {
    int a = in[0], b = in[1], c = in[2], r, s = 0;
#define V(text) asm volatile(text : "=r"(r) : "r"(a), "r"(b), "r"(c)); s += r;
    V("vadd.s32.u32.s32 %0, %1, %2;") V("vadd.s32.s32.s32.sat %0, %1.b0, %2.h1;") V("vsub.u32.s32.u32.add %0, %1.b3, %2, %3;")
    V("vabsdiff.s32.s32.s32.min %0, %1, %2.h0, %3;") V("vmin.u32.u32.u32 %0.b2, %1, %2, %3;") V("vmax.s32.s32.s32.max %0, %1.b1, %2.b2, %3;")
    V("vshl.u32.u32.u32.clamp %0, %1, %2;") V("vshr.s32.s32.u32.wrap.add %0, %1, %2, %3;") V("vmad.s32.s32.s32.shr7 %0, %1.h0, %2.b0, %3;")
    V("vmad.u32.u32.u32.sat %0, %1, %2, %3;") V("vset.s32.u32.lt %0, %1, %2;") V("vset.u32.u32.ge.add %0, %1, %2, %3;")
    V("vadd4.s32.s32.s32.sat %0, %1, %2, %3;") V("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;") V("vavrg2.s32.s32.s32 %0, %1, %2, %3;")
    V("vmax2.u32.u32.u32 %0.h10, %1.h32, %2.h10, %3;") V("vset4.u32.u32.ne.add %0, %1, %2, %3;") V("vsub2.s32.s32.s32 %0, %1.h10, %2.h32, %3;")
    out[0] = s;
}
extern "C" __global__ void integers(const u32 *in, u32 *out) {
    u32 a = in[0], b = in[1], c = in[2], r, s = 0;
    u64 w;
#define I(text) asm volatile(text : "=r"(r) : "r"(a), "r"(b), "r"(c)); s ^= r;
    I("mad24.lo.s32 %0, %1, %2, %3;") I("mad24.hi.u32 %0, %1, %2, %3;") I("mul24.hi.s32 %0, %1, %2;") I("mad.hi.s32 %0, %1, %2, %3;") I("mad.lo.u32 %0, %1, %2, %3;")
    I("sad.u32 %0, %1, %2, %3;") I("slct.s32.s32 %0, %1, %2, %3;") I("shf.l.wrap.b32 %0, %1, %2, %3;") I("shf.r.clamp.b32 %0, %1, %2, %3;")
    I("bfe.s32 %0, %1, %2, %3;") I("bmsk.clamp.b32 %0, %1, %2;") I("szext.wrap.u32 %0, %1, %2;") I("fns.b32 %0, %1, %2, 1;") I("dp2a.lo.s32.u32 %0, %1, %2, %3;") I("dp4a.u32.s32 %0, %1, %2, %3;")
    I("set.lt.and.u32.s32 %0, %1, %2, 1;") I("cnot.b32 %0, %1;") I("rem.s32 %0, %1, %2;") I("mad.hi.sat.s32 %0, %1, %2, %3;") I("prmt.b32.ecl %0, %1, %2, %3;")
    asm("mul.wide.u32 %0, %1, %2;" : "=l"(w) : "r"(a), "r"(b));
    asm("{\n\t.reg .pred p, q;\n\tsetp.lt.and.s32 p|q, %1, %2, 1;\n\tselp.u32 %0, %1, %2, q;\n\t@!p xor.b32 %0, %0, -1;\n\t}" : "=r"(r) : "r"(a), "r"(b));
    out[0] = s + r + (u32)w;
    asm("{\n\t.reg .u32 t;\n\tadd.cc.u32 %0, %1, %2;\n\taddc.cc.u32 t, %2, %3;\n\tsubc.u32 %0, %0, t;\n\tmadc.lo.cc.u32 t, %1, %2, %0;\n\tmadc.hi.u32 %0, %1, %2, t;\n\t}" : "=&r"(r) : "r"(a), "r"(b), "r"(c));
    out[1] = r;
}
extern "C" __global__ void floats(const float *in, float *out, const double *d, double *od, u32 *bits) {
    float a = in[0], b = in[1], c = in[2], r, s = 0;
    double x = d[0], y;
    u32 u;
#define F(text) asm volatile(text : "=f"(r) : "f"(a), "f"(b), "f"(c)); s += r;
    F("add.rz.ftz.sat.f32 %0, %1, %2;") F("sub.rm.f32 %0, %1, %2;") F("mul.rp.sat.f32 %0, %1, %2;") F("fma.rn.ftz.f32 %0, %1, %2, %3;") F("div.full.f32 %0, %1, %2;") F("div.approx.ftz.f32 %0, %1, %2;")
    F("rcp.approx.f32 %0, %1;") F("rcp.rp.f32 %0, %1;") F("sqrt.approx.f32 %0, %1;") F("sqrt.rm.ftz.f32 %0, %1;") F("rsqrt.approx.ftz.f32 %0, %1;") F("sin.approx.f32 %0, %1;") F("cos.approx.ftz.f32 %0, %1;")
    F("lg2.approx.f32 %0, %1;") F("ex2.approx.ftz.f32 %0, %1;") F("tanh.approx.f32 %0, %1;") F("min.ftz.f32 %0, %1, %2;") F("max.f32 %0, %1, %2;") F("copysign.f32 %0, %1, %2;") F("slct.ftz.f32.f32 %0, %1, %2, %3;")
    F("set.geu.f32.f32 %0, %1, %2;") F("cvt.rpi.ftz.f32.f32 %0, %1;") F("cvt.rni.sat.f32.f32 %0, %1;") F("neg.f32 %0, %1;") F("abs.ftz.f32 %0, %1;")
#if __CUDA_ARCH__ >= 800
    F("min.NaN.f32 %0, %1, %2;")
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(u) : "f"(a)); bits[5] = u;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(u) : "f"(a), "f"(b)); bits[1] = u;
#endif
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x)); od[0] = y;
    asm("rsqrt.approx.f64 %0, %1;" : "=d"(y) : "d"(x)); od[1] = y;
    asm("sqrt.rp.f64 %0, %1;" : "=d"(y) : "d"(x)); od[2] = y;
    asm("{\n\t.reg .pred p;\n\ttestp.subnormal.f64 p, %1;\n\tselp.u32 %0, 1, 0, p;\n\t}" : "=r"(u) : "d"(x)); bits[0] = u;
    asm("cvt.rzi.s64.f64 %0, %1;" : "=l"(*(u64 *)&y) : "d"(x)); od[3] = y;
    asm("{\n\t.reg .f16 h;\n\tcvt.rz.f16.f64 h, %1;\n\tcvt.s32.s8 %0, 5;\n\tcvt.f32.f16 %2, h;\n\t}" : "=r"(u) : "d"(x), "f"(r)); bits[2] = u;
    asm("{\n\t.reg .f16x2 v, w;\n\tmov.b32 v, %1;\n\tadd.rn.ftz.f16x2 w, v, v;\n\tfma.rn.sat.f16x2 w, w, v, v;\n\tset.gt.f16x2.f16x2 w, w, v;\n\tmov.b32 %0, w;\n\t}" : "=r"(u) : "r"(bits[3])); bits[4] = u;
    out[0] = s;
}
extern "C" __global__ void registers(u32 *out, u64 *wide) {
    u32 r;
    int n = 0;
#define R(name) asm volatile("mov.u32 %0, %%" name ";" : "=r"(r)); out[n++] = r;
    R("tid.x") R("ntid.y") R("ctaid.z") R("nctaid.x") R("laneid") R("warpid") R("nwarpid") R("smid") R("nsmid") R("lanemask_eq") R("lanemask_le") R("lanemask_lt") R("lanemask_ge") R("lanemask_gt")
    R("clock") R("clock_hi") R("pm0") R("dynamic_smem_size") R("total_smem_size") R("globaltimer_lo") R("envreg3")
#if __CUDA_ARCH__ >= 800
    R("reserved_smem_offset_begin")
#endif
    u64 w;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(w)); wide[0] = w;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(w)); wide[1] = w;
    asm volatile("mov.u64 %0, %%gridid;" : "=l"(w)); wide[2] = w;
    asm volatile("nanosleep.u32 100;\n\tpmevent 3;");
    if (w == 12345) asm volatile("brkpt;\n\ttrap;");
    if (w == 54321) asm volatile("exit;");
}
