// Separate compilation: device code of two files that is linked when the program starts, with a kernel of each.
// nvcc: -rdc=true parts/separate_device.cu
// > one file's kernel: 512 as on the host
// > the other's: 512 as on the host
// > 1024 calls
#include "check.h"

extern __device__ int transformed(int x);
extern __device__ unsigned long long calls;
extern __constant__ int offset;
extern __global__ void other_kernel(int *x);

__global__ void kernel(int *x) { x[threadIdx.x] = transformed(x[threadIdx.x]) + offset; }

int main()
{
    int *x, got[512], wanted[512], shifted = -7;
    CALL(cudaMalloc(&x, sizeof got));
    for (int i = 0; i < 512; i++)
        got[i] = (int)next_random() % 1000;
    CALL(cudaMemcpy(x, got, sizeof got, cudaMemcpyHostToDevice));
    for (int i = 0; i < 512; i++)
        wanted[i] = got[i] * 3 + 2000;
    kernel<<<1, 512>>>(x);
    LAUNCHED();
    CALL(cudaMemcpy(got, x, sizeof got, cudaMemcpyDeviceToHost));
    same("one file's kernel", got, wanted, 512);
    CALL(cudaMemcpyToSymbol(offset, &shifted, sizeof shifted));
    for (int &one : wanted)
        one = one * 3 - 8;
    other_kernel<<<1, 512>>>(x);
    LAUNCHED();
    CALL(cudaMemcpy(got, x, sizeof got, cudaMemcpyDeviceToHost));
    same("the other's", got, wanted, 512);
    unsigned long long count;
    CALL(cudaMemcpyFromSymbol(&count, calls, sizeof count));
    printf("%llu calls\n", count);
    return 0;
}
