// The driver's API beside the runtime's: entry points by name, kernels and memory of one used by the other.
// > launched by the driver: 500 as on the host
// > loaded by the runtime: 500 as on the host
#include "check.h"
#include <cuda.h>

__global__ void twice(int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= 2;
}

static const char PTX[] = R"(
.version 7.8
.target sm_80
.address_size 64
.visible .entry increment(.param .u64 x, .param .u32 n)
{
    .reg .u32 %r<6>;
    .reg .u64 %rd<4>;
    .reg .pred %p;
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.u32 %r1, %r1, %r2, %r3;
    ld.param.u32 %r4, [n];
    setp.ge.u32 %p, %r1, %r4;
    @%p ret;
    ld.param.u64 %rd1, [x];
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    ld.global.u32 %r5, [%rd3];
    add.u32 %r5, %r5, 1;
    st.global.u32 [%rd3], %r5;
    ret;
}
)";

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
    const int n = 500;
    int host[n], wanted[n], count = n;
    for (int i = 0; i < n; i++) {
        host[i] = i - 100;
        wanted[i] = 2 * host[i];
    }
    CALL(cudaFree(nullptr));
    CUcontext context;
    EXPECT(DRIVER(cuCtxGetCurrent)(&context) == CUDA_SUCCESS && context);
    CUdeviceptr x;
    EXPECT(entry<CUresult (*)(CUdeviceptr *, size_t)>("cuMemAlloc")(&x, sizeof host) == CUDA_SUCCESS);
    CALL(cudaMemcpy((void *)x, host, sizeof host, cudaMemcpyHostToDevice));
    cudaFunction_t function;
    CALL(cudaGetFuncBySymbol(&function, (void *)twice));
    void *arguments[] = {&x, &count};
    EXPECT(DRIVER(cuLaunchKernel)(function, 2, 1, 1, 256, 1, 1, 0, nullptr, arguments, nullptr) == CUDA_SUCCESS);
    CALL(cudaMemcpy(host, (void *)x, sizeof host, cudaMemcpyDeviceToHost));
    same("launched by the driver", host, wanted, n);

    cudaLibrary_t library;
    cudaKernel_t kernel;
    CALL(cudaLibraryLoadData(&library, PTX, nullptr, nullptr, 0, nullptr, nullptr, 0));
    CALL(cudaLibraryGetKernel(&kernel, library, "increment"));
    CALL(cudaLaunchKernel((void *)kernel, dim3(2), dim3(256), arguments, 0, nullptr));
    for (int &one : wanted)
        one++;
    CALL(cudaMemcpy(host, (void *)x, sizeof host, cudaMemcpyDeviceToHost));
    same("loaded by the runtime", host, wanted, n);
    CALL(cudaLibraryUnload(library));
    CALL(cudaFree((void *)x));
    void *unknown;
    cudaDriverEntryPointQueryResult status;
    CALL(cudaGetDriverEntryPointByVersion("cuNoSuchFunction", &unknown, 12000, cudaEnableDefault, &status));
    EXPECT(status == cudaDriverEntryPointSymbolNotFound);
    return 0;
}
