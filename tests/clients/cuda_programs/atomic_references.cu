// cuda::atomic_ref and cuda::atomic: a ticket lock, messages between blocks in order, fetch operations of floats.
// device: sm_90
// > under the lock: 640
// > messages in order: 1
// > maximum 4095, minimum -4096, sum 1024.5, bits ff
#include "check.h"
#include <cuda/atomic>

struct Lock {
    unsigned next, serving;
};

__global__ void add_under_lock(Lock *lock, int *sum)
{
    if (threadIdx.x)
        return;
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> next(lock->next), serving(lock->serving);
    for (int i = 0; i < 10; i++) {
        unsigned mine = next.fetch_add(1, cuda::memory_order_relaxed);
        while (serving.load(cuda::memory_order_acquire) != mine)
            ;
        *sum += 1 + i % 2 * 2;
        serving.store(mine + 1, cuda::memory_order_release);
    }
}

__global__ void pass_messages(int *data, int *flag, int *right)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
    if (blockIdx.x == 0) {
        for (int i = 1; i <= 50; i++) {
            *data = i * i;
            ready.store(2 * i, cuda::memory_order_release);
            while (ready.load(cuda::memory_order_acquire) != 2 * i + 1)
                ;
        }
    } else {
        int all = 1;
        for (int i = 1; i <= 50; i++) {
            while (ready.load(cuda::memory_order_acquire) != 2 * i)
                ;
            all &= *data == i * i;
            ready.store(2 * i + 1, cuda::memory_order_release);
        }
        *right = all;
    }
}

struct Results {
    cuda::atomic<int, cuda::thread_scope_device> most, least;
    cuda::atomic<float, cuda::thread_scope_device> sum;
    cuda::atomic<unsigned, cuda::thread_scope_device> bits;
};

__global__ void fetch(Results *r)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    r->most.fetch_max(i);
    r->least.fetch_min(-i - 1);
    r->sum.fetch_add(0.25f);
    r->bits.fetch_or(1u << i % 8);
}

int main()
{
    Lock *lock;
    int *numbers;
    Results *results;
    CALL(cudaMallocManaged(&lock, sizeof *lock));
    CALL(cudaMallocManaged(&numbers, 4 * sizeof *numbers));
    CALL(cudaMallocManaged(&results, sizeof *results));
    memset(numbers, 0, 4 * sizeof *numbers);
    *lock = Lock{};
    add_under_lock<<<32, 32>>>(lock, numbers);
    LAUNCHED();
    pass_messages<<<2, 1>>>(numbers + 1, numbers + 2, numbers + 3);
    LAUNCHED();
    results->most = 0, results->least = 0, results->sum = 0.5f, results->bits = 0;
    fetch<<<16, 256>>>(results);
    LAUNCHED();
    CALL(cudaDeviceSynchronize());
    printf("under the lock: %d\n", numbers[0]);
    printf("messages in order: %d\n", numbers[3]);
    printf("maximum %d, minimum %d, sum %.1f, bits %x\n", results->most.load(), results->least.load(),
           results->sum.load(), results->bits.load());
    return 0;
}
