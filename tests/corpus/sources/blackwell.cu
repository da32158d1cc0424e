// Blackwell data centre: tensor memory, tcgen05, packed f32x2, wide loads, new conversions; sm_100a.
typedef unsigned long long u64;
__device__ unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

extern "C" __global__ void __cluster_dims__(1, 1, 1) tensor_memory(unsigned *out, u64 a, u64 b, unsigned idesc) {
    __shared__ unsigned base;
    __shared__ __align__(8) u64 bar;
    unsigned at = shared_address(&base), bb = shared_address(&bar), r[8];
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 128;" ::"r"(at) : "memory");
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
    __syncthreads();
    unsigned d = base;
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %4, 0;\n\ttcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p;\n\t}" ::"r"(d), "l"(a), "l"(b), "r"(idesc), "r"(1) : "memory");
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %4, 0;\n\ttcgen05.mma.cta_group::1.kind::f8f6f4 [%0], [%5], %2, %3, p;\n\t}" ::"r"(d), "l"(a), "l"(b), "r"(idesc), "r"(0), "r"(d + 64) : "memory");
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %4, 0;\n\ttcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.scale_vec::4X [%0], %1, %2, %3, [%5], [%6], p;\n\t}" ::"r"(d), "l"(a), "l"(b), "r"(idesc), "r"(1), "r"(d + 32), "r"(d + 48) : "memory");
    asm volatile("tcgen05.cp.cta_group::1.128x256b [%0], %1;" ::"r"(d), "l"(a) : "memory");
    asm volatile("tcgen05.cp.cta_group::1.32x128b.warpx4 [%0], %1;" ::"r"(d), "l"(a) : "memory");
    asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(bb) : "memory");
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x8.b32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) : "r"(d));
    asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
    asm volatile("tcgen05.ld.sync.aligned.16x64b.x2.pack::16b.b32 {%0, %1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(d));
    asm volatile("tcgen05.st.sync.aligned.16x128b.x1.b32 [%0], {%1, %2};" ::"r"(d), "r"(r[0]), "r"(r[1]) : "memory");
    asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory");
    asm volatile("tcgen05.shift.cta_group::1.down [%0];" ::"r"(d) : "memory");
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    __syncthreads();
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 128;" ::"r"(d));
    for (int i = 0; i < 8; i++) out[threadIdx.x * 8 + i] = r[i];
}

extern "C" __global__ void packed_floats(const float2 *in, float2 *out) {
    float2 v = in[threadIdx.x];
    u64 p, q, r;
    asm("mov.b64 %0, {%1, %2};" : "=l"(p) : "f"(v.x), "f"(v.y));
    asm("add.rn.f32x2 %0, %1, %2;" : "=l"(q) : "l"(p), "l"(p));
    asm("mul.rz.f32x2 %0, %1, %2;" : "=l"(r) : "l"(p), "l"(q));
    asm("fma.rn.ftz.f32x2 %0, %1, %2, %3;" : "=l"(p) : "l"(p), "l"(q), "l"(r));
    asm("mov.b64 {%0, %1}, %2;" : "=f"(v.x), "=f"(v.y) : "l"(p));
    float m, a = v.x, b = v.y, c = 3;
    asm("min.f32 %0, %1, %2, %3;" : "=f"(m) : "f"(a), "f"(b), "f"(c));
    asm volatile("redux.sync.min.abs.NaN.f32 %0, %1, 0xffffffff;" : "=f"(a) : "f"(m));
    out[threadIdx.x] = make_float2(a, m);
}

extern "C" __global__ void small_formats(const float *in, unsigned *out) {
    float a = in[0], b = in[1], c = in[2], d = in[3];
    unsigned bits = threadIdx.x * 77777, r;
    unsigned short h;
    asm("{\n\t.reg .b8 t;\n\tcvt.rn.satfinite.e2m1x2.f32 t, %1, %2;\n\tcvt.u16.u8 %0, t;\n\t}" : "=h"(h) : "f"(a), "f"(b));
    out[0] = h;
    asm("cvt.rn.satfinite.e2m3x2.f32 %0, %1, %2;" : "=h"(h) : "f"(a), "f"(b)); out[1] = h;
    asm("cvt.rn.satfinite.relu.e3m2x2.f32 %0, %1, %2;" : "=h"(h) : "f"(a), "f"(b)); out[2] = h;
    asm("cvt.rp.satfinite.ue8m0x2.f32 %0, %1, %2;" : "=h"(h) : "f"(a), "f"(b)); out[3] = h;
    asm("cvt.rn.bf16x2.ue8m0x2 %0, %1;" : "=r"(r) : "h"(h)); out[4] = r;
    asm("cvt.rs.satfinite.e4m3x4.f32 %0, {%1, %2, %3, %4}, %5;" : "=r"(r) : "f"(a), "f"(b), "f"(c), "f"(d), "r"(bits)); out[5] = r;
    asm("cvt.rs.f16x2.f32 %0, %1, %2, %3;" : "=r"(r) : "f"(a), "f"(b), "r"(bits)); out[6] = r;
}

extern "C" __global__ void wide_loads(const u64 *in, u64 *out) {
    u64 a, b, c, d;
    asm volatile("ld.global.v4.b64 {%0, %1, %2, %3}, [%4];" : "=l"(a), "=l"(b), "=l"(c), "=l"(d) : "l"(in + threadIdx.x * 4));
    asm volatile("st.global.v4.b64 [%0], {%1, %2, %3, %4};" ::"l"(out + threadIdx.x * 4), "l"(d), "l"(c), "l"(b), "l"(a) : "memory");
}
