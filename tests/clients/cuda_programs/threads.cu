// Four threads of the host at once: a stream, memory and a last error for each.
// > thread 0: 1000 as on the host
// > thread 1: 1000 as on the host
// > thread 2: 1000 as on the host
// > thread 3: 1000 as on the host
#include "check.h"
#include <thread>
#include <vector>

const int N = 1000, THREADS = 4;
static int results[THREADS][N];
static cudaError_t errors[THREADS];

__global__ void step(int *x, int factor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        x[i] = x[i] * factor + i;
}

static void work(int number)
{
    CALL(cudaSetDevice(0));
    int *x;
    cudaStream_t stream;
    CALL(cudaStreamCreate(&stream));
    CALL(cudaMalloc(&x, N * sizeof(int)));
    CALL(cudaMemsetAsync(x, 0, N * sizeof(int), stream));
    for (int i = 0; i < 10; i++)
        step<<<4, 256, 0, stream>>>(x, number + 2);
    if (number == 2)
        cudaSetDevice(99);   // an error of this thread alone
    CALL(cudaMemcpyAsync(results[number], x, N * sizeof(int), cudaMemcpyDeviceToHost, stream));
    CALL(cudaStreamSynchronize(stream));
    CALL(cudaFree(x));
    CALL(cudaStreamDestroy(stream));
    errors[number] = cudaGetLastError();
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
        for (int round = 0; round < 10; round++)
            for (int i = 0; i < N; i++)
                wanted[i] = wanted[i] * (number + 2) + i;
        char what[32];
        snprintf(what, sizeof what, "thread %d", number);
        same(what, results[number], wanted, N);
        EXPECT(errors[number] == (number == 2 ? cudaErrorInvalidDevice : cudaSuccess));
    }
    EXPECT(cudaGetLastError() == cudaSuccess);
    return 0;
}
