/* The device's name and attributes. They need no Python, so that a thread may ask for them while another one that holds
   Python's lock waits for it: Taichi's main thread waits for compilers that do. */
#include "library.h"
#include <stdio.h>

enum { INVALID_DEVICE = 101, ATTRIBUTES = 171, MAJOR = 75, MINOR = 76 };
static int attributes[ATTRIBUTES];

/* Called by Python when the driver is initialized; attributes that are not set are 0. */
PUBLIC void openptx_driver_attribute(int number, int value) {
    if (0 < number && number < ATTRIBUTES) attributes[number] = value;
}

/* Why a question about a device cannot be answered, `out` being where the answer goes. */
static int refusal(const void *out, int device) {
    if (!is_initialized()) return NOT_INITIALIZED;
    if (device) return INVALID_DEVICE;
    return out ? SUCCESS : INVALID_VALUE;
}

static int own_cuDeviceGetAttribute(int *value, int number, int device) {
    int refused = refusal(value, device);
    if (refused) return refused;
    if (number < 1 || number >= ATTRIBUTES) return INVALID_VALUE;
    *value = attributes[number];
    return SUCCESS;
}

static int own_cuDeviceGetCount(int *count) {
    int refused = refusal(count, 0);
    if (!refused) *count = 1;
    return refused;
}

static int own_cuDeviceGet(int *device, int ordinal) {
    int refused = refusal(device, ordinal);
    if (!refused) *device = 0;
    return refused;
}

static int own_cuDeviceComputeCapability(int *major, int *minor, int device) {
    int refused = refusal(major && minor ? major : NULL, device);
    if (refused) return refused;
    *major = attributes[MAJOR];
    *minor = attributes[MINOR];
    return SUCCESS;
}

/* LuisaCompute logs it after the interpreter's end. */
static int own_cuDeviceGetName(char *name, int length, int device) {
    int refused = refusal(length > 0 ? name : NULL, device);
    if (!refused) snprintf(name, length, "OpenPTX sm_%d%d", attributes[MAJOR], attributes[MINOR]);
    return refused;
}

void own_devices(void) {
    OWN(cuDeviceGetAttribute), OWN(cuDeviceGetCount), OWN(cuDeviceGet);
    OWN(cuDeviceComputeCapability), OWN(cuDeviceGetName);
}
