// Collective operations of CUB, as programs instantiate them: a tile of a block each.
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>

constexpr int threads = 128, items = 8, tile = threads * items;

extern "C" __global__ void cub_sort(unsigned *keys) {
    using Load = cub::BlockLoad<unsigned, threads, items, cub::BLOCK_LOAD_TRANSPOSE>;
    using Sort = cub::BlockRadixSort<unsigned, threads, items>;
    __shared__ union { typename Load::TempStorage load; typename Sort::TempStorage sort; } memory;
    unsigned mine[items];
    Load(memory.load).Load(keys + blockIdx.x * tile, mine);
    __syncthreads();
    Sort(memory.sort).SortBlockedToStriped(mine);
    cub::StoreDirectStriped<threads>(threadIdx.x, keys + blockIdx.x * tile, mine);
}

extern "C" __global__ void cub_scan(const int *in, int *out) {
    using Load = cub::BlockLoad<int, threads, items, cub::BLOCK_LOAD_TRANSPOSE>;
    using Store = cub::BlockStore<int, threads, items, cub::BLOCK_STORE_TRANSPOSE>;
    using Scan = cub::BlockScan<int, threads>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Store::TempStorage store;
        typename Scan::TempStorage scan;
    } memory;
    int mine[items];
    Load(memory.load).Load(in + blockIdx.x * tile, mine);
    __syncthreads();
    Scan(memory.scan).InclusiveSum(mine, mine);
    __syncthreads();
    Store(memory.store).Store(out + blockIdx.x * tile, mine);
}

extern "C" __global__ void cub_reduce(const float *in, float *out) {
    using Load = cub::BlockLoad<float, threads, items, cub::BLOCK_LOAD_VECTORIZE>;
    using Reduce = cub::BlockReduce<float, threads>;
    __shared__ typename Reduce::TempStorage memory;
    float mine[items];
    Load().Load(in + blockIdx.x * tile, mine);
    const float sum = Reduce(memory).Sum(mine);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
