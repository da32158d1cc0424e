// Loads the library that argument 1 names three times; its variable begins anew each time. Objects with static lifetime
// allocate before main and free after it.
#include "../check.h"
#include <dlfcn.h>

static struct Early {
    int *sum;
    Early() { CALL(cudaMalloc(&sum, sizeof(int))); }
    ~Early() { printf("freed: %s\n", cudaGetErrorName(cudaFree(sum))); }
} early;

int main(int, char **arguments)
{
    int sum;
    CALL(cudaMemset(early.sum, 0, sizeof sum));
    for (int round = 0; round < 3; round++) {
        void *library = dlopen(arguments[1], RTLD_NOW);
        int (*add_twice)(int *) = (int (*)(int *))dlsym(library, "add_twice");
        CALL((cudaError_t)add_twice(early.sum));
        CALL(cudaMemcpy(&sum, early.sum, sizeof sum, cudaMemcpyDeviceToHost));
        printf("%d\n", sum);
        dlclose(library);
    }
    return 0;
}
