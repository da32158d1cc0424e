/* libcuda.so.1 of OpenPTX: every entry point of cuda.h jumps through a table.

   An entry of the table is a function of C here (named own_..., for what is cheap and needs no Python), a callback that
   openptx.driver.start puts in, or `first`, which starts Python and goes on to what the table holds then. There are no
   headers of Python here, so one build serves all its versions. `entries.h` is generated from entry_points.txt and
   results.py (openptx.driver.build).

   With OPENPTX_RECORDER defined this is the library of `openptx record`: the table leads to the driver that
   OPENPTX_REAL_LIBCUDA names, but for the callbacks of openptx.driver.recorder, which call that driver in turn. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PUBLIC __attribute__((visibility("default")))
#define HIDDEN __attribute__((visibility("hidden")))

enum { SUCCESS = 0, INVALID_VALUE = 1, NOT_INITIALIZED = 3, DEINITIALIZED = 4, INVALID_CONTEXT = 201, NOT_FOUND = 500,
       NOT_SUPPORTED = 801, SYSTEM_NOT_READY = 802 };

/* ---- the table ---- */

enum {
#define ENTRY(index, symbol, stem, since) INDEX_##symbol = index,
#define ALIAS(slot, index, symbol)
#define RESULT(number, name, text)
#include "entries.h"
#undef ENTRY
    COUNT, /* the symbols for per-thread default streams have slots of their own from here on */
#undef ALIAS
#define ENTRY(index, symbol, stem, since)
#define ALIAS(slot, index, symbol) SLOT_##symbol = slot,
#include "entries.h"
#undef ENTRY
#undef ALIAS
    SLOTS
};

HIDDEN void *openptx_table[SLOTS];

#if defined(__x86_64__)
#define STUB(index, symbol)                                                                                            \
    __asm__(".text\n.globl " #symbol "\n.type " #symbol ",@function\n" #symbol ":\nendbr64\n"                          \
            "movl $" #index ", %r11d\nleaq openptx_table(%rip), %r10\njmp *(%r10,%r11,8)\n.size " #symbol              \
            ",.-" #symbol "\n");
/* Saves the registers of arguments and the index, starts Python, and begins again. */
__asm__(".text\n.type openptx_first,@function\nopenptx_first:\n"
        "pushq %rdi\npushq %rsi\npushq %rdx\npushq %rcx\npushq %r8\npushq %r9\npushq %r11\n"
        "subq $32, %rsp\nmovsd %xmm0, (%rsp)\nmovsd %xmm1, 8(%rsp)\n"
        "call openptx_start\n"
        "movsd (%rsp), %xmm0\nmovsd 8(%rsp), %xmm1\naddq $32, %rsp\n"
        "popq %r11\npopq %r9\npopq %r8\npopq %rcx\npopq %rdx\npopq %rsi\npopq %rdi\n"
        "leaq openptx_table(%rip), %r10\njmp *(%r10,%r11,8)\n"
        ".type openptx_missing,@function\nopenptx_missing:\nmovl %r11d, %edi\njmp openptx_not_supported\n");
/* Goes on to a callback of Python. Where an exception is pending it is put aside for the call, which then gets a copy of
   16 words of the stack, more than any entry point has arguments there. */
#define PYTHON_CALLS 1
__asm__(".text\n.type openptx_python,@function\nopenptx_python:\n"
        "pushq %rdi\npushq %rsi\npushq %rdx\npushq %rcx\npushq %r8\npushq %r9\npushq %r11\n"
        "subq $32, %rsp\nmovsd %xmm0, (%rsp)\nmovsd %xmm1, 8(%rsp)\n"
        "call openptx_put_aside\n"
        "movsd (%rsp), %xmm0\nmovsd 8(%rsp), %xmm1\naddq $32, %rsp\n"
        "popq %r11\npopq %r9\npopq %r8\npopq %rcx\npopq %rdx\npopq %rsi\npopq %rdi\n"
        "leaq openptx_callbacks(%rip), %r10\ntestl %eax, %eax\njne 1f\njmp *(%r10,%r11,8)\n"
        "1:\npushq %rbp\nmovq %rsp, %rbp\nsubq $128, %rsp\n"
        ".set offset, 0\n.rept 16\nmovq 16+offset(%rbp), %rax\nmovq %rax, offset(%rsp)\n.set offset, offset+8\n.endr\n"
        "call *(%r10,%r11,8)\n"
        "movl %eax, (%rsp)\ncall openptx_put_back\nmovl (%rsp), %eax\nleave\nret\n");
#elif defined(__aarch64__)
#define STUB(index, symbol)                                                                                            \
    __asm__(".text\n.globl " #symbol "\n.type " #symbol ",%function\n" #symbol ":\nhint #34\n"                         \
            "mov w17, #" #index "\nadrp x16, openptx_table\nadd x16, x16, :lo12:openptx_table\n"                       \
            "ldr x16, [x16, x17, lsl #3]\nbr x16\n.size " #symbol ",.-" #symbol "\n");
__asm__(".text\n.type openptx_first,%function\nopenptx_first:\n"
        "stp x29, x30, [sp, #-112]!\nmov x29, sp\nstp x0, x1, [sp, #16]\nstp x2, x3, [sp, #32]\nstp x4, x5, [sp, #48]\n"
        "stp x6, x7, [sp, #64]\nstp x17, xzr, [sp, #80]\nstp d0, d1, [sp, #96]\n"
        "bl openptx_start\n"
        "ldp d0, d1, [sp, #96]\nldr x17, [sp, #80]\nldp x6, x7, [sp, #64]\nldp x4, x5, [sp, #48]\nldp x2, x3, [sp, #32]\n"
        "ldp x0, x1, [sp, #16]\nldp x29, x30, [sp], #112\n"
        "adrp x16, openptx_table\nadd x16, x16, :lo12:openptx_table\nldr x16, [x16, x17, lsl #3]\nbr x16\n"
        ".type openptx_missing,%function\nopenptx_missing:\nmov w0, w17\nb openptx_not_supported\n");
#else
#error "OpenPTX has entry points for x86-64 and aarch64"
#endif

HIDDEN void openptx_first(void);
HIDDEN void openptx_missing(void);
HIDDEN void openptx_python(void);
HIDDEN void *openptx_callbacks[SLOTS];

#define ENTRY(index, symbol, stem, since) STUB(index, symbol)
#define ALIAS(slot, index, symbol) STUB(slot, symbol)
#include "entries.h"
#undef ENTRY
#undef ALIAS

#define ENTRY(index, symbol, stem, since) extern PUBLIC void symbol(void);
#define ALIAS(slot, index, symbol) extern PUBLIC void symbol(void);
#include "entries.h"
#undef ENTRY
#undef ALIAS

struct entry {
    const char *symbol, *stem;
    int since;
    void *stub;
};
static const struct entry entries[COUNT] = {
#define ENTRY(index, symbol, stem, since) {#symbol, stem, since, (void *)symbol},
#define ALIAS(slot, index, symbol)
#include "entries.h"
#undef ENTRY
#undef ALIAS
};

static const struct alias {
    const char *symbol;
    int index;
    void *stub;
} aliases[SLOTS - COUNT] = {
#define ENTRY(index, symbol, stem, since)
#define ALIAS(slot, index, symbol) {#symbol, index, (void *)symbol},
#include "entries.h"
#undef ENTRY
#undef ALIAS
};

static const char *symbol_of(int slot) { return slot < COUNT ? entries[slot].symbol : aliases[slot - COUNT].symbol; }
static int index_of(int slot) { return slot < COUNT ? slot : aliases[slot - COUNT].index; }

struct result {
    int number;
    const char *name, *text;
};
static struct result results[] = {
#define ENTRY(index, symbol, stem, since)
#define ALIAS(slot, index, symbol)
#undef RESULT
#define RESULT(number, name, text) {number, name, text},
#include "entries.h"
};
enum { RESULTS = sizeof results / sizeof *results };

HIDDEN int openptx_not_supported(int slot) {
    static char told[SLOTS];
    if (!__atomic_exchange_n(&told[slot], 1, __ATOMIC_RELAXED))
        fprintf(stderr, "openptx: %s is not supported: it returns CUDA_ERROR_NOT_SUPPORTED\n", symbol_of(slot));
    return NOT_SUPPORTED;
}

/* The functions of the driver that this library stands in front of; all null where it stands in front of none. */
static void *real[SLOTS];

/* What Python implemented returns this from the interpreter's end on, in a forked child, and where Python fails. */
static volatile int ended = DEINITIALIZED;
static int is_ended(void) { return ended; }
static int is_freed(void) { return SUCCESS; }
static char owned[COUNT]; /* by a function of C here */

/* Whether an entry point only gives something back. */
static int releases(const char *symbol) {
    static const char *const words[] = {"Free", "Destroy", "Unload", "Unregister", "Release"};
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(symbol, words[i])) return 1;
    return 0;
}

/* At the interpreter's end all is given back: finalizers that run after it, as numba-cuda's do, succeed. */
static void end(int result) {
    ended = result;
    for (int i = 0; i < SLOTS; i++)
        if (!owned[index_of(i)]) {
            int freed = result == DEINITIALIZED && releases(symbol_of(i));
            openptx_table[i] = real[i] ? real[i] : freed ? (void *)is_freed : (void *)is_ended;
        }
}

/* ---- contexts: which is current is known to each thread ---- */

enum { DEPTH = 64, CONTEXTS = 256 };
static struct {
    uint64_t handle;
    int error;
} contexts[CONTEXTS];
static __thread uint64_t current[DEPTH];
static __thread int depth;
static volatile int initialized;

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

static int own_cuCtxSynchronize(void) { /* whatever was begun has ended: streams run in the thread that fills them */
    if (!initialized) return NOT_INITIALIZED;
    int *error = error_of(openptx_driver_current());
    return error ? *error : INVALID_CONTEXT;
}

/* ---- words and versions ---- */

static struct result *result_of(int number) {
    for (int i = 0; i < RESULTS; i++)
        if (results[i].number == number) return &results[i];
    return NULL;
}

/* From now on cuGetErrorString says more. What it gave before may still be in use and is not freed. */
PUBLIC void openptx_driver_text(int number, const char *text) {
    struct result *found = result_of(number);
    char *copy = found ? strdup(text) : NULL;
    if (copy) found->text = copy;
}

static int own_cuGetErrorString(int number, const char **text) {
    if (!text) return INVALID_VALUE;
    struct result *found = result_of(number);
    *text = found ? found->text : NULL;
    return found ? SUCCESS : INVALID_VALUE;
}

static int own_cuGetErrorName(int number, const char **text) {
    if (!text) return INVALID_VALUE;
    struct result *found = result_of(number);
    *text = found ? found->name : NULL;
    return found ? SUCCESS : INVALID_VALUE;
}

static int own_cuDriverGetVersion(int *version) {
    if (!version) return INVALID_VALUE;
    const char *chosen = getenv("OPENPTX_CUDA_VERSION");
    int number = chosen ? atoi(chosen) : 0;
    *version = number >= 3020 ? number : DRIVER_VERSION;
    return SUCCESS;
}

#ifndef OPENPTX_RECORDER
#define OPENPTX_RECORDER 0
#endif

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
    int known = 0;
    if (!name || !function) return INVALID_VALUE;
    for (int i = 0; i < COUNT; i++)
        if (!strcmp(entries[i].stem, name)) {
            known = 1;
            if (entries[i].since <= version && (!best || entries[i].since >= best->since)) best = &entries[i];
        }
    if (OPENPTX_RECORDER) return recorded_address(name, function, version, flags, status, best ? (int)(best - entries) : -1);
    *function = best ? best->stub : NULL;
    if (status) *status = best ? 0 : known ? 2 : 1; /* found, version not sufficient, symbol not found */
    return best ? SUCCESS : NOT_FOUND;
}

static int own_cuGetProcAddress(const char *name, void **function, int version, uint64_t flags) {
    return own_cuGetProcAddress_v2(name, function, version, flags, NULL);
}

static int own_cuGetExportTable(const void **table, const void *id) {
    static char told;
    (void)id;
    if (table) *table = NULL;
    if (!__atomic_exchange_n(&told, 1, __ATOMIC_RELAXED))
        fputs("openptx: this program holds a copy of NVIDIA's CUDA runtime, which runs on NVIDIA's driver alone: it asks\n"
              "openptx: the driver by export tables to prove that it is NVIDIA's, and OpenPTX does not answer that.\n"
              "openptx: Compile the program with `nvcc -cudart shared`: it then finds the libcudart.so of OpenPTX.\n", stderr);
    return NOT_FOUND;
}

/* ---- Python ---- */

static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;
static volatile int started;
static int tried; /* to start; `starting` guards it */

static void *python(const char *name) { return dlsym(RTLD_DEFAULT, name); }

/* Exceptions that were pending when the driver was called: a destructor may run after an error. Python code must not run
   with one. Callers that hold no lock of the interpreter, but belong to it, may have one as well: they get the lock for
   the whole call. A callback that calls the driver in turn has none pending, or one of its own. */
enum { NESTED = 8 };
static __thread struct {
    int pending, locked, lock;
    void *exception[3];
} aside[NESTED];
static __thread int aside_count;

static struct {
    int (*holds)(void);
    void *(*running)(void); /* the state of the thread that runs; its name differs between versions */
    void *(*own)(void);
    int (*ensure)(void);
    void (*release)(int);
    void *(*occurred)(void);
    void (*fetch)(void **, void **, void **);
    void (*restore)(void *, void *, void *);
    int known;
} exceptions;

static void find_exceptions(void) {
    void *running = python("PyThreadState_GetUnchecked");
    exceptions.holds = (int (*)(void))python("PyGILState_Check");
    exceptions.running = (void *(*)(void))(running ? running : python("_PyThreadState_UncheckedGet"));
    exceptions.own = (void *(*)(void))python("PyGILState_GetThisThreadState");
    exceptions.ensure = (int (*)(void))python("PyGILState_Ensure");
    exceptions.release = (void (*)(int))python("PyGILState_Release");
    exceptions.occurred = (void *(*)(void))python("PyErr_Occurred");
    exceptions.fetch = (void (*)(void **, void **, void **))python("PyErr_Fetch");
    exceptions.restore = (void (*)(void *, void *, void *))python("PyErr_Restore");
    exceptions.known = exceptions.holds && exceptions.running && exceptions.own && exceptions.ensure &&
                       exceptions.release && exceptions.occurred && exceptions.fetch && exceptions.restore;
}

/* Whether there is something to put back after the call. */
HIDDEN int openptx_put_aside(void) {
    if (!exceptions.known || aside_count == NESTED) return 0;
    int inside = exceptions.holds() && exceptions.running();
    if (inside ? !exceptions.occurred() : !exceptions.own()) return 0;
    int at = aside_count++;
    aside[at].locked = !inside;
    if (!inside) aside[at].lock = exceptions.ensure();
    aside[at].pending = exceptions.occurred() != NULL;
    void **kept = aside[at].exception;
    if (aside[at].pending) exceptions.fetch(&kept[0], &kept[1], &kept[2]);
    return 1;
}

HIDDEN void openptx_put_back(void) {
    int at = --aside_count;
    void **kept = aside[at].exception;
    if (aside[at].pending) exceptions.restore(kept[0], kept[1], kept[2]);
    if (aside[at].locked) exceptions.release(aside[at].lock);
}

static void *libpython(void) {
    const char *chosen = getenv("OPENPTX_LIBPYTHON");
    void *found = chosen && *chosen ? dlopen(chosen, RTLD_NOW | RTLD_GLOBAL) : NULL;
    for (int minor = 19; !found && minor >= 11; minor--) {
        char name[64];
        snprintf(name, sizeof name, "libpython3.%d.so.1.0", minor);
        found = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
    }
    return found;
}

/* An interpreter for a program that has none. It is never ended: the program may call until its own end. */
static int embed(void) {
    if (!python("Py_IsInitialized") && !libpython()) {
        fprintf(stderr, "openptx: this program is not Python's, and there is no shared library of Python to run OpenPTX in: %s\n"
                        "openptx: OPENPTX_LIBPYTHON names one, such as /usr/lib/x86_64-linux-gnu/libpython3.11.so.1.0\n", dlerror());
        return 0;
    }
    void (*initialize)(int) = (void (*)(int))python("Py_InitializeEx");
    void *(*save)(void) = (void *(*)(void))python("PyEval_SaveThread");
    if (!initialize || !save) return 0;
    const char *home = getenv("OPENPTX_PYTHONHOME"), *before = getenv("PYTHONHOME");
    if (home && *home && !before) setenv("PYTHONHOME", home, 1);
    initialize(0); /* signals stay the program's */
    if (home && *home && !before) unsetenv("PYTHONHOME");
    save();
    return 1;
}

static void in_child(void) {
    pthread_mutex_init(&starting, NULL); /* another thread of the parent may have held it */
    if (started) {
        initialized = 0; /* as with NVIDIA's driver: a context does not survive a fork */
        depth = 0;
        end(NOT_INITIALIZED);
    }
}

#if OPENPTX_RECORDER
#define START "    from openptx.driver.recorder.start import start\n"
#else
#define START "    from openptx.driver.start import start\n"
#endif
static const char SCRIPT[] = "exec('''\n"
                             "try:\n"
                             START
                             "except ModuleNotFoundError:\n"
                             "    import os, sys\n"
                             "    added = [p for p in os.environ.get('OPENPTX_PYTHONPATH', '').split(os.pathsep) if p]\n"
                             "    if not added: raise\n"
                             "    sys.path += added\n"
                             START
                             "start(%s)\n"
                             "''', {})\n";

#define OWN(symbol) (openptx_table[INDEX_##symbol] = (void *)own_##symbol, owned[INDEX_##symbol] = 1)

/* Finds the functions of the driver that OPENPTX_REAL_LIBCUDA names. */
static int find_real(void) {
    const char *path = getenv("OPENPTX_REAL_LIBCUDA");
    void *library = path && *path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library) {
        fprintf(stderr, "openptx: OPENPTX_REAL_LIBCUDA does not name a driver that can be recorded: %s\n",
                path && *path ? dlerror() : "it is empty");
        return 0;
    }
    for (int i = 0; i < SLOTS; i++) real[i] = dlsym(library, symbol_of(i));
    return 1;
}

/* Loads openptx in an interpreter that is there, or starts one. */
static void start(void) {
    if (OPENPTX_RECORDER) OWN(cuGetProcAddress), OWN(cuGetProcAddress_v2);
    if (OPENPTX_RECORDER && !find_real()) {
        end(SYSTEM_NOT_READY);
        return;
    }
    int (*is_initialized)(void) = (int (*)(void))python("Py_IsInitialized");
    if ((!is_initialized || !is_initialized()) && !embed()) {
        end(SYSTEM_NOT_READY);
        return;
    }
    int (*ensure)(void) = (int (*)(void))python("PyGILState_Ensure");
    void (*release)(int) = (void (*)(int))python("PyGILState_Release");
    int (*run)(const char *) = (int (*)(const char *))python("PyRun_SimpleString");
    if (!ensure || !release || !run) {
        end(SYSTEM_NOT_READY);
        return;
    }
    char path[4200], script[sizeof SCRIPT + sizeof path];
    Dl_info where;
    const char *file = dladdr((void *)openptx_table, &where) ? where.dli_fname : "libcuda.so.1";
    size_t at = 0; /* as a literal of bytes, whatever the path holds */
    at += snprintf(path, sizeof path, "bytes.fromhex(\\\"");
    for (const char *c = file; *c && at < sizeof path - 8; c++) at += snprintf(path + at, 3, "%02x", (unsigned char)*c);
    snprintf(path + at, sizeof path - at, "\\\")");
    snprintf(script, sizeof script, SCRIPT, path);
    int state = ensure(), failed = run(script);
    if (failed) {
        fputs("openptx: OpenPTX could not be started in this process; `pip install openptx` for its Python, if it is missing\n", stderr);
        end(SYSTEM_NOT_READY);
    }
    release(state);
}

/* Called by `openptx_first`. Afterwards the table holds something else, whatever happens. One thread starts Python and
   imports openptx, the others wait: without the interpreter's lock, which the starting thread needs. */
HIDDEN void openptx_start(void) {
    int (*holds)(void) = (int (*)(void))python("PyGILState_Check");
    int (*is_initialized)(void) = (int (*)(void))python("Py_IsInitialized");
    void *(*save)(void) = (void *(*)(void))python("PyEval_SaveThread");
    void (*restore)(void *) = (void (*)(void *))python("PyEval_RestoreThread");
    /* PyGILState_Check alone says yes while an interpreter is set up */
    void *(*own)(void) = (void *(*)(void))python("PyGILState_GetThisThreadState");
    int inside = holds && own && save && is_initialized && is_initialized() && own() && holds();
    if (inside) find_exceptions();
    int pending = inside && openptx_put_aside();
    void *state = inside ? save() : NULL;
    pthread_mutex_lock(&starting);
    if (!tried) start();
    tried = 1;
    pthread_mutex_unlock(&starting);
    if (state) restore(state);
    if (pending) openptx_put_back();
}

/* Called by Python when the callbacks are in their places: what nothing implements says so. The recorder has callbacks
   for the symbols for per-thread default streams, too. */
PUBLIC void openptx_driver_ready(void **callbacks) {
    find_exceptions();
    for (int i = 0; i < SLOTS; i++) {
        if (owned[index_of(i)]) continue;
        void *callback = openptx_callbacks[i] = callbacks[OPENPTX_RECORDER ? i : index_of(i)];
        void *otherwise = real[i] ? real[i] : (void *)openptx_missing;
#ifdef PYTHON_CALLS
        openptx_table[i] = callback ? (void *)openptx_python : otherwise;
#else
        openptx_table[i] = callback ? callback : otherwise;
#endif
    }
    started = 1;
}

/* The real driver's function in a slot, for the recorder; null where it has none. */
PUBLIC void *openptx_driver_real(int slot) { return real[slot]; }

/* Called at the interpreter's end. */
PUBLIC void openptx_driver_close(void) { end(DEINITIALIZED); }

__attribute__((constructor)) static void prepare(void) {
    pthread_atfork(NULL, NULL, in_child);
    for (int i = 0; i < SLOTS; i++) openptx_table[i] = (void *)openptx_first;
    OWN(cuGetExportTable);
    if (OPENPTX_RECORDER) return;
    OWN(cuGetProcAddress), OWN(cuGetProcAddress_v2);
    OWN(cuCtxGetCurrent), OWN(cuCtxSetCurrent), OWN(cuCtxSynchronize);
    OWN(cuGetErrorString), OWN(cuGetErrorName), OWN(cuDriverGetVersion);
    openptx_table[INDEX_cuCtxPushCurrent] = openptx_table[INDEX_cuCtxPushCurrent_v2] = (void *)own_cuCtxPushCurrent;
    openptx_table[INDEX_cuCtxPopCurrent] = openptx_table[INDEX_cuCtxPopCurrent_v2] = (void *)own_cuCtxPopCurrent;
    owned[INDEX_cuCtxPushCurrent] = owned[INDEX_cuCtxPushCurrent_v2] = 1;
    owned[INDEX_cuCtxPopCurrent] = owned[INDEX_cuCtxPopCurrent_v2] = 1;
}
