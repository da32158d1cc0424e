// Every function and conversion of the headers for half, bfloat16, fp8, fp6 and fp4.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>

extern "C" __global__ void half_functions(const __half *a, __half *out, int *ints) {
    __half x = a[threadIdx.x], *o = out + threadIdx.x * 32;
    o[0] = hexp(x), o[1] = hlog(x), o[2] = hsin(x), o[3] = hcos(x), o[4] = hsqrt(x), o[5] = hrsqrt(x), o[6] = hrcp(x);
    o[7] = hexp2(x), o[8] = hlog2(x), o[9] = hexp10(x), o[10] = hlog10(x), o[11] = hceil(x), o[12] = hfloor(x), o[13] = htrunc(x), o[14] = hrint(x);
    o[15] = htanh(x), o[16] = __hdiv(x, o[0]), o[17] = __hfma_sat(x, x, x), o[18] = __hmax_nan(x, o[1]), o[19] = __hadd_rn(x, x);
    ints[0] = __half2int_rn(x), ints[1] = __half2uint_ru(x), ints[2] = __half2short_rd(x), ints[3] = (int)__half2ll_rz(x), ints[4] = (int)__half2ushort_rn(x);
    o[20] = __int2half_rz(ints[5]), o[21] = __ull2half_rn((unsigned long long)ints[6]), o[22] = __short2half_ru((short)ints[7]), o[23] = __double2half(ints[8] * 0.1);
    o[24] = __float2half_rz(ints[9]), o[25] = __float2half_rd(ints[9]), o[26] = __float2half_ru(ints[9]);
    ints[10] = __hisnan(x) + __hisinf(x) + __hgeu(x, o[0]) + __hneu(x, o[1]) + __half_as_short(x);
    __half2 p = __halves2half2(x, o[0]), q = h2exp(p);
    q = __hfma2(q, h2sqrt(p), h2rcp(p)), q = __hadd2_sat(q, p), q = __hmul2_sat(q, p), q = h2tanh(q);
    ints[11] = __hbeq2(p, q) + __hbgtu2(p, q) + __hequ2_mask(p, q);
    o[30] = __low2half(q), o[31] = __shfl_xor_sync(0xffffffff, __high2half(q), 1);
}
extern "C" __global__ void bfloat_functions(const __nv_bfloat16 *a, __nv_bfloat16 *out, int *ints) {
    __nv_bfloat16 x = a[threadIdx.x], *o = out + threadIdx.x * 32;
    o[0] = hexp(x), o[1] = hlog(x), o[2] = hsin(x), o[3] = hsqrt(x), o[4] = hrcp(x), o[5] = hfloor(x), o[6] = __hfma(x, x, x), o[7] = __hdiv(x, o[0]);
    o[8] = __hadd(x, x), o[9] = __hsub(x, o[1]), o[10] = __hmul_sat(x, x), o[11] = __hmax(x, o[2]), o[12] = __hmin_nan(x, o[2]), o[13] = __habs(x), o[14] = htanh(x);
    ints[0] = __bfloat162int_rn(x), ints[1] = __bfloat162uint_rz(x), o[15] = __int2bfloat16_rn(ints[2]), o[16] = __double2bfloat16(ints[3] * 0.1), o[17] = __float2bfloat16_rz(ints[4]);
    __nv_bfloat162 p = __halves2bfloat162(x, o[0]);
    p = __hfma2_relu(p, p, p), p = __hmax2(p, __hneg2(p));
    o[18] = __low2bfloat16(p), o[19] = __high2bfloat16(p);
}
extern "C" __global__ void narrow(const float4 *in, unsigned *out, float *back, double *d) {
    float4 v = in[threadIdx.x];
    float2 two = make_float2(v.x, v.y);
    out[0] = __nv_fp8x4_e4m3(v).__x, out[1] = __nv_fp8x4_e5m2(v).__x, out[2] = __nv_fp8x2_e4m3(two).__x, out[3] = __nv_fp8_e8m0(v.x).__x;
    out[4] = __nv_fp6x4_e2m3(v).__x, out[5] = __nv_fp6x2_e3m2(two).__x, out[6] = __nv_fp6_e3m2(v.z).__x;
    out[7] = __nv_fp4x4_e2m1(v).__x, out[8] = __nv_fp4x2_e2m1(two).__x, out[9] = __nv_fp4_e2m1(v.w).__x;
    __nv_fp8_e4m3 a(v.x);
    __nv_fp8_e5m2 b(v.y);
    __nv_fp6_e2m3 c(v.z);
    __nv_fp4_e2m1 e(v.w);
    back[0] = float(a), back[1] = float(b), back[2] = float(c), back[3] = float(e), back[4] = __half2float(__half(a)), back[5] = float(__nv_fp8_e4m3(d[0]));
    out[10] = __nv_cvt_halfraw_to_fp8(__half_raw(__half(v.x)), __NV_NOSAT, __NV_E4M3), out[11] = __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw(__nv_bfloat16(v.x)), __NV_SATFINITE, __NV_E5M2);
}
