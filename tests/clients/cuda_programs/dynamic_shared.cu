// Dynamic shared memory: a reversal, a transposition in more than 48 KiB, and requests that are refused.
// > reversed: 1024 as on the host
// > transposed: 12544 as on the host
// > without the attribute: cudaErrorInvalidValue
#include "check.h"

extern __shared__ int buffer[];

__global__ void reverse(int *x)
{
    buffer[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = buffer[blockDim.x - 1 - threadIdx.x];
}

__global__ void transpose(const int *from, int *to, int n)
{
    for (int i = threadIdx.x; i < n * n; i += blockDim.x)
        buffer[(i / n) * (n + 1) + i % n] = from[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n * n; i += blockDim.x)
        to[i] = buffer[(i % n) * (n + 1) + i / n];
}

int main()
{
    const int n = 112;
    static int x[n * n], got[n * n], wanted[n * n];
    for (int i = 0; i < n * n; i++)
        x[i] = (int)next_random();
    int *there, *result;
    CALL(cudaMalloc(&there, sizeof x));
    CALL(cudaMalloc(&result, sizeof x));
    CALL(cudaMemcpy(there, x, 1024 * sizeof(int), cudaMemcpyHostToDevice));
    reverse<<<1, 1024, 1024 * sizeof(int)>>>(there);
    LAUNCHED();
    CALL(cudaMemcpy(got, there, 1024 * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 1024; i++)
        wanted[i] = x[1023 - i];
    same("reversed", got, wanted, 1024);
    for (int i = 0; i < n * n; i++)
        wanted[i] = x[i % n * n + i / n];
    const int bytes = n * (n + 1) * sizeof(int);   // 50,624
    int most;
    CALL(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    EXPECT(bytes > 48 * 1024 && bytes <= most);
    CALL(cudaMemcpy(there, x, sizeof x, cudaMemcpyHostToDevice));
    transpose<<<1, 256, bytes>>>(there, result, n);
    cudaError_t refused = cudaGetLastError();
    CALL(cudaFuncSetAttribute(transpose, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    transpose<<<1, 256, bytes>>>(there, result, n);
    LAUNCHED();
    CALL(cudaMemcpy(got, result, sizeof got, cudaMemcpyDeviceToHost));
    same("transposed", got, wanted, n * n);
    printf("without the attribute: %s\n", cudaGetErrorName(refused));
    FAILS(cudaFuncSetAttribute(transpose, cudaFuncAttributeMaxDynamicSharedMemorySize, most + 1), cudaErrorInvalidValue);
    return 0;
}
