/* Launches, and what is asked and set of kernels. */
#include "driver.h"

#include <string.h>

typedef struct {                            /* cudaLaunchConfig_t */
    Dim3 grid, block;
    size_t shared;
    Handle stream;
    void *attributes;
    unsigned count;
} Launch;

/* <<<grid, block, shared, stream>>> is kept here between the expression and the stub that it calls. */
enum { NESTED = 16 };
static _Thread_local Launch configurations[NESTED];
static _Thread_local int depth;

API unsigned __cudaPushCallConfiguration(Dim3 grid, Dim3 block, size_t shared, Handle stream)
{
    if (depth == NESTED)
        return (unsigned)done(INVALID_CONFIGURATION);
    configurations[depth++] = (Launch){grid, block, shared, stream, NULL, 0};
    return SUCCESS;
}

API int __cudaPopCallConfiguration(Dim3 *grid, Dim3 *block, size_t *shared, Handle *stream)
{
    if (!depth)
        return done(MISSING_CONFIGURATION);
    const Launch *top = &configurations[--depth];
    *grid = top->grid, *block = top->block, *shared = top->shared, *stream = top->stream;
    return SUCCESS;
}

static bool within(Dim3 size, int first_attribute, int device)
{
    unsigned sizes[] = {size.x, size.y, size.z};
    for (int i = 0; i < 3; i++) {
        int limit = 0;
        driver()->cuDeviceGetAttribute(&limit, first_attribute + i, device);
        if (!sizes[i] || sizes[i] > (unsigned)limit)
            return false;
    }
    return true;
}

/* The driver calls a bad grid or block an invalid value, or too many blocks of a cooperative launch; the runtime has a
   code of its own for it. */
static int launched(int error, Dim3 grid, Dim3 block)
{
    int device = 0, limit = 0;
    if ((error != INVALID_VALUE && error != TOO_MANY_BLOCKS) || current_device(&device))
        return done(error);
    driver()->cuDeviceGetAttribute(&limit, 1, device);
    bool fits = within(grid, 5, device) && within(block, 2, device) && (uint64_t)block.x * block.y * block.z <= (uint64_t)limit;
    return done(fits ? error : INVALID_CONFIGURATION);
}

API int cudaLaunchKernel(const void *kernel, Dim3 grid, Dim3 block, void **arguments, size_t shared, Handle stream)
{
    Handle f;
    int error = find_kernel(kernel, &f);
    if (!error)
        error = driver()->cuLaunchKernel(f, grid.x, grid.y, grid.z, block.x, block.y, block.z, (unsigned)shared, stream,
                                         arguments, NULL);
    return launched(error, grid, block);
}

API int cudaLaunchKernel_ptsz(const void *kernel, Dim3 grid, Dim3 block, void **arguments, size_t shared, Handle stream)
{
    return cudaLaunchKernel(kernel, grid, block, arguments, shared, per_thread(stream));
}

SAME_FUNCTION(__cudaLaunchKernel, cudaLaunchKernel);
SAME_FUNCTION(__cudaLaunchKernel_ptsz, cudaLaunchKernel_ptsz);

API int cudaLaunchCooperativeKernel(const void *kernel, Dim3 grid, Dim3 block, void **arguments, size_t shared,
                                    Handle stream)
{
    Handle f;
    int error = find_kernel(kernel, &f);
    if (!error)
        error = driver()->cuLaunchCooperativeKernel(f, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                                    (unsigned)shared, stream, arguments);
    return launched(error, grid, block);
}

API int cudaLaunchCooperativeKernel_ptsz(const void *kernel, Dim3 grid, Dim3 block, void **arguments, size_t shared,
                                         Handle stream)
{
    return cudaLaunchCooperativeKernel(kernel, grid, block, arguments, shared, per_thread(stream));
}

static DriverLaunch driver_launch(const Launch *launch)
{
    return (DriverLaunch){launch->grid,   launch->block,      (unsigned)launch->shared,
                          launch->stream, launch->attributes, launch->count};
}

API int cudaLaunchKernelExC(const Launch *launch, const void *kernel, void **arguments)
{
    Handle f;
    if (!launch)
        return done(INVALID_VALUE);
    int error = find_kernel(kernel, &f);
    DriverLaunch there = driver_launch(launch);
    if (!error)
        error = driver()->cuLaunchKernelEx(&there, f, arguments, NULL);
    return launched(error, launch->grid, launch->block);
}

API int cudaLaunchKernelExC_ptsz(const Launch *launch, const void *kernel, void **arguments)
{
    if (!launch)
        return done(INVALID_VALUE);
    Launch own = *launch;
    own.stream = per_thread(own.stream);
    return cudaLaunchKernelExC(&own, kernel, arguments);
}

typedef struct {                            /* cudaFuncAttributes */
    size_t shared, constant, local;
    int threads, registers, ptx, binary, cache, dynamic_shared, carveout;
    int cluster_needed, cluster_width, cluster_height, cluster_depth, cluster_scheduling, nonportable_cluster;
    int reserved[16];
} Attributes;

API int cudaFuncGetAttributes(Attributes *attributes, const void *kernel)
{
    Handle f;
    int error = attributes ? find_function(kernel, &f) : INVALID_VALUE;
    if (error)
        return done(error);
    memset(attributes, 0, sizeof *attributes);
    struct { int attribute; size_t *size; } sizes[] = {
        {1, &attributes->shared}, {2, &attributes->constant}, {3, &attributes->local}};
    struct { int attribute; int *value; } values[] = {
        {0, &attributes->threads}, {4, &attributes->registers}, {5, &attributes->ptx}, {6, &attributes->binary},
        {7, &attributes->cache}, {8, &attributes->dynamic_shared}, {9, &attributes->carveout},
        {10, &attributes->cluster_needed}, {11, &attributes->cluster_width}, {12, &attributes->cluster_height},
        {13, &attributes->cluster_depth}, {14, &attributes->nonportable_cluster}, {15, &attributes->cluster_scheduling}};
    for (size_t i = 0; !error && i < sizeof sizes / sizeof *sizes; i++) {
        int value = 0;
        error = driver()->cuFuncGetAttribute(&value, sizes[i].attribute, f);
        *sizes[i].size = (size_t)value;
    }
    for (size_t i = 0; !error && i < sizeof values / sizeof *values; i++)
        error = driver()->cuFuncGetAttribute(values[i].value, values[i].attribute, f);
    return done(error);
}

/* Attributes that cudaFuncSetAttribute knows have the driver's numbers. */
API int cudaFuncSetAttribute(const void *kernel, int attribute, int value)
{
    WITH_FUNCTION(f, kernel, driver()->cuFuncSetAttribute(f, attribute, value));
}

API int cudaKernelSetAttributeForDevice(Handle kernel, int attribute, int value, int device)
{
    IN_CONTEXT(driver()->cuKernelSetAttribute(attribute, value, kernel, device));
}

API int cudaFuncSetCacheConfig(const void *kernel, int config)
{
    WITH_FUNCTION(f, kernel, driver()->cuFuncSetCacheConfig(f, config));
}

API int cudaFuncSetSharedMemConfig(const void *kernel, int config)
{
    Handle f;
    (void)config;                           /* the size of banks: no effect since sm_50 */
    return done(find_function(kernel, &f));
}

API int cudaFuncGetName(const char **name, const void *kernel)
{
    WITH_FUNCTION(f, kernel, driver()->cuFuncGetName(name, f));
}

API int cudaFuncGetParamInfo(const void *kernel, size_t index, size_t *offset, size_t *size)
{
    WITH_FUNCTION(f, kernel, driver()->cuFuncGetParamInfo(f, index, offset, size));
}

#if OPENPTX_CUDART == 13
API int cudaFuncGetParamCount(const void *kernel, size_t *count)
{
    WITH_FUNCTION(f, kernel, driver()->cuFuncGetParamCount(f, count));
}
#endif

API int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *kernel, int threads,
                                                               size_t shared, unsigned flags)
{
    WITH_FUNCTION(f, kernel, driver()->cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, f, threads, shared,
                                                                                            flags));
}

API int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel, int threads, size_t shared)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, kernel, threads, shared, 0);
}

API int cudaOccupancyAvailableDynamicSMemPerBlock(size_t *shared, const void *kernel, int blocks, int threads)
{
    WITH_FUNCTION(f, kernel, driver()->cuOccupancyAvailableDynamicSMemPerBlock(shared, f, blocks, threads));
}

API int cudaOccupancyMaxPotentialClusterSize(int *size, const void *kernel, const Launch *launch)
{
    Handle f;
    int error = launch ? find_function(kernel, &f) : INVALID_VALUE;
    if (error)
        return done(error);
    DriverLaunch there = driver_launch(launch);
    return done(driver()->cuOccupancyMaxPotentialClusterSize(size, f, &there));
}

API int cudaOccupancyMaxActiveClusters(int *clusters, const void *kernel, const Launch *launch)
{
    Handle f;
    int error = launch ? find_function(kernel, &f) : INVALID_VALUE;
    if (error)
        return done(error);
    DriverLaunch there = driver_launch(launch);
    return done(driver()->cuOccupancyMaxActiveClusters(clusters, f, &there));
}
