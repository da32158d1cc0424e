// Clocks of the device: cycles and nanoseconds go on, a sleep takes as long as asked, cuda::std::chrono counts with them.
// > clocks that went on: 32 as on the host
// > sleeps that were long enough: 4 as on the host
// > durations: 3 as on the host
#include "check.h"
#include <cuda/std/chrono>

__global__ void clocks(int *went_on)
{
    long long first = clock64();
    unsigned begin = clock();
    float x = threadIdx.x;
    for (int i = 0; i < 100; i++)
        x = x * 1.5f + 1;
    long long second = clock64();
    unsigned end = clock();
    went_on[threadIdx.x] = second > first && end - begin > 0 && end - begin < 1u << 31 && x > 0;
}

__global__ void sleeps(int *long_enough)
{
    using namespace cuda::std::chrono;
    auto begin = high_resolution_clock::now();
    unsigned asked = 1000u << threadIdx.x;
    for (int i = 0; i < 4; i++)
        __nanosleep(asked);
    auto passed = high_resolution_clock::now() - begin;
    long_enough[threadIdx.x] = duration_cast<nanoseconds>(passed).count() >= asked;
}

__global__ void durations(long long *counts)
{
    using namespace cuda::std::chrono;
    counts[0] = duration_cast<milliseconds>(hours(2) + minutes(3)).count();
    counts[1] = (seconds(5) - milliseconds(1500)).count();
    counts[2] = floor<seconds>(milliseconds(-1)).count();
}

int main()
{
    int *flags, ones[32];
    for (int &one : ones)
        one = 1;
    CALL(cudaMallocManaged(&flags, sizeof ones));
    clocks<<<1, 32>>>(flags);
    CALL(cudaDeviceSynchronize());
    same("clocks that went on", flags, ones, 32);
    sleeps<<<1, 4>>>(flags);
    CALL(cudaDeviceSynchronize());
    same("sleeps that were long enough", flags, ones, 4);
    long long *counts, wanted[] = {7380000, 3500, -1};
    CALL(cudaMallocManaged(&counts, sizeof wanted));
    durations<<<1, 1>>>(counts);
    CALL(cudaDeviceSynchronize());
    same("durations", counts, wanted, 3);
    return 0;
}
