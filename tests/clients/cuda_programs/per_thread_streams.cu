// Compiled for a default stream of each thread: every call takes the form with `_ptsz` or `_ptds` in its name.
// nvcc: --default-stream per-thread
// > thread 0: 2000 as on the host
// > thread 1: 2000 as on the host
// > thread 2: 2000 as on the host
#include "check.h"
#include <thread>
#include <vector>

const int N = 2000, THREADS = 3;
static int results[THREADS][N];
__device__ int factors[THREADS];

__global__ void scale(int *x, int number)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        x[i] = (x[i] + i) * factors[number];
}

static void CUDART_CB count(void *data) { ++*(int *)data; }

static void work(int number)
{
    int *x, factor = number + 3, called = 0;
    void *pitched;
    size_t pitch;
    CALL(cudaMallocAsync(&x, N * sizeof(int), 0));
    CALL(cudaMallocPitch(&pitched, &pitch, 100, 4));
    CALL(cudaMemset2DAsync(pitched, pitch, 1, 100, 4));
    CALL(cudaMemset(x, 0, N * sizeof(int)));
    CALL(cudaMemcpyToSymbolAsync(factors, &factor, sizeof factor, number * sizeof factor));
    cudaEvent_t event;
    CALL(cudaEventCreate(&event));
    for (int round = 0; round < 4; round++)
        scale<<<(N + 255) / 256, 256>>>(x, number);
    CALL(cudaEventRecord(event));
    CALL(cudaStreamWaitEvent(0, event, 0));
    CALL(cudaLaunchHostFunc(0, count, &called));
    CALL(cudaMemcpyAsync(results[number], x, N * sizeof(int), cudaMemcpyDeviceToHost));
    CALL(cudaStreamSynchronize(0));
    EXPECT(called == 1 && cudaStreamQuery(cudaStreamPerThread) == cudaSuccess);
    CALL(cudaMemcpyFromSymbol(&factor, factors, sizeof factor, number * sizeof factor));
    EXPECT(factor == number + 3);
    CALL(cudaFreeAsync(x, 0));
    CALL(cudaFree(pitched));
    CALL(cudaEventDestroy(event));
}

int main()
{
    std::vector<std::thread> threads;
    for (int i = 0; i < THREADS; i++)
        threads.emplace_back(work, i);
    for (std::thread &thread : threads)
        thread.join();
    for (int number = 0; number < THREADS; number++) {
        int wanted[N] = {};
        for (int round = 0; round < 4; round++)
            for (int i = 0; i < N; i++)
                wanted[i] = (wanted[i] + i) * (number + 3);
        char what[32];
        snprintf(what, sizeof what, "thread %d", number);
        same(what, results[number], wanted, N);
    }
    return 0;
}
