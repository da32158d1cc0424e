// Graphs: captured from two streams and launched again, and made node by node.
// > nothing has run: 0
// > captured: 256 as on the host
// > made: 256 as on the host
// > host node: 5
#include "check.h"

__global__ void add(int *x, int value)
{
    x[blockIdx.x * blockDim.x + threadIdx.x] += value;
}

__global__ void multiply(int *x, int value)
{
    x[blockIdx.x * blockDim.x + threadIdx.x] *= value;
}

static void CUDART_CB count(void *data) { ++*(int *)data; }

int main()
{
    const int n = 256;
    int *x, host[n] = {}, wanted[n];
    CALL(cudaMalloc(&x, sizeof host));
    CALL(cudaMemset(x, 0, sizeof host));
    cudaStream_t one, two;
    CALL(cudaStreamCreate(&one));
    CALL(cudaStreamCreate(&two));
    cudaEvent_t fork, join;
    CALL(cudaEventCreate(&fork));
    CALL(cudaEventCreate(&join));

    CALL(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    add<<<2, n / 2, 0, one>>>(x, 1);
    CALL(cudaEventRecord(fork, one));
    CALL(cudaStreamWaitEvent(two, fork, 0));
    multiply<<<2, n / 2, 0, two>>>(x, 3);
    CALL(cudaEventRecord(join, two));
    CALL(cudaStreamWaitEvent(one, join, 0));
    CALL(cudaMemcpyAsync(host, x, sizeof host, cudaMemcpyDeviceToHost, one));
    cudaStreamCaptureStatus status;
    CALL(cudaStreamIsCapturing(one, &status));
    EXPECT(status == cudaStreamCaptureStatusActive);
    cudaGraph_t graph;
    CALL(cudaStreamEndCapture(one, &graph));
    printf("nothing has run: %d\n", host[0]);
    size_t nodes;
    CALL(cudaGraphGetNodes(graph, nullptr, &nodes));
    EXPECT(nodes == 3);
    cudaGraphExec_t run;
    CALL(cudaGraphInstantiate(&run, graph, 0));
    for (int i = 0; i < 4; i++)
        CALL(cudaGraphLaunch(run, one));
    CALL(cudaStreamSynchronize(one));
    for (int &one_wanted : wanted)   // x = 3 * (x + 1), four times
        one_wanted = 120;
    same("captured", host, wanted, n);
    CALL(cudaGraphExecDestroy(run));
    CALL(cudaGraphDestroy(graph));

    int value = 7, called = 0;
    cudaGraphNode_t clear, first, copy, last;
    CALL(cudaGraphCreate(&graph, 0));
    cudaMemsetParams zeros = {};
    zeros.dst = x, zeros.value = 0, zeros.elementSize = 4, zeros.width = n, zeros.height = 1, zeros.pitch = sizeof host;
    CALL(cudaGraphAddMemsetNode(&clear, graph, nullptr, 0, &zeros));
    void *arguments[] = {&x, &value};
    cudaKernelNodeParams kernel = {};
    kernel.func = (void *)add, kernel.gridDim = dim3(1), kernel.blockDim = dim3(n), kernel.kernelParams = arguments;
    CALL(cudaGraphAddKernelNode(&first, graph, &clear, 1, &kernel));
    value = -1;   // the parameters were copied
    CALL(cudaGraphAddMemcpyNode1D(&copy, graph, &first, 1, host, x, sizeof host, cudaMemcpyDeviceToHost));
    cudaHostNodeParams function = {};
    function.fn = count, function.userData = &called;
    CALL(cudaGraphAddHostNode(&last, graph, &copy, 1, &function));
    cudaGraphNodeType type;
    CALL(cudaGraphNodeGetType(first, &type));
    EXPECT(type == cudaGraphNodeTypeKernel);
    CALL(cudaGraphInstantiate(&run, graph, 0));
    for (int i = 0; i < 5; i++)
        CALL(cudaGraphLaunch(run, two));
    CALL(cudaStreamSynchronize(two));
    for (int &one_wanted : wanted)
        one_wanted = 7;
    same("made", host, wanted, n);
    printf("host node: %d\n", called);
    CALL(cudaGraphExecDestroy(run));
    CALL(cudaGraphDestroy(graph));
    return 0;
}
