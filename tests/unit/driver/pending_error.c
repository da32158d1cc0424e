/* A function of C that calls the driver with an exception of Python pending, as destructors do that run after an error. */
#include <dlfcn.h>
#include <stddef.h>

typedef int (*count_t)(int *);
typedef int (*launch_t)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                        void **);

/* Sets a ValueError, asks for the number of devices, launches a kernel of one thread; the exception is left pending. The
   interpreter's lock may be released meanwhile. */
void *pending(int *results, void *kernel, void **parameters, int released) {
    void *all = dlopen(NULL, RTLD_NOW), *driver = dlopen("libcuda.so.1", RTLD_NOW);
    void (*set)(void *, const char *) = (void (*)(void *, const char *))dlsym(all, "PyErr_SetString");
    void **type = (void **)dlsym(all, "PyExc_ValueError");
    void *(*save)(void) = (void *(*)(void))dlsym(all, "PyEval_SaveThread");
    void (*restore)(void *) = (void (*)(void *))dlsym(all, "PyEval_RestoreThread");
    set(*type, "the program's own");
    void *state = released ? save() : NULL;
    results[0] = ((count_t)dlsym(driver, "cuDeviceGetCount"))(&results[1]);
    results[2] = ((launch_t)dlsym(driver, "cuLaunchKernel"))(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL);
    if (released) restore(state);
    return NULL;
}
