// Cooperative groups: tiles, coalesced groups, labelled partitions, reductions, scans, asynchronous copies, grids.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

extern "C" __global__ void tiles(const int *in, int *out) {
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    auto eight = cg::tiled_partition<8>(warp);
    int v = in[block.thread_rank()];
    int a = cg::reduce(warp, v, cg::plus<int>()), b = cg::reduce(eight, v, cg::greater<int>());
    int c = cg::inclusive_scan(warp, v), d = cg::exclusive_scan(eight, v, cg::plus<int>());
    if (v > 3) {
        auto some = cg::coalesced_threads();
        a += cg::reduce(some, v, cg::bit_xor<int>()) + some.size() + some.shfl(v, 0);
    }
#if __CUDA_ARCH__ >= 700
    auto odd = cg::binary_partition(warp, v & 1);
    auto same = cg::labeled_partition(warp, v % 4);
    b += odd.any(v > 10) + same.size() + cg::reduce(same, v, cg::less<int>());
#endif
    float f = cg::reduce(warp, (float)v, [](float x, float y) { return x * 0.5f + y; });
    out[block.thread_rank()] = a + b + c + d + (int)f + warp.match_any(v) + warp.ballot(v > 0);
    block.sync();
}
extern "C" __global__ void copies(const int4 *in, int4 *out) {
    __shared__ int4 s[128];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, s, in + blockIdx.x * 128, sizeof(int4) * 128);
    cg::wait(block);
    out[block.thread_rank()] = s[127 - block.thread_rank()];
}
extern "C" __global__ void whole_grid(int *data) {
    auto grid = cg::this_grid();
    data[grid.thread_rank()] += 1;
    grid.sync();
    data[grid.thread_rank()] *= data[(grid.thread_rank() + 1) % grid.size()];
}
