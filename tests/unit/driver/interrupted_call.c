/* Functions of C that call the driver when Ctrl-C has just arrived: Python sees it as its callback is entered. */
#include <dlfcn.h>
#include <signal.h>
#include <stddef.h>

typedef int (*allocate_t)(unsigned long long *, size_t);
typedef int (*count_t)(int *);

int allocate_interrupted(unsigned long long *place) {
    allocate_t allocate = (allocate_t)dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuMemAlloc_v2");
    allocate(place, 16); /* what its frame holds afterwards is the result of a call that succeeds */
    *place = 0;
    raise(SIGINT);
    return allocate(place, 16);
}

int count_interrupted(int *place) {
    count_t count = (count_t)dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuDeviceGetCount");
    raise(SIGINT);
    return count(place);
}
