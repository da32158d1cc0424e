// Half precision and bfloat16: arithmetic in pairs, conversions, comparisons, and a product of matrices by tensor cores.
// > fma of halves: 4096 as on the host
// > bfloat16: 4096 as on the host
// > wmma: 256 as on the host
#include "check.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

const int N = 4096;

__global__ void polynomial(const __half2 *x, __half2 *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __half2 half = __floats2half2_rn(0.5f, 0.5f);
    y[i] = __hmax2(__hfma2(x[i], x[i], half), __hneg2(x[i]));
}

__global__ void round_off(const float *x, __nv_bfloat16 *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = __hadd(__float2bfloat16_rn(x[i]), __float2bfloat16_rn(1.0f));
}

__global__ void multiply(const half *a, const half *b, float *c)
{
    using namespace nvcuda::wmma;
    fragment<matrix_a, 16, 16, 16, half, row_major> left;
    fragment<matrix_b, 16, 16, 16, half, col_major> right;
    fragment<accumulator, 16, 16, 16, float> sum;
    load_matrix_sync(left, a, 16);
    load_matrix_sync(right, b, 16);
    fill_fragment(sum, 0.25f);
    mma_sync(sum, left, right, sum);
    store_matrix_sync(c, sum, 16, mem_row_major);
}

template <typename T> static T *copied(const T *host, size_t count)
{
    T *there;
    CALL(cudaMalloc(&there, count * sizeof(T)));
    CALL(cudaMemcpy(there, host, count * sizeof(T), cudaMemcpyHostToDevice));
    return there;
}

int main()
{
    static __half x[N], y[N], wanted[N];
    static float f[N];
    static __nv_bfloat16 b[N], wanted_b[N];
    for (int i = 0; i < N; i++) {
        x[i] = __float2half_rn((int)(next_random() % 4001 - 2000) / 512.0f);
        double value = __half2float(x[i]);   // a fused product and sum is rounded once; the double holds it exactly
        __half sum = __double2half(value * value + 0.5);
        wanted[i] = __half2float(sum) > -value ? sum : __float2half_rn((float)-value);
        f[i] = (int)next_random() * 1e-6f - 8;
        wanted_b[i] = __float2bfloat16_rn(__bfloat162float(__float2bfloat16_rn(f[i])) + 1);
    }
    __half *there = copied(x, N);
    __half *result = copied(x, N);
    polynomial<<<N / 2 / 256, 256>>>((__half2 *)there, (__half2 *)result);
    LAUNCHED();
    CALL(cudaMemcpy(y, result, sizeof y, cudaMemcpyDeviceToHost));
    same("fma of halves", y, wanted, N);

    float *values = copied(f, N);
    __nv_bfloat16 *rounded = copied(b, N);
    round_off<<<N / 256, 256>>>(values, rounded);
    LAUNCHED();
    CALL(cudaMemcpy(b, rounded, sizeof b, cudaMemcpyDeviceToHost));
    same("bfloat16", b, wanted_b, N);

    half left[256], right[256];
    float got[256], products[256];
    for (int i = 0; i < 256; i++) {          // small multiples of 1/8: every sum is exact
        left[i] = __float2half_rn((int)(next_random() % 17 - 8) / 8.0f);
        right[i] = __float2half_rn((int)(next_random() % 17 - 8) / 8.0f);
    }
    for (int row = 0; row < 16; row++)
        for (int column = 0; column < 16; column++) {
            float sum = 0.25f;
            for (int k = 0; k < 16; k++)
                sum += __half2float(left[row * 16 + k]) * __half2float(right[column * 16 + k]);
            products[row * 16 + column] = sum;
        }
    half *a_there = copied(left, 256), *b_there = copied(right, 256);
    float *c_there = copied(got, 256);
    multiply<<<1, 32>>>(a_there, b_there, c_there);
    LAUNCHED();
    CALL(cudaMemcpy(got, c_there, sizeof got, cudaMemcpyDeviceToHost));
    same("wmma", got, products, 256);
    return 0;
}
