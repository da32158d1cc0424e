// Conditional nodes of graphs: kernels decide whether a part runs, how often, and which; one in the body of another.
// device: sm_90
// nvcc: -rdc=true -lcudadevrt
// > while: 10 steps, again 10
// > if 1: then, if 0: else
// > switch: 100 101 102 0
// > nested: 12
// > a clone: cudaErrorNotSupported
#include "check.h"

__global__ void count_down(int *left, int *steps, cudaGraphConditionalHandle again)
{
    *steps += 1;
    cudaGraphSetConditional(again, --*left > 0);
}

__global__ void decide(const int *value, cudaGraphConditionalHandle condition) { cudaGraphSetConditional(condition, *value); }

__global__ void write(int *out, int value) { *out = value; }

static cudaGraphNode_t kernel(cudaGraph_t graph, cudaGraphNode_t after, void *function, void **arguments)
{
    cudaGraphNodeParams params = {};
    params.type = cudaGraphNodeTypeKernel;
    params.kernel.func = function;
    params.kernel.gridDim = params.kernel.blockDim = dim3(1);
    params.kernel.kernelParams = arguments;
    cudaGraphNode_t made;
#if CUDART_VERSION >= 13000
    CALL(cudaGraphAddNode(&made, graph, after ? &after : nullptr, nullptr, after != nullptr, &params));
#else
    CALL(cudaGraphAddNode(&made, graph, after ? &after : nullptr, after != nullptr, &params));
#endif
    return made;
}

static cudaGraphNode_t conditional(cudaGraph_t graph, cudaGraphNode_t after, cudaGraphConditionalHandle handle,
                                   cudaGraphConditionalNodeType type, unsigned size, cudaGraph_t *bodies)
{
    cudaGraphNodeParams params = {};
    params.type = cudaGraphNodeTypeConditional;
    params.conditional.handle = handle;
    params.conditional.type = type;
    params.conditional.size = size;
    cudaGraphNode_t made;
#if CUDART_VERSION >= 13000
    CALL(cudaGraphAddNode(&made, graph, after ? &after : nullptr, nullptr, after != nullptr, &params));
#else
    CALL(cudaGraphAddNode(&made, graph, after ? &after : nullptr, after != nullptr, &params));
#endif
    for (unsigned i = 0; i < size; i++)
        bodies[i] = params.conditional.phGraph_out[i];
    return made;
}

static void run(cudaGraph_t graph)
{
    cudaGraphExec_t ready;
    CALL(cudaGraphInstantiate(&ready, graph, 0));
    CALL(cudaGraphLaunch(ready, 0));
    CALL(cudaDeviceSynchronize());
    CALL(cudaGraphExecDestroy(ready));
}

int main()
{
    int *left, *steps, *value, *out;
    for (int **one : {&left, &steps, &value, &out})
        CALL(cudaMallocManaged(one, sizeof(int)));

    cudaGraph_t graph, body, bodies[3];
    cudaGraphConditionalHandle handle, inner;
    CALL(cudaGraphCreate(&graph, 0));
    CALL(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    conditional(graph, nullptr, handle, cudaGraphCondTypeWhile, 1, &body);
    void *counting[] = {&left, &steps, &handle};
    kernel(body, nullptr, (void *)count_down, counting);
    *left = 10, *steps = 0;
    run(graph);
    printf("while: %d steps", *steps);
    *left = 10, *steps = 0;
    run(graph);
    printf(", again %d\n", *steps);
    cudaGraph_t copy;
    cudaError_t cloned = cudaGraphClone(&copy, graph);
    CALL(cudaGraphDestroy(graph));

    CALL(cudaGraphCreate(&graph, 0));
    CALL(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
    void *deciding[] = {&value, &handle};
    cudaGraphNode_t decided = kernel(graph, nullptr, (void *)decide, deciding);
    conditional(graph, decided, handle, cudaGraphCondTypeIf, 2, bodies);
    for (int i = 0; i < 2; i++) {
        void *writing[] = {&out, &i};
        kernel(bodies[i], nullptr, (void *)write, writing);
    }
    for (int i = 1; i >= 0; i--) {
        *value = i;
        run(graph);
        printf("if %d: %s%s", i, *out ? "else" : "then", i ? ", " : "\n");
    }
    CALL(cudaGraphDestroy(graph));

    CALL(cudaGraphCreate(&graph, 0));
    CALL(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
    decided = kernel(graph, nullptr, (void *)decide, deciding);
    conditional(graph, decided, handle, cudaGraphCondTypeSwitch, 3, bodies);
    for (int i = 0; i < 3; i++) {
        int number = 100 + i;
        void *writing[] = {&out, &number};
        kernel(bodies[i], nullptr, (void *)write, writing);
    }
    printf("switch:");
    for (int i = 0; i < 4; i++) {
        *value = i, *out = 0;
        run(graph);
        printf(" %d", *out);
    }
    printf("\n");
    CALL(cudaGraphDestroy(graph));

    CALL(cudaGraphCreate(&graph, 0));               // three times: four steps
    CALL(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    conditional(graph, nullptr, handle, cudaGraphCondTypeWhile, 1, &body);
    CALL(cudaGraphConditionalHandleCreate(&inner, body, 1, cudaGraphCondAssignDefault));
    int four = 4, one = 1;
    void *refilling[] = {&left, &four}, *inside[] = {&left, &steps, &inner}, *again[] = {&value, &out, &handle};
    cudaGraphNode_t refilled = kernel(body, nullptr, (void *)write, refilling);
    int *flag;
    CALL(cudaMallocManaged(&flag, sizeof *flag));
    *flag = 1;
    void *setting[] = {&flag, &inner};
    cudaGraphNode_t set = kernel(body, refilled, (void *)decide, setting);
    cudaGraph_t loop;
    cudaGraphNode_t looped = conditional(body, set, inner, cudaGraphCondTypeWhile, 1, &loop);
    kernel(loop, nullptr, (void *)count_down, inside);
    kernel(body, looped, (void *)count_down, again);
    *value = 3, *steps = *out = 0;
    run(graph);
    printf("nested: %d\n", *steps * one);
    CALL(cudaGraphDestroy(graph));
    printf("a clone: %s\n", cudaGetErrorName(cloned));
    return 0;
}
