// Chunks of an array go through four streams: copy, kernel, copy back; events order them and measure, a callback tells.
// > results: 16384 as on the host
// > callbacks: 8, errors: 0
// > a stream that waits sees the other's work: 1
#include "check.h"
#include <atomic>

__global__ void scale(float *x, int n, float by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = x[i] * by + (float)i;
}

struct Told {
    std::atomic<int> calls{0}, errors{0};
};

static void tell(cudaStream_t, cudaError_t status, void *data)
{
    Told *told = (Told *)data;
    told->calls++;
    told->errors += status != cudaSuccess;
}

int main()
{
    const int n = 16384, streams = 4, chunks = 8, size = n / chunks;
    float *host, *device, *wanted = new float[n];
    cudaStream_t stream[streams];
    cudaEvent_t start, stop, done[streams];
    Told told;
    CALL(cudaMallocHost(&host, n * sizeof *host));
    CALL(cudaMalloc(&device, n * sizeof *device));
    CALL(cudaEventCreate(&start));
    CALL(cudaEventCreate(&stop));
    for (int i = 0; i < streams; i++) {
        CALL(cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking));
        CALL(cudaEventCreateWithFlags(&done[i], cudaEventDisableTiming));
    }
    for (int i = 0; i < n; i++) {
        host[i] = (float)(next_random() % 1000);
        wanted[i] = host[i] * 2.0f + (float)(i % size);
    }
    CALL(cudaEventRecord(start));
    for (int i = 0; i < chunks; i++) {
        cudaStream_t s = stream[i % streams];
        float *there = device + i * size, *here = host + i * size;
        CALL(cudaMemcpyAsync(there, here, size * sizeof *here, cudaMemcpyHostToDevice, s));
        scale<<<(size + 127) / 128, 128, 0, s>>>(there, size, 2.0f);
        CALL(cudaMemcpyAsync(here, there, size * sizeof *here, cudaMemcpyDeviceToHost, s));
        CALL(cudaStreamAddCallback(s, tell, &told, 0));
    }
    for (int i = 0; i < streams; i++) {
        CALL(cudaEventRecord(done[i], stream[i]));
        CALL(cudaStreamWaitEvent(0, done[i], 0));
    }
    CALL(cudaEventRecord(stop));
    CALL(cudaEventSynchronize(stop));
    float milliseconds;
    CALL(cudaEventElapsedTime(&milliseconds, start, stop));
    EXPECT(milliseconds > 0);
    FAILS(cudaEventElapsedTime(&milliseconds, start, done[0]), cudaErrorInvalidResourceHandle);
    CALL(cudaDeviceSynchronize());
    same("results", host, wanted, n);
    printf("callbacks: %d, errors: %d\n", told.calls.load(), told.errors.load());

    CALL(cudaMemsetAsync(device, 0, size * sizeof *device, stream[0]));
    CALL(cudaEventRecord(done[0], stream[0]));
    CALL(cudaStreamWaitEvent(stream[1], done[0], 0));
    float first = -1;
    CALL(cudaMemcpyAsync(&first, device, sizeof first, cudaMemcpyDeviceToHost, stream[1]));
    CALL(cudaStreamSynchronize(stream[1]));
    EXPECT(cudaStreamQuery(stream[1]) == cudaSuccess && cudaEventQuery(done[0]) == cudaSuccess);
    printf("a stream that waits sees the other's work: %d\n", first == 0);
    for (int i = 0; i < streams; i++) {
        CALL(cudaStreamDestroy(stream[i]));
        CALL(cudaEventDestroy(done[i]));
    }
    CALL(cudaFreeHost(host));
    CALL(cudaFree(device));
    delete[] wanted;
    return 0;
}
