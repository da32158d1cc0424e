// cuda::pipeline and cuda::barrier: tiles of shared memory are filled while the one before is worked on.
// > products: 1024 as on the host
// > split barrier: 256 as on the host
// > producers and consumers: 512 as on the host
#include "check.h"
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;
const int N = 32;

__global__ void multiply(const int *a, const int *b, int *c)
{
    __shared__ int left[2][16][16], right[2][16][16];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    int x = (int)threadIdx.x, y = (int)threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x, sum = 0;
    auto fetch = [&](int tile) {
        pipeline.producer_acquire();
        cuda::memcpy_async(&left[tile % 2][y][x], &a[row * N + tile * 16 + x], sizeof(int), pipeline);
        cuda::memcpy_async(&right[tile % 2][y][x], &b[(tile * 16 + y) * N + column], sizeof(int), pipeline);
        pipeline.producer_commit();
    };
    fetch(0);
    for (int tile = 0; tile < N / 16; tile++) {
        if (tile + 1 < N / 16)
            fetch(tile + 1);
        pipeline.consumer_wait();
        for (int k = 0; k < 16; k++)
            sum += left[tile % 2][y][k] * right[tile % 2][k][x];
        pipeline.consumer_release();
    }
    c[row * N + column] = sum;
}

__global__ void split(const int *x, int *y)
{
    using Barrier = cuda::barrier<cuda::thread_scope_block>;
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ Barrier barrier;
    __shared__ int shared[256];
    if (!threadIdx.x)
        init(&barrier, blockDim.x);
    __syncthreads();
    shared[threadIdx.x] = x[threadIdx.x];
    auto token = barrier.arrive();
    int own = 3 * x[threadIdx.x];
    barrier.wait(std::move(token));
    y[threadIdx.x] = own + shared[255 - threadIdx.x];
}

__global__ void roles(const int *x, int *y, int n)
{
    using Barrier = cuda::barrier<cuda::thread_scope_block>;
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ Barrier full[2], empty[2];
    __shared__ int buffer[2][32];
    if (threadIdx.x < 2)
        init(&full[threadIdx.x], 64), init(&empty[threadIdx.x], 64);
    __syncthreads();
    int lane = (int)threadIdx.x % 32;
    if (threadIdx.x < 32) {
        for (int i = 0; i < n / 32; i++) {
            empty[i % 2].arrive_and_wait();
            buffer[i % 2][lane] = x[i * 32 + lane];
            (void)full[i % 2].arrive();
        }
    } else {
        (void)empty[0].arrive(), (void)empty[1].arrive();
        for (int i = 0; i < n / 32; i++) {
            full[i % 2].arrive_and_wait();
            y[i * 32 + lane] = buffer[i % 2][31 - lane] + i;
            (void)empty[i % 2].arrive();
        }
    }
}

template <typename T> static T *managed(size_t count)
{
    T *made;
    CALL(cudaMallocManaged(&made, count * sizeof(T)));
    return made;
}

int main()
{
    int *a = managed<int>(N * N), *b = managed<int>(N * N), *c = managed<int>(N * N), wanted[N * N];
    for (int i = 0; i < N * N; i++)
        a[i] = (int)(next_random() % 100), b[i] = (int)(next_random() % 100);
    for (int i = 0; i < N * N; i++) {
        wanted[i] = 0;
        for (int k = 0; k < N; k++)
            wanted[i] += a[i / N * N + k] * b[k * N + i % N];
    }
    multiply<<<dim3(N / 16, N / 16), dim3(16, 16)>>>(a, b, c);
    LAUNCHED();
    CALL(cudaDeviceSynchronize());
    same("products", c, wanted, N * N);
    split<<<1, 256>>>(a, c);
    LAUNCHED();
    CALL(cudaDeviceSynchronize());
    for (int i = 0; i < 256; i++)
        wanted[i] = 3 * a[i] + a[255 - i];
    same("split barrier", c, wanted, 256);
    roles<<<1, 64>>>(a, c, 512);
    LAUNCHED();
    CALL(cudaDeviceSynchronize());
    for (int i = 0; i < 512; i++)
        wanted[i] = a[i / 32 * 32 + 31 - i % 32] + i / 32;
    same("producers and consumers", c, wanted, 512);
    return 0;
}
