/* Python in this process: the one that is there, or one that is started. */
#include "library.h"
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;
static int tried; /* to start; `starting` guards it */

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
    int (*run)(const char *) = (int (*)(const char *))python("PyRun_SimpleString");
    if (!initialize || !save || !run) return 0;
    const char *home = getenv("OPENPTX_PYTHONHOME"), *before = getenv("PYTHONHOME");
    if (home && *home && !before) setenv("PYTHONHOME", home, 1);
    struct sigaction interrupt;
    sigaction(SIGINT, NULL, &interrupt);
    initialize(0); /* signals stay the program's */
    if (home && *home && !before) unsetenv("PYTHONHOME");
    run("import signal"); /* which makes a KeyboardInterrupt of Ctrl-C, where it would end the program */
    sigaction(SIGINT, &interrupt, NULL);
    save();
    return 1;
}

void forget_start(void) { pthread_mutex_init(&starting, NULL); } /* another thread may have held it */

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
                             "    sys.modules.pop('openptx', None)\n" /* a folder of that name without a package */
                             START
                             "start(%s)\n"
                             "''', {})\n";

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
    if (OPENPTX_RECORDER) own_addresses();
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
void openptx_start(void) {
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
