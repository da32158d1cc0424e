// Threads of the host take tasks from a queue; each has a stream, and errors of one thread stay with it.
// nvcc: -Xcompiler=-pthread
// > sums of 24 tasks are right
// > an error stays with its thread: 1
#include "check.h"
#include <future>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

__global__ void sum(const int *x, int n, int *result)
{
    __shared__ int total;
    if (!threadIdx.x)
        total = 0;
    __syncthreads();
    int mine = 0;
    for (int i = (int)threadIdx.x; i < n; i += (int)blockDim.x)
        mine += x[i];
    mine = __reduce_add_sync(~0u, mine);
    if (threadIdx.x % 32 == 0)
        atomicAdd(&total, mine);
    __syncthreads();
    if (!threadIdx.x)
        *result = total;
}

static std::mutex lock;
static std::queue<int> tasks;

static int work(std::vector<int> *results)
{
    cudaStream_t stream;
    int done = 0;
    CALL(cudaSetDevice(0));
    CALL(cudaStreamCreate(&stream));
    for (;;) {
        int task;
        {
            std::lock_guard<std::mutex> held(lock);
            if (tasks.empty())
                break;
            task = tasks.front();
            tasks.pop();
        }
        int n = 100 + 10 * task, *there, *result;
        std::vector<int> x(n);
        for (int i = 0; i < n; i++)
            x[i] = task * i;
        CALL(cudaMallocAsync(&there, n * sizeof *there, stream));
        CALL(cudaMallocAsync(&result, sizeof *result, stream));
        CALL(cudaMemcpyAsync(there, x.data(), n * sizeof *there, cudaMemcpyHostToDevice, stream));
        sum<<<1, 64, 0, stream>>>(there, n, result);
        LAUNCHED();
        CALL(cudaMemcpyAsync(&(*results)[task], result, sizeof *result, cudaMemcpyDeviceToHost, stream));
        CALL(cudaFreeAsync(there, stream));
        CALL(cudaFreeAsync(result, stream));
        CALL(cudaStreamSynchronize(stream));
        done++;
    }
    CALL(cudaStreamDestroy(stream));
    return done;
}

int main()
{
    const int count = 24;
    std::vector<int> results(count);
    for (int i = 0; i < count; i++)
        tasks.push(i);
    std::vector<std::future<int>> workers;
    for (int i = 0; i < 3; i++)
        workers.push_back(std::async(std::launch::async, work, &results));
    int done = 0;
    for (auto &one : workers)
        done += one.get();
    EXPECT(done == count);
    for (int task = 0; task < count; task++) {
        int n = 100 + 10 * task;
        EXPECT(results[task] == task * (n * (n - 1) / 2));
    }
    printf("sums of %d tasks are right\n", done);
    std::thread([] { sum<<<1, 2048>>>(nullptr, 0, nullptr); }).join();
    printf("an error stays with its thread: %d\n", cudaPeekAtLastError() == cudaSuccess);
    return 0;
}
