// Processes: one that forks before its first call, and a child of one that has called, which can not go on using CUDA.
// > child: 100 as on the host
// > parent: 100 as on the host
// > child of a parent with a context: cudaErrorInitializationError
// > parent again: 100 as on the host
#include "check.h"
#include <sys/wait.h>
#include <unistd.h>

__global__ void cube(long long *x) { x[threadIdx.x] *= x[threadIdx.x] * x[threadIdx.x]; }

static void run(const char *what)
{
    long long *x, host[100], wanted[100];
    for (int i = 0; i < 100; i++) {
        host[i] = i - 50 + getpid() % 2;
        wanted[i] = host[i] * host[i] * host[i];
    }
    CALL(cudaMalloc(&x, sizeof host));
    CALL(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));
    cube<<<1, 100>>>(x);
    LAUNCHED();
    CALL(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
    same(what, host, wanted, 100);
    CALL(cudaFree(x));
    fflush(stdout);
}

static void wait_for(pid_t child)
{
    int status;
    EXPECT(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main()
{
    pid_t child = fork();
    if (!child) {
        run("child");
        return 0;
    }
    wait_for(child);
    run("parent");
    child = fork();
    if (!child) {
        void *x;
        printf("child of a parent with a context: %s\n", cudaGetErrorName(cudaMalloc(&x, 4)));
        return 0;
    }
    wait_for(child);
    run("parent again");
    return 0;
}
