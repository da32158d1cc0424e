// CUDA's own headers on the host: each function below applies one of their conversions or operations to an array of codes.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>

template <class To, class From> static To as(From from) {
    static_assert(sizeof(To) == sizeof(From), "the same bits");
    To to;
    std::memcpy(&to, &from, sizeof to);
    return to;
}
static uint16_t raw(__half v) { return __half_raw(v).x; }
static uint16_t raw(__nv_bfloat16 v) { return __nv_bfloat16_raw(v).x; }
static uint16_t raw(__half_raw v) { return v.x; }
static uint16_t raw(__nv_bfloat16_raw v) { return v.x; }
static uint32_t raw(float v) { return as<uint32_t>(v); }
template <class T> static T raw(T v) { return v; }

static float F(uint32_t a) { return as<float>(a); }
static double D(uint64_t a) { return as<double>(a); }
static __half_raw HR(uint16_t a) { __half_raw r; r.x = a; return r; }
static __nv_bfloat16_raw BR(uint16_t a) { __nv_bfloat16_raw r; r.x = a; return r; }
static __half H(uint16_t a) { return __half(HR(a)); }
static __nv_bfloat16 B(uint16_t a) { return __nv_bfloat16(BR(a)); }

#define UNARY(name, In, Out, expression)                                              \
    extern "C" void name(const In *A, const In *, Out *d, size_t n) {                  \
        for (size_t i = 0; i < n; i++) { In a = A[i]; d[i] = (Out)raw(expression); }    \
    }
#define BINARY(name, In, Out, expression)                                              \
    extern "C" void name(const In *A, const In *B_, Out *d, size_t n) {                 \
        for (size_t i = 0; i < n; i++) { In a = A[i], b = B_[i]; d[i] = (Out)raw(expression); } \
    }
#define RN cudaRoundNearest

// float to float
UNARY(f16_rn_f32, uint32_t, uint16_t, __float2half_rn(F(a)))
UNARY(f16_rz_f32, uint32_t, uint16_t, __float2half_rz(F(a)))
UNARY(f16_rm_f32, uint32_t, uint16_t, __float2half_rd(F(a)))
UNARY(f16_rp_f32, uint32_t, uint16_t, __float2half_ru(F(a)))
UNARY(bf16_rn_f32, uint32_t, uint16_t, __float2bfloat16_rn(F(a)))
UNARY(bf16_rz_f32, uint32_t, uint16_t, __float2bfloat16_rz(F(a)))
UNARY(bf16_rm_f32, uint32_t, uint16_t, __float2bfloat16_rd(F(a)))
UNARY(bf16_rp_f32, uint32_t, uint16_t, __float2bfloat16_ru(F(a)))
UNARY(f16_rn_f64, uint64_t, uint16_t, __double2half(D(a)))
UNARY(bf16_rn_f64, uint64_t, uint16_t, __double2bfloat16(D(a)))
UNARY(f32_f16, uint16_t, uint32_t, __half2float(H(a)))
UNARY(f32_bf16, uint16_t, uint32_t, __bfloat162float(B(a)))

// small formats
#define FP8(name, source, In, read, kind) \
    UNARY(name, In, uint8_t, __nv_cvt_##source##_to_fp8(read(a), __NV_SATFINITE, kind))
#define FP6(name, source, In, read, kind) UNARY(name, In, uint8_t, __nv_cvt_##source##_to_fp6(read(a), kind, RN))
#define FP4(name, source, In, read, kind) UNARY(name, In, uint8_t, __nv_cvt_##source##_to_fp4(read(a), kind, RN))
#define FROM_ALL(make, d, kind)                            \
    make(d##_rn_f32, float, uint32_t, F, kind)             \
    make(d##_rn_f64, double, uint64_t, D, kind)            \
    make(d##_rn_f16, halfraw, uint16_t, HR, kind)          \
    make(d##_rn_bf16, bfloat16raw, uint16_t, BR, kind)
FROM_ALL(FP8, e4m3, __NV_E4M3)
FROM_ALL(FP8, e5m2, __NV_E5M2)
FROM_ALL(FP6, e2m3, __NV_E2M3)
FROM_ALL(FP6, e3m2, __NV_E3M2)
FROM_ALL(FP4, e2m1, __NV_E2M1)
UNARY(ue8m0_rz_f32, uint32_t, uint8_t, __nv_cvt_float_to_e8m0(F(a), __NV_NOSAT, cudaRoundZero))
UNARY(ue8m0_rp_f32, uint32_t, uint8_t, __nv_cvt_float_to_e8m0(F(a), __NV_NOSAT, cudaRoundPosInf))
UNARY(ue8m0_rz_satfinite_f32, uint32_t, uint8_t, __nv_cvt_float_to_e8m0(F(a), __NV_SATFINITE, cudaRoundZero))
UNARY(ue8m0_rp_satfinite_f32, uint32_t, uint8_t, __nv_cvt_float_to_e8m0(F(a), __NV_SATFINITE, cudaRoundPosInf))
UNARY(ue8m0_rz_bf16, uint16_t, uint8_t, __nv_cvt_bfloat16raw_to_e8m0(BR(a), __NV_NOSAT, cudaRoundZero))
UNARY(ue8m0_rp_bf16, uint16_t, uint8_t, __nv_cvt_bfloat16raw_to_e8m0(BR(a), __NV_NOSAT, cudaRoundPosInf))
UNARY(f16_rn_e4m3, uint8_t, uint16_t, __nv_cvt_fp8_to_halfraw(a, __NV_E4M3))
UNARY(f16_rn_e5m2, uint8_t, uint16_t, __nv_cvt_fp8_to_halfraw(a, __NV_E5M2))
UNARY(f16_rn_e2m3, uint8_t, uint16_t, __nv_cvt_fp6_to_halfraw(a, __NV_E2M3))
UNARY(f16_rn_e3m2, uint8_t, uint16_t, __nv_cvt_fp6_to_halfraw(a, __NV_E3M2))
UNARY(f16_rn_e2m1, uint8_t, uint16_t, __nv_cvt_fp4_to_halfraw(a, __NV_E2M1))
UNARY(bf16_rn_ue8m0, uint8_t, uint16_t, __nv_cvt_e8m0_to_bf16raw(a))

// integers
#define INTEGERS(format, type, read)                                            \
    UNARY(s8_rzi_##format, uint16_t, uint8_t, __##type##2char_rz(read(a)))      \
    UNARY(u8_rzi_##format, uint16_t, uint8_t, __##type##2uchar_rz(read(a)))     \
    UNARY(s16_rzi_##format, uint16_t, uint16_t, __##type##2short_rz(read(a)))   \
    UNARY(u16_rzi_##format, uint16_t, uint16_t, __##type##2ushort_rz(read(a)))  \
    UNARY(s32_rzi_##format, uint16_t, uint32_t, __##type##2int_rz(read(a)))     \
    UNARY(u32_rzi_##format, uint16_t, uint32_t, __##type##2uint_rz(read(a)))    \
    UNARY(s64_rzi_##format, uint16_t, uint64_t, __##type##2ll_rz(read(a)))      \
    UNARY(u64_rzi_##format, uint16_t, uint64_t, __##type##2ull_rz(read(a)))
INTEGERS(f16, half, H)
INTEGERS(bf16, bfloat16, B)
#define HALF_FROM(rnd, suffix)                                                          \
    UNARY(f16_##rnd##_s16, uint16_t, uint16_t, __short2half_##suffix((short)a))         \
    UNARY(f16_##rnd##_u16, uint16_t, uint16_t, __ushort2half_##suffix(a))               \
    UNARY(f16_##rnd##_s32, uint32_t, uint16_t, __int2half_##suffix((int)a))             \
    UNARY(f16_##rnd##_u32, uint32_t, uint16_t, __uint2half_##suffix(a))                 \
    UNARY(f16_##rnd##_s64, uint64_t, uint16_t, __ll2half_##suffix((long long)a))        \
    UNARY(f16_##rnd##_u64, uint64_t, uint16_t, __ull2half_##suffix(a))
HALF_FROM(rn, rn)
HALF_FROM(rz, rz)
HALF_FROM(rm, rd)
HALF_FROM(rp, ru)
UNARY(bf16_rn_s16, uint16_t, uint16_t, __short2bfloat16_rn((short)a))
UNARY(bf16_rn_u16, uint16_t, uint16_t, __ushort2bfloat16_rn(a))
UNARY(bf16_rn_s32, uint32_t, uint16_t, __int2bfloat16_rn((int)a))
UNARY(bf16_rn_u32, uint32_t, uint16_t, __uint2bfloat16_rn(a))
UNARY(bf16_rn_s64, uint64_t, uint16_t, __ll2bfloat16_rn((long long)a))
UNARY(bf16_rn_u64, uint64_t, uint16_t, __ull2bfloat16_rn(a))

// arithmetic of halves
#define ARITHMETIC(format, read)                                                  \
    BINARY(add_##format, uint16_t, uint16_t, __hadd(read(a), read(b)))            \
    BINARY(sub_##format, uint16_t, uint16_t, __hsub(read(a), read(b)))            \
    BINARY(mul_##format, uint16_t, uint16_t, __hmul(read(a), read(b)))            \
    BINARY(min_##format, uint16_t, uint16_t, __hmin(read(a), read(b)))            \
    BINARY(max_##format, uint16_t, uint16_t, __hmax(read(a), read(b)))            \
    BINARY(min_nan_##format, uint16_t, uint16_t, __hmin_nan(read(a), read(b)))    \
    BINARY(max_nan_##format, uint16_t, uint16_t, __hmax_nan(read(a), read(b)))    \
    BINARY(less_##format, uint16_t, uint8_t, __hlt(read(a), read(b)))             \
    BINARY(equal_##format, uint16_t, uint8_t, __heq(read(a), read(b)))
ARITHMETIC(f16, H)
ARITHMETIC(bf16, B)
BINARY(add_sat_f16, uint16_t, uint16_t, __hadd_sat(H(a), H(b)))
BINARY(mul_sat_f16, uint16_t, uint16_t, __hmul_sat(H(a), H(b)))
