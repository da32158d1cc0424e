// CUB inside of kernels: block scans, reductions, radix sorts, exchanges, histograms, and scans of warps.
// > sorted keys: 2048 as on the host
// > their values: 2048 as on the host
// > running sums: 2048 as on the host
// > warps' greatest: 16 as on the host
// > histogram: 16 as on the host
#include "check.h"
#include <algorithm>
#include <cub/cub.cuh>
#include <numeric>

const int THREADS = 128, ITEMS = 4, TILE = THREADS * ITEMS, N = 4 * TILE;

__global__ void sort_tiles(unsigned *keys, short *values)
{
    using Sort = cub::BlockRadixSort<unsigned, THREADS, ITEMS, short>;
    using Load = cub::BlockLoad<unsigned, THREADS, ITEMS, cub::BLOCK_LOAD_TRANSPOSE>;
    using Store = cub::BlockStore<unsigned, THREADS, ITEMS, cub::BLOCK_STORE_WARP_TRANSPOSE>;
    __shared__ union {
        typename Sort::TempStorage sort;
        typename Load::TempStorage load;
        typename Store::TempStorage store;
    } temporary;
    unsigned mine[ITEMS];
    short places[ITEMS];
    unsigned *tile = keys + blockIdx.x * TILE;
    Load(temporary.load).Load(tile, mine);
    for (int i = 0; i < ITEMS; i++)
        places[i] = (short)(threadIdx.x * ITEMS + i);
    __syncthreads();
    Sort(temporary.sort).Sort(mine, places, 4, 24);
    __syncthreads();
    Store(temporary.store).Store(tile, mine);
    for (int i = 0; i < ITEMS; i++)
        values[blockIdx.x * TILE + threadIdx.x * ITEMS + i] = places[i];
}

__global__ void running_sums(const int *x, int *sums, int *most)
{
    using Scan = cub::BlockScan<int, THREADS, cub::BLOCK_SCAN_RAKING>;
    using Warp = cub::WarpReduce<int>;
    __shared__ typename Scan::TempStorage scan;
    __shared__ typename Warp::TempStorage warp[THREADS / 32];
    int mine[ITEMS], greatest = 0, base = blockIdx.x * TILE + (int)threadIdx.x * ITEMS;
    for (int i = 0; i < ITEMS; i++)
        greatest = max(greatest, mine[i] = x[base + i]);
    Scan(scan).InclusiveSum(mine, mine);
    for (int i = 0; i < ITEMS; i++)
        sums[base + i] = mine[i];
    greatest = Warp(warp[threadIdx.x / 32]).Reduce(greatest, [](int a, int b) { return a > b ? a : b; });
    if (threadIdx.x % 32 == 0)
        most[(blockIdx.x * THREADS + threadIdx.x) / 32] = greatest;
}

__global__ void count(const unsigned *x, unsigned *bins)
{
    using Histogram = cub::BlockHistogram<unsigned char, THREADS, ITEMS, 16>;
    __shared__ typename Histogram::TempStorage temporary;
    __shared__ unsigned mine[16];
    unsigned char samples[ITEMS];
    for (int i = 0; i < ITEMS; i++)
        samples[i] = (unsigned char)(x[blockIdx.x * TILE + i * THREADS + threadIdx.x] & 15);
    Histogram(temporary).Histogram(samples, mine);
    __syncthreads();
    if (threadIdx.x < 16)
        atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

int main()
{
    static unsigned keys[N], sorted[N], bins[16], counted[16];
    static short values[N], order[N];
    static int x[N], sums[N], wanted[N], most[N / ITEMS / 32], greatest[N / ITEMS / 32];
    unsigned *keys_there, *bins_there;
    short *values_there;
    int *x_there, *sums_there, *most_there;
    for (int i = 0; i < N; i++)
        keys[i] = next_random(), x[i] = (int)(next_random() % 1000), counted[keys[i] & 15]++;
    CALL(cudaMalloc(&keys_there, sizeof keys));
    CALL(cudaMalloc(&bins_there, sizeof bins));
    CALL(cudaMalloc(&values_there, sizeof values));
    CALL(cudaMalloc(&x_there, sizeof x));
    CALL(cudaMalloc(&sums_there, sizeof sums));
    CALL(cudaMalloc(&most_there, sizeof most));
    CALL(cudaMemset(bins_there, 0, sizeof bins));
    CALL(cudaMemcpy(keys_there, keys, sizeof keys, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(x_there, x, sizeof x, cudaMemcpyHostToDevice));
    count<<<N / TILE, THREADS>>>(keys_there, bins_there);
    sort_tiles<<<N / TILE, THREADS>>>(keys_there, values_there);
    running_sums<<<N / TILE, THREADS>>>(x_there, sums_there, most_there);
    LAUNCHED();
    for (int tile = 0; tile < N; tile += TILE) {
        short *places = order + tile;
        std::iota(places, places + TILE, (short)0);
        std::stable_sort(places, places + TILE, [&](short a, short b) {
            return (keys[tile + a] >> 4 & 0xFFFFF) < (keys[tile + b] >> 4 & 0xFFFFF);
        });
        for (int i = 0; i < TILE; i++) {
            sorted[tile + i] = keys[tile + places[i]];
            wanted[tile + i] = x[tile + i] + (i ? wanted[tile + i - 1] : 0);
            int &best = greatest[(tile + i) / (32 * ITEMS)];
            best = std::max(best, x[tile + i]);
        }
    }
    CALL(cudaMemcpy(keys, keys_there, sizeof keys, cudaMemcpyDeviceToHost));
    CALL(cudaMemcpy(values, values_there, sizeof values, cudaMemcpyDeviceToHost));
    CALL(cudaMemcpy(sums, sums_there, sizeof sums, cudaMemcpyDeviceToHost));
    CALL(cudaMemcpy(most, most_there, sizeof most, cudaMemcpyDeviceToHost));
    CALL(cudaMemcpy(bins, bins_there, sizeof bins, cudaMemcpyDeviceToHost));
    same("sorted keys", keys, sorted, N);
    same("their values", values, order, N);
    same("running sums", sums, wanted, N);
    same("warps' greatest", most, greatest, N / ITEMS / 32);
    same("histogram", bins, counted, 16);
    return 0;
}
