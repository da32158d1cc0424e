// Warp matrix functions beyond halves: bytes, tf32, bfloat16, doubles; fragments changed element by element.
// > bytes: 256 as on the host
// > tf32: 256 as on the host
// > bfloat16: 256 as on the host
// > doubles: 64 as on the host
#include "check.h"
#include <cuda_bf16.h>
#include <mma.h>

using namespace nvcuda::wmma;

__global__ void bytes(const signed char *a, const signed char *b, int *c)
{
    fragment<matrix_a, 16, 16, 16, signed char, row_major> left;
    fragment<matrix_b, 16, 16, 16, signed char, col_major> right;
    fragment<accumulator, 16, 16, 16, int> sum;
    fill_fragment(sum, 7);
    load_matrix_sync(left, a, 16);
    load_matrix_sync(right, b, 16);
    mma_sync(sum, left, right, sum);
    for (int i = 0; i < sum.num_elements; i++)
        sum.x[i] = 2 * sum.x[i] + 1;
    store_matrix_sync(c, sum, 16, mem_row_major);
}

__global__ void tf32(const float *a, const float *b, float *c)
{
    fragment<matrix_a, 16, 16, 8, precision::tf32, row_major> left;
    fragment<matrix_b, 16, 16, 8, precision::tf32, col_major> right;
    fragment<accumulator, 16, 16, 8, float> sum;
    fill_fragment(sum, 0.0f);
    for (int k = 0; k < 16; k += 8) {
        load_matrix_sync(left, a + k, 16);
        load_matrix_sync(right, b + k, 16);
        for (int i = 0; i < left.num_elements; i++)
            left.x[i] = __float_to_tf32(left.x[i]);
        for (int i = 0; i < right.num_elements; i++)
            right.x[i] = __float_to_tf32(right.x[i]);
        mma_sync(sum, left, right, sum);
    }
    store_matrix_sync(c, sum, 16, mem_row_major);
}

__global__ void brain(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c)
{
    fragment<matrix_a, 16, 16, 16, __nv_bfloat16, row_major> left;
    fragment<matrix_b, 16, 16, 16, __nv_bfloat16, row_major> right;
    fragment<accumulator, 16, 16, 16, float> sum;
    load_matrix_sync(left, a, 16);
    load_matrix_sync(right, b, 16);
    load_matrix_sync(sum, c, 16, mem_col_major);
    mma_sync(sum, left, right, sum);
    store_matrix_sync(c, sum, 16, mem_col_major);
}

__global__ void doubles(const double *a, const double *b, double *c)
{
    fragment<matrix_a, 8, 8, 4, double, row_major> left;
    fragment<matrix_b, 8, 8, 4, double, col_major> right;
    fragment<accumulator, 8, 8, 4, double> sum;
    fill_fragment(sum, 0.5);
    load_matrix_sync(left, a, 4);
    load_matrix_sync(right, b, 4);
    mma_sync(sum, left, right, sum);
    store_matrix_sync(c, sum, 8, mem_row_major);
}

template <typename T> static T *managed(size_t count)
{
    T *made;
    CALL(cudaMallocManaged(&made, count * sizeof(T)));
    return made;
}

static int small() { return (int)(next_random() % 17) - 8; }

int main()
{
    signed char *a = managed<signed char>(256), *b = managed<signed char>(256);
    int *c = managed<int>(256), wanted[256];
    for (int i = 0; i < 256; i++)
        a[i] = (signed char)(next_random() % 256 - 128), b[i] = (signed char)(next_random() % 256 - 128);
    for (int i = 0; i < 256; i++) {
        int sum = 7;
        for (int k = 0; k < 16; k++)
            sum += a[i / 16 * 16 + k] * b[i % 16 * 16 + k];
        wanted[i] = 2 * sum + 1;
    }
    bytes<<<1, 32>>>(a, b, c);
    LAUNCHED();
    CALL(cudaDeviceSynchronize());
    same("bytes", c, wanted, 256);

    float *f = managed<float>(256), *g = managed<float>(256), *h = managed<float>(256), products[256];
    for (int i = 0; i < 256; i++)          // eighths: products and sums are exact
        f[i] = small() / 8.0f, g[i] = small() / 8.0f;
    for (int i = 0; i < 256; i++) {
        products[i] = 0;
        for (int k = 0; k < 16; k++)
            products[i] += f[i / 16 * 16 + k] * g[i % 16 * 16 + k];
    }
    tf32<<<1, 32>>>(f, g, h);
    LAUNCHED();
    CALL(cudaDeviceSynchronize());
    same("tf32", h, products, 256);

    __nv_bfloat16 *p = managed<__nv_bfloat16>(256), *q = managed<__nv_bfloat16>(256);
    for (int i = 0; i < 256; i++)
        p[i] = __float2bfloat16_rn(f[i]), q[i] = __float2bfloat16_rn(g[i]), h[i] = (float)small();
    for (int row = 0; row < 16; row++)
        for (int column = 0; column < 16; column++) {
            float &sum = products[column * 16 + row] = h[column * 16 + row];
            for (int k = 0; k < 16; k++)
                sum += f[row * 16 + k] * g[k * 16 + column];
        }
    brain<<<1, 32>>>(p, q, h);
    LAUNCHED();
    CALL(cudaDeviceSynchronize());
    same("bfloat16", h, products, 256);

    double *x = managed<double>(32), *y = managed<double>(32), *z = managed<double>(64), exact[64];
    for (int i = 0; i < 32; i++)
        x[i] = small() / 3.0, y[i] = small() / 16.0;
    for (int i = 0; i < 64; i++) {
        exact[i] = 0.5;
        for (int k = 0; k < 4; k++)
            exact[i] = __builtin_fma(x[i / 8 * 4 + k], y[i % 8 * 4 + k], exact[i]);
    }
    doubles<<<1, 32>>>(x, y, z);
    LAUNCHED();
    CALL(cudaDeviceSynchronize());
    same("doubles", z, exact, 64);
    return 0;
}
