// What a kernel is: its attributes, more dynamic shared memory than usual, launch bounds, an unlaunchable size.
// > static 4096, constant 64, local 0, at most 256 threads
// > 64 KiB of shared memory: 16384 as on the host
// > without asking first: cudaErrorInvalidValue
// > beyond launch bounds: cudaErrorInvalidValue or cudaErrorLaunchOutOfResources
// > carve-out 50, the kernel named reverse: 1
#include "check.h"

__constant__ int table[16];

__global__ void __launch_bounds__(256, 2) bounded(int *out)
{
    __shared__ int tile[1024];
    for (int i = (int)threadIdx.x; i < 1024; i += (int)blockDim.x)
        tile[i] = table[i % 16] + i;
    __syncthreads();
    out[threadIdx.x] = tile[1023 - threadIdx.x];
}

__global__ void reverse(int *x, int n)
{
    extern __shared__ int tile_of_all[];
    for (int i = (int)threadIdx.x; i < n; i += (int)blockDim.x)
        tile_of_all[i] = x[i];
    __syncthreads();
    for (int i = (int)threadIdx.x; i < n; i += (int)blockDim.x)
        x[i] = tile_of_all[n - 1 - i];
}

int main()
{
    cudaFuncAttributes a;
    CALL(cudaFuncGetAttributes(&a, bounded));
    printf("static %zu, constant %zu, local %zu, at most %d threads\n", a.sharedSizeBytes, sizeof table,
           a.localSizeBytes, a.maxThreadsPerBlock);
    EXPECT(a.numRegs > 0 && a.numRegs <= 255);
    EXPECT(a.ptxVersion == 80);
    const int n = 16384, size = n * (int)sizeof(int);
    static int x[n], wanted[n];
    for (int i = 0; i < n; i++)
        x[i] = (int)next_random(), wanted[n - 1 - i] = x[i];
    int *there;
    CALL(cudaMalloc(&there, sizeof x));
    CALL(cudaMemcpy(there, x, sizeof x, cudaMemcpyHostToDevice));
    CALL(cudaFuncGetAttributes(&a, reverse));
    EXPECT(a.maxDynamicSharedSizeBytes == 48 << 10);
    reverse<<<1, 256, size>>>(there, n);
    cudaError_t early = cudaGetLastError();
    CALL(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, size));
    reverse<<<1, 256, size>>>(there, n);
    LAUNCHED();
    CALL(cudaMemcpy(x, there, sizeof x, cudaMemcpyDeviceToHost));
    same("64 KiB of shared memory", x, wanted, n);
    printf("without asking first: %s\n", cudaGetErrorName(early));
    bounded<<<1, 512>>>(there);
    cudaError_t beyond = cudaGetLastError();
    EXPECT(beyond == cudaErrorInvalidValue || beyond == cudaErrorLaunchOutOfResources);
    printf("beyond launch bounds: cudaErrorInvalidValue or cudaErrorLaunchOutOfResources\n");
    CALL(cudaFuncSetAttribute(reverse, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
    CALL(cudaFuncGetAttributes(&a, reverse));
    const char *name;
    CALL(cudaFuncGetName(&name, (const void *)reverse));
    printf("carve-out %d, the kernel named reverse: %d\n", a.preferredShmemCarveout, strstr(name, "reverse") != nullptr);
    return 0;
}
