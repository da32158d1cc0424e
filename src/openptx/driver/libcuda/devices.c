/* The device's attributes. They need no Python, so that a thread may ask for them while another one that holds Python's
   lock waits for it: Taichi's main thread waits for compilers that do. */
#include "library.h"

enum { INVALID_DEVICE = 101, ATTRIBUTES = 171 };
static int attributes[ATTRIBUTES];

/* Called by Python when the driver is initialized; attributes that are not set are 0. */
PUBLIC void openptx_driver_attribute(int number, int value) {
    if (0 < number && number < ATTRIBUTES) attributes[number] = value;
}

static int own_cuDeviceGetAttribute(int *value, int number, int device) {
    if (!is_initialized()) return NOT_INITIALIZED;
    if (device) return INVALID_DEVICE;
    if (!value || number < 1 || number >= ATTRIBUTES) return INVALID_VALUE;
    *value = attributes[number];
    return SUCCESS;
}

void own_devices(void) { OWN(cuDeviceGetAttribute); }
