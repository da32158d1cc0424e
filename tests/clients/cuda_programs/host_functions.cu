// Functions of the host in streams: their order, between kernels and copies, on captured memory; mapped host memory.
// > order: launch 0, copy 0, launch 1, copy 1, launch 2, copy 2, old callback
// > mapped: 256 as on the host
// > registered: 256 as on the host
#include "check.h"
#include <string>

const int N = 256;

__global__ void add_to(int *x, int value) { x[threadIdx.x] += value; }

struct Step {
    std::string *log;
    const int *host;
    int round;
};

static void CUDART_CB before(void *data)
{
    Step *step = (Step *)data;
    *step->log += "launch " + std::to_string(step->round) + ", ";
}

static void CUDART_CB after(void *data)
{
    Step *step = (Step *)data;
    bool right = step->host[N - 1] == N - 1 + 10 * (step->round + 1);
    *step->log += (right ? "copy " : "wrong copy ") + std::to_string(step->round) + ", ";
}

static void CUDART_CB old(cudaStream_t, cudaError_t status, void *data)
{
    *(std::string *)data += status == cudaSuccess ? "old callback" : "failed";
}

int main()
{
    std::string log;
    int *host, *x, wanted[N];
    CALL(cudaMallocHost(&host, N * sizeof(int)));
    CALL(cudaMalloc(&x, N * sizeof(int)));
    for (int i = 0; i < N; i++)
        host[i] = i;
    cudaStream_t stream;
    CALL(cudaStreamCreate(&stream));
    CALL(cudaMemcpyAsync(x, host, N * sizeof(int), cudaMemcpyHostToDevice, stream));
    Step steps[3];
    for (int round = 0; round < 3; round++) {
        steps[round] = {&log, host, round};
        CALL(cudaLaunchHostFunc(stream, before, &steps[round]));
        add_to<<<1, N, 0, stream>>>(x, 10);
        CALL(cudaMemcpyAsync(host, x, N * sizeof(int), cudaMemcpyDeviceToHost, stream));
        CALL(cudaLaunchHostFunc(stream, after, &steps[round]));
    }
    CALL(cudaStreamAddCallback(stream, old, &log, 0));
    CALL(cudaStreamSynchronize(stream));
    printf("order: %s\n", log.c_str());

    int *mapped, *there;
    CALL(cudaHostAlloc(&mapped, N * sizeof(int), cudaHostAllocMapped));
    CALL(cudaHostGetDevicePointer(&there, mapped, 0));
    for (int i = 0; i < N; i++) {
        mapped[i] = i * i;
        wanted[i] = i * i - 3;
    }
    add_to<<<1, N>>>(there, -3);
    LAUNCHED();
    CALL(cudaDeviceSynchronize());
    same("mapped", mapped, wanted, N);

    static int own[N];
    CALL(cudaHostRegister(own, sizeof own, cudaHostRegisterMapped));
    CALL(cudaHostGetDevicePointer(&there, own, 0));
    add_to<<<1, N>>>(there, 77);
    LAUNCHED();
    CALL(cudaDeviceSynchronize());
    for (int &one : wanted)
        one = 77;
    same("registered", own, wanted, N);
    CALL(cudaHostUnregister(own));
    CALL(cudaFreeHost(mapped));
    CALL(cudaFreeHost(host));
    return 0;
}
