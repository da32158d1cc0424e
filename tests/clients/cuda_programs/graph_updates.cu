// Graphs that change: parameters of nodes, of those that are instantiated already, a child graph, a clone, whole updates.
// > first: 128 as on the host
// > parameters of the executable graph: 128 as on the host
// > parameters of the graph: 128 as on the host
// > updated from a capture: 128 as on the host
// > child: 128 as on the host
// > through a variable: 4 as on the host
#include "check.h"

const int N = 128;

__device__ int table[4];

__global__ void add(int *x, int value) { x[threadIdx.x] += value; }

__global__ void multiply(int *x, int value) { x[threadIdx.x] *= value; }

static int host[N], wanted[N];

static void run(const char *what, cudaGraphExec_t graph, int expected)
{
    CALL(cudaGraphLaunch(graph, 0));
    CALL(cudaDeviceSynchronize());
    for (int &one : wanted)
        one = expected;
    same(what, host, wanted, N);
}

int main()
{
    int *x, *other, value = 3;
    CALL(cudaMalloc(&x, sizeof host));
    CALL(cudaMalloc(&other, sizeof host));
    CALL(cudaMemset(other, 0, sizeof host));
    cudaGraph_t graph, captured, child, outer;
    cudaGraphNode_t fill, kernel, copy;
    cudaGraphExec_t executable;
    CALL(cudaGraphCreate(&graph, 0));
    cudaMemsetParams fills = {};
    fills.dst = x, fills.value = 1, fills.elementSize = 4, fills.width = N, fills.height = 1;
    CALL(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &fills));
    void *arguments[] = {&x, &value};
    cudaKernelNodeParams launch = {};
    launch.func = (void *)add, launch.gridDim = 1, launch.blockDim = N, launch.kernelParams = arguments;
    CALL(cudaGraphAddKernelNode(&kernel, graph, &fill, 1, &launch));
    CALL(cudaGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, host, x, sizeof host, cudaMemcpyDeviceToHost));
    CALL(cudaGraphInstantiate(&executable, graph, 0));
    run("first", executable, 4);

    value = 10;
    CALL(cudaGraphExecKernelNodeSetParams(executable, kernel, &launch));
    fills.value = 2;
    CALL(cudaGraphExecMemsetNodeSetParams(executable, fill, &fills));
    run("parameters of the executable graph", executable, 12);
    CALL(cudaGraphExecMemcpyNodeSetParams1D(executable, copy, host, other, sizeof host, cudaMemcpyDeviceToHost));
    CALL(cudaGraphLaunch(executable, 0));
    CALL(cudaDeviceSynchronize());
    EXPECT(host[0] == 0 && host[N - 1] == 0);
    CALL(cudaGraphExecDestroy(executable));

    launch.func = (void *)multiply;
    CALL(cudaGraphKernelNodeSetParams(kernel, &launch));
    CALL(cudaGraphMemsetNodeGetParams(fill, &fills));
    EXPECT(fills.value == 1 && fills.dst == x && fills.width == N);
    fills.value = 5;
    CALL(cudaGraphMemsetNodeSetParams(fill, &fills));
    CALL(cudaGraphInstantiate(&executable, graph, 0));
    run("parameters of the graph", executable, 50);

    cudaStream_t stream;
    CALL(cudaStreamCreate(&stream));
    CALL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    CALL(cudaMemsetAsync(x, 1, sizeof host, stream));
    multiply<<<1, N, 0, stream>>>(x, 2);
    CALL(cudaMemcpyAsync(host, x, sizeof host, cudaMemcpyDeviceToHost, stream));
    CALL(cudaStreamEndCapture(stream, &captured));
    cudaGraphExecUpdateResultInfo result;
    CALL(cudaGraphExecUpdate(executable, captured, &result));
    EXPECT(result.result == cudaGraphExecUpdateSuccess);
    run("updated from a capture", executable, 0x02020202);
    CALL(cudaGraphExecDestroy(executable));

    cudaGraphNode_t node, found, inner;
    CALL(cudaGraphClone(&child, graph));
    CALL(cudaGraphNodeFindInClone(&found, kernel, child));
    EXPECT(found != kernel);
    value = 7;
    CALL(cudaGraphKernelNodeSetParams(found, &launch));
    CALL(cudaGraphCreate(&outer, 0));
    CALL(cudaGraphAddChildGraphNode(&node, outer, nullptr, 0, child));
    cudaGraph_t embedded;
    CALL(cudaGraphChildGraphNodeGetGraph(node, &embedded));
    size_t count;
    CALL(cudaGraphGetNodes(embedded, nullptr, &count));
    EXPECT(count == 3);
    CALL(cudaGraphInstantiate(&executable, outer, 0));
    run("child", executable, 35);
    CALL(cudaGraphExecDestroy(executable));
    CALL(cudaGraphDestroy(outer));
    CALL(cudaGraphDestroy(child));
    CALL(cudaGraphDestroy(captured));
    CALL(cudaGraphDestroy(graph));

    int given[4] = {4, 3, 2, 1}, taken[4] = {}, expected[4] = {0, 4, 3, 0};
    CALL(cudaGraphCreate(&graph, 0));
    CALL(cudaGraphAddMemcpyNodeToSymbol(&node, graph, nullptr, 0, table, given, 8, 4, cudaMemcpyHostToDevice));
    CALL(cudaGraphAddMemcpyNodeFromSymbol(&inner, graph, &node, 1, taken, table, 16, 0, cudaMemcpyDeviceToHost));
    FAILS(cudaGraphAddMemcpyNodeToSymbol(&node, graph, nullptr, 0, table, given, 8, 12, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    CALL(cudaGraphInstantiate(&executable, graph, 0));
    CALL(cudaGraphLaunch(executable, stream));
    CALL(cudaStreamSynchronize(stream));
    same("through a variable", taken, expected, 4);
    return 0;
}
