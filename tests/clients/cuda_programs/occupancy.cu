// What is asked and set of kernels and devices: occupancy, attributes, properties, limits, names.
// > squares: 5000 as on the host
#include "check.h"

__global__ void square(int *x, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        x[i] *= x[i];
}

__global__ __launch_bounds__(256, 2) void bounded(double *x)
{
    __shared__ double buffer[256];
    buffer[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = buffer[255 - threadIdx.x];
}

static size_t shared_of(int block) { return block * sizeof(int); }

int main()
{
    cudaDeviceProp device;
    CALL(cudaGetDeviceProperties(&device, 0));
    EXPECT(device.major == 8 && device.minor == 0 && device.warpSize == 32 && device.maxThreadsPerBlock == 1024);
    EXPECT(device.multiProcessorCount == 108 && device.maxThreadsPerMultiProcessor == 2048);
    EXPECT(device.sharedMemPerBlock == 48 * 1024 && device.totalGlobalMem > 0 && device.name[0]);
    EXPECT(device.maxGridSize[0] == 0x7fffffff && device.maxGridSize[1] == 65535 && device.maxThreadsDim[2] == 64);
    EXPECT(device.unifiedAddressing && device.managedMemory && device.cooperativeLaunch);
    int value;
    CALL(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    EXPECT(value == device.multiProcessorCount);

    int blocks, grid, block;
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, square, 256, 0));
    EXPECT(blocks == 8);                                        // 2048 threads
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, square, 32, 0));
    EXPECT(blocks == 32);                                       // the most of sm_80
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, square, 128, 40 * 1024));
    EXPECT(blocks == 4);                                        // 164 KiB, and 1 KiB that each block reserves
    CALL(cudaOccupancyMaxPotentialBlockSize(&grid, &block, square));
    EXPECT(block == 1024 && grid == 2 * device.multiProcessorCount);
    CALL(cudaOccupancyMaxPotentialBlockSize(&grid, &block, square, 0, 200));
    EXPECT(block > 0 && block <= 200);
    CALL(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, square, shared_of));
    EXPECT(block > 0 && block <= 1024 && grid >= device.multiProcessorCount);
    size_t room;
    CALL(cudaOccupancyAvailableDynamicSMemPerBlock(&room, square, 2, 256));
    EXPECT(room >= 40 * 1024);

    cudaFuncAttributes attributes;
    CALL(cudaFuncGetAttributes(&attributes, bounded));
    EXPECT(attributes.maxThreadsPerBlock == 256 && attributes.sharedSizeBytes == 256 * sizeof(double));
    EXPECT(attributes.ptxVersion == 80 && attributes.binaryVersion == 80 && attributes.numRegs > 0);
    const char *name;
    CALL(cudaFuncGetName(&name, (const void *)square));
    EXPECT(strstr(name, "square"));
    size_t parameters, offset, bytes;
    CALL(cudaFuncGetParamCount((const void *)square, &parameters));
    CALL(cudaFuncGetParamInfo((const void *)square, 1, &offset, &bytes));
    EXPECT(parameters == 2 && offset == 8 && bytes == 4);
    size_t limit;
    CALL(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 2 << 20));
    CALL(cudaDeviceGetLimit(&limit, cudaLimitPrintfFifoSize));
    EXPECT(limit == 2 << 20);
    size_t free_bytes, all_bytes;
    CALL(cudaMemGetInfo(&free_bytes, &all_bytes));
    EXPECT(free_bytes <= all_bytes && all_bytes == device.totalGlobalMem);

    const int n = 5000;
    static int host[n], wanted[n];
    for (int i = 0; i < n; i++) {
        host[i] = i - 2500;
        wanted[i] = host[i] * host[i];
    }
    int *x;
    CALL(cudaMalloc(&x, sizeof host));
    CALL(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));
    CALL(cudaOccupancyMaxPotentialBlockSize(&grid, &block, square));
    square<<<grid, block>>>(x, n);
    LAUNCHED();
    CALL(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
    same("squares", host, wanted, n);
    return 0;
}
