// Small formats: half, half2, bfloat16, fp8.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

// Rounded once from the exact result each.
extern "C" __global__ void half_arithmetic(const __half *a, const __half *b, const __half *c, __half *out) {
    int i = threadIdx.x, n = blockDim.x;
    __half x = a[i], y = b[i], z = c[i], *o = out + i;
    o[0 * n] = __hadd(x, y), o[1 * n] = __hsub(x, y), o[2 * n] = __hmul(x, y), o[3 * n] = __hfma(x, y, z);
    o[4 * n] = __hneg(x), o[5 * n] = __habs(y), o[6 * n] = __hadd_sat(x, y);
    o[7 * n] = __hmax(x, y), o[8 * n] = __hmin(x, y);
    o[9 * n] = __float2half_rn(__half2float(x) * 1.5f), o[10 * n] = __hgt(x, y) ? x : z;
    o[11 * n] = __hdiv(x, y);
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
extern "C" __global__ void half2_arithmetic(const __half2 *a, const __half2 *b, const __half2 *c, __half2 *out) {
    int i = threadIdx.x, n = blockDim.x;
    __half2 x = a[i], y = b[i], z = c[i], *o = out + i;
    o[0 * n] = __hadd2(x, y), o[1 * n] = __hsub2(x, y), o[2 * n] = __hmul2(x, y), o[3 * n] = __hfma2(x, y, z);
    o[4 * n] = __hmax2(x, y), o[5 * n] = __hmin2(x, y), o[6 * n] = __hneg2(x), o[7 * n] = __hlt2(x, y);
    o[8 * n] = __lows2half2(x, y), o[9 * n] = __highs2half2(x, y), o[10 * n] = __lowhigh2highlow(x);
    o[11 * n] = __hfma2_relu(x, y, z);
}

extern "C" __global__ void bfloat_arithmetic(const __nv_bfloat162 *a, const __nv_bfloat162 *b, const __nv_bfloat162 *c, __nv_bfloat162 *out, float *wide) {
    int i = threadIdx.x, n = blockDim.x;
    __nv_bfloat162 x = a[i], y = b[i], z = c[i], *o = out + i;
    o[0 * n] = __hadd2(x, y), o[1 * n] = __hsub2(x, y), o[2 * n] = __hmul2(x, y), o[3 * n] = __hfma2(x, y, z);
    o[4 * n] = __hmax2(x, y), o[5 * n] = __hmin2(x, y), o[6 * n] = __habs2(x);
    o[7 * n] = __floats2bfloat162_rn(__low2float(x) * 3.0f, __high2float(y) / 3.0f);
    wide[2 * i] = __low2float(z), wide[2 * i + 1] = __high2float(z);
}
#endif

// float to bytes and back: e4m3 and e5m2, saturating.
extern "C" __global__ void fp8_round_trip(const float *in, unsigned char *e4m3, unsigned char *e5m2, float *back) {
    int i = threadIdx.x, n = blockDim.x;
    __nv_fp8_e4m3 a(in[i]);
    __nv_fp8_e5m2 b(in[i]);
    e4m3[i] = a.__x;
    e5m2[i] = b.__x;
    back[i] = float(a);
    back[i + n] = float(b);
}

// A dot product in half with float accumulation, and a polynomial by Horner in half2.
extern "C" __global__ void mixed_precision(const __half2 *a, const __half2 *b, float *dot, __half2 *poly, int n) {
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float2 x = __half22float2(a[i]), y = __half22float2(b[i]);
        sum += x.x * y.x + x.y * y.y;
    }
    for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (threadIdx.x == 0) *dot = sum;
    if (threadIdx.x < n) {
        __half2 x = a[threadIdx.x], p = __float2half2_rn(2.0f);
        p = __hfma2(p, x, __float2half2_rn(-3.0f));
        p = __hfma2(p, x, __float2half2_rn(5.0f));
        poly[threadIdx.x] = p;
    }
}
