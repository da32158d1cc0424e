// A kernel that launches a kernel, whose two warps race.
#include <cstdio>

__global__ void child(int *x) { *x = threadIdx.x; }

__global__ void parent(int *x) { child<<<1, 64>>>(x); }

int main()
{
    int *x;
    cudaMalloc(&x, sizeof *x);
    parent<<<1, 1>>>(x);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
