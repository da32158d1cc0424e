// Two processes share memory and an event by handles: the child is forked before either calls CUDA.
// > child: 256 as on the host
// > parent: 256 as on the host
// > in its own process: cudaErrorDeviceUninitialized
#include "check.h"
#include <sys/wait.h>
#include <unistd.h>

__global__ void add(int *x, int n, int by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] += by;
}

struct Message {
    cudaIpcMemHandle_t memory;
    cudaIpcEventHandle_t event;
};

const int N = 256;

static void child(int from)
{
    Message message;
    EXPECT(read(from, &message, sizeof message) == sizeof message);
    int *shared, got[N], wanted[N];
    cudaEvent_t event;
    CALL(cudaIpcOpenMemHandle((void **)&shared, message.memory, cudaIpcMemLazyEnablePeerAccess));
    CALL(cudaIpcOpenEventHandle(&event, message.event));
    CALL(cudaStreamWaitEvent(0, event, 0));
    CALL(cudaMemcpy(got, shared, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        wanted[i] = i + 5;
    same("child", got, wanted, N);
    add<<<2, 128>>>(shared, N, 100);
    LAUNCHED();
    CALL(cudaDeviceSynchronize());
    CALL(cudaEventRecord(event));
    CALL(cudaIpcCloseMemHandle(shared));
    fflush(stdout);
    _exit(0);
}

int main()
{
    int ends[2], status, x[N], wanted[N], *there, *other;
    EXPECT(pipe(ends) == 0);
    pid_t process = fork();
    if (!process)
        child(ends[0]);
    Message message;
    cudaEvent_t event;
    for (int i = 0; i < N; i++)
        x[i] = i, wanted[i] = i + 105;
    CALL(cudaMalloc(&there, sizeof x));
    CALL(cudaMemcpy(there, x, sizeof x, cudaMemcpyHostToDevice));
    CALL(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventInterprocess));
    CALL(cudaIpcGetMemHandle(&message.memory, there));
    CALL(cudaIpcGetEventHandle(&message.event, event));
    add<<<2, 128>>>(there, N, 5);
    LAUNCHED();
    CALL(cudaEventRecord(event));
    CALL(cudaEventSynchronize(event));
    EXPECT(write(ends[1], &message, sizeof message) == sizeof message);
    EXPECT(waitpid(process, &status, 0) == process && status == 0);
    CALL(cudaMemcpy(x, there, sizeof x, cudaMemcpyDeviceToHost));
    same("parent", x, wanted, N);
    cudaError_t own = cudaIpcOpenMemHandle((void **)&other, message.memory, cudaIpcMemLazyEnablePeerAccess);
    printf("in its own process: %s\n", cudaGetErrorName(own));
    return 0;
}
