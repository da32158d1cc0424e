/* Exceptions of Python: those that are pending when a program calls the driver, and those that ctypes drops. */
#include "library.h"
#include <dlfcn.h>
#include <string.h>

void *python(const char *name) { return dlsym(RTLD_DEFAULT, name); }

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

void find_exceptions(void) {
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
int openptx_put_aside(void) {
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

void openptx_put_back(void) {
    int at = --aside_count;
    void **kept = aside[at].exception;
    if (aside[at].pending) exceptions.restore(kept[0], kept[1], kept[2]);
    if (aside[at].locked) exceptions.release(aside[at].lock);
}

/* A signal handler of the program's, such as that of Ctrl-C, may raise an exception as a callback is entered, before its
   first statement. ctypes prints it and returns what its frame on the stack held. Results of callbacks that have run are
   marked (RETURNED in calls.py), so the words of that frame must not hold an older one. */
int openptx_before(void) {
    char below[1024];
    memset(below, 0, sizeof below);
    __asm__ volatile("" : : "r"(below) : "memory");
    return openptx_put_aside();
}

void (*openptx_dropped)(void);

int openptx_after(int result, int is_aside) {
    int has_run = (result & ~0xFFFF) == RETURNED;
    if (!has_run && openptx_dropped) openptx_dropped(); /* if this is dropped too, the stack is exhausted */
    if (is_aside) openptx_put_back();
    return has_run ? result & 0xFFFF : UNKNOWN;
}
