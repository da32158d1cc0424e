/* Where functions of the driver lie, for programs that ask by name. */
#include "library.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* What the driver behind this library gives; a function of which the recorder must know is the stub of this library. */
static int recorded_address(const char *name, void **function, int version, uint64_t flags, int *status, int index) {
    enum { PER_THREAD = 2 };
    int (*ask)(const char *, void **, int, uint64_t, int *) =
        (int (*)(const char *, void **, int, uint64_t, int *))real[INDEX_cuGetProcAddress_v2];
    int (*ask_first)(const char *, void **, int, uint64_t) =
        (int (*)(const char *, void **, int, uint64_t))real[INDEX_cuGetProcAddress];
    int result = ask ? ask(name, function, version, flags, status)
                     : ask_first ? ask_first(name, function, version, flags) : NOT_FOUND;
    if (result != SUCCESS || !*function || index < 0) return result;
    if (!openptx_callbacks[index] && !owned[index]) return result;
    void *stub = entries[index].stub;
    for (int i = 0; flags & PER_THREAD && i < SLOTS - COUNT; i++)
        if (aliases[i].index == index) stub = aliases[i].stub;
    *function = stub;
    return result;
}

static int own_cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags, int *status) {
    const struct entry *best = NULL;
    int known = 0, newest = driver_version();
    if (!name || !function) return INVALID_VALUE;
    for (int i = 0; i < COUNT; i++) {
        if (entries[i].since > newest) newest = entries[i].since; /* functions of later releases are there as well */
        if (!strcmp(entries[i].stem, name)) {
            known = 1;
            if (entries[i].since <= version && (!best || entries[i].since >= best->since)) best = &entries[i];
        }
    }
    if (OPENPTX_RECORDER) return recorded_address(name, function, version, flags, status, best ? (int)(best - entries) : -1);
    if (version > newest) return INVALID_VALUE; /* cuda.h: "greater than the driver version" */
    *function = best ? best->stub : NULL;
    if (status) *status = best ? 0 : known ? 2 : 1; /* found, version not sufficient, symbol not found */
    return SUCCESS; /* also for what is not found: programs then look for the symbol itself */
}

static int own_cuGetProcAddress(const char *name, void **function, int version, uint64_t flags) {
    int result = own_cuGetProcAddress_v2(name, function, version, flags, NULL);
    return result == SUCCESS && !*function ? NOT_FOUND : result;
}

/* Whether a library that asks for export tables works without them: NVIDIA's linker and compiler do. */
static int does_without(const char *file) {
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    return !strncmp(name, "libnvJitLink.so", sizeof "libnvJitLink.so" - 1) ||
           !strncmp(name, "libnvrtc.so", sizeof "libnvrtc.so" - 1);
}

static int own_cuGetExportTable(const void **table, const void *id) {
    static char told;
    Dl_info caller;
    const char *file = dladdr(__builtin_return_address(0), &caller) && caller.dli_fname ? caller.dli_fname : "this program";
    (void)id;
    if (table) *table = NULL;
    if (!does_without(file) && !__atomic_exchange_n(&told, 1, __ATOMIC_RELAXED))
        fprintf(stderr,
                "openptx: %s holds a copy of NVIDIA's CUDA runtime, which runs on NVIDIA's driver alone: it asks\n"
                "openptx: the driver by export tables to prove that it is NVIDIA's, and OpenPTX does not answer that.\n"
                "openptx: Compile the program with `nvcc -cudart shared`: it then finds the libcudart.so of OpenPTX.\n", file);
    return NOT_FOUND;
}

void own_addresses(void) {
    OWN(cuGetProcAddress), OWN(cuGetProcAddress_v2), OWN(cuGetExportTable);
}
