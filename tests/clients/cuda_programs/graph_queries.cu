// What a program asks of the nodes of graphs, copies through variables, memory of a graph that is freed between launches,
// and a capture to a graph that the program has.
// > kernel of a capture: 64 as on the host
// > copy of a capture: 64 as on the host
// > to a variable: 4 as on the host
// > from a variable: 4 as on the host
// > memory freed by cudaFree: 64 as on the host
// > memory freed in a stream: 64 as on the host
// > capture to a graph: 64 as on the host
#include "check.h"

#include <cstdint>

const int N = 64;

__device__ int table[4];

__global__ void fill(int *x, int value) { x[threadIdx.x] = value + threadIdx.x; }

static int host[N], wanted[N];

static void run(const char *what, cudaGraphExec_t graph, const int *device, int value)
{
    CALL(cudaGraphLaunch(graph, 0));
    CALL(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        wanted[i] = value + i;
    same(what, host, wanted, N);
}

static void run_once(const char *what, cudaGraph_t graph, const int *device, int value)
{
    cudaGraphExec_t executable;
    CALL(cudaGraphInstantiate(&executable, graph, 0));
    run(what, executable, device, value);
    CALL(cudaGraphExecDestroy(executable));
}

static cudaGraph_t captured(cudaStream_t stream, int *x, int *y)
{
    cudaGraph_t graph;
    CALL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    fill<<<1, N, 0, stream>>>(x, 5);
    CALL(cudaMemcpyAsync(y, x, sizeof host, cudaMemcpyDeviceToDevice, stream));
    CALL(cudaStreamEndCapture(stream, &graph));
    return graph;
}

static void parameters(cudaStream_t stream, int *x, int *y)
{
    cudaGraph_t graph = captured(stream, x, y);
    cudaGraphNode_t nodes[2];
    size_t count = 2;
    CALL(cudaGraphGetNodes(graph, nodes, &count));
    cudaKernelNodeParams kernel;
    CALL(cudaGraphKernelNodeGetParams(nodes[0], &kernel));
    EXPECT(kernel.func == (void *)fill && kernel.gridDim.x == 1 && kernel.blockDim.x == N && !kernel.sharedMemBytes);
    EXPECT(*(int **)kernel.kernelParams[0] == x && *(int *)kernel.kernelParams[1] == 5);
    int value = 9;
    void *arguments[] = {&x, &value};
    kernel.kernelParams = arguments;
    CALL(cudaGraphKernelNodeSetParams(nodes[0], &kernel));
    run_once("kernel of a capture", graph, y, 9);

    cudaMemcpy3DParms copy;
    CALL(cudaGraphMemcpyNodeGetParams(nodes[1], &copy));
    EXPECT(copy.srcPtr.ptr == x && copy.dstPtr.ptr == y && copy.extent.width == sizeof host);
    EXPECT(copy.kind == cudaMemcpyDeviceToDevice && copy.extent.height == 1 && copy.extent.depth == 1);
    copy.dstPtr.ptr = y + N;
    CALL(cudaGraphMemcpyNodeSetParams(nodes[1], &copy));
    run_once("copy of a capture", graph, y + N, 9);
    EXPECT(cudaGraphKernelNodeGetParams(nodes[1], &kernel) == cudaErrorInvalidValue);
    EXPECT(cudaGraphMemcpyNodeGetParams(nodes[1], nullptr) == cudaErrorInvalidValue);
    CALL(cudaGraphDestroy(graph));
}

static void variables(int *x)
{
    cudaGraph_t graph;
    cudaGraphNode_t node;
    cudaGraphExec_t executable;
    CALL(cudaGraphCreate(&graph, 0));
    CALL(cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, x, x + 8, 4, cudaMemcpyDeviceToDevice));
    CALL(cudaGraphMemcpyNodeSetParamsToSymbol(node, table, x, 16, 0, cudaMemcpyDeviceToDevice));
    CALL(cudaGraphInstantiate(&executable, graph, 0));
    CALL(cudaGraphLaunch(executable, 0));
    int there[4], first[4];
    CALL(cudaMemcpyFromSymbol(there, table, sizeof there));
    CALL(cudaMemcpy(first, x, sizeof first, cudaMemcpyDeviceToHost));
    same("to a variable", there, first, 4);
    CALL(cudaGraphExecMemcpyNodeSetParamsFromSymbol(executable, node, x + 4, table, 16, 0, cudaMemcpyDeviceToDevice));
    CALL(cudaGraphLaunch(executable, 0));
    CALL(cudaMemcpy(there, x + 4, sizeof there, cudaMemcpyDeviceToHost));
    same("from a variable", there, first, 4);
    EXPECT(cudaGraphExecMemcpyNodeSetParamsToSymbol(executable, node, table, x, 17, 0, cudaMemcpyDeviceToDevice) ==
           cudaErrorInvalidValue);
    CALL(cudaGraphExecDestroy(executable));
    CALL(cudaGraphDestroy(graph));
}

static void memory_of_graphs()
{
    cudaGraph_t graph;
    cudaGraphNode_t allocation, kernel;
    cudaGraphExec_t executable;
    cudaMemAllocNodeParams memory = {};
    memory.poolProps.allocType = cudaMemAllocationTypePinned;
    memory.poolProps.location.type = cudaMemLocationTypeDevice;
    memory.bytesize = sizeof host;
    CALL(cudaGraphCreate(&graph, 0));
    CALL(cudaGraphAddMemAllocNode(&allocation, graph, nullptr, 0, &memory));
    int value = 3, *x = (int *)memory.dptr;
    void *arguments[] = {&x, &value};
    cudaKernelNodeParams launch = {};
    launch.func = (void *)fill, launch.gridDim = 1, launch.blockDim = N, launch.kernelParams = arguments;
    CALL(cudaGraphAddKernelNode(&kernel, graph, &allocation, 1, &launch));
    CALL(cudaGraphInstantiate(&executable, graph, 0));
    CALL(cudaGraphDestroy(graph));
    CALL(cudaGraphLaunch(executable, 0));
    CALL(cudaDeviceSynchronize());
    CALL(cudaFree(x));
    EXPECT(cudaFree(x) == cudaErrorInvalidValue);
    run("memory freed by cudaFree", executable, x, 3);
    CALL(cudaFreeAsync(x, 0));
    run("memory freed in a stream", executable, x, 3);
    CALL(cudaGraphExecDestroy(executable));
    CALL(cudaFree(x));
    uint64_t used;
    CALL(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
    EXPECT(used == 0);
}

static void capture_to_graph(cudaStream_t stream, int *x)
{
    cudaGraph_t graph;
    CALL(cudaGraphCreate(&graph, 0));
    CALL(cudaStreamBeginCaptureToGraph(stream, graph, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
    fill<<<1, N, 0, stream>>>(x, 21);
    CALL(cudaStreamEndCapture(stream, nullptr));
    run_once("capture to a graph", graph, x, 21);
    CALL(cudaGraphDestroy(graph));
}

int main()
{
    int *x, *y;
    cudaStream_t stream;
    CALL(cudaMalloc(&x, sizeof host));
    CALL(cudaMalloc(&y, 2 * sizeof host));
    CALL(cudaStreamCreate(&stream));
    parameters(stream, x, y);
    variables(x);
    memory_of_graphs();
    capture_to_graph(stream, x);
}
