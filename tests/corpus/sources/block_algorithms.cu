// CUB's block and warp algorithms, as libraries are built of them.
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

extern "C" __global__ void cub_sort(unsigned *keys, float *values) {
    typedef cub::BlockRadixSort<unsigned, 128, 4, float> Sort;
    typedef cub::BlockLoad<unsigned, 128, 4, cub::BLOCK_LOAD_TRANSPOSE> Load;
    __shared__ union { typename Sort::TempStorage sort; typename Load::TempStorage load; } s;
    unsigned k[4];
    float v[4];
    Load(s.load).Load(keys + blockIdx.x * 512, k);
    for (int i = 0; i < 4; i++) v[i] = values[threadIdx.x * 4 + i];
    __syncthreads();
    Sort(s.sort).SortDescending(k, v);
    for (int i = 0; i < 4; i++) keys[threadIdx.x * 4 + i] = k[i], values[threadIdx.x * 4 + i] = v[i];
}
extern "C" __global__ void cub_scan(const int *in, int *out, double *total) {
    typedef cub::BlockScan<int, 256> Scan;
    typedef cub::BlockReduce<double, 256> Reduce;
    __shared__ union { typename Scan::TempStorage scan; typename Reduce::TempStorage reduce; } s;
    int v = in[threadIdx.x], all;
    Scan(s.scan).ExclusiveSum(v, v, all);
    __syncthreads();
    double d = Reduce(s.reduce).Sum(v * 0.5);
    out[threadIdx.x] = v;
    if (threadIdx.x == 0) *total = d + all;
}
extern "C" __global__ void cub_histogram(const unsigned char *in, unsigned *out) {
    typedef cub::BlockHistogram<unsigned char, 128, 4, 256, cub::BLOCK_HISTO_SORT> Histogram;
    __shared__ typename Histogram::TempStorage s;
    __shared__ unsigned bins[256];
    unsigned char v[4];
    for (int i = 0; i < 4; i++) v[i] = in[threadIdx.x * 4 + i];
    Histogram(s).Histogram(v, bins);
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += 128) out[b] = bins[b];
}
