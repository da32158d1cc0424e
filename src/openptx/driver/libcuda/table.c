/* What the table holds: before Python is started, then, and after its end. */
#include "library.h"
#include <pthread.h>
#include <string.h>

/* The functions of the driver that this library stands in front of; all null where it stands in front of none. */
void *real[SLOTS];

volatile int started;

/* What Python implemented returns this from the interpreter's end on, in a forked child, and where Python fails. */
static volatile int ended = DEINITIALIZED;
static int is_ended(void) { return ended; }
static int is_done(void) { return SUCCESS; }
static int no_pool(void **pool) {
    if (pool) *pool = NULL;
    return SUCCESS;
}
char owned[COUNT]; /* by a function of C here */

/* Whether an entry point only gives something back, or waits for work: all work has ended. */
static int releases_or_waits(const char *symbol) {
    static const char *const words[] = {"Free", "Destroy", "Unload", "Unregister", "Release", "Detach",
                                        "Synchronize", "Query", "TrimTo"};
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(symbol, words[i])) return 1;
    return 0;
}

/* What the table holds at the end of an entry point that nothing else implements. */
static void *at_end(const char *symbol) {
    if (ended != DEINITIALIZED) return (void *)is_ended;
    if (releases_or_waits(symbol)) return (void *)is_done;
    return strcmp(symbol, "cuDeviceGetDefaultMemPool") ? (void *)is_ended : (void *)no_pool;
}

/* At the interpreter's end all work has ended and all is given back: finalizers that run after it, as numba-cuda's,
   Taichi's and Quadrants' do, succeed. The last one looks up the default pool to trim it. */
void end(int result) {
    ended = result;
    for (int i = 0; i < SLOTS; i++)
        if (!owned[index_of(i)]) openptx_table[i] = real[i] ? real[i] : at_end(symbol_of(i));
}

static void in_child(void) {
    forget_start();
    if (started) {
        forget_contexts();
        end(NOT_INITIALIZED);
    }
}

/* Called by Python when the callbacks are in their places: what nothing implements says so. The recorder has callbacks
   for the symbols for per-thread default streams, too. `dropped` is called after a callback that has not run. */
PUBLIC void openptx_driver_ready(void **callbacks, void (*dropped)(void)) {
    find_exceptions();
    openptx_dropped = dropped;
    for (int i = 0; i < SLOTS; i++) {
        if (owned[index_of(i)]) continue;
        void *callback = openptx_callbacks[i] = callbacks[OPENPTX_RECORDER ? i : index_of(i)];
        void *otherwise = real[i] ? real[i] : (void *)openptx_missing;
        openptx_table[i] = callback ? (void *)openptx_python : otherwise;
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
    if (OPENPTX_RECORDER) return;
    own_addresses();
    own_contexts();
    own_devices();
    own_errors();
}
