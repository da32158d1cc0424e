/* cudaGetDeviceProperties: the structure of each major version, filled from attributes of the driver. */
#include "driver.h"

#include <string.h>

#define ONLY12(declaration)
#define ONLY13(declaration)
#if OPENPTX_CUDART == 12
#undef ONLY12
#define ONLY12(declaration) declaration;
#else
#undef ONLY13
#define ONLY13(declaration) declaration;
#endif

typedef struct {                            /* cudaDeviceProp */
    char name[256];
    char uuid[16];
    char luid[8];
    unsigned luidDeviceNodeMask;
    size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize;
    size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
    ONLY12(int clockRate)
    size_t totalConstMem;
    int major, minor;
    size_t textureAlignment, texturePitchAlignment;
    ONLY12(int deviceOverlap)
    int multiProcessorCount;
    ONLY12(int kernelExecTimeoutEnabled)
    int integrated, canMapHostMemory;
    ONLY12(int computeMode)
    int maxTexture1D, maxTexture1DMipmap;
    ONLY12(int maxTexture1DLinear)
    int maxTexture2D[2], maxTexture2DMipmap[2], maxTexture2DLinear[3], maxTexture2DGather[2];
    int maxTexture3D[3], maxTexture3DAlt[3], maxTextureCubemap, maxTexture1DLayered[2], maxTexture2DLayered[3];
    int maxTextureCubemapLayered[2], maxSurface1D, maxSurface2D[2], maxSurface3D[3], maxSurface1DLayered[2];
    int maxSurface2DLayered[3], maxSurfaceCubemap, maxSurfaceCubemapLayered[2];
    size_t surfaceAlignment;
    int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount;
    int unifiedAddressing;
    ONLY12(int memoryClockRate)
    int memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize, maxThreadsPerMultiProcessor;
    int streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported;
    ONLY12(int singleToDoublePrecisionPerfRatio)
    int pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported, canUseHostPointerForRegisteredMem;
    int cooperativeLaunch;
    ONLY12(int cooperativeMultiDeviceLaunch)
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor;
    int accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
    int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported;
    int timelineSemaphoreInteropSupported, memoryPoolsSupported, gpuDirectRDMASupported;
    unsigned gpuDirectRDMAFlushWritesOptions;
    int gpuDirectRDMAWritesOrdering;
    unsigned memoryPoolSupportedHandleTypes;
    int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch, unifiedFunctionPointers;
    ONLY13(int deviceNumaConfig)
    ONLY13(int deviceNumaId)
    ONLY13(int mpsEnabled)
    ONLY13(int hostNumaId)
    ONLY13(unsigned gpuPciDeviceID)
    ONLY13(unsigned gpuPciSubsystemID)
    ONLY13(int hostNumaMultinodeIpcSupported)
    int reserved[OPENPTX_CUDART == 12 ? 63 : 56];
} Properties;

/* Fields and the attributes, CUdevice_attribute, that they are; `wide` ones are a size_t. */
static const struct { size_t field; int attribute; bool wide; } ROWS[] = {
#define ROW(field, attribute) {offsetof(Properties, field), attribute, sizeof(((Properties *)0)->field) == 8},
#include "properties.def"
#undef ROW
};

static int fill(Properties *properties, int device)
{
    const struct Driver *d = driver();
    memset(properties, 0, sizeof *properties);
    int error = d->cuDeviceGetName(properties->name, sizeof properties->name, device);
    if (!error)
        error = d->cuDeviceGetUuid_v2(properties->uuid, device);
    if (!error)
        error = d->cuDeviceTotalMem_v2(&properties->totalGlobalMem, device);
    for (size_t i = 0; !error && i < sizeof ROWS / sizeof *ROWS; i++) {
        int value = 0;
        error = d->cuDeviceGetAttribute(&value, ROWS[i].attribute, device);
        void *field = (char *)properties + ROWS[i].field;
        if (ROWS[i].wide)
            *(size_t *)field = (size_t)value;
        else
            *(int *)field = value;
    }
    return error;
}

/* Programs for CUDA 12 call it by the name with _v2; the name without is the structure of CUDA 11. */
#if OPENPTX_CUDART == 12
#define cudaGetDeviceProperties cudaGetDeviceProperties_v2
#endif

API int cudaGetDeviceProperties(Properties *properties, int device)
{
    int count = 0, error = properties ? cudaGetDeviceCount(&count) : INVALID_VALUE;
    if (!error)
        error = device < 0 || device >= count ? INVALID_DEVICE : fill(properties, device);
    return done(error);
}

API int cudaDeviceGetAttribute(int *value, int attribute, int device)
{
    int count = 0, error = value ? cudaGetDeviceCount(&count) : INVALID_VALUE;
    if (!error)
        error = device < 0 || device >= count ? INVALID_DEVICE : driver()->cuDeviceGetAttribute(value, attribute, device);
    return done(error);
}

API int cudaChooseDevice(int *device, const Properties *wanted)
{
    if (!device || !wanted)
        return done(INVALID_VALUE);
    return cudaGetDevice(device);
}
