// Integer intrinsics: counting, permuting, shifting, packed arithmetic.
typedef unsigned int u32;
typedef unsigned long long u64;

extern "C" __global__ void counting(const u64 *in, int *out) {
    u64 w = in[threadIdx.x];
    int v = (int)w, n = blockDim.x, *o = out + threadIdx.x;
    o[0 * n] = __popc(v), o[1 * n] = __popcll(w);
    o[2 * n] = __clz(v), o[3 * n] = __clzll(w);
    o[4 * n] = __ffs(v), o[5 * n] = __ffsll(w);
    o[6 * n] = __brev(v), o[7 * n] = (int)(__brevll(w) >> 32);
    o[8 * n] = 31 - __clz(v ^ v >> 31);
}

extern "C" __global__ void shifting(const u32 *a, const u32 *b, const u32 *s, u32 *out) {
    int i = threadIdx.x, n = blockDim.x;
    u32 lo = a[i], hi = b[i], by = s[i], *o = out + i;
    o[0 * n] = __funnelshift_l(lo, hi, by), o[1 * n] = __funnelshift_r(lo, hi, by);
    o[2 * n] = __funnelshift_lc(lo, hi, by), o[3 * n] = __funnelshift_rc(lo, hi, by);
    o[4 * n] = __byte_perm(lo, hi, by * 0x1357u & 0x7777);
    o[5 * n] = lo << (by & 31), o[6 * n] = (int)lo >> (by & 31), o[7 * n] = lo >> (by & 31);
    u64 w = (u64)hi << 32 | lo;
    o[8 * n] = (u32)(w << (by & 63) >> 32), o[9 * n] = (u32)((long long)w >> (by & 63));
    o[10 * n] = lo >> (hi & 15) & ((1u << (by & 15)) - 1);
    o[11 * n] = lo << 7 | lo >> 25;
}

extern "C" __global__ void multiplying(const long long *a, const long long *b, long long *out) {
    long long x = a[threadIdx.x], y = b[threadIdx.x], n = blockDim.x, *o = out + threadIdx.x;
    int p = (int)x, q = (int)y;
    o[0 * n] = __mulhi(p, q), o[1 * n] = __umulhi(p, q);
    o[2 * n] = __mul64hi(x, y), o[3 * n] = (long long)__umul64hi(x, y);
    o[4 * n] = __mul24(p, q), o[5 * n] = __umul24(p, q);
    o[6 * n] = (long long)p * q, o[7 * n] = (u64)(u32)p * (u32)q;
    o[8 * n] = __sad(p, q, 17u), o[9 * n] = __usad(p, q, 17u);
    o[10 * n] = __hadd(p, q), o[11 * n] = __rhadd(p, q);
    o[12 * n] = x * y + (short)p * (short)q;
}

// 128-bit integers: carries ripple through add.cc and addc, mad.hi and madc.
extern "C" __global__ void wide_integers(const u64 *a, const u64 *b, u64 *out) {
    int i = threadIdx.x, n = blockDim.x;
    unsigned __int128 x = (unsigned __int128)a[2 * i + 1] << 64 | a[2 * i], y = (unsigned __int128)b[2 * i + 1] << 64 | b[2 * i];
    unsigned __int128 sum = x + y, difference = x - y, product = x * y, shifted = x >> (b[2 * i] & 127);
    __int128 signedly = (__int128)x >> 3;
    u64 *o = out + i;
    o[0 * n] = (u64)sum, o[1 * n] = (u64)(sum >> 64);
    o[2 * n] = (u64)difference, o[3 * n] = (u64)(difference >> 64);
    o[4 * n] = (u64)product, o[5 * n] = (u64)(product >> 64);
    o[6 * n] = (u64)shifted, o[7 * n] = (u64)(shifted >> 64);
    o[8 * n] = (u64)(signedly >> 64), o[9 * n] = x < y, o[10 * n] = (__int128)x < (__int128)y;
}

// Packed bytes and halves: the video instructions and what replaces them.
extern "C" __global__ void packed(const u32 *a, const u32 *b, u32 *out) {
    int i = threadIdx.x, n = blockDim.x;
    u32 x = a[i], y = b[i], *o = out + i;
#ifndef __CUDA_HOST_RUN__
    o[0 * n] = __vadd4(x, y), o[1 * n] = __vsub4(x, y), o[2 * n] = __vaddss4(x, y), o[3 * n] = __vaddus4(x, y);
    o[4 * n] = __vavgu4(x, y), o[5 * n] = __vabsdiffu4(x, y), o[6 * n] = __vmaxs4(x, y), o[7 * n] = __vminu4(x, y);
    o[8 * n] = __vcmpgtu4(x, y), o[9 * n] = __vcmpeq4(x, y), o[10 * n] = __vadd2(x, y), o[11 * n] = __vsubss2(x, y);
    o[12 * n] = __vmaxs2(x, y), o[13 * n] = __vsads4(x, y), o[14 * n] = __vsadu2(x, y), o[15 * n] = __vneg4(x);
#endif
}

// Dot products of packed values, all three shapes.
extern "C" __global__ void dots(const int *a, const int *b, int *out) {
    int i = threadIdx.x, n = blockDim.x, x = a[i], y = b[i];
    out[i] = __dp4a(x, y, i);
    out[i + n] = (int)__dp4a((u32)x, (u32)y, (u32)i);
    out[i + 2 * n] = __dp2a_lo(x, y, i);
    out[i + 3 * n] = __dp2a_hi(x, y, -i);
}

// Inline PTX: bit fields, find, prmt modes, lop3, shf, carries.
extern "C" __global__ void inline_bits(const u32 *a, const u32 *b, u32 *out) {
#ifndef __CUDA_HOST_RUN__
    int i = threadIdx.x, n = blockDim.x;
    u32 x = a[i], y = b[i], r, s, *o = out + i;
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y & 63), "r"(y >> 8 & 63)); o[0 * n] = r;
    asm("bfe.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y & 63), "r"(y >> 8 & 63)); o[1 * n] = r;
    asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(x), "r"(y), "r"(y >> 4 & 31), "r"(y >> 10 & 31)); o[2 * n] = r;
    asm("bfind.u32 %0, %1;" : "=r"(r) : "r"(x)); o[3 * n] = r;
    asm("bfind.s32 %0, %1;" : "=r"(r) : "r"(x)); o[4 * n] = r;
    asm("bfind.shiftamt.u32 %0, %1;" : "=r"(r) : "r"(x)); o[5 * n] = r;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(0xb4c9)); o[6 * n] = r;
    asm("prmt.b32.f4e %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(y & 3)); o[7 * n] = r;
    asm("prmt.b32.rc16 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(y & 3)); o[8 * n] = r;
    asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(r) : "r"(x), "r"(y), "r"(x + y)); o[9 * n] = r;
    asm("add.cc.u32 %0, %2, %3;\n\taddc.u32 %1, %2, 0;" : "=r"(r), "=r"(s) : "r"(x), "r"(y)); o[10 * n] = r ^ s;
    asm("sub.cc.u32 %0, %2, %3;\n\tsubc.u32 %1, %2, %3;" : "=r"(r), "=r"(s) : "r"(x), "r"(y)); o[11 * n] = r + s;
    asm("mad.lo.cc.u32 %0, %2, %3, %2;\n\tmadc.hi.u32 %1, %2, %3, 0;" : "=r"(r), "=r"(s) : "r"(x), "r"(y)); o[12 * n] = r ^ s;
    asm("add.sat.s32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y)); o[13 * n] = r;
    asm("fns.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y & 31), "r"((int)(y >> 8 & 7) - 3)); o[14 * n] = r;
    asm("szext.clamp.s32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y & 63)); o[15 * n] = r;
    asm("bmsk.wrap.b32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y)); o[16 * n] = r;
#endif
}
