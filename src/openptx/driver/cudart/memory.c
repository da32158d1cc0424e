/* Memory: allocations, what pointers are, and memset. */
#include "driver.h"

#include <string.h>

enum { MEMORY_HOST = 1, MEMORY_DEVICE = 2, HOST_ATTACH_GLOBAL = 1, PITCH_ELEMENT = 4 };

/* No bytes are asked for: success, and the null pointer. */
#define NOTHING(pointer) do { *(pointer) = NULL; IN_CONTEXT(SUCCESS); } while (0)

API int cudaMalloc(void **pointer, size_t size)
{
    if (pointer && !size)
        NOTHING(pointer);
    IN_CONTEXT(driver()->cuMemAlloc_v2((Address *)pointer, size));
}

API int cudaMallocManaged(void **pointer, size_t size, unsigned flags)
{
    IN_CONTEXT(driver()->cuMemAllocManaged((Address *)pointer, size, flags));
}

API int cudaHostAlloc(void **pointer, size_t size, unsigned flags)
{
    if (pointer && !size)
        NOTHING(pointer);
    IN_CONTEXT(driver()->cuMemHostAlloc(pointer, size, flags));
}

API int cudaMallocHost(void **pointer, size_t size) { return cudaHostAlloc(pointer, size, 0); }

API int cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
    if (pointer && pitch && (!width || !height)) {
        *pitch = 0;
        NOTHING(pointer);
    }
    IN_CONTEXT(driver()->cuMemAllocPitch_v2((Address *)pointer, pitch, width, height, PITCH_ELEMENT));
}

API int cudaMalloc3D(Pitched *pitched, Extent extent)
{
    if (!pitched)
        return done(INVALID_VALUE);
    pitched->width = extent.width;
    pitched->height = extent.height;
    return cudaMallocPitch(&pitched->pointer, &pitched->pitch, extent.width, extent.height * extent.depth);
}

API int cudaFree(void *pointer)
{
    if (!pointer)
        IN_CONTEXT(SUCCESS);
    IN_CONTEXT(driver()->cuMemFree_v2((Address)pointer));
}

API int cudaFreeHost(void *pointer)
{
    if (!pointer)
        IN_CONTEXT(SUCCESS);
    IN_CONTEXT(driver()->cuMemFreeHost(pointer));
}

typedef struct {                            /* cudaPointerAttributes */
    int type, device;
    void *device_pointer, *host_pointer;
#if OPENPTX_CUDART == 13
    long reserved[8];
#endif
} PointerAttributes;

API int cudaPointerGetAttributes(PointerAttributes *attributes, const void *pointer)
{
    enum { MEMORY_TYPE = 2, DEVICE_POINTER, HOST_POINTER, IS_MANAGED = 8, DEVICE_ORDINAL };
    enum { UNREGISTERED, HOST, DEVICE, MANAGED };
    int error = attributes ? enter() : INVALID_VALUE;
    if (error)
        return done(error);
    const struct Driver *d = driver();
    Address address = (Address)pointer;
    int type = 0, managed = 0;
    memset(attributes, 0, sizeof *attributes);
    error = d->cuPointerGetAttribute(&type, MEMORY_TYPE, address);
    if (error == INVALID_VALUE) {           /* memory that CUDA does not know is no error: the host may use it */
        attributes->type = UNREGISTERED;
        attributes->device = -1;
        attributes->host_pointer = (void *)pointer;
        return SUCCESS;
    }
    d->cuPointerGetAttribute(&managed, IS_MANAGED, address);
    d->cuPointerGetAttribute(&attributes->device, DEVICE_ORDINAL, address);
    attributes->type = managed ? MANAGED : type == MEMORY_HOST ? HOST : DEVICE;
    if (d->cuPointerGetAttribute(&attributes->device_pointer, DEVICE_POINTER, address))
        attributes->device_pointer = NULL;
    if (attributes->type == DEVICE || d->cuPointerGetAttribute(&attributes->host_pointer, HOST_POINTER, address))
        attributes->host_pointer = NULL;
    return done(error);
}

#if OPENPTX_CUDART == 12                    /* a device's number, not a cudaMemLocation */
API int cudaMemPrefetchAsync(const void *pointer, size_t size, int device, Handle stream)
{
    IN_CONTEXT(driver()->cuMemPrefetchAsync((Address)pointer, size, device, stream));
}

API int cudaMemPrefetchAsync_ptsz(const void *pointer, size_t size, int device, Handle stream)
{
    return cudaMemPrefetchAsync(pointer, size, device, per_thread(stream));
}

API int cudaMemAdvise(const void *pointer, size_t size, int advice, int device)
{
    IN_CONTEXT(driver()->cuMemAdvise((Address)pointer, size, advice, device));
}
#endif

API int cudaMemset(void *pointer, int value, size_t size)
{
    if (!size)
        IN_CONTEXT(SUCCESS);
    IN_CONTEXT(driver()->cuMemsetD8_v2((Address)pointer, (unsigned char)value, size));
}

API int cudaMemsetAsync(void *pointer, int value, size_t size, Handle stream)
{
    if (!size)
        IN_CONTEXT(SUCCESS);
    IN_CONTEXT(driver()->cuMemsetD8Async((Address)pointer, (unsigned char)value, size, stream));
}

API int cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height)
{
    if (!width || !height)
        IN_CONTEXT(SUCCESS);
    IN_CONTEXT(driver()->cuMemsetD2D8_v2((Address)pointer, pitch, (unsigned char)value, width, height));
}

API int cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width, size_t height, Handle stream)
{
    if (!width || !height)
        IN_CONTEXT(SUCCESS);
    IN_CONTEXT(driver()->cuMemsetD2D8Async((Address)pointer, pitch, (unsigned char)value, width, height, stream));
}

API int cudaMemset3DAsync(Pitched where, int value, Extent extent, Handle stream)
{
    int error = enter();
    for (size_t slice = 0; !error && slice < extent.depth; slice++) {
        char *first = (char *)where.pointer + slice * where.pitch * where.height;
        error = cudaMemset2DAsync(first, where.pitch, value, extent.width, extent.height, stream);
    }
    return done(error);
}

API int cudaMemset3D(Pitched where, int value, Extent extent)
{
    return cudaMemset3DAsync(where, value, extent, NULL);
}

API int cudaMemsetAsync_ptsz(void *pointer, int value, size_t size, Handle stream)
{
    return cudaMemsetAsync(pointer, value, size, per_thread(stream));
}

API int cudaMemset2DAsync_ptsz(void *pointer, size_t pitch, int value, size_t width, size_t height, Handle stream)
{
    return cudaMemset2DAsync(pointer, pitch, value, width, height, per_thread(stream));
}

API int cudaMemset3DAsync_ptsz(Pitched where, int value, Extent extent, Handle stream)
{
    return cudaMemset3DAsync(where, value, extent, per_thread(stream));
}

/* Synchronous calls for the per-thread stream: waiting for the default stream as well is only more order. */
SAME_FUNCTION(cudaMemset_ptds, cudaMemset);
SAME_FUNCTION(cudaMemset2D_ptds, cudaMemset2D);
SAME_FUNCTION(cudaMemset3D_ptds, cudaMemset3D);

API int cudaIpcOpenMemHandle(Address *address, IpcHandle handle, unsigned flags)
{
    IN_CONTEXT(driver()->cuIpcOpenMemHandle_v2(address, handle, flags));
}

API int cudaIpcOpenEventHandle(Handle *event, IpcHandle handle)
{
    IN_CONTEXT(driver()->cuIpcOpenEventHandle(event, handle));
}

#if OPENPTX_CUDART == 13
#define PREFETCHES(name)                                                                                               \
    API int cuda##name(Address *addresses, size_t *sizes, size_t count, void *places, size_t *firsts, size_t kinds,    \
                       uint64_t flags, Handle stream)                                                                  \
    {                                                                                                                  \
        IN_CONTEXT(driver()->cu##name(addresses, sizes, count, places, firsts, kinds, flags, stream));                 \
    }                                                                                                                  \
    API int cuda##name##_ptsz(Address *addresses, size_t *sizes, size_t count, void *places, size_t *firsts,           \
                              size_t kinds, uint64_t flags, Handle stream)                                             \
    {                                                                                                                  \
        return cuda##name(addresses, sizes, count, places, firsts, kinds, flags, per_thread(stream));                  \
    }

PREFETCHES(MemPrefetchBatchAsync)
PREFETCHES(MemDiscardAndPrefetchBatchAsync)
#else
/* Devices of today have `double`: nothing is converted. */
API int cudaSetDoubleForDevice(double *value) { return done(value ? 0 : INVALID_VALUE); }

API int cudaSetDoubleForHost(double *value) { return done(value ? 0 : INVALID_VALUE); }
#endif
