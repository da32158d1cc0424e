#define _GNU_SOURCE
#include "driver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static struct Driver functions;
static void *library;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int absent(void) { return NOT_SUPPORTED; }

void *driver_function(const char *name)
{
    void *found = dlsym(library, name);
    if (!found)
        fprintf(stderr, "openptx: libcuda.so.1 has no %s\n", name);
    return found ? found : (void *)absent;
}

static void load(void)
{
    library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
        fprintf(stderr, "openptx: %s; start the program with: openptx exec -- PROGRAM\n", dlerror());
        return;
    }
#define DRIVER(name, parameters) functions.name = (int (*) parameters)driver_function(#name);
#include "driver.def"
#undef DRIVER
}

const struct Driver *driver(void)
{
    pthread_once(&once, load);
    return library ? &functions : NULL;
}
