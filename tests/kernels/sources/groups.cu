// Cooperative groups: tiles, coalesced and labelled threads, reductions and scans in groups, barriers of the whole grid.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

// A sparse matrix times a vector: eight threads add up each row.
extern "C" __global__ void sparse_rows(const int *start, const int *column, const double *value, const double *x, double *y, int rows) {
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 8;
    if (row >= rows) return;
    double sum = 0;
    for (int i = start[row] + tile.thread_rank(); i < start[row + 1]; i += 8) sum = fma(value[i], x[column[i]], sum);
    sum = cg::reduce(tile, sum, cg::plus<double>());
    if (tile.thread_rank() == 0) y[row] = sum;
}

// Each round all blocks wait for each other twice.
extern "C" __global__ void grid_scan(int *a, int n) {
    cg::grid_group grid = cg::this_grid();
    int i = grid.thread_rank();
    for (int step = 1; step < n; step *= 2) {
        int v = i < n && i >= step ? a[i - step] : 0;
        grid.sync();
        if (i < n) a[i] += v;
        grid.sync();
    }
}

// Threads with equal labels, in a branch that only some of them take.
extern "C" __global__ void labelled(const int *in, int *out) {
    int i = threadIdx.x, *o = out + 4 * i;
    if (in[i] % 7 == 0) return;
    auto here = cg::coalesced_threads();
    auto same = cg::labeled_partition(here, in[i] % 5);
    auto half = cg::binary_partition(here, in[i] % 3 == 0);
    o[0] = same.size(), o[1] = same.thread_rank(), o[2] = cg::reduce(same, in[i], cg::plus<int>());
    o[3] = half.shfl(in[i], half.size() - 1);
}

extern "C" __global__ void tile_scans(const int *in, int *out) {
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int i = threadIdx.x, *o = out + 3 * i;
    o[0] = cg::inclusive_scan(tile, in[i], cg::plus<int>());
    int most = cg::exclusive_scan(tile, in[i], cg::greater<int>());
    o[1] = tile.thread_rank() ? most : in[i];
    o[2] = cg::reduce(tile, (unsigned)in[i], cg::bit_xor<unsigned>());
}

// Tiles of two warps: they wait for each other, and hand values on, in shared memory that the kernel does not declare.
extern "C" __global__ void wide_tiles(const int *in, int *out) {
    __shared__ int before[4];
    __shared__ cg::block_tile_memory<128> memory;
    auto tile = cg::tiled_partition<64>(cg::this_thread_block(memory));
    int i = threadIdx.x, *o = out + 4 * i;
    if (i < 4) before[i] = -i;
    o[0] = cg::reduce(tile, in[i], cg::plus<int>());
    o[1] = tile.shfl(in[i], 40);
    o[2] = cg::inclusive_scan(tile, in[i]);
    o[3] = before[i % 4];
}
