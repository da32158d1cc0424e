/* The functions of libcuda.so.1, found when the first is called. */
#pragma once

#include "runtime.h"

typedef struct {                            /* CUlaunchConfig */
    Dim3 grid, block;
    unsigned shared;
    Handle stream;
    void *attributes;
    unsigned count;
} DriverLaunch;

typedef struct {                            /* CUDA_ARRAY3D_DESCRIPTOR */
    size_t width, height, depth;
    int format;
    unsigned channels, flags;
} ArrayDescriptor;

typedef struct {                            /* CUDA_KERNEL_NODE_PARAMS_v2 */
    Handle function;
    Dim3 grid, block;
    unsigned shared;
    void **parameters, **extra;
    Handle kernel, context;
} DriverKernelNode;

struct Driver {
#define DRIVER(name, parameters) int (*name) parameters;
#include "driver.def"
#undef DRIVER
};

/* The functions; those that the library lacks give CUDA_ERROR_NOT_SUPPORTED. Null where there is no library. */
const struct Driver *driver(void);

/* A function by its name, for tables; never null once `driver()` was not. */
void *driver_function(const char *name);
