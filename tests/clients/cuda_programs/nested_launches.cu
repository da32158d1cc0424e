// Dynamic parallelism: kernels that launch kernels, as a tree, one after another, after all others, of another file.
// nvcc: -rdc=true parts/nested_device.cu
// > a tree of depth 4: 121 nodes
// > launched in order: 16 as on the host
// > at the end: 3 launches before
// > in the kernel: no error
// > another file's kernel: 64 as on the host
// > a fill after the copy: 64 as on the host
#include "check.h"

extern __global__ void other_kernel(int *x, int factor);

__global__ void node(int *count, int depth)
{
    atomicAdd(count, 1);
    if (depth > 0)
        node<<<3, 1, 0, cudaStreamFireAndForget>>>(count, depth - 1);
}

__global__ void append(int *x, int digit) { x[threadIdx.x] = 10 * x[threadIdx.x] + digit; }

__global__ void orders(int *x)
{
    append<<<1, 16>>>(x, 1);
    append<<<1, 16>>>(x, 2);
    append<<<1, 16>>>(x, 3);
}

__global__ void look(int *counts) { counts[1] = counts[0]; }

__global__ void ends(int *counts)
{
    if (threadIdx.x == 0)
        look<<<1, 1, 0, cudaStreamTailLaunch>>>(counts);
    else
        node<<<1, 1, 0, cudaStreamFireAndForget>>>(counts, 0);
}

__global__ void calls(int *x, int *copy)
{
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    other_kernel<<<2, 32, 0, stream>>>(x, 5);
    cudaMemcpyAsync(copy, x, 64 * sizeof *x, cudaMemcpyDeviceToDevice, stream);
    cudaMemsetAsync(x, 0xff, 64 * sizeof *x, stream);
    cudaStreamDestroy(stream);
    printf("in the kernel: %s\n", cudaGetErrorString(cudaGetLastError()));
}

int main()
{
    int *x, got[128] = {}, wanted[128];
    CALL(cudaMalloc(&x, sizeof got));
    CALL(cudaMemset(x, 0, sizeof got));
    node<<<1, 1>>>(x, 4);
    LAUNCHED();
    CALL(cudaMemcpy(got, x, sizeof got, cudaMemcpyDeviceToHost));
    printf("a tree of depth 4: %d nodes\n", got[0]);

    CALL(cudaMemset(x, 0, sizeof got));
    orders<<<1, 1>>>(x);
    LAUNCHED();
    CALL(cudaMemcpy(got, x, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 16; i++)
        wanted[i] = 123;
    same("launched in order", got, wanted, 16);

    CALL(cudaMemset(x, 0, sizeof got));
    ends<<<1, 4>>>(x);
    LAUNCHED();
    CALL(cudaMemcpy(got, x, sizeof got, cudaMemcpyDeviceToHost));
    printf("at the end: %d launches before\n", got[1]);

    for (int i = 0; i < 64; i++) {
        got[i] = (int)next_random() % 1000;
        wanted[i] = 5 * got[i];
        wanted[64 + i] = -1;
    }
    CALL(cudaMemcpy(x, got, sizeof got, cudaMemcpyHostToDevice));
    calls<<<1, 1>>>(x, x + 64);
    LAUNCHED();
    CALL(cudaMemcpy(got, x, sizeof got, cudaMemcpyDeviceToHost));
    same("another file's kernel", got + 64, wanted, 64);
    same("a fill after the copy", got, wanted + 64, 64);
    return 0;
}
