// Launch attributes on sm_90: clusters whose blocks share memory, their occupancy, and a dependent launch.
// device: sm_90
// > histogram of clusters: 64 as on the host
// > dependent launch: 512 as on the host
// > required clusters: 32 as on the host
#include "check.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

const int BINS = 64, BLOCKS = 8, CLUSTER = 4, THREADS = 128, N = 10000;

// Each block of a cluster holds a part of the bins, and all of them count in all parts.
__global__ void histogram(const unsigned *x, unsigned *bins)
{
    __shared__ unsigned part[BINS / CLUSTER];
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x < BINS / CLUSTER)
        part[threadIdx.x] = 0;
    cluster.sync();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) {
        unsigned bin = x[i] % BINS;
        atomicAdd(cluster.map_shared_rank(part, bin / (BINS / CLUSTER)) + bin % (BINS / CLUSTER), 1);
    }
    cluster.sync();
    if (threadIdx.x < BINS / CLUSTER)
        atomicAdd(&bins[cluster.block_rank() * (BINS / CLUSTER) + threadIdx.x], part[threadIdx.x]);
}

__global__ void __cluster_dims__(2, 1, 1) ranks(unsigned *x)
{
    cg::cluster_group cluster = cg::this_cluster();
    x[blockIdx.x] = cluster.block_rank() * 10 + cluster.num_blocks();
}

__global__ void first(int *x)
{
    x[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
    cudaTriggerProgrammaticLaunchCompletion();
}

__global__ void second(int *x)
{
    cudaGridDependencySynchronize();
    x[blockIdx.x * blockDim.x + threadIdx.x] *= 3;
}

int main()
{
    static unsigned x[N], got[BINS], wanted[BINS];
    for (unsigned &one : x) {
        one = next_random();
        wanted[one % BINS]++;
    }
    unsigned *there, *bins;
    CALL(cudaMalloc(&there, sizeof x));
    CALL(cudaMalloc(&bins, sizeof got));
    CALL(cudaMemcpy(there, x, sizeof x, cudaMemcpyHostToDevice));
    CALL(cudaMemset(bins, 0, sizeof got));
    cudaLaunchAttribute attribute[1];
    attribute[0].id = cudaLaunchAttributeClusterDimension;
    attribute[0].val.clusterDim.x = CLUSTER;
    attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = BLOCKS, config.blockDim = THREADS, config.attrs = attribute, config.numAttrs = 1;
    int clusters, size;
    CALL(cudaOccupancyMaxActiveClusters(&clusters, histogram, &config));
    CALL(cudaOccupancyMaxPotentialClusterSize(&size, histogram, &config));
    EXPECT(clusters > 0 && size == 8);                      // 16 if the kernel is set to allow it
    CALL(cudaLaunchKernelEx(&config, histogram, (const unsigned *)there, bins));
    CALL(cudaMemcpy(got, bins, sizeof got, cudaMemcpyDeviceToHost));
    same("histogram of clusters", got, wanted, BINS);

    int *y, host[512], tripled[512];
    CALL(cudaMalloc(&y, sizeof host));
    first<<<2, 256>>>(y);
    attribute[0] = {};
    attribute[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute[0].val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = 2, config.blockDim = 256;
    CALL(cudaLaunchKernelEx(&config, second, y));
    CALL(cudaMemcpy(host, y, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 512; i++)
        tripled[i] = i % 256 * 3;
    same("dependent launch", host, tripled, 512);

    attribute[0] = {};
    attribute[0].id = cudaLaunchAttributeClusterDimension;
    attribute[0].val.clusterDim.x = 3;
    attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
    config.gridDim = BLOCKS;
    FAILS(cudaLaunchKernelEx(&config, histogram, (const unsigned *)there, bins), cudaErrorInvalidClusterSize);
    attribute[0].val.clusterDim.x = 16;
    config.gridDim = 32;
    FAILS(cudaLaunchKernelEx(&config, histogram, (const unsigned *)there, bins), cudaErrorInvalidClusterSize);
    CALL(cudaFuncSetAttribute(histogram, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    CALL(cudaOccupancyMaxPotentialClusterSize(&size, histogram, &config));
    EXPECT(size == 16);
    cudaGetLastError();

    ranks<<<32, 64>>>(bins);
    LAUNCHED();
    CALL(cudaMemcpy(got, bins, 32 * sizeof(unsigned), cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < 32; i++)
        wanted[i] = i % 2 * 10 + 2;
    same("required clusters", got, wanted, 32);
    ranks<<<3, 64>>>(bins);
    FAILS(cudaGetLastError(), cudaErrorInvalidClusterSize);
    return 0;
}
