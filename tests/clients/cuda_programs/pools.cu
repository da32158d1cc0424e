// Stream-ordered memory: cudaMallocAsync, pools of the program's, their attributes and limits.
// > default pool: 2048 as on the host
// > a pool of its own: 2048 as on the host
#include "check.h"

const int N = 2048;

__global__ void ramp(int *x, int step) { x[blockIdx.x * blockDim.x + threadIdx.x] = (blockIdx.x * blockDim.x + threadIdx.x) * step; }

__global__ void accumulate(int *sum, const int *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    sum[i] += x[i];
}

static void run(const char *what, cudaMemPool_t pool, cudaStream_t stream)
{
    int *sum, *x, got[N], wanted[N] = {};
    if (pool)
        CALL(cudaMallocFromPoolAsync(&sum, sizeof got, pool, stream));
    else
        CALL(cudaMallocAsync(&sum, sizeof got, stream));
    CALL(cudaMemsetAsync(sum, 0, sizeof got, stream));
    for (int step = 1; step <= 20; step++) {   // freed and allocated again while kernels wait in the stream
        if (pool)
            CALL(cudaMallocFromPoolAsync(&x, sizeof got, pool, stream));
        else
            CALL(cudaMallocAsync(&x, sizeof got, stream));
        ramp<<<N / 256, 256, 0, stream>>>(x, step);
        accumulate<<<N / 256, 256, 0, stream>>>(sum, x);
        CALL(cudaFreeAsync(x, stream));
        for (int i = 0; i < N; i++)
            wanted[i] += i * step;
    }
    CALL(cudaMemcpyAsync(got, sum, sizeof got, cudaMemcpyDeviceToHost, stream));
    CALL(cudaFreeAsync(sum, stream));
    CALL(cudaStreamSynchronize(stream));
    same(what, got, wanted, N);
}

int main()
{
    int supported;
    CALL(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, 0));
    EXPECT(supported);
    cudaStream_t stream;
    CALL(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    run("default pool", nullptr, stream);

    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    cudaMemPool_t pool, other;
    CALL(cudaMemPoolCreate(&pool, &properties));
    unsigned long long keep = 1 << 20, got;
    CALL(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
    CALL(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &got));
    EXPECT(got == keep);
    run("a pool of its own", pool, stream);
    CALL(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &got));
    EXPECT(got == 0);
    CALL(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &got));
    EXPECT(got >= 2 * N * sizeof(int));
    CALL(cudaMemPoolTrimTo(pool, 0));
    CALL(cudaDeviceSetMemPool(0, pool));
    CALL(cudaDeviceGetMemPool(&other, 0));
    EXPECT(other == pool);
    CALL(cudaDeviceGetDefaultMemPool(&other, 0));
    EXPECT(other != pool);
    CALL(cudaDeviceSetMemPool(0, other));
    CALL(cudaMemPoolDestroy(pool));
    int *x;
    CALL(cudaMallocAsync(&x, 64, stream));
    CALL(cudaFree(x));                          // either way of freeing serves
    FAILS(cudaFreeAsync(x, stream), cudaErrorInvalidValue);
    CALL(cudaStreamDestroy(stream));
    return 0;
}
