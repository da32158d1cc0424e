// Atomics: in shared and global memory, 32 and 64 bits, floats, compare-and-swap, minima and bits.
// > histogram: 64 as on the host
// > sum, least, greatest, bits, ticket: 5 as on the host
// > float sum 524288.0, double product 1024.0
#include "check.h"

__global__ void count(const unsigned *x, int n, unsigned *histogram)
{
    __shared__ unsigned mine[64];
    if (threadIdx.x < 64)
        mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[x[i] % 64], 1u);
    __syncthreads();
    if (threadIdx.x < 64)
        atomicAdd(&histogram[threadIdx.x], mine[threadIdx.x]);
}

__device__ void multiply(double *product, double by)
{
    unsigned long long *bits = (unsigned long long *)product, old = *bits, assumed;
    do {
        assumed = old;
        old = atomicCAS(bits, assumed, __double_as_longlong(by * __longlong_as_double(assumed)));
    } while (assumed != old);
}

__global__ void reduce(const unsigned *x, int n, unsigned long long *results, float *sum, double *product)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    atomicAdd(&results[0], (unsigned long long)x[i]);
    atomicMin(&results[1], (unsigned long long)x[i]);
    atomicMax(&results[2], (unsigned long long)x[i]);
    atomicXor(&results[3], (unsigned long long)x[i] << 20);
    atomicInc((unsigned *)&results[4], 999);
    atomicAdd_system(sum, 128.0f);
    if (i < 10)
        multiply(product, 2.0);
}

int main()
{
    const int n = 4096;
    unsigned x[n], wanted[64] = {}, got[64];
    unsigned long long reduced[5] = {0, ~0ull, 0, 0, 0}, expected[5] = {0, ~0ull, 0, 0, n % 1000};
    for (unsigned &one : x) {
        one = next_random();
        wanted[one % 64]++;
        expected[0] += one;
        expected[1] = one < expected[1] ? one : expected[1];
        expected[2] = one > expected[2] ? one : expected[2];
        expected[3] ^= (unsigned long long)one << 20;
    }
    unsigned *there, *histogram;
    unsigned long long *results;
    float *sum, float_sum = 0;
    double *product, double_product = 1;
    CALL(cudaMalloc(&there, sizeof x));
    CALL(cudaMalloc(&histogram, sizeof got));
    CALL(cudaMalloc(&results, sizeof reduced));
    CALL(cudaMalloc(&sum, sizeof *sum));
    CALL(cudaMalloc(&product, sizeof *product));
    CALL(cudaMemcpy(there, x, sizeof x, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(results, reduced, sizeof reduced, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(sum, &float_sum, sizeof *sum, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(product, &double_product, sizeof *product, cudaMemcpyHostToDevice));
    CALL(cudaMemset(histogram, 0, sizeof got));
    count<<<4, 128>>>(there, n, histogram);
    reduce<<<n / 256, 256>>>(there, n, results, sum, product);
    LAUNCHED();
    CALL(cudaMemcpy(got, histogram, sizeof got, cudaMemcpyDeviceToHost));
    CALL(cudaMemcpy(reduced, results, sizeof reduced, cudaMemcpyDeviceToHost));
    CALL(cudaMemcpy(&float_sum, sum, sizeof *sum, cudaMemcpyDeviceToHost));
    CALL(cudaMemcpy(&double_product, product, sizeof *product, cudaMemcpyDeviceToHost));
    same("histogram", got, wanted, 64);
    same("sum, least, greatest, bits, ticket", reduced, expected, 5);
    printf("float sum %.1f, double product %.1f\n", float_sum, double_product);
    return 0;
}
