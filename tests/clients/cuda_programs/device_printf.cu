// printf of kernels, in order with printf of the host.
// > before
// > thread 0: -3 4294967293 fffffffd a 1.500000 7.250e+02 text %
// > thread 1: -2 4294967294 fffffffe b 2.500000 7.250e+02 text %
// > between
// > 12345678901234 |   42|42   |00042| 3.14
// > after
#include "check.h"

__global__ void speak()
{
    int i = threadIdx.x;
    printf("thread %d: %d %u %x %c %f %.3e %s %%\n", i, i - 3, i - 3, i - 3, 'a' + i, i + 1.5, 725.0, "text");
}

__global__ void widths(long long big) { printf("%lld |%5d|%-5d|%05d|%5.2f\n", big, 42, 42, 42, 3.14159); }

int main()
{
    printf("before\n");
    speak<<<1, 2>>>();
    CALL(cudaDeviceSynchronize());
    printf("between\n");
    widths<<<1, 1>>>(12345678901234);
    CALL(cudaDeviceSynchronize());
    printf("after\n");
    return 0;
}
