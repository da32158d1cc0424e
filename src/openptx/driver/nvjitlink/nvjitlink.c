/* libnvJitLink.so.12 and .13 of OpenPTX. NVIDIA's linker, which OPENPTX_NVJITLINK_12 or _13 names, links LTO IR, to PTX
   instead of machine code; everything else is linked by the driver.

   With OPENPTX_HIDDEN this library stands for one that is not installed. Libraries that were linked with NVIDIA's
   (cuSPARSE, cuSOLVER) find each function, in the version that they ask for. `dlsym` finds the functions of a release
   (`__nvJitLinkCreate_12_9`), but not those without one: numba and cuda.core say that there is no nvJitLink, then, and
   link by the driver. */
#include "linking.h"
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PUBLIC __attribute__((visibility("default")))
#define TEXT(x) #x
#define NUMBER(x) TEXT(x)
#define SONAME "libnvJitLink.so." NUMBER(OPENPTX_NVJITLINK)
#define VARIABLE "OPENPTX_NVJITLINK_" NUMBER(OPENPTX_NVJITLINK)
#define PACKAGE (OPENPTX_NVJITLINK == 12 ? "nvidia-nvjitlink-cu12" : "nvidia-nvjitlink")

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
        fprintf(stderr, "openptx: " VARIABLE " does not name NVIDIA's " SONAME ", which links LTO IR: %s\n"
                        "openptx: `pip install %s` installs it where `openptx exec` finds it\n", why, PACKAGE);
        return;
    }
    for (int i = 0; i < COUNT; i++) functions[i] = (Forwarded *)dlsym(library, names[i]);
}

int is_there(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_functions);
    return functions[INDEX_nvJitLinkCreate] != NULL;
}

int call(int index, Word a, Word b, Word c, Word d, Word e) {
    return is_there() && functions[index] ? (int)functions[index](a, b, c, d, e, 0) : INTERNAL_ERROR;
}

/* Both logs, NVIDIA's first. */
static int error_log(struct link *link, char *out, size_t *size) {
    size_t theirs = 0, own = strlen(link->log);
    if (link->theirs) call(INDEX_nvJitLinkGetErrorLogSize, (Word)link->theirs, (Word)&theirs, 0, 0, 0);
    if (size) *size = theirs + own;
    if (out && theirs) call(INDEX_nvJitLinkGetErrorLog, (Word)link->theirs, (Word)out, 0, 0, 0);
    if (out) memcpy(out + theirs, link->log, own);
    return SUCCESS;
}

/* What stands for machine code: the result of the driver, or NVIDIA's PTX. */
static int size_of_code(struct link *link, size_t *size) {
    if (link->linked) return *size = link->size, SUCCESS;
    return call(INDEX_nvJitLinkGetLinkedPtxSize, (Word)link->theirs, (Word)size, 0, 0, 0);
}

static int code(struct link *link, char *out) {
    if (link->linked) return memcpy(out, link->linked, link->size), SUCCESS;
    return call(INDEX_nvJitLinkGetLinkedPtx, (Word)link->theirs, (Word)out, 0, 0, 0);
}

static Word changed(int index, Word a, Word b, Word c, Word d, Word e) {
    struct link *link = (struct link *)a;
    if (!a) return NULL_INPUT;
    switch (index) {
    case INDEX_nvJitLinkCreate: return link_create((struct link **)a, (uint32_t)b, (const char **)c);
    case INDEX_nvJitLinkDestroy:
        if (!*(struct link **)a) return NULL_INPUT;
        link_destroy(*(struct link **)a);
        *(struct link **)a = NULL;
        return SUCCESS;
    case INDEX_nvJitLinkAddData: return link_add(link, (int)b, (const void *)c, d, (const char *)e);
    case INDEX_nvJitLinkAddFile: return link_add_file(link, (int)b, (const char *)c);
    case INDEX_nvJitLinkComplete: return link_complete(link);
    case INDEX_nvJitLinkGetErrorLogSize: return error_log(link, NULL, (size_t *)b);
    case INDEX_nvJitLinkGetErrorLog: return error_log(link, (char *)b, NULL);
    case INDEX_nvJitLinkGetLinkedCubinSize: return size_of_code(link, (size_t *)b);
    case INDEX_nvJitLinkGetLinkedCubin: return code(link, (char *)b);
    }
    return call(index, (Word)link->theirs, b, c, d, e);
}

/* A function, and its name without a release. */
#if OPENPTX_HIDDEN
#define AT "@"
#else
#define AT "@@"
#endif
#define PLAIN(name)                                                                                                    \
    PUBLIC Word forward_##name(Word a, Word b, Word c, Word d, Word e) {                                               \
        return changed(INDEX_##name, a, b, c, d, e);                                                                   \
    }                                                                                                                  \
    __asm__(".symver forward_" #name ", " #name AT SONAME);
#define RELEASE(name, minor) RELEASE_OF(name, OPENPTX_NVJITLINK, minor)
#define RELEASE_OF(name, major, minor) RELEASE_NAMED(name, major, minor)
#define RELEASE_NAMED(name, major, minor)                                                                              \
    PUBLIC __typeof(forward_##name) __##name##_##major##_##minor __attribute__((alias("forward_" #name)));
#define FUNCTION(name)                                                                                                 \
    PLAIN(name)                                                                                                        \
    RELEASE(name, 0) RELEASE(name, 1) RELEASE(name, 2) RELEASE(name, 3) RELEASE(name, 4) RELEASE(name, 5)              \
    RELEASE(name, 6) RELEASE(name, 7) RELEASE(name, 8) RELEASE(name, 9) RELEASE(name, 10) RELEASE(name, 11)
#include "functions.def"

PUBLIC Word forward_nvJitLinkVersion(Word major, Word minor) {
    return call(INDEX_nvJitLinkVersion, major, minor, 0, 0, 0);
}
__asm__(".symver forward_nvJitLinkVersion, nvJitLinkVersion" AT SONAME);

PUBLIC Word __nvJitLinkAPI(Word a, Word b, Word c, Word d, Word e) {
    return call(INDEX___nvJitLinkAPI, a, b, c, d, e);
}
