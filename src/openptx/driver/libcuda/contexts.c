/* Contexts: which is current is known to each thread. */
#include "library.h"

enum { DEPTH = 64, CONTEXTS = 256 };
static struct {
    uint64_t handle;
    int error;
} contexts[CONTEXTS];
static __thread uint64_t current[DEPTH];
static __thread int depth;
static volatile int initialized, busy;

static int *error_of(uint64_t handle) {
    for (int i = 0; handle && i < CONTEXTS; i++)
        if (contexts[i].handle == handle) return &contexts[i].error;
    return NULL;
}

PUBLIC uint64_t openptx_driver_current(void) { return depth ? current[depth - 1] : 0; }

/* Makes a context known, with the error that its calls return from now on; Python knows how many there may be. */
PUBLIC int openptx_driver_context(uint64_t handle, int error) {
    int *known = error_of(handle);
    if (known) {
        *known = error;
        return 1;
    }
    for (int i = 0; i < CONTEXTS; i++)
        if (!contexts[i].handle) {
            contexts[i].error = error;
            contexts[i].handle = handle;
            return 1;
        }
    return 0;
}

PUBLIC void openptx_driver_forget(uint64_t handle) {
    for (int i = 0; i < CONTEXTS; i++)
        if (contexts[i].handle == handle) contexts[i].handle = 0;
}

PUBLIC void openptx_driver_initialized(void) { initialized = 1; }

int is_initialized(void) { return initialized; }

PUBLIC int openptx_driver_push(uint64_t handle) {
    if (depth == DEPTH) return 0;
    current[depth++] = handle;
    return 1;
}

PUBLIC uint64_t openptx_driver_pop(void) { return depth ? current[--depth] : 0; }

static int own_cuCtxGetCurrent(uint64_t *context) {
    if (!initialized) return NOT_INITIALIZED;
    if (!context) return INVALID_VALUE;
    *context = openptx_driver_current();
    return SUCCESS;
}

static int own_cuCtxSetCurrent(uint64_t context) {
    if (!initialized) return NOT_INITIALIZED;
    if (context && !error_of(context)) return INVALID_CONTEXT;
    if (depth) depth--;
    if (context) current[depth++] = context;
    return SUCCESS;
}

static int own_cuCtxPushCurrent(uint64_t context) {
    if (!initialized) return NOT_INITIALIZED;
    if (!error_of(context)) return INVALID_CONTEXT;
    return openptx_driver_push(context) ? SUCCESS : INVALID_VALUE;
}

static int own_cuCtxPopCurrent(uint64_t *context) {
    if (!initialized) return NOT_INITIALIZED;
    if (!depth) return INVALID_CONTEXT;
    uint64_t popped = openptx_driver_pop();
    if (context) *context = popped;
    return SUCCESS;
}

/* Whether streams have work left, which Python knows. */
PUBLIC void openptx_driver_busy(int now) { busy = now; }

static int own_cuCtxSynchronize(void) { /* otherwise whatever was begun has ended, in the thread that began it */
    if (!initialized) return NOT_INITIALIZED;
    if (busy) return ((int (*)(uint64_t))entries[INDEX_cuCtxSynchronize_v2].stub)(0);
    int *error = error_of(openptx_driver_current());
    return error ? *error : INVALID_CONTEXT;
}

void forget_contexts(void) { /* as with NVIDIA's driver: a context does not survive a fork */
    initialized = busy = 0;
    depth = 0;
}

void own_contexts(void) {
    OWN(cuCtxGetCurrent), OWN(cuCtxSetCurrent), OWN(cuCtxSynchronize);
    openptx_table[INDEX_cuCtxPushCurrent] = openptx_table[INDEX_cuCtxPushCurrent_v2] = (void *)own_cuCtxPushCurrent;
    openptx_table[INDEX_cuCtxPopCurrent] = openptx_table[INDEX_cuCtxPopCurrent_v2] = (void *)own_cuCtxPopCurrent;
    owned[INDEX_cuCtxPushCurrent] = owned[INDEX_cuCtxPushCurrent_v2] = 1;
    owned[INDEX_cuCtxPopCurrent] = owned[INDEX_cuCtxPopCurrent_v2] = 1;
}
