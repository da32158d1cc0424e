/* Links by the driver: its cuLink* functions, in the primary context of device 0, since nvJitLink needs none. */
#include "linking.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ANY = 10 };
enum { PTX = 1, LIBRARY = 4 }; /* CUjitInputType */
enum { MAX_REGISTERS = 0, ERROR_BUFFER = 5, ERROR_SIZE = 6 };

#define DRIVER(name) ((int (*)())dlsym(driver, #name))

/* The CUjitInputType of an input. Of any type, all but libraries go as PTX: OpenPTX's linker looks at the first bytes. */
static int driver_type(const struct input *one) {
    static const int types[] = {-1, 0, PTX, 5, 2, 3, LIBRARY};
    if (one->type != ANY) return types[one->type];
    return one->size > 7 && !memcmp(one->data, "!<arch>", 7) ? LIBRARY : PTX;
}

static int link_in_context(void *driver, struct link *link, struct input *first, int complete, const char *ptx,
                           size_t size) {
    void *state = NULL, *image = NULL;
    int options[] = {ERROR_BUFFER, ERROR_SIZE, MAX_REGISTERS};
    void *values[] = {link->log, (void *)(uintptr_t)LOG, (void *)(uintptr_t)link->registers};
    int result = DRIVER(cuLinkCreate_v2)(3, options, values, &state);
    if (!result && ptx)
        result = DRIVER(cuLinkAddData_v2)(state, PTX, (void *)ptx, size, "<LTO IR>", 0, NULL, NULL);
    for (struct input *one = first; one && !result; one = one->next)
        result = DRIVER(cuLinkAddData_v2)(state, driver_type(one), one->data, one->size, one->name, 0, NULL, NULL);
    if (!result && complete) result = DRIVER(cuLinkComplete)(state, &image, &link->size);
    if (image && (link->linked = malloc(link->size))) memcpy(link->linked, image, link->size);
    if (state) DRIVER(cuLinkDestroy)(state);
    return result;
}

static int run(struct link *link, struct input *first, int complete, const char *ptx, size_t size) {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW), *context = NULL, *popped = NULL;
    if (!driver) return snprintf(link->log, LOG, "the driver cannot be loaded: %s", dlerror()), INTERNAL_ERROR;
    int result = DRIVER(cuInit)(0);
    if (!result) result = DRIVER(cuDevicePrimaryCtxRetain)(&context, 0);
    if (!result) result = DRIVER(cuCtxPushCurrent_v2)(context);
    if (!result) {
        result = link_in_context(driver, link, first, complete, ptx, size);
        DRIVER(cuCtxPopCurrent_v2)(&popped);
    }
    if (context) DRIVER(cuDevicePrimaryCtxRelease_v2)(0);
    if (result && !*link->log) snprintf(link->log, LOG, "the driver's linker returned %d", result);
    return result ? PTX_COMPILE : SUCCESS;
}

int check_by_driver(struct link *link, struct input *one) { return run(link, one, 0, NULL, 0); }

int link_by_driver(struct link *link, const char *ptx, size_t size) { return run(link, link->inputs, 1, ptx, size); }
