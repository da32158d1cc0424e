/* Graphs and captures, where the runtime's parameters are not the driver's; the rest is in forward.def. */
#include <string.h>

#include "driver.h"

typedef struct {                            /* cudaKernelNodeParams */
    const void *kernel;
    Dim3 grid, block;
    unsigned shared;
    void **parameters, **extra;
} KernelNode;

static int driver_node(const KernelNode *given, DriverKernelNode *there)
{
    if (!given)
        return INVALID_VALUE;
    *there = (DriverKernelNode){NULL, given->grid, given->block, given->shared, given->parameters, given->extra, NULL, NULL};
    return find_function(given->kernel, &there->function);
}

API int cudaGraphAddKernelNode(Handle *node, Handle graph, const Handle *before, size_t count, const KernelNode *given)
{
    DriverKernelNode there;
    int error = driver_node(given, &there);
    return done(error ? error : driver()->cuGraphAddKernelNode_v2(node, graph, before, count, &there));
}

API int cudaGraphKernelNodeSetParams(Handle node, const KernelNode *given)
{
    DriverKernelNode there;
    int error = driver_node(given, &there);
    return done(error ? error : driver()->cuGraphKernelNodeSetParams_v2(node, &there));
}

API int cudaGraphExecKernelNodeSetParams(Handle executable, Handle node, const KernelNode *given)
{
    DriverKernelNode there;
    int error = driver_node(given, &there);
    return done(error ? error : driver()->cuGraphExecKernelNodeSetParams_v2(executable, node, &there));
}

API int cudaGraphKernelNodeGetParams(Handle node, KernelNode *out)
{
    DriverKernelNode there;
    const void *kernel;
    int error = out ? enter() : INVALID_VALUE;
    if (!error)
        error = driver()->cuGraphKernelNodeGetParams_v2(node, &there);
    if (!error)
        error = host_of_function(there.function, &kernel);
    if (!error)
        *out = (KernelNode){kernel, there.grid, there.block, there.shared, there.parameters, there.extra};
    return done(error);
}

API int cudaGraphAddMemcpyNode(Handle *node, Handle graph, const Handle *before, size_t count,
                               const Copy3DParameters *given)
{
    Copy3D copy;
    Handle context;
    int error = describe_copy(given, &copy);
    if (!error)
        error = driver()->cuCtxGetCurrent(&context);
    return done(error ? error : driver()->cuGraphAddMemcpyNode(node, graph, before, count, &copy, context));
}

API int cudaGraphMemcpyNodeSetParams(Handle node, const Copy3DParameters *given)
{
    Copy3D copy;
    int error = describe_copy(given, &copy);
    return done(error ? error : driver()->cuGraphMemcpyNodeSetParams(node, &copy));
}

API int cudaGraphExecMemcpyNodeSetParams(Handle executable, Handle node, const Copy3DParameters *given)
{
    Copy3D copy;
    Handle context;
    int error = describe_copy(given, &copy);
    if (!error)
        error = driver()->cuCtxGetCurrent(&context);
    return done(error ? error : driver()->cuGraphExecMemcpyNodeSetParams(executable, node, &copy, context));
}

/* The same for copies of one row, and for those to and from a variable. `declared` and `given` are the parameters before
   those of the copy. */
#define ONE_ROW(name, declared, given)                                                                                 \
    API int name##1D(LIST declared, void *to, const void *from, size_t size, int direction)                            \
    {                                                                                                                  \
        Copy3DParameters row = {.from = {(void *)from, size, size, 1}, .to = {to, size, size, 1},                      \
                                .extent = {size, 1, 1}, .direction = direction};                                       \
        return name(LIST given, &row);                                                                                 \
    }                                                                                                                  \
    API int name##ToSymbol(LIST declared, const void *symbol, const void *from, size_t size, size_t offset,            \
                           int direction)                                                                              \
    {                                                                                                                  \
        Address to;                                                                                                    \
        int error = within_variable(symbol, size, offset, &to);                                                        \
        return error ? done(error) : name##1D(LIST given, (void *)to, from, size, direction);                          \
    }                                                                                                                  \
    API int name##FromSymbol(LIST declared, void *to, const void *symbol, size_t size, size_t offset, int direction)   \
    {                                                                                                                  \
        Address from;                                                                                                  \
        int error = within_variable(symbol, size, offset, &from);                                                      \
        return error ? done(error) : name##1D(LIST given, to, (void *)from, size, direction);                          \
    }
#define LIST(...) __VA_ARGS__

ONE_ROW(cudaGraphAddMemcpyNode, (Handle *node, Handle graph, const Handle *before, size_t count),
        (node, graph, before, count))
ONE_ROW(cudaGraphMemcpyNodeSetParams, (Handle node), (node))
ONE_ROW(cudaGraphExecMemcpyNodeSetParams, (Handle executable, Handle node), (executable, node))

API int cudaGraphMemcpyNodeGetParams(Handle node, Copy3DParameters *out)
{
    Copy3D copy;
    int error = out ? enter() : INVALID_VALUE;
    if (!error)
        error = driver()->cuGraphMemcpyNodeGetParams(node, &copy);
    return done(error ? error : runtime_copy(&copy, out));
}

static int current_context(Handle *context)
{
    int error = enter();
    return error ? error : driver()->cuCtxGetCurrent(context);
}

API int cudaGraphExecMemsetNodeSetParams(Handle executable, Handle node, const void *given)
{
    Handle context;
    int error = current_context(&context);
    return done(error ? error : driver()->cuGraphExecMemsetNodeSetParams(executable, node, given, context));
}

/* cudaMemsetParams is CUDA_MEMSET_NODE_PARAMS. */
API int cudaGraphAddMemsetNode(Handle *node, Handle graph, const Handle *before, size_t count, const void *given)
{
    Handle context;
    int error = current_context(&context);
    return done(error ? error : driver()->cuGraphAddMemsetNode(node, graph, before, count, given, context));
}

/* cudaGraphNodeParams, which is as large as CUgraphNodeParams; kernels and copies are described in other ways there. */
typedef struct {
    int type, reserved[3];
    union {
        KernelNode kernel;
        DriverKernelNode driver_kernel;
        struct {
            int flags, reserved[3];
            Copy3DParameters copy;
        } copy;
        struct {
            int flags, reserved;
            Handle context;
            Copy3D copy;
        } driver_copy;
        long long words[29];
    } as;
    long long end;
} Node;

enum { KERNEL_NODE, COPY_NODE };

static int driver_description(const Node *given, Node *there)
{
    if (!given)
        return INVALID_VALUE;
    *there = *given;
    if (given->type == KERNEL_NODE)
        return driver_node(&given->as.kernel, &there->as.driver_kernel);
    if (given->type != COPY_NODE)
        return 0;
    there->as.driver_copy.flags = there->as.driver_copy.reserved = 0;
    int error = describe_copy(&given->as.copy.copy, &there->as.driver_copy.copy);
    return error ? error : driver()->cuCtxGetCurrent(&there->as.driver_copy.context);
}

static int add_node(Handle *node, Handle graph, const Handle *before, const void *edges, size_t count, Node *given)
{
    Node there;
    int error = enter();
    if (!error)
        error = driver_description(given, &there);
    if (!error)
        error = driver()->cuGraphAddNode_v2(node, graph, before, edges, count, &there);
    if (!error && given->type != KERNEL_NODE && given->type != COPY_NODE)
        *given = there;                     /* with the address of an allocation, the graphs of a conditional node */
    return done(error);
}

API int cudaGraphNodeSetParams(Handle node, const Node *given)
{
    Node there;
    int error = driver_description(given, &there);
    return done(error ? error : driver()->cuGraphNodeSetParams(node, &there));
}

API int cudaGraphExecNodeSetParams(Handle executable, Handle node, const Node *given)
{
    Node there;
    int error = driver_description(given, &there);
    return done(error ? error : driver()->cuGraphExecNodeSetParams(executable, node, &there));
}

API int cudaGraphConditionalHandleCreate(uint64_t *condition, Handle graph, unsigned value, unsigned flags)
{
    Handle context;
    int error = current_context(&context);
    return done(error ? error : driver()->cuGraphConditionalHandleCreate(condition, graph, context, value, flags));
}

#if OPENPTX_CUDART == 12
API int cudaGraphKernelNodeCopyAttributes(Handle source, Handle target)         /* in the other order in CUDA 13 */
{
    IN_CONTEXT(driver()->cuGraphKernelNodeCopyAttributes(target, source));
}

API int cudaGraphAddNode(Handle *node, Handle graph, const Handle *before, size_t count, Node *given)
{
    return add_node(node, graph, before, NULL, count, given);
}

API int cudaGraphAddNode_v2(Handle *node, Handle graph, const Handle *before, const void *edges, size_t count, Node *given)
{
    return add_node(node, graph, before, edges, count, given);
}

API int cudaStreamGetCaptureInfo(Handle stream, int *status, uint64_t *id)
{
    IN_CONTEXT(driver()->cuStreamGetCaptureInfo_v2(stream, status, id, NULL, NULL, NULL));
}

API int cudaStreamGetCaptureInfo_v2(Handle stream, int *status, uint64_t *id, Handle *graph, const Handle **before,
                                    size_t *count)
{
    IN_CONTEXT(driver()->cuStreamGetCaptureInfo_v2(stream, status, id, graph, before, count));
}

API int cudaStreamGetCaptureInfo_ptsz(Handle stream, int *status, uint64_t *id)
{
    return cudaStreamGetCaptureInfo(per_thread(stream), status, id);
}

API int cudaStreamGetCaptureInfo_v2_ptsz(Handle stream, int *status, uint64_t *id, Handle *graph, const Handle **before,
                                         size_t *count)
{
    return cudaStreamGetCaptureInfo_v2(per_thread(stream), status, id, graph, before, count);
}
#define CAPTURE_INFO(suffix) cudaStreamGetCaptureInfo_v3##suffix
#else
API int cudaGraphAddNode(Handle *node, Handle graph, const Handle *before, const void *edges, size_t count, Node *given)
{
    return add_node(node, graph, before, edges, count, given);
}

API int cudaGraphNodeGetParams(Handle node, Node *out)
{
    Node there;
    const void *kernel;
    int error = out ? enter() : INVALID_VALUE;
    if (!error)
        error = driver()->cuGraphNodeGetParams(node, &there);
    if (error)
        return done(error);
    *out = there;
    if (there.type == KERNEL_NODE) {
        const DriverKernelNode *from = &there.as.driver_kernel;
        error = host_of_function(from->function, &kernel);
        memset(&out->as, 0, sizeof out->as);
        if (!error)
            out->as.kernel = (KernelNode){kernel, from->grid, from->block, from->shared, from->parameters, from->extra};
    } else if (there.type == COPY_NODE) {
        memset(&out->as, 0, sizeof out->as);
        error = runtime_copy(&there.as.driver_copy.copy, &out->as.copy.copy);
    }
    return done(error);
}

API int cudaGraphConditionalHandleCreate_v2(uint64_t *condition, Handle graph, Handle context, unsigned value, unsigned flags)
{
    if (context)
        return done(NOT_SUPPORTED);         /* an execution context */
    return cudaGraphConditionalHandleCreate(condition, graph, value, flags);
}

#define CAPTURE_INFO(suffix) cudaStreamGetCaptureInfo##suffix
#endif

API int CAPTURE_INFO()(Handle stream, int *status, uint64_t *id, Handle *graph, const Handle **before, const void **edges,
                       size_t *count)
{
    IN_CONTEXT(driver()->cuStreamGetCaptureInfo_v3(stream, status, id, graph, before, edges, count));
}

API int CAPTURE_INFO(_ptsz)(Handle stream, int *status, uint64_t *id, Handle *graph, const Handle **before,
                            const void **edges, size_t *count)
{
    return CAPTURE_INFO()(per_thread(stream), status, id, graph, before, edges, count);
}
