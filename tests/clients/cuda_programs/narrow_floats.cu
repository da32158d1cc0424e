// Floats of 8, 6 and 4 bits: conversions on the device are those that NVIDIA's headers make on the host.
// device: sm_100
// > e4m3: 4096 as on the host
// > e5m2: 4096 as on the host
// > e2m3, e3m2: 2048 as on the host
// > e2m1 pairs: 2048 as on the host
// > back to halves: 256 as on the host
#include "check.h"
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>

const int N = 4096;

struct Narrow {
    unsigned char e4m3[N], e5m2[N], six[N / 2][2], four[N / 2];
    unsigned short halves[256];
};

__host__ __device__ void convert(const float *x, int i, Narrow &out)
{
    out.e4m3[i] = __nv_cvt_float_to_fp8(x[i], __NV_SATFINITE, __NV_E4M3);
    out.e5m2[i] = __nv_cvt_float_to_fp8(x[i], __NV_NOSAT, __NV_E5M2);
    if (i < N / 2) {
        out.six[i][0] = __nv_cvt_float_to_fp6(x[i], __NV_E2M3, cudaRoundNearest);
        out.six[i][1] = __nv_cvt_float_to_fp6(x[i + N / 2], __NV_E3M2, cudaRoundNearest);
        out.four[i] = __nv_cvt_float2_to_fp4x2(make_float2(x[2 * i], x[2 * i + 1]), __NV_E2M1, cudaRoundNearest);
    }
    if (i < 256)
        out.halves[i] = __half_raw(__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)i, i % 2 ? __NV_E4M3 : __NV_E5M2)).x;
}

__global__ void narrow(const float *x, Narrow *out) { convert(x, blockIdx.x * blockDim.x + threadIdx.x, *out); }

int main()
{
    float *x;
    Narrow *got, *wanted = new Narrow;
    CALL(cudaMallocManaged(&x, N * sizeof *x));
    CALL(cudaMallocManaged(&got, sizeof *got));
    for (int i = 0; i < N; i++) {
        float scale[] = {0.001f, 0.05f, 1.0f, 30.0f, 2000.0f};
        x[i] = ((int)(next_random() % 20001) - 10000) / 1000.0f * scale[i % 5];
    }
    x[0] = INFINITY, x[1] = -INFINITY, x[2] = 0.0f, x[3] = -0.0f;
    narrow<<<N / 256, 256>>>(x, got);
    LAUNCHED();
    CALL(cudaDeviceSynchronize());
    for (int i = 0; i < N; i++)
        convert(x, i, *wanted);
    same("e4m3", got->e4m3, wanted->e4m3, N);
    same("e5m2", got->e5m2, wanted->e5m2, N);
    same("e2m3, e3m2", got->six, wanted->six, N / 2);
    same("e2m1 pairs", got->four, wanted->four, N / 2);
    for (int i = 0; i < 256; i++)       // any NaN is as good as another
        if ((wanted->halves[i] & 0x7FFF) > 0x7C00 && (got->halves[i] & 0x7FFF) > 0x7C00)
            got->halves[i] = wanted->halves[i];
    same("back to halves", got->halves, wanted->halves, 256);
    delete wanted;
    return 0;
}
