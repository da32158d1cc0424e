/* Functions of C that call the driver when Ctrl-C has just arrived: Python sees it as its callback is entered. */
#include <dlfcn.h>
#include <signal.h>
#include <stddef.h>

typedef int (*allocate_t)(unsigned long long *, size_t);
typedef int (*total_t)(unsigned long *, int);

int allocate_interrupted(unsigned long long *place) {
    allocate_t allocate = (allocate_t)dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuMemAlloc_v2");
    allocate(place, 16); /* what its frame holds afterwards is the result of a call that succeeds */
    *place = 0;
    raise(SIGINT);
    return allocate(place, 16);
}

int total_interrupted(unsigned long *place) {
    total_t total = (total_t)dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuDeviceTotalMem_v2");
    raise(SIGINT);
    return total(place, 0);
}
