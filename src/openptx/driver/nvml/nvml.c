/* libnvidia-ml.so.1 of OpenPTX: how many devices there are, their names, compute capabilities, memory and addresses on
   the bus, and the driver's version. A program that counts devices by it, as cuda.core, PyTorch and Mojo do, finds
   those of libcuda.so.1 and not those of the computer. Temperatures, clocks and their like are not supported; all else
   has no functions here: NVML's clients look each one up and say which is missing. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define PUBLIC __attribute__((visibility("default")))

enum { SUCCESS = 0, UNINITIALIZED = 1, INVALID_ARGUMENT = 2, NOT_SUPPORTED = 3, NOT_FOUND = 6, INSUFFICIENT_SIZE = 7,
       DRIVER_NOT_LOADED = 9, FUNCTION_NOT_FOUND = 13 };
enum { BUS = 33, DEVICE = 34, DOMAIN = 50, MAJOR = 75, MINOR = 76 }; /* CU_DEVICE_ATTRIBUTE_PCI_..., ...CAPABILITY_... */

static struct {
    int (*version)(int *);
    int (*count)(int *);
    int (*device)(int *, int);
    int (*name)(char *, int, int);
    int (*attribute)(int *, int, int);
    int (*total)(size_t *, int);
    int (*memory)(size_t *, size_t *);
    int (*context)(void **);
    int (*uuid)(unsigned char *, int);
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
    driver.total = (int (*)(size_t *, int))dlsym(library, "cuDeviceTotalMem_v2");
    driver.memory = (int (*)(size_t *, size_t *))dlsym(library, "cuMemGetInfo_v2");
    driver.context = (int (*)(void **))dlsym(library, "cuCtxGetCurrent");
    driver.uuid = (int (*)(unsigned char *, int))dlsym(library, "cuDeviceGetUuid_v2");
    if (!driver.version || !driver.count || !driver.device || !driver.name || !driver.attribute || !driver.total ||
        !driver.memory || !driver.context || !driver.uuid)
        return DRIVER_NOT_LOADED;
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

static int text(char *into, unsigned length, const char *whole) {
    return (unsigned)snprintf(into, length, "%s", whole) < length ? SUCCESS : INSUFFICIENT_SIZE;
}

/* The first driver for all CUDA releases of the major version that the driver has. */
PUBLIC int nvmlSystemGetDriverVersion(char *version, unsigned length) {
    int cuda, why = refused(version);
    if (!why) why = nvmlSystemGetCudaDriverVersion(&cuda);
    return why ? why : text(version, length, cuda >= 13000 ? "580.65.06" : "525.60.13");
}

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
    return text(name, length, whole);
}

PUBLIC int nvmlDeviceGetUUID(void *handle, char *uuid, unsigned length) {
    unsigned char u[16];
    char whole[48];
    int device, why = device_of(handle, uuid, &device);
    if (why) return why;
    if (driver.uuid(u, device)) return DRIVER_NOT_LOADED;
    snprintf(whole, sizeof whole, "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", u[0], u[1], u[2],
             u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13], u[14], u[15]);
    return text(uuid, length, whole);
}

struct pci { /* nvmlPciInfo_t */
    char legacy[16];
    unsigned domain, bus, device, device_id, subsystem_id;
    char id[32];
};

PUBLIC int nvmlDeviceGetPciInfo_v3(void *handle, struct pci *pci) {
    int device, domain, bus, slot, why = device_of(handle, pci, &device);
    if (why) return why;
    if (driver.attribute(&domain, DOMAIN, device) || driver.attribute(&bus, BUS, device) ||
        driver.attribute(&slot, DEVICE, device))
        return DRIVER_NOT_LOADED;
    memset(pci, 0, sizeof *pci);
    pci->domain = (unsigned)domain, pci->bus = (unsigned)bus, pci->device = (unsigned)slot;
    snprintf(pci->legacy, sizeof pci->legacy, "%04X:%02X:%02X.0", pci->domain & 0xffff, pci->bus & 0xff, pci->device & 0xff);
    snprintf(pci->id, sizeof pci->id, "%08X:%02X:%02X.0", pci->domain, pci->bus & 0xff, pci->device & 0xff);
    return SUCCESS;
}

/* The first two versions end after the device's number, and after that of the subsystem. */
static int pci_prefix(void *handle, void *into, size_t bytes) {
    struct pci whole;
    int why = refused(into);
    if (!why) why = nvmlDeviceGetPciInfo_v3(handle, &whole);
    if (!why) memcpy(into, &whole, bytes);
    return why;
}

PUBLIC int nvmlDeviceGetPciInfo(void *handle, void *pci) { return pci_prefix(handle, pci, offsetof(struct pci, subsystem_id)); }
PUBLIC int nvmlDeviceGetPciInfo_v2(void *handle, void *pci) { return pci_prefix(handle, pci, offsetof(struct pci, id)); }

struct memory { /* nvmlMemory_t */
    unsigned long long total, free, used;
};

/* What is free is known to a thread with a context; without one nothing is in use. */
PUBLIC int nvmlDeviceGetMemoryInfo(void *handle, struct memory *memory) {
    size_t total, available;
    void *context = NULL;
    int device, why = device_of(handle, memory, &device);
    if (why) return why;
    if (driver.total(&total, device)) return DRIVER_NOT_LOADED;
    available = total;
    if (!driver.context(&context) && context && driver.memory(&available, &total)) return DRIVER_NOT_LOADED;
    memory->total = total, memory->free = available, memory->used = total - available;
    return SUCCESS;
}

/* What no device here has, under names that Mojo and hashcat want to find before they call any. */
static int unsupported(void *handle) {
    int device, why = device_of(handle, &device, &device);
    return why ? why : NOT_SUPPORTED;
}

#define UNSUPPORTED(name) \
    PUBLIC int name(void *handle) { return unsupported(handle); }

UNSUPPORTED(nvmlDeviceGetMigMode)
UNSUPPORTED(nvmlDeviceGetTotalEccErrors)
UNSUPPORTED(nvmlDeviceGetCurrentClocksThrottleReasons)
UNSUPPORTED(nvmlDeviceGetSupportedClocksThrottleReasons)
UNSUPPORTED(nvmlDeviceGetComputeRunningProcesses_v3)
UNSUPPORTED(nvmlDeviceGetTemperature)
UNSUPPORTED(nvmlDeviceGetTemperatureThreshold)
UNSUPPORTED(nvmlDeviceGetFanSpeed)
UNSUPPORTED(nvmlDeviceGetUtilizationRates)
UNSUPPORTED(nvmlDeviceGetClockInfo)
UNSUPPORTED(nvmlDeviceGetCurrPcieLinkGeneration)
UNSUPPORTED(nvmlDeviceGetCurrPcieLinkWidth)

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
    case NOT_SUPPORTED: return "Not Supported";
    case NOT_FOUND: return "Not Found";
    case INSUFFICIENT_SIZE: return "Insufficient Size";
    case DRIVER_NOT_LOADED: return "Driver Not Loaded";
    case FUNCTION_NOT_FOUND: return "Function Not Found";
    default: return "Unknown Error";
    }
}
