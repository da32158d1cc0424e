/* Copies between devices, and batches of copies. */
#include "driver.h"

static int primary_contexts(int to_device, Handle *to, int from_device, Handle *from)
{
    int error = primary_context(to_device, to);
    return error ? error : primary_context(from_device, from);
}

API int cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t size)
{
    Handle there, here;
    int error = primary_contexts(to_device, &there, from_device, &here);
    if (error || !size)
        return done(error);
    IN_CONTEXT(driver()->cuMemcpyPeer((Address)to, there, (Address)from, here, size));
}

API int cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t size, Handle stream)
{
    Handle there, here;
    int error = primary_contexts(to_device, &there, from_device, &here);
    if (error || !size)
        return done(error);
    IN_CONTEXT(driver()->cuMemcpyPeerAsync((Address)to, there, (Address)from, here, size, stream));
}

typedef struct {                            /* cudaMemcpy3DPeerParms */
    Handle from_array; Position from_position; Pitched from; int from_device;
    Handle to_array; Position to_position; Pitched to; int to_device;
    Extent extent;
} CopyPeerParameters;

static int between_devices(const CopyPeerParameters *given, Copy3DParameters *copy)
{
    Handle there, here;
    int error = given ? primary_contexts(given->to_device, &there, given->from_device, &here) : INVALID_VALUE;
    if (!error)
        *copy = (Copy3DParameters){given->from_array, given->from_position, given->from, given->to_array,
                                   given->to_position, given->to, given->extent, DEFAULT_DIRECTION};
    return error;
}

API int cudaMemcpy3DPeer(const CopyPeerParameters *given)
{
    Copy3DParameters copy;
    int error = between_devices(given, &copy);
    return error ? done(error) : cudaMemcpy3D(&copy);
}
SAME_FUNCTION(cudaMemcpy3DPeer_ptds, cudaMemcpy3DPeer);

API int cudaMemcpy3DPeerAsync(const CopyPeerParameters *given, Handle stream)
{
    Copy3DParameters copy;
    int error = between_devices(given, &copy);
    return error ? done(error) : cudaMemcpy3DAsync(&copy, stream);
}

API int cudaMemcpy3DPeerAsync_ptsz(const CopyPeerParameters *given, Handle stream)
{
    return cudaMemcpy3DPeerAsync(given, per_thread(stream));
}

/* ---- batches ---- */

#if OPENPTX_CUDART == 12
API int cudaMemcpyBatchAsync(void **to, void **from, size_t *sizes, size_t count, void *attributes, size_t *indices,
                             size_t kinds, size_t *failed, Handle stream)
{
    IN_CONTEXT(driver()->cuMemcpyBatchAsync(to, from, sizes, count, attributes, indices, kinds, failed, stream));
}

API int cudaMemcpyBatchAsync_ptsz(void **to, void **from, size_t *sizes, size_t count, void *attributes, size_t *indices,
                                  size_t kinds, size_t *failed, Handle stream)
{
    return cudaMemcpyBatchAsync(to, from, sizes, count, attributes, indices, kinds, failed, per_thread(stream));
}
#else
API int cudaMemcpyBatchAsync(void **to, void **from, size_t *sizes, size_t count, void *attributes, size_t *indices,
                             size_t kinds, Handle stream)
{
    IN_CONTEXT(driver()->cuMemcpyBatchAsync_v2(to, from, sizes, count, attributes, indices, kinds, stream));
}

API int cudaMemcpyBatchAsync_ptsz(void **to, void **from, size_t *sizes, size_t count, void *attributes, size_t *indices,
                                  size_t kinds, Handle stream)
{
    return cudaMemcpyBatchAsync(to, from, sizes, count, attributes, indices, kinds, per_thread(stream));
}
#endif
