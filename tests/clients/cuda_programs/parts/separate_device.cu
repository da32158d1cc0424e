// The other file of separate_compilation.cu: what its kernels call and share.
__constant__ int offset = 1000;
__device__ unsigned long long calls;

__device__ int transformed(int x)
{
    atomicAdd(&calls, 1ull);
    return x * 3 + offset;
}

__global__ void other_kernel(int *x) { x[threadIdx.x] = transformed(x[threadIdx.x]) - 1; }
