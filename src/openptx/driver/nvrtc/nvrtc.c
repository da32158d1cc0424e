/* libnvrtc.so.12 and .13 of OpenPTX: NVIDIA's compiler, which OPENPTX_NVRTC_12 or _13 names, but for its machine code.

   A program that compiles for sm_90 asks for a cubin and loads it. The compiler has made PTX as well, so that is what the
   program gets in the cubin's place. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define PUBLIC __attribute__((visibility("default")))
#define TEXT(x) #x
#define NUMBER(x) TEXT(x)
#define VARIABLE "OPENPTX_NVRTC_" NUMBER(OPENPTX_NVRTC)

typedef uint64_t Word; /* what a register passes: an integer, or a pointer */
typedef Word Forwarded(Word, Word, Word, Word, Word, Word);
enum { INTERNAL_ERROR = 11 };

#define FUNCTION(name) INDEX_##name,
enum {
#include "functions.def"
    INDEX_nvrtcGetCUBIN, INDEX_nvrtcGetCUBINSize, COUNT
};
#undef FUNCTION
#define FUNCTION(name) #name,
static const char *const names[COUNT] = {
#include "functions.def"
    "nvrtcGetCUBIN", "nvrtcGetCUBINSize"
};
#undef FUNCTION

static Forwarded *functions[COUNT];

static void find_functions(void) {
    const char *path = getenv(VARIABLE);
    void *library = path && *path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library) {
        const char *why = path && *path ? dlerror() : "it is not set";
        fprintf(stderr, "openptx: " VARIABLE " does not name NVIDIA's compiler: %s\n", why);
        return;
    }
    for (int i = 0; i < COUNT; i++) functions[i] = (Forwarded *)dlsym(library, names[i]);
}

static Word call(int index, Word a, Word b, Word c, Word d, Word e, Word f) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_functions);
    if (functions[index]) return functions[index](a, b, c, d, e, f);
    return index == INDEX_nvrtcGetErrorString ? (Word) "NVRTC_ERROR_INTERNAL_ERROR" : INTERNAL_ERROR;
}

#define FUNCTION(name)                                                                                                 \
    PUBLIC Word name(Word a, Word b, Word c, Word d, Word e, Word f) { return call(INDEX_##name, a, b, c, d, e, f); }
#include "functions.def"

/* The bytes of a program's PTX, its end included; 0 where it has none, or no machine code that this could stand for. */
static size_t ptx_in_place(Word program) {
    size_t cubin = 0, ptx = 0;
    if ((int)call(INDEX_nvrtcGetCUBINSize, program, (Word)&cubin, 0, 0, 0, 0) || !cubin) return 0;
    if ((int)call(INDEX_nvrtcGetPTXSize, program, (Word)&ptx, 0, 0, 0, 0)) return 0;
    return ptx > 1 ? ptx : 0;
}

PUBLIC int nvrtcGetCUBINSize(Word program, size_t *size) {
    int result = (int)call(INDEX_nvrtcGetCUBINSize, program, (Word)size, 0, 0, 0, 0);
    size_t ptx = result ? 0 : ptx_in_place(program);
    if (ptx) *size = ptx;
    return result;
}

PUBLIC int nvrtcGetCUBIN(Word program, char *out) {
    int index = ptx_in_place(program) ? INDEX_nvrtcGetPTX : INDEX_nvrtcGetCUBIN;
    return (int)call(index, program, (Word)out, 0, 0, 0, 0);
}
