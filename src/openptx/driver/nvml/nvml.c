/* libnvidia-ml.so.1 of OpenPTX: how many devices there are, their names and compute capabilities, and the driver's
   version. A program that counts devices by it, as cuda.core and PyTorch do, finds those of libcuda.so.1 and not those
   of the computer. Clocks, temperatures, processes and all else have no functions here: NVML's clients look each one up
   and say which is missing. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

#define PUBLIC __attribute__((visibility("default")))

enum { SUCCESS = 0, UNINITIALIZED = 1, INVALID_ARGUMENT = 2, NOT_FOUND = 6, INSUFFICIENT_SIZE = 7,
       DRIVER_NOT_LOADED = 9, FUNCTION_NOT_FOUND = 13 };
enum { MAJOR = 75, MINOR = 76 }; /* CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_... */

static struct {
    int (*version)(int *);
    int (*count)(int *);
    int (*device)(int *, int);
    int (*name)(char *, int, int);
    int (*attribute)(int *, int, int);
} driver;
static int initialized;

PUBLIC int nvmlInit_v2(void) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    int (*start)(unsigned) = library ? (int (*)(unsigned))dlsym(library, "cuInit") : NULL;
    if (!start || start(0)) return DRIVER_NOT_LOADED;
    driver.version = (int (*)(int *))dlsym(library, "cuDriverGetVersion");
    driver.count = (int (*)(int *))dlsym(library, "cuDeviceGetCount");
    driver.device = (int (*)(int *, int))dlsym(library, "cuDeviceGet");
    driver.name = (int (*)(char *, int, int))dlsym(library, "cuDeviceGetName");
    driver.attribute = (int (*)(int *, int, int))dlsym(library, "cuDeviceGetAttribute");
    if (!driver.version || !driver.count || !driver.device || !driver.name || !driver.attribute) return DRIVER_NOT_LOADED;
    __atomic_add_fetch(&initialized, 1, __ATOMIC_ACQ_REL);
    return SUCCESS;
}

PUBLIC int nvmlInit(void) { return nvmlInit_v2(); }
PUBLIC int nvmlInitWithFlags(unsigned flags) { return (void)flags, nvmlInit_v2(); }

PUBLIC int nvmlShutdown(void) {
    if (__atomic_load_n(&initialized, __ATOMIC_ACQUIRE) <= 0) return UNINITIALIZED;
    __atomic_sub_fetch(&initialized, 1, __ATOMIC_ACQ_REL);
    return SUCCESS;
}

/* Why a call that puts something there fails before it begins, or 0. */
static int refused(const void *into) {
    if (__atomic_load_n(&initialized, __ATOMIC_ACQUIRE) <= 0) return UNINITIALIZED;
    return into ? SUCCESS : INVALID_ARGUMENT;
}

PUBLIC int nvmlSystemGetCudaDriverVersion(int *version) {
    int why = refused(version);
    return why ? why : driver.version(version) ? DRIVER_NOT_LOADED : SUCCESS;
}

PUBLIC int nvmlSystemGetCudaDriverVersion_v2(int *version) { return nvmlSystemGetCudaDriverVersion(version); }

PUBLIC int nvmlDeviceGetCount_v2(unsigned *count) {
    int why = refused(count);
    return why ? why : driver.count((int *)count) ? DRIVER_NOT_LOADED : SUCCESS;
}

PUBLIC int nvmlDeviceGetCount(unsigned *count) { return nvmlDeviceGetCount_v2(count); }

/* A handle is the number of its device, and one: null is none. */
PUBLIC int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **handle) {
    unsigned count;
    int why = refused(handle);
    if (!why) why = nvmlDeviceGetCount_v2(&count);
    if (why || index >= count) return why ? why : INVALID_ARGUMENT;
    *handle = (void *)((size_t)index + 1);
    return SUCCESS;
}

PUBLIC int nvmlDeviceGetHandleByIndex(unsigned index, void **handle) {
    return nvmlDeviceGetHandleByIndex_v2(index, handle);
}

/* The driver's device of a handle. */
static int device_of(void *handle, const void *into, int *device) {
    int why = refused(into);
    if (why) return why;
    return handle && !driver.device(device, (int)((size_t)handle - 1)) ? SUCCESS : INVALID_ARGUMENT;
}

PUBLIC int nvmlDeviceGetIndex(void *handle, unsigned *index) { return device_of(handle, index, (int *)index); }

PUBLIC int nvmlDeviceGetName(void *handle, char *name, unsigned length) {
    char whole[96];
    int device, why = device_of(handle, name, &device);
    if (why) return why;
    if (driver.name(whole, sizeof whole, device)) return DRIVER_NOT_LOADED;
    return (unsigned)snprintf(name, length, "%s", whole) < length ? SUCCESS : INSUFFICIENT_SIZE;
}

PUBLIC int nvmlDeviceGetCudaComputeCapability(void *handle, int *major, int *minor) {
    int device, why = device_of(handle, major && minor ? major : NULL, &device);
    if (why) return why;
    return driver.attribute(major, MAJOR, device) || driver.attribute(minor, MINOR, device) ? DRIVER_NOT_LOADED : SUCCESS;
}

PUBLIC const char *nvmlErrorString(int result) {
    switch (result) {
    case SUCCESS: return "Success";
    case UNINITIALIZED: return "Uninitialized";
    case INVALID_ARGUMENT: return "Invalid Argument";
    case 3: return "Not Supported";
    case NOT_FOUND: return "Not Found";
    case INSUFFICIENT_SIZE: return "Insufficient Size";
    case DRIVER_NOT_LOADED: return "Driver Not Loaded";
    case FUNCTION_NOT_FOUND: return "Function Not Found";
    default: return "Unknown Error";
    }
}
