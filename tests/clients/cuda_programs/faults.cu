// What comes after a fault: the error of the launch, the same for every call, for another thread, and none after a reset.
// > cudaErrorIllegalAddress: a bad pointer
// > cudaErrorMisalignedAddress: a misaligned pointer
// > cudaErrorIllegalAddress: beyond an allocation
// > cudaErrorIllegalAddress: after it was freed
// > cudaErrorAssert: an assertion
// > cudaErrorLaunchFailure: a trap
// > after each a reset: 6 as on the host
// nvcc: -lpthread
#undef NDEBUG
#include "check.h"
#include <cassert>
#include <thread>

__global__ void store(int *x) { x[threadIdx.x] = 7; }
__global__ void refuse(int *x) { assert(x != x); }
__global__ void trap(int *) { __trap(); }

int main()
{
    int *place, good = 0;
    const char *names[] = {"a bad pointer", "a misaligned pointer", "beyond an allocation", "after it was freed", "an assertion", "a trap"};
    for (int kind = 0; kind < 6; kind++) {
        CALL(cudaMalloc(&place, 64));
        int *given = place;
        if (kind == 0)
            given = (int *)16;
        if (kind == 1)
            given = (int *)((char *)place + 2);
        if (kind == 2)
            given = place + 16;
        if (kind == 3)
            CALL(cudaFree(place));
        if (kind == 4)
            refuse<<<1, 1>>>(given);
        else if (kind == 5)
            trap<<<1, 1>>>(given);
        else
            store<<<1, 4>>>(given);
        cudaError_t error = cudaDeviceSynchronize();
        printf("%s: %s\n", cudaGetErrorName(error), names[kind]);
        int host, *more;
        cudaStream_t stream;
        FAILS(cudaMalloc(&more, 4), error);
        FAILS(cudaMemcpy(&host, place, 4, cudaMemcpyDeviceToHost), error);
        FAILS(cudaStreamCreate(&stream), error);
        FAILS(cudaGetLastError(), error);
        FAILS(cudaPeekAtLastError(), error); // it stays
        std::thread([&] { FAILS(cudaDeviceSynchronize(), error); }).join();
        CALL(cudaDeviceReset());
        CALL(cudaMalloc(&place, 64));
        store<<<1, 4>>>(place);
        CALL(cudaMemcpy(&host, place + 3, 4, cudaMemcpyDeviceToHost));
        good += host == 7;
        CALL(cudaFree(place));
    }
    int six = 6;
    expect(good == six, "results after a reset");
    printf("after each a reset: %d as on the host\n", good);
    return 0;
}
