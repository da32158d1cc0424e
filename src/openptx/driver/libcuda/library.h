/* What the files of libcuda.so.1 share.

   Every entry point of cuda.h jumps through a table. An entry of the table is a function of C here (named own_..., for
   what is cheap and needs no Python), a callback that openptx.driver.start puts in, or `openptx_first`, which starts
   Python and goes on to what the table holds then. There are no headers of Python here, so one build serves all its
   versions. `entries.h` is generated from entry_points.txt and results.py (openptx.driver.build).

   With OPENPTX_RECORDER=1 this is the library of `openptx record`: the table leads to the driver that
   OPENPTX_REAL_LIBCUDA names, but for the callbacks of openptx.driver.recorder, which call that driver in turn. */
#pragma once
#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>

#define PUBLIC __attribute__((visibility("default")))

#ifndef OPENPTX_RECORDER
#define OPENPTX_RECORDER 0
#endif

enum { SUCCESS = 0, INVALID_VALUE = 1, NOT_INITIALIZED = 3, DEINITIALIZED = 4, INVALID_CONTEXT = 201, NOT_FOUND = 500,
       NOT_SUPPORTED = 801, SYSTEM_NOT_READY = 802, UNKNOWN = 999 };

enum { RETURNED = 0x4F580000 }; /* set in the results of Python's callbacks; see calls.py */

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
#undef RESULT
    SLOTS
};

struct entry {
    const char *symbol, *stem;
    int since;
    void *stub;
};
struct alias {
    const char *symbol;
    int index;
    void *stub;
};

/* stubs.c */
extern void *openptx_table[SLOTS];
extern void *openptx_callbacks[SLOTS];
extern const struct entry entries[COUNT];
extern const struct alias aliases[SLOTS - COUNT];
const char *symbol_of(int slot);
int index_of(int slot);         /* of the entry point that a slot belongs to */
void openptx_first(void);       /* for the table: starts Python, begins again */
void openptx_missing(void);     /* for the table: CUDA_ERROR_NOT_SUPPORTED */
void openptx_python(void);      /* for the table: goes on to the callback in the same slot */

/* table.c */
extern void *real[SLOTS];       /* of the driver behind the recorder; all null without one */
extern char owned[COUNT];       /* whether a function of C here is the entry point */
extern volatile int started;    /* the callbacks of Python are in their places */
void end(int result);           /* what Python implemented returns this from now on */
#define OWN(symbol) (openptx_table[INDEX_##symbol] = (void *)own_##symbol, owned[INDEX_##symbol] = 1)

/* contexts.c */
void own_contexts(void);        /* puts its functions into the table, as those below do */
void forget_contexts(void);     /* in a forked child */
int is_initialized(void);       /* whether the program has called cuInit */

/* devices.c */
void own_devices(void);

/* errors.c */
void own_errors(void);
int driver_version(void);       /* as reported */

/* addresses.c */
void own_addresses(void);

/* exceptions.c */
void *python(const char *name); /* a function of Python's in this process, or null */
void find_exceptions(void);
int openptx_put_aside(void);    /* whether there is something to put back after the call */
void openptx_put_back(void);
int openptx_before(void);       /* a callback: whether an exception is put aside for its time */
int openptx_after(int result, int is_aside); /* the result of the entry point */
extern void (*openptx_dropped)(void); /* Python's, for a callback that has not run */

/* interpreter.c */
void forget_start(void);        /* in a forked child */
