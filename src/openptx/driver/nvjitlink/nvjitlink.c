/* libnvJitLink.so.12 and .13 of OpenPTX: NVIDIA's linker, which OPENPTX_NVJITLINK_12 or _13 names, but for its machine
   code: what is linked of LTO IR is PTX.

   Libraries that were linked with NVIDIA's (cuSPARSE, cuSOLVER) find each function, in the version that they ask for.
   `dlsym` finds the functions of a release (`__nvJitLinkCreate_12_9`), but not those without one: numba and cuda.core
   take the library for too old, then, and link by the driver, which takes PTX. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PUBLIC __attribute__((visibility("default")))
#define TEXT(x) #x
#define NUMBER(x) TEXT(x)
#define SONAME "libnvJitLink.so." NUMBER(OPENPTX_NVJITLINK)
#define VARIABLE "OPENPTX_NVJITLINK_" NUMBER(OPENPTX_NVJITLINK)

typedef uint64_t Word; /* what a register passes: an integer, or a pointer */
typedef Word Forwarded(Word, Word, Word, Word, Word, Word);
enum { INTERNAL_ERROR = 6 };

#define FUNCTION(name) INDEX_##name,
enum {
#include "functions.def"
    INDEX___nvJitLinkAPI, INDEX_nvJitLinkVersion, COUNT
};
#undef FUNCTION
#define FUNCTION(name) #name,
static const char *const names[COUNT] = {
#include "functions.def"
    "__nvJitLinkAPI", "nvJitLinkVersion"
};
#undef FUNCTION

static Forwarded *functions[COUNT];

/* Whether a loaded library is NVIDIA's: it has our name, and is not us. */
static int is_other(struct dl_phdr_info *one, size_t size, void *found) {
    const char *name = strrchr(one->dlpi_name, '/');
    Dl_info own;
    (void)size;
    if (!name || strcmp(name + 1, SONAME) || !dladdr(functions, &own) || !strcmp(own.dli_fname, one->dlpi_name)) return 0;
    *(char **)found = strdup(one->dlpi_name);
    return 1;
}

static void find_functions(void) {
    char *named = getenv(VARIABLE), *path = named && *named ? named : NULL;
    if (!path) dl_iterate_phdr(is_other, &path);
    void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library) {
        const char *why = path ? dlerror() : "it is not set";
        fprintf(stderr, "openptx: " VARIABLE " does not name NVIDIA's " SONAME ", which links LTO IR: %s\n", why);
        return;
    }
    for (int i = 0; i < COUNT; i++) functions[i] = (Forwarded *)dlsym(library, names[i]);
}

static Word call(int index, Word a, Word b, Word c, Word d, Word e, Word f) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_functions);
    return functions[index] ? functions[index](a, b, c, d, e, f) : INTERNAL_ERROR;
}

/* Calls that change on the way: `-ptx` is added where LTO IR is linked, and the PTX stands for machine code. */
static Word create(Word handle, Word count, Word options) {
    const char **given = (const char **)options, **more = malloc(((uint32_t)count + 1) * sizeof *more);
    uint32_t total = (uint32_t)count;
    if (!more) return INTERNAL_ERROR;
    for (uint32_t i = 0; given && i < (uint32_t)count; i++) {
        more[i] = given[i];
        if (given[i] && (!strcmp(given[i], "-lto") || !strcmp(given[i], "-dlto"))) total = (uint32_t)count + 1;
    }
    for (uint32_t i = 0; given && i < (uint32_t)count; i++)
        if (given[i] && !strcmp(given[i], "-ptx")) total = (uint32_t)count;
    more[count] = "-ptx";
    Word result = call(INDEX_nvJitLinkCreate, handle, total, given ? (Word)more : 0, 0, 0, 0);
    free(more);
    return result;
}

static size_t bytes_of_ptx(Word handle) {
    size_t size = 0;
    return (int)call(INDEX_nvJitLinkGetLinkedPtxSize, handle, (Word)&size, 0, 0, 0, 0) ? 0 : size;
}

static Word changed(int index, Word a, Word b, Word c, Word d, Word e, Word f) {
    if (index == INDEX_nvJitLinkCreate) return create(a, b, c);
    if (index == INDEX_nvJitLinkGetLinkedCubinSize && bytes_of_ptx(a)) index = INDEX_nvJitLinkGetLinkedPtxSize;
    if (index == INDEX_nvJitLinkGetLinkedCubin && bytes_of_ptx(a)) index = INDEX_nvJitLinkGetLinkedPtx;
    return call(index, a, b, c, d, e, f);
}

/* A function, and its name without a release, which only libraries that were linked with NVIDIA's find. */
#define UNFOUND(name)                                                                                                  \
    PUBLIC Word forward_##name(Word a, Word b, Word c, Word d, Word e, Word f) {                                       \
        return changed(INDEX_##name, a, b, c, d, e, f);                                                                \
    }                                                                                                                  \
    __asm__(".symver forward_" #name ", " #name "@" SONAME);
#define RELEASE(name, minor) RELEASE_OF(name, OPENPTX_NVJITLINK, minor)
#define RELEASE_OF(name, major, minor) RELEASE_NAMED(name, major, minor)
#define RELEASE_NAMED(name, major, minor)                                                                              \
    PUBLIC __typeof(forward_##name) __##name##_##major##_##minor __attribute__((alias("forward_" #name)));
#define FUNCTION(name)                                                                                                 \
    UNFOUND(name)                                                                                                      \
    RELEASE(name, 0) RELEASE(name, 1) RELEASE(name, 2) RELEASE(name, 3) RELEASE(name, 4) RELEASE(name, 5)              \
    RELEASE(name, 6) RELEASE(name, 7) RELEASE(name, 8) RELEASE(name, 9) RELEASE(name, 10) RELEASE(name, 11)
#include "functions.def"
UNFOUND(nvJitLinkVersion)

PUBLIC Word __nvJitLinkAPI(Word a, Word b, Word c, Word d, Word e, Word f) {
    return call(INDEX___nvJitLinkAPI, a, b, c, d, e, f);
}
