// Copies from global to shared memory that go on beside the arithmetic: cuda::pipeline, cuda::barrier, memcpy_async.
// > pipeline: 8192 as on the host
// > barrier: 8192 as on the host
#include "check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

const int TILE = 256, TILES = 8, BLOCKS = 4, N = TILE * TILES * BLOCKS;

__global__ void with_pipeline(const int *x, int *y)
{
    __shared__ int tiles[2][TILE];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    const int *mine = x + blockIdx.x * TILE * TILES;
    for (int ahead = 0, tile = 0; tile < TILES; tile++) {
        for (; ahead < TILES && ahead < tile + 2; ahead++) {
            pipeline.producer_acquire();
            cuda::memcpy_async(block, tiles[ahead % 2], mine + ahead * TILE, sizeof(int) * TILE, pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        block.sync();
        int i = TILE - 1 - threadIdx.x;
        y[(blockIdx.x * TILES + tile) * TILE + threadIdx.x] = tiles[tile % 2][i] * 2;
        block.sync();
        pipeline.consumer_release();
    }
}

__global__ void with_barrier(const int *x, int *y)
{
    __shared__ int tile[TILE];
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    auto block = cg::this_thread_block();
    if (threadIdx.x == 0)
        init(&barrier, blockDim.x);
    block.sync();
    for (int k = 0; k < TILES; k++) {
        int first = (blockIdx.x * TILES + k) * TILE;
        cuda::memcpy_async(block, tile, x + first, sizeof tile, barrier);
        barrier.arrive_and_wait();
        y[first + threadIdx.x] = tile[threadIdx.x ^ 1] - k;
        barrier.arrive_and_wait();
    }
}

int main()
{
    static int x[N], got[N], wanted[N];
    for (int &one : x)
        one = (int)next_random();
    int *from, *to;
    CALL(cudaMalloc(&from, sizeof x));
    CALL(cudaMalloc(&to, sizeof x));
    CALL(cudaMemcpy(from, x, sizeof x, cudaMemcpyHostToDevice));
    with_pipeline<<<BLOCKS, TILE>>>(from, to);
    LAUNCHED();
    CALL(cudaMemcpy(got, to, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        wanted[i] = x[i / TILE * TILE + TILE - 1 - i % TILE] * 2;
    same("pipeline", got, wanted, N);
    with_barrier<<<BLOCKS, TILE>>>(from, to);
    LAUNCHED();
    CALL(cudaMemcpy(got, to, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        wanted[i] = x[i ^ 1] - i / TILE % TILES;
    same("barrier", got, wanted, N);
    return 0;
}
