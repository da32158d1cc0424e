// A shared library with a kernel and a variable of its own, which plugin_host.cpp loads and unloads.
__device__ int count = 5;

__global__ void add(int *sum) { *sum += ++count; }

extern "C" int add_twice(int *sum)
{
    add<<<1, 1>>>(sum);
    add<<<1, 1>>>(sum);
    return cudaGetLastError();
}
