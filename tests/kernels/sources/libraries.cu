// What CUB and libcu++ make of a block: sorts, run lengths, barriers, pipelines, references that are atomic.
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_run_length_decode.cuh>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>

extern "C" __global__ void radix_pairs(unsigned *key, int *value) {
    using Sort = cub::BlockRadixSort<unsigned, 64, 3, int>;
    __shared__ typename Sort::TempStorage storage;
    unsigned k[3];
    int v[3], at = threadIdx.x * 3;
    for (int i = 0; i < 3; i++) k[i] = key[at + i], v[i] = value[at + i];
    Sort(storage).Sort(k, v);
    for (int i = 0; i < 3; i++) key[at + i] = k[i], value[at + i] = v[i];
}

struct Less {
    __device__ bool operator()(long long a, long long b) const { return a < b; }
};
extern "C" __global__ void merge_wide(long long *key) {
    using Sort = cub::BlockMergeSort<long long, 64, 2>;
    __shared__ typename Sort::TempStorage storage;
    long long k[2] = {key[threadIdx.x * 2], key[threadIdx.x * 2 + 1]};
    Sort(storage).Sort(k, Less());
    key[threadIdx.x * 2] = k[0], key[threadIdx.x * 2 + 1] = k[1];
}

extern "C" __global__ void run_lengths(const int *value, const unsigned *length, int *out, unsigned *total) {
    using Decode = cub::BlockRunLengthDecode<int, 32, 2, 4>;
    __shared__ typename Decode::TempStorage storage;
    int v[2] = {value[threadIdx.x * 2], value[threadIdx.x * 2 + 1]};
    unsigned n[2] = {length[threadIdx.x * 2], length[threadIdx.x * 2 + 1]}, all;
    Decode decode(storage, v, n, all);
    for (unsigned from = 0; from < all; from += 128) {
        int some[4];
        __syncthreads();
        decode.RunLengthDecode(some, from);
        for (int i = 0; i < 4; i++)
            if (from + threadIdx.x * 4 + i < all) out[from + threadIdx.x * 4 + i] = some[i];
    }
    *total = all;
}

// Phases of a barrier object; the block is no multiple of a warp.
extern "C" __global__ void barrier_rounds(const int *in, int *out) {
    __shared__ int s[64];
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    __syncthreads();
    int v = in[threadIdx.x];
    for (int round = 0; round < 5; round++) {
        s[threadIdx.x] = v;
        auto token = barrier.arrive();
        barrier.wait(std::move(token));
        v += s[(threadIdx.x * 7 + round) % blockDim.x];
        barrier.arrive_and_wait();
    }
    out[threadIdx.x] = v;
}

// The last thread publishes, all others wait; then sums, maxima, exchanges through references of several scopes.
extern "C" __global__ void references(const int *in, int *out, unsigned long long *wide, double *sum) {
    __shared__ int slot, ready;
    cuda::atomic_ref<int, cuda::thread_scope_block> flag(ready);
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x == blockDim.x - 1) {
        slot = in[blockIdx.x];
        flag.store(1, cuda::std::memory_order_release);
        flag.notify_all();
    } else {
        flag.wait(0, cuda::std::memory_order_acquire);
    }
    atomicAdd(out + blockIdx.x, slot);
    cuda::atomic_ref<unsigned long long, cuda::thread_scope_system> w(*wide);
    w.fetch_xor(1ull << (threadIdx.x + blockIdx.x), cuda::std::memory_order_seq_cst);
    cuda::atomic_ref<double, cuda::thread_scope_device> d(*sum);
    d.fetch_add(0.25, cuda::std::memory_order_relaxed);
    cuda::atomic_ref<int, cuda::thread_scope_device> steps(out[gridDim.x]);
    int seen = steps.load(cuda::std::memory_order_relaxed);
    while (!steps.compare_exchange_weak(seen, seen * 3 + 1, cuda::std::memory_order_acq_rel, cuda::std::memory_order_relaxed)) {
    }
}
