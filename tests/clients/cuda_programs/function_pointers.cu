// Pointers to functions of the device: a table in device memory, one that the host copies out and back, recursion.
// > by a table: 400 as on the host
// > by a pointer that the host passes: 100 as on the host
// > Ackermann(2, 3) = 9, Fibonacci(15) = 610
#include "check.h"

typedef float Operation(float, float);

__device__ float plus(float a, float b) { return a + b; }
__device__ float minus(float a, float b) { return a - b; }
__device__ float product(float a, float b) { return a * b; }
__device__ float larger(float a, float b) { return a > b ? a : b; }

__device__ Operation *const table[] = {plus, minus, product, larger};
__device__ Operation *chosen = product;

__global__ void by_table(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = table[i % 4](x[i], 3.0f);
}

__global__ void by_argument(const float *x, float *y, int n, Operation *operation)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = operation(x[i], x[n - 1 - i]);
}

__device__ __noinline__ int ackermann(int m, int n)
{
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

__global__ void recursive(int *out)
{
    out[threadIdx.x] = threadIdx.x ? fibonacci(15) : ackermann(2, 3);
}

int main()
{
    const int n = 400;
    float x[n], y[n], wanted[n], *there, *out;
    int found[2], *numbers;
    for (int i = 0; i < n; i++) {
        x[i] = (float)(next_random() % 100) / 4;
        float results[] = {x[i] + 3, x[i] - 3, x[i] * 3, x[i] > 3 ? x[i] : 3};
        wanted[i] = results[i % 4];
    }
    CALL(cudaMalloc(&there, sizeof x));
    CALL(cudaMalloc(&out, sizeof y));
    CALL(cudaMalloc(&numbers, sizeof found));
    CALL(cudaMemcpy(there, x, sizeof x, cudaMemcpyHostToDevice));
    by_table<<<4, 128>>>(there, out, n);
    LAUNCHED();
    CALL(cudaMemcpy(y, out, sizeof y, cudaMemcpyDeviceToHost));
    same("by a table", y, wanted, n);
    Operation *operation;
    CALL(cudaMemcpyFromSymbol(&operation, chosen, sizeof operation));
    by_argument<<<1, 128>>>(there, out, 100, operation);
    LAUNCHED();
    CALL(cudaMemcpy(y, out, sizeof y, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 100; i++)
        wanted[i] = x[i] * x[99 - i];
    same("by a pointer that the host passes", y, wanted, 100);
    CALL(cudaDeviceSetLimit(cudaLimitStackSize, 16 << 10));
    recursive<<<1, 2>>>(numbers);
    LAUNCHED();
    CALL(cudaMemcpy(found, numbers, sizeof found, cudaMemcpyDeviceToHost));
    printf("Ackermann(2, 3) = %d, Fibonacci(15) = %d\n", found[0], found[1]);
    return 0;
}
