// Wrong calls: each gives the error that CUDA's runtime gives, changes nothing, and the program goes on.
// > 60 wrong calls
// > after them: 64 as on the host
// > after a reset: 64 as on the host
#include "check.h"

__device__ int table[4] = {1, 2, 3, 4};

__global__ void fill(int *x) { x[threadIdx.x] = atomicAdd(&table[threadIdx.x % 4], 1); }

__global__ __launch_bounds__(64) void bounded(int *x) { x[threadIdx.x] = 1; }

static int calls;

#define WRONG(call, error) (calls++, expect_error(call, error, #call), cudaGetLastError())
#define WRONG_LAUNCH(launch, error) (calls++, launch, expect_error(cudaGetLastError(), error, #launch))

static void memory()
{
    int host[4] = {}, *x, *freed;
    void *none = nullptr, *wild = (void *)0x1234;
    CALL(cudaMalloc(&x, sizeof host));
    CALL(cudaMalloc(&freed, sizeof host));
    CALL(cudaFree(freed));
    WRONG(cudaMalloc((void **)nullptr, 4), cudaErrorInvalidValue);
    WRONG(cudaMalloc(&none, (size_t)1 << 60), cudaErrorMemoryAllocation);
    WRONG(cudaMallocPitch((void **)nullptr, nullptr, 4, 4), cudaErrorInvalidValue);
    WRONG(cudaMallocManaged((void **)nullptr, 4), cudaErrorInvalidValue);
    WRONG(cudaMallocManaged(&none, 0), cudaErrorInvalidValue);
    WRONG(cudaFree(freed), cudaErrorInvalidValue);
    WRONG(cudaFree(x + 1), cudaErrorInvalidValue);
    WRONG(cudaFree(host), cudaErrorInvalidValue);
    WRONG(cudaFree(wild), cudaErrorInvalidValue);
    WRONG(cudaFreeHost(host), cudaErrorInvalidValue);
    WRONG(cudaMemcpy(nullptr, host, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    WRONG(cudaMemcpy(host, nullptr, 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    WRONG(cudaMemcpy(freed, host, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    WRONG(cudaMemcpy(x, host, 400, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    WRONG(cudaMemcpy(x, host, 4, (cudaMemcpyKind)9), cudaErrorInvalidMemcpyDirection);
    WRONG(cudaMemcpy2D(x, 4, host, 8, 8, 1, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
    WRONG(cudaMemset(freed, 0, 4), cudaErrorInvalidValue);
    WRONG(cudaMemset(nullptr, 0, 4), cudaErrorInvalidValue);
    WRONG(cudaPointerGetAttributes(nullptr, x), cudaErrorInvalidValue);
    WRONG(cudaHostUnregister(host), cudaErrorHostMemoryNotRegistered);
    CALL(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyDefault));   // no bytes, so nothing is wrong
    CALL(cudaMemset(nullptr, 0, 0));
    CALL(cudaFree(nullptr));
    CALL(cudaFree(x));
}

static void symbols()
{
    int host[8] = {}, *none = nullptr;
    void *address;
    size_t size;
    WRONG(cudaMemcpyToSymbol(table, host, sizeof host), cudaErrorInvalidValue);
    WRONG(cudaMemcpyToSymbol(table, host, 4, 16), cudaErrorInvalidValue);
    WRONG(cudaMemcpyToSymbol(table, host, 4, (size_t)-4), cudaErrorInvalidValue);
    WRONG(cudaMemcpyFromSymbol(host, table, 4, 0, cudaMemcpyHostToDevice), cudaErrorInvalidMemcpyDirection);
    WRONG(cudaMemcpyToSymbol((const void *)host, host, 4), cudaErrorInvalidSymbol);
    WRONG(cudaMemcpyToSymbol((const void *)none, host, 4), cudaErrorInvalidSymbol);
    WRONG(cudaMemcpyToSymbol((const void *)fill, host, 4), cudaErrorInvalidSymbol);
    WRONG(cudaGetSymbolAddress(&address, (const void *)host), cudaErrorInvalidSymbol);
    WRONG(cudaGetSymbolAddress((void **)nullptr, table), cudaErrorInvalidValue);
    WRONG(cudaGetSymbolSize(&size, (const void *)host), cudaErrorInvalidSymbol);
}

static void not_a_kernel() {}

static void launches()
{
    int *x;
    CALL(cudaMalloc(&x, 64 * sizeof(int)));
    void *arguments[] = {&x};
    cudaFuncAttributes attributes;
    void (*stub)(int *) = fill;
    WRONG_LAUNCH((fill<<<0, 1>>>(x)), cudaErrorInvalidConfiguration);
    WRONG_LAUNCH((fill<<<1, 0>>>(x)), cudaErrorInvalidConfiguration);
    WRONG_LAUNCH((fill<<<1, 2000>>>(x)), cudaErrorInvalidConfiguration);
    WRONG_LAUNCH((fill<<<1, dim3(1, 1, 65)>>>(x)), cudaErrorInvalidConfiguration);
    WRONG_LAUNCH((fill<<<dim3(1, 70000), 1>>>(x)), cudaErrorInvalidConfiguration);
    WRONG_LAUNCH((fill<<<1, 1, 1 << 20>>>(x)), cudaErrorInvalidValue);
    WRONG_LAUNCH((bounded<<<1, 65>>>(x)), cudaErrorInvalidValue);
    WRONG_LAUNCH((fill<<<1, 1, 0, (cudaStream_t)0x1234>>>(x)), cudaErrorInvalidResourceHandle);
    WRONG_LAUNCH(stub(x), cudaErrorMissingConfiguration);       // no <<<...>>>
    WRONG(cudaLaunchKernel((void *)not_a_kernel, 1, 1, arguments, 0, 0), cudaErrorInvalidDeviceFunction);
    WRONG(cudaLaunchKernel((void *)nullptr, 1, 1, arguments, 0, 0), cudaErrorInvalidDeviceFunction);
    WRONG(cudaLaunchKernel((void *)table, 1, 1, arguments, 0, 0), cudaErrorInvalidDeviceFunction);
    WRONG(cudaLaunchCooperativeKernel((void *)not_a_kernel, 1, 1, arguments, 0, 0), cudaErrorInvalidDeviceFunction);
    WRONG(cudaFuncGetAttributes(&attributes, (void *)not_a_kernel), cudaErrorInvalidDeviceFunction);
    WRONG(cudaFuncGetAttributes(nullptr, (void *)fill), cudaErrorInvalidValue);
    CALL(cudaFree(x));
}

static void handles()
{
    cudaStream_t stream;
    cudaEvent_t event, other;
    cudaDeviceProp properties;
    float time;
    int value;
    CALL(cudaStreamCreate(&stream));
    CALL(cudaStreamDestroy(stream));
    CALL(cudaEventCreate(&event));
    CALL(cudaEventCreate(&other));
    WRONG(cudaStreamDestroy(stream), cudaErrorContextIsDestroyed);
    WRONG(cudaStreamSynchronize(stream), cudaErrorContextIsDestroyed);
    WRONG(cudaStreamCreate(nullptr), cudaErrorInvalidValue);
    WRONG(cudaEventCreate(nullptr), cudaErrorInvalidValue);
    WRONG(cudaEventRecord((cudaEvent_t)0x1234), cudaErrorInvalidResourceHandle);
    WRONG(cudaEventElapsedTime(&time, event, other), cudaErrorInvalidResourceHandle);   // not recorded
    CALL(cudaEventDestroy(event));
    WRONG(cudaEventDestroy(event), cudaErrorInvalidResourceHandle);
    WRONG(cudaSetDevice(99), cudaErrorInvalidDevice);
    WRONG(cudaSetDevice(-1), cudaErrorInvalidDevice);
    WRONG(cudaGetDevice(nullptr), cudaErrorInvalidValue);
    WRONG(cudaGetDeviceCount(nullptr), cudaErrorInvalidValue);
    WRONG(cudaGetDeviceProperties(&properties, 99), cudaErrorInvalidDevice);
    WRONG(cudaDeviceGetAttribute(&value, (cudaDeviceAttr)9999, 0), cudaErrorInvalidValue);
    WRONG(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 99), cudaErrorInvalidDevice);
}

static void run(const char *what, const int *first)
{
    int *x, got[64], wanted[64];
    CALL(cudaMalloc(&x, sizeof got));
    fill<<<16, 4>>>(x);
    LAUNCHED();
    fill<<<1, 4>>>(x + 60);
    CALL(cudaMemset(x, 0, 60 * sizeof(int)));
    CALL(cudaMemcpy(got, x, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++)
        wanted[i] = i < 60 ? 0 : first[i - 60] + 16;
    same(what, got, wanted, 64);
}

int main()
{
    const int first[] = {1, 2, 3, 4};
    WRONG(cudaMemcpyToSymbol((const void *)&calls, &calls, 4), cudaErrorInvalidSymbol);     // before anything else
    memory();
    symbols();
    launches();
    handles();
    EXPECT(cudaGetLastError() == cudaSuccess);
    FAILS(cudaSetDevice(99), cudaErrorInvalidDevice);
    EXPECT(cudaPeekAtLastError() == cudaErrorInvalidDevice);    // kept until it is asked for
    EXPECT(cudaGetLastError() == cudaErrorInvalidDevice && cudaGetLastError() == cudaSuccess);
    printf("%d wrong calls\n", calls);
    run("after them", first);

    int *x;
    fill<<<1, 1>>>(nullptr);
    cudaDeviceSynchronize();
    FAILS(cudaMalloc(&x, 4), cudaErrorIllegalAddress);          // every call gives it, until the reset
    FAILS(cudaGetLastError(), cudaErrorIllegalAddress);
    FAILS(cudaGetLastError(), cudaErrorIllegalAddress);
    CALL(cudaDeviceReset());
    EXPECT(cudaGetLastError() == cudaSuccess);
    run("after a reset", first);
    return 0;
}
