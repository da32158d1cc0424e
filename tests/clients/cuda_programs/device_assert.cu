// An assertion fails in a kernel: its message is printed, and the context is of no use until the device is reset.
// > after the assertion: cudaErrorAssert
// > later calls: cudaErrorAssert
// > after a reset: 64 as on the host
// > out of bounds: cudaErrorIllegalAddress
#undef NDEBUG
#include "check.h"
#include <cassert>

__global__ void checked(const int *x, int *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        assert(x[i] >= 0);
        y[i] = 3 * x[i];
    }
}

__global__ void trespass(int *x) { x[1 << 20] = 1; }

int main()
{
    const int n = 64;
    int x[n], wanted[n], *there, *out;
    for (int i = 0; i < n; i++)
        x[i] = i == 40 ? -1 : i, wanted[i] = 3 * (i == 40 ? 0 : i);
    CALL(cudaMalloc(&there, sizeof x));
    CALL(cudaMalloc(&out, sizeof x));
    CALL(cudaMemcpy(there, x, sizeof x, cudaMemcpyHostToDevice));
    checked<<<2, 32>>>(there, out, n);
    printf("after the assertion: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    printf("later calls: %s\n", cudaGetErrorName(cudaMemcpy(x, out, sizeof x, cudaMemcpyDeviceToHost)));
    CALL(cudaDeviceReset());
    x[40] = 0;
    CALL(cudaMalloc(&there, sizeof x));
    CALL(cudaMalloc(&out, sizeof x));
    CALL(cudaMemcpy(there, x, sizeof x, cudaMemcpyHostToDevice));
    checked<<<2, 32>>>(there, out, n);
    CALL(cudaDeviceSynchronize());
    CALL(cudaMemcpy(x, out, sizeof x, cudaMemcpyDeviceToHost));
    same("after a reset", x, wanted, n);
    trespass<<<1, 1>>>(there);
    printf("out of bounds: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
