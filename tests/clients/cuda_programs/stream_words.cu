// Streams that wait for words of memory: the host polls what a kernel writes behind a wait, and writes the next word.
// nvcc: -lpthread
// > turns taken: 8 as on the host
// > behind a word of another stream: 256 as on the host
// > a batch of operations: 1 as on the host
#include "check.h"
#include <cuda.h>
#include <thread>
#include <unistd.h>

__global__ void add(unsigned *x, unsigned by) { x[threadIdx.x] += by + threadIdx.x; }

__global__ void answer(volatile unsigned *word, unsigned value) { *word = value; }

template <typename Function> static Function entry(const char *name)
{
    void *function = nullptr;
    cudaDriverEntryPointQueryResult status;
    CALL(cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &status));
    EXPECT(status == cudaDriverEntryPointSuccess && function);
    return (Function)function;
}

#define DRIVER(name) entry<decltype(&name)>(#name)

int main()
{
    auto wait = DRIVER(cuStreamWaitValue32);
    auto write = DRIVER(cuStreamWriteValue32);
    auto batch = DRIVER(cuStreamBatchMemOp);
    unsigned *words;
    CALL(cudaHostAlloc(&words, 4096, cudaHostAllocMapped));
    memset(words, 0, 4096);
    volatile unsigned *ask = words, *reply = words + 1;
    cudaStream_t first, second;
    CALL(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    CALL(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));

    const unsigned turns = 8;
    for (unsigned turn = 1; turn <= turns; turn++) {
        EXPECT(wait(first, (CUdeviceptr)ask, turn, CU_STREAM_WAIT_VALUE_EQ) == CUDA_SUCCESS);
        answer<<<1, 1, 0, first>>>(words + 1, 10 * turn);
        LAUNCHED();
    }
    FAILS(cudaStreamQuery(first), cudaErrorNotReady);
    unsigned got[turns], wanted[turns];
    for (unsigned turn = 1; turn <= turns; turn++) {
        EXPECT(*reply == 10 * (turn - 1));
        *ask = turn;
        while (*reply != 10 * turn) // no call of the driver
            usleep(100);
        got[turn - 1] = *reply, wanted[turn - 1] = 10 * turn;
    }
    CALL(cudaStreamSynchronize(first));
    same("turns taken", got, wanted, turns);

    unsigned *x, host[256], right[256];
    CALL(cudaMalloc(&x, sizeof host));
    CALL(cudaMemset(x, 0, sizeof host));
    cudaEvent_t done;
    CALL(cudaEventCreate(&done));
    EXPECT(wait(second, (CUdeviceptr)(words + 2), 3, CU_STREAM_WAIT_VALUE_GEQ) == CUDA_SUCCESS);
    add<<<1, 256, 0, second>>>(x, 5);
    CALL(cudaEventRecord(done, second));
    CALL(cudaStreamWaitEvent(first, done, 0));
    add<<<1, 256, 0, first>>>(x, 7);
    FAILS(cudaEventQuery(done), cudaErrorNotReady);
    cudaStream_t third;
    CALL(cudaStreamCreateWithFlags(&third, cudaStreamNonBlocking));
    std::thread later([&] {
        CALL(cudaSetDevice(0)); // the driver needs a current context
        usleep(20000);
        EXPECT(write(third, (CUdeviceptr)(words + 2), 3, 0) == CUDA_SUCCESS);
    });
    CALL(cudaDeviceSynchronize());
    later.join();
    CALL(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < 256; i++)
        right[i] = 12 + 2 * i;
    same("behind a word of another stream", host, right, 256);

    CUstreamBatchMemOpParams operations[3] = {};
    operations[0].operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    operations[0].writeValue.address = (CUdeviceptr)(words + 3);
    operations[0].writeValue.value = 1;
    operations[1].operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
    operations[1].waitValue.address = (CUdeviceptr)(words + 3);
    operations[1].waitValue.value = 1;
    operations[1].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
    operations[2].operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    operations[2].writeValue.address = (CUdeviceptr)(words + 4);
    operations[2].writeValue.value = 77;
    EXPECT(batch(first, 3, operations, 0) == CUDA_SUCCESS);
    CALL(cudaStreamSynchronize(first));
    unsigned last = 77;
    same("a batch of operations", words + 4, &last, 1);
    return 0;
}
