// Matrix products and other dense algebra.
#include <cuda_fp16.h>

extern "C" __global__ void matmul_plain(const float *a, const float *b, float *c, int m, int n, int k) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || column >= n) return;
    float sum = 0;
    for (int i = 0; i < k; i++) sum += a[row * k + i] * b[i * n + column];
    c[row * n + column] = sum;
}

// Tiles of 8 by 8 in shared memory; shapes need not be multiples.
extern "C" __global__ void __launch_bounds__(64) matmul_tiled(const double *a, const double *b, double *c, int m, int n, int k) {
    __shared__ double ta[8][8], tb[8][8];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 8 + y, column = blockIdx.x * 8 + x;
    double sum = 0;
    for (int from = 0; from < k; from += 8) {
        ta[y][x] = row < m && from + x < k ? a[row * k + from + x] : 0;
        tb[y][x] = column < n && from + y < k ? b[(from + y) * n + column] : 0;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 8; i++) sum = fma(ta[y][i], tb[i][x], sum);
        __syncthreads();
    }
    if (row < m && column < n) c[row * n + column] = sum;
}

// Half precision in pairs along the columns, accumulated in half2 fma.
extern "C" __global__ void matmul_half2(const __half *a, const __half2 *b, __half2 *c, int m, int n2, int k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m * n2) return;
    int row = i / n2, column = i % n2;
    __half2 sum = __float2half2_rn(0.0f);
    for (int j = 0; j < k; j++) sum = __hfma2(__half2half2(a[row * k + j]), b[j * n2 + column], sum);
    c[i] = sum;
}

// Bytes with dp4a: each int holds four steps of k.
extern "C" __global__ void matmul_bytes(const int *a, const int *bt, int *c, int m, int n, int words) {
    int row = threadIdx.y, column = threadIdx.x;
    int sum = 0;
    for (int i = 0; i < words; i++) sum = __dp4a(a[row * words + i], bt[column * words + i], sum);
    if (row < m && column < n) c[row * n + column] = sum;
}

// All shortest paths by Floyd and Warshall in one block.
extern "C" __global__ void floyd_warshall(int *d, int n) {
    for (int k = 0; k < n; k++) {
        for (int i = threadIdx.x; i < n * n; i += blockDim.x) {
            int through = d[i / n * n + k] + d[k * n + i % n];
            if (through < d[i]) d[i] = through;
        }
        __syncthreads();
    }
}

// The determinant modulo a prime by elimination: 64-bit remainders and modular inverses.
__device__ unsigned long long power(unsigned long long base, unsigned long long e, unsigned long long p) {
    unsigned long long r = 1;
    for (; e; e >>= 1, base = base * base % p)
        if (e & 1) r = r * base % p;
    return r;
}
extern "C" __global__ void determinant(unsigned long long *a, unsigned long long *out, int n, unsigned long long p) {
    __shared__ unsigned long long inverse;
    unsigned long long det = 1;
    for (int k = 0; k < n; k++) {
        int pivot = k;
        while (pivot < n && a[pivot * n + k] == 0) pivot++;
        if (pivot == n) {
            if (threadIdx.x == 0) *out = 0;
            return;
        }
        __syncthreads();
        if (pivot != k) {
            for (int j = threadIdx.x; j < n; j += blockDim.x) {
                unsigned long long x = a[k * n + j];
                a[k * n + j] = a[pivot * n + j];
                a[pivot * n + j] = x;
            }
            det = (p - det) % p;
            __syncthreads();
        }
        if (threadIdx.x == 0) inverse = power(a[k * n + k], p - 2, p);
        det = det * a[k * n + k] % p;
        __syncthreads();
        for (int i = k + 1 + threadIdx.x; i < n; i += blockDim.x) {
            unsigned long long f = a[i * n + k] * inverse % p;
            for (int j = k; j < n; j++) a[i * n + j] = (a[i * n + j] + (p - f) * a[k * n + j]) % p;
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) *out = det;
}
