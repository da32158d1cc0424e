// libcu++: atomics with scopes and orders, barriers, pipelines, semaphores, and parts of the standard library.
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/complex>
#include <cuda/std/limits>
#include <cuda/std/tuple>
#include <cooperative_groups.h>

extern "C" __global__ void atomic_orders(cuda::atomic<int, cuda::thread_scope_device> *a, int *plain, double *d, long long *l) {
    a->store(1, cuda::memory_order_release);
    int v = a->load(cuda::memory_order_acquire) + a->fetch_add(2, cuda::memory_order_acq_rel) + a->exchange(3, cuda::memory_order_seq_cst);
    while (!a->compare_exchange_weak(v, v * 2, cuda::memory_order_relaxed)) {}
    cuda::atomic_ref<int, cuda::thread_scope_block> block(*plain);
    cuda::atomic_ref<double, cuda::thread_scope_system> system(*d);
    cuda::atomic_ref<long long, cuda::thread_scope_thread> thread(*l);
    block.fetch_max(v), block.fetch_min(-v), block.fetch_and(255), system.fetch_add(1.5), system.fetch_sub(0.5), thread.fetch_xor(v);
    cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
    *plain = v + (int)thread.load();
}
extern "C" __global__ void barriers(const int *in, int *out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ int s[256];
    if (threadIdx.x == 0) init(&bar, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(s + threadIdx.x, in + threadIdx.x, sizeof(int), bar);
    bar.arrive_and_wait();
    auto token = bar.arrive();
    int v = s[(threadIdx.x + 1) % blockDim.x];
    bar.wait(std::move(token));
    out[threadIdx.x] = v;
}
extern "C" __global__ void pipelines(const int *in, int *out, int tiles) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ int s[2][128];
    auto block = cooperative_groups::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int sum = 0;
    for (int fetch = 0, use = 0; use < tiles; use++) {
        for (; fetch < tiles && fetch < use + 2; fetch++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, s[fetch % 2], in + fetch * 128, sizeof(int) * 128, pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum += s[use % 2][127 - threadIdx.x];
        pipe.consumer_release();
    }
    out[threadIdx.x] = sum;
}
extern "C" __global__ void semaphores(cuda::counting_semaphore<cuda::thread_scope_device, 4> *s, int *out) {
    s->acquire();
    out[0] += 1;
    s->release();
}
extern "C" __global__ void standard_library(const float *in, float *out) {
    cuda::std::complex<float> z(in[0], in[1]), w = exp(z) * sqrt(z) / conj(z);
    cuda::std::array<int, 3> a{1, 2, 3};
    auto t = cuda::std::make_tuple(a[0], w.real());
    out[0] = w.imag() + cuda::std::get<1>(t) + cuda::std::popcount((unsigned)in[2]) + cuda::std::countl_zero((unsigned)in[3]);
    out[1] = cuda::std::numeric_limits<float>::max() + abs(w) + arg(w) + pow(z, 2.5f).real();
}
