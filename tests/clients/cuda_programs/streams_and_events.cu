// Streams: copies and launches in order, a stream that waits for another's event, callbacks, queries, times.
// > callback: 7
// > host function: 8
// > squares: 4096 as on the host
// > sums: 4096 as on the host
#include "check.h"

__global__ void square(int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= x[i];
}

__global__ void add(const int *x, int *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        sum[i] += x[i];
}

static void CUDART_CB called(cudaStream_t, cudaError_t status, void *data)
{
    printf("callback: %d\n", *(int *)data + status);
    ++*(int *)data;
}

static void CUDART_CB host_function(void *data) { printf("host function: %d\n", *(int *)data); }

int main()
{
    const int n = 4096;
    int *host, *squares, *sums;
    CALL(cudaMallocHost(&host, n * sizeof(int)));
    CALL(cudaMalloc(&squares, n * sizeof(int)));
    CALL(cudaMalloc(&sums, n * sizeof(int)));
    int wanted[n], wanted_sums[n];
    for (int i = 0; i < n; i++) {
        host[i] = (int)(next_random() % 1000) - 500;
        wanted[i] = host[i] * host[i];
        wanted_sums[i] = 3 * wanted[i];
    }
    cudaStream_t one, two;
    CALL(cudaStreamCreate(&one));
    CALL(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
    cudaEvent_t start, squared, end;
    CALL(cudaEventCreate(&start));
    CALL(cudaEventCreate(&squared));
    CALL(cudaEventCreateWithFlags(&end, cudaEventBlockingSync));
    CALL(cudaEventRecord(start, one));
    CALL(cudaMemcpyAsync(squares, host, n * sizeof(int), cudaMemcpyHostToDevice, one));
    square<<<(n + 127) / 128, 128, 0, one>>>(squares, n);
    CALL(cudaEventRecord(squared, one));
    CALL(cudaMemsetAsync(sums, 0, n * sizeof(int), two));
    CALL(cudaStreamWaitEvent(two, squared, 0));
    for (int i = 0; i < 3; i++)
        add<<<(n + 127) / 128, 128, 0, two>>>(squares, sums, n);
    int counter = 7;
    CALL(cudaStreamAddCallback(two, called, &counter, 0));
    CALL(cudaLaunchHostFunc(two, host_function, &counter));
    CALL(cudaEventRecord(end, two));
    CALL(cudaEventSynchronize(end));
    CALL(cudaEventQuery(end));
    CALL(cudaStreamQuery(two));
    float milliseconds = -1;
    CALL(cudaEventElapsedTime(&milliseconds, start, end));
    EXPECT(milliseconds >= 0 && milliseconds < 600000);
    CALL(cudaMemcpyAsync(host, squares, n * sizeof(int), cudaMemcpyDeviceToHost, one));
    CALL(cudaStreamSynchronize(one));
    same("squares", host, wanted, n);
    CALL(cudaMemcpy(host, sums, n * sizeof(int), cudaMemcpyDeviceToHost));
    same("sums", host, wanted_sums, n);
    int least, greatest, priority;
    CALL(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    cudaStream_t urgent;
    CALL(cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, greatest));
    CALL(cudaStreamGetPriority(urgent, &priority));
    EXPECT(priority == greatest && least >= greatest);
    unsigned flags;
    CALL(cudaStreamGetFlags(urgent, &flags));
    EXPECT(flags == cudaStreamNonBlocking);
    for (cudaStream_t stream : {one, two, urgent})
        CALL(cudaStreamDestroy(stream));
    for (cudaEvent_t event : {start, squared, end})
        CALL(cudaEventDestroy(event));
    CALL(cudaFreeHost(host));
    CALL(cudaFree(squares));
    CALL(cudaFree(sums));
    return 0;
}
