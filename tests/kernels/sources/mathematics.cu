// Functions of floating point: the library's doubles and singles, rounding modes, conversions, classification.

// One function a row of the grid; the reference is Python's math, the library promises a few units in the last place.
extern "C" __global__ void doubles(const double *in, double *out) {
    int i = threadIdx.x;
    double x = in[i], a = fabs(x), y = 0;
    switch (blockIdx.x) {
        case 0: y = exp(x); break;
        case 1: y = log(a); break;
        case 2: y = pow(a, 1.7); break;
        case 3: y = sin(x); break;
        case 4: y = cos(x); break;
        case 5: y = tan(x); break;
        case 6: y = atan2(x, 3.0); break;
        case 7: y = sqrt(a); break;
        case 8: y = cbrt(x); break;
        case 9: y = erf(x); break;
        case 10: y = tanh(x); break;
        case 11: y = log1p(a); break;
        case 12: y = expm1(x); break;
        case 13: y = exp2(x); break;
        case 14: y = log10(a); break;
        case 15: y = hypot(x, 7.0); break;
        case 16: y = fmod(x, 0.7); break;
        case 17: y = lgamma(a + 0.5); break;
        case 18: y = asin(x / 41); break;
        case 19: y = x / 3.0 + 1.0 / (a + 1); break;
    }
    out[blockIdx.x * blockDim.x + i] = y;
}

extern "C" __global__ void singles(const float *in, float *out) {
    int i = threadIdx.x;
    float x = in[i], a = fabsf(x), y = 0;
    switch (blockIdx.x) {
        case 0: y = expf(x); break;
        case 1: y = logf(a); break;
        case 2: y = powf(a, 1.7f); break;
        case 3: y = sinf(x * 100); break;
        case 4: y = cosf(x); break;
        case 5: y = tanf(x); break;
        case 6: y = atanf(x); break;
        case 7: y = sqrtf(a); break;
        case 8: y = cbrtf(x); break;
        case 9: y = erfcf(x / 8); break;
        case 10: y = tanhf(x); break;
        case 11: y = log2f(a); break;
        case 12: y = exp2f(x); break;
        case 13: y = rsqrtf(a); break;
        case 14: y = x / 3.0f; break;
        case 15: y = sinhf(x / 4); break;
    }
    out[blockIdx.x * blockDim.x + i] = y;
}

// The quick ones of the hardware: .approx instructions.
extern "C" __global__ void intrinsics(const float *in, float *out) {
    int i = threadIdx.x, n = blockDim.x;
    float x = in[i], s, c, *o = out + i;
    __sincosf(x, &s, &c);
    o[0 * n] = s, o[1 * n] = c, o[2 * n] = __expf(x), o[3 * n] = __logf(x), o[4 * n] = __log2f(x);
    o[5 * n] = __powf(x, 1.5f), o[6 * n] = __fdividef(x, 3), o[7 * n] = rsqrtf(x), o[8 * n] = __tanf(x);
    o[9 * n] = __exp10f(x / 4), o[10 * n] = __saturatef(x - 1), o[11 * n] = __frcp_rn(x);
}

// Arithmetic in the four rounding modes: exact rationals decide what is right.
extern "C" __global__ void roundings(const float *a, const float *b, const float *c, float *out) {
    int i = threadIdx.x, n = blockDim.x;
    float x = a[i], y = b[i], z = c[i], *o = out + i;
    o[0 * n] = __fadd_rn(x, y), o[1 * n] = __fadd_rz(x, y), o[2 * n] = __fadd_rd(x, y), o[3 * n] = __fadd_ru(x, y);
    o[4 * n] = __fmul_rn(x, y), o[5 * n] = __fmul_rz(x, y), o[6 * n] = __fmul_rd(x, y), o[7 * n] = __fmul_ru(x, y);
    o[8 * n] = __fdiv_rn(x, y), o[9 * n] = __fdiv_rz(x, y), o[10 * n] = __fdiv_rd(x, y), o[11 * n] = __fdiv_ru(x, y);
    o[12 * n] = __fmaf_rn(x, y, z), o[13 * n] = __fmaf_rz(x, y, z), o[14 * n] = __fmaf_rd(x, y, z), o[15 * n] = __fmaf_ru(x, y, z);
    o[16 * n] = __fsub_rd(x, y), o[17 * n] = __frcp_ru(y);
}
extern "C" __global__ void double_roundings(const double *a, const double *b, const double *c, double *out) {
    int i = threadIdx.x, n = blockDim.x;
    double x = a[i], y = b[i], z = c[i], *o = out + i;
    o[0 * n] = __dadd_rn(x, y), o[1 * n] = __dadd_rz(x, y), o[2 * n] = __dadd_rd(x, y), o[3 * n] = __dadd_ru(x, y);
    o[4 * n] = __dmul_rn(x, y), o[5 * n] = __dmul_rz(x, y), o[6 * n] = __dmul_rd(x, y), o[7 * n] = __dmul_ru(x, y);
    o[8 * n] = __ddiv_rn(x, y), o[9 * n] = __ddiv_rz(x, y), o[10 * n] = __ddiv_rd(x, y), o[11 * n] = __ddiv_ru(x, y);
    o[12 * n] = __fma_rn(x, y, z), o[13 * n] = __fma_rz(x, y, z), o[14 * n] = __fma_rd(x, y, z), o[15 * n] = __fma_ru(x, y, z);
    o[16 * n] = __dsqrt_rn(fabs(x)), o[17 * n] = __drcp_rn(y);
}

// Conversions between floats and integers: every rounding, saturation at the ends, NaN to zero.
extern "C" __global__ void conversions(const float *in, const long long *ints, int *to32, long long *to64, float *single, double *wide) {
#ifndef __CUDA_HOST_RUN__
    int i = threadIdx.x, n = blockDim.x;
    float x = in[i];
    int *p = to32 + i;
    p[0 * n] = __float2int_rn(x), p[1 * n] = __float2int_rz(x), p[2 * n] = __float2int_rd(x), p[3 * n] = __float2int_ru(x);
    p[4 * n] = __float2uint_rz(x), p[5 * n] = (int)floorf(x), p[6 * n] = (signed char)__float2int_rn(x);
    long long *q = to64 + i;
    q[0 * n] = __float2ll_rn(x), q[1 * n] = __double2ll_rd(x * 1e6), q[2 * n] = __float2ull_ru(x), q[3 * n] = llrintf(x);
    long long v = ints[i];
    float *s = single + i;
    s[0 * n] = __ll2float_rn(v), s[1 * n] = __ll2float_rz(v), s[2 * n] = __ull2float_ru((unsigned long long)v), s[3 * n] = __int2float_rd((int)v);
    s[4 * n] = truncf(x), s[5 * n] = rintf(x), s[6 * n] = ceilf(x), s[7 * n] = roundf(x);
    double *d = wide + i;
    d[0 * n] = __ll2double_rn(v), d[1 * n] = __ull2double_rd((unsigned long long)v), d[2 * n] = x, d[3 * n] = rint(v * 0.25);
#endif
}

// NaN, infinities, zeros, subnormals: predicates, min, max, copysign, comparisons.
extern "C" __global__ void classification(const float *a, const float *b, unsigned *out) {
    int i = threadIdx.x, n = blockDim.x;
    float x = a[i], y = b[i];
    unsigned r = 0;
    r |= (x < y) | (x <= y) << 1 | (x == y) << 2 | (x != y) << 3 | (x > y) << 4 | (x >= y) << 5 | !(x < y) << 6 | !(x >= y) << 7;
    r |= (x != x) << 8 | (fabsf(x) == __int_as_float(0x7f800000)) << 9 | (__float_as_int(x) < 0) << 10;
    out[i] = r;
    float low = fminf(x, y), high = fmaxf(x, y), mixed = copysignf(x, y);
    out[i + n] = low != low ? 0 : low == 0 ? 1 : __float_as_uint(low);
    out[i + 2 * n] = high != high ? 0 : high == 0 ? 1 : __float_as_uint(high);
    out[i + 3 * n] = mixed != mixed ? 0 : __float_as_uint(mixed);
    out[i + 4 * n] = x != x ? 0 : __float_as_uint(-fabsf(x));
    float half = x * 0.5f;
    out[i + 5 * n] = half != half ? 0 : __float_as_uint(half);
}
