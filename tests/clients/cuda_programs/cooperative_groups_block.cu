// Cooperative groups within a block: the block, tiles of 32 and 8, partitions by a condition, reductions, shuffles.
// > sums of blocks: 4 as on the host
// > sums of tiles: 64 as on the host
// > odd numbers: 4 as on the host
#include "check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__global__ void sums(const int *x, int *blocks, int *tiles, int *odd)
{
    __shared__ int warps[4];
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    auto tile = cg::tiled_partition<8>(warp);
    int mine = x[blockIdx.x * blockDim.x + block.thread_rank()];
    int of_tile = cg::reduce(tile, mine, cg::plus<int>());
    if (tile.thread_rank() == 0)
        tiles[blockIdx.x * 16 + block.thread_rank() / 8] = of_tile;
    int of_warp = mine;
    for (int step = warp.size() / 2; step; step /= 2)
        of_warp += warp.shfl_down(of_warp, step);
    if (warp.thread_rank() == 0)
        warps[warp.meta_group_rank()] = of_warp;
    block.sync();
    if (block.thread_rank() == 0)
        blocks[blockIdx.x] = warps[0] + warps[1] + warps[2] + warps[3];
    if (mine & 1) {
        cg::coalesced_group active = cg::coalesced_threads();
        if (active.thread_rank() == 0)
            atomicAdd(&odd[blockIdx.x], (int)active.size());
    }
}

int main()
{
    const int blocks = 4, threads = 128;
    int x[blocks * threads], wanted[blocks] = {}, tiles[blocks * 16] = {}, odd[blocks] = {};
    for (int i = 0; i < blocks * threads; i++) {
        x[i] = (int)(next_random() % 2001) - 1000;
        wanted[i / threads] += x[i];
        tiles[i / 8] += x[i];
        odd[i / threads] += x[i] & 1;
    }
    int *there, *results, got[blocks * 18];
    CALL(cudaMalloc(&there, sizeof x));
    CALL(cudaMalloc(&results, sizeof got));
    CALL(cudaMemset(results, 0, sizeof got));
    CALL(cudaMemcpy(there, x, sizeof x, cudaMemcpyHostToDevice));
    sums<<<blocks, threads>>>(there, results, results + 2 * blocks, results + blocks);
    LAUNCHED();
    CALL(cudaMemcpy(got, results, sizeof got, cudaMemcpyDeviceToHost));
    same("sums of blocks", got, wanted, blocks);
    same("sums of tiles", got + 2 * blocks, tiles, blocks * 16);
    same("odd numbers", got + blocks, odd, blocks);
    return 0;
}
